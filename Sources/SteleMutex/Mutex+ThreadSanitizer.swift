// A stand-in for `Synchronization.Mutex` that the thread sanitizer can see into.

#if STELE_THREAD_SANITIZER
    import Glibc

    /// A mutex in the shape of `Synchronization.Mutex`, around a POSIX one.
    ///
    /// Under contention the library's mutex is taken and handed on by the kernel (FUTEX_LOCK_PI)
    /// in code that is not instrumented, so that the thread sanitizer reports a race wherever two
    /// threads really met. It knows `pthread_mutex_lock`. This type hides the library's for all
    /// who import this module, in builds with `-Xswiftc -DSTELE_THREAD_SANITIZER` (`make sanitize`)
    /// and in no other.
    // @unchecked: `value` is touched under `mutex` alone.
    public final class Mutex<Value>: @unchecked Sendable {
        // Not a stored value: one of no size (`Mutex<Void>`) would lie at the object's own address,
        // and what the runtime reads there would be taken for a race with it.
        private let value: UnsafeMutablePointer<Value>
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>

        /// A mutex around `value`.
        public init(_ value: consuming sending Value) {
            self.value = .allocate(capacity: 1)
            self.value.initialize(to: value)
            mutex = .allocate(capacity: 1)
            pthread_mutex_init(mutex, nil)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
            value.deinitialize(count: 1)
            value.deallocate()
        }

        /// Runs `body` on the value while no other thread can; what `body` throws is thrown.
        public func withLock<R, E: Error>(
            _ body: (inout sending Value) throws(E) -> sending R
        ) throws(E) -> sending R {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    }
#endif
