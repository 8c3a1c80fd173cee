import Glibc
import SteleModel
import StelePersistence
import SteleSQL

/// A store in an SQLite file that is only read. Nothing in the file's folder is changed or created:
/// no log, no lock, no history, and a store of another program is not adopted.
///
/// A store without a log is read itself, as immutable, so no other program may change the file
/// meanwhile. Of one with a `-wal` or a rollback journal a private copy is read, and changes of other
/// programs are not seen.
public final class ReadOnlySQLiteStore: ReadOnlyStore {
    /// The model of the stored objects.
    public let model: Model
    /// `sqlite`.
    public let type = "sqlite"
    /// NSStoreUUID.
    public let identifier: String
    /// The first part of the store's tokens.
    public var generation: String { historyLine.generation(of: .max) }
    /// The generations of the store's tokens; a new one for a store whose history is not read.
    public let historyLine: HistoryLine
    /// The path of the file.
    public let path: String
    /// The file and its log.
    public var filePaths: [String] { [path, path + "-wal"] }

    private let schema: SQLSchema
    private let translator: CurrentTranslator
    private let readers: ReaderPool
    private let known = KnownStates()
    /// The largest number of a transaction in the file; 0 where its history is not in it.
    private let last: Int64
    private let search: ForeignSearch
    private let observer: Observing
    /// The files that are read: the store's, and that of its history.
    private let files: [StoreLook.StillFile]

    /// Whether a private copy is read.
    public var isCopied: Bool { files.contains { $0.copy != nil } }

    /// Opens a store's file.
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - model: the model of the store.
    ///   - versionHashes: those of the model that Core Data has computed, if they are known.
    ///   - copies: whether to read a private copy in any case, because other programs may change the
    ///     file.
    /// - Throws: `StoreError`, as `SQLiteStore.open`; `.incompatible` (134080) where there is no
    ///   file, and `.failed` where a private copy is needed and cannot be made.
    public static func open(
        path: String, model: Model, versionHashes: [String: [UInt8]]? = nil, copies: Bool = false
    ) throws(StoreError) -> ReadOnlySQLiteStore {
        try SQLiteStore.check(model)
        guard StoreLook.hasContents(path) else {
            throw .incompatible(
                code: 134080, "\(path): there is no store, and one that is only read is not created"
            )
        }
        let file = try copies ? StoreLook.stillCopy(of: path) : StoreLook.still(path)
        do throws(StoreError) {
            return try ReadOnlySQLiteStore(path, model, file, versionHashes)
        } catch {
            throw file.copy.map { error.replacing($0.file, with: path) } ?? error
        }
    }

    /// Opens a store's file that a hold keeps others from changing, and whose log has no frames.
    static func open(
        path: String, model: Model, versionHashes: [String: [UInt8]]?, under hold: WriteHold
    ) throws(StoreError) -> ReadOnlySQLiteStore {
        try SQLiteStore.check(model)
        return try ReadOnlySQLiteStore(
            path, model, StoreLook.still(path, under: hold), versionHashes)
    }

