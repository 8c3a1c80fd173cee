import Glibc
import SteleModel
import SteleModelFiles
import StelePersistence
import StelePredicates
import SteleSystem

/// A store that keeps its objects in memory and writes all of them to one file at each save
/// (NSAtomicStore). The file's format is a `FileFormat`.
///
/// A save writes a new file beside the old one, brings it to the disk, and renames it over the old
/// one. So the file always has all of a save or nothing of it. Saves that wait at the same time
/// share one file. The history and the receipts of requests are in memory and end with the process.
public final class AtomicStore: PersistentStore {
    /// The path of the file.
    public let path: String
    /// The file.
    public var filePaths: [String] { [path] }

    /// Copies the file, which a save replaces whole.
    /// - Throws: as `backUp(path:to:)`.
    public func backUp(to folder: String) throws(StoreError) -> StoreBackup {
        try Self.backUp(path: path, to: folder)
    }

    /// Copies the file of a whole-file store, which may be in use, into a folder.
    /// - Parameters:
    ///   - path: the path of the store's file.
    ///   - folder: an existing folder without a file of that name.
    /// - Throws: `StoreError`: `.incompatible` where it cannot be read, `.noRoom`, `.failed`.
    public static func backUp(path: String, to folder: String) throws(StoreError) -> StoreBackup {
        guard let bytes = try WholeFile.bytes(path) else {
            throw .incompatible(code: 134080, "\(path): there is no store")
        }
        let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
        let copy = "\(folder)/\(name)"
        var isReplaced = false
        try WholeFile.replace(copy, with: bytes, isReplaced: &isReplaced)
        return StoreBackup(files: [copy], bytes: Int64(bytes.count))
    }

    /// Reads the model that a store's file has in its metadata (NSManagedObjectModel
    /// .cachedModelForPersistentStore).
    /// - Throws: `ModelErrors` for a file that cannot be read, and for one without a model.
    public static func modelFile(
        path: String, format: any FileFormat
    ) throws(ModelErrors) -> ModelFile {
        let metadata: StoreMetadata?
        do throws(StoreError) {
            let list = try WholeFile.bytes(path).flatMap { bytes throws(StoreError) in
                try format.metadata(of: bytes)
            }
            metadata = try list.map { list throws(StoreError) in
                try StoreMetadata(propertyList: list)
            }
        } catch {
            throw ModelErrors([ModelError(path, error.sentence)])
        }
        if let file = try metadata?.modelFile(name: ModelCache.name(of: path), place: path) {
            return file
        }
        throw ModelErrors(path, "the store does not have its model", hint: ModelCache.remedy)
    }

    private let memory: InMemoryStore
    private let lock: FileLock
    private let queue = Monitor(AtomicQueue())
    private let thread = Mutex<SystemThread?>(nil)

