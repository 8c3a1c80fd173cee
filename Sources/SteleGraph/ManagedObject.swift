/// An object of the graph: one an identity in its context.

import SteleModel
import StelePersistence

/// An object with its values and pending changes (NSManagedObject).
///
/// Not Sendable: it belongs to its context, and with it to one thread. A subclass that is
/// registered for an entity (`PersistentStoreCoordinator.init`) is told of its life.
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
    /// Whether its values are not read yet; they are when one is asked for.
    public internal(set) final var isFault: Bool
    /// Whether its context knows that it may have changed.
    final var isTouched: Bool
    /// Whether its context does not hold it, and is told when it goes.
    final var isWeaklyHeld = false
    /// Whether its context may write changes down; to ask the context costs more than to set a
    /// value.
    final var isWatched: Bool
    /// Whether it was deleted in the store by a save, or by another context.
    final var isGone = false
    final weak var context: ManagedObjectContext?
    /// One a slot; none for a fault.
    final var values: [Value]
    /// The values that it was read with, or had when it was deleted in the store; nil for an object
    /// that was never in the store and a fault. Not a `Snapshot`: there are many objects, and what
    /// else is in one they have already.
    private final var storedValues: [Value]?
    private final var storedVersion: Int64

    /// As it was read; nil for a new object and a fault.
    final var before: Snapshot? {
        get { isInserted ? nil : stored }
        set {
            storedValues = newValue?.values
            storedVersion = newValue?.version ?? 0
        }
    }

    /// As it was when it was deleted in the store, where it is inserted again under its key.
    final var reinserted: Snapshot? { isInserted ? stored : nil }

    /// Takes a row as it was read.
    final func take(_ row: Snapshot) {
        values = row.values
        before = row
        version = row.version
    }

    private final var stored: Snapshot? {
        storedValues.map {
            Snapshot(entity: entity.index, key: id.key, version: storedVersion, values: $0)
        }
    }

    /// Made by a context; a subclass inherits it and need not know what it does.
    public required init(_ origin: ManagedObjectOrigin) {
        entity = origin.entity
        id = origin.id
        version = origin.before?.version ?? 0
        isInserted = origin.isInserted
        isFault = origin.isFault
        // A new object is among its context's changes from the beginning.
        isTouched = origin.isInserted
        values = origin.values
        storedValues = origin.before?.values
        storedVersion = origin.before?.version ?? 0
        context = origin.context
        isWatched = origin.context.changes.isWatching
    }

    deinit {
        if isWeaklyHeld { context?.forget(id, entity) }
    }

    /// Where it belongs; nil when that is gone or has let go of it (`managedObjectContext`).
    public final var managedObjectContext: ManagedObjectContext? { context }

    /// Whether it is in the store and has changes that are not saved (to-manys among them).
    public final var isUpdated: Bool {
        guard !isInserted && !isDeleted else { return false }
        return !changedSlots.isEmpty || (context?.toManys.hasChanges(of: self) ?? false)
    }

    /// Whether it is inserted, deleted or updated.
    public final var hasChanges: Bool { isInserted || isDeleted || isUpdated }

    /// The value of a slot (`Entity.slots`); a to-one gives `.key`, negative for a new object;
    /// null beyond the last slot.
    ///
    /// A fault is read first. Where it is not in the store any more it is deleted here and null;
    /// where the store cannot be read it is null, and the context's next save throws the reason.
    public final func value(_ slot: Int) -> Value {
        if values.indices.contains(slot) { return values[slot] }
        return isFault ? firedValue(slot) : .null
    }

    /// An attribute's value; of a composite attribute ask for what is in it.
    public final func value(_ attribute: Attribute) -> Value {
        precondition(!attribute.isComposite, "a composite attribute has no value of its own")
        return value(attribute.slot)
    }

    /// Sets an attribute; the value is typed as the attribute, and validated when it is saved.
    /// Of a composite attribute set what is in it.
    public final func setValue(_ value: Value, for attribute: Attribute) {
        precondition(!attribute.isComposite, "a composite attribute has no value of its own")
        setSlot(attribute.slot, value)
    }

    /// Sets an attribute as if it had been read so: no change is noted, nothing to be undone
    /// (`setPrimitiveValue`).
    public final func setPrimitiveValue(_ value: Value, for attribute: Attribute) {
        if isFault { _ = firedValue(attribute.slot) }
        if values.indices.contains(attribute.slot) { values[attribute.slot] = value }
    }

    /// A fault's value, read now; see `value(_:)` for what comes of a failure.
    final func firedValue(_ slot: Int) -> Value {
        guard let context else { return .null }
        context.loader.fireForGetter(self)
        return values.indices.contains(slot) ? values[slot] : .null
    }

    final func setSlot(_ slot: Int, _ value: Value) {
        if isFault { _ = firedValue(slot) }
        guard values.indices.contains(slot) else {
            context?.loader.noteLostValue(of: self, slot)
            return
        }
        if isWatched { context?.changes.note(.slot(self, slot, values[slot])) }
        values[slot] = value
        if !isTouched { context?.touch(self) }
    }

    /// The slots whose values differ from what was read, as far as they are stored; for a new
    /// object those that are not null.
    public final var changedSlots: [Int] {
        guard !isInserted, let storedValues, storedValues.count == values.count else {
            return values.indices.filter { !values[$0].isNull }
        }
        if !isTouched { return [] }
        var changed: [Int] = []
        for slot in values.indices where !values[slot].isStored(as: storedValues[slot]) {
            changed.append(slot)
        }
        return changed
    }

    // MARK: For subclasses; the context calls these, and only validation does anything here

    /// It is new in its context, its defaults are in place (`awakeFromInsert`).
    open func awakeFromInsert() {}

    /// Its values were read. What is set in here is no change (`awakeFromFetch`).
    open func awakeFromFetch() {}

    /// Its values or its standing are others than before, by no setter
    /// (`awake(fromSnapshotEvents:)`).
    open func awake(fromSnapshotEvents events: SnapshotEventType) {}

    /// It has changes and is about to be saved. What is set in here is saved, too, and makes this
    /// be called again: set only what differs (`willSave`).
    open func willSave() {}

    /// It was saved (`didSave`).
    open func didSave() {}

    /// It is about to be deleted; also where it is already (`prepareForDeletion`).
    open func prepareForDeletion() {}

    /// Its values are about to be forgotten (`willTurnIntoFault`).
    open func willTurnIntoFault() {}

    /// Its values were forgotten (`didTurnIntoFault`).
    open func didTurnIntoFault() {}

    /// Says whether a value may be saved under a key (`validateValue(_:forKey:)`): here, whether it
    /// keeps the model's rules. An override calls `super`, and may put another value in its place.
    ///
    /// A save asks it of each attribute and to-one of what is saved. It applies the model's rules
    /// itself, whether or not an override calls `super`, to the values that are left then.
    /// - Throws: `ValidationError` or `ValidationErrors`, which a save collects, and
    ///   `ContextError.noSuchProperty` or `.noSingleValue` for the key; what else is thrown ends
    ///   the save at once.
    open func validateValue(_ value: inout Value, forKey key: String) throws {
        try inContext { try $0.validation.validateValue(value, forKey: key, of: self) }
    }

    /// Says whether it may be inserted as it is (`validateForInsert`): here, whether each value,
    /// and the count of each to-many, keeps the model's rules. Overrides and errors are as those of
    /// `validateValue`; `StoreError` where members must be read and cannot.
    open func validateForInsert() throws {
        try inContext { try $0.validation.validateForInsert(self) }
    }

    /// Says whether it may be updated as it is (`validateForUpdate`). As `validateForInsert`, of
    /// to-manys with those that have changed alone.
    open func validateForUpdate() throws {
        try inContext { try $0.validation.validateForUpdate(self) }
    }

    /// Says whether it may be deleted (`validateForDelete`): here, whether a relationship whose
    /// rule is Deny still leads to an object that stays. As `validateForInsert`.
    open func validateForDelete() throws {
        try inContext { try $0.validation.validateForDelete(self) }
    }

    /// Its values now; after a save, as stored.
    public final var snapshot: Snapshot {
        if isFault { _ = firedValue(0) }
        return Snapshot(entity: entity.index, key: id.key, version: version, values: values)
    }
}

@available(*, unavailable)
extension ManagedObject: Sendable {}

/// What a context makes an object from.
public struct ManagedObjectOrigin {
    let entity: Entity
    let id: ObjectID
    var isInserted = false
    var isFault = false
    let values: [Value]
    /// What it is, or was once, in the store.
    let before: Snapshot?
    let context: ManagedObjectContext
}
