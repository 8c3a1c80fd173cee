import SteleModel
import StelePredicates

/// A view of all stores of a group, after the same saves.
final class GroupReader: StoreReader {
    let layout: GroupLayout
    private let readers: [any StoreReader]
    /// The last save in the view.
    private let last: Int64
    /// The first transaction that is not deleted in any store.
    private let firstKept: Int64

    /// - Parameters:
    ///   - readers: the views of the stores, in their order.
    ///   - token: the number of the last save that they show.
    ///   - firstKept: the first transaction that is not deleted in any store.
    init(
        _ readers: [any StoreReader], token: Int64, _ layout: GroupLayout, firstKept: Int64 = 0
    ) {
        self.firstKept = firstKept
        self.readers = readers
        self.layout = layout
        last = token
    }

    var model: Model { layout.model }

    var token: Int64 {
        get throws(StoreError) {
            // A closed view throws.
            for reader in readers { _ = try reader.token }
            return last
        }
    }

    /// Limits the cost of what is read from here on, in each store.
    func read(within budget: ReadBudget?, matching limits: MatchLimits) {
        for reader in readers { reader.read(within: budget, matching: limits) }
    }

    /// Checks the view of each store.
    func checkView() throws(StoreError) {
        for reader in readers { try reader.checkView() }
    }

    /// Ends statements whose result nobody wants, in all stores.
    func read(while isWanted: @escaping @Sendable () -> Bool) {
        for reader in readers { reader.read(while: isWanted) }
    }

    func close() { for reader in readers { reader.close() } }

    /// Returns the view of the only store that has an entity's family; nil where there are several.
    private func only(_ entity: Int) -> (any StoreReader)? {
        layout.onlyPlace(of: entity).map { readers[$0] }
    }

    /// Returns the views of the stores that have an entity's family.
    func readers(of entity: Entity) -> [any StoreReader] {
        layout.places(of: entity.index).map { readers[$0] }
    }

    // MARK: Objects

    func snapshot(_ id: ObjectID) throws(StoreError) -> Snapshot? {
        guard let place = layout.place(of: id) else { return nil }
        return try readers[place].snapshot(id)
    }

    func snapshots(root: Int, keys: [Int64]) throws(StoreError) -> [Snapshot] {
        var found: [Snapshot] = []
        for (place, keys) in layout.divide(keys, root: root) {
            found += try readers[place].snapshots(root: root, keys: keys)
        }
        return found
    }

    func members(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [Int64: [Int64]] {
        var found: [Int64: [Int64]] = [:]
        for (place, owners) in layout.divide(owners, root: model.entities[relationship.owner].root)
        {
            found.merge(try readers[place].members(of: relationship, owners: owners)) { a, _ in a }
        }
        return found
    }

    func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        var found: [(owner: Int64, member: Snapshot)] = []
        for (place, owners) in layout.divide(owners, root: model.entities[relationship.owner].root)
        {
            found += try readers[place].memberSnapshots(of: relationship, owners: owners)
        }
        return found
    }

    func slots(
        of id: ObjectID, atVersion version: Int64
    ) throws(StoreError) -> [Int: Value]? {
        guard let place = layout.place(of: id) else { return nil }
        return try readers[place].slots(of: id, atVersion: version)
    }

    // MARK: Fetches

    /// Returns the view that can answer a request alone; nil where several stores have its objects,
    /// or where its source is in another store.
    private func alone(_ request: FetchRequest) -> (any StoreReader)? {
        guard let place = layout.onlyPlace(of: request.entity.index) else { return nil }
        if let source = request.source, layout.onlyPlace(of: source.entity) != place { return nil }
        return readers[place]
    }

    func fetch(_ request: FetchRequest) throws(StoreError) -> [Snapshot] {
        if let reader = alone(request) { return try reader.fetch(request) }
        if request.source != nil { return try fetchedSnapshots(request).map(\.member) }
        return try GroupFetch(self, request).snapshots()
    }

    func fetchRows(_ request: FetchRequest) throws(StoreError) -> [[Value]] {
        if let reader = alone(request) { return try reader.fetchRows(request) }
        if request.source != nil { throw Self.columnsOfSource }
        return try GroupFetch(self, request).rows()
    }

