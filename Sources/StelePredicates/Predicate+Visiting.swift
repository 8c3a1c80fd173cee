/// Walks through predicates and expressions.

/// Ends a walk that has found what it looks for.
private struct Found: Error {}

extension Predicate {
    /// Whether an expression inside satisfies a condition, which looks at that one alone: a walk
    /// within the walk would visit what is nested twice for each level.
    package func contains(where test: (Expression) -> Bool) -> Bool {
        do { try visit { if test($0) { throw Found() } } } catch { return true }
        return false
    }

    /// Calls `body` once with each expression inside, outer ones first.
    package func visit(_ body: (Expression) throws -> Void) rethrows {
        switch self {
        case .constant: break
        case .comparison(let comparison):
            try comparison.left.visit(body)
            try comparison.right.visit(body)
        case .and(let parts), .or(let parts): for part in parts { try part.visit(body) }
        case .not(let inner): try inner.visit(body)
        }
    }
}

extension Expression {
    /// Whether this expression or one inside satisfies a condition.
    package func contains(where test: (Expression) -> Bool) -> Bool {
        do { try visit { if test($0) { throw Found() } } } catch { return true }
        return false
    }

    /// Calls `body` once with this expression and each inside, outer ones first.
    package func visit(_ body: (Expression) throws -> Void) rethrows {
        try body(self)
        switch self {
        case .constant, .evaluatedObject, .variable, .anyKey: break
        case .keyPath(let operand, _): try operand.visit(body)
        case .function(_, let arguments), .aggregate(let arguments):
            for argument in arguments { try argument.visit(body) }
        case .subquery(let collection, _, let predicate):
            try collection.visit(body)
            try predicate.visit(body)
        case .conditional(let predicate, let yes, let no):
            try predicate.visit(body)
            try yes.visit(body)
            try no.visit(body)
        case .set(_, let left, let right):
            try left.visit(body)
            try right.visit(body)
        case .index(let collection, let position):
            try collection.visit(body)
            if case .at(let place) = position { try place.visit(body) }
        case .assignment(_, let value): try value.visit(body)
        }
    }
}
