import SteleModel
import SteleSystem

/// A store of one model's objects (NSPersistentStore).
///
/// A store is shared by all threads. A `StoreReader` reads one consistent state of it; `save`
/// changes it, one save at a time.
///
/// What reads or saves throws the usual errors of a store, which are cases of `StoreError`:
/// `.closed` after `close`; `.busy` where other programs or too many threads use it; `.gone`,
/// `.damaged`, `.incompatible`, `.noRoom` and `.failed` for an error of its files.
public protocol PersistentStore: AnyObject, Sendable {
    /// The model of the stored objects.
    var model: Model { get }
    /// The name of the store type, such as `sqlite` (NSPersistentStore.type).
    var type: String { get }
    /// The store's UUID (NSStoreUUID).
    var identifier: String { get }
    /// Whether every write is refused (NSPersistentStore.isReadOnly).
    var isReadOnly: Bool { get }

    /// Whether the history has saves of an app that made the store, which the app may still read.
    var hasHistoryOfApp: Bool { get }
    /// The UUIDs of the stores that this one stands for.
    var identifiers: [String] { get }
    /// Returns the UUID of the store that has or had an object: of one of the stores of a
    /// `StoreGroup`.
    func identifier(of id: ObjectID) -> String
    /// The first part of a new store's tokens; drawn when the store is created.
    var generation: String { get }
    /// The generations of the store's tokens. A store restored from a copy gets a new generation.
    var historyLine: HistoryLine { get }

    /// The paths of the store's files, of which some may not be there: a log, a history beside the
    /// store. Files of external values are not among them.
    var filePaths: [String] { get }

    /// Copies the store as it is at one moment into a folder, while it is used. The copy has the
    /// name of the store's file, and is on disk when this returns.
    /// - Parameter folder: an existing folder on any file system, without files of these names.
    /// - Throws: `StoreError`: `.invalid` for a store without a file and for one that is only read;
    ///   the usual errors. Files that were copied so far stay.
    func backUp(to folder: String) throws(StoreError) -> StoreBackup

    /// Opens a view of the store's current state, which stays unchanged until it is closed.
    /// - Parameter budget: the limit on the cost of all reading through the view, for a thread that
    ///   must not wait; nil for no limit.
    /// - Throws: `StoreError`: the usual errors. With a budget, opening and reading throw
    ///   `.overBudget` where it is used up or known to be too small, and `.overBudget` or `.busy`
    ///   where a thread that must not wait would have to.
    func reader(budget: ReadBudget?) throws(StoreError) -> any StoreReader

    /// Opens a view without a budget, for a caller that first reads `history` with this token and
    /// this limit. A store to which each statement is a message reads both together.
    /// - Throws: `StoreError`: the usual errors.
    func reader(forHistoryAfter token: Int64, limit: Int) throws(StoreError) -> any StoreReader

    /// A copy of the store that follows it; nil for none.
    var replica: (any StoreReplica)? { get }

    /// Whether views that may stay open for long should begin later, because the store waits for
    /// such views to end.
    var delaysLongViews: Bool { get }

    /// Calls a closure when long views may begin: at once where they may, else on another thread of
    /// the store, which it must not block. The store delays them for half a minute at most.
    func whenLongViewsBegin(_ begin: @escaping @Sendable () -> Void)

    /// Reads the current state of one object, outside any view, for a thread that must not wait. A
    /// store of several nodes waits for its server.
    /// - Returns: nil where the object does not exist. The result does not say which commit it
    ///   belongs to.
    /// - Throws: `StoreError`: `.overBudget` or `.busy` where the read would have to wait; the
    ///   usual errors.
    func newest(_ id: ObjectID) throws(StoreError) -> Snapshot?

    /// As `newest(_:)`, without blocking where the store waits for a server.
    /// - Parameter completion: called once, on any thread; it must not block.
    func newest(
        _ id: ObjectID,
        completion: @escaping @Sendable (Result<Snapshot?, StoreError>) -> Void)

