import SteleModel
import StelePredicates

extension Model {
    /// A request from a fetch request template of the model
    /// (`fetchRequestFromTemplate(withName:substitutionVariables:)`).
    /// - Parameters:
    ///   - name: the name of the template.
    ///   - variables: the values of the predicate's variables, by their names without `$`:
    ///     attribute values, objects, arrays for `IN`, `nil`. A fetch throws `PredicateError` for
    ///     one that is left without a value.
    /// - Returns: nil if the model has no template of that name.
    /// - Throws: `PredicateError` if the template's predicate cannot be parsed.
    public func fetchRequestFromTemplate(
        withName name: String,
        substitutionVariables variables: [String: (any PredicateArgument)?] = [:]
    ) throws(PredicateError) -> FetchRequest? {
        guard let declared = declaration.fetchRequestTemplates.first(where: { $0.name == name }),
            let entity = entity(named: declared.entityName)
        else { return nil }
        var request = FetchRequest(entity: entity)
        if let format = declared.predicateFormat, !format.isEmpty {
            request.predicate = try Predicate(format: format)
                .withSubstitutionVariables(variables)
        }
        if declared.fetchLimit > 0 { request.fetchLimit = declared.fetchLimit }
        request.includesSubentities = declared.includesSubentities
        return request
    }
}
