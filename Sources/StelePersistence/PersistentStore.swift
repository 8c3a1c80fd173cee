/// The contract of a store: what it keeps, how it is read, how it is changed.

import SteleModel
import StelePredicates

/// A store of one model's objects (NSPersistentStore).
///
/// It is shared by all threads. What it reads goes through a `StoreReader`, one snapshot each;
/// what it changes goes through `save`, one after the other.
public protocol PersistentStore: AnyObject, Sendable {
    /// The model whose objects it keeps.
    var model: Model { get }
    /// NSStoreUUID.
    var identifier: String { get }
    /// What its first tokens begin with; new when a store is made.
    var generation: String { get }
    /// What its tokens begin with from which save on; goes on otherwise when a store is restored.
    var historyLine: HistoryLine { get }

    /// A view of the store as it is now, that nothing changes until it is closed.
    /// - Parameter budget: what all reading from it may cost together, for a thread that must not
    ///   wait; nil for as long as it takes.
    /// - Throws: `StoreError`; with a budget, the reader and what is read from it throw
    ///   `.overBudget` where it does not suffice, or is known not to.
    func reader(budget: ReadBudget?) throws(StoreError) -> any StoreReader

    /// One object as it is at this moment, which is no view's: nothing says which commit it is of.
    /// For a thread that must not wait.
    /// - Throws: `StoreError`; `.overBudget` where it would have to wait.
    func newest(_ id: ObjectID) throws(StoreError) -> Snapshot?

    /// Saves a request whole or not at all, and returns when it is on disk.
    ///
    /// Blocks the caller; saves that wait together may share one commit.
    /// - Throws: `StoreError`: `.moved` where what the request was made from has changed and the
    ///   caller shall make it again, `.conflicts`, `.constraint`, or what the disk refused.
    func save(_ request: SaveRequest) throws(StoreError) -> SaveResult

    /// As `save`, without blocking: the result is told on the writer's thread, which must not wait,
    /// or on the caller's own before this returns.
    func save(
        _ request: SaveRequest,
        completion: @escaping @Sendable (Result<SaveResult, StoreError>) -> Void)

    /// As `save`, but the request is made on the writer's own thread from what it sees there,
    /// so that nothing can come between; for what lost its race too often.
    /// - Throws: `StoreError`, or what `make` throws.
    func save(
        making make: (any StoreReader) throws -> SaveRequest
    ) throws -> SaveResult

    /// As `save(making:)`, for a save that is too large to hold: as many requests as `make` saves, all
    /// together one transaction of the history, and all or none.
    ///
    /// `make` may be called again from its start, with nothing of what it has saved before.
    /// - Throws: `StoreError`, or what `make` throws; nothing is saved then.
    func save(inParts make: (any PartedSave) throws -> Void) throws -> SaveResult

    /// Deletes the oldest transactions of the history, up to `limit` of those before that one
    /// (NSPersistentHistoryChangeRequest.deleteHistory(before:)); what the objects are stays as it
    /// is. Called again until it returns 0, it keeps nobody who saves waiting for long.
    /// - Returns: how many were deleted.
    /// - Throws: `StoreError`.
    func deleteHistory(before number: Int64, limit: Int) throws(StoreError) -> Int

    /// Begins a value of a Binary attribute that comes piece by piece.
    /// - Throws: `StoreError`.
    func externalDataWriter() throws(StoreError) -> any ExternalDataWriter

    /// Sets who is told of commits. Called once, before the first save.
    func observe(_ observer: any StoreObserver)

    /// Whether another program may have changed the store since `observer` was last told;
    /// costs next to nothing. When true, the observer has been told by the time this returns.
    func noticesForeignChange() -> Bool

    /// What those who have closed the store have called its state, oldest first: it is in that
    /// state still, but for the saves that the history has since.
    var formerMarks: [StoreMark] { get }

    /// Ends the writer and closes the files; nothing may be read or saved afterwards.
    func close()
}

/// A name for all states of a store up to a save, by who knows that nothing else has changed it.
public struct StoreMark: Sendable, Hashable {
    /// The name; without spaces.
    public var mark: String
    /// The number of the last save for which it is good.
    public var last: Int64

    public init(mark: String, last: Int64) {
        self.mark = mark
        self.last = last
    }
}

/// A save in parts while it is made, on the writer's thread.
public protocol PartedSave: AnyObject {
    /// A view of the store that sees all parts saved so far; to be closed by who asked for it.
    func reader() throws(StoreError) -> any StoreReader

    /// Saves a part that was made from what there is now.
    /// - Throws: as `PersistentStore.save`.
    func save(_ request: SaveRequest) throws(StoreError) -> SaveResult
}

/// What reading may cost on a thread that others wait for.
///
/// Work rather than time: on a busy machine a thread's time is mostly that of other threads.
public struct ReadBudget: Sendable, Hashable {
    /// Steps of the store's machine (SQLite's instructions); some 30,000 are a millisecond.
    public var steps: Int
    /// Nanoseconds, for work that waits: pages that have to come from the disk.
    public var nanoseconds: UInt64

    public init(steps: Int, nanoseconds: UInt64) {
        self.steps = steps
        self.nanoseconds = nanoseconds
    }
}

extension PersistentStore {
    public var formerMarks: [StoreMark] { [] }

