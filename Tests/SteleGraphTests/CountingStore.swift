// A store that counts what it is asked: for tests of how often that is.

import SteleModel
import StelePersistence
import StelePredicates
import SteleSystem

/// What a store was asked for.
struct Reads: Sendable {
    /// Queries, whatever they ask.
    var queries = 0
    /// Saves, be they done or refused.
    var saves = 0
    /// Views that are open.
    var open = 0
    /// Whether nothing can be read.
    var fails = false
    /// What another program does each time that its changes are looked for.
    var elsewhere: (@Sendable () -> Void)?
}

/// Another store, with a count of its reading.
final class CountingStore: PersistentStore {
    let store: any PersistentStore
    let reads = Mutex(Reads())

    init(_ store: any PersistentStore) { self.store = store }

    /// The queries that the work asks.
    func queries(_ work: () throws -> Void) rethrows -> Int {
        let before = reads.withLock { $0.queries }
        try work()
        return reads.withLock { $0.queries } - before
    }

    var openViews: Int { reads.withLock { $0.open } }

    var model: Model { store.model }
    var identifier: String { store.identifier }
    var generation: String { store.generation }

    func reader(budget: ReadBudget?) throws(StoreError) -> any StoreReader {
        if reads.withLock({ $0.fails }) { throw .failed("the disk is on fire") }
        let reader = try store.reader(budget: budget)
        reads.withLock { $0.open += 1 }
        return TallyingReader(reader, self)
    }

    func newest(_ id: ObjectID) throws(StoreError) -> Snapshot? { try store.newest(id) }
    func save(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        reads.withLock { $0.saves += 1 }
        return try store.save(request)
    }
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
    func externalDataWriter() throws(StoreError) -> any ExternalDataWriter {
        try store.externalDataWriter()
    }
    func observe(_ observer: any StoreObserver) { store.observe(observer) }
    func deleteHistory(before number: Int64, limit: Int) throws(StoreError) -> Int {
        try store.deleteHistory(before: number, limit: limit)
    }
    func noticesForeignChange() -> Bool {
        guard let elsewhere = reads.withLock({ $0.elsewhere }) else {
            return store.noticesForeignChange()
        }
        elsewhere()
        return true
    }
    func close() { store.close() }
}

private final class TallyingReader: StoreReader {
    private let reader: any StoreReader
    private let store: CountingStore
    private var isOpen = true

    init(_ reader: any StoreReader, _ store: CountingStore) {
        self.reader = reader
        self.store = store
    }

    private func asked() -> any StoreReader {
        store.reads.withLock { $0.queries += 1 }
        return reader
    }

    var token: Int64 { get throws(StoreError) { try reader.token } }

    func close() {
        if isOpen { store.reads.withLock { $0.open -= 1 } }
        isOpen = false
        reader.close()
    }

    func snapshot(_ id: ObjectID) throws(StoreError) -> Snapshot? { try asked().snapshot(id) }
    func snapshots(root: Int, keys: [Int64]) throws(StoreError) -> [Snapshot] {
        try asked().snapshots(root: root, keys: keys)
    }
    func fetch(_ request: FetchRequest) throws(StoreError) -> [Snapshot] {
        try asked().fetch(request)
    }
    func fetchRows(_ request: FetchRequest) throws(StoreError) -> [[Value]] {
        try asked().fetchRows(request)
    }
    func position(of key: Int64, in request: FetchRequest) throws(StoreError) -> [Value] {
        try asked().position(of: key, in: request)
    }
    func count(_ request: FetchRequest) throws(StoreError) -> Int { try asked().count(request) }
    func members(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [Int64: [Int64]] {
        try asked().members(of: relationship, owners: owners)
    }
    func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        try asked().memberSnapshots(of: relationship, owners: owners)
    }
    func history(
        after token: Int64, limit: Int, values: Bool
    ) throws(StoreError) -> [HistoryTransaction] {
        try asked().history(after: token, limit: limit, values: values)
    }
    func oldestTransaction() throws(StoreError) -> Int64? { try asked().oldestTransaction() }
    func firstTransactionToKeep(
        since time: Double?, bytes: Int?
    ) throws(StoreError) -> Int64 {
        try asked().firstTransactionToKeep(since: time, bytes: bytes)
    }
}
