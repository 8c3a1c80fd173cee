/// An SQLite file in Core Data's layout as a persistent store.

import CSQLite
import StelePersistence
import SteleModel
import StelePredicates
import SteleSQL
import SteleSystem

/// A store in an SQLite file (NSSQLiteStoreType): one writer, many readers, WAL, and every answer
/// only after the data is on disk.
public final class SQLiteStore: PersistentStore {
    public let model: Model
    public let identifier: String
    public let generation: String
    public let historyLine: HistoryLine
    /// The file.
    public let path: String

    private let schema: SQLSchema
    private let external: ExternalFolder
    private let translator: CurrentTranslator
    private let readers: ReaderPool
    /// For single rows.
    private let rowReaders: ReaderPool
    private let known = KnownStates()
    private let queue = WriterQueue()
    private let checkpointer = Checkpointer()
    private let watch: CommitWatch
    private let observer = Mutex<(any StoreObserver)?>(nil)
    private let threads = Mutex<[SystemThread]>([])
    private let lock: Mutex<StoreLock?>
    private let former: Mutex<[StoreMark]>

    public var formerMarks: [StoreMark] { former.withLock { $0 } }

    /// Opens a store's file, or makes it where there is none.
    /// - Throws: `StoreError`: `.unsupported` for a model that asks for what does not work yet
    ///   (`Model.unsupported()`), `.invalid` for one with a request that cannot be evaluated
    ///   (`Model.checkRequests()`), both before the file is touched; `.incompatible` where the file
    ///   is no store or one of another model, and what SQLite says.
    public static func open(path: String, model: Model) throws(StoreError) -> SQLiteStore {
        if let refusal = model.refusal { throw .unsupported(refusal) }
        do throws(ModelErrors) { try model.checkRequests() } catch {
            throw .invalid(error.description)
        }
        let writer = try Connection(path: path, creates: true)
        let schema = SQLSchema(model: model)
        let file = try StoreFile.prepare(writer, path: path, schema: schema)
        do throws(StoreError) {
            if schema.model.hasExternalAttributes {
                let external = ExternalFolder(store: path)
                try external.claim(for: file.identifier)
                try external.sweep(writer, schema, identifier: file.identifier)
            }
            return try SQLiteStore(path: path, schema: schema, writer: writer, file: file)
        } catch {
            file.lock?.leave()
            throw error
        }
    }

    private init(
        path: String, schema: SQLSchema, writer: Connection, file: StoreFile
    ) throws(StoreError) {
        self.path = path
        self.schema = schema
        external = ExternalFolder(store: path)
        model = schema.model
        identifier = file.identifier
        generation = file.generation
        historyLine = file.historyLine
        lock = Mutex(file.lock)
        translator = CurrentTranslator(FetchTranslator(schema: schema))
        readers = ReaderPool(path: path, isMapped: true)
        rowReaders = ReaderPool(path: path, isMapped: false)
        watch = CommitWatch(writer)
        // Between the two looks at the counter another program may have committed.
        former = Mutex(file.former?.counter == watch.current ? file.former?.marks ?? [] : [])
        try start(writer)
    }

    /// The writer's and the checkpointer's threads; each owns its connection from here on.
    private func start(_ connection: Connection) throws(StoreError) {
        let second = try Connection(path: path, creates: false)
        nonisolated(unsafe) let checkpoints = second
        let checkpointer = checkpointer
        checkpointer.follow(connection)
        let writer = try Writer(
            connection: connection, queue: queue, schema: schema, translator: translator,
            watch: watch, checkpointer: checkpointer,
            observer: { [weak self] in self?.observer.withLock { $0 } },
            changedElsewhere: { [weak self] in self?.tellOfForeignChange() })
        nonisolated(unsafe) let moved = writer
        let (watch, path) = (watch, path)
        let writing = SystemThread(name: "stele-writer") {
            moved.run()
            moved.seal(path)
            watch.close()
        }
        guard let writing else { throw Self.noThread }
        threads.withLock { $0 = [writing] }
        let checkpointing = SystemThread(name: "stele-checkpts") { checkpointer.run(checkpoints) }
        guard let checkpointing else {
            close()
            throw Self.noThread
        }
        threads.withLock { $0.append(checkpointing) }
    }

    private static let noThread = StoreError.failed("the system has no thread for the store")

