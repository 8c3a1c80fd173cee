import SteleSystem

/// The work limit of one evaluator, for one thread. Key paths across several to-many relationships
/// could otherwise run without bound.
final class EvaluationWork {
    /// How many elements are processed between two readings of the clock.
    private static let stride = 4_096

    private var steps = 0
    private var end: UInt64 = 0

    /// Counts another element of a collection.
    ///
    /// - Parameter count: the number of elements that the collection already has.
    /// - Throws: `PredicateError` with code `predicate.limit` if there are too many elements or the
    ///   time is over.
    @inline(__always)
    func take(_ count: Int) throws(PredicateError) {
        steps &+= 1
        if count >= PredicateLimits.elements || steps & (Self.stride - 1) == 0 {
            try check(count)
        }
    }

    private func check(_ count: Int) throws(PredicateError) {
        let now = MonotonicClock.now
        if end == 0 { end = now + StatementTime.limit }
        guard count >= PredicateLimits.elements || now > end else { return }
        throw PredicateError(
            .limit,
            now > end
                ? "the predicate took longer than \(StatementTime.text)"
                : "a collection has more than \(PredicateLimits.elements) elements",
            hint: "cross fewer to-many relationships in one key path")
    }
}
