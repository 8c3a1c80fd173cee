import CSQLite
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL

/// A connection to an SQLite file, with its prepared statements. Not Sendable: it is used by one
/// thread at a time.
final class Connection: SQLConnection {
    let dialect = SQLDialect.sqlite
    let handle: OpaquePointer
    let externalFolder: String
    /// Whether the history is in a file of its own, attached as the database `history`.
    private(set) var hasAttachedHistory = false
    private var statements: [SQLText: Statement] = [:]
    /// The memory of `statements`, in bytes.
    private var statementBytes = 0
    private var clock = 0
    private static let busyMilliseconds: Int32 = 5_000
    /// The deadline of its reader.
    weak var deadline: Deadline?
    /// The pace at which statements run. One that was too slow for a brief pace is refused there
    /// (`.overBudget`), and one that was too slow for a short pace has to hurry.
    var pace = ReadingPace.unhurried {
        didSet {
            guard pace != oldValue else { return }
            matcher.limits = pace == .brief ? .brief : .standard
            // A thread that must not wait does not wait for another program's lock either.
            sqlite3_busy_timeout(handle, pace == .brief ? 0 : Self.busyMilliseconds)
        }
    }
    /// The number of its view, where it is lent for one (`ReaderPool`).
    var view = 0
    /// Whether it has temporary tables, which would be lost where large sorts move.
    var hasTemporaryTables = false
    private var sortsInFiles = false
    /// The limits of MATCHES.
    var matchLimits: MatchLimits {
        get { matcher.limits }
        set { matcher.limits = newValue }
    }
    /// Evaluates MATCHES.
    private let matcher = PatternMatcher()

    /// Opens a file.
    /// - Parameters:
    ///   - path: the file.
    ///   - creates: whether to create a file that does not exist.
    /// - Throws: `StoreError`.
    convenience init(path: String, creates: Bool) throws(StoreError) {
        let flags = SQLITE_OPEN_READWRITE | (creates ? SQLITE_OPEN_CREATE : 0)
        try self.init(Self.name(of: path), flags, of: path)
    }

    /// The name of a file for SQLite, which may take one that begins with `file:` for a URI.
    static func name(of path: String) -> String {
        path.hasPrefix("file:") ? "./" + path : path
    }

    /// Opens a file by its URI, whose parameters say how.
    /// - Parameter path: the file in messages.
    /// - Throws: `StoreError`.
    convenience init(uri: String, of path: String) throws(StoreError) {
        try self.init(uri, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, of: path)
    }

    private init(_ name: String, _ flags: Int32, of path: String) throws(StoreError) {
        externalFolder = ExternalFolder(store: path).path
        var opened: OpaquePointer?
        let code = sqlite3_open_v2(name, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard let opened else { throw .failed("out of memory while opening \(path)") }
        handle = opened
        guard code == SQLITE_OK else {
            let error = SQLiteFailure.error(code, opened, path)
            sqlite3_close_v2(opened)
            throw error
        }
        sqlite3_extended_result_codes(opened, 1)
        sqlite3_busy_timeout(opened, Self.busyMilliseconds)
        SQLFunctionTable.register(on: opened)
        MatchFunction.register(on: opened, matcher)
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Leaves the write-ahead log as it is when the connection is closed.
    func leaveLog() { stele_leave_log(handle) }

    /// Attaches the file of the history, which is beside the store's file. A link to the store is
    /// followed.
    func attachHistory() throws(StoreError) {
        guard let file = sqlite3_db_filename(handle, "main") else {
            throw .failed("a store without a file has no file of its history")
        }
        try attachHistory(String(cString: file) + StoreFile.historyEnding)
    }

    /// Attaches a file of the history.
    /// - Parameter file: its path; a URI for a connection that was opened by one.
    func attachHistory(_ file: String) throws(StoreError) {
        try execute(SQLText("ATTACH ?1 AS history"), [.string(file)])
        hasAttachedHistory = true
    }

    /// Copies all pages of one moment into a new file: those of the open transaction, where there
    /// is one.
    /// - Parameter database: `main`, or the name of an attached one.
    func copyPages(of database: String = "main", to path: String) throws(StoreError) {
        let copy = try Connection(path: path, creates: true)
        try copy.run("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
        guard let backup = sqlite3_backup_init(copy.handle, "main", handle, database) else {
            throw SQLiteFailure.error(sqlite3_errcode(copy.handle), copy.handle, path)
        }
        sqlite3_backup_step(backup, -1)
        let code = sqlite3_backup_finish(backup)
        if code != SQLITE_OK { throw SQLiteFailure.error(code, copy.handle, path) }
    }

    /// Whether the file cannot be written.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Whether the file is no longer the one at its path.
    var hasMoved: Bool { stele_has_moved(handle) != 0 }

    /// Runs statements without keeping them, such as pragmas.
    func run(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw SQLiteFailure.error(code, handle, sql) }
    }

    /// Has large sorts and sets of distinct values use temporary files, or memory alone, outside of
    /// a transaction.
    func sortInFiles(_ isWanted: Bool) throws(StoreError) {
        guard isWanted != sortsInFiles, !hasTemporaryTables else { return }
        try run("PRAGMA temp_store = \(isWanted ? "FILE" : "MEMORY")")
        sortsInFiles = isWanted
    }

    /// Gives up the mapping of the file, outside of a transaction, until pages are read again.
    func dropMapping() {
        var bytes: sqlite3_int64 = 0
        // It sets a limit, and has the one before as its result.
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_MMAP_SIZE, &bytes)
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_MMAP_SIZE, &bytes)
    }

