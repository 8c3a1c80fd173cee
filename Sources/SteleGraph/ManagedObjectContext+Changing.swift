/// New objects, deleted ones, and whether there is anything to save.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// A new object with the entity's defaults and a temporary identity (`insertNewObject`).
    /// - Throws: `ContextError.abstractEntity`, `.closed`.
    public func insert(_ entity: Entity) throws -> ManagedObject {
        if entity.isAbstract { throw ContextError.abstractEntity(entity.name) }
        try checkOpen()
        let plan = plan(entity)
        let object = plan.objectClass.init(
            ManagedObjectOrigin(inserted: entity, key: newKey(), values: plan.defaults, self))
        setRegistered(object, for: object.id)
        inserted.append(object)
        if isJournaling { journal.append(.inserted(object)) }
        if plan.isSubclassed { object.awakeFromInsert() }
        return object
    }

    /// Marks an object as deleted; its delete rules are applied by `processPendingChanges`.
    /// Nothing happens to one that is deleted already. A fault is read first.
    /// - Throws: `ContextError.foreignObject`; for a fault `StoreError`.
    public func delete(_ object: ManagedObject) throws {
        guard object.context === self else { throw ContextError.foreignObject }
        if object.isFault { try fire(object) }
        if object.isGone { return }
        if plan(object.entity).isSubclassed { object.prepareForDeletion() }
        if object.isDeleted { return }
        object.isDeleted = true
        if isJournaling { journal.append(.deleted(object)) }
        undecided.append(object)
        if !object.isInserted { deleted.append(object) }
    }

    /// Whether there is anything to save: a change that was taken back is none.
    public var hasChanges: Bool {
        hasChangesBesideUpdates
            || touched.contains { !$0.isDeleted && !storedChanges($0).isEmpty }
    }

    /// Whether objects are new or deleted, or links changed.
    var hasChangesBesideUpdates: Bool {
        !deleted.isEmpty || inserted.contains { !$0.isDeleted }
            || toManys.values.contains { $0.hasChanges }
    }

    /// The changed slots that are stored; transient and derived attributes are not.
    func storedChanges(_ object: ManagedObject) -> [Int] {
        let unsaved = plan(object.entity).unsavedSlots
        let changed = object.changedSlots
        return unsaved.isEmpty ? changed : changed.filter { !unsaved.contains($0) }
    }

    /// Whether anything may have changed: less to look at than `hasChanges`.
    var mayHaveChanges: Bool {
        !inserted.isEmpty || !touched.isEmpty || !deleted.isEmpty
            || toManys.values.contains { $0.hasChanges }
    }

    func hasToManyChanges(_ object: ManagedObject) -> Bool {
        object.entity.toManys.contains { relationship in
            let place = ToManyID(relationship: relationship.index, owner: object.id.key)
            return toManys[place]?.hasChanges ?? false
        }
    }
}