    private init(
        _ path: String, _ model: Model, _ file: StoreLook.StillFile,
        _ versionHashes: [String: [UInt8]]? = nil
    ) throws(StoreError) {
        var file = file
        let connection = try Connection(uri: file.uri, of: path)
        let found = try StoreFile.check(connection, path, model, versionHashes)
        var line =
            found.metadata.generation == nil
            ? nil : try StoreFile.historyLine(found.metadata, path)
        var history: StoreLook.StillFile?
        if !found.layout.hasHistory {
            // Another program may save between the two copies.
            for _ in 0..<Self.attempts where history == nil {
                guard let known = line, found.layout.hasHadAttachedHistory else { break }
                history = try Self.history(of: path, found.identifier, known, file)
                if history == nil, file.copy != nil { file = try StoreLook.still(path) }
            }
            if history == nil { line = nil }
        }
        // The objects are read without it where its pages are damaged.
        last =
            found.layout.hasHistory
            ? (try? HistoryCounters.largestTransaction(connection)) ?? 0 : 0
        self.path = path
        schema = found.schema
        self.model = found.schema.model
        identifier = found.identifier
        historyLine = line ?? HistoryLine(StoreFile.newGeneration())
        translator = CurrentTranslator(
            try FetchTranslator(stored: found.schema, on: connection))
        files = [file] + (history.map { [$0] } ?? [])
        let tables = history == nil ? found.layout.temporaryHistory : []
        let (uri, historyURI, isMapped) = (file.uri, history?.uri, file.isSteady)
        readers = ReaderPool { () throws(StoreError) in
            let connection = try Connection(uri: uri, of: path)
            try connection.run(
                "PRAGMA mmap_size = \(isMapped ? 1 << 30 : 0); "
                    + "PRAGMA cache_size = \(isMapped ? -512 : -4096); "
                    + "PRAGMA temp_store = \(tables.isEmpty ? "MEMORY" : "FILE")")
            for statement in tables { try connection.run(statement) }
            connection.hasTemporaryTables = !tables.isEmpty
            if let historyURI { try connection.attachHistory(historyURI) }
            try connection.run("PRAGMA query_only = 1")
            return connection
        }
        let observer = Observing()
        self.observer = observer
        search = ForeignSearch(schema, translator, known: nil) { () throws(StoreError) in
            let connection = try Connection(uri: uri, of: path)
            try connection.run("PRAGMA query_only = 1")
            return connection
        } changed: { [known] in
            known.forget()
            observer.current?.storeDidChangeElsewhere()
        } failed: { _ in
            // Nothing is saved that damage could spoil, and what cannot be read fails for readers too.
        }
    }

    private static let attempts = 5

    /// Returns the file of a store's history beside it; nil where there is none, or where it is not
    /// of the same moment as the store.
    private static func history(
        of path: String, _ identifier: String, _ line: HistoryLine, _ file: StoreLook.StillFile
    ) throws(StoreError) -> StoreLook.StillFile? {
        let beside = StoreLook.resolved(path) + StoreFile.historyEnding
        guard StoreLook.hasContents(beside) else { return nil }
        try StoreFile.checkHistoryFile(of: path, identifier)
        let history = try StoreLook.still(beside)
        let connection = try Connection(uri: file.uri, of: path)
        try connection.attachHistory(history.uri)
        return try AttachedHistory(connection).isOf(line) ? history : nil
    }

    /// Opens a view.
    /// - Throws: as `PersistentStore.reader`.
    public func reader(budget: ReadBudget?) throws(StoreError) -> any StoreReader {
        try SQLiteReader(
            schema: schema, translator: translator, search: search, pool: readers, known: known,
            budget: budget, last: last)
    }

    /// Reads one object, outside any view.
    /// - Throws: as `PersistentStore.newest`.
    public func newest(_ id: ObjectID) throws(StoreError) -> Snapshot? {
        guard let shape = schema.shapes[id.root] else { return nil }
        try search.settle(waits: false)
        return try readers.newest(
            translator.current.snapshotByKey(root: id.root), id.key, shape)
    }

    /// The metadata (NSPersistentStore.metadata).
    /// - Throws: as `PersistentStore.metadata`.
    public var metadata: [String: PropertyList] {
        get throws(StoreError) {
            let connection = try readers.take(waits: true)
            defer { readers.give(connection) }
            return try StoreFile.look(connection, path).metadata.values(identifier)
        }
    }

    /// The highest keys given out (Z_MAX).
    /// - Throws: as `PersistentStore.highestKeys`.
    public var highestKeys: [Int: Int64] {
        get throws(StoreError) {
            let connection = try readers.take(waits: true)
            defer { readers.give(connection) }
            return try schema.highestKeys(connection)
        }
    }

    /// Sets the observer, which is notified when other columns are found to have foreign values.
    public func observe(_ observer: any StoreObserver) { self.observer.current = observer }

    /// Waits until all rows have been read for contents that other programs have left.
    public func findForeignValues() { search.finish() }

    /// Waits for a moment until they have.
    /// - Throws: as `PersistentStore.awaitForeignValues`.
    public func awaitForeignValues(_ budget: ReadBudget?) throws(StoreError) {
        try search.settle(waits: budget?.mayWait ?? true)
    }

    /// Closes the file, and removes the private copy.
    public func close() {
        search.close()
        readers.close()
        for file in files { file.copy?.remove() }
    }
}
