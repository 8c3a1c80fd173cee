/// The one thread that changes the store: saves that wait together share one commit.

import Dispatch
import Glibc
import StelePersistence
import SteleModel
import SteleSQL

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
    private let observer: () -> (any StoreObserver)?
    /// The commit counter after our last commit.
    private var lastCommit: UInt32

    private static let begin = SQLText("BEGIN IMMEDIATE")
    private static let commit = SQLText("COMMIT")
    private static let rollback = SQLText("ROLLBACK")
    private static let savepoint = SQLText("SAVEPOINT save")
    private static let release = SQLText("RELEASE save")
    private static let takeBack = SQLText("ROLLBACK TO save")

    init(
        connection: Connection, queue: WriterQueue, schema: SQLSchema,
        translator: CurrentTranslator, watch: CommitWatch,
        observer: @escaping () -> (any StoreObserver)?
    ) throws(StoreError) {
        self.connection = connection
        self.queue = queue
        self.schema = schema
        self.translator = translator
        self.watch = watch
        self.observer = observer
        lastCommit = watch.current
        saver = try SQLSaver(schema: schema, connection: connection)
        translator.use(longDecimals: saver.attributesWithLongDecimals)
    }

    /// Writes batch after batch until the queue is closed.
    func run() {
        while let jobs = queue.takeAll() {
            var rest = jobs[...]
            while !rest.isEmpty {
                let batch = Array(rest.prefix(Limits.savesACommit))
                rest = rest.dropFirst(batch.count)
                write(batch)
            }
        }
    }

    /// One batch, and again one by one where the disk refused it whole.
    private func write(_ batch: [WriterJob]) {
        do {
            try commitTogether(batch, mayGrow: true)
        } catch {
            guard batch.count > 1 else { return fail(batch, error) }
            for job in batch {
                do {
                    try commitTogether([job], mayGrow: false)
                } catch {
                    fail([job], error)
                }
            }
        }
    }

    private func fail(_ batch: [WriterJob], _ error: StoreError) {
        for job in batch {
            job.outcome = .failure(error)
            job.finish()
        }
    }

    private func commitTogether(_ batch: [WriterJob], mayGrow: Bool) throws(StoreError) {
        try connection.execute(Self.begin, [])
        var jobs = batch
        var told: [HistoryTransaction] = []
        let mark = saver.mark
        do {
            if watch.foreignCommit(since: &lastCommit) { try seeForeignCommit() }
            let end = MonotonicTime.nanoseconds + Limits.batchNanoseconds
            var next = 0
            var changes = 0
            while next < jobs.count {
                if let transaction = try save(jobs[next]) {
                    told.append(transaction)
                    changes += transaction.changes.count
                }
                next += 1
                guard mayGrow, next == jobs.count, jobs.count < Limits.savesACommit,
                    changes < Limits.changesACommit, MonotonicTime.nanoseconds < end
                else { continue }
                // Who came while these were written shares their commit.
                jobs += queue.takeWaiting(Limits.savesACommit - jobs.count)
            }
            try commit(told)
        } catch {
            rollBack(to: mark)
            // Those that joined later were not the caller's to answer.
            let joined = jobs.dropFirst(batch.count)
            if !joined.isEmpty { for job in joined { write([job]) } }
            throw error
        }
        for job in jobs { job.finish() }
    }

    private func seeForeignCommit() throws(StoreError) {
        try saver.reload()
        translator.use(longDecimals: saver.attributesWithLongDecimals)
        observer()?.storeDidChangeElsewhere()
    }

    /// One save in its savepoint. What it is refused for becomes its outcome; what concerns the
    /// whole transaction is thrown.
    private func save(_ job: WriterJob) throws(StoreError) -> HistoryTransaction? {
        let mark = saver.mark
        try connection.execute(Self.savepoint, [])
        do {
            let request = try job.request ?? makeRequest(job)
            let (result, transaction) = try saver.save(request, at: ReferenceDate.now)
            try connection.execute(Self.release, [])
            job.outcome = .success(result)
            return transaction
        } catch {
            job.outcome = .failure(error)
            saver.restore(mark)
            if let refusal = error as? StoreError, refusal.concernsTheWholeTransaction {
                throw refusal
            }
            try connection.execute(Self.takeBack, [])
            try connection.execute(Self.release, [])
            return nil
        }
    }

    private func makeRequest(_ job: WriterJob) throws -> SaveRequest {
        let reader = SQLiteReader(
            schema: schema, translator: translator.current, writer: connection, token: saver.token)
        defer { reader.close() }
        return try job.make(reader)
    }

    private func commit(_ told: [HistoryTransaction]) throws(StoreError) {
        guard !told.isEmpty else {
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
        case .moved, .conflicts, .constraint, .deadline, .unsupported, .invalid, .tooLarge: false
        }
    }
}
