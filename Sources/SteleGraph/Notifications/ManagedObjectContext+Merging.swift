/// Following what others save: told of it, or by itself.

import SteleModel
import StelePersistence
import SteleSystem

/// Saves that a context has not followed yet; filled on the broadcast's thread, or by its parent.
final class MergeInbox: Sendable {
    /// The most changes that are kept for a context that does nothing; beyond, it reads again all
    /// that it has.
    static let most = 10_000

    struct News: Sendable {
        /// By the transaction's number; 0 for one of a parent.
        var saves: [(number: Int64, changed: ChangedObjectIDs)] = []
        /// How many changes those are of.
        var count = 0
        /// Too much to tell, or another program has changed the store and nothing says what.
        var isAnything = false

        mutating func add(_ number: Int64, _ count: Int, _ changed: () -> ChangedObjectIDs) {
            if isAnything { return }
            self.count += count
            if self.count > MergeInbox.most {
                self = News(isAnything: true)
            } else {
                saves.append((number, changed()))
            }
        }
    }

    private let model: Model
    private let news = Mutex(News())
    private let isFilled = Atomic<Bool>(false)

    init(_ model: Model) { self.model = model }

    var isEmpty: Bool { !isFilled.load(ordering: .acquiring) }

    private func fill(_ work: (inout News) -> Void) {
        news.withLock { news in
            work(&news)
            isFilled.store(true, ordering: .releasing)
        }
    }

    func add(_ saves: [HistoryTransaction]) {
        fill { news in
            for save in saves {
                news.add(save.number, save.changes.count) { save.changedObjectIDs(in: model) }
            }
        }
    }

    /// A save of the parent.
    func add(_ changed: ChangedObjectIDs) { fill { $0.add(0, changed.all.count) { changed } } }

    func addAnything() { fill { $0 = News(isAnything: true) } }

    func take() -> News {
        news.withLock { news in
            defer { news = News() }
            isFilled.store(false, ordering: .releasing)
            return news
        }
    }

