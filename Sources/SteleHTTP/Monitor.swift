// A lock with a condition, for the few places of this target where a thread waits for another.

import Glibc

/// State behind a POSIX mutex, with waiting until it is as one needs it.
// @unchecked: `state` is read and written under `mutex` alone; the pointers never change.
final class Monitor<State: Sendable>: @unchecked Sendable {
    private var state: State
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init(_ state: State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        // Deadlines are monotonic: a step of the wall clock must not end or prolong a wait.
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func withLock<R>(_ body: (inout State) throws -> R) rethrows -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Waits until `ready` holds or the deadline (monotonic nanoseconds) is past, then runs `body`
    /// under the same lock; its second argument says whether `ready` holds.
    func withLock<R>(
        when ready: (State) -> Bool, until deadline: UInt64? = nil,
        _ body: (inout State, Bool) throws -> R
    ) rethrows -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        var holds = ready(state)
        while !holds {
            guard let deadline else {
                pthread_cond_wait(condition, mutex)
                holds = ready(state)
                continue
            }
            var time = timespec(
                tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
            let outcome = pthread_cond_timedwait(condition, mutex, &time)
            holds = ready(state)
            if outcome == ETIMEDOUT { break }
        }
        return try body(&state, holds)
    }

    func signal() { pthread_cond_signal(condition) }
    func broadcast() { pthread_cond_broadcast(condition) }
}

/// The monotonic clock, in nanoseconds.
func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
}

/// `seconds` from now on the monotonic clock; negative and absurd numbers are brought into range.
func monotonicDeadline(in seconds: Double) -> UInt64 {
    let bounded = seconds.isNaN ? 0 : min(max(seconds, 0), 1e9)
    return monotonicNanoseconds() &+ UInt64(bounded * 1e9)
}
