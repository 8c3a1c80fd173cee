/// What a context reads: objects that are registered, and plain snapshots that are not.

import SteleModel
import StelePersistence
import StelePredicates

extension ManagedObjectContext {
    // MARK: Objects

    /// The object of that identity: the registered one, else from the row cache or the store; nil
    /// where there is none, or where it is deleted here (`existingObject(with:)`).
    /// - Throws: `StoreError`, `ContextError.closed`, `.foreignIdentity`.
    public func existingObject(with id: ObjectID) throws -> ManagedObject? {
        if let object = known(id) {
            if object.isFault { try fire(object) }
            return object.isDeleted ? nil : object
        }
        try check(id)
        guard !id.isTemporary || parent != nil, let snapshot = try snapshot(id) else { return nil }
        return register(snapshot)
    }

    /// The object of that identity, read or not: a fault where it is not known and its entity has
    /// no subentities, one of which it might be (`object(with:)`). A fault need not be in the store;
    /// it is found out when it is read.
    /// - Throws: `StoreError`, `ContextError.closed`, `.foreignIdentity`.
    public func object(with id: ObjectID) throws -> ManagedObject {
        if let object = known(id) { return object }
        try check(id)
        let entity = model.entities[id.root]
        if entity.hasSubentities, let snapshot = try snapshot(id) { return register(snapshot) }
        return registerFault(id, entity)
    }

    /// An identity names a family of this model's entities by its root.
    func check(_ id: ObjectID) throws(ContextError) {
        guard model.entities.indices.contains(id.root), model.entities[id.root].root == id.root
        else { throw .foreignIdentity(root: id.root, key: id.key) }
    }

    /// The objects of those keys that exist, by key; one query for what the row cache lacks.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func existingObjects(root: Int, keys: [Int64]) throws -> [Int64: ManagedObject] {
        var found: [Int64: ManagedObject] = [:]
        found.reserveCapacity(keys.count)
        var missing: [Int64] = []
        for key in keys {
            if let object = known(ObjectID(root: root, key: key)), !object.isFault {
                if !object.isDeleted { found[key] = object }
            } else if key > 0 || parent != nil {
                missing.append(key)
            }
        }
        if missing.isEmpty { return found }
        for (key, snapshot) in try snapshots(root: root, keys: missing) {
            let object = register(snapshot)
            if !object.isDeleted { found[key] = object }
        }
        return found
    }

    /// The object of that key, where it is of that entity or a subentity.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func object(entity: Entity, key: Int64) throws -> ManagedObject? {
        let object = try existingObject(with: ObjectID(root: entity.root, key: key))
        return object.flatMap { entity.isKind($0.entity.index) ? $0 : nil }
    }

    // MARK: Snapshots, as stored

    /// The object as the store has it, or the parent where there is one; through the row cache.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func snapshot(_ id: ObjectID) throws -> Snapshot? {
        if let parent {
            try checkOpen()
            return try parent.existingObject(with: id)?.snapshot
        }
        if let known = try cachedAlone(id) { return known }
        return try read { view in
            guard let cacheView = view.cache else { return try view.reader.snapshot(id) }
            let cache = coordinator.cache
            if let known = cache.snapshot(id, in: cacheView) { return known }
            guard let read = try view.reader.snapshot(id) else { return nil }
            cache.put(read, root: id.root, from: cacheView)
            return read
        }
    }

    /// Those of the keys that exist, by key; one query for what the row cache lacks.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func snapshots(root: Int, keys: [Int64]) throws -> [Int64: Snapshot] {
        if let parent {
            try checkOpen()
            return try parent.existingObjects(root: root, keys: keys).mapValues(\.snapshot)
        }
        return try read { view in
            var found: [Int64: Snapshot] = [:]
            found.reserveCapacity(keys.count)
            var missing: [Int64] = []
            let cache = coordinator.cache
            for key in keys {
                if let cacheView = view.cache,
                    let known = cache.snapshot(ObjectID(root: root, key: key), in: cacheView)
                {
                    found[key] = known
                } else {
                    missing.append(key)
                }
            }
            if missing.isEmpty { return found }
            for read in try view.reader.snapshots(root: root, keys: missing) {
                found[read.key] = read
                if let cacheView = view.cache { cache.put(read, root: root, from: cacheView) }
            }
            return found
        }
    }

    /// The objects that match in the store, or in the parent where there is one, in the request's
    /// order. Lists are not kept in the row cache.
    /// - Throws: as `fetch`.
    public func snapshots(_ request: FetchRequest) throws -> [Snapshot] {
        guard request.isChecked else { return try snapshots(request.checked(in: model)) }
        if let parent {
            try checkOpen()
            return try parent.fetch(request).map(\.snapshot)
        }
        return try read { try $0.reader.fetch(request) }
    }

    /// The rows of a dictionary result: always of what is saved, as in Core Data.
    /// - Throws: as `fetch`.
    public func rows(_ request: FetchRequest) throws -> [[Value]] {
        guard request.isChecked else { return try rows(request.checked(in: model)) }
        return try read { try $0.reader.fetchRows(request) }
    }

    /// The members of a to-many in the store, or in the parent, for each owner that has any.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func memberKeys(
        of relationship: Relationship, owners: [Int64]
    ) throws -> [Int64: [Int64]] {
        if let parent {
            try checkOpen()
            return try parent.currentMembers(of: relationship, owners: owners)
        }
        return try read { try $0.reader.members(of: relationship, owners: owners) }
    }

    /// As `memberKeys`, with the members' values.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws -> [(owner: Int64, member: Snapshot)] {
        guard parent != nil else {
            return try read { try $0.reader.memberSnapshots(of: relationship, owners: owners) }
        }
        let keys = try memberKeys(of: relationship, owners: owners)
        let root = model.destination(of: relationship).root
        let all = try snapshots(root: root, keys: Set(keys.values.joined()).sorted())
        return owners.flatMap { owner in
            (keys[owner] ?? []).compactMap { all[$0] }.map { (owner: owner, member: $0) }
        }
    }
}
