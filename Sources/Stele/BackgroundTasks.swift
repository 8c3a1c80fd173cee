import SteleSystem

/// Threads for work that waits for a store, which would keep the threads of Swift's concurrency from
/// other tasks.
final class BackgroundTasks: Sendable {
    private struct State: Sendable {
        var waiting = Queue<@Sendable () -> Void>()
        var threads = 0
    }

    private static let maximumThreads = 16
    private let state = Mutex(State())

    /// Runs a closure on one of the threads. At most 16 run at a time; others wait for their turn.
    func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            submit { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    private func submit(_ task: @escaping @Sendable () -> Void) {
        let needsThread = state.withLock { state in
            state.waiting.append(task)
            guard state.threads < Self.maximumThreads else { return false }
            state.threads += 1
            return true
        }
        // Where the system has no thread to give, the caller's does the work.
        if needsThread, SystemThread(name: "background", { [self] in work() }) == nil { work() }
    }

    /// Works until nothing waits. A thread is not kept: a task of a store takes longer than its start.
    private func work() {
        while let task = next() { task() }
    }

    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            if let task = state.waiting.popFirst() { return task }
            state.threads -= 1
            return nil
        }
    }
}
