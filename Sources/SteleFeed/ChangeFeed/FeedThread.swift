/// The feed's one thread.

import Glibc
import SteleSystem

/// A POSIX thread that takes no signals and can be waited for.
final class FeedThread: Sendable {
    private let handle: Mutex<pthread_t?>

    /// Starts the thread; nil when the system has none to give.
    package init?(_ body: @escaping @Sendable () -> Void) {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let start = Unmanaged.passRetained(Start(body))
        var thread = pthread_t()
        guard pthread_create(&thread, nil, feedThreadMain, start.toOpaque()) == 0 else {
            start.release()
            return nil
        }
        handle = Mutex(thread)
    }

    /// Waits until the thread has ended.
    func join() {
        let thread: pthread_t? = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        if let thread { pthread_join(thread, nil) }
    }

    /// Who is never waited for leaves nothing behind when it ends.
    deinit {
        handle.withLock { handle in
            if let handle { pthread_detach(handle) }
        }
    }
}

private final class Start: Sendable {
    package let body: @Sendable () -> Void
    package init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func feedThreadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
    return nil
}