    /// A view of the store as it is now, for as long as its reading takes.
    /// - Throws: `StoreError`.
    public func reader() throws(StoreError) -> any StoreReader { try reader(budget: nil) }
}

/// Who is told of commits, on the writer's thread; must not block.
public protocol StoreObserver: Sendable {
    /// The saves are about to be committed: what is remembered of their objects is about to be old.
    func storeWillCommit(_ saves: [HistoryTransaction])
    /// The saves are committed and on disk, in this order.
    func storeDidCommit(_ saves: [HistoryTransaction])
    /// Another program changed the store: everything remembered may be old.
    func storeDidChangeElsewhere()
    /// The store is about to be closed, and nobody else has changed it since that was last told.
    /// - Parameter number: of the last save.
    /// - Returns: the marks that are good for it, for who opens it next.
    func storeWillClose(at number: Int64) -> [StoreMark]
}

/// One consistent view of a store, used by one thread at a time.
public protocol StoreReader: AnyObject {
    /// The number of the last history transaction that it sees; 0 for none.
    var token: Int64 { get throws(StoreError) }

    /// One object, or nil where there is none with that identity.
    func snapshot(_ id: ObjectID) throws(StoreError) -> Snapshot?

    /// Those of the keys that exist, in no order.
    func snapshots(root: Int, keys: [Int64]) throws(StoreError) -> [Snapshot]

    /// The objects that match, in the request's order.
    func fetch(_ request: FetchRequest) throws(StoreError) -> [Snapshot]

    /// The request's columns (`propertiesToFetch`) of each object, or of each group, in order.
    func fetchRows(_ request: FetchRequest) throws(StoreError) -> [[Value]]

    /// The sort keys' values of one object, `_id` last: where a page ends, for `FetchRequest.after`.
    func position(of key: Int64, in request: FetchRequest) throws(StoreError) -> [Value]

    /// How many match; limit and offset count.
    func count(_ request: FetchRequest) throws(StoreError) -> Int

    /// The members of a to-many relationship of each owner, in the relationship's order, else by
    /// key. One query for all owners.
    func members(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [Int64: [Int64]]

    /// As `members`, with the members' values: owner by owner, each in the relationship's order.
    func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)]

    /// The rows of a fetch that is too long to hold, a batch at a time, in this same view. The
    /// reader may be used for other reading between two batches.
    func cursor(_ request: FetchRequest) throws(StoreError) -> any FetchCursor

    /// What a request with a source gives to each object of the source: source by source, each in
    /// the request's order. One query for all; the limit counts all rows together.
    func fetchedSnapshots(
        _ request: FetchRequest
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)]

    /// Saves after that token, oldest first.
    /// - Parameters:
    ///   - token: the number of the last one known; 0 for all.
    ///   - limit: the most transactions to give.
    ///   - values: whether each change carries the object as it was after its save.
    func history(
        after token: Int64, limit: Int, values: Bool
    ) throws(StoreError) -> [HistoryTransaction]

    /// What an object's changed slots held at an older version: of each slot that has been changed
    /// since, its value then. Nil where the history does not tell.
    func slots(of id: ObjectID, atVersion version: Int64) throws(StoreError) -> [Int: Value]?

    /// The receipt that is kept under a key, good or not; nil where there is none.
    func receipt(_ key: String) throws(StoreError) -> Receipt?

    /// The number of the oldest transaction kept, or nil where none is.
    func oldestTransaction() throws(StoreError) -> Int64?

    /// The first transaction of the history to keep where what is older than a time is to go, and
    /// what is more than so many bytes; the number after the last one where all is to go.
    /// - Parameters:
    ///   - time: seconds since 2001-01-01T00:00:00Z; nil for any.
    ///   - bytes: about how many bytes the history may take; nil for any number.
    func firstTransactionToKeep(since time: Double?, bytes: Int?) throws(StoreError) -> Int64

    /// Gives the view back. What is used afterwards throws.
    func close()
}

extension StoreReader {
    /// For a store without a history of values.
    public func slots(
        of id: ObjectID, atVersion version: Int64
    ) throws(StoreError) -> [Int: Value]? { nil }

    /// For a store without receipts.
    public func receipt(_ key: String) throws(StoreError) -> Receipt? { nil }

    /// Whether something that came after a transaction has been deleted from the history.
    public func lacksHistory(after position: Int64) throws(StoreError) -> Bool {
        guard position < (try token) else { return false }
        guard let oldest = try oldestTransaction() else { return true }
        return oldest > position + 1
    }
}

/// Values as they were at an older version, put together from before-images, the oldest first.
public struct OlderSlots {
    private var next: Int64
    /// Of each slot that was changed, its value at that version.
    public private(set) var values: [Int: Value] = [:]

    /// - Parameter version: the version that is asked for.
    public init(version: Int64) { next = version }

    /// Takes the update that made a version.
    /// - Returns: whether it is one that can follow: none is left out.
    public mutating func take(_ before: [BeforeValue]?, version: Int64) -> Bool {
        guard let before, version == next || version == next + 1 else { return false }
        next = version
        for case .slot(let slot, let value) in before where values[slot] == nil {
            values[slot] = value
        }
        return true
    }

    /// The values, where they lead to that version.
    public func leading(to version: Int64?) -> [Int: Value]? { version == next ? values : nil }
}

extension PersistentStore {
    /// One generation: for stores that end with their process.
    public var historyLine: HistoryLine { HistoryLine(generation) }
}
