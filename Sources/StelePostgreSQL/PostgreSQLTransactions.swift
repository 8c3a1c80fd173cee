import Glibc
import SteleModel
import StelePersistence
import SteleSQL
import SteleSystem

/// The writer's transactions in a PostgreSQL database: one at a time over all nodes, by the row of
/// the commit counter.
final class PostgreSQLTransactions: WriterTransactions, SaveFollower {
    private let access: StoreAccess
    private let schema: SQLSchema
    private let translator: FetchTranslator
    private let links: TableLinks
    private let incoming: IncomingChanges
    private let generation: String
    private let counter: CommitCounter
    private let counters: DatabaseCounters
    private let changedElsewhere: () -> Void
    private let followed: (StoreError?) -> Void
    private let writer: WriterConnection
    /// The count of the last transaction that the writer began, and of its last commit.
    private var begun: Int64 = 0
    private var last: Int64
    /// The error of a commit whose outcome is not known.
    private var unknown: StoreError?
    /// Whether prepared statements were forgotten since the transaction began.
    private var hasForgotten = false

    private static let begin = SQLText("BEGIN ISOLATION LEVEL READ COMMITTED")
    private static let commit = SQLText("COMMIT")
    /// The seconds for which a lost connection is made again before a commit's outcome counts as
    /// unknown.
    private static let patience = 10.0

    init(
        _ connection: Connection, _ access: StoreAccess, schema: SQLSchema,
        translator: FetchTranslator, links: TableLinks,
        generation: String, counter: CommitCounter, counters: DatabaseCounters, last: Int64,
        changedElsewhere: @escaping () -> Void, followed: @escaping (StoreError?) -> Void
    ) throws(StoreError) {
        writer = WriterConnection(connection)
        self.access = access
        self.schema = schema
        self.translator = translator
        self.links = links
        incoming = IncomingChanges(links, schema)
        self.generation = generation
        self.counter = counter
        self.counters = counters
        self.last = last
        self.changedElsewhere = changedElsewhere
        self.followed = followed
        noteProcess()
        try links.prepare(connection)
    }

    var connection: any SQLConnection { writer }

    var isOpen: Bool { writer.connection.isInTransaction }

    var rowsWritten: Int64 { writer.connection.rowsWritten }

    var failedLater: Bool { writer.connection.failedLater }

    func setWaiting(_ waits: Bool) throws(StoreError) {
        // What a save writes to another program's table reads what it has written before.
        let waits = waits || !links.isEmpty
        if waits { try writer.connection.receive() }
        writer.connection.defersWrites = !waits
    }

    func settle() throws(StoreError) {
        if writer.connection.mayConflict { try writer.connection.receive() }
    }

    var isOutdated: Bool { hasForgotten || writer.connection.isOutdated }

    func begin() throws(StoreError) -> Bool {
        unknown = nil
        if writer.connection.isLost { try connectAgain() }
        do { try lock() } catch {
            let isOutdated = writer.connection.isOutdated
            rollBack()
            // The first statement finds out that the server has closed an idle connection, or that
            // it does not lead to the store any more.
            let isLost = writer.connection.isLost
            guard isLost || isOutdated || error.isOfGoneStore else { throw error }
            counters.retries.add(1, ordering: .relaxed)
            if isLost || !isOutdated { try connectAgain() }
            do { try lock() } catch {
                rollBack()
                throw error
            }
        }
        return begun != last
    }

    private func lock() throws(StoreError) {
        let connection = writer.connection
        connection.failedLater = false
        hasForgotten = false
        do throws(StoreError) {
            try connection.send(Self.begin)
            begun = try counter.lock(connection, of: access.identity)
        } catch .deadline(let seconds) {
            throw .busy(
                "another node has been saving to \(writer.connection.place) for more than "
                    + "\(seconds) seconds")
        }
    }

    private func connectAgain() throws(StoreError) {
        writer.connection = try access.connect(writes: true)
        counters.connections.add(1, ordering: .relaxed)
        try links.prepare(writer.connection)
        noteProcess()
        // What the server did meanwhile is not known.
        last = -1
    }

    private func noteProcess() {
        counter.process.store(writer.connection.process, ordering: .relaxed)
    }

    func takeForeign() {
        counter.take(begun, changedElsewhere)
        last = begun
    }

