/// Text operators against SQLite's own LIKE, over the same file in the same run.

import CSQLite
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite

/// A hundred thousand names, in a store that the library reads and a plain connection, too.
final class TextOperators {
    struct Failure: Error {}

    private let store: SQLiteStore
    private let player: Entity
    private var handle: OpaquePointer?

    init(_ folder: String, _ model: Model) throws {
        store = try SQLiteStore.open(path: folder + "/names.sqlite", model: model)
        guard let player = model.entity(named: "Player") else { throw Failure() }
        self.player = player
        let first = ["Ann", "Annabel", "Joanna", "Bob", "Müller", "Cyrus", "Dieter", "ÉMILE"]
        let last = ["Lee", "Smith", "Mannering", "O'Neill", "García", "Ng", "Featherstone", "Ito"]
        var request = SaveRequest(readToken: 0)
        request.changes = (0..<100_000).map { index in
            let name = "\(first[index % 8]) \(last[index / 8 % 8]) \(index)"
            return ObjectChange(
                .insert, entity: player.index, key: Int64(-1 - index),
                values: player.slots.map { $0.name == "name" ? .string(name) : .null })
        }
        _ = try store.save(request)
        sqlite3_open_v2(folder + "/names.sqlite", &handle, SQLITE_OPEN_READWRITE, nil)
        sqlite3_exec(handle, "PRAGMA mmap_size = 1073741824", nil, nil, nil)
    }

    deinit {
        sqlite3_close_v2(handle)
        store.close()
    }

    /// How many players the library counts.
    func count(_ predicate: String) throws -> Int {
        var request = FetchRequest(entity: player)
        request.predicate = try Predicate(format: predicate)
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.count(request)
    }

    /// How many rows SQLite counts.
    func count(sql condition: String) throws -> Int {
        var statement: OpaquePointer?
        defer { sqlite3_finalize(statement) }
        sqlite3_prepare_v2(
            handle, "SELECT COUNT(*) FROM ZPLAYER WHERE \(condition)", -1, &statement, nil)
        guard sqlite3_step(statement) == SQLITE_ROW else { throw Failure() }
        return Int(sqlite3_column_int64(statement, 0))
    }

    /// What is measured: a predicate, and what SQLite does instead.
    static let pairs = [
        ("name CONTAINS[c] 'ann'", "ZNAME LIKE '%ann%'"),
        ("name CONTAINS[cd] 'ann'", "ZNAME LIKE '%ann%'"),
        ("name ENDSWITH[c] '99'", "ZNAME LIKE '%99'"),
        ("name LIKE[c] '*ann*'", "ZNAME LIKE '%ann%'"),
        ("name ==[c] 'ann lee 0'", "ZNAME LIKE 'ann lee 0'"),
        ("name BEGINSWITH[c] 'annab'", "ZNAME LIKE 'annab%'"),
        ("name MATCHES[c] '.*ann.*'", "ZNAME LIKE '%ann%'"),
        ("name MATCHES 'Ann .*'", "ZNAME LIKE '%ann%'"),
        ("name CONTAINS 'Ann'", "INSTR(ZNAME, 'Ann') > 0"),
    ]
}
