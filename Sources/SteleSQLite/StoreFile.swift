import StelePersistence
import SteleModel
import SteleModelFiles
import SteleSQL
import Glibc

/// The contents of a store file's metadata.
struct StoreFile {
    let identifier: String
    let generation: String
    let historyLine: HistoryLine
    /// Shared with all programs that have the file open; nil where the lock file cannot be used.
    let lock: StoreLock?
    /// The model with the file's layout.
    let schema: SQLSchema
    /// Whether another program made the file.
    let isOfApp: Bool
    /// Whether the history is in a file of its own, attached to the writer's connection.
    let hasAttachedHistory: Bool
    /// Whether the opening has converted the file from a rollback journal to WAL.
    var isConvertedToWAL = false
    /// What is known from the last closing.
    var former: Former?

    /// What a program left for the one that opens the store next, and the value of the commit counter
    /// that it holds for.
    struct Former {
        let marks: [StoreMark]
        /// The columns with foreign values; nil where they are not known.
        let foreign: ForeignValues?
        let counter: UInt32
    }

    /// Configures the connection for writing, creates the tables of an empty file, and rejects a
    /// file that is not a store of the model.
    /// - Parameters:
    ///   - identifier: NSStoreUUID of a new store; nil to generate one.
    ///   - history: where a store of another program has its history.
    ///   - versionHashes: those that a new store gets, and that one of another program has; nil
    ///     where they are not known.
    static func prepare(
        _ connection: Connection, path: String, model: Model, identifier: String? = nil,
        history: HistoryPlace = .auto, versionHashes: [String: [UInt8]]? = nil
    ) throws(StoreError) -> StoreFile {
        guard try isEmpty(connection) else {
            // Checked before any setting, so that a file that is not a store stays unchanged.
            let found = try check(connection, path, model, versionHashes)
            let attaches = found.attachesHistory(history)
            let mode = try connection.single("PRAGMA journal_mode")
            try setUp(connection, path)
            if found.needsAdoption(history) {
                try adopt(connection, path, model, history, versionHashes)
            } else if !attaches {
                try upgrade(connection)
            }
            if attaches { try openHistory(connection, path) }
            var former: Former?
            let lock = try StoreLock(store: path) { () throws(StoreError) in
                try checkIsCurrent(connection, path)
                former = try beginGeneration(connection, path, model)
            }
            do throws(StoreError) {
                try checkIsCurrent(connection, path)
                let now = try check(connection, path, model)
                guard now.attachesHistory(history) == attaches else {
                    throw .busy(
                        "another program has added the tables of a history to \(path) while it "
                            + "was opened: open it again")
                }
                var file = try read(connection, path, lock, now.schema)
                file.former = former
                file.isConvertedToWAL = mode != .string("wal")
                return file
            } catch {
                lock?.leave()
                throw error
            }
        }
        // These settings take effect only before the first table is created.
        try connection.run("PRAGMA page_size = 4096; PRAGMA auto_vacuum = 2")
        try setUp(connection, path)
        try connection.run("BEGIN IMMEDIATE")
        guard try isEmpty(connection) else {
            // Another program created it while this one waited for the lock.
            try connection.run("ROLLBACK")
            let schema = try check(connection, path, model).schema
            return try read(connection, path, StoreLock(store: path) {}, schema)
        }
        // A file whose tables were dropped keeps its encoding.
        let dialect = try SQLDialect(of: connection)
        let schema = SQLSchema(model: model, dialect: dialect, isForApp: versionHashes != nil)
        try create(connection, schema, identifier ?? UUID().uuidString, versionHashes)
        let counter = CommitWatch(connection).current
        var file = try read(connection, path, StoreLock(store: path) {}, schema)
        file.former = Former(marks: [], foreign: ForeignValues(), counter: counter)
        return file
    }

