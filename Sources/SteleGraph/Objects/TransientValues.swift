// Transient values of rows that are read without a context.

import SteleModel
import StelePersistence

extension PersistentStoreCoordinator {
    /// Whether a class can set transient attributes of the entity with that index.
    package func computesTransients(_ entity: Int) -> Bool { plans[entity].computesTransients }

    /// Whether that holds for an entity of the model.
    package var computesTransients: Bool { plans.contains(where: \.computesTransients) }

    /// A row with the transient values that its class sets in `awakeFromFetch`. The object belongs
    /// to no context, so that its relationships are empty.
    package func computingTransients(of row: Snapshot) -> Snapshot {
        let plan = plans[row.entity]
        guard plan.computesTransients, row.values.count == plan.defaults.count else { return row }
        let entity = model.entities[row.entity]
        let object = plan.objectClass.init(
            ManagedObjectOrigin(
                entity: entity, id: ObjectID(root: entity.root, key: row.key),
                values: plan.completed(row).values,
                before: row, context: nil))
        object.awakeFromFetch()
        var row = row
        for slot in plan.transientSlots { row.values[slot] = object.value(slot) }
        return row
    }
}
