import SteleModel
import StelePersistence

/// An object with its values and unsaved changes (NSManagedObject). A context has one object for
/// each ID.
///
/// A managed object is not Sendable. Like its context, it must be used on one thread. The context
/// calls the life cycle methods of a subclass that represents an entity
/// (`PersistentStoreCoordinator.init`).
open class ManagedObject {
    /// The object's entity, which is not abstract (`entity`).
    public final let entity: Entity
    /// The object's ID, permanent after the first save (`objectID`).
    public internal(set) final var objectID: ObjectID
    /// The row's version (`Z_OPT`) as read or saved; 0 before the first save.
    public internal(set) final var version: Int64
    /// Whether the object is inserted in its context and not yet saved (`isInserted`).
    public internal(set) final var isInserted: Bool
    /// Whether the object is deleted in its context (`isDeleted`).
    public internal(set) final var isDeleted = false
    /// Whether the object's values have not been read (`isFault`). Accessing one reads them.
    public internal(set) final var isFault: Bool
    /// Whether the object is in its context's change set.
    final var isTouched: Bool
    /// Whether its context holds it weakly and is notified when it is released.
    final var isWeaklyHeld = false
    /// Whether the context may keep a journal of changes. Checking this flag is cheaper than asking
    /// the context for each value set.
    final var isWatched: Bool
    /// Whether the object was deleted from the store by a save or by another context.
    final var isGone = false
    final weak var context: ManagedObjectContext?
    /// The value of each slot; empty for a fault.
    ///
    /// Exclusive access is not checked at run time, which took a third of the time of setting a
    /// value: the object is used on one thread, and replacing a value calls nothing that reaches
    /// the object again.
    @exclusivity(unchecked) final var values: [Value]
    /// The values as read, or as they were when the object was deleted from the store; nil for a
    /// fault and for an object that was never in the store. It is not a `Snapshot`, whose other
    /// properties the object has already.
    private final var storedValues: [Value]?
    private final var storedVersion: Int64

    /// The object as read; nil for a new object and a fault.
    final var before: Snapshot? {
        get { isInserted ? nil : stored }
        set {
            storedValues = newValue?.values
            storedVersion = newValue?.version ?? 0
        }
    }

    /// The values as they are stored or were when they were read; nil for a new object and a fault.
    package final var storedSnapshot: Snapshot? { before }

    /// The deleted object as it was in the store, if it is inserted again under its key.
    final var reinserted: Snapshot? { isInserted ? stored : nil }

    /// Sets the values and the version to those of a row.
    final func take(_ row: Snapshot) {
        values = row.values
        before = row
        version = row.version
    }

    private final var stored: Snapshot? {
        storedValues.map {
            Snapshot(entity: entity.index, key: objectID.key, version: storedVersion, values: $0)
        }
    }

    /// Creates an object. Only a context calls this initializer. Subclasses inherit it.
    public required init(_ origin: ManagedObjectOrigin) {
        entity = origin.entity
        objectID = origin.id
        version = origin.before?.version ?? 0
        isInserted = origin.isInserted
        isFault = origin.isFault
        // A new object is in its context's change set from the beginning.
        isTouched = origin.isInserted
        values = origin.values
        storedValues = origin.before?.values
        storedVersion = origin.before?.version ?? 0
        context = origin.context
        isWatched = origin.context?.changes.isWatching ?? false
    }

    deinit {
        if isWeaklyHeld { context?.forget(self) }
    }

    /// The context; nil if it was released or has released the object (`managedObjectContext`).
    public final var managedObjectContext: ManagedObjectContext? { context }

    /// Whether the object is in the store and has unsaved changes, including those of to-many
    /// relationships (`isUpdated`).
    public final var isUpdated: Bool {
        guard !isInserted && !isDeleted else { return false }
        return !changedSlots.isEmpty || (context?.toManys.hasChanges(of: self) ?? false)
    }

    /// Whether the object is inserted, deleted or updated (`hasChanges`).
    public final var hasChanges: Bool { isInserted || isDeleted || isUpdated }

    /// The value of a slot of `Entity.slots`, or null beyond the last slot. The value of a
    /// to-one relationship is a `.key`, which is negative for a new object.
    ///
    /// A fault is read first. If the object is no longer in the store, it becomes deleted and its
    /// values null. If the store cannot be read, the value is null and the context's next save
    /// throws the error.
    public final func value(_ slot: Int) -> Value {
        if values.indices.contains(slot) { return values[slot] }
        return isFault ? firedValue(slot) : .null
    }

    /// The value of an attribute, which must not be composite.
    public final func value(_ attribute: Attribute) -> Value {
        precondition(!attribute.isComposite, "a composite attribute has no value of its own")
        return value(attribute.slot)
    }

    /// Sets the value of an attribute, which must not be composite. The value is validated when the
    /// context is saved. A Float attribute takes the nearest Float to a Double, and a Decimal of 39
    /// digits is rounded to 38.
    public final func setValue(_ value: Value, for attribute: Attribute) {
        precondition(!attribute.isComposite, "a composite attribute has no value of its own")
        setSlot(attribute.slot, value)
    }

    /// Sets the value of an attribute without registering a change or an undo action
    /// (`setPrimitiveValue(_:forKey:)`).
    public final func setPrimitiveValue(_ value: Value, for attribute: Attribute) {
        if isFault { _ = firedValue(attribute.slot) }
        guard values.indices.contains(attribute.slot) else { return }
        values[attribute.slot] = nearest(to: value, attribute.slot) ?? value
    }

    /// Reads a fault and returns a value. `value(_:)` describes the behaviour on failure.
    final func firedValue(_ slot: Int) -> Value {
        guard let context else { return .null }
        context.loader.fireForGetter(self)
        return values.indices.contains(slot) ? values[slot] : .null
    }

