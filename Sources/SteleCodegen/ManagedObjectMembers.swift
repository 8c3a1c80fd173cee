/// The members that every managed object has.

/// The names that no generated property can have, because `ManagedObject` has them.
enum ManagedObjectMembers {
    /// Its properties, and its methods without arguments. A test checks the list.
    static let names: Set = [
        "awakeFromFetch", "awakeFromInsert", "changedSlots", "changedValues", "committedValues",
        "debugDescription", "didSave", "didTurnIntoFault", "entity", "formatArgument", "hasChanges",
        "hasPersistentChangedValues", "hashValue", "isDeleted", "isFault", "isInserted",
        "isUpdated", "managedObjectContext", "objectID", "predicateValue", "prepareForDeletion",
        "referencedID",
        "snapshot",
        "uriRepresentation", "validateForDelete", "validateForInsert", "validateForUpdate",
        "version", "willSave", "willTurnIntoFault",
    ]
    /// The members of the view of a composite attribute.
    static let compositeNames: Set = ["object", "keyPath", "key"]
}
