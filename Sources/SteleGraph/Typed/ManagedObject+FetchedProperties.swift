import SteleModel
import StelePredicates

extension ManagedObject {
    /// The objects of a fetched property, including the context's unsaved changes. A new object has
    /// none.
    /// - Throws: `TypedObjectError.noSuchFetchedProperty`; `PredicateError` if the predicate does
    ///   not fit the model; the errors of `ManagedObjectContext.fetch`.
    public func fetched<T: ManagedObject>(forKey key: String) throws -> [T] {
        guard let context else { throw ContextError.foreignObject }
        let request = try fetchedRequest(forKey: key)
        if objectID.isTemporaryID { return [] }
        return try context.fetch(request).map { try $0.typed() }
    }

    /// The request of a fetched property.
    /// - Throws: `TypedObjectError.noSuchFetchedProperty`; `PredicateError`;
    ///   `ContextError.foreignObject`.
    func fetchedRequest(forKey key: String) throws -> FetchRequest {
        guard let context else { throw ContextError.foreignObject }
        guard case .fetchedProperty(let declared)? = entity.property(named: key),
            let destination = context.model.entity(named: declared.request.entityName)
        else { throw TypedObjectError.noSuchFetchedProperty(entity: entity.name, property: key) }
        var request = FetchRequest(entity: destination)
        if let text = declared.request.predicateFormat, !text.isEmpty {
            request.predicate = try Predicate(format: text).filled(for: declared)
            request.source = FetchSource(entity: entity.index, keys: [objectID.key])
        }
        if declared.request.fetchLimit > 0 { request.fetchLimit = declared.request.fetchLimit }
        return request
    }
}