    /// Opens a connection to a file, or creates it, after a look that may refuse the file and does
    /// not change it.
    /// - Parameter look: refuses a file that is not empty.
    static func connect(
        _ path: String, creates: Bool, _ look: (Connection) throws(StoreError) -> Void
    ) throws(StoreError) -> Connection {
        try StoreLook.before(opening: path) { (connection) throws(StoreError) in
            if try !isEmpty(connection) { try look(connection) }
        } _: { () throws(StoreError) in
            let connection = try Connection(path: path, creates: creates)
            // SQLite opens a file that it may not write for reading.
            if connection.isReadOnly { throw SQLiteFailure.unwritable(path) }
            _ = try isEmpty(connection)
            return connection
        }
    }

    /// Checks that no migration has replaced the file while this program waited for the lock.
    static func checkIsCurrent(
        _ connection: Connection, _ path: String
    ) throws(StoreError) {
        if connection.hasMoved {
            throw .busy("\(path) was replaced while it was opened: open it again")
        }
    }

    /// Begins a generation of the history. A file that no other program has open may be a restored
    /// copy, so its next saves may differ from those that followed before. A store of Stele's own
    /// also gets the model that it is opened with into Z_MODELCACHE: one of equal version hashes may
    /// have other bounds and defaults.
    /// - Returns: what is known from the last closing.
    private static func beginGeneration(
        _ connection: Connection, _ path: String, _ model: Model
    ) throws(StoreError) -> Former {
        try connection.run("BEGIN IMMEDIATE")
        let (marks, foreign) = StoreSeal.take(off: path)
        let counter = CommitWatch(connection).current
        do throws(StoreError) {
            var (_, metadata) = try self.metadata(connection, path)
            var line = try historyLine(metadata, path)
            // A history beside the store follows the store's number.
            if !connection.hasAttachedHistory { try HistoryCounters.mend(connection) }
            line.begin(newGeneration(), after: try HistoryReader.lastTransaction(connection))
            metadata.historyLine = line.texts
            try metadata.write(to: connection)
            if connection.hasAttachedHistory {
                try AttachedHistory(connection).write(line)
            }
            // One with other hashes would not be the model of the store.
            if !metadata.isOfApp, metadata.hasForeignHashes || !metadata.hasFormerHashes(of: model)
            {
                try writeCache(of: model, to: connection)
            }
        } catch {
            try connection.run("ROLLBACK")
            throw error
        }
        try connection.run("COMMIT")
        return Former(marks: marks, foreign: foreign, counter: counter &+ 1)
    }

    static func setUp(_ connection: Connection, _ path: String) throws(StoreError) {
        try turnOnLog(connection, path)
        // A program that was killed while it changed the mode has left it. SQLite has rolled back
        // what it had, and while this connection is open no program makes another one.
        unlink(StoreLook.resolved(path) + "-journal")
        try connection.run(
            "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; "
                + "PRAGMA cache_size = -16384; PRAGMA mmap_size = 1073741824; "
                + "PRAGMA temp_store = MEMORY")
        try DerivedTriggers.silence(on: connection)
    }

    /// Converts a file to WAL mode.
    static func turnOnLog(_ connection: Connection, _ path: String) throws(StoreError) {
        guard case .string("wal") = try connection.single("PRAGMA journal_mode = WAL") else {
            throw .failed(
                "\(path) cannot use WAL mode: its file system does not support shared memory")
        }
    }

    /// Adds the tables that a store of an earlier version of Stele lacks.
    static func upgrade(_ connection: Connection) throws(StoreError) {
        let places = SQLText(
            "SELECT COUNT(*) FROM sqlite_master WHERE name = '\(HistoryTables.imagePlaces)'")
        if try connection.integer(places) == 1 { return }
        try connection.run("BEGIN IMMEDIATE")
        // Another program may have added them meanwhile.
        if try connection.integer(places) == 0 {
            for statement in HistoryTables.upgrade { try connection.run(statement) }
        }
        try connection.run("COMMIT")
    }

    private static func isEmpty(_ connection: Connection) throws(StoreError) -> Bool {
        try connection.integer(
            SQLText("SELECT COUNT(*) FROM sqlite_master WHERE type = 'table'")) == 0
    }

