// Plain POSIX threads with a stated stack: a request runs on one from its first line to its last.

import CLinux
import Glibc

enum SystemThread {
    /// Starts a detached thread that takes no signals (those are for whoever runs the process).
    /// Returns false when the system has no thread to give.
    ///
    /// - Parameter name: what `top -H` and a debugger show; 15 bytes at most.
    static func start(
        name: String, stackBytes: Int, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return false }
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, max(stackBytes, 64 << 10))
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let start = Unmanaged.passRetained(
            Start {
                stele_name_thread(name)
                body()
            })
        var thread = pthread_t()
        let status = withSignalsBlocked {
            pthread_create(&thread, &attributes, threadMain, start.toOpaque())
        }
        guard status == 0 else {
            start.release()
            return false
        }
        return true
    }

    /// Threads inherit the mask of the one that makes them.
    static func withSignalsBlocked<R>(_ body: () -> R) -> R {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body()
    }
}

private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func threadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
    return nil
}
