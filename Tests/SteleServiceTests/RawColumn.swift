// A column of a store as another program reads it.

import CSQLite

enum RawColumn {
    struct Failure: Error {}

    /// Changes a store as another program does.
    static func change(_ path: String, _ sql: String) throws {
        var handle: OpaquePointer?
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK else {
            throw Failure()
        }
        defer { sqlite3_close_v2(handle) }
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw Failure() }
    }

    /// The bytes of the first column of the first row.
    static func read(_ path: String, _ sql: String) throws -> [UInt8] {
        var handle: OpaquePointer?
        guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else {
            throw Failure()
        }
        defer { sqlite3_close_v2(handle) }
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
            throw Failure()
        }
        defer { sqlite3_finalize(statement) }
        guard sqlite3_step(statement) == SQLITE_ROW else { throw Failure() }
        let start = sqlite3_column_blob(statement, 0)
        return [UInt8](
            UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, 0))))
    }
}