    /// Reads the metadata of a file, and rejects one that is not a store.
    static func look(
        _ connection: Connection, _ path: String
    ) throws(StoreError) -> (identifier: String, metadata: StoreMetadata) {
        let tables = SQLText(
            "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = 'Z_METADATA'")
        guard try connection.integer(tables) == 1 else {
            throw .incompatible(
                code: 134020, "\(path) is an SQLite database, but not a Core Data store")
        }
        return try metadata(connection, path)
    }

    private static func create(
        _ connection: Connection, _ schema: SQLSchema, _ identifier: String,
        _ versionHashes: [String: [UInt8]]?
    ) throws(StoreError) {
        let generation = newGeneration()
        for statement in schema.creation { try connection.run(statement) }
        let row = SQLText("INSERT INTO Z_PRIMARYKEY VALUES (?1, ?2, ?3, 0)")
        for (number, name, parent) in schema.primaryKeyRows {
            try connection.execute(
                row, [.int(Int64(number)), .string(name), .int(Int64(parent))])
        }
        let metadata = StoreMetadata(
            model: schema.model, generation: generation, versionHashes: versionHashes)
        try connection.execute(
            SQLText("INSERT INTO Z_METADATA VALUES (1, ?1, ?2)"),
            [.string(identifier), .data(metadata.propertyList)])
        try writeCache(of: schema.model, to: connection)
        try connection.run("COMMIT")
    }

    /// Replaces the model in Z_MODELCACHE if it is another one. A model that no archive can have
    /// leaves the table empty, and is kept in the metadata.
    static func writeCache(
        of model: Model, to connection: Connection
    ) throws(StoreError) {
        let present = try SQLiteStore.modelCache(connection)
        let cache = ModelCache.bytes(of: model.whole, present: present)
        if let former = try StoreMetadata.read(connection)?.metadata {
            var metadata = former
            if cache == nil { metadata.keep(model) } else { metadata.forgetModel() }
            if metadata != former { try metadata.write(to: connection) }
        }
        if present == cache { return }
        try connection.run(
            "CREATE TABLE IF NOT EXISTS Z_MODELCACHE (Z_CONTENT BLOB); DELETE FROM Z_MODELCACHE")
        guard let cache else { return }
        try connection.execute(SQLText("INSERT INTO Z_MODELCACHE VALUES (?1)"), [.data(cache)])
    }

    /// Reads the metadata. No other program is beginning a generation then.
    private static func read(
        _ connection: Connection, _ path: String, _ lock: StoreLock?, _ schema: SQLSchema
    ) throws(StoreError) -> StoreFile {
        let (identifier, metadata) = try metadata(connection, path)
        return StoreFile(
            identifier: identifier, generation: metadata.generation ?? "",
            historyLine: try historyLine(metadata, path), lock: lock, schema: schema,
            isOfApp: metadata.isOfApp,
            hasAttachedHistory: connection.hasAttachedHistory)
    }

    static func historyLine(
        _ metadata: StoreMetadata, _ path: String
    ) throws(StoreError) -> HistoryLine {
        guard let generation = metadata.generation else {
            throw .incompatible(
                code: 134020,
                "\(path) was created by another program: open it for writing, which adopts it")
        }
        guard let texts = metadata.historyLine else { return HistoryLine(generation) }
        // Where the line cannot be read, a new one begins, and all earlier tokens are expired.
        return HistoryLine(texts) ?? HistoryLine(newGeneration())
    }

    private static func metadata(
        _ connection: Connection, _ path: String
    ) throws(StoreError) -> (identifier: String, metadata: StoreMetadata) {
        guard let stored = try StoreMetadata.read(connection) else {
            throw .incompatible(code: 134080, "\(path) has no metadata; the store is incomplete")
        }
        return stored
    }

    /// Returns eight hexadecimal digits.
    static func newGeneration() -> String {
        let digits = String(UInt32.random(in: .min ... .max), radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }
}
