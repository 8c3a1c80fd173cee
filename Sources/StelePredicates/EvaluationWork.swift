/// How much an evaluator in memory may do: as much as a statement in SQL, in time.

import SteleSystem

/// The work of one evaluator, which a key path over many to-manys could make endless; one thread.
final class EvaluationWork {
    /// Seconds for all objects together, as for a statement.
    private static let seconds: UInt64 = 30
    /// How many elements are passed between two looks at the clock.
    private static let stride = 4_096

    private var steps = 0
    private var end: UInt64 = 0

    /// One more element of a collection.
    ///
    /// - Parameter count: how many the collection has already.
    /// - Throws: `PredicateError` with code `predicate.limit` where there are too many, or where it
    ///   takes too long.
    @inline(__always)
    func take(_ count: Int) throws(PredicateError) {
        steps &+= 1
        if count >= PredicateLimits.elements || steps & (Self.stride - 1) == 0 {
            try check(count)
        }
    }

    private func check(_ count: Int) throws(PredicateError) {
        let now = MonotonicClock.now
        if end == 0 { end = now + Self.seconds * 1_000_000_000 }
        guard count >= PredicateLimits.elements || now > end else { return }
        throw PredicateError(
            .limit,
            now > end
                ? "the predicate ran longer than \(Self.seconds) s"
                : "a collection has more than \(PredicateLimits.elements) elements",
            hint: "cross fewer to-many relationships in one key path")
    }
}