    func takeIncoming(
        token: Int64, _ save: (SaveRequest) throws(StoreError) -> SaveResult
    ) throws(StoreError) -> Bool {
        guard try areWaiting() else { return false }
        try setWaiting(true)
        let reader = ownReader(token: token)
        defer { reader.close() }
        do throws(StoreError) {
            try incoming.take(writer.connection, token: token, reader, save: save)
        } catch {
            // It is made again.
            if writer.connection.isOutdated { throw error }
            let error = links.misfit(of: error, writer.connection)
            if !writer.connection.isLost { followed(error) }
            throw error
        }
        followed(nil)
        return true
    }

    /// Whether other programs have written to tables, which are those that the store follows.
    private func areWaiting() throws(StoreError) -> Bool {
        if links.isEmpty { return false }
        do throws(StoreError) { return try incoming.areWaiting(writer.connection) } catch {
            if case .unavailable = error, !writer.connection.isLost { followed(error) }
            throw error
        }
    }

    var follower: (any SaveFollower)? { links.isEmpty ? nil : self }

    func follow(
        _ changes: [ObjectChange]
    ) throws(StoreError) -> [(object: Snapshot, slots: [Int])] {
        try OutgoingChanges(links, schema, writer.connection).write(changes)
    }

    func commit() throws(StoreError) {
        let next = begun + 1
        let connection = writer.connection
        // A COMMIT that was sent is not held back by a number of rows, nor by an error that
        // somebody has caught.
        try settle()
        guard !connection.failedLater else {
            throw .failed("a statement of the transaction has failed")
        }
        counter.willCommit(next)
        do throws(StoreError) {
            try counter.raise(to: next, connection, of: access.identity)
            try counter.notify(of: next, generation: generation, connection)
            connection.hasLeftStandby = false
            _ = try connection.query(Self.commit, [])
        } catch {
            guard connection.isLost, try isCommitted(next, after: error) else {
                counter.commitFailed()
                throw CommitCounter.hasRefused(connection)
                    ? StoreIdentity.madeAgain(connection) : error
            }
        }
        counter.didCommit(next)
        last = next
        guard !writer.connection.hasLeftStandby else {
            // Whoever has ended the wait, the counters of the saver are those before the commit.
            last = -1
            throw uncertain(
                "\(connection.place) has committed the save, and the wait for its standby was ended "
                    + "before that had it: it is lost where the standby takes over")
        }
    }

    /// Asks the server whether a commit was made that was not answered.
    private func isCommitted(
        _ number: Int64, after error: StoreError
    ) throws(StoreError) -> Bool {
        counters.commitsAskedFor.add(1, ordering: .relaxed)
        // Until it is known, the commit of that number may be another node's.
        counter.commitFailed()
        let end = MonotonicClock.deadline(in: Self.patience)
        while MonotonicClock.now < end {
            do throws(StoreError) {
                // Also where the store was migrated meanwhile, which keeps the counter.
                let connection = try access.connection(writes: true)
                guard try access.identity.hasCounter(connection),
                    let isMade = try counter.hasMade(number, connection)
                else { break }
                return isMade
            } catch {
                // The server cannot be asked, or has not noticed yet that the connection is lost.
                usleep(100_000)
            }
        }
        throw uncertain(
            "the connection to \(writer.connection.place) was lost during a commit, and it could "
                + "not be asked for the outcome: the save may be in the store or not", error)
    }

    /// Notes that a commit may have left something in the store, and returns the error.
    private func uncertain(_ text: String, _ error: StoreError? = nil) -> StoreError {
        let reason = error.map { " (\($0))" } ?? ""
        let outcome = StoreError.incompleteSave(
            "\(text). Repeat it with the same Idempotency-Key, or read the objects again\(reason)")
        unknown = outcome
        return outcome
    }

    func rollBack() {
        // It has no more to do with what was sent.
        _ = try? writer.connection.receive()
        if isOpen { _ = try? writer.connection.run("ROLLBACK") }
        guard writer.connection.isOutdated, !writer.connection.isLost else { return }
        hasForgotten = true
        _ = try? writer.connection.forgetStatements()
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

    func rows(together reads: [SQLRead]) throws(StoreError) -> [[[Value]]] {
        try connection.rows(together: reads)
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