    public func reader(budget: ReadBudget?) throws(StoreError) -> any StoreReader {
        try SQLiteReader(
            schema: schema, translator: translator, pool: readers, known: known, budget: budget)
    }

    public func newest(_ id: ObjectID) throws(StoreError) -> Snapshot? {
        guard let shape = schema.shapes[id.root] else { return nil }
        let connection = try rowReaders.take(waits: false)
        connection.refusesSlowStatements = true
        defer { rowReaders.give(connection) }
        // A statement outside a transaction is a view of its own, gone with its last row.
        return try connection.snapshots(
            translator.current.snapshotByKey(root: id.root), [.int(id.key)], shape
        ).first
    }

    public func save(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        let (request, files) = try movingOut(request)
        do {
            return try queue.perform(WriterJob(.save(request)))
        } catch {
            ExternalFolder.takeBack(files, after: error)
            throw WriterJob.storeError(error)
        }
    }

    /// Large values go into files on the thread that saves, so that the writer does not wait for
    /// them.
    private func movingOut(
        _ request: SaveRequest
    ) throws(StoreError) -> (request: SaveRequest, files: [ExternalData]) {
        guard schema.model.hasExternalAttributes else { return (request, []) }
        return try external.movingOut(request, schema)
    }

    public func externalDataWriter() throws(StoreError) -> any ExternalDataWriter {
        ExternalFile(external)
    }

    public func save(
        _ request: SaveRequest,
        completion: @escaping @Sendable (Result<SaveResult, StoreError>) -> Void
    ) {
        do throws(StoreError) {
            guard schema.model.hasExternalAttributes else {
                return try queue.add(WriterJob(request, completion: completion))
            }
            let (request, files) = try external.movingOut(request, schema)
            let told: @Sendable (Result<SaveResult, StoreError>) -> Void = { result in
                if case .failure(let error) = result {
                    ExternalFolder.takeBack(files, after: error)
                }
                completion(result)
            }
            do throws(StoreError) { try queue.add(WriterJob(request, completion: told)) } catch {
                told(.failure(error))
            }
        } catch {
            completion(.failure(error))
        }
    }

    public func save(
        making make: (any StoreReader) throws -> SaveRequest
    ) throws -> SaveResult {
        // The closure is used only while this call waits.
        try withoutActuallyEscaping(make) { make in
            var files: [ExternalData] = []
            let job = WriterJob(
                .making { reader in
                    let (request, made) = try self.movingOut(make(reader))
                    files += made
                    return request
                })
            do {
                return try queue.perform(job)
            } catch {
                ExternalFolder.takeBack(files, after: error)
                throw error
            }
        }
    }

    public func save(inParts make: (any PartedSave) throws -> Void) throws -> SaveResult {
        guard schema.model.hasExternalAttributes else { return try saveParts(make) }
        var files: [ExternalData] = []
        do {
            return try saveParts { parts in
                // It begins again, and so do its files.
                ExternalFolder.discard(files)
                let moving = ExternalParts(parts, in: external, schema)
                defer { files = moving.files }
                try make(moving)
            }
        } catch {
            ExternalFolder.takeBack(files, after: error)
            throw error
        }
    }

    private func saveParts(_ make: (any PartedSave) throws -> Void) throws -> SaveResult {
        try withoutActuallyEscaping(make) { try queue.perform(WriterJob(.parts($0))) }
    }

    public func deleteHistory(before number: Int64, limit: Int) throws(StoreError) -> Int {
        let job = WriterJob(.purge(before: number, limit: limit))
        do { _ = try queue.perform(job) } catch { throw WriterJob.storeError(error) }
        return job.deleted
    }

    public func observe(_ observer: any StoreObserver) {
        self.observer.withLock { $0 = observer }
    }

    public func noticesForeignChange() -> Bool {
        watch.noticesForeignCommit { tellOfForeignChange() }
    }

    private func tellOfForeignChange() {
        former.withLock { $0 = [] }
        observer.withLock { $0 }?.storeDidChangeElsewhere()
    }

    public func close() {
        queue.close()
        checkpointer.close()
        let running = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in running { thread.join() }
        readers.close()
        rowReaders.close()
        let lock = lock.withLock { lock in
            defer { lock = nil }
            return lock
        }
        lock?.leave()
    }
}
