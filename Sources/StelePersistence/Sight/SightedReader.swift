import SteleModel
import StelePredicates

/// A view of a store in which only what a reader may see exists.
///
/// Its functions throw the errors of those of the whole view. Those that return objects or members
/// also fetch what is seen of them, and throw the errors of a fetch.
public final class SightedReader: StoreReader {
    private let base: any StoreReader
    private let sight: Sight

    /// - Parameters:
    ///   - base: the whole view, which this one closes.
    ///   - sight: what the reader may see.
    public init(_ base: any StoreReader, _ sight: Sight) {
        self.base = base
        self.sight = sight
    }

    /// The rules are woven in once: within them, relationships lead to what is not seen, too.
    private func woven(_ request: FetchRequest) -> FetchRequest {
        request.isWoven ? request : sight.woven(request)
    }

    private func seen(
        _ keys: some Collection<Int64>, root: Int
    ) throws(StoreError) -> Set<Int64> {
        try sight.seen(keys, root: root, in: base)
    }

    private func veiled(_ snapshots: [Snapshot]) throws(StoreError) -> [Snapshot] {
        try sight.veiled(snapshots, in: base)
    }

    /// The number of the last transaction, of what is not seen too.
    /// - Throws: as `StoreReader.token`.
    public var token: Int64 { get throws(StoreError) { try base.token } }

    /// Nil for an object that is not seen.
    /// - Throws: as `StoreReader.fetch`.
    public func snapshot(_ id: ObjectID) throws(StoreError) -> Snapshot? {
        try snapshots(root: id.root, keys: [id.key]).first
    }

    /// Returns those that are seen.
    /// - Throws: as `StoreReader.fetch`.
    public func snapshots(root: Int, keys: [Int64]) throws(StoreError) -> [Snapshot] {
        let seen = try seen(keys, root: root)
        return try veiled(try base.snapshots(root: root, keys: keys.filter(seen.contains)))
    }

    /// Returns those that are seen.
    /// - Throws: as `StoreReader.fetch`.
    public func fetch(_ request: FetchRequest) throws(StoreError) -> [Snapshot] {
        try veiled(try base.fetch(woven(request)))
    }

    /// Returns the columns of what is seen.
    /// - Throws: as `StoreReader.fetchRows`.
    public func fetchRows(_ request: FetchRequest) throws(StoreError) -> [[Value]] {
        try base.fetchRows(woven(request))
    }

    /// Returns the position in the order of what is seen.
    /// - Throws: as `StoreReader.position`.
    public func position(
        of key: Int64, in request: FetchRequest
    ) throws(StoreError) -> [Value] {
        try base.position(of: key, in: woven(request))
    }

    /// Counts what is seen.
    /// - Throws: as `StoreReader.count`.
    public func count(_ request: FetchRequest) throws(StoreError) -> Int {
        try base.count(woven(request))
    }

    /// Returns the members that are seen.
    /// - Throws: as `StoreReader.members` and `StoreReader.fetch`.
    public func members(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [Int64: [Int64]] {
        let members = try base.members(of: relationship, owners: owners)
        let destination = sight.model.destination(of: relationship)
        guard sight.rule(of: destination) != nil else { return members }
        let seen = try seen(Set(members.values.joined()), root: destination.root)
        return members.compactMapValues { keys in
            let left = keys.filter(seen.contains)
            return left.isEmpty ? nil : left
        }
    }

    /// Returns the members that are seen.
    /// - Throws: as `StoreReader.members` and `StoreReader.fetch`.
    public func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        try seen(
            base.memberSnapshots(of: relationship, owners: owners),
            of: sight.model.destination(of: relationship))
    }

    /// Returns those that are seen.
    /// - Throws: as `StoreReader.fetchedSnapshots`.
    public func fetchedSnapshots(
        _ request: FetchRequest
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        let found = try base.fetchedSnapshots(woven(request))
        return zip(found, try veiled(found.map(\.member))).map { ($0.owner, $1) }
    }

    private func seen(
        _ members: [(owner: Int64, member: Snapshot)], of entity: Entity
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)] {
        let seen =
            sight.rule(of: entity) == nil
            ? nil : try seen(Set(members.map(\.member.key)), root: entity.root)
        let left = members.filter { seen?.contains($0.member.key) ?? true }
        let veiled = try veiled(left.map(\.member))
        return zip(left, veiled).map { ($0.owner, $1) }
    }

    /// Begins a fetch of what is seen.
    /// - Throws: as `StoreReader.cursor`.
    public func cursor(_ request: FetchRequest) throws(StoreError) -> any FetchCursor {
        SightedCursor(try base.cursor(woven(request)), sight, base)
    }

    /// The history of all objects: the caller judges each change.
    /// - Throws: as `StoreReader.history`.
    public func history(
        after position: HistoryPosition, limit: Int, changes: Int, values: Bool
    ) throws(StoreError) -> HistoryPiece {
        try base.history(after: position, limit: limit, changes: changes, values: values)
    }

    /// As the store has them: the caller has seen the object.
    /// - Throws: as `StoreReader.slots`.
    public func slots(
        of id: ObjectID, atVersion version: Int64
    ) throws(StoreError) -> [Int: Value]? {
        try base.slots(of: id, atVersion: version)
    }

    /// Returns the receipt stored under a key.
    /// - Throws: as `StoreReader.receipt`.
    public func receipt(_ key: String) throws(StoreError) -> Receipt? { try base.receipt(key) }

    /// Returns the number of the oldest transaction.
    /// - Throws: as `StoreReader.oldestTransaction`.
    public func oldestTransaction() throws(StoreError) -> Int64? { try base.oldestTransaction() }

    /// Returns the first transaction to keep.
    /// - Throws: as `StoreReader.firstTransactionToKeep`.
    public func firstTransactionToKeep(
        since time: Double?, bytes: Int?
    ) throws(StoreError) -> Int64 {
        try base.firstTransactionToKeep(since: time, bytes: bytes)
    }

    /// Limits the cost of what is read from here on.
    public func read(within budget: ReadBudget?, matching limits: MatchLimits) {
        base.read(within: budget, matching: limits)
    }

    /// Checks the whole view.
    /// - Throws: as `StoreReader.checkView`.
    public func checkView() throws(StoreError) { try base.checkView() }

    /// Ends statements whose result nobody wants.
    public func read(while isWanted: @escaping @Sendable () -> Bool) { base.read(while: isWanted) }

    /// Closes the whole view.
    public func close() { base.close() }
}

/// A cursor over what is seen.
private final class SightedCursor: FetchCursor {
    private let base: any FetchCursor
    private let sight: Sight
    private let reader: any StoreReader

    /// - Parameter base: a cursor over a fetch of what is seen.
    init(_ base: any FetchCursor, _ sight: Sight, _ reader: any StoreReader) {
        self.base = base
        self.sight = sight
        self.reader = reader
    }

    func next(_ count: Int) throws(StoreError) -> FetchedRows {
        let rows = try base.next(count)
        guard case .objects(let snapshots) = rows else { return rows }
        return .objects(try sight.veiled(snapshots, in: reader))
    }
}
