/// The key paths of an expression.

import StelePredicates

extension Expression {
    /// Calls `body` with the names of each key path that begins at the object itself.
    func visitKeyPaths(_ body: ([String]) -> Void) {
        switch self {
        case .constant, .evaluatedObject, .variable, .anyKey: break
        case .keyPath(.evaluatedObject, let path): body(path)
        case .keyPath(let operand, _): operand.visitKeyPaths(body)
        case .function(_, let items), .aggregate(let items):
            for item in items { item.visitKeyPaths(body) }
        case .subquery(let collection, _, let predicate):
            collection.visitKeyPaths(body)
            predicate.visitKeyPaths(body)
        case .conditional(let condition, let a, let b):
            condition.visitKeyPaths(body)
            a.visitKeyPaths(body)
            b.visitKeyPaths(body)
        case .set(_, let a, let b):
            a.visitKeyPaths(body)
            b.visitKeyPaths(body)
        case .index(let base, let position):
            base.visitKeyPaths(body)
            if case .at(let place) = position { place.visitKeyPaths(body) }
        case .assignment(_, let value): value.visitKeyPaths(body)
        }
    }
}

extension Predicate {
    /// As an expression's.
    func visitKeyPaths(_ body: ([String]) -> Void) {
        switch self {
        case .constant: break
        case .comparison(let it):
            it.left.visitKeyPaths(body)
            it.right.visitKeyPaths(body)
        case .and(let parts), .or(let parts): for part in parts { part.visitKeyPaths(body) }
        case .not(let part): part.visitKeyPaths(body)
        }
    }
}
