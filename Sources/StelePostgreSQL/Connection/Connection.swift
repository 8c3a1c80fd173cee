import CPostgreSQL
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL

/// A connection to a PostgreSQL database, with its prepared statements. Not Sendable: it is used by
/// one thread at a time.
final class Connection: SQLConnection {
    let dialect = SQLDialect.postgreSQL
    let handle: OpaquePointer
    /// The server and the database, for messages.
    let place: String
    private var statements: [StatementKey: PreparedStatement] = [:]
    private var textBytes = 0
    private var lastName = 0
    private var clock = 0
    private var cursors = 0
    /// As `WriterTransactions.rowsWritten`.
    var rowsWritten: Int64 = 0
    /// The SQLSTATE of the last statement that failed.
    private(set) var lastState = ""
    /// The server's message about it.
    private(set) var lastMessage = ""
    /// What the server adds to it.
    private(set) var lastDetail = ""
    /// The table and the column that it is about; empty for none.
    private(set) var lastColumn = (table: "", name: "")
    private var isEnding = false
    /// Whether the transaction is a view.
    private var isView = false
    /// Whether `write` sends statements without waiting for their results.
    var defersWrites = false
    /// The statements that were sent in libpq's pipeline, and whose results are not read yet.
    var sent: [SentStatement] = []
    /// Their bytes, about.
    var bytesSent = 0
    /// Whether the server has ended its wait for a standby at a commit.
    var hasLeftStandby = false
    /// As `WriterTransactions.failedLater`.
    var failedLater = false
    /// Whether a prepared statement has failed because a table has another form than when it was
    /// prepared, or because the server has it no more.
    private(set) var isOutdated = false
    /// Probes of the server, which find out that a node is cut off.
    private static let lookingAfter =
        "; SET tcp_keepalives_idle = 4; SET tcp_keepalives_interval = 2; "
        + "SET tcp_keepalives_count = 3; SET tcp_user_timeout = 10000"
    private static let statementsKept = 256
    /// The most bytes of their texts. The server keeps up to 170 times as much for one of many
    /// subqueries.
    static let textBytesKept = 1 << 20
    private static let oldestVersion: Int32 = 130_000

    /// A statement's text with the types of its parameters, which the server's plan depends on.
    private struct StatementKey: Hashable {
        let text: SQLText
        let types: [UInt32]
    }

    private final class PreparedStatement {
        let name: String
        let textBytes: Int
        var lastUse = 0

        init(_ name: String, textBytes: Int) { (self.name, self.textBytes) = (name, textBytes) }
    }

    /// Connects to a server.
    /// - Parameters:
    ///   - url: `postgresql://…` with libpq's parameters.
    ///   - schema: the only schema of the search path; nil for that of the URL or the user.
    ///   - writes: whether it is the writer's. The server ends its transaction where the node does
    ///     not answer for ten seconds, or is idle for half a minute, so that a node that is cut off
    ///     does not keep the lock.
    /// - Throws: `StoreError`: `.busy` where the server cannot be reached, `.incompatible` where it
    ///   refuses the connection or is too old.
    init(_ url: String, schema: String? = nil, writes: Bool = false) throws(StoreError) {
        place = ConnectionURL.place(of: url)
        // libpq's own message would have the part that it cannot read, which may be the password.
        guard let parts = ConnectionURL.parts(of: url) else {
            throw .incompatible(
                code: 134080,
                "the URL of the database cannot be read: \(ConnectionURL.refusal(of: url))")
        }
        // The URL may set all but the last. A server that is gone is noticed in a few seconds.
        let defaults = [
            ("connect_timeout", "5"), ("tcp_user_timeout", "10000"), ("keepalives_idle", "5"),
            ("keepalives_interval", "2"), ("fallback_application_name", "stele"), ("dbname", url),
            ("client_encoding", "UTF8"),
        ]
        let opened = defaults.map(\.0).withCStrings { names in
            defaults.map(\.1).withCStrings { values in PQconnectdbParams(names, values, 1) }
        }
        guard let opened, PQstatus(opened) == CONNECTION_OK else {
            let error = PostgreSQLFailure.connection(opened, place, secret: parts["password"])
            PQfinish(opened)
            throw error
        }
        handle = opened
        // Other notices, such as those of names that exist, are of no interest.
        PQsetNoticeReceiver(
            opened,
            { connection, result in
                guard let connection, PostgreSQLFailure.isOfStandby(result) else { return }
                Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue()
                    .hasLeftStandby = true
            }, Unmanaged.passUnretained(self).toOpaque())
        // An error closes the connection by `deinit`.
        try check()
        try run(
            // Parallel workers and shared scans would add doubles in another order each time.
            "SET standard_conforming_strings = on; SET extra_float_digits = 1; "
                // Values of other programs' types are texts that must be the same on each node.
                + "SET DateStyle = 'ISO, YMD'; SET IntervalStyle = postgres; SET TimeZone = 'UTC'; "
                + "SET bytea_output = hex; SET lc_monetary = 'C'; SET quote_all_identifiers = off; "
                + "SET max_parallel_workers_per_gather = 0; SET synchronize_seqscans = off; "
                + "SET statement_timeout = \(StatementTime.limit / 1_000_000); "
                + "SET idle_in_transaction_session_timeout = \(writes ? 30_000 : 0)"
                + (writes ? Self.lookingAfter : "")
                + (schema.map { "; SET search_path = \($0.quotedName)" } ?? ""))
    }

