import SteleSystem

/// The limits of MATCHES: how long a match may run, and on how much text.
public struct MatchLimits: Sendable, Hashable {
    /// The time limit for one text, in nanoseconds.
    public var matchNanoseconds: UInt64
    /// The time limit for all texts of a statement, including the compilation of patterns, in
    /// nanoseconds.
    public var statementNanoseconds: UInt64
    /// The maximum length of a text, in UTF-8 bytes.
    public var textLength: Int
    /// The maximum length of a text, in UTF-8 bytes, if the pattern has a back reference (`\1`).
    /// Such a match takes quadratic time, in which ICU cannot be stopped.
    public var referringTextLength: Int
    /// The maximum length of a pattern that is not compiled yet, in UTF-8 bytes.
    public var patternLength: Int

    /// Whether time is the processor time of the thread, for one that others go before. Asking for
    /// it takes longer than asking for elapsed time.
    public var isOfProcessor = false

    /// The time by which the limits are counted.
    var now: UInt64 { isOfProcessor ? ThreadClock.now : MonotonicClock.now }

    /// The limits of a statement on a thread of its own: 200 ms for a text, 2 s for all texts,
    /// texts up to 16 MiB (4 KiB with a back reference), patterns up to 1,000 bytes, which ICU
    /// compiles in at most 25 ms.
    public static let standard = MatchLimits(
        matchNanoseconds: 200_000_000, statementNanoseconds: 2_000_000_000,
        textLength: 16 << 20, referringTextLength: 4_096, patternLength: 1_000)

    /// The limits on a thread that serves other requests too: 2 ms for a text, 4 ms for all texts.
    public static let brief = MatchLimits(
        matchNanoseconds: 2_000_000, statementNanoseconds: 4_000_000,
        textLength: 64 << 10, referringTextLength: 256, patternLength: 50)

    /// The maximum length of all patterns in one predicate or expression together, in UTF-8 bytes.
    static let patternsOfAPredicate = 4_000
}
