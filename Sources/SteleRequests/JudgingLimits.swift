/// How long judging may take.

import StelePredicates

/// The processor time for judging one filter of the change feed, or one live query. Elapsed time
/// would be mostly that of other threads on a busy machine.
public struct JudgingLimits: Sendable, Hashable {
    /// Nanoseconds for a save of any size.
    public var nanoseconds: UInt64
    /// Nanoseconds more for each change of a save.
    public var nanosecondsAChange: UInt64
    /// Nanoseconds for one text of a MATCHES: of elapsed time where others wait.
    public var matchNanoseconds: UInt64

    /// Creates limits.
    public init(nanoseconds: UInt64, nanosecondsAChange: UInt64, matchNanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
        self.nanosecondsAChange = nanosecondsAChange
        self.matchNanoseconds = matchNanoseconds
    }

    /// A part of the time.
    package func divided(by parts: UInt64) -> JudgingLimits {
        JudgingLimits(
            nanoseconds: nanoseconds / parts, nanosecondsAChange: nanosecondsAChange / parts,
            matchNanoseconds: matchNanoseconds / parts)
    }

    /// The same, but no longer than that for a save.
    package func within(nanoseconds most: UInt64) -> JudgingLimits {
        JudgingLimits(
            nanoseconds: min(nanoseconds, most),
            nanosecondsAChange: most < nanoseconds ? 0 : nanosecondsAChange,
            matchNanoseconds: matchNanoseconds)
    }

    /// The nanoseconds for so many changes.
    package func nanoseconds(changes: Int) -> UInt64 {
        nanoseconds + nanosecondsAChange * UInt64(changes)
    }

    /// The limits of MATCHES for so many changes.
    package func match(changes: Int) -> MatchLimits {
        var limits = MatchLimits.standard
        limits.matchNanoseconds = matchNanoseconds
        limits.statementNanoseconds = nanoseconds(changes: changes)
        // In a match with a back reference ICU cannot be stopped.
        if matchNanoseconds < MatchLimits.standard.matchNanoseconds {
            limits.referringTextLength = MatchLimits.brief.referringTextLength
        }
        return limits
    }
}