    /// Makes the first schema of the search path that exists now the only one, so that it is the same
    /// for each later statement. Nothing is changed where there is none.
    func keepSchema() throws(StoreError) {
        try run(
            "SELECT set_config('search_path', quote_ident(current_schema()), false) "
                + "WHERE current_schema() IS NOT NULL")
    }

    deinit { PQfinish(handle) }

    private func check() throws(StoreError) {
        let version = PQserverVersion(handle)
        guard version >= Self.oldestVersion else {
            throw .incompatible(
                code: 134080,
                "\(place) is PostgreSQL \(version / 10_000), and Stele needs "
                    + "\(Self.oldestVersion / 10_000) or later")
        }
        guard let encoding = PQparameterStatus(handle, "server_encoding"),
            String(cString: encoding) == "UTF8"
        else {
            throw .incompatible(
                code: 134080,
                "\(place) has another encoding than UTF8: create the database with ENCODING 'UTF8'")
        }
    }

    /// The server's process of the connection.
    var process: Int32 { PQbackendPID(handle) }

    /// Whether the connection is lost.
    var isLost: Bool { PQstatus(handle) != CONNECTION_OK }

    /// Whether a transaction is open, also one that has failed.
    var isInTransaction: Bool {
        guard sent.isEmpty else { return true }
        let status = PQtransactionStatus(handle)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }

    private static let beginning = SQLText("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    private static let savepoint = SQLText("SAVEPOINT view")

    /// Begins a view of the database, and returns the rows of its first statements, in one round
    /// trip.
    ///
    /// An error ends a transaction in PostgreSQL. A statement of a view that fails is taken back
    /// alone, and the view is still the same.
    /// - Parameter lock: a statement before, whose lock lasts as long as the view; nil for none.
    func beginView(
        _ reads: [(sql: SQLText, bindings: [Value])], lock: SQLText? = nil
    ) throws(StoreError) -> [Rows] {
        do { return try openView(reads, lock) } catch {
            guard isOutdated, !isLost else { throw error }
            try run("ROLLBACK")
            try forgetStatements()
            return try openView(reads, lock)
        }
    }

    private func openView(
        _ reads: [(sql: SQLText, bindings: [Value])], _ lock: SQLText?
    ) throws(StoreError) -> [Rows] {
        isView = false
        try send(Self.beginning)
        if let lock { try send(lock) }
        try send(Self.savepoint)
        let rows = try queryOnce(together: reads)
        isView = true
        return rows
    }

    /// Runs reads, and once more with new statements where the prepared ones are outdated. In a
    /// transaction that writes the error ends the transaction, which its writer makes again.
    func preparingAgain<R>(_ read: () throws(StoreError) -> R) throws(StoreError) -> R {
        do { return try read() } catch {
            guard isOutdated, !isLost, isView || !isInTransaction else { throw error }
            try forgetStatements()
            return try read()
        }
    }

    /// Makes the view's cursors outlive a later statement that fails.
    func keepCursors() throws(StoreError) {
        if isView { try run("RELEASE view; SAVEPOINT view") }
    }

    func takeBackFailed() {
        if isView, PQtransactionStatus(handle) == PQTRANS_INERROR {
            PQclear(PQexec(handle, "ROLLBACK TO view"))
        }
    }

    /// Ends the transaction without waiting for the answer, which the next use of the connection
    /// takes (`settle`).
    func end() {
        isView = false
        isEnding = PQsendQuery(handle, "COMMIT") == 1
    }

    /// Waits for the answer to `end`.
    func settle() {
        guard isEnding else { return }
        isEnding = false
        while let result = PQgetResult(handle) { PQclear(result) }
    }

    /// Runs statements without parameters.
    func run(_ sql: String) throws(StoreError) {
        try receive()
        _ = try rows(PQexec(handle, sql), sql)
    }

    /// Returns a name for a server-side cursor.
    func makeCursorName() -> String {
        cursors += 1
        return "c\(cursors)"
    }

    // MARK: Statements

    /// Runs a prepared statement. It is prepared at its first use.
    func query(_ sql: SQLText, _ bindings: [Value]) throws(StoreError) -> Rows {
        if !sent.isEmpty { return try query(together: [(sql, bindings)])[0] }
        return try preparingAgain { () throws(StoreError) in try queryPrepared(sql, bindings) }
    }

    private func queryPrepared(_ sql: SQLText, _ bindings: [Value]) throws(StoreError) -> Rows {
        // It would take the place of many others.
        if sql.string.utf8.count > Self.textBytesKept / 4 {
            return try queryOnce(sql.string, bindings)
        }
        let parameters = try Parameters(bindings)
        let name = try prepared(sql, parameters)
        let result = parameters.withAddresses { values, lengths, formats in
            PQexecPrepared(handle, name, Int32(values.count), values, lengths, formats, 1)
        }
        return try rows(result, sql.string)
    }

    /// Returns the texts of the first column of a statement that is not prepared.
    func texts(_ sql: String) throws(StoreError) -> [String] {
        try queryOnce(sql).values([.text]).compactMap { row in
            if case .string(let text) = row[0] { text } else { nil }
        }
    }

    /// Runs a statement without preparing it.
    func queryOnce(_ sql: String, _ bindings: [Value] = []) throws(StoreError) -> Rows {
        try receive()
        let parameters = try Parameters(bindings)
        let text = PostgreSQLWords.parameters(sql)
        let result = parameters.withAddresses { values, lengths, formats in
            PQexecParams(
                handle, text, Int32(values.count), parameters.types, values, lengths, formats, 1)
        }
        return try rows(result, text)
    }

    /// Returns the name of a prepared statement.
    func prepared(_ sql: SQLText, _ parameters: Parameters) throws(StoreError) -> String {
        let types = sql.isOfRows ? [] : parameters.types
        let key = StatementKey(text: sql, types: types)
        clock += 1
        if let known = statements[key] {
            known.lastUse = clock
            return known.name
        }
        try receive()
        let text = PostgreSQLWords.parameters(sql.string)
        let made = PreparedStatement("s\(lastName + 1)", textBytes: text.utf8.count)
        if statements.count >= Self.statementsKept
            || textBytes + made.textBytes > Self.textBytesKept
        {
            dropOldest(for: made.textBytes)
        }
        lastName += 1
        _ = try rows(PQprepare(handle, made.name, text, Int32(types.count), types), text)
        made.lastUse = clock
        statements[key] = made
        textBytes += made.textBytes
        return made.name
    }

    /// Forgets the prepared statements, whose columns may have other types after a migration.
    func forgetStatements() throws(StoreError) {
        try run("DEALLOCATE ALL")
        statements = [:]
        textBytes = 0
        isOutdated = false
    }

    /// Drops a quarter of the statements, and more until there is room for another text.
    private func dropOldest(for bytes: Int) {
        let byUse = statements.sorted { $0.value.lastUse < $1.value.lastUse }
        for (place, (key, statement)) in byUse.enumerated() {
            if place >= byUse.count / 4, textBytes + bytes <= Self.textBytesKept { return }
            statements[key] = nil
            textBytes -= statement.textBytes
            // In a transaction that has failed the server refuses it, and a name is used once.
            PQclear(PQexec(handle, "DEALLOCATE \(statement.name)"))
        }
    }

    /// Returns the rows of a result.
    /// - Throws: its error.
    func rows(_ result: OpaquePointer?, _ sql: String) throws(StoreError) -> Rows {
        let status = PQresultStatus(result)
        guard let result, status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
            rowsWritten += 1
            defer { PQclear(result) }
            lastState = PostgreSQLFailure.state(result)
            lastMessage = PostgreSQLFailure.message(result)
            lastDetail = PostgreSQLFailure.detail(result)
            lastColumn = PostgreSQLFailure.column(result)
            if PostgreSQLFailure.isOutdated(result) { isOutdated = true }
            let error = PostgreSQLFailure.error(result, handle, place, sql)
            takeBackFailed()
            throw error
        }
        return Rows(result)
    }

