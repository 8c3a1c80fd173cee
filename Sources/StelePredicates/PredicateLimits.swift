/// The limits on the size and depth of predicates, expressions and lists.
package enum PredicateLimits {
    /// The maximum length of a text, in UTF-8 bytes: 1 MiB.
    package static let textLength = 1 << 20
    /// The maximum length of the values of variables and the expressions of aliases in a request,
    /// each counted as often as it is used, in bytes: 4 MiB. Planning looks at them at each use.
    package static let usedBytes = 4 << 20
    /// The maximum nesting of parentheses, NOT, function calls and the like.
    package static let nesting = 100
    /// The maximum height of a tree of arithmetic operators, indexes and sets: `a + b + c + d` has
    /// three. AND and OR are not limited.
    package static let depth = 256
    /// The maximum height of a tree of conditions and expressions, however it was made: what the
    /// parser reads is lower.
    package static let height = 512
    /// The maximum number of comparisons in a predicate: SQLite's time to prepare them is
    /// quadratic. A list of values is one comparison. One that stands beside a list under ANY or
    /// ALL counts once for each item.
    package static let comparisons = 4_000
    /// The maximum number of elements of a list that contains other expressions than literals, such
    /// as `{goals, salary}`.
    package static let listedExpressions = 4_000
    /// The maximum number of steps of LIKE for one text, in addition to eight for each byte of text
    /// and pattern. It corresponds to some hundredths of a second, which no useful pattern needs.
    package static let likeSteps = 4_000_000
    /// The maximum number of elements of a collection that is evaluated in memory.
    package static let elements = 1_000_000
    /// The maximum number of keys in a key path.
    package static let keyPathLength = 32
}
