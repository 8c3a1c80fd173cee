/// A thread of the store's own.

import CLinux
import Glibc
import StelePersistence
import SteleSystem

/// A plain thread that runs one closure, and can be waited for once.
final class StoreThread: Sendable {
    private let handle: Mutex<pthread_t?>

    /// - Parameters:
    ///   - name: what `top -H` and a debugger show; 15 bytes at most.
    ///   - body: what it runs; called once, on the new thread.
    /// - Throws: `.failed` where the system has no thread to give.
    init(name: String, _ body: @escaping @Sendable () -> Void) throws(StoreError) {
        let box = Unmanaged.passRetained(
            Body {
                stele_name_thread(name)
                body()
            })
        var made = pthread_t()
        let code = pthread_create(
            &made, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        guard code == 0 else {
            box.release()
            throw .failed("the system has no thread for the store (error \(code))")
        }
        handle = Mutex(made)
    }

    /// Waits until the closure has returned.
    func join() {
        let thread = handle.withLock { handle in
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

    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