    // MARK: SQLConnection

    @discardableResult
    func execute(_ sql: SQLText, _ bindings: [Value]) throws(StoreError) -> Int {
        let changed = try query(sql, bindings).changed
        rowsWritten += Int64(changed)
        return changed
    }

    /// Runs statements within a savepoint, but for those of a view, which needs none.
    /// - Throws: what the closure throws.
    func attempt<T>(_ body: () throws(StoreError) -> T) throws(StoreError) -> T {
        lastState = ""
        if isView { return try body() }
        try run("SAVEPOINT attempt")
        do {
            let result = try body()
            try run("RELEASE attempt")
            return result
        } catch {
            if !isLost { try run("ROLLBACK TO attempt; RELEASE attempt") }
            throw error
        }
    }
}

extension SQLText {
    /// Whether it inserts rows of values. The server knows the types of their parameters by the
    /// columns, so that rows with other nulls are the same statement.
    fileprivate var isOfRows: Bool {
        let bytes = string.utf8
        guard bytes.starts(with: "INSERT INTO ".utf8),
            let end = bytes.firstIndex(of: UInt8(ascii: ")"))
        else { return false }
        return bytes[end...].starts(with: ") VALUES (".utf8)
    }
}

extension [String] {
    /// Calls a closure with a list of C strings that ends with a null.
    fileprivate func withCStrings<R>(_ body: ([UnsafePointer<CChar>?]) -> R) -> R {
        let copies = map { text in text.utf8CString }
        func next(_ place: Int, _ list: [UnsafePointer<CChar>?]) -> R {
            if place == copies.count { return body(list + [nil]) }
            return copies[place].withUnsafeBufferPointer {
                next(place + 1, list + [$0.baseAddress])
            }
        }
        return next(0, [])
    }
}
