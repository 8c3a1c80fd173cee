/// What a context reads: objects that are registered, and plain snapshots that are not.

import SteleModel
import StelePersistence
import StelePredicates

extension ManagedObjectContext {
    // MARK: Objects

    /// The object of that identity: the registered one, else from the row cache or the store; nil
    /// where there is none, or where it is deleted here (`existingObject(with:)`).
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func existingObject(with id: ObjectID) throws -> ManagedObject? {
        if let object = registered[id] { return object.isDeleted ? nil : object }
        guard !id.isTemporary, let snapshot = try snapshot(id) else { return nil }
        return register(snapshot)
    }

    /// The objects of those keys that exist, by key; one query for what the row cache lacks.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func existingObjects(root: Int, keys: [Int64]) throws -> [Int64: ManagedObject] {
        var found: [Int64: ManagedObject] = [:]
        found.reserveCapacity(keys.count)
        var missing: [Int64] = []
        for key in keys {
            if let object = registered[ObjectID(root: root, key: key)] {
                if !object.isDeleted { found[key] = object }
            } else if key > 0 {
                missing.append(key)
            }
        }
        if missing.isEmpty { return found }
        for (key, snapshot) in try snapshots(root: root, keys: missing) {
            found[key] = register(snapshot)
        }
        return found
    }

    /// The object of that key, where it is of that entity or a subentity.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func object(entity: Entity, key: Int64) throws -> ManagedObject? {
        let object = try existingObject(with: ObjectID(root: entity.root, key: key))
        return object.flatMap { entity.isKind($0.entity.index) ? $0 : nil }
    }

    /// The objects that match in the store, in the request's order; those deleted here are left
    /// out, those changed here have their changes.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func fetch(_ request: FetchRequest) throws -> [ManagedObject] {
        try snapshots(request).compactMap { snapshot in
            let object = register(snapshot)
            return object.isDeleted ? nil : object
        }
    }

    /// The one object of the snapshot's identity.
    func register(_ snapshot: Snapshot) -> ManagedObject {
        let entity = model.entities[snapshot.entity]
        let id = ObjectID(root: entity.root, key: snapshot.key)
        if let known = registered[id] { return known }
        let object = plan(entity).objectClass.init(ManagedObjectOrigin(snapshot, entity, self))
        registered[id] = object
        return object
    }

    // MARK: Snapshots, as stored

    /// The object as the store has it; through the row cache.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func snapshot(_ id: ObjectID) throws -> Snapshot? {
        if let known = try cachedAlone(id) { return known }
        let view = try view()
        guard let cacheView = view.cache else { return try view.reader.snapshot(id) }
        let cache = coordinator.cache
        if let known = cache.snapshot(id, in: cacheView) { return known }
        guard let read = try view.reader.snapshot(id) else { return nil }
        cache.put(read, root: id.root, from: cacheView)
        return read
    }

    /// Those of the keys that exist, by key; one query for what the row cache lacks.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func snapshots(root: Int, keys: [Int64]) throws -> [Int64: Snapshot] {
        let view = try view()
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

    /// The objects that match, in the request's order. Lists are not kept in the row cache.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func snapshots(_ request: FetchRequest) throws -> [Snapshot] {
        try reader().fetch(request)
    }

    /// The rows of a dictionary result.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func rows(_ request: FetchRequest) throws -> [[Value]] {
        try reader().fetchRows(request)
    }

    /// How many match.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func count(_ request: FetchRequest) throws -> Int { try reader().count(request) }

    /// The members of a to-many in the store, for each owner that has any.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func memberKeys(
        of relationship: Relationship, owners: [Int64]
    ) throws -> [Int64: [Int64]] {
        try reader().members(of: relationship, owners: owners)
    }

    /// As `memberKeys`, with the members' values.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws -> [(owner: Int64, member: Snapshot)] {
        try reader().memberSnapshots(of: relationship, owners: owners)
    }
}
