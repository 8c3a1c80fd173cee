import Glibc
import SteleModel
import StelePersistence
import SteleSQL
import SteleSystem

/// The writer's transactions in a PostgreSQL database: one at a time over all nodes, by the row of
/// the commit counter.
final class PostgreSQLTransactions: WriterTransactions {
    private let url: String
    private let schema: SQLSchema
    private let translator: FetchTranslator
    private let counter: CommitCounter
    private let counters: DatabaseCounters
    private let changedElsewhere: () -> Void
    private let writer: WriterConnection
    /// The count of the last transaction that the writer began, and of its last commit.
    private var begun: Int64 = 0
    private var last: Int64
    /// The server's number of the open transaction.
    private var identifier = ""
    /// The error of a commit whose outcome is not known.
    private var unknown: StoreError?

    private static let begin = SQLText("BEGIN ISOLATION LEVEL READ COMMITTED")
    private static let notify = SQLText("NOTIFY \(PostgreSQLListener.channel)")
    private static let commit = SQLText("COMMIT")
    private static let status = SQLText("SELECT pg_xact_status(?1::text::xid8)")
    /// The seconds for which a lost connection is made again before a commit's outcome counts as
    /// unknown.
    private static let patience = 10.0

    init(
        _ connection: Connection, url: String, schema: SQLSchema, translator: FetchTranslator,
        counter: CommitCounter, counters: DatabaseCounters, last: Int64,
        changedElsewhere: @escaping () -> Void
    ) {
        writer = WriterConnection(connection)
        self.url = url
        self.schema = schema
        self.translator = translator
        self.counter = counter
        self.counters = counters
        self.last = last
        self.changedElsewhere = changedElsewhere
        noteProcess()
    }

    var connection: any SQLConnection { writer }

    var isOpen: Bool { writer.connection.isInTransaction }

    var rowsWritten: Int64 { writer.connection.rowsWritten }

    var failedLater: Bool { writer.connection.failedLater }

    func begin(isGuarded: Bool) throws(StoreError) -> Bool {
        unknown = nil
        if writer.connection.isLost { try connectAgain() }
        do { try lock() } catch {
            // The first statement finds out that the server has closed an idle connection.
            guard writer.connection.isLost else {
                rollBack()
                throw error
            }
            counters.retries.add(1, ordering: .relaxed)
            try connectAgain()
            do { try lock() } catch {
                rollBack()
                throw error
            }
        }
        writer.connection.defersWrites = !isGuarded
        return begun != last
    }

    private func lock() throws(StoreError) {
        let row: [Value]
        let connection = writer.connection
        connection.failedLater = false
        do throws(StoreError) {
            try connection.send(Self.begin)
            row = try connection.rows(CommitCounter.locking, [], [.integer, .text]).first ?? []
        } catch .deadline(let seconds) {
            throw .busy(
                "another node has been saving to \(writer.connection.place) for more than "
                    + "\(seconds) seconds")
        }
        guard case .int(let count)? = row.first, case .string(let number)? = row.last else {
            throw .failed("the table \(CommitCounter.table) of the store is empty")
        }
        (begun, identifier) = (count, number)
    }

    private func connectAgain() throws(StoreError) {
        writer.connection = try Connection(url, writes: true)
        counters.connections.add(1, ordering: .relaxed)
        noteProcess()
        // What the server did meanwhile is not known.
        last = -1
    }

    private func noteProcess() {
        counter.writer.store(writer.connection.process, ordering: .relaxed)
    }

    func takeForeign() {
        counter.take(begun, changedElsewhere)
        last = begun
    }

    func commit() throws(StoreError) {
        let next = begun + 1
        let connection = writer.connection
        // A COMMIT that was sent is not held back by a number of rows.
        if connection.expectsRows { try connection.receive() }
        counter.willCommit(next)
        do throws(StoreError) {
            try connection.send(CommitCounter.raising, [.int(next)])
            try connection.send(Self.notify)
            _ = try connection.query(Self.commit, [])
        } catch {
            guard writer.connection.isLost, try isCommitted(after: error) else {
                counter.commitFailed()
                throw error
            }
        }
        counter.didCommit(next)
        last = next
    }

    /// Asks the server whether the transaction was committed, whose commit was not answered.
    private func isCommitted(after error: StoreError) throws(StoreError) -> Bool {
        counters.commitsAskedFor.add(1, ordering: .relaxed)
        // Until it is known, the next count may be another node's.
        counter.commitFailed()
        let end = MonotonicClock.deadline(in: Self.patience)
        while MonotonicClock.now < end {
            if writer.connection.isLost { try? connectAgain() }
            let row = try? writer.connection.rows(
                Self.status, [.string(identifier)], [.text]
            ).first
            switch row?[0] {
            case .string("committed"): return true
            case .string("aborted"): return false
            // It is in progress: the server has not noticed yet that the connection is lost. Or it
            // cannot be asked.
            default: usleep(100_000)
            }
        }
        let outcome = StoreError.incompleteSave(
            "the connection to \(writer.connection.place) was lost during a commit, and could not "
                + "be made again: the save may be in the store or not. Repeat it with the same "
                + "Idempotency-Key, or read the objects again (\(error))")
        unknown = outcome
        throw outcome
    }

    func rollBack() {
        // It has no more to do with what was sent.
        _ = try? writer.connection.receive()
        if isOpen { _ = try? writer.connection.run("ROLLBACK") }
    }

    func remains(after error: StoreError) -> StoreError? { unknown }

    func batchEnded() {}

    var derivationReader: (() -> any DerivationReader)? {
        // The writer, which calls it, belongs to the transactions' thread.
        { [unowned self] in ownReader(token: 0) }
    }

    func reader(token: Int64) -> any StoreReader { ownReader(token: token) }

    private func ownReader(token: Int64) -> PostgreSQLReader {
        PostgreSQLReader(
            schema: schema, translator: translator, writer: writer.connection, token: token)
    }
}

/// The writer's connection, which is another one after the loss of the first.
private final class WriterConnection: SQLConnection {
    var connection: Connection

    init(_ connection: Connection) { self.connection = connection }

    var dialect: SQLDialect { connection.dialect }

    @discardableResult
    func execute(_ sql: SQLText, _ bindings: [Value]) throws(StoreError) -> Int {
        try connection.execute(sql, bindings)
    }

    func write(
        _ sql: SQLText, _ bindings: [Value], changing count: Int?, isGuarded: Bool
    ) throws(StoreError) -> Bool {
        try connection.write(sql, bindings, changing: count, isGuarded: isGuarded)
    }

    func rows(
        _ sql: SQLText, _ bindings: [Value], _ kinds: [ColumnKind]
    ) throws(StoreError) -> [[Value]] {
        try connection.rows(sql, bindings, kinds)
    }

    func snapshots(
        _ sql: SQLText, _ bindings: [Value], _ shape: RowShape
    ) throws(StoreError) -> [Snapshot] {
        try connection.snapshots(sql, bindings, shape)
    }

    func ownedSnapshots(
        _ sql: SQLText, _ bindings: [Value], _ shape: RowShape
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        try connection.ownedSnapshots(sql, bindings, shape)
    }
}
