/// Saves on their way to the writer's thread, and the way back of their results.

import SteleModel
import StelePersistence
import SteleSystem

/// Work for the writer's thread, and its result.
///
/// `@unchecked Sendable`: the caller's thread reads it after the alarm has rung; between `add` and
/// the alarm only the writer's thread has access to it.
package final class WriterJob: @unchecked Sendable {
    /// What the writer is to do.
    package enum Work {
        case save(SaveRequest)
        /// Saves the request that the closure makes on the writer's thread, from the newest state.
        case making((any StoreReader) throws -> SaveRequest)
        /// Makes and saves one part after the other.
        case parts((any PartedSave) throws -> Void)
        /// Deletes at most so many transactions before a number from the history.
        case purge(before: Int64, limit: Int)
        /// Changes users' keys of the metadata of the store with that UUID.
        case metadata(String, (inout [String: PropertyList]) throws -> Void)
    }

    /// What receives the result.
    private enum Asker {
        case thread(Alarm)
        case completion(@Sendable (Result<SaveResult, StoreError>) -> Void)
    }

    /// Nil once the job is finished.
    package private(set) var work: Work?
    package var outcome: Result<SaveResult, any Error>?
    /// How many transactions a purge has deleted.
    package internal(set) var deleted = 0
    private let asker: Asker

    /// A job whose result a thread waits for.
    package init(_ work: Work) {
        self.work = work
        asker = .thread(Alarm())
    }

    /// A save whose result goes to a closure, on the writer's thread.
    package init(
        _ request: SaveRequest,
        completion: @escaping @Sendable (Result<SaveResult, StoreError>) -> Void
    ) {
        work = .save(request)
        asker = .completion(completion)
    }

    /// Whether it reads the store before it writes.
    var reads: Bool {
        if case .save = work { false } else { true }
    }

    /// Whether a thread waits for it.
    var isWaitedFor: Bool {
        if case .thread = asker { true } else { false }
    }

    /// Hands the outcome over. The work is released before: its closure may not outlive the call
    /// that it was passed to.
    func finish() {
        work = nil
        switch asker {
        case .thread(let alarm): alarm.ring()
        case .completion(let complete):
            complete((outcome ?? .failure(StoreError.closed)).mapError(Self.storeError))
        }
    }

    /// Waits until the writer has finished; for jobs without a completion.
    package func wait() throws -> SaveResult {
        if case .thread(let alarm) = asker { alarm.sleep() }
        guard let outcome else { throw StoreError.closed }
        return try outcome.get()
    }

    /// The reason why a save was refused. A request that was made before throws no other errors.
    package static func storeError(_ error: any Error) -> StoreError {
        error as? StoreError ?? .failed("\(error)")
    }
}

/// The queue between the threads that save and the writer's thread.
package final class WriterQueue: Sendable {
    private struct State {
        var jobs: [WriterJob] = []
        var isClosed = false
    }

    private let state = Monitor(State())

    package init() {}

    /// Queues a job.
    /// - Throws: `.closed` after `close`; `.busy` where the queue is full, for a job that no thread
    ///   waits for: the number of threads bounds the others.
    package func add(_ job: WriterJob) throws(StoreError) {
        let isFirst = try state.withLock { state throws(StoreError) in
            guard !state.isClosed else { throw StoreError.closed }
            if !job.isWaitedFor, state.jobs.count >= SavingLimits.savesWaiting {
                throw StoreError.busy("\(state.jobs.count) saves wait")
            }
            state.jobs.append(job)
            return state.jobs.count == 1
        }
        if isFirst { state.signal() }
    }

    /// Queues a job and waits until it is done.
    /// - Throws: as `add`; what the job's closure throws; `StoreError`.
    package func perform(_ job: WriterJob) throws -> SaveResult {
        try add(job)
        return try job.wait()
    }

    /// All jobs that wait, at least one; nil when the queue is closed and empty.
    package func takeAll() -> [WriterJob]? {
        state.withLock(when: { !$0.jobs.isEmpty || $0.isClosed }) { state, _ in
            defer { state.jobs.removeAll(keepingCapacity: true) }
            return state.jobs.isEmpty ? nil : state.jobs
        }
    }

    /// Those jobs that wait now, at most `limit`; it does not wait for any.
    func takeWaiting(_ limit: Int) -> [WriterJob] {
        state.withLock { state in
            let taken = Array(state.jobs.prefix(limit))
            state.jobs.removeFirst(taken.count)
            return taken
        }
    }

    /// Accepts no more jobs; those that wait are still done.
    package func close() {
        state.withLock { $0.isClosed = true }
        state.signal()
    }
}
