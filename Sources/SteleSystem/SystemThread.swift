/// POSIX threads.

import CLinux
import Glibc

/// A thread with a name, which takes no signals and can be waited for.
public final class SystemThread: Sendable {
    private let handle: Mutex<pthread_t?>

    /// Starts a thread; nil where the system cannot create one. The thread goes on where the
    /// `SystemThread` is released.
    ///
    /// - Parameters:
    ///   - name: what `top -H` and debuggers show; 15 bytes at most.
    ///   - stackBytes: the size of its stack, 64 KiB at least; nil is the system's default, mostly
    ///     8 MiB.
    ///   - body: what the thread runs, once.
    public init?(name: String, stackBytes: Int? = nil, _ body: @escaping @Sendable () -> Void) {
        var attributes = pthread_attr_t()
        guard pthread_attr_init(&attributes) == 0 else { return nil }
        defer { pthread_attr_destroy(&attributes) }
        if let stackBytes { pthread_attr_setstacksize(&attributes, max(stackBytes, 64 << 10)) }
        let start = Unmanaged.passRetained(
            Start {
                stele_name_thread(name)
                body()
            })
        var thread = pthread_t()
        let status = Self.withSignalsBlocked {
            pthread_create(&thread, &attributes, threadMain, start.toOpaque())
        }
        guard status == 0 else {
            start.release()
            return nil
        }
        handle = Mutex(thread)
    }

    /// Waits until the body has returned. Further calls return at once.
    public func join() {
        let thread: pthread_t? = handle.withLock { handle in
            defer { handle = nil }
            return handle
        }
        if let thread { pthread_join(thread, nil) }
    }

    deinit {
        handle.withLock { handle in
            if let handle { pthread_detach(handle) }
        }
    }

    /// Runs `body` with all signals blocked but SIGBUS: threads that it creates inherit the mask.
    public static func withSignalsBlocked<R>(_ body: () -> R) -> R {
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        // The system ends the process for a blocked one, and does not call its handler.
        sigdelset(&all, SIGBUS)
        pthread_sigmask(SIG_BLOCK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        return body()
    }

    /// Lets other threads of the machine go first, for the caller's thread (`nice`). It cannot be
    /// undone.
    public static func lowerPriority() {
        // On Linux the priority is that of a thread.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    }

    /// Identifies the caller's thread while it runs; never 0.
    public static var current: UInt { UInt(pthread_self()) }
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