    /// Saves a request completely or not at all, and returns when it is on disk.
    ///
    /// Blocks the caller. Saves that wait at the same time may share one commit.
    /// - Throws: `StoreError`: `.moved` where the state that the request was made from has changed
    ///   and the caller must make it again; `.conflicts`; `.constraint`; `.invalid` for a malformed
    ///   request, and for a value that the store cannot hold; `.readOnly` for a store that is only
    ///   read; `.incompleteSave` for a `StoreGroup`; the usual errors.
    func save(_ request: SaveRequest) throws(StoreError) -> SaveResult

    /// Saves a request without blocking.
    /// - Parameters:
    ///   - request: the changes to save.
    ///   - completion: called on the writer's thread, where it must not wait, or on the caller's
    ///     thread before this function returns.
    func save(
        _ request: SaveRequest,
        completion: @escaping @Sendable (Result<SaveResult, StoreError>) -> Void)

    /// Saves a request that is made on the writer's thread, where no other save can intervene. For
    /// a request that has lost a race too often.
    /// - Parameter make: makes the request from the current state.
    /// - Throws: what `make` throws; `StoreError`, as `save(_:)`.
    func save(
        making make: (any StoreReader) throws -> SaveRequest
    ) throws -> SaveResult

    /// Saves a request that is too large to hold in memory, in parts. All parts are one transaction
    /// of the history, saved completely or not at all.
    /// - Parameter make: saves the parts. It may be called again from its start; the parts saved by
    ///   the earlier call are then gone.
    /// - Throws: what `make` throws; `StoreError`, as `save(_:)`. Nothing is saved then, unless the
    ///   text of `.incompleteSave` or `.failed` says otherwise.
    func save(inParts make: (any PartedSave) throws -> Void) throws -> SaveResult

    /// Deletes the oldest transactions of the history
    /// (NSPersistentHistoryChangeRequest.deleteHistory(before:)); objects stay as they are.
    /// - Parameters:
    ///   - number: the first transaction to keep.
    ///   - limit: the most transactions to delete in this call. A caller repeats the call until it
    ///     returns 0, so that other saves do not wait long.
    /// - Returns: the number of deleted transactions.
    /// - Throws: `StoreError`: `.readOnly` for a store that is only read; the usual errors.
    func deleteHistory(before number: Int64, limit: Int) throws(StoreError) -> Int

    /// Begins a value of a Binary attribute that arrives in pieces.
    /// - Throws: `StoreError.readOnly` for a store that is only read.
    func externalDataWriter() throws(StoreError) -> any ExternalDataWriter

    /// What the store says of itself (NSPersistentStore.metadata): the keys of Core Data, such as
    /// NSStoreType, NSStoreUUID and NSStoreModelVersionHashes, and those of users.
    /// - Throws: `StoreError`: the usual errors.
    var metadata: [String: PropertyList] { get throws(StoreError) }

    /// Changes users' keys of the metadata, and returns when that is on disk. It is not part of the
    /// history.
    ///
    /// Keys that begin with NS, _NS or Stele are read-only. A key has 1 to 255 bytes. Users' keys
    /// and values together have 1 MiB at most, as a binary property list, and are nested 64 deep at
    /// most. Numbers are finite.
    /// - Parameter change: changes the values by key, which no other change can intervene in. It is
    ///   called on the writer's thread, maybe more than once.
    /// - Throws: `MetadataError` for a key or value that is not allowed, and what `change` throws;
    ///   `StoreError`: `.invalid` for a value that the store's file cannot hold, `.readOnly` for a
    ///   store that is only read; the usual errors. Nothing is changed then, unless the error is
    ///   `.failed` and says otherwise.
    func changeMetadata(_ change: (inout [String: PropertyList]) throws -> Void) throws

    /// The highest key given out in each family, by the index of the root entity (Z_MAX). Keys of
    /// deleted objects count.
    /// - Throws: `StoreError`: the usual errors.
    var highestKeys: [Int: Int64] { get throws(StoreError) }

