import StelePredicates

extension Expression {
    /// Calls `body` with the names of each key path that begins at the evaluated object.
    /// - Parameter alsoOfVariables: whether to include key paths of variables and of the results of
    ///   other expressions.
    func visitKeyPaths(alsoOfVariables all: Bool = false, _ body: ([String]) -> Void) {
        switch self {
        case .constant, .evaluatedObject, .variable, .anyKey: break
        case .keyPath(.evaluatedObject, let path): body(path)
        case .keyPath(let operand, let path):
            if all { body(path) }
            operand.visitKeyPaths(alsoOfVariables: all, body)
        case .function(_, let items), .aggregate(let items):
            for item in items { item.visitKeyPaths(alsoOfVariables: all, body) }
        case .subquery(let collection, _, let predicate):
            collection.visitKeyPaths(alsoOfVariables: all, body)
            predicate.visitKeyPaths(alsoOfVariables: all, body)
        case .conditional(let condition, let a, let b):
            condition.visitKeyPaths(alsoOfVariables: all, body)
            a.visitKeyPaths(alsoOfVariables: all, body)
            b.visitKeyPaths(alsoOfVariables: all, body)
        case .set(_, let a, let b):
            a.visitKeyPaths(alsoOfVariables: all, body)
            b.visitKeyPaths(alsoOfVariables: all, body)
        case .index(let base, let position):
            base.visitKeyPaths(alsoOfVariables: all, body)
            if case .at(let place) = position { place.visitKeyPaths(alsoOfVariables: all, body) }
        case .assignment(_, let value): value.visitKeyPaths(alsoOfVariables: all, body)
        }
    }
}

extension Predicate {
    /// Calls `body` with the key paths of all expressions in the predicate.
    func visitKeyPaths(alsoOfVariables all: Bool = false, _ body: ([String]) -> Void) {
        switch self {
        case .constant: break
        case .comparison(let it):
            it.left.visitKeyPaths(alsoOfVariables: all, body)
            it.right.visitKeyPaths(alsoOfVariables: all, body)
        case .and(let parts), .or(let parts):
            for part in parts { part.visitKeyPaths(alsoOfVariables: all, body) }
        case .not(let part): part.visitKeyPaths(alsoOfVariables: all, body)
        }
    }
}
