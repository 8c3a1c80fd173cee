import SteleModel
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

    /// Creates a controller for the members of a to-many relationship of one object, or for the
    /// objects of its fetched property. The members of an ordered relationship are in its order,
    /// after the sort keys. If the object is deleted, following ends with
    /// `ResultsError.ownerDeleted`.
    /// - Parameters:
    ///   - key: the name of the relationship or the fetched property.
    ///   - owner: a saved object.
    ///   - format: a condition on the members, as of `ManagedObjectContext.fetch`; nil for none.
    ///   - arguments: the values of the format's specifiers, such as `%@`, in their order.
    ///   - sort: the order, such as `"-goals,name"`; nil for none.
    ///   - sectionNameKeyPath: a key path whose value is the section of a row; nil for no sections.
    /// - Throws: `ContextError.noSuchRelationship`; `ContextError.notSaved` for an object with a
    ///   temporary ID; `ContextError.foreignObject` for one without a context; `PredicateError` if
    ///   the condition or the order does not fit the model.
    public convenience init(
        forKey key: String, of owner: ManagedObject, where format: String? = nil,
        _ arguments: (any PredicateArgument)?..., sort: String? = nil,
        sectionNameKeyPath: String? = nil
    ) throws {
        guard let context = owner.managedObjectContext else { throw ContextError.foreignObject }
        guard !owner.objectID.isTemporaryID else {
            throw ContextError.notSaved(entity: owner.entity.name)
        }
        var relationship: Relationship?
        var request: FetchRequest
        switch owner.entity.property(named: key) {
        case .relationship(let it) where it.isToMany:
            relationship = it
            request = FetchRequest(entity: context.model.destination(of: it))
        case .fetchedProperty: request = try owner.fetchedRequest(forKey: key)
        default:
            throw ContextError.noSuchRelationship(entity: owner.entity.name, relationship: key)
        }
        let asked = try TypedFetchRequest<ManagedObject>(format, arguments, sort: sort)
        if let condition = asked.predicate {
            request.predicate = request.predicate.map { .and([$0, condition]) } ?? condition
        }
        request.sortDescriptors = asked.sortDescriptors
        try self.init(
            request,
            of: ResultsOwner(owner.objectID, entity: owner.entity, relationship: relationship),
            sectionNameKeyPath: sectionNameKeyPath,
            coordinator: context.persistentStoreCoordinator)
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
