/// Following what others save: told of it, or by itself.

import SteleModel
import SteleMutex
import StelePersistence

/// Commits that a context has not followed yet; filled on the broadcast's thread.
final class MergeInbox: Sendable {
    struct News: Sendable {
        var saves: [HistoryTransaction] = []
        /// Another program has changed the store, and nothing says what.
        var isAnything = false
    }

    private let news = Mutex(News())
    private let isFilled = Atomic<Bool>(false)

    var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

    func add(_ saves: [HistoryTransaction]) {
        news.withLock { news in
            // Rows are read again when they are merged: what they were need not be kept.
            for var save in saves {
                for index in save.changes.indices {
                    save.changes[index].snapshot = nil
                    save.changes[index].before = nil
                }
                news.saves.append(save)
            }
            isFilled.store(true, ordering: .releasing)
        }
    }

    func addAnything() {
        news.withLock { news in
            news = News(saves: [], isAnything: true)
            isFilled.store(true, ordering: .releasing)
        }
    }

    func take() -> News {
        news.withLock { news in
            defer { news = News() }
            isFilled.store(false, ordering: .releasing)
            return news
        }
    }
}

extension ManagedObjectContext {
    /// Makes registered objects follow a save that another context, or a program, has made, under
    /// their own changes (`mergeChanges(fromContextDidSave:)`): what was updated is read again,
    /// what was deleted is deleted here. A context that is pinned moves on to the newest state.
    /// - Throws: `StoreError`.
    public func mergeChanges(fromContextDidSave save: HistoryTransaction) throws {
        try merge(save.changedObjectIDs(in: model))
    }

    /// As `mergeChanges(fromContextDidSave:)`, of identities
    /// (`mergeChanges(fromRemoteContextSave:into:)`).
    /// - Throws: `StoreError`.
    public func mergeChanges(fromRemoteContextSave identities: ChangedObjectIDs) throws {
        try merge(identities)
    }

    /// Takes part in the coordinator's broadcast, or leaves it.
    func followingChanged() {
        subscription?.cancel()
        subscription = nil
        inbox = nil
        ownSaves = []
        guard automaticallyMergesChangesFromParent, parent == nil else { return }
        let inbox = MergeInbox()
        self.inbox = inbox
        subscription = coordinator.broadcast.subscribe { saves in
            inbox.add(saves)
        } changedElsewhere: {
            inbox.addAnything()
        }
    }

    /// Merges what was saved since it was last asked; nothing is done where nothing was.
    func mergeNews() throws {
        guard let inbox, !inbox.isEmpty, !isMerging else { return }
        isMerging = true
        defer { isMerging = false }
        let news = inbox.take()
        if news.isAnything { try refreshAllObjects() }
        var all = ChangedObjectIDs()
        for save in news.saves where ownSaves.remove(save.number) == nil {
            all.formUnion(save.changedObjectIDs(in: model))
        }
        if all != ChangedObjectIDs() { try merge(all) }
    }

    /// Makes registered objects follow what has happened to those of these identities.
    func merge(_ changed: ChangedObjectIDs) throws {
        if parent == nil, openOperations == 0, writerReader == nil { dropView() }
        let wasJournaling = isJournaling
        isJournaling = false
        defer { isJournaling = wasJournaling }
        var objects: [ManagedObject] = []
        var gone: [ManagedObject] = []
        var unread: [Int: [Int64]] = [:]
        try inOneView {
            for id in changed.updated.union(changed.deleted).union(changed.inserted).sorted() {
                guard let object = known(id) else {
                    forgetMembers(of: id, &unread)
                    continue
                }
                if changed.deleted.contains(id) { gone.append(object) }
                if object.isDeleted, changed.deleted.contains(id) {
                    object.isGone = true
                    object.isTouched = false
                    forgetDeletion(of: object)
                    unregister(object)
                } else if object.isFault && !changed.deleted.contains(id) {
                    forgetMembers(of: id, &unread)
                } else if !object.isInserted {
                    objects.append(object)
                }
            }
            deleted.removeAll(where: \.isGone)
            try merge(into: objects)
            for (index, owners) in unread.sorted(by: { $0.key < $1.key }) {
                try refire(model.relationships[index], owners: owners)
            }
            if !changed.deleted.isEmpty { try dropLinks(toGone: changed.deleted) }
            try lookAgain(isJournaling: wasJournaling)
        }
        objects.removeAll(where: \.isDeleted)
        for object in objects { awake(object, .refresh) }
        var told = ChangedObjects()
        told.refreshed = objects
        told.deleted = gone
        post(told)
        post(.didMergeChanges(changed))
        for child in liveChildren where child.automaticallyMergesChangesFromParent {
            try child.merge(changed)
        }
    }

    /// Links of this context's own making that lead to or from what others have deleted are none.
    private func dropLinks(toGone gone: Set<ObjectID>) throws {
        for object in inserted + touched where !object.isDeleted {
            for relationship in plan(object.entity).toOnes {
                guard let key = object.key(in: relationship),
                    gone.contains(destinationID(relationship, key)),
                    object.before?.values[relationship.slot] != .key(key)
                else { continue }
                try leadToOne(relationship, of: object, to: nil)
            }
        }
        for (place, state) in toManys {
            if gone.contains(ownerID(place)) {
                toManys[place] = nil
                continue
            }
            let relationship = model.relationships[place.relationship]
            guard model.inverse(of: relationship)?.isToMany != false else { continue }
            for key in state.added where gone.contains(destinationID(relationship, key)) {
                toManys[place]?.rebase(key, isStored: false, isWanted: false)
            }
        }
    }

    /// What was read of to-manys of an object that is not read itself is read anew: at once where
    /// they have changes.
    private func forgetMembers(of id: ObjectID, _ unread: inout [Int: [Int64]]) {
        for toMany in model.entities[id.root..<model.entities[id.root].subtree.upperBound]
            .flatMap(\.toManys)
        {
            let place = ToManyID(relationship: toMany.index, owner: id.key)
            guard let state = toManys[place] else { continue }
            if state.hasChanges {
                unread[toMany.index, default: []].append(id.key)
            } else {
                toManys[place] = nil
            }
        }
    }
}

extension HistoryTransaction {
    /// The identities of what it changed.
    public func changedObjectIDs(in model: Model) -> ChangedObjectIDs {
        var found = ChangedObjectIDs()
        for change in changes where model.entities.indices.contains(change.entity) {
            let id = ObjectID(root: model.entities[change.entity].root, key: change.key)
            switch change.kind {
            case .insert: found.inserted.insert(id)
            case .update: found.updated.insert(id)
            case .delete: found.deleted.insert(id)
            }
        }
        return found
    }
}

extension ChangedObjectIDs {
    mutating func formUnion(_ other: ChangedObjectIDs) {
        inserted.formUnion(other.inserted)
        updated.formUnion(other.updated)
        deleted.formUnion(other.deleted)
        refreshed.formUnion(other.refreshed)
        invalidated.formUnion(other.invalidated)
    }
}

extension Set<ObjectID> {
    fileprivate func sorted() -> [ObjectID] {
        sorted { ($0.root, $0.key) < ($1.root, $1.key) }
    }
}
