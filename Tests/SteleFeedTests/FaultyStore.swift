// A store whose reading fails when told to: for what is done about it.

import SteleModel
import StelePersistence
import StelePredicates
import SteleSystem

/// Another store that refuses to read rows when told so, and says that another program has changed
/// it when told so.
final class FaultyStore: PersistentStore {
    struct Faults: Sendable {
        /// How often reading rows fails from now on, and with what.
        var left = 0
        var error = StoreError.busy("as told")
        /// How often it has failed.
        var count = 0
    }

    let faults = Mutex(Faults())
    private let store: any PersistentStore
    private let observer = Mutex<(any StoreObserver)?>(nil)

    init(_ store: any PersistentStore) { self.store = store }

    /// Has rows be refused so often.
    func fail(_ times: Int, _ error: StoreError) {
        faults.withLock { $0 = Faults(left: times, error: error) }
    }

    var failures: Int { faults.withLock { $0.count } }

    /// Tells that another program has written, and left no history.
    func changeElsewhere() { observer.withLock { $0 }?.storeDidChangeElsewhere() }

    fileprivate func check() throws(StoreError) {
        let error = faults.withLock { faults -> StoreError? in
            guard faults.left > 0 else { return nil }
            faults.left -= 1
            faults.count += 1
            return faults.error
        }
        if let error { throw error }
    }

    var model: Model { store.model }
    var identifier: String { store.identifier }
    var generation: String { store.generation }

    func reader(budget: ReadBudget?) throws(StoreError) -> any StoreReader {
        FaultyReader(try store.reader(budget: budget), self)
    }

    func newest(_ id: ObjectID) throws(StoreError) -> Snapshot? { try store.newest(id) }

    func save(_ request: SaveRequest) throws(StoreError) -> SaveResult { try store.save(request) }

    func save(
        _ request: SaveRequest,
        completion: @escaping @Sendable (Result<SaveResult, StoreError>) -> Void
    ) {
        store.save(request, completion: completion)
    }

    func save(making make: (any StoreReader) throws -> SaveRequest) throws -> SaveResult {
        try store.save(making: make)
    }

    func save(inParts make: (any PartedSave) throws -> Void) throws -> SaveResult {
        try store.save(inParts: make)
    }

    func deleteHistory(before number: Int64, limit: Int) throws(StoreError) -> Int {
        try store.deleteHistory(before: number, limit: limit)
    }

    func observe(_ observer: any StoreObserver) {
        self.observer.withLock { $0 = observer }
        store.observe(observer)
    }

    func noticesForeignChange() -> Bool { store.noticesForeignChange() }
    func close() { store.close() }
}

private final class FaultyReader: StoreReader {
    private let reader: any StoreReader
    private let store: FaultyStore

    init(_ reader: any StoreReader, _ store: FaultyStore) {
        self.reader = reader
        self.store = store
    }

    func fetchRows(_ request: FetchRequest) throws(StoreError) -> [[Value]] {
        try store.check()
        return try reader.fetchRows(request)
    }

    var token: Int64 { get throws(StoreError) { try reader.token } }

    func snapshot(_ id: ObjectID) throws(StoreError) -> Snapshot? { try reader.snapshot(id) }

    func snapshots(root: Int, keys: [Int64]) throws(StoreError) -> [Snapshot] {
        try reader.snapshots(root: root, keys: keys)
    }

    func fetch(_ request: FetchRequest) throws(StoreError) -> [Snapshot] {
        try reader.fetch(request)
    }

    func position(of key: Int64, in request: FetchRequest) throws(StoreError) -> [Value] {
        try reader.position(of: key, in: request)
    }

    func count(_ request: FetchRequest) throws(StoreError) -> Int { try reader.count(request) }

    func members(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [Int64: [Int64]] {
        try reader.members(of: relationship, owners: owners)
    }

    func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        try reader.memberSnapshots(of: relationship, owners: owners)
    }

    func history(
        after token: Int64, limit: Int, values: Bool
    ) throws(StoreError) -> [HistoryTransaction] {
        try reader.history(after: token, limit: limit, values: values)
    }

    func oldestTransaction() throws(StoreError) -> Int64? { try reader.oldestTransaction() }

    func firstTransactionToKeep(since time: Double?, bytes: Int?) throws(StoreError) -> Int64 {
        try reader.firstTransactionToKeep(since: time, bytes: bytes)
    }

    func close() { reader.close() }
}
