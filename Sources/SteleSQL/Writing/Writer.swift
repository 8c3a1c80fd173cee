import StelePersistence
import SteleModel
import SteleSystem

/// The writer's state; it is used on the writer's thread only.
///
/// A batch of saves is one transaction with one commit. All callers are answered after the commit,
/// also those whose save is rejected, because the rejection may depend on uncommitted rows of
/// another save.
package final class Writer {
    private let transactions: any WriterTransactions
    private let queue: WriterQueue
    private let translator: CurrentTranslator
    private let saver: SQLSaver
    private let observer: () -> (any StoreObserver)?
    /// The number of next batches in which each save has a savepoint to roll back to, and waits for
    /// each statement.
    ///
    /// A savepoint copies every page that a save shares with earlier saves of the batch, waiting
    /// for a statement of a database on another machine takes a round trip, and few saves are
    /// rejected after they have written something. So a batch has no savepoints until a save has to
    /// be rolled back; the batch is then repeated with savepoints, and the next ones have them too.
    private var guardedBatches = 0
    /// Whether observers were told that the batch will be committed.
    private var isAnnounced = false
    /// The saves of the batch that take what others have written beside the store.
    private var incoming: [HistoryTransaction] = []

    private static let savepoint = SQLText("SAVEPOINT save")
    private static let release = SQLText("RELEASE save")
    private static let takeBack = SQLText("ROLLBACK TO save")

    /// Reads the counters.
    /// - Parameters:
    ///   - transactions: those of the connection that the writer writes by.
    ///   - queue: the saves.
    ///   - schema: the layout of the database.
    ///   - translator: learns of the attributes with long decimals.
    ///   - observer: returns the observer of commits.
    ///   - foreign: returns the columns with foreign values that are known.
    package init(
        _ transactions: any WriterTransactions, queue: WriterQueue, schema: SQLSchema,
        translator: CurrentTranslator, observer: @escaping () -> (any StoreObserver)?,
        foreign: @escaping () -> ForeignValues = { ForeignValues() }
    ) throws(StoreError) {
        self.transactions = transactions
        self.queue = queue
        self.translator = translator
        self.observer = observer
        saver = try SQLSaver(
            schema: schema, connection: transactions.connection,
            foreign: foreign, deriving: transactions.derivationReader,
            follower: transactions.follower)
        translator.use(longDecimals: saver.attributesWithLongDecimals)
    }

    /// Writes batches until the queue is closed.
    package func run() {
        while let jobs = queue.takeAll() {
            var rest = jobs
            while !rest.isEmpty {
                let batch = Array(rest.prefix(SavingLimits.savesACommit))
                rest.removeFirst(batch.count)
                rest = write(batch) + rest
                transactions.batchEnded()
            }
        }
    }

    /// Writes one batch, and where its commit fails, each save in a transaction of its own. Every
    /// job in the batch or added to it is answered once.
    /// - Returns: the jobs that did not fit the commit; they are not answered.
    private func write(_ batch: [WriterJob]) -> [WriterJob] {
        var jobs = batch
        do {
            return try commitTogether(&jobs, mayGrow: true)
        } catch {
            // Each further attempt would wait for the lock again, and delay all others.
            if jobs.count == 1 || !error.mayBeRepeated {
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
                guard error.mayBeRepeated else { return fail(Array(jobs[index...]), error.reason) }
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

    /// The reason that a batch was not committed; its jobs are not answered.
    private struct BatchFailure: Error {
        let reason: StoreError
        /// Whether a transaction was begun and nothing of it is in the store. False where the lock
        /// was not available, and where a commit was left half done.
        let mayBeRepeated: Bool
    }

    private func commitTogether(
        _ jobs: inout [WriterJob], mayGrow: Bool
    ) throws(BatchFailure) -> [WriterJob] {
        var timesOutdated = 0
        while true {
            let isGuarded = guardedBatches > 0
            let mark: SQLSaver.Mark
            do { mark = try beginBatch() } catch {
                if isMadeAgain(&timesOutdated) { continue }
                throw BatchFailure(reason: error, mayBeRepeated: false)
            }
            do {
                guard let left = try saveAll(&jobs, mayGrow: mayGrow) else {
                    transactions.rollBack()
                    saver.restore(mark)
                    guardedBatches = SavingLimits.guardedBatches
                    continue
                }
                guardedBatches = max(guardedBatches - 1, 0)
                for job in jobs { job.finish() }
                return left
            } catch {
                let isLater = transactions.failedLater
                transactions.rollBack()
                saver.restore(mark)
                // The state after a failed commit is unknown: all cached values may be outdated.
                if isAnnounced || !isLater { observer()?.storeDidChangeElsewhere() }
                if isMadeAgain(&timesOutdated) { continue }
                if isLater, !isGuarded {
                    // Repeated so, the error is that of the save that it belongs to.
                    guardedBatches = SavingLimits.guardedBatches
                    continue
                }
                let rest = transactions.remains(after: error)
                throw BatchFailure(reason: rest ?? error, mayBeRepeated: rest == nil)
            }
        }
    }

    /// Whether a transaction that has failed is made again with new statements: a few times, because
    /// another program may change a table each time.
    private func isMadeAgain(_ times: inout Int) -> Bool {
        guard transactions.isOutdated, times < SavingLimits.timesOutdated else { return false }
        times += 1
        return true
    }

    /// Begins the transaction and takes note of other programs' commits. Leaves no transaction
    /// where it throws.
    /// - Returns: the state before the transaction has written anything.
    private func beginBatch() throws(StoreError) -> SQLSaver.Mark {
        isAnnounced = false
        transactions.rollBack()
        let isOutdated = try transactions.begin()
        do {
            if isOutdated { try saver.reload() }
        } catch {
            transactions.rollBack()
            throw error
        }
        if isOutdated {
            translator.use(longDecimals: saver.attributesWithLongDecimals)
            transactions.takeForeign()
        }
        let mark = saver.mark
        do {
            try takeIncoming()
        } catch {
            transactions.rollBack()
            saver.restore(mark)
            throw error
        }
        return mark
    }

    /// Saves what others have written beside the store.
    private func takeIncoming() throws(StoreError) {
        incoming = []
        saver.isFollowed = false
        defer { saver.isFollowed = true }
        let hasTaken = try transactions.takeIncoming(token: saver.token) {
            request throws(StoreError) in
            let (result, transaction) = try saver.save(request, at: ReferenceDate.now)
            if let transaction { incoming.append(transaction) }
            return result
        }
        if hasTaken { saver.hasWrittenBeside = true }
    }

    /// Executes the saves, with those that arrive meanwhile, and commits.
    /// - Returns: the jobs beyond the limits, for the next commit; nil, without a commit, where a
    ///   save must be rolled back and has no savepoint.
    private func saveAll(
        _ jobs: inout [WriterJob], mayGrow: Bool
    ) throws(StoreError) -> [WriterJob]? {
        var told = incoming
        let end = MonotonicClock.now + SavingLimits.batchNanoseconds
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
            guard changes < SavingLimits.changesACommit, MonotonicClock.now < end else { break }
            if mayGrow, next == jobs.count, next < SavingLimits.savesACommit {
                // Jobs that arrived during the batch share its commit.
                jobs += queue.takeWaiting(SavingLimits.savesACommit - next)
            }
        }
        let left = Array(jobs[next...])
        try commit(told)
        jobs.removeSubrange(next...)
        return left
    }

    /// The result of one save in a batch.
    private enum Saved {
        case done(HistoryTransaction)
        /// The save changed nothing, or was rejected before it wrote anything.
        case nothing
        /// The save was rejected after it had written something.
        case needsSavepoint
    }

    /// Executes one save. An error that concerns only this save becomes its outcome; one that
    /// concerns the whole transaction is thrown.
    private func save(_ job: WriterJob) throws(StoreError) -> Saved {
        // The job's reader must see all earlier saves with their history.
        if job.reads { try saver.writeHistory() }
        let mark = saver.mark
        let isGuarded = guardedBatches > 0
        // What a closure reads and catches must be its own.
        try transactions.setWaiting(isGuarded || job.reads)
        if isGuarded { try transactions.connection.execute(Self.savepoint, []) }
        let written = transactions.rowsWritten
        do {
            let (result, transaction) = try saveWhole(job)
            if isGuarded {
                try saver.writeHistory()
                try transactions.connection.execute(Self.release, [])
            }
            job.outcome = .success(result)
            return transaction.map(Saved.done) ?? .nothing
        } catch {
            job.outcome = .failure(error)
            saver.restore(mark)
            let refusal = error as? StoreError
            // RAISE(ROLLBACK) of a trigger has ended the transaction of all saves.
            if refusal?.concernsTheWholeTransaction == true || transactions.failedLater
                || !transactions.isOpen
            {
                throw WriterJob.storeError(error)
            }
            guard isGuarded else {
                return transactions.rowsWritten == written ? .nothing : .needsSavepoint
            }
            try transactions.connection.execute(Self.takeBack, [])
            try transactions.connection.execute(Self.release, [])
            return .nothing
        }
    }

    private func saveWhole(_ job: WriterJob) throws -> (SaveResult, HistoryTransaction?) {
        switch job.work {
        case .save(let request): return try saver.save(request, at: ReferenceDate.now)
        case .making(let make): return try saver.save(newRequest(make), at: ReferenceDate.now)
        case .parts(let make):
            let save = WriterParts(saver: saver, transactions: transactions)
            try make(save)
            return save.whole
        case .purge(let number, let limit):
            job.deleted = try saver.deleteHistory(before: number, limit: limit)
            return (SaveResult(token: saver.token), nil)
        case .metadata(let identifier, let change):
            try saver.changeMetadata(identifier, change)
            return (SaveResult(token: saver.token), nil)
        case nil: throw StoreError.closed
        }
    }

    private func newRequest(
        _ make: (any StoreReader) throws -> SaveRequest
    ) throws -> SaveRequest {
        // A merge policy reads the history.
        try saver.writeHistory()
        let reader = transactions.reader(token: saver.token)
        defer { reader.close() }
        return try make(reader)
    }

    private func commit(_ told: [HistoryTransaction]) throws(StoreError) {
        guard saver.takesWrittenBeside() || saver.hasReserved || !told.isEmpty else {
            return transactions.rollBack()
        }
        try saver.finishBatch()
        try transactions.settle()
        translator.use(longDecimals: saver.attributesWithLongDecimals)
        isAnnounced = true
        observer()?.storeWillCommit(told)
        try transactions.commit()
        observer()?.storeDidCommit(told)
    }
}

extension StoreError {
    /// Whether the database has rolled back the whole transaction, or it must be rolled back.
    fileprivate var concernsTheWholeTransaction: Bool {
        switch self {
        case .noRoom, .failed, .busy, .unavailable, .closed, .incompatible, .gone, .damaged: true
        case .moved, .conflicts, .constraint, .refused, .noKeys, .deadline, .overBudget,
            .unsupported,
            .invalid, .predicate, .tooLarge, .expired, .incompleteSave, .readOnly:
            false
        }
    }
}
