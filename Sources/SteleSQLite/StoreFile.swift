/// A store's file: made whole, or looked at before it is used.

import StelePersistence
import SteleModel
import SteleSQL
import Glibc

/// What a store's file says of itself.
struct StoreFile {
    let identifier: String
    let generation: String

    /// Sets the connection up for writing, makes the tables of an empty file, and refuses a file
    /// of something else.
    static func prepare(
        _ connection: Connection, path: String, schema: SQLSchema
    ) throws(StoreError) -> StoreFile {
        guard try isEmpty(connection) else {
            // Looked at before anything is set: a file of something else stays as it is.
            let file = try look(connection, path, schema.model)
            try setUp(connection, path)
            try upgrade(connection)
            return file
        }
        // Before the first table: only then does the file's layout follow them.
        try connection.run("PRAGMA page_size = 4096; PRAGMA auto_vacuum = 2")
        try setUp(connection, path)
        try connection.run("BEGIN IMMEDIATE")
        guard try isEmpty(connection) else {
            // Another program made it while this one waited for the lock.
            try connection.run("ROLLBACK")
            return try look(connection, path, schema.model)
        }
        return try create(connection, schema)
    }

    private static func setUp(_ connection: Connection, _ path: String) throws(StoreError) {
        guard case .string("wal") = try connection.single("PRAGMA journal_mode = WAL") else {
            throw .failed("\(path) cannot be kept in WAL mode: its file system lacks shared memory")
        }
        try connection.run(
            "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; "
                + "PRAGMA cache_size = -16384; PRAGMA mmap_size = 1073741824; "
                + "PRAGMA temp_store = MEMORY")
    }

    /// Adds what a store of an earlier version of Stele lacks.
    private static func upgrade(_ connection: Connection) throws(StoreError) {
        let places = "SELECT COUNT(*) FROM sqlite_master WHERE name = '\(HistoryTables.imagePlaces)'"
        if try count(connection, places) == 1 { return }
        try connection.run("BEGIN IMMEDIATE")
        // Another program may have been first.
        if try count(connection, places) == 0 {
            for statement in HistoryTables.upgrade { try connection.run(statement) }
        }
        try connection.run("COMMIT")
    }

    private static func isEmpty(_ connection: Connection) throws(StoreError) -> Bool {
        try count(connection, "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table'") == 0
    }

    private static func look(
        _ connection: Connection, _ path: String, _ model: Model
    ) throws(StoreError) -> StoreFile {
        guard
            try count(
                connection, "SELECT COUNT(*) FROM sqlite_master WHERE name = 'Z_METADATA'") == 1
        else {
            throw .incompatible(
                code: 134020, "\(path) is an SQLite database, but not a Core Data store")
        }
        return try read(connection, path, model)
    }

    private static func count(_ connection: Connection, _ sql: String) throws(StoreError) -> Int64 {
        if case .int(let count)? = try connection.rows(SQLText(sql), [], [.integer]).first?.first {
            return count
        }
        return 0
    }

    private static func create(
        _ connection: Connection, _ schema: SQLSchema
    ) throws(StoreError) -> StoreFile {
        let identifier = UUID().uuidString
        let generation = newGeneration()
        for statement in schema.creation { try connection.run(statement) }
        let row = SQLText("INSERT INTO Z_PRIMARYKEY VALUES (?1, ?2, ?3, 0)")
        for (number, name, parent) in schema.primaryKeyRows {
            try connection.execute(
                row, [.int(Int64(number)), .string(name), .int(Int64(parent))])
        }
        let metadata = StoreMetadata(model: schema.model, generation: generation)
        try connection.execute(
            SQLText("INSERT INTO Z_METADATA VALUES (1, ?1, ?2)"),
            [.string(identifier), .data(try metadata.propertyList())])
        try connection.run("COMMIT")
        return StoreFile(identifier: identifier, generation: generation)
    }

    private static func read(
        _ connection: Connection, _ path: String, _ model: Model
    ) throws(StoreError) -> StoreFile {
        let rows = try connection.rows(
            SQLText("SELECT Z_UUID, Z_PLIST FROM Z_METADATA WHERE Z_VERSION = 1"), [],
            [.text, .data])
        guard case .string(let identifier)? = rows.first?[0], case .data(let list)? = rows.first?[1]
        else {
            throw .incompatible(code: 134080, "\(path) has no metadata: it is not a whole store")
        }
        let metadata = try StoreMetadata(propertyList: list)
        try metadata.check(model)
        guard let generation = metadata.generation else {
            throw .incompatible(
                code: 134020,
                "\(path) was made by another program; stores of others cannot be served yet")
        }
        return StoreFile(identifier: identifier, generation: generation)
    }

    /// Eight hexadecimal digits.
    private static func newGeneration() -> String {
        let digits = String(UInt32.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