    /// Opens a store's file, or creates it.
    /// - Throws: `StoreError`: `.unsupported` and `.invalid` for a model that cannot be stored;
    ///   `.busy` where another store has the file; `.incompatible` for a damaged file or one of
    ///   another format (134080) or model (134100); and errors of writing the new file.
    public static func open(
        path: String, model: Model, format: any FileFormat, identifier: String? = nil
    ) throws(StoreError) -> AtomicStore {
        try check(model)
        let path = WholeFile.resolved(path)
        let lock = try FileLock(path)
        do throws(StoreError) {
            return try AtomicStore(
                path: path, model: model, format: format, identifier: identifier, lock: lock)
        } catch {
            lock.leave()
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
        path: String, model: Model, format: any FileFormat, identifier: String?, lock: FileLock
    ) throws(StoreError) {
        self.path = path
        self.lock = lock
        // A killed process may have left a file that it had not finished.
        unlink(path + WholeFile.newEnding)
        var contents = try Self.contents(of: path, model, format)
        let isNew = contents == nil
        var first = contents ?? StoreContents()
        contents = nil
        Self.complete(&first, model, format, identifier)
        try Self.keep(model, in: &first)
        let file = AtomicFile(path: path, model: model, format: format)
        memory = try Self.memory(path, model, format, first) { contents throws(StoreError) in
            try file.write(contents)
        }
        if isNew { try file.write(first) }
        let writing = SystemThread(name: "stele-file") { [queue, memory] in
            AtomicQueue.run(queue, memory)
        }
        guard let writing else { throw .failed("the system has no thread for the store") }
        thread.withLock { $0 = writing }
    }

    /// Adds the identifier and the metadata where they are missing.
    private static func complete(
        _ contents: inout StoreContents, _ model: Model, _ format: any FileFormat,
        _ identifier: String? = nil
    ) {
        let identifier = contents.identifier ?? identifier ?? UUID().uuidString
        contents.identifier = identifier
        if contents.metadata != nil { return }
        contents.metadata =
            StoreMetadata(
                model: model, generation: identifier.prefix(8).lowercased(),
                storeType: format.metadataType
            ).propertyList
    }

    /// Keeps the model in the metadata, with which the next save brings it into the file. The file
    /// of another program stays without it.
    private static func keep(
        _ model: Model, in contents: inout StoreContents
    ) throws(StoreError) {
        guard let list = contents.metadata else { return }
        var metadata = try StoreMetadata(propertyList: list)
        guard metadata.generation != nil else { return }
        metadata.keep(model)
        contents.metadata = metadata.propertyList
    }

    /// The objects of a file in memory.
    /// - Parameter keep: writes the file.
    static func memory(
        _ path: String, _ model: Model, _ format: any FileFormat, _ contents: StoreContents,
        keep: @escaping InMemoryStore.Keeping
    ) throws(StoreError) -> InMemoryStore {
        var contents = contents
        complete(&contents, model, format)
        do throws(StoreError) {
            return try InMemoryStore(
                model: model, contents: contents, type: format.name, keep: keep)
        } catch {
            throw located(error, path)
        }
    }

    /// Reads the file; nil for a file that does not exist or is empty.
    static func contents(
        of path: String, _ model: Model, _ format: any FileFormat
    ) throws(StoreError) -> StoreContents? {
        guard let bytes = try WholeFile.bytes(path), !bytes.isEmpty else { return nil }
        do throws(StoreError) {
            let contents = try format.contents(of: bytes, model)
            try contents.check(model)
            return contents
        } catch {
            throw located(error, path)
        }
    }

    private static func located(_ error: StoreError, _ path: String) -> StoreError {
        guard case .incompatible(let code, let text) = error else { return error }
        return .incompatible(code: code, "\(path): \(text)")
    }

    /// The model of the stored objects.
    public var model: Model { memory.model }
    /// The name of the format.
    public var type: String { memory.type }
    /// NSStoreUUID.
    public var identifier: String { memory.identifier }
    /// Drawn for each opening, because the history begins with it.
    public var generation: String { memory.generation }

    /// Opens a view of the current objects.
    /// - Throws: `StoreError`: `.overBudget` for the budget of a thread that must not wait;
    ///   `.closed`.
    public func reader(budget: ReadBudget?) throws(StoreError) -> any StoreReader {
        try memory.reader(budget: budget)
    }

    /// Reads the current state of one object.
    /// - Throws: `StoreError.closed`.
    public func newest(_ id: ObjectID) throws(StoreError) -> Snapshot? { try memory.newest(id) }

    /// Saves a request, together with others that wait.
    /// - Throws: as `PersistentStore.save(_:)`.
    public func save(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        try saveAndWait(request)
    }

    /// Saves a request without blocking, together with others that wait.
    public func save(
        _ request: SaveRequest,
        completion: @escaping @Sendable (Result<SaveResult, StoreError>) -> Void
    ) {
        let isTaken = queue.withLock { $0.append(request, completion) }
        if isTaken { queue.signal() } else { completion(.failure(.closed)) }
    }

    /// Saves a request that is made while no other save can run, on the caller's thread.
    /// - Throws: as `PersistentStore.save(making:)`.
    public func save(
        making make: (any StoreReader) throws -> SaveRequest
    ) throws -> SaveResult {
        try memory.save(making: make)
    }

    /// Saves in parts that are written and become visible together, on the caller's thread.
    /// - Throws: as `PersistentStore.save(inParts:)`.
    public func save(inParts make: (any PartedSave) throws -> Void) throws -> SaveResult {
        try memory.save(inParts: make)
    }

    /// Deletes up to `limit` of the oldest transactions before `number`.
    /// - Throws: `StoreError.closed`.
    public func deleteHistory(before number: Int64, limit: Int) throws(StoreError) -> Int {
        try memory.deleteHistory(before: number, limit: limit)
    }

    /// The metadata in the file.
    /// - Throws: `StoreError.closed`.
    public var metadata: [String: PropertyList] { get throws(StoreError) { try memory.metadata } }

    /// Changes users' keys of the metadata, and writes the file.
    /// - Throws: as `PersistentStore.changeMetadata`.
    public func changeMetadata(
        _ change: (inout [String: PropertyList]) throws -> Void
    ) throws { try memory.changeMetadata(change) }

    /// The highest keys given out.
    /// - Throws: `StoreError.closed`.
    public var highestKeys: [Int: Int64] { get throws(StoreError) { try memory.highestKeys } }

    /// Sets the observer of commits.
    public func observe(_ observer: any StoreObserver) { memory.observe(observer) }

    /// Returns false: no other program can use the file.
    public func noticesForeignChange() -> Bool { false }

    /// Replaces the store's file by that of another store, which is then gone, and closes this store
    /// (NSPersistentStoreCoordinator.replacePersistentStore(at:withPersistentStoreFrom:)). A save
    /// that is waiting is done first, and later ones throw `.closed`.
    /// - Parameter other: the path of a closed store on the same file system.
    /// - Throws: `StoreError.failed`; then the file is as it was.
    public func replaceFile(with other: String) throws(StoreError) {
        // A later save would put the old objects over the new file.
        stop()
        defer { lock.leave() }
        try WholeFile.replace(path, byFile: other)
    }

    /// Saves what waits, stops the writer's thread, and releases the file.
    public func close() {
        stop()
        lock.leave()
    }

    /// Closes the store, and removes its file where nothing has been saved since it was opened. It
    /// is for a file that opening the store has created.
    public func discardIfUnused() {
        let isUnused = (try? memory.reader(budget: nil).token) == 0
        stop()
        if isUnused { unlink(path) }
        lock.leave()
    }

    private func stop() {
        queue.withLock { $0.isClosed = true }
        queue.signal()
        let running = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        running?.join()
        memory.close()
    }
}

/// The file of a whole-file store.
private final class AtomicFile: Sendable {
    private let path: String
    private let model: Model
    private let format: any FileFormat
    /// Set where memory and file may differ after a failure.
    private let isUncertain = Mutex(false)

