/// Text against a model's regular expression, as a whole and in bounded time.

import StelePredicates

/// What came of matching.
enum PatternMatch: Sendable {
    case matches, differs
    /// It ran longer than the limit and was stopped, or took more memory than it may.
    case tooSlow
    /// The pattern is no regular expression.
    case unreadable

    /// Patterns come from the model, so they may be of any length, and one value takes 100 ms.
    private static let limits = {
        var limits = MatchLimits.standard
        limits.matchNanoseconds = 100_000_000
        limits.patternLength = 1 << 20
        return limits
    }()

    /// Matches the whole text (MATCHES), with ICU's syntax.
    static func of(_ text: String, _ pattern: String) -> PatternMatch {
        do {
            return try PatternMatcher(limits).matches(text, pattern) ? .matches : .differs
        } catch {
            return error.code == PredicateError.Code.pattern.rawValue ? .unreadable : .tooSlow
        }
    }
}
