/// The settings of all connections of a process, by PRAGMA queries on the connections themselves.

import GRDBSQLite
import Synchronization

/// Knows the connections that SQLite opens in this process, of whichever library.
enum ConnectionSettings {
    /// What is asked.
    private static let names = [
        "journal_mode", "synchronous", "page_size", "auto_vacuum", "cache_size", "mmap_size",
        "temp_store", "wal_autocheckpoint", "foreign_keys",
    ]

    /// The open connections, as addresses, in the order in which they were opened.
    private static let connections = Mutex<[UInt]>([])

    private typealias Opened =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, OpaquePointer?
        ) -> Int32

    /// Begins to note connections. Call it before the first is opened.
    static func begin() {
        let opened: Opened = { connection, _, _ in
            ConnectionSettings.note(connection)
            return SQLITE_OK
        }
        sqlite3_auto_extension(unsafeBitCast(opened, to: (@convention(c) () -> Void).self))
    }

    private static func note(_ connection: OpaquePointer?) {
        connections.withLock { $0.append(UInt(bitPattern: connection)) }
        sqlite3_trace_v2(
            connection, UInt32(SQLITE_TRACE_CLOSE),
            { _, _, connection, _ in
                ConnectionSettings.forget(connection)
                return SQLITE_OK
            }, nil)
    }

    private static func forget(_ connection: UnsafeMutableRawPointer?) {
        connections.withLock { $0.removeAll { $0 == UInt(bitPattern: connection) } }
    }

    /// The settings of each open connection, without those that equal an earlier one's. No other
    /// thread may use a connection meanwhile.
    static func read() -> [String] {
        var lines: [String] = []
        for address in connections.withLock({ $0 }) {
            guard let connection = OpaquePointer(bitPattern: address) else { continue }
            let only =
                value("query_only", connection) == "1"
                || sqlite3_db_readonly(connection, "main") == 1
            let line =
                (only ? "reads:  " : "writes: ")
                + names.map { "\($0) \(value($0, connection))" }.joined(separator: ", ")
            if !lines.contains(line) { lines.append(line) }
        }
        return lines
    }

    private static func value(_ name: String, _ connection: OpaquePointer) -> String {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        guard sqlite3_prepare_v2(connection, "PRAGMA \(name)", -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0)
        else { return "?" }
        return String(cString: text)
    }
}
