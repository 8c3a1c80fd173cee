/// The variables of predicates and expressions, and their substitution before a check.

import SteleModel

extension Predicate {
    /// Replaces free variables. The closure gets the variable's name and the keys after it
    /// (`$FETCH_SOURCE.team.name` gives `FETCH_SOURCE` and `team`, `name`); nil keeps the variable.
    /// Variables of SUBQUERY are not free.
    public func replacingVariables(
        _ replacement: (_ name: String, _ path: [String]) -> Expression?
    ) -> Predicate {
        mapExpressions { $0.replacingVariables(replacement) }
    }

    /// The same predicate with the operands of its comparisons transformed.
    package func mapExpressions(_ transform: (Expression) -> Expression) -> Predicate {
        switch self {
        case .constant: return self
        case .comparison(var it):
            it.left = transform(it.left)
            it.right = transform(it.right)
            return .comparison(it)
        case .and(let parts): return .and(parts.map { $0.mapExpressions(transform) })
        case .or(let parts): return .or(parts.map { $0.mapExpressions(transform) })
        case .not(let inner): return .not(inner.mapExpressions(transform))
        }
    }
}

extension Expression {
    /// Replaces free variables as `Predicate.replacingVariables(_:)` does.
    public func replacingVariables(
        _ replacement: (_ name: String, _ path: [String]) -> Expression?
    ) -> Expression {
        switch self {
        case .variable(let name): return replacement(name, []) ?? self
        case .keyPath(.variable(let name), let path): return replacement(name, path) ?? self
        case .subquery(let collection, let variable, let predicate):
            let body = predicate.replacingVariables { name, path in
                name == variable ? nil : replacement(name, path)
            }
            return .subquery(collection.replacingVariables(replacement), variable: variable, body)
        default:
            return mapParts(
                { $0.replacingVariables(replacement) }, { $0.replacingVariables(replacement) })
        }
    }

    /// The same expression with its operands and its predicate transformed.
    package func mapParts(
        _ inside: (Expression) -> Expression, _ condition: (Predicate) -> Predicate
    ) -> Expression {
        switch self {
        case .constant, .evaluatedObject, .variable, .anyKey: self
        case .keyPath(let operand, let path): .keyPath(inside(operand), path)
        case .function(let name, let arguments): .function(name, arguments.map(inside))
        case .aggregate(let items): .aggregate(items.map(inside))
        case .subquery(let collection, let variable, let predicate):
            .subquery(inside(collection), variable: variable, condition(predicate))
        case .conditional(let predicate, let yes, let no):
            .conditional(condition(predicate), inside(yes), inside(no))
        case .set(let operation, let left, let right):
            .set(operation, inside(left), inside(right))
        case .index(let collection, .at(let position)):
            .index(inside(collection), .at(inside(position)))
        case .index(let collection, let position): .index(inside(collection), position)
        case .assignment(let name, let value): .assignment(name, inside(value))
        }
    }
}
