/// The time that judging takes.

import StelePersistence
import StelePredicates
import SteleRequests
import SteleSystem

/// Watches the processor time of judging, on one thread. On a thread that others wait for, too much
/// time is an error, and with each slow filter that a turn finds, the next ones have half of the
/// time; on a thread for slow filters, each save has its time.
final class JudgingTime {
    /// Whether others wait for the thread.
    let isShared: Bool
    private let limits: JudgingLimits
    /// The limits where others wait, on a thread for slow filters.
    private let brief: JudgingLimits?
    private let isWanted: () -> Bool
    /// The moment of `MonotonicClock` after which another filter has its turn.
    private let turnEnd: UInt64
    /// The limits for these changes.
    private var current: JudgingLimits
    private var changes = 0
    private var isOpen = false
    /// When it began, on the monotonic clock.
    private var beganAt: UInt64 = 0
    /// How long judging has taken in this turn, in nanoseconds of elapsed time.
    private(set) var spent: UInt64 = 0
    /// How many slow ones this turn has found, on a thread that others wait for.
    private var slowOnes = 0
    private var start: UInt64 = 0
    private var allowed: UInt64 = 0
    /// The moment of `MonotonicClock` at which the processor time is asked for next: it passes no
    /// faster.
    private var lookAt: UInt64 = 0
    /// Whether the time is over.
    private(set) var isOver = false
    /// Whether some changes took longer than is allowed where others wait.
    private(set) var isSlow = false

    /// How often the time is halved in a turn at most.
    private static let mostHalvings = 5
    /// How often a thread for slow filters asks whether the result is still wanted.
    private static let askNanoseconds: UInt64 = 20_000_000
    /// Steps of a `ReadBudget` that take a millisecond.
    private static let stepsAMillisecond = 30_000

    /// For a turn of a thread that others wait for.
    init(shared limits: JudgingLimits) {
        self.limits = limits
        current = limits
        isShared = true
        brief = nil
        isWanted = { true }
        turnEnd = .max
    }

    /// For a thread for slow filters.
    /// - Parameters:
    ///   - brief: the limits where others wait.
    ///   - turn: nanoseconds after which another filter has its turn; nil where that is not asked.
    ///   - isWanted: is asked from time to time; judging ends where the answer is no.
    init(
        slow limits: JudgingLimits, beyond brief: JudgingLimits, turn: UInt64? = nil,
        while isWanted: @escaping () -> Bool
    ) {
        self.limits = limits
        current = limits
        self.brief = brief
        self.isWanted = isWanted
        isShared = false
        turnEnd = turn.map { MonotonicClock.now &+ $0 } ?? .max
    }

    /// Begins the time for some changes.
    func begin(changes: Int) {
        self.changes = changes
        current = limits.divided(by: 1 << UInt64(min(slowOnes, Self.mostHalvings)))
        allowed = current.nanoseconds(changes: changes)
        isOver = false
        isOpen = true
        start = ThreadClock.now
        beganAt = MonotonicClock.now
        lookAt = beganAt &+ min(allowed, Self.askNanoseconds)
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
        var match = current.match(changes: changes)
        guard !isShared else { return match }
        match.isOfProcessor = true
        // Between two objects the time itself ends.
        match.statementNanoseconds *= 2
        return match
    }

    /// Runs the closure, whose time does not count: it makes what is made once for all changes.
    func leavingOut<Result, E: Error>(_ body: () throws(E) -> Result) throws(E) -> Result {
        let before = ThreadClock.now
        defer {
            start &+= ThreadClock.now &- before
            lookAt = MonotonicClock.now
        }
        return try body()
    }

    /// - Throws: `.overBudget` where the result is no longer wanted, and on a thread that others wait
    ///   for.
    func demandWanted() throws(StoreError) {
        guard !isShared, isWanted() else { throw .overBudget }
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
    /// - Returns: on a thread for slow filters, whether they took longer than is allowed where
    ///   others wait.
    @discardableResult
    func end() -> Bool {
        guard isOpen else { return false }
        isOpen = false
        spent &+= MonotonicClock.now &- beganAt
        guard let brief else { return false }
        let isLong = ThreadClock.now &- start > brief.nanoseconds(changes: changes)
        isSlow = isSlow || isLong
        return isLong
    }

    /// Ends the time of these changes, which was too little.
    func endAsSlow() {
        end()
        if isShared { slowOnes += 1 }
    }

    /// Whether a turn has found so many slow ones that others are to have one.
    var isCrowded: Bool { slowOnes >= Self.mostHalvings }

    /// - Throws: `.overBudget` where the time is over.
    func demand() throws(StoreError) {
        guard isLeft() else { throw .overBudget }
    }

    /// Whether another filter has its turn.
    var isTurnOver: Bool { MonotonicClock.now >= turnEnd }
}
