/// From pending changes to one request, and from its result back to objects.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// Applies delete rules, validates, and saves in one request. Temporary identities become
    /// permanent and the objects are as stored. Where nothing changed there is no transaction.
    ///
    /// What is read next comes from a new view, which sees the save. Where the save meets what others
    /// have saved, `mergePolicy` says who wins.
    /// - Returns: the store's result; without changes one with the view's token alone.
    /// - Throws: `ValidationErrors`; `StoreError`, of which `.moved` and `.conflicts` ask for
    ///   another try with a new context; `ContextError.onWriter`, `.closed`.
    @discardableResult
    public func save() throws -> SaveResult {
        if isWriters { throw ContextError.onWriter }
        if let parent {
            try saveToParent(parent)
            return SaveResult(token: try token())
        }
        guard let request = try saveRequest() else { return SaveResult(token: try token()) }
        var result =
            mergePolicy == .error
            ? try coordinator.store.save(request) : try saveMerging(request)
        result.replacedKeys = replacedKeys(result.permanentKeys)
        // Where nothing was left to save, there is no transaction of its own.
        if inbox != nil, result.token > request.readToken { ownSaves.insert(result.token) }
        // Where nobody has saved since it first read, all that it knows is as its own save left it.
        if result.token == request.readToken + 1 { readFloor = result.token }
        didSave(result)
        return result
    }

    /// The request that `save` sends, after delete rules and validation; nil when nothing changed.
    /// - Throws: as `save`.
    public func saveRequest() throws -> SaveRequest? {
        try mergeNews()
        return try inOneView { try makeSaveRequest(isFirst: true) }
    }

    /// - Parameter isFirst: false where the same save is tried again: it was told of before.
    func makeSaveRequest(isFirst: Bool) throws -> SaveRequest? {
        try prepareSave(isFirst: isFirst)
        try completeMadeLinks()
        try leaveCutLinks()
        var updates: [(object: ManagedObject, slots: [Int])] = []
        for object in touched where !object.isDeleted {
            let slots = storedChanges(object)
            if !slots.isEmpty { updates.append((object, slots)) }
        }
        guard !updates.isEmpty || hasChangesBesideUpdates else { return nil }
        let links = try changedLinks()
        try validate(updates: updates.map(\.object), links: links)
        if coordinator.hasSubclasses {
            // Validation may have put other values in their place.
            updates = updates.map { ($0.object, storedChanges($0.object)) }
        }
        var builder = SaveRequestBuilder(self, links: links)
        try builder.build(updates: updates)
        return builder.request.changes.isEmpty ? nil : builder.request
    }

    /// The owners of changed to-manys with what changed, in the order of relationships and keys;
    /// loads those that are only known by a link's other end.
    func changedLinks() throws -> [ChangedLinks] {
        var places: [ToManyID] = []
        for (place, state) in toManys where state.hasChanges { places.append(place) }
        places.sort { ($0.relationship, $0.owner) < ($1.relationship, $1.owner) }
        var missing: [Int: [Int64]] = [:]
        for place in places {
            let id = ownerID(place)
            if known(id)?.isFault ?? true { missing[id.root, default: []].append(id.key) }
        }
        var loaded: [ObjectID: ManagedObject] = [:]
        for (root, keys) in missing {
            for object in try existingObjects(root: root, keys: keys).values {
                loaded[object.id] = object
            }
        }
        var found: [ChangedLinks] = []
        var index: [ObjectID: Int] = [:]
        for place in places {
            // A link to an object that is gone already, left by No Action or cut by others, has no
            // owner to tell.
            let id = ownerID(place)
            guard let owner = loaded[id] ?? known(id), !owner.isFault else {
                toManys[place] = nil
                continue
            }
            if let known = index[owner.id] {
                found[known].relationships.append(place.relationship)
            } else {
                index[owner.id] = found.count
                found.append(ChangedLinks(owner: owner, relationships: [place.relationship]))
            }
        }
        return found
    }

    /// Takes the result of a request that this context made (`saveRequest`), where somebody else
    /// has saved that: `PersistentStore.save(making:)`, or `save` with a completion. Objects and
    /// observers are told of the save. `save` does it by itself.
    public func didSave(_ result: SaveResult) {
        let saved = savedObjects()
        for object in deleted {
            object.isGone = true
            unregister(object)
        }
        takeKeys(result.permanentKeys)
        takeRows(result.changes)
        for object in touched { object.isTouched = false }
        forgetChanges()
        letGoOfUnchanged()
        for child in liveChildren {
            if !result.permanentKeys.isEmpty { child.rename(result.permanentKeys) }
            child.takeVersions(result.changes)
            child.inbox?.add(saved.identities)
        }
        dropView()
        tellDidSave(saved)
    }

    /// New objects are new no more, and have the keys that they got.
    private func takeKeys(_ keys: PermanentKeys) {
        for object in inserted {
            object.isInserted = false
            object.isTouched = false
            guard !object.isDeleted, let key = keys[object.id] else { continue }
            setRegistered(nil, for: object.id)
            if undoManager != nil { renamed.insert(key, for: object.id) }
            object.id = ObjectID(root: object.id.root, key: key)
            setRegistered(object, for: object.id)
        }
    }

    /// Objects are as they are stored now.
    private func takeRows(_ changes: [HistoryChange]) {
        // New objects come in the order in which they were made, which spares looking them up.
        var next = inserted[...]
        for case let row? in changes.lazy.map(\.snapshotAfter) {
            let object: ManagedObject
            if let first = next.first, first.id.key == row.key, first.entity.index == row.entity {
                object = first
                next = next.dropFirst()
            } else {
                let id = ObjectID(root: model.entities[row.entity].root, key: row.key)
                guard let known = known(id), !known.isFault else { continue }
                object = known
            }
            // What is transient stays, and counts as it is from here on.
            var row = row
            for slot in plan(object.entity).transientSlots { row.values[slot] = object.value(slot) }
            object.values = row.values
            object.before = row
            object.version = row.version
        }
    }
}

/// An object and its to-many relationships that changed, by index.
struct ChangedLinks {
    let owner: ManagedObject
    var relationships: [Int]
}
