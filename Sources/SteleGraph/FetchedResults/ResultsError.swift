/// Why a result cannot be followed.

/// What following a result fails with, beside what its store throws.
public enum ResultsError: Error, Sendable, Equatable {
    /// More rows match than the query lets be followed.
    case tooManyRows(maximum: Int)
}
