// A stand-in for `Synchronization.Mutex` that the thread sanitizer can see into.

#if STELE_THREAD_SANITIZER
    import Glibc

    // @unchecked: `value` is accessed under `mutex` alone.
    /// A mutex in the shape of `Synchronization.Mutex`, around a POSIX one.
    ///
    /// Under contention the kernel takes the library's mutex and hands it on (FUTEX_LOCK_PI). That
    /// code is not instrumented, so the thread sanitizer reports a race where two threads compete for it.
    /// It knows `pthread_mutex_lock`. In builds with `-Xswiftc -DSTELE_THREAD_SANITIZER`
    /// (`make sanitize`), and in no other, this type hides the library's.
    public final class Mutex<Value>: @unchecked Sendable {
        // A pointer, because a stored value of size zero (`Mutex<Void>`) lies at the object's own
        // address, where the sanitizer takes the runtime's reads for a race.
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

        /// Runs `body` on the value while no other thread can.
        /// - Throws: what `body` throws.
        public func withLock<R, E: Error>(
            _ body: (inout sending Value) throws(E) -> sending R
        ) throws(E) -> sending R {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    }
#endif
