/// New objects, deleted ones, and whether there is anything to save.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// A new object with the entity's defaults and a temporary identity (`insertNewObject`).
    /// - Throws: `ContextError.abstractEntity`, `.closed`.
    public func insert(_ entity: Entity) throws -> ManagedObject {
        if entity.isAbstract { throw ContextError.abstractEntity(entity.name) }
        try checkOpen()
        let key = nextKey
        nextKey -= 1
        let plan = plan(entity)
        let object = plan.objectClass.init(
            ManagedObjectOrigin(inserted: entity, key: key, values: plan.defaults, self))
        registered[object.id] = object
        inserted.append(object)
        return object
    }

    /// Marks an object as deleted; its delete rules are applied by `processPendingChanges`.
    /// Nothing happens to one that is deleted already.
    /// - Throws: `ContextError.foreignObject`.
    public func delete(_ object: ManagedObject) throws {
        guard object.context === self else { throw ContextError.foreignObject }
        if object.isDeleted { return }
        object.isDeleted = true
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

    /// The changed slots that are stored; transient attributes are not.
    func storedChanges(_ object: ManagedObject) -> [Int] {
        let transient = plan(object.entity).transientSlots
        let changed = object.changedSlots
        return transient.isEmpty ? changed : changed.filter { !transient.contains($0) }
    }

    func hasToManyChanges(_ object: ManagedObject) -> Bool {
        object.entity.toManys.contains { relationship in
            let place = ToManyID(relationship: relationship.index, owner: object.id.key)
            return toManys[place]?.hasChanges ?? false
        }
    }
}
