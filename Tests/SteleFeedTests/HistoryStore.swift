/// A store that is nothing but a history: for the feed's tests, which need to say what is kept.

import Glibc
import SteleModel
import StelePersistence
import StelePredicates
import SteleSystem

final class HistoryStore: PersistentStore {
    struct State: Sendable {
        var saves: [HistoryTransaction] = []
        var last: Int64 = 0
        var isForeignNoticed = true
        var readsLeft = Int.max
        /// How long each look at the history takes.
        var microsecondsARead: UInt32 = 0
    }

    let model: Model
    let type = "history"
    let identifier = "F0000000-0000-0000-0000-000000000000"
    let generation: String
    let state = Mutex(State())
    /// The feed's ears, set by `feed()`.
    let listeners = Mutex<[@Sendable ([HistoryTransaction]) -> Void]>([])
    let elsewhere = Mutex<[@Sendable () -> Void]>([])
    /// How often the history has been looked at.
    let reads = Mutex(0)
    /// The most changes that one look has given.
    let mostChangesRead = Mutex(0)

    init(model: Model, generation: String = "7f3a09c1") {
        self.model = model
        self.generation = generation
    }

    /// Commits a save and tells of it, unless another program is to have made it.
    @discardableResult
    func commit(
        _ changes: [HistoryChange], isForeign: Bool = false, withoutSnapshots: Bool = false
    ) -> Int64 {
        // Told under the lock, as a writer's thread tells: in order.
        state.withLock { state in
            state.last += 1
            let save = HistoryTransaction(
                number: state.last, timestamp: 785_412_000.1234, author: "ann",
                contextName: "PATCH /Person/{id}", changes: changes)
            state.saves.append(save)
            if isForeign {
                state.isForeignNoticed = false
            } else {
                var told = save
                if withoutSnapshots {
                    for index in told.changes.indices { told.changes[index].snapshot = nil }
                }
                for listener in listeners.withLock({ $0 }) { listener([told]) }
            }
            return save.number
        }
    }

    /// Drops all up to and including that transaction.
    func purge(through number: Int64) {
        state.withLock { $0.saves.removeAll { $0.number <= number } }
    }

    func reader(budget: ReadBudget?) throws(StoreError) -> any StoreReader {
        let taken = state.withLock { state -> State? in
            guard state.readsLeft > 0 else { return nil }
            state.readsLeft -= 1
            return state
        }
        guard let taken else { throw .busy("no reader left") }
        return HistoryReader(taken, self)
    }

    func noticesForeignChange() -> Bool {
        let isNew = state.withLock { state in
            defer { state.isForeignNoticed = true }
            return !state.isForeignNoticed
        }
        if isNew { for listener in elsewhere.withLock({ $0 }) { listener() } }
        return isNew
    }

    func newest(_ id: ObjectID) throws(StoreError) -> Snapshot? { throw .overBudget }
    func save(_ request: SaveRequest) throws(StoreError) -> SaveResult { throw .closed }
    func save(
        _ request: SaveRequest,
        completion: @escaping @Sendable (Result<SaveResult, StoreError>) -> Void
    ) {
        completion(.failure(.closed))
    }
    func save(making make: (any StoreReader) throws -> SaveRequest) throws -> SaveResult {
        throw StoreError.closed
    }
    func save(inParts make: (any PartedSave) throws -> Void) throws -> SaveResult {
        throw StoreError.unsupported("saving")
    }

    var metadata: [String: PropertyList] { [:] }
    func changeMetadata(_ change: (inout [String: PropertyList]) throws -> Void) throws {}
    var highestKeys: [Int: Int64] { [:] }

    func deleteHistory(before number: Int64, limit: Int) throws(StoreError) -> Int {
        state.withLock { state in
            let old = state.saves.prefix(limit).prefix { $0.number < number }.count
            state.saves.removeFirst(old)
            return old
        }
    }

    func observe(_ observer: any StoreObserver) {}
    func close() {}
}

final class HistoryReader: StoreReader {
    private let state: HistoryStore.State
    private let store: HistoryStore

    init(_ state: HistoryStore.State, _ store: HistoryStore) {
        self.state = state
        self.store = store
    }

    var token: Int64 { get throws(StoreError) { state.last } }

    func history(
        after position: HistoryPosition, limit: Int, changes: Int, values: Bool
    ) throws(StoreError) -> HistoryPiece {
        if state.microsecondsARead > 0 { usleep(state.microsecondsARead) }
        let piece = HistoryPiece(
            of: state.saves, after: position, limit: limit, changes: changes, values: values)
        let count = piece.saves.reduce(0) { $0 + $1.changes.count }
        store.reads.withLock { $0 += 1 }
        store.mostChangesRead.withLock { $0 = max($0, count) }
        return piece
    }

    func oldestTransaction() throws(StoreError) -> Int64? { state.saves.first?.number }

    func firstTransactionToKeep(
        since time: Double?, bytes: Int?
    ) throws(StoreError) -> Int64 {
        let kept = state.saves.suffix(bytes ?? .max).first { $0.timestamp >= time ?? 0 }
        return kept?.number ?? state.last + 1
    }

    func snapshot(_ id: ObjectID) throws(StoreError) -> Snapshot? { nil }
    func snapshots(root: Int, keys: [Int64]) throws(StoreError) -> [Snapshot] { [] }
    func fetch(_ request: FetchRequest) throws(StoreError) -> [Snapshot] { [] }
    func fetchRows(_ request: FetchRequest) throws(StoreError) -> [[Value]] { [] }
    func position(
        of key: Int64, in request: FetchRequest
    ) throws(StoreError) -> [Value] { [] }
    func count(_ request: FetchRequest) throws(StoreError) -> Int { 0 }
    func members(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [Int64: [Int64]] { [:] }
    func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] { [] }
    func close() {}
}
