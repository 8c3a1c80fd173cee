import CSQLite
import StelePersistence
import SteleModel
import StelePredicates
import SteleSQL
import SteleSystem

/// A store in an SQLite file with Core Data's layout (NSSQLiteStoreType). It has one writer and
/// many readers in WAL mode; a save returns after its data is on disk.
public final class SQLiteStore: PersistentStore {
    /// The model of the stored objects.
    public let model: Model
    /// `sqlite`.
    public let type = "sqlite"
    /// NSStoreUUID.
    public let identifier: String
    /// The first part of a new store's tokens.
    public let generation: String
    /// The generations of the store's tokens, with one for this opening.
    public let historyLine: HistoryLine
    /// The path of the file.
    public let path: String

    /// Whether the opening has converted the file from a rollback journal to WAL.
    public let isConvertedToWAL: Bool
    /// Whether another program made the store, and the history is in it.
    public let hasHistoryOfApp: Bool
    /// The file beside the store that has its history; nil where the store itself has it.
    public let historyFile: String?
    /// The file, its log, and those of the history beside it.
    public var filePaths: [String] {
        [StoreLook.place(of: path), historyFile].compactMap(\.self).flatMap { [$0, $0 + "-wal"] }
    }

    let schema: SQLSchema
    let external: ExternalFolder
    private let translator: CurrentTranslator
    let readers: ReaderPool
    /// For reads of single rows.
    private let rowReaders: ReaderPool
    private let known = KnownStates()
    let queue = WriterQueue()
    let search: ForeignSearch
    private let checkpointer: Checkpointer
    private let watch: CommitWatch
    private let presence: StorePresence
    private let damage: StoreDamage
    private let observer: Observing
    private let threads = Mutex<[SystemThread]>([])
    let lock: Mutex<StoreLock?>
    /// The private copy that the file is, and that closing removes.
    let copy = Mutex<PrivateCopy?>(nil)
    private let former: Mutex<[StoreMark]>

    /// The marks that observers gave when the store was last closed, until another program changes
    /// it.
    public var formerMarks: [StoreMark] { former.withLock { $0 } }

    /// Opens a store's file, or creates it.
    ///
    /// A store that another program created, such as an app with Apple's framework, is adopted: what
    /// Stele needs is added to it.
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - model: the model of the store.
    ///   - identifier: NSStoreUUID of a new store; nil to generate one.
    ///   - history: where a store that another program created has its history.
    ///   - versionHashes: the version hashes of all stored entities that Core Data has computed,
    ///     as a `.momd` has them, which a new store gets; nil for Stele's. A store with them is not
    ///     migrated in place. A store of another program that has others is of another model.
    /// - Throws: `StoreError`: `.unsupported` for a model with a feature that is not supported
    ///   (`Model.unsupported()`) and `.invalid` for one with a request that cannot be evaluated
    ///   (`Model.checkRequests()`), both before the file is opened; `.incompatible` where the file
    ///   is not a store, or a store of another model; and errors of SQLite.
    public static func open(
        path: String, model: Model, identifier: String? = nil, history: HistoryPlace = .auto,
        versionHashes: [String: [UInt8]]? = nil
    ) throws(StoreError) -> SQLiteStore {
        try check(model)
        let hashes = versionHashes.flatMap { all in
            Set(all.keys) == Set(model.storedEntities.map(\.name)) ? all : nil
        }
        let writer = try StoreFile.connect(path, creates: true) {
            connection throws(StoreError) in
            let found = try StoreFile.check(connection, path, model, hashes)
            if found.attachesHistory(history) {
                try StoreFile.checkHistoryFile(of: path, found.identifier)
            } else if found.layout.hasHistory {
                // A store that is refused is not adopted.
                try HistoryCounters.check(connection)
            }
        }
        let file = try StoreFile.prepare(
            writer, path: path, model: model, identifier: identifier, history: history,
            versionHashes: hashes)
        do throws(StoreError) {
            let schema = file.schema
            if schema.model.hasExternalAttributes {
                try ExternalFolder(store: path).claim(for: file.identifier)
            }
            return try SQLiteStore(path: path, schema: schema, writer: writer, file: file)
        } catch {
            file.lock?.leave()
            throw error
        }
    }

