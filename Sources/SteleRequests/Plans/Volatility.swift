/// Whether an answer may change although the store does not.

import StelePredicates

extension FetchRequest {
    /// Whether the request calls a function whose value changes although the store does not.
    var isVolatile: Bool {
        let expressions =
            sortDescriptors.map(\.expression) + propertiesToFetch.map(\.expression)
            + propertiesToGroupBy
        return expressions.contains { $0.contains(where: \.isVolatileCall) }
            || [predicate, havingPredicate].contains { $0?.isVolatile ?? false }
    }
}

extension Predicate {
    /// Whether the predicate calls a function whose value changes although the store does not.
    var isVolatile: Bool { contains(where: \.isVolatileCall) }
}

extension Expression {
    fileprivate var isVolatileCall: Bool {
        guard case .function(let name, _) = self else { return false }
        return switch PredicateFunction(rawValue: name) {
        case .now, .random, .randomBelow: true
        default: false
        }
    }
}
