/// Checks the fetch requests in a model.

import SteleModel

extension Model {
    /// Checks the predicates of fetched properties and fetch request templates. A template's
    /// variables may have any type. A predicate that Core Data supports and Stele does not is an
    /// error only when it is used.
    ///
    /// - Throws: `ModelErrors` with one error for each predicate that can never be evaluated: it
    ///   has a syntax error or an unknown key, compares incompatible types, or uses a variable that
    ///   a fetched property does not define.
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
                        ? "a fetched property has $FETCH_SOURCE and $FETCHED_PROPERTY"
                        : error.hint))
        }
    }

    /// Whether Core Data cannot evaluate the predicate either.
    private func isMistake(_ error: PredicateError, of entity: Entity) -> Bool {
        switch PredicateError.Code(rawValue: error.code) {
        case .unsupported, .limit, .notBuilt, nil: false
        case .syntax, .type, .pattern: true
        case .variable: error.near != "$FETCHED_PROPERTY"
        // Core Data's objects have these keys too, and subentities have more keys.
        case .unknownKey:
            !["objectID", "entity"].contains(error.near)
                && !family(of: entity).contains { $0.property(named: error.near) != nil }
        }
    }
}