    /// Checks that a store can have a model.
    static func check(_ model: Model) throws(StoreError) {
        if let refusal = model.refusal { throw .unsupported(refusal) }
        do throws(ModelErrors) { try model.checkRequests() } catch {
            throw .invalid(error.description)
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
        isConvertedToWAL = file.isConvertedToWAL
        hasHistoryOfApp = file.isOfApp && !file.hasAttachedHistory
        historyFile =
            file.hasAttachedHistory ? StoreLook.resolved(path) + StoreFile.historyEnding : nil
        lock = Mutex(file.lock)
        let damage = StoreDamage(path)
        self.damage = damage
        translator = CurrentTranslator(FetchTranslator(schema: schema))
        // The index of the log is a file as well: with another one, readers would see old pages.
        let presence = StorePresence(
            [path, historyFile].compactMap(\.self).flatMap { [$0, $0 + "-wal", $0 + "-shm"] },
            damage)
        self.presence = presence
        readers = ReaderPool(
            path: path, isMapped: true, attachesHistory: file.hasAttachedHistory, presence, damage)
        checkpointer = Checkpointer(views: readers)
        // Rows are in the store's file alone.
        rowReaders = ReaderPool(path: path, isMapped: false, presence, damage)
        watch = CommitWatch(writer)
        // Another program may have committed between the two reads of the counter.
        let atClosing = file.former?.counter == watch.current ? file.former : nil
        former = Mutex(atClosing?.marks ?? [])
        let observer = Observing()
        self.observer = observer
        search = ForeignSearch(schema, translator, known: atClosing?.foreign) {
            () throws(StoreError) in
            let connection = try Connection(path: path, creates: false)
            try connection.run("PRAGMA query_only = 1")
            try presence.check()
            return connection
        } changed: { [known] in
            known.forget()
            observer.current?.storeDidChangeElsewhere()
        } failed: {
            _ = damage.noting($0)
        }
        try start(writer)
    }

    /// Starts the threads of the writer and the checkpointer. Each owns its connection.
    private func start(_ connection: Connection) throws(StoreError) {
        let second = try Connection(path: path, creates: false)
        if connection.hasAttachedHistory { try second.attachHistory() }
        // An earlier version of the model may have left files, too.
        let sweeps = try external.beginSweep(second, identifier: identifier)
        nonisolated(unsafe) let checkpoints = second
        let checkpointer = checkpointer
        checkpointer.follow(connection)
        let transactions = SQLiteTransactions(
            connection, schema: schema, translator: translator, search: search, watch: watch,
            presence: presence, damage: damage, checkpointer: checkpointer,
            changedElsewhere: { [weak self] in self?.tellOfForeignChange() })
        let observer = { [observer] in observer.current }
        nonisolated(unsafe) let moved = (
            writer: try transactions.makeWriter(queue, observer), transactions: transactions,
            observer: observer
        )
        let (watch, path, search) = (watch, path, search)
        let writing = SystemThread(name: "stele-writer") {
            moved.writer.run()
            moved.transactions.seal(path, moved.observer()) { search.found }
            watch.close()
        }
        guard let writing else { throw Self.noThread }
        threads.withLock { $0 = [writing] }
        let (external, schema, damage) = (external, schema, damage)
        let checkpointing = SystemThread(name: "stele-checkpts") {
            checkpointer.run(checkpoints, damage) { connection in
                // It reads all rows that may name a file, so no opening waits for it. One that ends
                // early removes nothing or some, and the next opening removes the rest.
                guard sweeps else { return }
                try? external.sweep(connection, schema) { checkpointer.isNeeded }
            }
        }
        guard let checkpointing else {
            close()
            throw Self.noThread
        }
        threads.withLock { $0.append(checkpointing) }
    }

    private static let noThread = StoreError.failed("the system has no thread for the store")

    /// Opens a view of the store's current state, as a read transaction.
    /// - Throws: as `PersistentStore.reader`.
    public func reader(budget: ReadBudget?) throws(StoreError) -> any StoreReader {
        let reader = try SQLiteReader(
            schema: schema, translator: translator, search: search, pool: readers, known: known,
            budget: budget)
        // What the view has of other programs is searched before anything is read in it.
        _ = noticesForeignChange()
        return reader
    }

    /// Whether the log has become long because views overlap.
    public var delaysLongViews: Bool { readers.isHolding }

    /// Calls it when the log has been restarted, or when that was waited for in vain.
    public func whenLongViewsBegin(_ begin: @escaping @Sendable () -> Void) {
        readers.whenReleased(begin)
    }

    /// Reads the current state of one object, outside any view.
    /// - Throws: as `PersistentStore.newest`.
    public func newest(_ id: ObjectID) throws(StoreError) -> Snapshot? {
        guard let shape = schema.shapes[id.root] else { return nil }
        try search.settle(waits: false)
        return try rowReaders.newest(
            translator.current.snapshotByKey(root: id.root), id.key, shape)
    }

    /// Saves a request and returns when it is on disk. Saves that wait at the same time share a
    /// commit.
    /// - Throws: as `PersistentStore.save(_:)`.
    public func save(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        let (request, files) = try movingOut(request)
        do {
            return try queue.perform(WriterJob(.save(request)))
        } catch {
            ExternalFolder.takeBack(files, after: error)
            throw WriterJob.storeError(error)
        }
    }

    /// Writes large values to files, on the thread that saves, so that the writer does not wait for
    /// them.
    private func movingOut(
        _ request: SaveRequest
    ) throws(StoreError) -> (request: SaveRequest, files: [ExternalData]) {
        guard schema.model.hasExternalAttributes else { return (request, []) }
        return try external.movingOut(request, schema)
    }

    /// Begins a value that is written to an external file where it is large.
    /// - Throws: nothing. An error of the file is thrown by the writer's `finish`.
    public func externalDataWriter() throws(StoreError) -> any ExternalDataWriter {
        ExternalFile(external)
    }

    /// Saves a request without blocking, except for writing large values to files.
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

    /// Saves a request that is made on the writer's thread.
    /// - Throws: as `PersistentStore.save(making:)`.
    public func save(
        making make: (any StoreReader) throws -> SaveRequest
    ) throws -> SaveResult {
        // The closure is not used after this call returns.
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

    /// Saves a request in parts, as one transaction.
    /// - Throws: as `PersistentStore.save(inParts:)`.
    public func save(inParts make: (any PartedSave) throws -> Void) throws -> SaveResult {
        guard schema.model.hasExternalAttributes else { return try saveParts(make) }
        var files: [ExternalData] = []
        do {
            return try saveParts { parts in
                // A repeated call starts over and creates new files.
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

    /// Deletes up to `limit` of the oldest transactions before `number`.
    /// - Throws: as `PersistentStore.deleteHistory`.
    public func deleteHistory(before number: Int64, limit: Int) throws(StoreError) -> Int {
        let job = WriterJob(.purge(before: number, limit: limit))
        do { _ = try queue.perform(job) } catch { throw WriterJob.storeError(error) }
        return job.deleted
    }

    /// Sets the observer of commits.
    public func observe(_ observer: any StoreObserver) {
        self.observer.current = observer
    }

    /// Checks that the file, its log and the history beside it are those that were opened.
    /// - Throws: `StoreError.gone`, which names the first file that is not, and `.damaged` where the
    ///   store was found to be damaged since it was opened.
    public func checkPresence() throws(StoreError) {
        try damage.check()
        try damage.noting { () throws(StoreError) in try presence.check() }
    }

    /// Returns whether another program has committed since the last notification.
    public func noticesForeignChange() -> Bool {
        watch.noticesForeignCommit { tellOfForeignChange() }
    }

    private func tellOfForeignChange() {
        search.renew()
        former.withLock { $0 = [] }
        observer.current?.storeDidChangeElsewhere()
    }

    /// Accepts no more saves, and stops the writer's and the checkpointer's threads when the saves
    /// that wait are done.
    func stopWriting() {
        queue.close()
        search.close()
        checkpointer.close()
        let running = threads.withLock { threads in
            defer { threads = [] }
            return threads
        }
        for thread in running { thread.join() }
    }

    /// Stops the writer's and the checkpointer's threads and closes their connections and those of
    /// the readers. The lock stays.
    func closeConnections() {
        stopWriting()
        readers.close()
        rowReaders.close()
    }

    /// Stops the writer's and the checkpointer's threads and closes the file.
    public func close() {
        closeConnections()
        let lock = lock.withLock { lock in
            defer { lock = nil }
            return lock
        }
        lock?.leave()
        copy.withLock { $0 }?.remove()
    }
}
