/// What is known of a condition or an expression from its parts.
///
/// A comparison finds it once, when it is made. So what is asked of a condition ends at its
/// comparisons, and does not go through what is nested in them: through SUBQUERY and TERNARY, which
/// contain comparisons, it would otherwise take time that doubles with each level.
package struct PredicateTraits: Sendable {
    /// Whether a comparison inside uses a regular expression.
    package private(set) var hasPatterns = false
    /// Whether the evaluation may end with an error, such as a MATCHES that takes too long.
    package private(set) var mayFail = false
    /// Whether it depends on the evaluated object.
    package private(set) var readsObject = false
    /// The names of the free variables. Those of SUBQUERY are not free.
    package private(set) var freeVariables: Set<String> = []

    /// Whether it is the same for all objects, and for all but the given variables.
    package func isInside(_ variables: Set<String>) -> Bool {
        !readsObject && freeVariables.isSubset(of: variables)
    }

    init() {}

    /// The traits of a comparison.
    init(_ left: Expression, _ type: Comparison.Operator, _ right: Expression) {
        hasPatterns = type == .matches
        mayFail = type == .matches || type == .like && !Self.isPlainPattern(right)
        add(left, 0)
        add(right, 0)
    }

    /// Whether LIKE with the pattern never takes too long.
    private static func isPlainPattern(_ pattern: Expression) -> Bool {
        guard case .constant(.string(var text)) = pattern else { return false }
        return text.withUTF8 { TextComparison.likeShape($0) != nil }
    }

    private mutating func add(_ other: PredicateTraits, without variable: String? = nil) {
        hasPatterns = hasPatterns || other.hasPatterns
        mayFail = mayFail || other.mayFail
        readsObject = readsObject || other.readsObject
        guard !other.freeVariables.isEmpty else { return }
        var free = other.freeVariables
        if let variable { free.remove(variable) }
        freeVariables.formUnion(free)
    }

    /// Takes what is too deep to be looked at, and will be refused, for all that it may be.
    private mutating func addUnknown() { (hasPatterns, mayFail, readsObject) = (true, true, true) }

    mutating func add(_ predicate: Predicate, _ depth: Int) {
        guard depth < PredicateLimits.height else { return addUnknown() }
        switch predicate {
        case .constant: break
        case .comparison(let it): add(it.traits)
        case .and(let parts), .or(let parts): for part in parts { add(part, depth + 1) }
        case .not(let inner): add(inner, depth + 1)
        }
    }

    mutating func add(_ expression: Expression, _ depth: Int) {
        guard depth < PredicateLimits.height else { return addUnknown() }
        switch expression {
        case .constant, .anyKey: break
        case .evaluatedObject: readsObject = true
        case .variable(let name): freeVariables.insert(name)
        case .keyPath(let operand, _): add(operand, depth + 1)
        case .function(let name, let arguments):
            // The least integer has no absolute value. All other functions have a value or null.
            mayFail = mayFail || name == PredicateFunction.absolute.rawValue
            for argument in arguments { add(argument, depth + 1) }
        case .aggregate(let items): for item in items { add(item, depth + 1) }
        case .subquery(let collection, let variable, let predicate):
            add(collection, depth + 1)
            var inner = PredicateTraits()
            inner.add(predicate, depth + 1)
            add(inner, without: variable)
        case .conditional(let predicate, let yes, let no):
            add(predicate, depth + 1)
            add(yes, depth + 1)
            add(no, depth + 1)
        case .set(_, let left, let right):
            add(left, depth + 1)
            add(right, depth + 1)
        case .index(let collection, let position):
            add(collection, depth + 1)
            if case .at(let place) = position { add(place, depth + 1) }
        case .assignment(_, let value):
            readsObject = true
            add(value, depth + 1)
        }
    }
}

extension Predicate {
    /// What is known of the predicate from its comparisons.
    package var traits: PredicateTraits {
        var traits = PredicateTraits()
        traits.add(self, 0)
        return traits
    }

    /// Whether a comparison inside uses a regular expression.
    package var hasPatterns: Bool { traits.hasPatterns }

    /// The names of the free variables, which need a value. Variables of SUBQUERY are not free.
    public var freeVariables: Set<String> { traits.freeVariables }
}

extension Expression {
    /// What is known of the expression from its parts.
    package var traits: PredicateTraits {
        var traits = PredicateTraits()
        traits.add(self, 0)
        return traits
    }

    /// Whether a predicate inside compares with a regular expression.
    package var hasPatterns: Bool { traits.hasPatterns }

    /// The names of the free variables, as those of a predicate.
    package var freeVariables: Set<String> { traits.freeVariables }
}
