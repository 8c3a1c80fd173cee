/// The baseline: the same rows by prepared statements of libsqlite3, and nothing else.

import CSQLite

/// A plain connection to a database of its own, with one table like a store's.
final class Floor {
    private var handle: OpaquePointer?
    private var insertion: OpaquePointer?
    private var lookup: OpaquePointer?

    init(_ path: String) {
        sqlite3_open(path, &handle)
        run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
        run(
            "CREATE TABLE ZPLAYER (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                + "ZGOALS INTEGER, ZNUMBER INTEGER, ZTEAM INTEGER, ZNAME VARCHAR)")
        run("CREATE INDEX ZPLAYER_ZTEAM_INDEX ON ZPLAYER (ZTEAM)")
        run("CREATE INDEX Z_Player_byName ON ZPLAYER (ZNAME)")
        sqlite3_prepare_v2(
            handle, "INSERT INTO ZPLAYER VALUES (?, 1, 1, 0, ?, ?, ?)", -1, &insertion, nil)
        sqlite3_prepare_v2(
            handle, "SELECT Z_OPT, ZGOALS, ZNUMBER, ZTEAM, ZNAME FROM ZPLAYER WHERE Z_PK = ?", -1,
            &lookup, nil)
    }

    deinit {
        sqlite3_finalize(insertion)
        sqlite3_finalize(lookup)
        sqlite3_close_v2(handle)
    }

    private func run(_ sql: String) { sqlite3_exec(handle, sql, nil, nil, nil) }

    /// Inserts so many rows in one transaction.
    func insert(_ keys: ClosedRange<Int>) {
        run("BEGIN IMMEDIATE")
        for key in keys {
            let name = "Player \(key)"
            sqlite3_bind_int64(insertion, 1, Int64(key))
            sqlite3_bind_int64(insertion, 2, Int64(key % 99 + 1))
            sqlite3_bind_int64(insertion, 3, Int64(key % 20 + 1))
            _ = name.withCString { stele_bind_text(insertion, 4, $0, Int64(name.utf8.count)) }
            sqlite3_step(insertion)
            sqlite3_reset(insertion)
        }
        run("COMMIT")
    }

    /// Reads one row.
    func get(_ key: Int) -> Int {
        sqlite3_bind_int64(lookup, 1, Int64(key))
        var sum = 0
        if sqlite3_step(lookup) == SQLITE_ROW {
            sum = Int(sqlite3_column_int64(lookup, 0)) + Int(sqlite3_column_bytes(lookup, 4))
        }
        sqlite3_reset(lookup)
        return sum
    }
}
