/// What no answer may be kept of, and walks through expressions.

import StelePredicates

/// What is looked for has been found, and the walk ends.
private struct Found: Error {}

/// Whether an answer differs from one time to the next although nothing has changed.
enum Volatility {
    package static func of(_ request: FetchRequest) -> Bool {
        do {
            try request.predicate?.visit(look)
            try request.havingPredicate?.visit(look)
            for key in request.sortDescriptors { try key.expression.visit(look) }
            for column in request.propertiesToFetch { try column.expression.visit(look) }
            for group in request.propertiesToGroupBy { try group.visit(look) }
            return false
        } catch {
            return true
        }
    }

    private static func look(_ node: Expression) throws {
        guard case .function(let name, _) = node else { return }
        switch PredicateFunction(rawValue: name) {
        case .now, .random, .randomBelow: throw Found()
        default: break
        }
    }
}

extension Predicate {
    /// Whether a comparison inside is one by a regular expression.
    var hasPatterns: Bool {
        switch self {
        case .constant: false
        case .comparison(let it):
            it.type == .matches || it.left.hasPatterns || it.right.hasPatterns
        case .and(let parts), .or(let parts): parts.contains(where: \.hasPatterns)
        case .not(let inner): inner.hasPatterns
        }
    }

    /// Calls `body` with each expression inside, outer ones first.
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
    /// Whether a predicate inside compares by a regular expression.
    var hasPatterns: Bool {
        do {
            try visit { inner in
                switch inner {
                case .subquery(_, _, let predicate), .conditional(let predicate, _, _):
                    if predicate.hasPatterns { throw Found() }
                default: break
                }
            }
            return false
        } catch {
            return true
        }
    }

    /// Calls `body` with this expression and each inside, outer ones first.
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

extension Expression {
    /// As a predicate's.
    package var freeVariables: Set<String> {
        Predicate.comparison(.init(self, .equal, self)).freeVariables
    }
}
