// A stand-in for `Synchronization.Mutex` that the thread sanitizer can see into.

#if STELE_THREAD_SANITIZER
    import Glibc

    /// Under contention the library's mutex is taken by the kernel (FUTEX_LOCK_PI), which the
    /// sanitizer does not see, so that it reports a race wherever two threads really met. A POSIX
    /// mutex it knows. For `swift test --sanitize=thread -Xswiftc -DSTELE_THREAD_SANITIZER`.
    // @unchecked: `value` is touched under `mutex` alone.
    final class Mutex<Value>: @unchecked Sendable {
        private var value: Value
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>

        init(_ value: consuming sending Value) {
            self.value = value
            mutex = .allocate(capacity: 1)
            pthread_mutex_init(mutex, nil)
        }

        deinit {
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        func withLock<R, E: Error>(
            _ body: (inout sending Value) throws(E) -> sending R
        ) throws(E) -> sending R {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value)
        }
    }
#endif
