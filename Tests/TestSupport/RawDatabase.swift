// A plain SQLite connection: a store's file as another program sees it.

import CSQLite

package final class RawDatabase {
    package struct Failure: Error { package var message: String }

    private let handle: OpaquePointer

    /// - Parameter path: the file; it is made where there is none.
    package init(_ path: String) throws {
        var opened: OpaquePointer?
        guard sqlite3_open(path, &opened) == SQLITE_OK, let opened else {
            throw Failure(message: "cannot open \(path)")
        }
        handle = opened
        sqlite3_busy_timeout(opened, 5_000)
    }

    deinit { sqlite3_close_v2(handle) }

    package func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw failure() }
    }

    /// The first column of every row as text; NULL as an empty one.
    package func texts(_ sql: String) throws -> [String] {
        try rows(sql) { sqlite3_column_text($0, 0).map { String(cString: $0) } ?? "" }
    }

    /// The bytes of the first column of the first row.
    /// - Throws: `Failure`, also where there is no row.
    package func bytes(_ sql: String) throws -> [UInt8] {
        let found = try rows(sql) {
            [UInt8](
                UnsafeRawBufferPointer(
                    start: sqlite3_column_blob($0, 0), count: Int(sqlite3_column_bytes($0, 0))))
        }
        guard let first = found.first else { throw Failure(message: "no row: \(sql)") }
        return first
    }

    /// All rows of the tables that are not about the store itself, and the statements that made
    /// the tables and indexes.
    package func contents(besides names: Set<String> = ["Z_METADATA"]) throws -> [String] {
        var lines = try texts("SELECT sql FROM sqlite_master ORDER BY name")
        for table in try texts("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
        where !names.contains(table) {
            let columns = try texts("SELECT name FROM pragma_table_info('\(table)')")
            let list = columns.map { "quote(\"\($0)\")" }.joined(separator: " || ',' || ")
            lines += try texts("SELECT \(list) FROM \"\(table)\" ORDER BY 1")
        }
        return lines
    }

    private func rows<R>(_ sql: String, _ read: (OpaquePointer?) -> R) throws -> [R] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw failure()
        }
        defer { sqlite3_finalize(statement) }
        var found: [R] = []
        while sqlite3_step(statement) == SQLITE_ROW { found.append(read(statement)) }
        return found
    }

    private func failure() -> Failure { Failure(message: String(cString: sqlite3_errmsg(handle))) }
}
