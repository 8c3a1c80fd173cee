import StelePersistence
import StelePredicates

extension FetchedResultsController {
    /// Creates a controller for the objects of a context's store
    /// (`init(fetchRequest:managedObjectContext:sectionNameKeyPath:cacheName:)`). Unsaved changes of
    /// the context are not part of the result, and the controller does not keep the context.
    /// - Throws: `PredicateError` if the request does not fit the model.
    public convenience init(
        fetchRequest: FetchRequest, managedObjectContext context: ManagedObjectContext,
        sectionNameKeyPath: String? = nil
    ) throws(PredicateError) {
        try self.init(
            fetchRequest, sectionNameKeyPath: sectionNameKeyPath,
            coordinator: context.persistentStoreCoordinator)
    }

    /// Creates a controller for the objects of a class.
    /// - Throws: `TypedObjectError.unregistered`; `PredicateError` if the request does not fit the
    ///   model.
    public convenience init<T>(
        fetchRequest: TypedFetchRequest<T>, managedObjectContext context: ManagedObjectContext,
        sectionNameKeyPath: String? = nil
    ) throws {
        try self.init(
            fetchRequest: fetchRequest.request(of: try context.entity(of: T.self)),
            managedObjectContext: context, sectionNameKeyPath: sectionNameKeyPath)
    }

    // MARK: Objects

    /// The ID of an object of the result by its key, as an entry of a `ResultsDifference` has it.
    public func objectID(forKey key: Int64) -> ObjectID {
        ObjectID(root: query.request.entity.root, key: key)
    }

    /// The fetched objects in a context, in the order of the result (`fetchedObjects`). Those that the
    /// context has deleted, or that another save has deleted meanwhile, are left out.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func fetchedObjects(in context: ManagedObjectContext) throws -> [ManagedObject] {
        let keys = fetchedObjectIDs.map(\.key)
        let found = try context.existingObjects(root: query.request.entity.root, keys: keys)
        return keys.compactMap { found[$0] }
    }

    /// The fetched objects of a class in a context, as `fetchedObjects(in:)`.
    /// - Throws: `TypedObjectError.wrongClass`, `StoreError`, `ContextError.closed`.
    public func fetchedObjects<T: ManagedObject>(
        _ type: T.Type, in context: ManagedObjectContext
    ) throws -> [T] {
        try fetchedObjects(in: context).map { try $0.typed() }
    }
}
