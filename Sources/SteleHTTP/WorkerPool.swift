// The threads that carry what may take long: a bounded number of them, and a bounded queue.

/// What a pool runs. `abandon` is for a job that the stopping server does not wait for any longer:
/// it may come while the job is queued or runs, on another thread, and the job must be over with.
protocol Job: AnyObject, Sendable {
    func run()
    func abandon()
}

/// A bounded pool of threads, made as they are needed and kept until the pool is closed.
final class WorkerPool: Sendable {
    private struct State: Sendable {
        var queue = Ring<any Job>()
        var running: [Int: any Job] = [:]
        var threads = 0
        var idle = 0
        var closed = false
    }

    private let state: Monitor<State>
    private let maximumThreads: Int
    private let maximumLoad: Int
    private let stackBytes: Int
    /// What its threads are called.
    private let name: String

    /// - Parameter queue: how many jobs may wait for a thread.
    init(name: String, threads: Int, queue: Int, stackBytes: Int) {
        self.name = name
        state = Monitor(State())
        maximumThreads = max(threads, 1)
        maximumLoad = maximumThreads + max(queue, 0)
        self.stackBytes = stackBytes
    }

    /// Takes the job, or returns false: the queue is full, or the pool closed.
    func submit(_ job: any Job) -> Bool {
        enum Outcome { case refused, queued, needsThread(Int) }
        let outcome: Outcome = state.withLock { state in
            // Those that run count too: a thread that has yet to start must not look like a queue.
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
        let started = SystemThread.start(name: name, stackBytes: stackBytes) { [self] in
            work(as: number)
        }
        guard !started else { return }
        // Those that run will come to the job; with none at all it must not wait for ever.
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

    /// Jobs that wait or run.
    var load: Int { state.withLock { $0.queue.count + $0.running.count } }

    /// Takes no more jobs; gives up those that wait and those that run, and lets the threads go.
    /// A thread inside a job ends when the job returns.
    func close() {
        let left: [any Job] = state.withLock { state in
            state.closed = true
            return state.queue.removeAll() + Array(state.running.values)
        }
        state.broadcast()
        for job in left { job.abandon() }
    }
}

/// A queue in an array: taking the first costs no move of the rest.
struct Ring<Element: Sendable>: Sendable {
    private var slots: [Element?] = []
    private var first = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        slots[(first + count) % slots.count] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        defer {
            slots[first] = nil
            first = (first + 1) % slots.count
            count -= 1
        }
        return slots[first]
    }

    var peek: Element? { count > 0 ? slots[first] : nil }

    mutating func removeAll() -> [Element] {
        var all: [Element] = []
        all.reserveCapacity(count)
        while let element = popFirst() { all.append(element) }
        slots = []
        first = 0
        return all
    }

    /// Gives back the memory of a queue that has been long and is empty.
    mutating func shrink(to slotCount: Int) {
        guard count == 0, slots.count > slotCount else { return }
        slots = []
        first = 0
    }

    private mutating func grow() {
        var larger: [Element?] = []
        let size = max(slots.count * 2, 4)
        larger.reserveCapacity(size)
        for index in 0..<count { larger.append(slots[(first + index) % slots.count]) }
        larger.append(contentsOf: repeatElement(nil, count: size - count))
        slots = larger
        first = 0
    }
}
