import SteleModel
import StelePersistence
import StelePredicates

/// A reader of a save in parts that always includes the last saved part.
final class PartsReader: StoreReader {
    private let parts: any PartedSave
    private var made: (any StoreReader)?

    init(_ parts: any PartedSave) { self.parts = parts }

    deinit { close() }

    /// Makes the next read see what has been saved since the last one.
    func renew() { close() }

    func close() {
        made?.close()
        made = nil
    }

    private func current() throws(StoreError) -> any StoreReader {
        if let made { return made }
        let new = try parts.reader()
        made = new
        return new
    }

    var token: Int64 { get throws(StoreError) { try current().token } }

    func snapshot(_ id: ObjectID) throws(StoreError) -> Snapshot? { try current().snapshot(id) }

    func snapshots(root: Int, keys: [Int64]) throws(StoreError) -> [Snapshot] {
        try current().snapshots(root: root, keys: keys)
    }

    func fetch(_ request: FetchRequest) throws(StoreError) -> [Snapshot] {
        try current().fetch(request)
    }

    func fetchRows(_ request: FetchRequest) throws(StoreError) -> [[Value]] {
        try current().fetchRows(request)
    }

    func position(of key: Int64, in request: FetchRequest) throws(StoreError) -> [Value] {
        try current().position(of: key, in: request)
    }

    func count(_ request: FetchRequest) throws(StoreError) -> Int { try current().count(request) }

    func members(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [Int64: [Int64]] {
        try current().members(of: relationship, owners: owners)
    }

    func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        try current().memberSnapshots(of: relationship, owners: owners)
    }

    func cursor(_ request: FetchRequest) throws(StoreError) -> any FetchCursor {
        try current().cursor(request)
    }

    func fetchedSnapshots(
        _ request: FetchRequest
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        try current().fetchedSnapshots(request)
    }

    func history(
        after position: HistoryPosition, limit: Int, changes: Int, values: Bool
    ) throws(StoreError) -> HistoryPiece {
        try current().history(after: position, limit: limit, changes: changes, values: values)
    }

    func slots(of id: ObjectID, atVersion version: Int64) throws(StoreError) -> [Int: Value]? {
        try current().slots(of: id, atVersion: version)
    }

    func receipt(_ key: String) throws(StoreError) -> Receipt? { try current().receipt(key) }

    func oldestTransaction() throws(StoreError) -> Int64? { try current().oldestTransaction() }

    func firstTransactionToKeep(since time: Double?, bytes: Int?) throws(StoreError) -> Int64 {
        try current().firstTransactionToKeep(since: time, bytes: bytes)
    }
}
