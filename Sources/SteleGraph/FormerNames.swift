import StelePersistence

/// Names of earlier versions, for one version more.

extension ManagedObjectContext {
    /// The author of the context's saves.
    @available(*, deprecated, renamed: "transactionAuthor")
    public var author: String? {
        get { transactionAuthor }
        set { transactionAuthor = newValue }
    }

    /// The coordinator of the context.
    @available(*, deprecated, renamed: "persistentStoreCoordinator")
    public var coordinator: PersistentStoreCoordinator { persistentStoreCoordinator }
}

// Not in the class, where it would take the name from an attribute of a subclass.
extension FetchRequestResult {
    /// The object's ID.
    @available(*, deprecated, renamed: "objectID")
    public var id: ObjectID { objectID }
}
