// Stores and readers that hand everything to another one, for tests that change one thing of it.

import SteleModel
import StelePersistence
import StelePredicates

/// A store that forwards all to `base`, but for what the conforming type declares itself.
package protocol ForwardingStore: PersistentStore {
    var base: any PersistentStore { get }
}

extension ForwardingStore {
    package var model: Model { base.model }
    package var type: String { base.type }
    package var identifier: String { base.identifier }
    package var generation: String { base.generation }

    package func reader(budget: ReadBudget?) throws(StoreError) -> any StoreReader {
        try base.reader(budget: budget)
    }

    package func newest(_ id: ObjectID) throws(StoreError) -> Snapshot? { try base.newest(id) }

    package func save(_ request: SaveRequest) throws(StoreError) -> SaveResult {
        try base.save(request)
    }

    package func save(
        _ request: SaveRequest,
        completion: @escaping @Sendable (Result<SaveResult, StoreError>) -> Void
    ) {
        base.save(request, completion: completion)
    }

    package func save(making make: (any StoreReader) throws -> SaveRequest) throws -> SaveResult {
        try base.save(making: make)
    }

    package func save(inParts make: (any PartedSave) throws -> Void) throws -> SaveResult {
        try base.save(inParts: make)
    }

    package func deleteHistory(before number: Int64, limit: Int) throws(StoreError) -> Int {
        try base.deleteHistory(before: number, limit: limit)
    }

    package var metadata: [String: PropertyList] {
        get throws(StoreError) { try base.metadata }
    }

    package func changeMetadata(
        _ change: (inout [String: PropertyList]) throws -> Void
    ) throws { try base.changeMetadata(change) }

    package var highestKeys: [Int: Int64] { get throws(StoreError) { try base.highestKeys } }

    package func externalDataWriter() throws(StoreError) -> any ExternalDataWriter {
        try base.externalDataWriter()
    }

    package func observe(_ observer: any StoreObserver) { base.observe(observer) }
    package func noticesForeignChange() -> Bool { base.noticesForeignChange() }
    package func findForeignValues() { base.findForeignValues() }
    package func awaitForeignValues(_ budget: ReadBudget?) throws(StoreError) {
        try base.awaitForeignValues(budget)
    }
    package func close() { base.close() }
}

/// A reader that forwards all to `base`, but for what the conforming type declares itself.
package protocol ForwardingReader: StoreReader {
    var base: any StoreReader { get }
}

extension ForwardingReader {
    package var token: Int64 { get throws(StoreError) { try base.token } }

    package func snapshot(_ id: ObjectID) throws(StoreError) -> Snapshot? {
        try base.snapshot(id)
    }

    package func snapshots(root: Int, keys: [Int64]) throws(StoreError) -> [Snapshot] {
        try base.snapshots(root: root, keys: keys)
    }

    package func fetch(_ request: FetchRequest) throws(StoreError) -> [Snapshot] {
        try base.fetch(request)
    }

    package func fetchRows(_ request: FetchRequest) throws(StoreError) -> [[Value]] {
        try base.fetchRows(request)
    }

    package func position(
        of key: Int64, in request: FetchRequest
    ) throws(StoreError) -> [Value] {
        try base.position(of: key, in: request)
    }

    package func count(_ request: FetchRequest) throws(StoreError) -> Int {
        try base.count(request)
    }

    package func members(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [Int64: [Int64]] {
        try base.members(of: relationship, owners: owners)
    }

    package func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        try base.memberSnapshots(of: relationship, owners: owners)
    }

    package func history(
        after position: HistoryPosition, limit: Int, changes: Int, values: Bool
    ) throws(StoreError) -> HistoryPiece {
        try base.history(after: position, limit: limit, changes: changes, values: values)
    }

    package func oldestTransaction() throws(StoreError) -> Int64? {
        try base.oldestTransaction()
    }

    package func firstTransactionToKeep(
        since time: Double?, bytes: Int?
    ) throws(StoreError) -> Int64 {
        try base.firstTransactionToKeep(since: time, bytes: bytes)
    }

    package func close() { base.close() }
}
