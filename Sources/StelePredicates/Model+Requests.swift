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
        let mistakes = requestMistakes()
        if !mistakes.isEmpty { throw ModelErrors(mistakes.map(\.error)) }
    }

    /// The model without the fetched properties and templates that `checkRequests()` refuses, for a
    /// model that cannot be edited: that in a store of an app, which never uses them. `whole` is
    /// the model with them.
    /// - Returns: the model, and the error for each that is left out.
    /// - Throws: `ModelErrors`, as `Model.init`.
    package func withoutMistakenRequests() throws(ModelErrors) -> (
        model: Model, leftOut: [ModelError]
    ) {
        let mistakes = requestMistakes()
        if mistakes.isEmpty { return (self, []) }
        let omitted = Set(mistakes.map(\.request))
        let model = try without(
            fetchedProperties: { omitted.contains(.fetchedProperty($0, $1)) },
            templates: { omitted.contains(.template($0)) })
        return (model, mistakes.map(\.error))
    }

    /// A fetch request in a model.
    private enum Request: Hashable {
        case fetchedProperty(_ entity: String, _ name: String)
        case template(_ name: String)
    }

    private func requestMistakes() -> [(request: Request, error: ModelError)] {
        var mistakes: [(Request, ModelError)] = []
        for entity in entities {
            for case .fetchedProperty(let it) in entity.declaration.properties {
                let error = error(in: it.request, "\(entity.name).\(it.name)") {
                    (parsed, check) throws(PredicateError) in
                    _ = try check.check(parsed.filled(for: it), source: entity.index)
                }
                if let error { mistakes.append((.fetchedProperty(entity.name, it.name), error)) }
            }
        }
        for template in declaration.fetchRequestTemplates {
            let error = error(in: template, "fetch request \(template.name)") {
                (parsed, check) throws(PredicateError) in
                var open = check
                open.hasOpenVariables = true
                _ = try open.check(parsed)
            }
            if let error { mistakes.append((.template(template.name), error)) }
        }
        return mistakes
    }

    /// The error of a request whose predicate can never be evaluated; nil for any other.
    private func error(
        in request: FetchRequestTemplate, _ place: String,
        by question: (Predicate, PredicateCheck) throws(PredicateError) -> Void
    ) -> ModelError? {
        guard let text = request.predicateFormat, !text.isEmpty,
            let entity = entity(named: request.entityName)
        else { return nil }
        do throws(PredicateError) {
            try question(Predicate(format: text), PredicateCheck(model: self, entity: entity))
            return nil
        } catch {
            guard isMistake(error, of: entity) else { return nil }
            let isVariable = error.code == PredicateError.Code.variable.rawValue
            return ModelError(
                place, "its predicate \(text) cannot be evaluated: \(error.message)",
                hint: isVariable
                    ? "a fetched property has $FETCH_SOURCE and $FETCHED_PROPERTY" : error.hint)
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