    func count(_ request: FetchRequest) throws(StoreError) -> Int {
        if let reader = alone(request) { return try reader.count(request) }
        if request.source != nil { return try fetchedSnapshots(request).count }
        return try GroupFetch(self, request).count()
    }

    func position(of key: Int64, in request: FetchRequest) throws(StoreError) -> [Value] {
        let id = ObjectID(root: request.entity.root, key: key)
        guard let place = layout.place(of: id) else { return [] }
        // The order is that of the object alone, and its source may be in another store.
        var order = request
        (order.source, order.predicate) = (nil, nil)
        order.isChecked = request.isChecked
        return try readers[place].position(of: key, in: order)
    }

    func cursor(_ request: FetchRequest) throws(StoreError) -> any FetchCursor {
        if let reader = alone(request) { return try reader.cursor(request) }
        return try GroupCursor(self, request)
    }

    func fetchedSnapshots(
        _ request: FetchRequest
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        if let reader = alone(request) { return try reader.fetchedSnapshots(request) }
        return try GroupSource(self, request).snapshots()
    }

    private static let columnsOfSource = StoreError.unsupported(
        "columns of a fetched property whose objects are in another store")

    // MARK: History

    func history(
        after position: HistoryPosition, limit: Int, changes: Int, values: Bool
    ) throws(StoreError) -> HistoryPiece {
        try GroupHistory(readers).piece(
            after: position, limit: limit, changes: changes, values: values)
    }

    func snapshots(
        root: Int, keys: [Int64], after save: Int64
    ) throws(StoreError) -> [Int64: Snapshot] {
        var found: [Int64: Snapshot] = [:]
        for (place, keys) in layout.divide(keys, root: root) {
            found.merge(
                try readers[place].snapshots(root: root, keys: keys, after: save)
            ) { first, _ in first }
        }
        return found
    }

    func leastInserted(after save: Int64) throws(StoreError) -> [Int: Int64] {
        var found: [Int: Int64] = [:]
        for reader in readers {
            found.merge(try reader.leastInserted(after: save), uniquingKeysWith: min)
        }
        return found
    }

    func inserted(root: Int, keys: [Int64], after save: Int64) throws(StoreError) -> Set<Int64> {
        var found: Set<Int64> = []
        for (place, keys) in layout.divide(keys, root: root) {
            found.formUnion(try readers[place].inserted(root: root, keys: keys, after: save))
        }
        return found
    }

    func memberChanges(
        root: Int, keys: [Int64], after save: Int64
    ) throws(StoreError) -> [Int64: [MemberChange]] {
        var found: [Int64: [MemberChange]] = [:]
        for (place, keys) in layout.divide(keys, root: root) {
            found.merge(
                try readers[place].memberChanges(root: root, keys: keys, after: save)
            ) { first, _ in first }
        }
        return found
    }

    func receipt(_ key: String) throws(StoreError) -> Receipt? {
        for reader in readers { if let found = try reader.receipt(key) { return found } }
        return nil
    }

    func oldestTransaction() throws(StoreError) -> Int64? {
        var oldest: Int64?
        for reader in readers {
            if let own = try reader.oldestTransaction() { oldest = min(oldest ?? own, own) }
        }
        return oldest.map { max($0, firstKept) }
    }

    /// The limit of size is that of each store. A save that one of them must delete is deleted in
    /// all, so that the history is complete from the first transaction on.
    func firstTransactionToKeep(
        since time: Double?, bytes: Int?
    ) throws(StoreError) -> Int64 {
        guard var first = try oldestTransaction() else { return last + 1 }
        for reader in readers {
            guard let oldest = try reader.oldestTransaction() else { continue }
            let own = try reader.firstTransactionToKeep(since: time, bytes: bytes)
            // The first transaction of a store that keeps all is no limit for the others.
            if own > oldest { first = max(first, own) }
        }
        return first
    }
}

extension StoreGroup {
    /// Waits for each of the stores.
    public func findForeignValues() {
        for store in stores { store.findForeignValues() }
    }

    /// Waits for each of the stores.
    /// - Throws: as `PersistentStore.awaitForeignValues`.
    public func awaitForeignValues(_ budget: ReadBudget?) throws(StoreError) {
        for store in stores { try store.awaitForeignValues(budget) }
    }
}
