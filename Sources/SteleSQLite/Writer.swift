/// The one thread that changes the store: saves that wait together share one commit.

import CSQLite
import Glibc
import StelePersistence
import SteleModel
import SteleSQL
import SteleSystem

/// The writer's own state; it lives on the writer's thread.
///
/// A batch is one transaction, each save in a savepoint, and everybody is answered after the
/// commit: also who was refused, for the refusal may have read another's uncommitted rows.
final class Writer {
    private let connection: Connection
    private let queue: WriterQueue
    private let schema: SQLSchema
    private let translator: CurrentTranslator
    private let saver: SQLSaver
    private let watch: CommitWatch
    private let checkpointer: Checkpointer
    private let observer: () -> (any StoreObserver)?
    private let changedElsewhere: () -> Void
    /// The commit counter after our last commit.
    private var lastCommit: UInt32
    /// For how many batches more each save has a savepoint to be taken back to.
    ///
    /// A savepoint copies every page that a save shares with those before it in the batch, and few
    /// saves are refused after they have written something. So there is none until one is; then the
    /// batch begins anew with savepoints, and the next ones have them, too.
    private var guardedBatches = 0

    private static let begin = SQLText("BEGIN IMMEDIATE")
    private static let commit = SQLText("COMMIT")
    private static let rollback = SQLText("ROLLBACK")
    private static let savepoint = SQLText("SAVEPOINT save")
    private static let release = SQLText("RELEASE save")
    private static let takeBack = SQLText("ROLLBACK TO save")

    init(
        connection: Connection, queue: WriterQueue, schema: SQLSchema,
        translator: CurrentTranslator, watch: CommitWatch, checkpointer: Checkpointer,
        observer: @escaping () -> (any StoreObserver)?, changedElsewhere: @escaping () -> Void
    ) throws(StoreError) {
        self.connection = connection
        self.queue = queue
        self.schema = schema
        self.translator = translator
        self.watch = watch
        self.checkpointer = checkpointer
        self.observer = observer
        self.changedElsewhere = changedElsewhere
        lastCommit = watch.current
        saver = try SQLSaver(schema: schema, connection: connection)
        translator.use(longDecimals: saver.attributesWithLongDecimals)
    }

    /// Writes batch after batch until the queue is closed.
    func run() {
        while let jobs = queue.takeAll() {
            var rest = jobs
            while !rest.isEmpty {
                let batch = Array(rest.prefix(Limits.savesACommit))
                rest.removeFirst(batch.count)
                rest = write(batch) + rest
                checkpointer.makeWay()
            }
        }
    }

