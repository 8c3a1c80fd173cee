import SteleModel
import StelePersistence
import StelePredicates

/// Loads objects by ID: from the registry, the row cache, the store or the parent context.
final class ObjectLoader {
    /// The maximum number of faults that one query reads.
    private static let faultsAQuery = 1000

    let registry: ObjectRegistry
    let changes: ChangeSet
    let view: StoreView
    let model: Model
    let plans: [EntityPlan]
    let coordinator: PersistentStoreCoordinator
    /// The parent context, from which a child context reads.
    let parent: ManagedObjectContext?
    /// The context of the loaded objects. It is unowned because the context owns its loader and is
    /// kept alive by each call.
    private unowned let context: ManagedObjectContext
    /// The first error of reading a fault that could not be thrown to the caller.
    private var failure: (any Error)?
    /// The error of the first value that could not be set by a property. A save throws it.
    private var lostValue: ContextError?

    init(
        for context: ManagedObjectContext, registry: ObjectRegistry, changes: ChangeSet,
        view: StoreView
    ) {
        self.context = context
        self.registry = registry
        self.changes = changes
        self.view = view
        coordinator = context.persistentStoreCoordinator
        model = context.model
        plans = context.persistentStoreCoordinator.plans
        parent = context.parent
    }

    // MARK: Objects

    /// Implements `ManagedObjectContext.existingObject(with:)`.
    func existingObject(with id: ObjectID) throws -> ManagedObject? {
        if let object = registry[id] {
            if object.isFault { try fire(object) }
            return object.isDeleted ? nil : object
        }
        try check(id)
        guard !id.isTemporaryID || parent != nil, let snapshot = try snapshot(id) else {
            return nil
        }
        return object(from: snapshot)
    }

    /// Implements `ManagedObjectContext.object(with:)`.
    func object(with id: ObjectID) throws -> ManagedObject {
        if let object = registry[id] { return object }
        try check(id)
        let entity = model.entities[id.root]
        if entity.hasSubentities, let snapshot = try snapshot(id) { return object(from: snapshot) }
        let object = plans[entity].objectClass.init(
            ManagedObjectOrigin(
                entity: entity, id: id, isFault: true, values: [], before: nil, context: context))
        registry.add(object)
        return object
    }

    /// Checks that an ID's root is a root entity of the model.
    func check(_ id: ObjectID) throws(ContextError) {
        guard model.entities.indices.contains(id.root), model.entities[id.root].root == id.root
        else { throw .foreignIdentity(root: id.root, key: id.key) }
    }

    /// Implements `ManagedObjectContext.existingObjects(root:keys:)`.
    func existingObjects(root: Int, keys: [Int64]) throws -> [Int64: ManagedObject] {
        var found: [Int64: ManagedObject] = [:]
        found.reserveCapacity(keys.count)
        var missing: [Int64] = []
        for key in keys {
            if let object = registry[ObjectID(root: root, key: key)], !object.isFault {
                if !object.isDeleted { found[key] = object }
            } else if key > 0 || parent != nil {
                missing.append(key)
            }
        }
        if missing.isEmpty { return found }
        for (key, snapshot) in try snapshots(root: root, keys: missing) {
            let object = object(from: snapshot)
            if !object.isDeleted { found[key] = object }
        }
        return found
    }

    /// The destination of a relationship with the key.
    func destination(_ relationship: Relationship, _ key: Int64) throws -> ManagedObject? {
        try existingObject(with: model.destinationID(relationship, key))
    }

    /// The destinations of a relationship with the keys, read with one query.
    func destinations(
        _ relationship: Relationship, _ keys: [Int64]
    ) throws -> [Int64: ManagedObject] {
        try existingObjects(root: model.destination(of: relationship).root, keys: keys)
    }

    /// The registered destination of a relationship with the key. Nothing is read.
    func known(_ relationship: Relationship, _ key: Int64) -> ManagedObject? {
        registry[model.destinationID(relationship, key)]
    }

    /// Whether an object belongs to the context.
    func owns(_ object: ManagedObject) -> Bool { object.context === context }

    /// The existing objects with the keys, read with one query for each root entity.
    func existingObjects(_ keys: [Int: Set<Int64>]) throws -> [ManagedObject] {
        var found: [ManagedObject] = []
        for (root, keys) in keys.sorted(by: { $0.key < $1.key }) {
            found += try existingObjects(root: root, keys: keys.sorted()).values
        }
        return found
    }

    /// The objects with the snapshots' IDs, registered if they are not yet.
    func objects(from snapshots: [Snapshot]) -> [ManagedObject] {
        registry.reserve(snapshots.count)
        return snapshots.map(object(from:))
    }

    /// The object with the snapshot's ID, registered if it is not yet.
    func object(from snapshot: Snapshot) -> ManagedObject {
        let entity = model.entities[snapshot.entity]
        let id = ObjectID(root: entity.root, key: snapshot.key)
        if let known = registry[id] {
            if known.isFault { fill(known, with: snapshot) }
            return known
        }
        let plan = plans[entity]
        let row = completed(snapshot)
        let object = plan.objectClass.init(
            ManagedObjectOrigin(
                entity: entity, id: id, values: row.values, before: row, context: context)
        )
        registry.add(object)
        if plan.isSubclassed { awakeFromFetch(object) }
        return object
    }

