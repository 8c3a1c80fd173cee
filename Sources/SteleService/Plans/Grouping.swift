/// Which expressions have one value a group: its keys, aggregates, and what is made of those.

import StelePredicates

/// The groups of a request, for checking what is asked of them.
struct Grouping {
    let groups: [Expression]
    let names: Names

    /// - Throws: `Problem` that names what has no one value in a group.
    func check(_ expression: Expression, _ parameter: Parameter) throws {
        if groups.contains(expression) { return }
        switch expression {
        case .function(let name, let arguments):
            if PredicateFunction(rawValue: name)?.isAggregate ?? false,
                names.isAggregate(expression)
            {
                return
            }
            for argument in arguments { try check(argument, parameter) }
        case .keyPath, .evaluatedObject, .subquery:
            throw Problem(
                .parameter,
                "\(expression.description) in \(parameter.rawValue) is neither an aggregate nor "
                    + "in groupBy", hint: "add it to groupBy")
        case .conditional(let predicate, let first, let second):
            try check(predicate, parameter)
            try check(first, parameter)
            try check(second, parameter)
        case .aggregate(let items): for item in items { try check(item, parameter) }
        case .set(_, let left, let right):
            try check(left, parameter)
            try check(right, parameter)
        case .index(let collection, let place):
            try check(collection, parameter)
            if case .at(let number) = place { try check(number, parameter) }
        case .constant, .variable, .anyKey, .assignment: break
        }
    }

    /// - Throws: as for an expression.
    func check(_ predicate: Predicate, _ parameter: Parameter) throws {
        switch predicate {
        case .constant: break
        case .comparison(let it):
            try check(it.left, parameter)
            try check(it.right, parameter)
        case .and(let parts), .or(let parts): for part in parts { try check(part, parameter) }
        case .not(let inner): try check(inner, parameter)
        }
    }
}
