import StelePredicates

/// The result of matching text against a model's regular expression, in bounded time.
enum PatternMatch: Sendable {
    case matches, differs
    /// Matching exceeded its time or memory limit.
    case tooSlow
    /// The pattern is not a valid regular expression.
    case unreadable

    /// Patterns come from the model and may be long. Matching one value may take 100 ms.
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
