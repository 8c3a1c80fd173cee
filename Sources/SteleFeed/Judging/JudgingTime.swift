/// The time that judging takes.

import StelePersistence
import StelePredicates
import SteleRequests
import SteleSystem

/// Watches the processor time of judging, on one thread. On a thread that others wait for, too much
/// time is an error; on a thread for slow filters, each save has its time.
final class JudgingTime {
    /// Whether others wait for the thread.
    let isShared: Bool
    private let limits: JudgingLimits
    /// The limits where others wait, on a thread for slow filters.
    private let brief: JudgingLimits?
    private let isWanted: () -> Bool
    /// The moment of `MonotonicClock` after which another filter has its turn.
    private let turnEnd: UInt64
    private var changes = 0
    private var start: UInt64 = 0
    private var allowed: UInt64 = 0
    /// The moment of `MonotonicClock` at which the processor time is asked for next: it passes no
    /// faster.
    private var lookAt: UInt64 = 0
    /// Whether the time is over.
    private(set) var isOver = false
    /// Whether some changes took longer than is allowed where others wait.
    private(set) var isSlow = false

    /// How often a thread for slow filters asks whether the result is still wanted.
    private static let askNanoseconds: UInt64 = 20_000_000
    /// Steps of a `ReadBudget` that take a millisecond.
    private static let stepsAMillisecond = 30_000

    /// For a thread that others wait for.
    /// - Parameter isShort: whether there is a quarter of the time only.
    init(shared limits: JudgingLimits, isShort: Bool = false) {
        self.limits = isShort ? limits.quarter : limits
        isShared = true
        brief = nil
        isWanted = { true }
        turnEnd = .max
    }

    /// For a thread for slow filters.
    /// - Parameters:
    ///   - brief: the limits where others wait.
    ///   - turn: nanoseconds after which another filter has its turn.
    ///   - isWanted: is asked from time to time; judging ends where the answer is no.
    init(
        slow limits: JudgingLimits, beyond brief: JudgingLimits, turn: UInt64,
        while isWanted: @escaping () -> Bool
    ) {
        self.limits = limits
        self.brief = brief
        self.isWanted = isWanted
        isShared = false
        turnEnd = MonotonicClock.now &+ turn
    }

    /// Begins the time for some changes.
    func begin(changes: Int) {
        self.changes = changes
        allowed = limits.nanoseconds(changes: changes)
        isOver = false
        start = ThreadClock.now
        lookAt = MonotonicClock.now &+ min(allowed, Self.askNanoseconds)
    }

    /// The budget of reading for it, on a thread that others wait for: a bound for one statement,
    /// between two looks at the time.
    func reading(changes: Int) -> ReadBudget? {
        guard isShared else { return nil }
        let allowed = limits.nanoseconds(changes: changes)
        return ReadBudget(
            steps: Int(allowed / 1_000_000 + 1) * Self.stepsAMillisecond,
            nanoseconds: 10 * allowed, mayWait: true)
    }

    /// The limits of MATCHES for these changes.
    var match: MatchLimits {
        var match = limits.match(changes: changes)
        match.isOfProcessor = !isShared
        return match
    }

    /// Whether there is time for another object. Once there is none, there is none for the rest.
    func isLeft() -> Bool {
        guard !isOver else { return false }
        let now = MonotonicClock.now
        guard now >= lookAt else { return true }
        let used = ThreadClock.now &- start
        isOver = used >= allowed || !isWanted()
        lookAt = now &+ min(allowed &- min(used, allowed), Self.askNanoseconds)
        return !isOver
    }

    /// Ends the time of these changes.
    /// - Returns: whether they took longer than is allowed where others wait.
    @discardableResult
    func end() -> Bool {
        guard let brief else { return false }
        let isLong = ThreadClock.now &- start > brief.nanoseconds(changes: changes)
        isSlow = isSlow || isLong
        return isLong
    }

    /// - Throws: `.overBudget` where the time is over.
    func demand() throws(StoreError) {
        guard isLeft() else { throw .overBudget }
    }

    /// Whether another filter has its turn.
    var isTurnOver: Bool { MonotonicClock.now >= turnEnd }
}
