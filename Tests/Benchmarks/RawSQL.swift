/// Plain SQL by libsqlite3, read as plainly as can be: the bar that fetching is held to.

import CSQLite

/// A connection with a reader's settings.
final class RawSQL {
    private var handle: OpaquePointer?
    private var statements: [String: OpaquePointer] = [:]
    /// Where texts are copied to, as whoever keeps a row must.
    private var texts: [UInt8] = []

    init(_ path: String) {
        sqlite3_open(path, &handle)
        run("PRAGMA mmap_size = 1073741824; PRAGMA cache_size = -512; PRAGMA temp_store = MEMORY")
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    func run(_ sql: String) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        precondition(code == SQLITE_OK, String(cString: sqlite3_errmsg(handle)) + " in " + sql)
    }

    private func prepared(_ sql: String) -> OpaquePointer? {
        if let known = statements[sql] { return known }
        var made: OpaquePointer?
        let code = sqlite3_prepare_v2(handle, sql, -1, &made, nil)
        precondition(code == SQLITE_OK, String(cString: sqlite3_errmsg(handle)) + " in " + sql)
        if let made { statements[sql] = made }
        return made
    }

    /// Steps through all rows and reads all columns.
    /// - Returns: how many rows there were.
    func read(_ sql: String, key: Int64? = nil) -> Int {
        let statement = prepared(sql)
        if let key { sqlite3_bind_int64(statement, 1, key) }
        texts.removeAll(keepingCapacity: true)
        let columns = sqlite3_column_count(statement)
        var (rows, integers, doubles) = (0, Int64(0), 0.0)
        while sqlite3_step(statement) == SQLITE_ROW {
            for column in 0..<columns {
                switch sqlite3_column_type(statement, column) {
                case SQLITE_INTEGER: integers &+= sqlite3_column_int64(statement, column)
                case SQLITE_FLOAT: doubles += sqlite3_column_double(statement, column)
                case SQLITE_TEXT:
                    let count = Int(sqlite3_column_bytes(statement, column))
                    texts.append(
                        contentsOf: UnsafeBufferPointer(
                            start: sqlite3_column_text(statement, column), count: count))
                default: break
                }
            }
            rows += 1
        }
        sqlite3_reset(statement)
        if integers == .min, doubles.isNaN { print("read") }
        return rows
    }

    /// What SQLite means to do.
    func plan(_ sql: String) -> String {
        let statement = prepared("EXPLAIN QUERY PLAN " + sql)
        var steps: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            if let text = sqlite3_column_text(statement, 3) { steps.append(String(cString: text)) }
        }
        sqlite3_reset(statement)
        return steps.joined(separator: "; ")
    }
}
