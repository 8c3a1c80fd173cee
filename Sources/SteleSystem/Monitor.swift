/// State under a lock, and waiting until it satisfies a condition.

import Glibc

// @unchecked: `state` is accessed under `mutex` alone; the pointers never change.
/// State behind a POSIX mutex with a condition variable.
///
/// `Mutex` is enough where no thread waits for a change of the state. A change that another thread
/// may wait for is followed by `signal` or `broadcast`.
public final class Monitor<State: Sendable>: @unchecked Sendable {
    @usableFromInline var state: State
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let condition: UnsafeMutablePointer<pthread_cond_t>

    /// A monitor of `state`.
    public init(_ state: State) {
        self.state = state
        mutex = .allocate(capacity: 1)
        condition = .allocate(capacity: 1)
        pthread_mutex_init(mutex, nil)
        // Deadlines are monotonic: setting the time of day must not end or prolong a wait.
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

    /// Runs `body` on the state while no other thread has access to it.
    /// - Throws: what `body` throws.
    @inlinable
    public func withLock<R, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Waits until `ready` holds or the deadline is past, then runs `body` under the same lock.
    /// - Parameters:
    ///   - ready: the condition; evaluated under the lock, at first and after each signal.
    ///   - deadline: a moment of `MonotonicClock`; nil waits without end. It is evaluated only
    ///     where `ready` does not hold at first.
    ///   - body: its second argument is whether `ready` holds.
    /// - Throws: what `body` throws.
    @inlinable
    public func withLock<R, E: Error>(
        when ready: (State) -> Bool, until deadline: @autoclosure () -> UInt64? = nil,
        _ body: (inout State, Bool) throws(E) -> R
    ) throws(E) -> R {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        let isReady = ready(state) || waits(for: ready, until: deadline())
        return try body(&state, isReady)
    }

    /// Waits with the mutex locked; false where the deadline is past.
    @usableFromInline
    func waits(for ready: (State) -> Bool, until deadline: UInt64?) -> Bool {
        var isLate = false
        repeat {
            if let deadline {
                var time = timespec(
                    tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
                isLate = pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT
            } else {
                pthread_cond_wait(condition, mutex)
            }
            if ready(state) { return true }
        } while !isLate
        return false
    }

    /// Has one waiting thread evaluate its condition again.
    @inlinable
    public func signal() { pthread_cond_signal(condition) }

    /// Has all waiting threads evaluate their conditions again.
    @inlinable
    public func broadcast() { pthread_cond_broadcast(condition) }
}
