import Glibc
import SteleSystem

/// The limit on the planning of one request: on checking its predicates, weaving rights into them,
/// and translating them. It belongs to a thread while that plans, because planning goes through
/// values that know no request.
package final class PlanningWork {
    /// How many steps are taken between two readings of the clock.
    private static let stride = 1_024
    private let limit: Int
    private let nanoseconds: UInt64
    private let askNanoseconds: UInt64
    private let isWanted: (() -> Bool)?
    private var end: UInt64
    private var askAt: UInt64
    /// The step at which the limits are looked at next.
    private var next: Int
    /// The nodes of predicates and expressions that planning has looked at so far.
    package private(set) var steps = 0
    /// How much of what a request has once has been looked at so far, each time that it was.
    private var repeated = 0
    /// Why planning has ended before it was done; nil where it has not. Each further step ends it
    /// again: whoever has taken the first error for something else gets no further.
    package private(set) var over: PredicateError?
    /// How often a walk has gone into a side of a comparison. It is counted where there are no
    /// optimizations, for tests, which find a walk within a walk by it.
    package private(set) var visits = 0

    /// - Parameters:
    ///   - limit: the most steps, of all that is planned.
    ///   - nanoseconds: how long one predicate may take.
    ///   - askNanoseconds: how long it is planned before somebody is asked again.
    ///   - isWanted: whether somebody waits for the plan. It is asked on the thread that plans.
    package init(
        steps limit: Int = .max, nanoseconds: UInt64 = StatementTime.limit,
        asking askNanoseconds: UInt64 = 50_000_000, while isWanted: (() -> Bool)? = nil
    ) {
        self.limit = limit
        self.nanoseconds = nanoseconds
        self.askNanoseconds = askNanoseconds
        self.isWanted = isWanted
        let now = MonotonicClock.now
        end = now &+ nanoseconds
        askAt = now &+ askNanoseconds
        next = limit < Self.stride ? limit + 1 : Self.stride
    }

    /// Runs `body`, whose planning on this thread is limited.
    package func run<R>(_ body: () throws -> R) rethrows -> R {
        let outer = pthread_getspecific(Self.key)
        pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
        defer { pthread_setspecific(Self.key, outer) }
        return try withExtendedLifetime(self) { try body() }
    }

    /// The work of the planning on this thread; nil where it has no limit.
    package static var current: PlanningWork? {
        pthread_getspecific(key).map {
            Unmanaged<PlanningWork>.fromOpaque($0).takeUnretainedValue()
        }
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// Begins with a predicate, whose time begins.
    package static func begin() {
        guard let current else { return }
        current.end = MonotonicClock.now &+ current.nanoseconds
    }

    /// Counts a node that planning looks at.
    /// - Throws: `PredicateError` with code `predicate.limit` if the steps or the time are used up,
    ///   or nobody waits for the plan.
    @inline(__always)
    package static func step() throws(PredicateError) {
        guard let current else { return }
        try current.step()
    }

    private func step() throws(PredicateError) {
        steps &+= 1
        if steps >= next { try look() }
    }

    /// Counts the use of what a request has once and planning looks at wherever it is used: the
    /// value of a variable, and the expression of an alias.
    /// - Parameter size: about the bytes of its text.
    /// - Throws: `PredicateError` with code `predicate.limit` if that is too much in all.
    package static func use(_ size: Int) throws(PredicateError) {
        guard let current else { return }
        current.repeated += size
        if current.repeated > PredicateLimits.usedBytes {
            try current.stop(
                "variables and aliases have more than \(PredicateLimits.usedBytes >> 20) MiB, each "
                    + "counted as often as it is used")
        }
    }

    private func look() throws(PredicateError) {
        if let over { throw over }
        let now = MonotonicClock.now
        if steps > limit {
            try stop("planning the request takes more than \(limit) steps")
        }
        if now > end {
            try stop("planning the request took longer than \(StatementTime.text)")
        }
        if now > askAt, let isWanted {
            askAt = now &+ askNanoseconds
            if !isWanted() { try stop("the client has gone before its request was planned") }
        }
        next = limit - steps < Self.stride ? limit + 1 : steps + Self.stride
    }

    private func stop(_ message: String) throws(PredicateError) {
        let error = PredicateError(.limit, message, hint: "split it into several requests")
        (over, next) = (error, 0)
        throw error
    }

    /// Whether planning has ended before it was done.
    package var isOver: Bool { over != nil }

    func noteVisit() { visits &+= 1 }
}
