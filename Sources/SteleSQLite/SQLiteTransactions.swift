import CSQLite
import StelePersistence
import SteleSQL
import SteleSystem

/// The writer's transactions on an SQLite file: one at a time over all programs, by SQLite's lock.
final class SQLiteTransactions: WriterTransactions {
    private let writer: Connection
    private let schema: SQLSchema
    private let translator: CurrentTranslator
    private let search: ForeignSearch
    private let watch: CommitWatch
    private let presence: StorePresence
    private let damage: StoreDamage
    private let check: DamageCheck
    private let checkpointer: Checkpointer
    private let changedElsewhere: () -> Void
    /// The commit counter after the writer's last commit.
    private var lastCommit: UInt32

    private static let begin = SQLText("BEGIN IMMEDIATE")
    private static let commit = SQLText("COMMIT")
    private static let rollback = SQLText("ROLLBACK")

    init(
        _ writer: Connection, schema: SQLSchema, translator: CurrentTranslator,
        search: ForeignSearch, watch: CommitWatch, presence: StorePresence, damage: StoreDamage,
        checkpointer: Checkpointer,
        changedElsewhere: @escaping () -> Void
    ) {
        self.writer = writer
        self.schema = schema
        self.translator = translator
        self.search = search
        self.watch = watch
        self.presence = presence
        self.damage = damage
        check = DamageCheck(writer, damage)
        self.checkpointer = checkpointer
        self.changedElsewhere = changedElsewhere
        lastCommit = watch.current
    }

    /// Makes the writer of a store.
    func makeWriter(
        _ queue: WriterQueue, _ observer: @escaping () -> (any StoreObserver)?
    ) throws(StoreError) -> Writer {
        // Without the lock the two files of an attached history may be of different moments.
        if writer.hasAttachedHistory { try writer.execute(Self.begin, []) }
        defer { rollBack() }
        lastCommit = watch.current
        return try Writer(
            self, queue: queue, schema: schema, translator: translator, observer: observer
        ) { [search, translator] in
            try? search.settle(waits: true)
            return translator.current.foreign
        }
    }

    /// Seals the store unless another program uses it: checkpoints the WAL completely, so that the
    /// file does not change when it is closed.
    /// - Parameter foreign: returns the columns with foreign values; nil where they are not known.
    func seal(
        _ path: String, _ observer: (any StoreObserver)?, foreign: () -> ForeignValues?
    ) {
        do { try checkFiles() } catch {
            if damage.isKnown { writer.leaveLog() }
            // Nor is another file that is at the path by now.
            return
        }
        guard let observer else { return }
        sqlite3_busy_timeout(writer.handle, Limits.restartMilliseconds)
        guard
            sqlite3_wal_checkpoint_v2(
                writer.handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil) == SQLITE_OK,
            (try? writer.execute(Self.begin, [])) != nil
        else { return }
        defer { rollBack() }
        // While the lock is held no other program can commit.
        _ = watch.noticesForeignCommit(changedElsewhere)
        let history = HistoryReader(schema: schema, connection: writer)
        guard let last = try? history.lastTransaction() else { return }
        StoreSeal.seal(path, with: observer.storeWillClose(at: last), foreign: foreign())
    }

    // MARK: WriterTransactions

    var connection: any SQLConnection { writer }

    var isOpen: Bool { writer.isInTransaction }

    var rowsWritten: Int64 { writer.rowsWritten }

    /// Checks that a save would reach the files that the store was opened with, and be read back.
    private func checkFiles() throws(StoreError) {
        try damage.check()
        try damage.noting { () throws(StoreError) in try presence.check() }
        try check.beforeWriting(isForeign: watch.isForeign(since: lastCommit))
    }

    func begin() throws(StoreError) -> Bool {
        try damage.check()
        try damage.noting { () throws(StoreError) in
            _ = try writer.execute(Self.begin, [])
        }
        do {
            try checkFiles()
            guard watch.isForeign(since: lastCommit) else { return false }
            if writer.hasAttachedHistory, try AttachedHistory(writer).settle() {
                // In a commit of its own, because the batch may be rolled back.
                try writer.execute(Self.commit, [])
                try writer.execute(Self.begin, [])
            }
            return true
        } catch {
            rollBack()
            throw error
        }
    }

    func takeForeign() { lastCommit = watch.takeForeign(changedElsewhere) }

    func commit() throws(StoreError) {
        watch.willCommit()
        do { try writer.execute(Self.commit, []) } catch {
            watch.commitFailed()
            throw error
        }
        lastCommit = watch.didCommit()
        try check.afterCommit()
    }

    func rollBack() {
        if isOpen { _ = try? writer.execute(Self.rollback, []) }
    }

    /// A commit may have changed the store and not the history beside it. The next batch begins
    /// with a new history, and takes the commit for another program's.
    func remains(after error: StoreError) -> StoreError? {
        // Nothing is tried again on a damaged store, where a part of it may be there.
        if case .damaged = damage.noting(error) { return damage.noting(error) }
        guard writer.hasAttachedHistory, watch.isForeign(since: lastCommit) else { return nil }
        return .failed(
            "the save may be in the store, but not in the history beside it: read the objects "
                + "again (\(error))")
    }

    func batchEnded() { checkpointer.makeWay() }

    func reader(token: Int64) -> any StoreReader {
        SQLiteReader(
            schema: schema, translator: translator, search: search, writer: writer, token: token)
    }
}