    /// What could not be merged is to be merged yet, before all that has come meanwhile.
    func putBack(_ older: News) {
        fill { news in
            let newer = news
            news = older
            if newer.isAnything { news = newer }
            for save in newer.saves {
                news.add(save.number, save.changed.all.count) { save.changed }
            }
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
    /// - Throws: `StoreError`; `ContextError.foreignIdentity`.
    public func mergeChanges(fromRemoteContextSave identities: ChangedObjectIDs) throws {
        for id in identities.all { try check(id) }
        try merge(identities)
    }

    /// Takes part in the coordinator's broadcast, or leaves it. A child is told by its parent.
    func followingChanged() {
        subscription?.cancel()
        subscription = nil
        inbox = nil
        ownSaves = []
        guard automaticallyMergesChangesFromParent else { return }
        let inbox = MergeInbox(model)
        self.inbox = inbox
        if parent != nil { return }
        subscription = coordinator.broadcast.subscribe { saves in
            inbox.add(saves)
        } changedElsewhere: {
            inbox.addAnything()
        }
    }

    /// Merges what was saved since it was last asked; nothing is done where nothing was. Within an
    /// operation that has read already it waits: that view does not see what is new.
    /// - Throws: `StoreError`; what was not merged is merged the next time.
    func mergeNews() throws {
        guard let inbox, !inbox.isEmpty, !isMerging else { return }
        guard parent != nil || openOperations == 0 || openView == nil else { return }
        isMerging = true
        defer { isMerging = false }
        var news = inbox.take()
        news.saves.removeAll { ownSaves.remove($0.number) != nil }
        do {
            if news.isAnything {
                try refreshAllObjects()
                ownSaves = []
            }
            var all = ChangedObjectIDs()
            for save in news.saves { all.formUnion(save.changed) }
            if all != ChangedObjectIDs() { try merge(all) }
        } catch {
            inbox.putBack(news)
            throw error
        }
    }

    /// Makes registered objects follow what has happened to those of these identities.
    func merge(_ changed: ChangedObjectIDs) throws {
        // A deletion's rules are about what it led to here, which is what the store says afterwards.
        try processDeletions()
        if parent == nil, openOperations == 0, writerReader == nil { dropView() }
        var objects: [ManagedObject] = []
        try inOneView {
            try withoutJournaling {
                objects = try follow(changed)
                try forgetWhatWasSeen()
            }
            try lookAgain()
        }
        // Who was deleted and is there again, by an undo or a merge policy, is not gone.
        let gone = objects.filter(\.isGone)
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

    /// - Returns: those that are known here.
    private func follow(_ changed: ChangedObjectIDs) throws -> [ManagedObject] {
        var objects: [ManagedObject] = []
        var unread: [Int: [Int64]] = [:]
        try meetInsertions(of: changed.inserted)
        for id in changed.all.sorted() {
            guard let object = known(id) else {
                forgetMembers(of: id, &unread)
                continue
            }
            if object.isFault && !changed.deleted.contains(id) {
                forgetMembers(of: id, &unread)
            } else if !object.isInserted {
                objects.append(object)
            }
        }
        try merge(into: objects)
        for (index, owners) in unread.sorted(by: { $0.key < $1.key }) {
            try refire(model.relationships[index], owners: owners)
        }
        let goneIDs = try linkedAndGone(changed.deleted)
        if !goneIDs.isEmpty { try dropLinks(toGone: goneIDs) }
        return objects
    }

    /// Two contexts may each insert again what was deleted. Here it is a change then of what the
    /// store has, or the deletion of it.
    func meetInsertions(of ids: Set<ObjectID>) throws {
        let again = inserted.filter { $0.reinserted != nil && ids.contains($0.id) }
        for (root, objects) in Dictionary(grouping: again, by: \.id.root) {
            let rows = try snapshots(root: root, keys: objects.map(\.id.key))
            for object in objects where rows[object.id.key]?.entity == object.entity.index {
                // What it was when it was deleted is what it is compared with from now on.
                object.isInserted = false
                object.isTouched = true
                inserted.removeAll { $0 === object }
                touched.append(object)
                if object.isDeleted { deleted.append(object) }
            }
        }
    }

    /// Whoever of these is to be inserted again here, and was by others meanwhile, is as the store
    /// has him by now, and linked as he is there, under what has changed here since he was deleted.
    func meetStored(_ objects: [ManagedObject]) throws {
        let back = objects.filter { $0.reinserted != nil }
        if back.isEmpty { return }
        try withoutJournaling {
            try meetInsertions(of: Set(back.map(\.id)))
            try merge(into: back.filter { !$0.isInserted && known($0.id) === $0 })
        }
    }

    /// Of what others have deleted, all that is linked here and has not been inserted again since,
    /// by an undo or a merge policy.
    private func linkedAndGone(_ deleted: Set<ObjectID>) throws -> Set<ObjectID> {
        if deleted.isEmpty { return [] }
        var linked: Set<ObjectID> = []
        for object in inserted + touched {
            for relationship in plan(object.entity).toOnes {
                guard let key = object.key(in: relationship) else { continue }
                linked.insert(destinationID(relationship, key))
            }
        }
        for (place, state) in toManys {
            linked.insert(ownerID(place))
            let relationship = model.relationships[place.relationship]
            for key in state.added { linked.insert(destinationID(relationship, key)) }
        }
        var gone = linked.intersection(deleted).filter { known($0)?.isDeleted ?? true }
        for (root, ids) in Dictionary(grouping: gone, by: \.root) {
            for key in try snapshots(root: root, keys: ids.map(\.key)).keys {
                gone.remove(ObjectID(root: root, key: key))
            }
        }
        return gone
    }

    /// Links of this context's own making that lead to or from what others have deleted are none.
    func dropLinks(toGone gone: Set<ObjectID>) throws {
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
    /// Of what was saved; those that were refreshed or let go of are not among them.
    fileprivate var all: Set<ObjectID> { inserted.union(updated).union(deleted) }

    mutating func formUnion(_ other: ChangedObjectIDs) {
        inserted.formUnion(other.inserted)
        updated.formUnion(other.updated)
        deleted.formUnion(other.deleted)
        refreshed.formUnion(other.refreshed)
        invalidated.formUnion(other.invalidated)
    }
}

extension Set<ObjectID> {
    func sorted() -> [ObjectID] {
        sorted { ($0.root, $0.key) < ($1.root, $1.key) }
    }
}
