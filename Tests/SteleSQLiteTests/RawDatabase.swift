/// A plain SQLite connection, to look at a store from outside.

import CSQLite

/// A connection of a test's own.
final class RawDatabase {
    struct Failure: Error { var message: String }

    private let handle: OpaquePointer

    init(_ path: String) throws {
        var opened: OpaquePointer?
        guard sqlite3_open(path, &opened) == SQLITE_OK, let opened else {
            throw Failure(message: "cannot open \(path)")
        }
        handle = opened
        sqlite3_busy_timeout(opened, 5_000)
    }

    deinit { sqlite3_close_v2(handle) }

    func run(_ sql: String) throws {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw Failure(message: String(cString: sqlite3_errmsg(handle)))
        }
    }

    /// The first column of every row as text; NULL as an empty one.
    func texts(_ sql: String) throws -> [String] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw Failure(message: String(cString: sqlite3_errmsg(handle)))
        }
        defer { sqlite3_finalize(statement) }
        var texts: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            texts.append(sqlite3_column_text(statement, 0).map { String(cString: $0) } ?? "")
        }
        return texts
    }
}
