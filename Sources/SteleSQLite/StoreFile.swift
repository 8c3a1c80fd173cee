/// A store's file: made whole, or looked at before it is used.

import StelePersistence
import SteleModel
import SteleSQL
import Glibc

/// What a store's file says of itself.
struct StoreFile {
    let identifier: String
    let generation: String
    let historyLine: HistoryLine
    /// Shared with all who have the file open; nil where it cannot be locked.
    let lock: StoreLock?
    /// What its state was called when it was closed, and the commit counter that it is good with.
    var former: (marks: [StoreMark], counter: UInt32)?

    /// Sets the connection up for writing, makes the tables of an empty file, and refuses a file
    /// of something else.
    static func prepare(
        _ connection: Connection, path: String, schema: SQLSchema
    ) throws(StoreError) -> StoreFile {
        guard try isEmpty(connection) else {
            // Looked at before anything is set: a file of something else stays as it is.
            try look(connection, path, schema.model)
            try setUp(connection, path)
            try upgrade(connection)
            var former: (marks: [StoreMark], counter: UInt32)?
            let lock = try StoreLock(store: path) { () throws(StoreError) in
                former = try beginGeneration(connection, path, schema)
            }
            var file = try read(connection, path, lock)
            file.former = former
            return file
        }
        // Before the first table: only then does the file's layout follow them.
        try connection.run("PRAGMA page_size = 4096; PRAGMA auto_vacuum = 2")
        try setUp(connection, path)
        try connection.run("BEGIN IMMEDIATE")
        guard try isEmpty(connection) else {
            // Another program made it while this one waited for the lock.
            try connection.run("ROLLBACK")
            try look(connection, path, schema.model)
            return try read(connection, path, StoreLock(store: path) {})
        }
        try create(connection, schema)
        return try read(connection, path, StoreLock(store: path) {})
    }

    /// A file that nobody else has open may be a copy that was put back: the saves that come are not
    /// those that followed on the copy's last one before.
    /// - Returns: the marks that the file was sealed with, and the commit counter after this.
    private static func beginGeneration(
        _ connection: Connection, _ path: String, _ schema: SQLSchema
    ) throws(StoreError) -> (marks: [StoreMark], counter: UInt32) {
        try connection.run("BEGIN IMMEDIATE")
        let marks = StoreSeal.take(off: path)
        let counter = CommitWatch(connection).current
        do throws(StoreError) {
            var (_, metadata) = try self.metadata(connection, path)
            var line = try historyLine(metadata, path)
            let reader = HistoryReader(schema: schema, connection: connection)
            line.begin(newGeneration(), after: try reader.lastTransaction())
            metadata.historyLine = line.texts
            try connection.execute(
                SQLText("UPDATE Z_METADATA SET Z_PLIST = ?1 WHERE Z_VERSION = 1"),
                [.data(try metadata.propertyList())])
        } catch {
            try connection.run("ROLLBACK")
            throw error
        }
        try connection.run("COMMIT")
        return (marks, counter &+ 1)
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
        let places =
            "SELECT COUNT(*) FROM sqlite_master WHERE name = '\(HistoryTables.imagePlaces)'"
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
    ) throws(StoreError) {
        guard
            try count(
                connection, "SELECT COUNT(*) FROM sqlite_master WHERE name = 'Z_METADATA'") == 1
        else {
            throw .incompatible(
                code: 134020, "\(path) is an SQLite database, but not a Core Data store")
        }
        let (_, metadata) = try metadata(connection, path)
        try metadata.check(model)
        _ = try historyLine(metadata, path)
    }

    private static func count(_ connection: Connection, _ sql: String) throws(StoreError) -> Int64 {
        if case .int(let count)? = try connection.rows(SQLText(sql), [], [.integer]).first?.first {
            return count
        }
        return 0
    }

    private static func create(
        _ connection: Connection, _ schema: SQLSchema
    ) throws(StoreError) {
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
    }

    /// What the file says once nobody begins a generation any more.
    private static func read(
        _ connection: Connection, _ path: String, _ lock: StoreLock?
    ) throws(StoreError) -> StoreFile {
        let (identifier, metadata) = try metadata(connection, path)
        return StoreFile(
            identifier: identifier, generation: metadata.generation ?? "",
            historyLine: try historyLine(metadata, path), lock: lock)
    }

    private static func historyLine(
        _ metadata: StoreMetadata, _ path: String
    ) throws(StoreError) -> HistoryLine {
        guard let generation = metadata.generation else {
            throw .incompatible(
                code: 134020,
                "\(path) was made by another program; stores of others cannot be served yet")
        }
        guard let texts = metadata.historyLine else { return HistoryLine(generation) }
        guard let line = HistoryLine(texts) else {
            throw .incompatible(code: 134080, "\(path) has metadata that are not Stele's: \(texts)")
        }
        return line
    }

    private static func metadata(
        _ connection: Connection, _ path: String
    ) throws(StoreError) -> (identifier: String, StoreMetadata) {
        let rows = try connection.rows(
            SQLText("SELECT Z_UUID, Z_PLIST FROM Z_METADATA WHERE Z_VERSION = 1"), [],
            [.text, .data])
        guard case .string(let identifier)? = rows.first?[0], case .data(let list)? = rows.first?[1]
        else {
            throw .incompatible(code: 134080, "\(path) has no metadata: it is not a whole store")
        }
        return (identifier, try StoreMetadata(propertyList: list))
    }

    /// Eight hexadecimal digits.
    private static func newGeneration() -> String {
        let digits = String(UInt32.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
