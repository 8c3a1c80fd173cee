/// Keeps the history within its bounds.

import StelePersistence

/// Lets go of saves that are too old or too many, a few at a time.
struct HistoryKeeper: Sendable {
    package let store: any PersistentStore
    /// Seconds that a save is kept; nil for ever.
    package let age: Double?
    /// About how many bytes all that is kept may take; nil for any number.
    package let bytes: Int?

    /// How many transactions are deleted at once: each batch is a commit that saves wait for.
    package static let batch = 500

    /// Whether there are bounds at all.
    var isNeeded: Bool { age != nil || bytes != nil }

    /// The first transaction to keep now.
    /// - Throws: `StoreError`.
    func firstToKeep(now: Double) throws(StoreError) -> Int64 {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.firstTransactionToKeep(since: age.map { now - $0 }, bytes: bytes)
    }

    /// Deletes a batch of the transactions before that one.
    /// - Returns: whether there are more.
    /// - Throws: `StoreError`.
    func deleteSome(before number: Int64) throws(StoreError) -> Bool {
        try store.deleteHistory(before: number, limit: Self.batch) == Self.batch
    }
}
