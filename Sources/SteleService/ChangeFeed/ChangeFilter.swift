/// What of the history a stream or a page tells.

import StelePersistence

/// Streams with equal filters share their bytes.
struct ChangeFilter: Sendable, Hashable {
    /// The indexes of the entities told, subentities among them, ascending; nil for all.
    let entities: [Int]?
    /// Whether objects and old values are told.
    let values: Bool

    /// Whether a change of that entity is told.
    func tells(_ entity: Int) -> Bool {
        guard let entities else { return true }
        return entities.contains(entity)
    }

    /// Whether streams of this filter may be silent while the history goes on.
    var isPartial: Bool { entities != nil }

    /// The changes told of a save, in their order.
    func changes(of transaction: HistoryTransaction) -> [HistoryChange] {
        guard isPartial else { return transaction.changes }
        return transaction.changes.filter { tells($0.entity) }
    }
}
