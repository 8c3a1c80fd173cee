import StelePredicates

/// Finds out which objects an expression or a predicate depends on.
enum Reach {
    /// Returns whether an expression depends on nothing but the given variables.
    static func isInside(_ it: Expression, _ variables: Set<String> = []) -> Bool {
        switch it {
        case .constant, .anyKey: true
        case .evaluatedObject: false
        case .variable(let name): variables.contains(name)
        case .keyPath(let base, _): isInside(base, variables)
        case .function(_, let items), .aggregate(let items):
            items.allSatisfy { isInside($0, variables) }
        case .subquery(let collection, let variable, let predicate):
            isInside(collection, variables)
                && isInside(predicate, variables.union([variable]))
        case .conditional(let predicate, let a, let b):
            isInside(predicate, variables) && isInside(a, variables) && isInside(b, variables)
        case .set(_, let a, let b): isInside(a, variables) && isInside(b, variables)
        case .index(let base, .at(let place)):
            isInside(base, variables) && isInside(place, variables)
        case .index(let base, _): isInside(base, variables)
        case .assignment: false
        }
    }

    static func isInside(_ it: Predicate, _ variables: Set<String>) -> Bool {
        switch it {
        case .constant: true
        case .comparison(let it):
            isInside(it.left, variables) && isInside(it.right, variables)
        case .and(let parts), .or(let parts): parts.allSatisfy { isInside($0, variables) }
        case .not(let part): isInside(part, variables)
        }
    }

    /// Returns whether a condition compares the object, or the key of a related one, with a
    /// constant, so that few rows match.
    static func isNarrow(_ it: Predicate, _ entity: (Expression) -> Bool) -> Bool {
        switch it {
        case .and(let parts): parts.contains { isNarrow($0, entity) }
        case .comparison(let it) where it.type == .equal || it.type == .in:
            it.modifier == .direct
                && ((entity(it.left) && isInside(it.right))
                    || (it.type == .equal && entity(it.right) && isInside(it.left)))
        default: false
        }
    }
}
