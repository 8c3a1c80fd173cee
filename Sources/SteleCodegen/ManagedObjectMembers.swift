/// Names that every managed object has already.

/// What a generated property cannot be called, for `ManagedObject` has it.
enum ManagedObjectMembers {
    /// Its properties, and its methods without arguments; a test holds the list against the sources.
    static let names: Set = [
        "awakeFromFetch", "awakeFromInsert", "changedSlots", "changedValues", "committedValues",
        "didSave", "didTurnIntoFault", "entity", "formatArgument", "hasChanges",
        "hasPersistentChangedValues", "hashValue", "id", "isDeleted", "isFault", "isInserted",
        "isUpdated", "managedObjectContext", "prepareForDeletion", "snapshot",
        "validateForDelete", "validateForInsert", "validateForUpdate", "version", "willSave",
        "willTurnIntoFault",
    ]
    /// The same of a composite attribute.
    static let compositeNames: Set = ["object", "keyPath", "key"]
}
