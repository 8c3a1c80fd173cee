/// An object of the graph: one an identity in its context.

import SteleModel
import StelePersistence

/// An object with its values and pending changes (NSManagedObject).
///
/// Not Sendable: it belongs to its context, and with it to one thread. Objects of an entity are of
/// the subclass that is registered for it (`PersistentStoreCoordinator.init`).
open class ManagedObject {
    /// The concrete entity.
    public final let entity: Entity
    /// Its identity; permanent after the first save.
    public internal(set) final var id: ObjectID
    /// Z_OPT as read; 0 before the first save.
    public internal(set) final var version: Int64
    /// Whether it is new in its context.
    public internal(set) final var isInserted: Bool
    /// Whether it is deleted in its context.
    public internal(set) final var isDeleted = false
    final weak var context: ManagedObjectContext?
    final var values: [Value]
    /// As it was read; nil for a new object.
    final var before: Snapshot?
    /// Whether its context knows that it may have changed.
    final var isTouched = false

    /// Made by a context; a subclass inherits it and need not know what it does.
    public required init(_ origin: ManagedObjectOrigin) {
        entity = origin.entity
        id = origin.id
        version = origin.before?.version ?? 0
        isInserted = origin.isInserted
        values = origin.values
        before = origin.before
        context = origin.context
    }

    /// Whether it is in the store and has changes that are not saved (to-manys among them).
    public final var isUpdated: Bool {
        guard !isInserted && !isDeleted else { return false }
        return !changedSlots.isEmpty || (context?.hasToManyChanges(self) ?? false)
    }

    /// The value of a slot (`Entity.slots`); a to-one gives `.key`, negative for a new object;
    /// null beyond the last slot.
    public final func value(_ slot: Int) -> Value {
        values.indices.contains(slot) ? values[slot] : .null
    }

    /// An attribute's value.
    public final func value(_ attribute: Attribute) -> Value { value(attribute.slot) }

    /// Sets an attribute; the value is typed as the attribute, and validated when it is saved.
    public final func setValue(_ value: Value, for attribute: Attribute) {
        setSlot(attribute.slot, value)
    }

    final func setSlot(_ slot: Int, _ value: Value) {
        guard values.indices.contains(slot) else { return }
        values[slot] = value
        if !isTouched { context?.touch(self) }
    }

    /// The slots whose values differ from what was read, as far as they are stored; for a new
    /// object those that are not null (`changedValues`).
    public final var changedSlots: [Int] {
        guard let before, before.values.count == values.count else {
            return values.indices.filter { !values[$0].isNull }
        }
        if !isTouched { return [] }
        var changed: [Int] = []
        for slot in values.indices where !values[slot].isStored(as: before.values[slot]) {
            changed.append(slot)
        }
        return changed
    }

    /// Its values now; after a save, as stored.
    public final var snapshot: Snapshot {
        Snapshot(entity: entity.index, key: id.key, version: version, values: values)
    }
}

@available(*, unavailable)
extension ManagedObject: Sendable {}

/// What a context makes an object from.
public struct ManagedObjectOrigin {
    let entity: Entity
    let id: ObjectID
    let isInserted: Bool
    let values: [Value]
    let before: Snapshot?
    let context: ManagedObjectContext

    /// A new object.
    init(inserted entity: Entity, key: Int64, values: [Value], _ context: ManagedObjectContext) {
        self.entity = entity
        id = ObjectID(root: entity.root, key: key)
        isInserted = true
        self.values = values
        before = nil
        self.context = context
    }

    /// An object that is in the store.
    init(_ snapshot: Snapshot, _ entity: Entity, _ context: ManagedObjectContext) {
        self.entity = entity
        id = ObjectID(root: entity.root, key: snapshot.key)
        isInserted = false
        values = snapshot.values
        before = snapshot
        self.context = context
    }
}
