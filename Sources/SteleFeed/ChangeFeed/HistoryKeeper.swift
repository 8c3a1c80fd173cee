/// The bounds of the history.

import StelePersistence

/// Deletes saves beyond the bounds, in batches.
struct HistoryKeeper: Sendable {
    package let store: any PersistentStore
    /// Seconds for which a save is kept; nil for ever.
    package let age: Double?
    /// About how many bytes the history may take; nil for no bound.
    package let bytes: Int?

    /// How many transactions a batch deletes. Each batch is a commit, which saves wait for.
    package static let batch = 500

    /// Whether there is a bound.
    var isNeeded: Bool { age != nil || bytes != nil }

    /// The first transaction that is kept.
    /// - Throws: `StoreError`.
    func firstToKeep(now: Double) throws(StoreError) -> Int64 {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.firstTransactionToKeep(since: age.map { now - $0 }, bytes: bytes)
    }

    /// Deletes a batch of transactions before that one.
    /// - Returns: whether there are more.
    /// - Throws: `StoreError`.
    func deleteSome(before number: Int64) throws(StoreError) -> Bool {
        try store.deleteHistory(before: number, limit: Self.batch) == Self.batch
    }
}