    /// Sets the observer of commits. Called once, before the first save.
    func observe(_ observer: any StoreObserver)

    /// Returns whether another program may have changed the store since `observer` was last
    /// notified. This check is cheap. When it returns true, the observer has been notified.
    func noticesForeignChange() -> Bool

    /// Whether a column may have a number that the attribute's type does not have, as other programs
    /// leave it in SQLite: 70000 in an Integer 16, an infinite Double.
    var holdsAnyNumber: Bool { get }

    /// Waits until it is known which contents other programs have left that Core Data does not write,
    /// so that all of them are read by their meaning. Does nothing where it is known, and ends where a
    /// table cannot be read: reading it fails in the same way.
    func findForeignValues()

    /// Has the rows read again for such contents, after a save that has carried some over.
    func renewForeignValues()

    /// Waits until that is known, for a limited time, which is enough for a small store. Each reader
    /// waits so at its first statement. A caller that uses caches waits before it opens the reader,
    /// because caches are emptied when such contents are found.
    /// - Throws: `.overBudget` where the budget's thread may not wait.
    func awaitForeignValues(_ budget: ReadBudget?) throws(StoreError)

    /// Whether several services save to the store, each as Stele does, and none knows at once what
    /// another has saved. A reader of such a store notices which saves of others its view has. Rows
    /// are not taken from a cache without a reader, and ETags have the generation of the store.
    var isOfSeveralNodes: Bool { get }

    /// The figures of the store's database; nil for a store in files.
    var databaseFigures: DatabaseFigures? { get }

    /// Checks that saves would reach the files that the store was opened with.
    /// - Throws: `StoreError.gone` where one was removed or replaced, and `.damaged` where one was
    ///   found to be damaged.
    func checkPresence() throws(StoreError)

    /// Keeps other programs from opening the store until it is closed.
    /// - Throws: `StoreError.busy` where another program has it open.
    func excludeOthers() throws(StoreError)

    /// The marks given by observers that closed the store in its present state, oldest first. Only
    /// saves in the history have changed the store since.
    var formerMarks: [StoreMark] { get }

    /// Stops the writer and closes the files. Later reads and saves throw `.closed`.
    func close()
}

/// A name for all states of a store up to a save, given by an observer that knows that no other
/// program changed the store.
public struct StoreMark: Sendable, Hashable {
    /// The name; it has no spaces.
    public var mark: String
    /// The number of the last save that the mark covers.
    public var last: Int64

    /// Creates a mark.
    public init(mark: String, last: Int64) {
        self.mark = mark
        self.last = last
    }
}

/// A save in parts, while it is made on the writer's thread.
public protocol PartedSave: AnyObject {
    /// Opens a view of the store that includes all parts saved so far. The caller closes it.
    /// - Throws: `StoreError`: the usual errors of a store (`PersistentStore`).
    func reader() throws(StoreError) -> any StoreReader

    /// Saves a part.
    /// - Throws: as `PersistentStore.save(_:)`.
    func save(_ request: SaveRequest) throws(StoreError) -> SaveResult
}

extension PersistentStore {
    /// One generation: for a store that ends with its process.
    public var historyLine: HistoryLine { HistoryLine(generation) }

    /// Does nothing and never throws: for a store that keeps no file open, and writes a whole one
    /// at each save.
    public func checkPresence() throws(StoreError) {}

    /// False: for a store that is open for writing.
    public var isReadOnly: Bool { false }

    /// False: for a store that Stele made.
    public var hasHistoryOfApp: Bool { false }

    /// The store's own UUID.
    public var identifiers: [String] { [identifier] }

    /// The store's own UUID.
    public func identifier(of id: ObjectID) -> String { identifier }

    /// False: for a store that keeps nothing for a view.
    public var delaysLongViews: Bool { false }

    /// Calls it at once: for a store that keeps nothing for a view.
    public func whenLongViewsBegin(_ begin: @escaping @Sendable () -> Void) { begin() }