    init(path: String, model: Model, format: any FileFormat) {
        self.path = path
        self.model = model
        self.format = format
    }

    /// Replaces the file.
    func write(_ contents: StoreContents) throws(StoreError) {
        let bytes = try format.bytes(of: contents, model)
        if isUncertain.withLock({ $0 }) { throw uncertain }
        var isReplaced = false
        do throws(StoreError) {
            try WholeFile.replace(path, with: bytes, isReplaced: &isReplaced)
        } catch {
            if isReplaced {
                isUncertain.withLock { $0 = true }
                throw uncertain
            }
            throw error
        }
    }

    private var uncertain: StoreError {
        .failed(
            "\(path): the folder could not be brought to the disk, so a save may or may not be in "
                + "the file: no further save is accepted until the store is opened again")
    }
}

/// The saves that wait for the file, and the loop that writes them.
private struct AtomicQueue: Sendable {
    typealias Completion = @Sendable (Result<SaveResult, StoreError>) -> Void

    private var waiting: [(request: SaveRequest, completion: Completion)] = []
    var isClosed = false

    /// Adds a save; false where the store is closed.
    mutating func append(_ request: SaveRequest, _ completion: @escaping Completion) -> Bool {
        if isClosed { return false }
        waiting.append((request, completion))
        return true
    }

    /// Saves all that wait together, until the queue is closed and empty.
    static func run(_ queue: Monitor<AtomicQueue>, _ store: InMemoryStore) {
        while true {
            let taken = queue.withLock(when: { $0.isClosed || !$0.waiting.isEmpty }) { queue, _ in
                defer { queue.waiting = [] }
                return queue.waiting
            }
            if taken.isEmpty { return }
            let results = store.save(together: taken.map(\.request))
            for (job, result) in zip(taken, results) { job.completion(result) }
        }
    }
}
