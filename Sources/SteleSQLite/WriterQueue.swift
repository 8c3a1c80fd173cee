/// Saves on their way to the writer, and how their answers come back.

import Dispatch
import StelePersistence
import SteleSystem

/// One save that waits: what to do on the writer's thread, and what came of it.
///
/// `@unchecked Sendable`: the asking thread fills it before it is queued and reads it after the
/// semaphore is raised; between the two only the writer's thread touches it.
final class WriterJob: @unchecked Sendable {
    /// Who is told of the outcome.
    private enum Asker {
        /// A thread that waits.
        case waiting(DispatchSemaphore)
        case completion(@Sendable (Result<SaveResult, StoreError>) -> Void)
    }

    /// Old history to be deleted, and how much of it was.
    final class Purge {
        let number: Int64
        let limit: Int
        var deleted = 0

        init(number: Int64, limit: Int) {
            self.number = number
            self.limit = limit
        }
    }

    /// Gives the request, on the writer's thread, from what is seen there.
    private(set) var make: (any StoreReader) throws -> SaveRequest
    /// The request where it was made before; `make` is not called then.
    let request: SaveRequest?
    /// Makes and saves one part after the other; nil for a save that is one request.
    private(set) var parts: ((any PartedSave) throws -> Void)?
    /// What of the history is to go; nil for a save.
    let purge: Purge?
    var outcome: Result<SaveResult, any Error>?
    private let asker: Asker

    init(_ request: SaveRequest) {
        self.request = request
        purge = nil
        make = { _ in request }
        asker = .waiting(DispatchSemaphore(value: 0))
    }

    init(
        _ request: SaveRequest,
        completion: @escaping @Sendable (Result<SaveResult, StoreError>) -> Void
    ) {
        self.request = request
        purge = nil
        make = { _ in request }
        asker = .completion(completion)
    }

    init(making make: @escaping (any StoreReader) throws -> SaveRequest) {
        request = nil
        purge = nil
        self.make = make
        asker = .waiting(DispatchSemaphore(value: 0))
    }

    init(deletingHistoryBefore number: Int64, limit: Int) {
        request = nil
        make = { _ in throw StoreError.closed }
        purge = Purge(number: number, limit: limit)
        asker = .waiting(DispatchSemaphore(value: 0))
    }

    init(inParts make: @escaping (any PartedSave) throws -> Void) {
        request = nil
        purge = nil
        self.make = { _ in throw StoreError.closed }
        parts = make
        asker = .waiting(DispatchSemaphore(value: 0))
    }

    /// Whether a thread waits for it.
    var isWaitedFor: Bool {
        if case .waiting = asker { true } else { false }
    }

    /// Tells the outcome. The closure is let go of before: it may not outlive its caller's call.
    func finish() {
        make = { _ in throw StoreError.closed }
        parts = nil
        switch asker {
        case .waiting(let semaphore): semaphore.signal()
        case .completion(let tell):
            tell((outcome ?? .failure(StoreError.closed)).mapError(Self.storeError))
        }
    }

    /// Waits until the writer has an answer; for jobs without a completion.
    func wait() throws -> SaveResult {
        if case .waiting(let semaphore) = asker { semaphore.wait() }
        guard let outcome else { throw StoreError.closed }
        return try outcome.get()
    }

    /// What a save was refused for; a request that was made before throws nothing of its own.
    static func storeError(_ error: any Error) -> StoreError {
        error as? StoreError ?? .failed("\(error)")
    }
}

/// The queue between those who save and the one who writes.
final class WriterQueue: Sendable {
    private struct State {
        var jobs: [WriterJob] = []
        var closed = false
    }

    private let state = Mutex(State())
    private let filled = DispatchSemaphore(value: 0)

    /// Queues a save.
    /// - Throws: `.closed` after `close`; `.busy` where as many wait as may, for a job whose asker
    ///   does not wait: those who do are few.
    func add(_ job: WriterJob) throws(StoreError) {
        let isFirst = try state.withLock { state throws(StoreError) in
            guard !state.closed else { throw StoreError.closed }
            if !job.isWaitedFor, state.jobs.count >= Limits.savesWaiting {
                throw StoreError.busy("\(state.jobs.count) saves wait")
            }
            state.jobs.append(job)
            return state.jobs.count == 1
        }
        if isFirst { filled.signal() }
    }

    /// All saves that wait, or nil when the queue is closed and empty. Blocks until there is one.
    func takeAll() -> [WriterJob]? {
        while true {
            let (jobs, closed) = state.withLock { state in
                defer { state.jobs.removeAll(keepingCapacity: true) }
                return (state.jobs, state.closed)
            }
            if !jobs.isEmpty { return jobs }
            if closed { return nil }
            filled.wait()
        }
    }

    /// Those that wait now, at most `limit` of them; none where none waits.
    func takeWaiting(_ limit: Int) -> [WriterJob] {
        state.withLock { state in
            let taken = Array(state.jobs.prefix(limit))
            state.jobs.removeFirst(taken.count)
            return taken
        }
    }

    /// Takes no more saves; those that wait are still written.
    func close() {
        state.withLock { $0.closed = true }
        filled.signal()
    }
}
