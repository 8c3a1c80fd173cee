import StelePredicates

/// Finds out which objects an expression or a predicate depends on.
enum Reach {
    /// Returns whether an expression depends on nothing but the given variables.
    static func isInside(_ it: Expression, _ variables: Set<String> = []) -> Bool {
        it.traits.isInside(variables)
    }

    static func isInside(_ it: Predicate, _ variables: Set<String>) -> Bool {
        it.traits.isInside(variables)
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
