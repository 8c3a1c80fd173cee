/// A view of a store, and values of older versions.

import SteleModel
import StelePredicates

/// A consistent view of a store, used by one thread at a time.
///
/// Each read throws the usual errors of a store (`PersistentStore`), with `.closed` after the
/// view's `close`; `.overBudget` where its budget is used up; `.deadline` where one statement takes
/// too long; and `.busy` where the view has to end (`checkView`). Each fetch also throws what is
/// wrong with its request: `.invalid`, `.unsupported`, `.predicate` or `.tooLarge`.
public protocol StoreReader: AnyObject {
    /// The number of the last history transaction in this view; 0 for none.
    /// - Throws: `StoreError.closed`, which a store may throw after `close`.
    var token: Int64 { get throws(StoreError) }

    /// Returns an object, or nil where the store has no object with that identity.
    /// - Throws: `StoreError`, as each read.
    func snapshot(_ id: ObjectID) throws(StoreError) -> Snapshot?

    /// Returns the existing objects among the keys of a family of entities, in no order.
    /// - Throws: `StoreError`, as each read.
    func snapshots(root: Int, keys: [Int64]) throws(StoreError) -> [Snapshot]

    /// Returns the objects that match, in the request's order.
    /// - Throws: `StoreError`, as each fetch.
    func fetch(_ request: FetchRequest) throws(StoreError) -> [Snapshot]

    /// Returns the request's columns (`propertiesToFetch`) for each object or group, in order.
    /// - Throws: `StoreError`, as each fetch.
    func fetchRows(_ request: FetchRequest) throws(StoreError) -> [[Value]]

    /// Returns the values of one object's sort keys, `_id` last, for use as `FetchRequest.after`.
    /// - Throws: `StoreError`, as each fetch.
    func position(of key: Int64, in request: FetchRequest) throws(StoreError) -> [Value]

    /// Returns the number of rows that `fetch` or `fetchRows` would return, with limit and offset
    /// applied.
    /// - Throws: `StoreError`, as each fetch.
    func count(_ request: FetchRequest) throws(StoreError) -> Int

    /// Returns the members of a to-many relationship for each owner, in the relationship's order,
    /// or by key where it is not ordered. Runs one query for all owners.
    /// - Throws: `StoreError`, as each read; a store may throw `.unsupported` for a to-one
    ///   relationship.
    func members(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [Int64: [Int64]]

    /// Returns the members of a to-many relationship with their values, grouped by owner, each
    /// owner's in the relationship's order.
    /// - Throws: as `members`.
    func memberSnapshots(
        of relationship: Relationship, owners: [Int64]
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)]

    /// Returns the numbers or dates of an attribute that are read as null, because they are
    /// infinite, or are as a Float, or are no date (`Value.isDate`), by the keys of their objects.
    /// Only other programs leave them.
    /// - Parameter keys: of objects that have the attribute.
    /// - Throws: `StoreError`, as each read.
    func infiniteNumbers(
        of attribute: Attribute, keys: [Int64]
    ) throws(StoreError) -> [Int64: Double]

    /// Begins a fetch that is too long to hold, to be read in batches. Between two batches the
    /// reader can be used for other reads.
    /// - Throws: `StoreError`, as each fetch.
    func cursor(_ request: FetchRequest) throws(StoreError) -> any FetchCursor

    /// Runs a request with a source for each source object. Rows are grouped by source object, each
    /// group in the request's order. Runs one query; the limit counts all rows together.
    /// - Throws: `StoreError`, as each fetch.
    func fetchedSnapshots(
        _ request: FetchRequest
    ) throws(StoreError) -> [(owner: Int64, member: Snapshot)]

    /// Returns some saves from a position on, oldest first. From a position within a save, it
    /// returns the rest of this save alone.
    /// - Parameters:
    ///   - position: where the last read has ended.
    ///   - limit: the most saves to return.
    ///   - changes: the most changes of all of them, at least 1. The last save is cut there.
    ///   - values: whether each change has a snapshot of the object after its save.
    /// - Throws: `StoreError`, as each read.
    func history(
        after position: HistoryPosition, limit: Int, changes: Int, values: Bool
    ) throws(StoreError) -> HistoryPiece

    /// Returns the values that an object's slots held at an older version, for the slots changed
    /// since.
    /// - Returns: nil where the history does not go back far enough.
    /// - Throws: `StoreError`, as each read.
    func slots(of id: ObjectID, atVersion version: Int64) throws(StoreError) -> [Int: Value]?

    /// Returns objects as they were after a save, by their keys.
    ///
    /// An object that later saves have deleted is among them. So may be one that a later save has
    /// made, with its first values: `inserted(root:keys:after:)` finds these, which takes longer. Where
    /// another program has changed an object, its state is that of now.
    /// - Parameter save: the number of a save that the history has, or that is the last.
    /// - Throws: `StoreError`, as each read.
    func snapshots(
        root: Int, keys: [Int64], after save: Int64
    ) throws(StoreError) -> [Int64: Snapshot]

    /// Returns the least key of the objects that the saves after one have made, by the index of the
    /// root entity.
    /// - Throws: `StoreError`, as each read.
    func leastInserted(after save: Int64) throws(StoreError) -> [Int: Int64]

    /// Returns the keys among some of the objects that did not exist after a save, and that a later one
    /// has made. The later changes are all looked at.
    /// - Parameter save: as in `snapshots(root:keys:after:)`.
    /// - Throws: `StoreError`, as each read.
    func inserted(root: Int, keys: [Int64], after save: Int64) throws(StoreError) -> Set<Int64>

