// A bounded number of threads for work that may take long, with a bounded queue.

import SteleSystem

/// Work for a pool.
protocol Job: AnyObject, Sendable {
    /// Does the work, on a thread of the pool.
    func run()
    /// Ends the job for a server that stops. It may be called on another thread while the job is
    /// queued or runs.
    func abandon()
}

/// A bounded pool of threads, which are created when needed and end when the pool is closed.
final class WorkerPool: Sendable {
    private struct State: Sendable {
        var queue = Queue<any Job>()
        var running: [Int: any Job] = [:]
        var threads = 0
        var idle = 0
        var closed = false
    }

    private let state: Monitor<State>
    private let maximumThreads: Int
    private let maximumLoad: Int
    private let stackBytes: Int
    /// The name of its threads.
    private let name: String

    /// - Parameters:
    ///   - threads: how many threads there may be.
    ///   - queue: how many jobs may wait for a thread.
    init(name: String, threads: Int, queue: Int, stackBytes: Int) {
        self.name = name
        state = Monitor(State())
        maximumThreads = max(threads, 1)
        maximumLoad = maximumThreads + max(queue, 0)
        self.stackBytes = stackBytes
    }

    /// Queues the job; false where the queue is full or the pool closed.
    func submit(_ job: any Job) -> Bool {
        enum Outcome { case refused, queued, needsThread(Int) }
        let outcome: Outcome = state.withLock { state in
            // Running jobs count: a job whose thread is about to start must not fill the queue.
            let load = state.queue.count + state.running.count
            guard !state.closed, load < maximumLoad else { return .refused }
            state.queue.append(job)
            guard state.idle < state.queue.count, state.threads < maximumThreads else {
                return .queued
            }
            state.threads += 1
            return .needsThread(state.threads)
        }
        switch outcome {
        case .refused: return false
        case .queued: state.signal()
        case .needsThread(let number): startThread(number)
        }
        return true
    }

    private func startThread(_ number: Int) {
        let thread = SystemThread(name: name, stackBytes: stackBytes) { [self] in
            work(as: number)
        }
        guard thread == nil else { return }
        // The other threads will run the job. If there are none, it must not wait indefinitely.
        let orphans: [any Job] = state.withLock { state in
            state.threads -= 1
            return state.threads == 0 ? state.queue.removeAll() : []
        }
        for job in orphans { job.abandon() }
    }

    private func work(as number: Int) {
        state.withLock { $0.idle += 1 }
        while true {
            let job: (any Job)? = state.withLock(when: { $0.closed || !$0.queue.isEmpty }) {
                state, _ in
                state.idle -= 1
                guard let job = state.queue.popFirst() else {
                    state.threads -= 1
                    return nil
                }
                state.running[number] = job
                return job
            }
            guard let job else { return }
            job.run()
            state.withLock { state in
                state.running.removeValue(forKey: number)
                state.idle += 1
            }
        }
    }

    /// How many jobs wait or run.
    var load: Int { state.withLock { $0.queue.count + $0.running.count } }

    /// Accepts no more jobs, and abandons those that wait or run. A thread ends when its job
    /// returns.
    func close() {
        let left: [any Job] = state.withLock { state in
            state.closed = true
            return state.queue.removeAll() + Array(state.running.values)
        }
        state.broadcast()
        for job in left { job.abandon() }
    }
}
