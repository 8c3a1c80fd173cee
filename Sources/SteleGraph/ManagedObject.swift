/// An object of the graph: one an identity in its context.

import SteleModel
import StelePersistence

/// An object with its values and pending changes (NSManagedObject).
///
/// Not Sendable: it belongs to its context, and with it to one thread.
public final class ManagedObject {
    /// The concrete entity.
    public let entity: Entity
    /// Its identity; permanent after the first save.
    public internal(set) var id: ObjectID
    /// Z_OPT as read; 0 before the first save.
    public internal(set) var version: Int64
    /// Whether it is new in its context.
    public internal(set) var isInserted: Bool
    /// Whether it is deleted in its context.
    public internal(set) var isDeleted = false
    weak var context: ManagedObjectContext?
    var values: [Value]
    /// As it was read; nil for a new object.
    var before: Snapshot?
    /// Whether its context knows that it may have changed.
    var isTouched = false

    /// A new object.
    init(inserted entity: Entity, key: Int64, values: [Value], context: ManagedObjectContext) {
        self.entity = entity
        id = ObjectID(root: entity.root, key: key)
        version = 0
        isInserted = true
        self.values = values
        self.context = context
    }

    /// An object that is in the store.
    init(_ snapshot: Snapshot, entity: Entity, context: ManagedObjectContext) {
        self.entity = entity
        id = ObjectID(root: entity.root, key: snapshot.key)
        version = snapshot.version
        isInserted = false
        values = snapshot.values
        before = snapshot
        self.context = context
    }

    /// Whether it is in the store and has changes that are not saved (to-manys among them).
    public var isUpdated: Bool {
        guard !isInserted && !isDeleted else { return false }
        return !changedSlots.isEmpty || (context?.hasToManyChanges(self) ?? false)
    }

    /// The value of a slot (`Entity.slots`); a to-one gives `.key`, negative for a new object;
    /// null beyond the last slot.
    public func value(_ slot: Int) -> Value {
        values.indices.contains(slot) ? values[slot] : .null
    }

    /// An attribute's value; of a composite attribute ask for what is in it.
    public func value(_ attribute: Attribute) -> Value {
        precondition(!attribute.isComposite, "a composite attribute has no value of its own")
        return value(attribute.slot)
    }

    /// Sets an attribute; the value is typed as the attribute, and validated when it is saved.
    /// Of a composite attribute set what is in it.
    public func setValue(_ value: Value, for attribute: Attribute) {
        precondition(!attribute.isComposite, "a composite attribute has no value of its own")
        setSlot(attribute.slot, value)
    }

    func setSlot(_ slot: Int, _ value: Value) {
        guard values.indices.contains(slot) else { return }
        values[slot] = value
        if !isTouched { context?.touch(self) }
    }

    /// The slots whose values differ from what was read, as far as they are stored; for a new
    /// object those that are not null (`changedValues`).
    public var changedSlots: [Int] {
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
    public var snapshot: Snapshot {
        Snapshot(entity: entity.index, key: id.key, version: version, values: values)
    }
}

@available(*, unavailable)
extension ManagedObject: Sendable {}