    final func setSlot(_ slot: Int, _ given: Value) {
        if isFault { _ = firedValue(slot) }
        guard values.indices.contains(slot) else {
            context?.loader.noteLostValue(of: self, slot)
            return
        }
        let value = nearest(to: given, slot) ?? storedFile(of: given, slot) ?? given
        if isWatched { context?.changes.note(.slot(self, slot, values[slot])) }
        values[slot] = value
        if !isTouched { context?.touch(self) }
    }

    /// The Float that is stored for a Double that is none, and a Decimal with at most 38 digits; nil
    /// for other values and attributes, and for the stored value, which another program may have
    /// written.
    private final func nearest(to value: Value, _ slot: Int) -> Value? {
        if case .decimal(let it) = value { return .decimal(DecimalText.rounded(it)) }
        guard case .double(let it) = value, Double(Float(it)) != it,
            case .attribute(let attribute) = entity.slots[slot], attribute.type == .float
        else { return nil }
        if let storedValues, storedValues.indices.contains(slot), storedValues[slot] == value {
            return nil
        }
        return value.asFloat
    }

    /// The stored value, if it is a file with these bytes: they are no change.
    private final func storedFile(of value: Value, _ slot: Int) -> Value? {
        switch value {
        case .data, .external: break
        default: return nil
        }
        guard !isInserted, let storedValues, storedValues.indices.contains(slot),
            case .external(let file) = storedValues[slot]
        else { return nil }
        let isSame =
            switch value {
            case .data(let bytes): file.has(bytes)
            case .external(let given): file != given && file.hasSameBytes(as: given)
            default: false
            }
        return isSame ? storedValues[slot] : nil
    }

    /// The slots whose values differ from the stored ones; for a new object, those not null.
    public final var changedSlots: [Int] {
        guard !isInserted, let storedValues, storedValues.count == values.count else {
            return values.indices.filter { !values[$0].isNull }
        }
        if !isTouched { return [] }
        var changed: [Int] = []
        for slot in values.indices where values[slot] != storedValues[slot] {
            changed.append(slot)
        }
        return changed
    }

    // MARK: For subclasses, called by the context

    /// Called after the object was inserted and has its default values (`awakeFromInsert`).
    open func awakeFromInsert() {}

    /// Called after the values were read (`awakeFromFetch`). Values set here are not changes.
    ///
    /// A service calls it for each row that it sends, if the entity has transient attributes. The
    /// object then has no context and no relationships, and only its transient values are taken.
    open func awakeFromFetch() {}

    /// Called after the values or the state changed other than by a setter
    /// (`awake(fromSnapshotEvents:)`).
    open func awake(fromSnapshotEvents events: SnapshotEventType) {}

    /// Called before the object's changes are saved (`willSave`). Values set here are saved too,
    /// and cause another call, so set only values that differ.
    open func willSave() {}

    /// Called after the object was saved (`didSave`).
    open func didSave() {}

    /// Called before the object is deleted, even if it is already deleted (`prepareForDeletion`).
    open func prepareForDeletion() {}

    /// Called before the object's values are released (`willTurnIntoFault`).
    open func willTurnIntoFault() {}

    /// Called after the object's values were released (`didTurnIntoFault`).
    open func didTurnIntoFault() {}

    /// Validates a value (`validateValue(_:forKey:)`). The default implementation applies the
    /// model's rules. An override calls `super` and may replace the value.
    ///
    /// A save calls it for each attribute and to-one relationship of the inserted and updated
    /// objects. The save then applies the model's rules to the resulting values, even if an
    /// override does not call `super`.
    /// - Throws: `ValidationError` or `ValidationErrors`, which a save collects;
    ///   `ContextError.noSuchProperty` or `.noSingleValue` for the key, and `.foreignObject` for an
    ///   object without a context; `StoreError` for a fault that cannot be read. Other errors than
    ///   the first two end the save immediately.
    open func validateValue(_ value: inout Value, forKey key: String) throws {
        try inContext { try $0.validation.validateValue(value, forKey: key, of: self) }
    }

    /// Validates the object before insertion (`validateForInsert`). The default implementation
    /// applies the model's rules to each value and to the count of each to-many relationship.
    /// Overrides and errors are as for `validateValue`.
    /// - Throws: additionally `StoreError` if members cannot be read.
    open func validateForInsert() throws {
        try inContext { try $0.validation.validateForInsert(self) }
    }

    /// Validates the object before an update (`validateForUpdate`), as `validateForInsert`, but
    /// only changed to-many relationships are validated.
    /// - Throws: as `validateForInsert`.
    open func validateForUpdate() throws {
        try inContext { try $0.validation.validateForUpdate(self) }
    }

    /// Validates the object before deletion (`validateForDelete`). The default implementation fails
    /// if a relationship with the delete rule Deny leads to an object that is not deleted.
    /// - Throws: as `validateForInsert`.
    open func validateForDelete() throws {
        try inContext { try $0.validation.validateForDelete(self) }
    }

    /// The object's current values; after a save, the stored values.
    public final var snapshot: Snapshot {
        if isFault { _ = firedValue(0) }
        return Snapshot(entity: entity.index, key: objectID.key, version: version, values: values)
    }
}

@available(*, unavailable)
extension ManagedObject: Sendable {}

/// The arguments from which a context creates an object.
public struct ManagedObjectOrigin {
    let entity: Entity
    let id: ObjectID
    var isInserted = false
    var isFault = false
    let values: [Value]
    /// The object's current or former state in the store; nil if it was never stored.
    let before: Snapshot?
    /// Nil for an object that computes the transient values of a row.
    let context: ManagedObjectContext?
}