    /// None: for a store without a file.
    public var filePaths: [String] { [] }

    /// Throws `.invalid`: for a store without a file, and for one that is only read.
    public func backUp(to folder: String) throws(StoreError) -> StoreBackup {
        throw .invalid(
            isReadOnly
                ? "the store is only read: back up its file, or the store that it is a copy of"
                : "a store of the type \(type) has no file")
    }

    /// Does nothing and never throws: for a store that only one program can open.
    public func excludeOthers() throws(StoreError) {}

    /// Calls it at once: for a store that does not wait for a server.
    public func newest(
        _ id: ObjectID,
        completion: @escaping @Sendable (Result<Snapshot?, StoreError>) -> Void
    ) {
        completion(Result { () throws(StoreError) in try newest(id) })
    }

    /// None: for a store in files.
    public var databaseFigures: DatabaseFigures? { nil }

    /// None: for a store that is read itself.
    public var replica: (any StoreReplica)? { nil }

    /// False: for a store of one service.
    public var isOfSeveralNodes: Bool { false }

    /// False: for a store that has the values of its types alone.
    public var holdsAnyNumber: Bool { false }

    /// Does nothing: for a store that has none.
    public func findForeignValues() {}

    /// Does nothing: for a store that has none.
    public func renewForeignValues() {}

    /// Does nothing: for a store that has none.
    public func awaitForeignValues(_ budget: ReadBudget?) throws(StoreError) {}

    /// None: for a store whose state does not outlive its process.
    public var formerMarks: [StoreMark] { [] }

    /// Saves a request by the function that does not block, and waits for its completion: for a
    /// store whose saves wait in a queue.
    package func saveAndWait(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        let answer = Monitor<Result<SaveResult, StoreError>?>(nil)
        save(request) { result in
            answer.withLock { $0 = result }
            answer.signal()
        }
        let result = answer.withLock(when: { $0 != nil }) { result, _ in result }
        return try (result ?? .failure(.closed)).get()
    }

    /// Replaces all users' keys of the metadata
    /// (NSPersistentStoreCoordinator.setMetadata(_:for:)).
    /// - Parameter values: the new keys. It may have the other keys with their present values.
    /// - Throws: as `changeMetadata`.
    public func setMetadata(_ values: [String: PropertyList]) throws {
        try changeMetadata { all in
            all = all.filter { StoreMetadata.isReserved($0.key) }
            all.merge(values) { $1 }
        }
    }

    /// Adds the keys of another store's users to the metadata.
    /// - Throws: `StoreError`.
    package func adoptMetadata(of other: some PersistentStore) throws {
        let values = try other.metadata.filter { !StoreMetadata.isReserved($0.key) }
        if !values.isEmpty { try changeMetadata { $0.merge(values) { $1 } } }
    }

    /// Opens a view of the store's current state, without a limit on its reading.
    /// - Throws: as `reader(budget:)`.
    public func reader() throws(StoreError) -> any StoreReader { try reader(budget: nil) }

    /// A view as any other: for a store that reads nothing ahead.
    public func reader(
        forHistoryAfter token: Int64, limit: Int
    ) throws(StoreError) -> any StoreReader { try reader(budget: nil) }
}

/// An observer of commits. It is called on the writer's thread and must not block.
public protocol StoreObserver: Sendable {
    /// The saves are about to be committed; cached values of their objects are about to be
    /// outdated.
    func storeWillCommit(_ saves: [HistoryTransaction])
    /// The saves are committed and on disk, in this order.
    func storeDidCommit(_ saves: [HistoryTransaction])
    /// Another program changed the store; all cached values may be outdated.
    func storeDidChangeElsewhere()
    /// The store is about to be closed, and no other program has changed it since the last
    /// notification of a change.
    /// - Parameter number: the number of the last save.
    /// - Returns: the marks that cover this save, for the program that opens the store next.
    func storeWillClose(at number: Int64) -> [StoreMark]
}