    /// Seals the store, where nobody hinders it: what is in the WAL goes into the file, which then
    /// stays as it is when it is closed.
    func seal(_ path: String) {
        guard let observer = observer() else { return }
        sqlite3_busy_timeout(connection.handle, Limits.restartMilliseconds)
        guard
            sqlite3_wal_checkpoint_v2(
                connection.handle, "main", SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK,
            (try? connection.execute(Self.begin, [])) != nil
        else { return }
        defer { _ = try? connection.execute(Self.rollback, []) }
        // With the lock held nobody commits.
        _ = watch.noticesForeignCommit(changedElsewhere)
        let history = HistoryReader(schema: schema, connection: connection)
        guard let last = try? history.lastTransaction() else { return }
        StoreSeal.seal(path, with: observer.storeWillClose(at: last))
    }

    /// One batch, and again one by one where the disk refused it whole. Everybody in it, and
    /// everybody who joined it, is answered once.
    /// - Returns: those for whom there was no room in the commit; they are not answered.
    private func write(_ batch: [WriterJob]) -> [WriterJob] {
        var jobs = batch
        do {
            return try commitTogether(&jobs, mayGrow: true)
        } catch {
            // To wait for the lock once more for each would keep all of them waiting.
            if jobs.count == 1 || !error.hasBegun {
                fail(jobs, error.reason)
            } else {
                writeEachAlone(jobs)
            }
        }
        return []
    }

    private func writeEachAlone(_ jobs: [WriterJob]) {
        for (index, job) in jobs.enumerated() {
            var alone = [job]
            do {
                _ = try commitTogether(&alone, mayGrow: false)
            } catch {
                guard error.hasBegun else { return fail(Array(jobs[index...]), error.reason) }
                fail(alone, error.reason)
            }
        }
    }

    private func fail(_ batch: [WriterJob], _ error: StoreError) {
        for job in batch {
            job.outcome = .failure(error)
            job.finish()
        }
    }

    /// Why a batch has no commit; nobody in it is answered yet.
    private struct BatchFailure: Error {
        let reason: StoreError
        /// Whether anything was tried: not where the lock was not to be had.
        let hasBegun: Bool
    }

    private func commitTogether(
        _ jobs: inout [WriterJob], mayGrow: Bool
    ) throws(BatchFailure) -> [WriterJob] {
        while true {
            do { try beginBatch() } catch { throw BatchFailure(reason: error, hasBegun: false) }
            let mark = saver.mark
            do {
                guard let left = try saveAll(&jobs, mayGrow: mayGrow) else {
                    try connection.execute(Self.rollback, [])
                    saver.restore(mark)
                    guardedBatches = Limits.guardedBatches
                    continue
                }
                guardedBatches = max(guardedBatches - 1, 0)
                for job in jobs { job.finish() }
                return left
            } catch {
                rollBack(to: mark)
                throw BatchFailure(reason: error, hasBegun: true)
            }
        }
    }

    /// Takes the lock and sees what other programs did; without a transaction where it throws.
    private func beginBatch() throws(StoreError) {
        if connection.isInTransaction { try connection.execute(Self.rollback, []) }
        try connection.execute(Self.begin, [])
        do {
            guard watch.isForeign(since: lastCommit) else { return }
            try saver.reload()
            translator.use(longDecimals: saver.attributesWithLongDecimals)
            lastCommit = watch.takeForeign(changedElsewhere)
        } catch {
            if connection.isInTransaction { _ = try? connection.execute(Self.rollback, []) }
            throw error
        }
    }

    /// Saves one after the other, with those who come meanwhile, and commits.
    /// - Returns: those that the bounds leave for the next commit; nil, with nothing committed,
    ///   where a save is to be taken back that has no savepoint.
    private func saveAll(
        _ jobs: inout [WriterJob], mayGrow: Bool
    ) throws(StoreError) -> [WriterJob]? {
        var told: [HistoryTransaction] = []
        let end = MonotonicClock.now + Limits.batchNanoseconds
        var next = 0
        var changes = 0
        while next < jobs.count {
            switch try save(jobs[next]) {
            case .done(let transaction):
                told.append(transaction)
                changes += transaction.changes.count
            case .nothing: break
            case .needsSavepoint: return nil
            }
            next += 1
            guard changes < Limits.changesACommit, MonotonicClock.now < end else { break }
            if mayGrow, next == jobs.count, next < Limits.savesACommit {
                // Who came while these were written shares their commit.
                jobs += queue.takeWaiting(Limits.savesACommit - next)
            }
        }
        let left = Array(jobs[next...])
        try commit(told)
        jobs.removeSubrange(next...)
        return left
    }

    /// What came of one save in a batch.
    private enum Saved {
        case done(HistoryTransaction)
        /// It changed nothing, or is refused and has left nothing behind.
        case nothing
        /// It is refused after it has written something.
        case needsSavepoint
    }

    /// One save. What it is refused for becomes its outcome; what concerns the whole transaction is
    /// thrown.
    private func save(_ job: WriterJob) throws(StoreError) -> Saved {
        // Its reader must see the earlier saves as a whole.
        if job.reads { try saver.writeHistory() }
        let mark = saver.mark
        let isGuarded = guardedBatches > 0
        if isGuarded { try connection.execute(Self.savepoint, []) }
        let written = connection.rowsWritten
        do {
            let (result, transaction) = try saveWhole(job)
            if isGuarded {
                try saver.writeHistory()
                try connection.execute(Self.release, [])
            }
            job.outcome = .success(result)
            return transaction.map(Saved.done) ?? .nothing
        } catch {
            job.outcome = .failure(error)
            saver.restore(mark)
            if let refusal = error as? StoreError, refusal.concernsTheWholeTransaction {
                throw refusal
            }
            guard isGuarded else {
                return connection.rowsWritten == written ? .nothing : .needsSavepoint
            }
            try connection.execute(Self.takeBack, [])
            try connection.execute(Self.release, [])
            return .nothing
        }
    }

    private func saveWhole(_ job: WriterJob) throws -> (SaveResult, HistoryTransaction?) {
        switch job.work {
        case .save(let request): return try saver.save(request, at: ReferenceDate.now)
        case .making(let make): return try saver.save(newRequest(make), at: ReferenceDate.now)
        case .parts(let make):
            let save = WriterParts(saver, connection, schema, translator)
            try make(save)
            return save.whole
        case .purge(let number, let limit):
            job.deleted = try saver.deleteHistory(before: number, limit: limit)
            return (SaveResult(token: saver.token), nil)
        case nil: throw StoreError.closed
        }
    }

    private func newRequest(
        _ make: (any StoreReader) throws -> SaveRequest
    ) throws -> SaveRequest {
        // A merge policy reads the history.
        try saver.writeHistory()
        let reader = SQLiteReader(
            schema: schema, translator: translator, writer: connection, token: saver.token)
        defer { reader.close() }
        return try make(reader)
    }

    private func commit(_ told: [HistoryTransaction]) throws(StoreError) {
        guard saver.takesWrittenBeside() || saver.hasReserved || !told.isEmpty else {
            try connection.execute(Self.rollback, [])
            return
        }
        try saver.finishBatch()
        translator.use(longDecimals: saver.attributesWithLongDecimals)
        observer()?.storeWillCommit(told)
        watch.willCommit()
        try connection.execute(Self.commit, [])
        lastCommit = watch.didCommit()
        observer()?.storeDidCommit(told)
    }

    private func rollBack(to mark: SQLSaver.Mark) {
        // What the failed commit left is not known: everything remembered may be old.
        watch.commitFailed()
        if connection.isInTransaction { _ = try? connection.execute(Self.rollback, []) }
        saver.restore(mark)
        observer()?.storeDidChangeElsewhere()
    }
}

extension StoreError {
    /// Whether SQLite has rolled back, or must roll back, the transaction as a whole.
    fileprivate var concernsTheWholeTransaction: Bool {
        switch self {
        case .noRoom, .failed, .busy, .closed, .incompatible: true
        case .moved, .conflicts, .constraint, .deadline, .overBudget, .unsupported, .invalid,
            .predicate, .tooLarge, .expired:
            false
        }
    }
}
