/// Compiles the regular expressions in a predicate's MATCHES comparisons, so that errors are found
/// before it runs.
struct PatternCheck {
    private var length = 0

    /// - Throws: `PredicateError` with code `predicate.pattern` for an invalid pattern, or
    ///   `predicate.limit` if the patterns are too long.
    mutating func check(_ predicate: Predicate) throws(PredicateError) {
        switch predicate {
        case .constant: return
        case .not(let inner): try check(inner)
        case .and(let parts), .or(let parts): for part in parts { try check(part) }
        case .comparison(let it):
            if it.type == .matches, case .constant(.string(let pattern)) = it.right {
                length += pattern.utf8.count
                guard length <= MatchLimits.patternsOfAPredicate else {
                    throw PredicateError(
                        .limit,
                        "the patterns of MATCHES have more than "
                            + "\(MatchLimits.patternsOfAPredicate) bytes together",
                        near: "MATCHES", hint: "use several requests")
                }
                do throws(PredicateError) { try PatternMatcher.check(pattern, it.options) } catch {
                    var error = error
                    error.near = it.right.description
                    error.comparison = it
                    throw error
                }
            }
            try check(it.left)
            try check(it.right)
        }
    }

    mutating func check(_ expression: Expression) throws(PredicateError) {
        switch expression {
        case .constant, .evaluatedObject, .variable, .anyKey: return
        case .keyPath(let operand, _): try check(operand)
        case .function(_, let parts), .aggregate(let parts):
            for part in parts { try check(part) }
        case .subquery(let collection, _, let predicate):
            try check(collection)
            try check(predicate)
        case .conditional(let predicate, let yes, let no):
            try check(predicate)
            try check(yes)
            try check(no)
        case .set(_, let left, let right):
            try check(left)
            try check(right)
        case .index(let collection, let position):
            try check(collection)
            if case .at(let place) = position { try check(place) }
        case .assignment(_, let value): try check(value)
        }
    }
}
