/// The requests that a model holds, checked before anybody asks one.

import SteleModel

extension Model {
    /// Checks the predicates of fetched properties and of fetch request templates, whose variables
    /// may be of any type. What Core Data evaluates and Stele does not is an error when asked.
    ///
    /// - Throws: `ModelErrors`, one for each predicate that nothing can evaluate: it cannot be read,
    ///   names a key that there is none of, compares types that are never equal, or a fetched
    ///   property has a variable that nobody gives a value.
    public func checkRequests() throws(ModelErrors) {
        var mistakes: [ModelError] = []
        for entity in entities {
            for case .fetchedProperty(let it) in entity.declaration.properties {
                let place = "\(entity.name).\(it.name)"
                check(it.request, place, &mistakes) { (parsed, check) throws(PredicateError) in
                    _ = try check.check(parsed.filled(for: it), source: entity.index)
                }
            }
        }
        for template in declaration.fetchRequestTemplates {
            check(template, "fetch request \(template.name)", &mistakes) {
                (parsed, check) throws(PredicateError) in
                var open = check
                open.hasOpenVariables = true
                _ = try open.check(parsed)
            }
        }
        if !mistakes.isEmpty { throw ModelErrors(mistakes) }
    }

    private func check(
        _ request: FetchRequestTemplate, _ place: String, _ mistakes: inout [ModelError],
        by question: (Predicate, PredicateCheck) throws(PredicateError) -> Void
    ) {
        guard let text = request.predicateFormat, !text.isEmpty,
            let entity = entity(named: request.entityName)
        else { return }
        do throws(PredicateError) {
            try question(Predicate(format: text), PredicateCheck(model: self, entity: entity))
        } catch {
            guard isMistake(error, of: entity) else { return }
            let isVariable = error.code == PredicateError.Code.variable.rawValue
            mistakes.append(
                ModelError(
                    place, "its predicate \(text) cannot be evaluated: \(error.message)",
                    hint: isVariable
                        ? "a fetched property knows $FETCH_SOURCE and $FETCHED_PROPERTY"
                        : error.hint))
        }
    }

    /// Whether Core Data evaluates it as little as Stele does.
    private func isMistake(_ error: PredicateError, of entity: Entity) -> Bool {
        switch PredicateError.Code(rawValue: error.code) {
        case .unsupported, .limit, .notBuilt, nil: false
        case .syntax, .type, .pattern: true
        case .variable: error.near != "$FETCHED_PROPERTY"
        // What every object of Core Data has beside its properties, and what a subentity has.
        case .unknownKey:
            !["objectID", "entity"].contains(error.near)
                && !family(of: entity).contains { $0.property(named: error.near) != nil }
        }
    }
}
