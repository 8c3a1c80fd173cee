/// Faults: objects whose values are read when one is asked for, alone or many at once.

import SteleModel
import StelePersistence
import StelePredicates

extension ManagedObjectContext {
    /// The most faults that one query reads.
    static let faultsAQuery = 1000

    /// Reads the values of those that are faults: one query for a thousand of one family at most.
    /// Those that are not in the store any more are deleted here, with all values null.
    /// - Throws: `StoreError`, `ContextError.closed`; those read before stay read.
    public func fire(_ objects: [ManagedObject]) throws {
        var faults: [Int: [ManagedObject]] = [:]
        for object in objects where object.isFault && object.context === self {
            faults[object.id.root, default: []].append(object)
        }
        if faults.isEmpty { return }
        try inOneView {
            for (root, objects) in faults.sorted(by: { $0.key < $1.key }) {
                for start in stride(from: 0, to: objects.count, by: Self.faultsAQuery) {
                    let some = objects[start..<min(start + Self.faultsAQuery, objects.count)]
                    let found = try snapshots(root: root, keys: some.map(\.id.key))
                    for object in some where object.isFault {
                        if let snapshot = found[object.id.key] {
                            fill(object, with: snapshot)
                        } else {
                            giveUp(object)
                        }
                    }
                }
            }
        }
    }

    /// Reads one fault.
    func fire(_ object: ManagedObject) throws {
        if let snapshot = try snapshot(object.id) {
            fill(object, with: snapshot)
        } else {
            giveUp(object)
        }
    }

    /// Gives a fault the values that were read.
    func fill(_ object: ManagedObject, with snapshot: Snapshot) {
        guard snapshot.entity == object.entity.index else { return giveUp(object) }
        object.values = snapshot.values
        object.before = snapshot
        object.version = snapshot.version
        object.isFault = false
        if plan(object.entity).isSubclassed { awakeFromFetch(object) }
    }

    /// A fault that is not in the store is deleted, and all its values are null
    /// (`shouldDeleteInaccessibleFaults`). There is nothing to save of it.
    private func giveUp(_ object: ManagedObject) {
        object.values = Array(repeating: .null, count: object.entity.slots.count)
        object.isFault = false
        object.isDeleted = true
        object.isGone = true
        unregister(object)
    }

    /// Makes an object a fault that has nothing to lose.
    func turnIntoFault(_ object: ManagedObject) {
        let isSubclassed = plan(object.entity).isSubclassed
        if isSubclassed { object.willTurnIntoFault() }
        object.values = []
        object.before = nil
        object.isFault = true
        object.isTouched = false
        if isSubclassed { object.didTurnIntoFault() }
    }

    /// Reads what relationships lead to, so that following them asks the store nothing: one query
    /// for each relationship of each path (`relationshipKeyPathsForPrefetching`).
    ///
    /// To-many relationships know their members afterwards. The members' rows are in the row cache
    /// where this context does not keep its objects.
    /// - Parameter paths: names of relationships with dots between, such as `team.league`.
    /// - Throws: `PredicateError` for a path that is none; `StoreError`, `ContextError.closed`.
    public func prefetch(_ paths: [String], for objects: [ManagedObject]) throws {
        var groups: [Int: [ManagedObject]] = [:]
        for object in objects { groups[object.entity.index, default: []].append(object) }
        try inOneView {
            for path in paths {
                for (entity, objects) in groups.sorted(by: { $0.key < $1.key }) {
                    let steps = try KeyPathResolution.relationships(
                        path, from: model.entities[entity], in: model)
                    try prefetch(steps, for: objects)
                }
            }
        }
    }

    private func prefetch(_ steps: [Relationship], for objects: [ManagedObject]) throws {
        var reached = objects
        for relationship in steps {
            try fire(reached)
            var seen = Set<Int64>()
            let owners = reached.filter { !$0.isDeleted && seen.insert($0.id.key).inserted }
            reached =
                relationship.isToMany
                ? try prefetchMembers(relationship, of: owners)
                : try prefetchDestinations(relationship, of: owners)
        }
    }

    private func prefetchDestinations(
        _ relationship: Relationship, of owners: [ManagedObject]
    ) throws -> [ManagedObject] {
        let keys = Set(owners.compactMap { $0.key(in: relationship) })
        let root = model.destination(of: relationship).root
        return Array(try existingObjects(root: root, keys: keys.sorted()).values)
    }

    /// One query gives the members and their values.
    private func prefetchMembers(
        _ relationship: Relationship, of owners: [ManagedObject]
    ) throws -> [ManagedObject] {
        let places = owners.map {
            ToManyID(relationship: relationship.index, owner: $0.id.key)
        }
        let unread = places.filter { !isNew($0) && toManys[$0]?.isFault ?? true }.map(\.owner)
        let root = model.destination(of: relationship).root
        var members: [Int64: [Int64]] = [:]
        var reached: [ManagedObject] = []
        for (owner, snapshot) in try memberSnapshots(of: relationship, owners: unread) {
            members[owner, default: []].append(snapshot.key)
            keep(snapshot, root: root)
            reached.append(register(snapshot))
        }
        for owner in unread {
            takeStored(members[owner] ?? [], relationship, of: owner)
        }
        let keys = places.flatMap { toManys[$0]?.members(ordered: false) ?? [] }
        reached += try existingObjects(root: root, keys: Set(keys).sorted()).values
        return reached
    }

    /// Puts a row into the row cache.
    private func keep(_ snapshot: Snapshot, root: Int) {
        if let parent { return parent.keep(snapshot, root: root) }
        guard !retainsRegisteredObjects, let cacheView = openView?.cache else { return }
        coordinator.cache.put(snapshot, root: root, from: cacheView)
    }
}

extension ManagedObject {
    /// A fault's value, read now; see `value(_:)` for what comes of a failure.
    final func firedValue(_ slot: Int) -> Value {
        guard let context else { return .null }
        do { try context.fire(self) } catch {
            context.faultError = context.faultError ?? error
            return .null
        }
        return values.indices.contains(slot) ? values[slot] : .null
    }
}
