import SteleModel
import StelePersistence
import StelePredicates

extension ObjectLoader {
    /// Implements `ManagedObjectContext.snapshot(_:)`.
    func snapshot(_ id: ObjectID) throws -> Snapshot? {
        if let parent {
            try view.checkOpen()
            return try parent.existingObject(with: id).map(parent.currentSnapshot)
        }
        if let known = try view.cachedSnapshot(id) { return known }
        return try view.read { view in
            guard let cacheView = view.cache else { return try view.reader.snapshot(id) }
            let cache = coordinator.cache
            if let known = cache.snapshot(id, in: cacheView) { return known }
            guard let read = try view.reader.snapshot(id) else { return nil }
            cache.put(read, root: id.root, from: cacheView)
            return read
        }
    }

    /// Implements `ManagedObjectContext.snapshots(root:keys:)`.
    func snapshots(root: Int, keys: [Int64]) throws -> [Int64: Snapshot] {
        if let parent {
            try view.checkOpen()
            return try parent.existingObjects(root: root, keys: keys)
                .mapValues(parent.currentSnapshot)
        }
        return try view.read { view in
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

    /// Implements `ManagedObjectContext.currentSnapshot(_:)`.
    func currentSnapshot(_ object: ManagedObject) -> Snapshot {
        var current = object.snapshot
        if !changes.hasDeletions { return current }
        for relationship in plans[object.entity].toOnes {
            guard case .key(let key) = current.values[relationship.slot],
                registry[model.destinationID(relationship, key)]?.isDeleted == true
            else { continue }
            current.values[relationship.slot] = .null
        }
        return current
    }

    /// The rows of objects by ID, with one query for each root entity.
    func snapshots(of objects: [ManagedObject]) throws -> [ObjectID: Snapshot] {
        var rows: [ObjectID: Snapshot] = [:]
        for (root, objects) in Dictionary(grouping: objects, by: \.objectID.root) {
            for (key, row) in try snapshots(root: root, keys: objects.map(\.objectID.key)) {
                rows[ObjectID(root: root, key: key)] = row
            }
        }
        return rows
    }

    /// Implements `ManagedObjectContext.snapshots(_:)`.
    func snapshots(_ request: FetchRequest) throws -> [Snapshot] {
        guard request.isChecked else { return try snapshots(request.checked(in: model)) }
        if let parent {
            try view.checkOpen()
            return try parent.fetch(request).map(parent.currentSnapshot)
        }
        return try view.read { try $0.reader.fetch(request) }
    }

    /// Implements `ManagedObjectContext.memberKeys(of:owners:)`.
    func memberKeys(
        of relationship: Relationship, owners: [Int64]
    ) throws -> [Int64: [Int64]] {
        if let parent {
            try view.checkOpen()
            return try parent.toManys.currentMembers(of: relationship, owners: owners)
        }
        return try view.read { try $0.reader.members(of: relationship, owners: owners) }
    }

    /// Implements `ManagedObjectContext.memberSnapshots(of:owners:)`.
    func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws -> [(owner: Int64, member: Snapshot)] {
        guard parent != nil else {
            return try view.read {
                try $0.reader.memberSnapshots(of: relationship, owners: owners)
            }
        }
        let keys = try memberKeys(of: relationship, owners: owners)
        let root = model.destination(of: relationship).root
        let all = try snapshots(root: root, keys: Set(keys.values.joined()).sorted())
        return owners.flatMap { owner in
            (keys[owner] ?? []).compactMap { all[$0] }.map { (owner: owner, member: $0) }
        }
    }

    /// Puts a row into the row cache if the root context does not retain its objects.
    func keep(_ snapshot: Snapshot, root: Int) {
        if let parent { return parent.loader.keep(snapshot, root: root) }
        guard !registry.retainsAll, let cacheView = view.openCache else { return }
        coordinator.cache.put(snapshot, root: root, from: cacheView)
    }
}
