/// The bounds within which MATCHES must stay.

/// How long a regular expression may run, and on how much.
public struct MatchLimits: Sendable, Hashable {
    /// Nanoseconds for one text.
    public var matchNanoseconds: UInt64
    /// Nanoseconds for all texts of one statement, the compiling of patterns included.
    public var statementNanoseconds: UInt64
    /// The most UTF-8 bytes of a text.
    public var textLength: Int
    /// The same where the pattern refers back to a group (`\1`), which takes ICU a length's square
    /// of steps in which it cannot be stopped.
    public var referringTextLength: Int
    /// The most UTF-8 bytes of a pattern that is not compiled yet.
    public var patternLength: Int

    /// What a statement with a thread of its own may take: 200 ms a text, 2 s together, texts up
    /// to 16 MiB (4 KiB where the pattern refers back), patterns up to 1,000 bytes, which ICU
    /// compiles in some 25 ms at worst.
    public static let standard = MatchLimits(
        matchNanoseconds: 200_000_000, statementNanoseconds: 2_000_000_000,
        textLength: 16 << 20, referringTextLength: 4_096, patternLength: 1_000)

    /// What a reading may take on a thread that others wait for: 2 ms a text, 4 ms together, and
    /// nothing that could take longer unasked.
    public static let brief = MatchLimits(
        matchNanoseconds: 2_000_000, statementNanoseconds: 4_000_000,
        textLength: 64 << 10, referringTextLength: 256, patternLength: 50)

    /// The most UTF-8 bytes of all patterns that one predicate or expression names itself.
    public static let patternsOfAPredicate = 4_000
}