    /// Returns what the saves after one have changed of the to-many relationships of objects, and
    /// their deletions, oldest first, by the keys of the objects.
    /// - Parameter save: as in `snapshots(root:keys:after:)`.
    /// - Throws: `StoreError`, as each read.
    func memberChanges(
        root: Int, keys: [Int64], after save: Int64
    ) throws(StoreError) -> [Int64: [MemberChange]]

    /// Returns the receipt stored under a key, expired or not; nil where there is none.
    /// - Throws: `StoreError`, as each read.
    func receipt(_ key: String) throws(StoreError) -> Receipt?

    /// Returns the number of the oldest transaction in the history; nil for an empty history.
    /// - Throws: `StoreError`, as each read.
    func oldestTransaction() throws(StoreError) -> Int64?

    /// Returns the first transaction to keep when the history is limited by age and size; the
    /// number after the last one where none is to be kept.
    /// - Parameters:
    ///   - time: transactions before it are deleted; in seconds since 2001-01-01T00:00:00Z, nil for
    ///     no limit.
    ///   - bytes: the approximate size of the history to keep; nil for no limit.
    /// - Throws: `StoreError`, as each read.
    func firstTransactionToKeep(since time: Double?, bytes: Int?) throws(StoreError) -> Int64

    /// Limits the cost of what is read from here on, in place of an earlier limit.
    /// - Parameters:
    ///   - budget: as in `PersistentStore.reader`; nil for no limit beside that of each statement.
    ///   - limits: those of MATCHES.
    func read(within budget: ReadBudget?, matching limits: MatchLimits)

    /// Checks, for a view that lasts, that the store can go on with it.
    /// - Throws: `StoreError.busy` where the view has to end because what the store keeps for it
    ///   has become too much.
    func checkView() throws(StoreError)

    /// Ends statements that run for long once nobody wants their result; the view can be used on.
    /// - Parameter isWanted: is asked from time to time, on the reader's thread.
    func read(while isWanted: @escaping @Sendable () -> Bool)

    /// Closes the view.
    func close()
}

extension StoreReader {
    /// None: for a store that keeps no such numbers. It never throws.
    public func infiniteNumbers(
        of attribute: Attribute, keys: [Int64]
    ) throws(StoreError) -> [Int64: Double] { [:] }

    /// Does nothing: for a store that does not enforce a budget.
    public func read(within budget: ReadBudget?, matching limits: MatchLimits) {}

    /// Does nothing and never throws: for a store that keeps nothing for a view.
    public func checkView() throws(StoreError) {}

    /// Does nothing: for a store that cannot end a statement.
    public func read(while isWanted: @escaping @Sendable () -> Bool) {}

    /// Nil: for a store whose history has no values. It never throws.
    public func slots(
        of id: ObjectID, atVersion version: Int64
    ) throws(StoreError) -> [Int: Value]? { nil }

    /// Those of now: for a view whose history has no values.
    /// - Throws: as `snapshots(root:keys:)`.
    public func snapshots(
        root: Int, keys: [Int64], after save: Int64
    ) throws(StoreError) -> [Int64: Snapshot] {
        Dictionary(
            try snapshots(root: root, keys: keys).map { ($0.key, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// None: for a view whose history has no values. It never throws.
    public func leastInserted(after save: Int64) throws(StoreError) -> [Int: Int64] { [:] }

    /// None: for a view whose history has no values. It never throws.
    public func inserted(
        root: Int, keys: [Int64], after save: Int64
    ) throws(StoreError) -> Set<Int64> { [] }

    /// None: for a view whose history has no values. It never throws.
    public func memberChanges(
        root: Int, keys: [Int64], after save: Int64
    ) throws(StoreError) -> [Int64: [MemberChange]] { [:] }

    /// Nil: for a store without receipts. It never throws.
    public func receipt(_ key: String) throws(StoreError) -> Receipt? { nil }

    /// Returns the saves after a token with all their changes, oldest first.
    /// - Parameters:
    ///   - token: the number of the last known save; 0 for all.
    ///   - limit: the most transactions to return.
    ///   - values: whether each change has a snapshot of the object after its save.
    /// - Throws: `StoreError`, as each read.
    public func history(
        after token: Int64, limit: Int, values: Bool
    ) throws(StoreError) -> [HistoryTransaction] {
        let position = HistoryPosition(after: token)
        return try history(after: position, limit: limit, changes: .max, values: values).saves
    }

    /// Returns whether transactions after this one have been deleted from the history.
    /// - Throws: `StoreError`, as each read.
    public func lacksHistory(after position: Int64) throws(StoreError) -> Bool {
        guard position < (try token) else { return false }
        guard let oldest = try oldestTransaction() else { return true }
        return oldest > position + 1
    }
}

/// The values of an object at an older version, collected from before-images, oldest first.
package struct OlderSlots {
    private var next: Int64
    /// The values at that version, for the slots that have changed since.
    private var values: [Int: Value] = [:]

    /// Starts at a version.
    package init(version: Int64) { next = version }

    /// Adds the before-image of the update that made a version.
    /// - Returns: false where an update is missing before this one.
    package mutating func take(_ before: [BeforeValue]?, version: Int64) -> Bool {
        guard let before, version == next || version == next + 1 else { return false }
        next = version
        for case .slot(let slot, let value) in before where values[slot] == nil {
            values[slot] = value
        }
        return true
    }

    /// Returns the values, or nil where the updates do not lead to that version.
    package func leading(to version: Int64?) -> [Int: Value]? { version == next ? values : nil }
}
