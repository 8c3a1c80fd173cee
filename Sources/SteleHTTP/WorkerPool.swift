// A bounded number of threads for work that may take long, with a bounded queue.

import SteleSystem

/// Work for a pool.
package protocol Job: AnyObject, Sendable {
    /// Whose job it is, where clients are served in turn; empty where they are not.
    var client: String { get }
    /// Does the work, on a thread of the pool.
    func run()
    /// Ends the job for a server that stops. It may be called on another thread while the job is
    /// queued or runs.
    func abandon()
}

extension Job {
    /// Empty: no client's.
    package var client: String { "" }
}

/// A bounded pool of threads, which are created when needed, and end when they have had no work for a
/// while or the pool is closed.
///
/// An idle thread would keep its stack and up to 1,500 freed blocks of memory, each of which keeps a
/// whole page from being returned to the system.
package final class WorkerPool: Sendable {
    private struct State: Sendable {
        var queue = FairQueue<any Job>()
        var running: [Int: any Job] = [:]
        var threads = 0
        /// How many threads have been started, which numbers them.
        var started = 0
        var idle = 0
        var closed = false
    }

    private let state: Monitor<State>
    private let maximumThreads: Int
    private let maximumLoad: Int
    /// How many jobs of one client may wait.
    private let maximumOfClient: Int
    /// Whether its threads leave the cores to others.
    private let isLowPriority: Bool
    private let stackBytes: Int
    /// The name of its threads.
    private let name: String
    private let idleSeconds: Double
    private let threadEnds: @Sendable () -> Void

    /// - Parameters:
    ///   - threads: how many threads there may be.
    ///   - queue: how many jobs may wait for a thread.
    ///   - queueOfClient: how many jobs of one client may wait.
    ///   - isLowPriority: whether its threads leave the cores to others.
    ///   - idleSeconds: after how long without work a thread ends.
    ///   - threadEnds: called by a thread that ends for want of work.
    package init(
        name: String, threads: Int, queue: Int, queueOfClient: Int = .max,
        isLowPriority: Bool = false, stackBytes: Int, idleSeconds: Double = 5,
        threadEnds: @escaping @Sendable () -> Void = {}
    ) {
        self.name = name
        self.isLowPriority = isLowPriority
        maximumOfClient = max(queueOfClient, 1)
        state = Monitor(State())
        maximumThreads = max(threads, 1)
        maximumLoad = maximumThreads + max(queue, 0)
        self.stackBytes = stackBytes
        self.idleSeconds = idleSeconds
        self.threadEnds = threadEnds
    }

    /// Queues the job; false where the queue is full or the pool closed.
    package func submit(_ job: any Job) -> Bool {
        enum Outcome { case refused, queued, needsThread(Int) }
        let outcome: Outcome = state.withLock { state in
            // Running jobs count: a job whose thread is about to start must not fill the queue.
            let load = state.queue.count + state.running.count
            let client = job.client
            guard !state.closed, load < maximumLoad,
                state.queue.count(of: client) < maximumOfClient
            else { return .refused }
            state.queue.append(job, of: client)
            guard state.idle < state.queue.count, state.threads < maximumThreads else {
                return .queued
            }
            state.threads += 1
            state.started += 1
            return .needsThread(state.started)
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
        if isLowPriority { SystemThread.lowerPriority() }
        state.withLock { $0.idle += 1 }
        while true {
            let job: (any Job)? = state.withLock(
                when: { $0.closed || !$0.queue.isEmpty },
                until: MonotonicClock.deadline(in: idleSeconds)
            ) { state, _ in
                state.idle -= 1
                guard let job = state.queue.popFirst() else {
                    state.threads -= 1
                    return nil
                }
                state.running[number] = job
                return job
            }
            guard let job else { return threadEnds() }
            job.run()
            state.withLock { state in
                state.running.removeValue(forKey: number)
                state.idle += 1
            }
        }
    }

    /// How many threads there are.
    package var threads: Int { state.withLock { $0.threads } }

    /// How many jobs wait or run.
    var load: Int { state.withLock { $0.queue.count + $0.running.count } }

    /// Accepts no more jobs, and abandons those that wait or run. A thread ends when its job
    /// returns.
    package func close() {
        let left: [any Job] = state.withLock { state in
            state.closed = true
            return state.queue.removeAll() + Array(state.running.values)
        }
        state.broadcast()
        for job in left { job.abandon() }
    }
}