    /// Returns the first column of a statement's only row, for pragmas.
    func single(_ sql: String) throws(StoreError) -> Value {
        try rows(SQLText(sql), [], [.text]).first?.first ?? .null
    }

    /// Whether a transaction is open. SQLite ends one on some errors.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The number of rows that statements have inserted, changed or deleted since the opening,
    /// including those rolled back.
    var rowsWritten: Int64 { sqlite3_total_changes64(handle) }

    /// Restarts the time limit of MATCHES: for each statement, and each batch of a cursor.
    func beginMatching() { matcher.begin() }

    /// Returns the prepared statement for a text, reset and bound. It is prepared at its first use.
    func statement(_ sql: SQLText, _ bindings: [Value]) throws(StoreError) -> Statement {
        clock += 1
        beginMatching()
        if let known = statements[sql] {
            known.lastUse = clock
            if !known.begin(at: pace) {
                guard pace == .short else { throw .overBudget }
                deadline?.hurry()
            }
            try known.bind(bindings)
            return known
        }
        // Nothing can end SQLite's preparing.
        if pace == .brief, sql.string.utf8.count > Limits.briefStatementBytes {
            throw .overBudget
        }
        let made = try Statement(sql, on: handle, folder: externalFolder)
        made.lastUse = clock
        _ = made.begin(at: pace)
        keep(made, sql)
        try made.bind(bindings)
        return made
    }

    /// Keeps a statement for its next use, and drops others that were not used for long. One that is
    /// too large is not kept: it is prepared again.
    private func keep(_ statement: Statement, _ sql: SQLText) {
        guard statement.bytes <= Limits.statementBytesAConnection else { return }
        if statements.count >= Limits.statementsAConnection
            || statementBytes + statement.bytes > Limits.statementBytesAConnection
        {
            dropOldest(for: statement.bytes)
        }
        statements[sql] = statement
        statementBytes += statement.bytes
    }

    /// Drops a quarter of the statements, and more until there is memory for another one.
    private func dropOldest(for bytes: Int) {
        let byUse = statements.sorted { $0.value.lastUse < $1.value.lastUse }
        for (place, (sql, statement)) in byUse.enumerated() {
            let fits = statementBytes + bytes <= Limits.statementBytesAConnection
            if place >= byUse.count / 4, fits { return }
            statements[sql] = nil
            statementBytes -= statement.bytes
        }
    }

    // MARK: SQLConnection

    @discardableResult
    func execute(_ sql: SQLText, _ bindings: [Value]) throws(StoreError) -> Int {
        let statement = try statement(sql, bindings)
        defer { statement.reset() }
        while try statement.step() {}
        return Int(sqlite3_changes(handle))
    }

    func rows(
        _ sql: SQLText, _ bindings: [Value], _ kinds: [ColumnKind]
    ) throws(StoreError) -> [[Value]] {
        let statement = try statement(sql, bindings)
        defer { statement.reset() }
        var rows: [[Value]] = []
        while try statement.step() {
            var row: [Value] = []
            row.reserveCapacity(kinds.count)
            for (index, kind) in kinds.enumerated() {
                row.append(statement.computed(Int32(index), kind))
            }
            rows.append(row)
        }
        return rows
    }

    func snapshots(
        _ sql: SQLText, _ bindings: [Value], _ shape: RowShape
    ) throws(StoreError) -> [Snapshot] {
        let statement = try statement(sql, bindings)
        defer { statement.reset() }
        var rows: [Snapshot] = []
        while try statement.step() {
            rows.append(statement.snapshot(shape, from: 0))
        }
        return rows
    }

    func ownedSnapshots(
        _ sql: SQLText, _ bindings: [Value], _ shape: RowShape
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        let statement = try statement(sql, bindings)
        defer { statement.reset() }
        var rows: [(owner: Int64, member: Snapshot)] = []
        while try statement.step() {
            rows.append((statement.integer(0), statement.snapshot(shape, from: 1)))
        }
        return rows
    }
}
