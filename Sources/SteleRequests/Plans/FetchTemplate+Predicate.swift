// The predicate of a fetch request template, checked.

import StelePredicates

extension FetchTemplate {
    /// The checked predicate of the template.
    /// - Throws: `Problem` that names the variables without a value; `PredicateError`.
    func predicate(
        _ names: Names, given: [(name: String, value: VariableValue)]
    ) throws -> Predicate? {
        if let failure { throw placed(failure) }
        let missing = variables.filter { name in !given.contains { $0.name == name } }
        guard missing.isEmpty else {
            let parameters = missing.map { "var.\($0)" }
            throw Problem(
                .predicateVariable,
                "the fetch request \(name) needs \(parameters.joined(separator: " and "))",
                hint: "for example /fetch/\(name)?"
                    + parameters.map { "\($0)=…" }
                    .joined(separator: "&"))
        }
        do {
            return try predicate.map { try names.plain($0) }
        } catch let error as PredicateError {
            throw placed(error)
        }
    }

    private func placed(_ error: PredicateError) -> PredicateError {
        var placed = error.located(in: declared.predicateFormat ?? "")
        placed.message = "the fetch request \(name) of the model: \(placed.message)"
        return placed
    }
}