    /// Inserts a new object.
    /// - Parameter before: the object's former state in the store, if any.
    func insert(
        _ entity: Entity, key: Int64, values: [Value], before: Snapshot? = nil
    ) -> ManagedObject {
        let object = plans[entity].objectClass.init(
            origin(of: entity, key: key, values: values, before: before))
        admit(object)
        return object
    }

    /// What a new object is made of.
    func origin(
        of entity: Entity, key: Int64, values: [Value], before: Snapshot? = nil
    ) -> ManagedObjectOrigin {
        ManagedObjectOrigin(
            entity: entity, id: ObjectID(root: entity.root, key: key), isInserted: true,
            values: values, before: before, context: context)
    }

    /// Registers a new object.
    func admit(_ object: ManagedObject) {
        registry.retain(object)
        changes.insert(object)
        changes.note(.inserted(object))
    }

    /// Registers a removed object again.
    func readmit(_ object: ManagedObject) {
        object.context = context
        registry.retain(object)
    }

    // MARK: Faults

    /// Implements `ManagedObjectContext.fire(_:)`.
    func fire(_ objects: [ManagedObject]) throws {
        var faults: [Int: [ManagedObject]] = [:]
        for object in objects where object.isFault && owns(object) {
            faults[object.objectID.root, default: []].append(object)
        }
        if faults.isEmpty { return }
        try view.inOneView {
            for (root, objects) in faults.sorted(by: { $0.key < $1.key }) {
                for start in stride(from: 0, to: objects.count, by: Self.faultsAQuery) {
                    let some = objects[start..<min(start + Self.faultsAQuery, objects.count)]
                    let found = try snapshots(root: root, keys: some.map(\.objectID.key))
                    for object in some where object.isFault {
                        fill(object, found[object.objectID.key])
                    }
                }
            }
        }
    }

    /// Reads a fault.
    func fire(_ object: ManagedObject) throws { fill(object, try snapshot(object.objectID)) }

    /// Reads a fault for a caller that cannot throw. The next save throws the error.
    func fireForGetter(_ object: ManagedObject) {
        do { try fire(object) } catch { noteFailure(error) }
    }

    private func fill(_ object: ManagedObject, _ snapshot: Snapshot?) {
        if let snapshot { fill(object, with: snapshot) } else { giveUp(object) }
    }

    private func fill(_ object: ManagedObject, with snapshot: Snapshot) {
        guard snapshot.entity == object.entity.index else { return giveUp(object) }
        object.take(completed(snapshot))
        object.isFault = false
        if plans[object.entity].isSubclassed { awakeFromFetch(object) }
    }

    /// A row with the defaults of what stores do not keep. A parent context has values of its own.
    private func completed(_ snapshot: Snapshot) -> Snapshot {
        parent == nil ? plans[snapshot.entity].completed(snapshot) : snapshot
    }

    /// Marks a fault that is not in the store as deleted, with null values
    /// (`shouldDeleteInaccessibleFaults`). It has no changes to save.
    private func giveUp(_ object: ManagedObject) {
        object.values = Array(repeating: .null, count: object.entity.slots.count)
        object.isFault = false
        object.isDeleted = true
        object.isGone = true
        registry.remove(object)
    }

    /// Turns an object without changes into a fault.
    func turnIntoFault(_ object: ManagedObject) {
        let isSubclassed = plans[object.entity].isSubclassed
        if isSubclassed { object.willTurnIntoFault() }
        object.values = []
        object.before = nil
        object.isFault = true
        object.isTouched = false
        if isSubclassed { object.didTurnIntoFault() }
    }

    // MARK: Errors for the next save

    /// Records a value that was set on an unreadable fault.
    func noteLostValue(of object: ManagedObject, _ slot: Int) {
        guard object.isFault, object.entity.slots.indices.contains(slot) else { return }
        lostValue =
            lostValue
            ?? .valueLost(
                entity: object.entity.name, key: object.objectID.key,
                property: object.entity.slots[slot].name)
    }

    /// Records a destination that could not be set.
    func noteUnsetDestination(of object: ManagedObject, _ relationship: String, _ error: any Error)
    {
        lostValue =
            lostValue
            ?? .destinationNotSet(
                entity: object.entity.name, key: object.objectID.key, relationship: relationship,
                reason: "\(error)")
    }

    /// Records an error of a getter, which cannot throw. The next save throws it.
    func noteFailure(_ error: any Error) { failure = failure ?? error }

    /// Checks that all faults could be read.
    /// - Throws: the error of an unreadable fault; for a save also `ContextError.valueLost`
    ///   and `.destinationNotSet`.
    func checkFaults(isSave: Bool) throws {
        if let failure { throw failure }
        if isSave, let lostValue { throw lostValue }
        // The parent's save would not know of it.
        if case .destinationNotSet? = lostValue, let lostValue { throw lostValue }
    }

    /// Forgets the errors of unreadable faults, which are read again on the next access.
    /// - Parameter lostValues: whether lost values are forgotten too.
    func forgetFailures(lostValues: Bool) {
        failure = nil
        if lostValues { lostValue = nil }
    }

    // MARK: Subclasses

    /// Calls `awakeFromFetch`. Values set in it are not changes.
    private func awakeFromFetch(_ object: ManagedObject) {
        changes.withoutJournaling {
            object.isTouched = true
            object.awakeFromFetch()
            object.isTouched = false
        }
    }

    /// Calls `awake(fromSnapshotEvents:)` if a subclass represents the entity.
    func awake(_ object: ManagedObject, _ event: SnapshotEventType) {
        if plans[object.entity].isSubclassed { object.awake(fromSnapshotEvents: event) }
    }
}
