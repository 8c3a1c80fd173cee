/// The bounds within which a predicate must stay.

/// How long and how deep a predicate, an expression or a list of them may be.
public enum PredicateLimits {
    /// The most UTF-8 bytes of text: 1 MiB.
    public static let textLength = 1 << 20
    /// How deep parentheses, NOTs, function calls and the like may stand within one another.
    public static let nesting = 100
    /// How many operators of arithmetic, indexes and sets may stand on one another's results, as
    /// the three in `a + b + c + d`. AND and OR have no such bound.
    public static let depth = 256
    /// How many comparisons one predicate may have: what SQLite takes to plan and bind them grows
    /// with their square. A list of values is one comparison, however long.
    public static let comparisons = 4_000
    /// How many items a list may have that are not all literals, such as `{goals, salary}`.
    public static let listedExpressions = 4_000
    /// How often LIKE may look at a scalar of one text, beside eight times for each of text and
    /// pattern: what takes some hundredths of a second, and no useful pattern comes near.
    public static let likeSteps = 4_000_000
    /// How many elements a collection may have that a predicate asks of in memory.
    public static let elements = 1_000_000
    /// The most keys in one key path.
    public static let keyPathLength = 32
}
