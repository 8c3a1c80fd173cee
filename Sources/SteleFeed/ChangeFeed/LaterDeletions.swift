/// Objects that saves have deleted which follow the one that is judged.

import SteleModel
import StelePersistence

/// The objects that the saves after another one have deleted, as they were then. A save may be judged
/// when the view of the store has later ones already: what it has hidden and these have deleted is not
/// among the objects of the view.
///
/// It looks at the next changes only, so one that is judged with many later saves may have hidden more.
final class LaterDeletions {
    /// A deleted object.
    struct Deletion {
        /// The save that deleted it.
        let save: Int64
        /// The save that made it; nil for one before those that were read.
        let madeBy: Int64?
        let id: ObjectID
        let snapshot: Snapshot
    }

    private let reader: any StoreReader
    private let model: Model
    private let isWanted: (Int) -> Bool
    private var deletions: [Deletion] = []
    /// The saves for which these are the later deletions.
    private var known: ClosedRange<Int64>?

    /// The changes that are looked at.
    private static let mostChanges = 1_000

    /// - Parameter isWanted: whether objects of a family are asked for, by the index of its root entity.
    init(_ reader: any StoreReader, _ model: Model, _ isWanted: @escaping (Int) -> Bool) {
        self.reader = reader
        self.model = model
        self.isWanted = isWanted
    }

    /// The objects that existed after a save and that later ones have deleted.
    /// - Throws: as reading the history.
    func after(_ save: Int64) throws(StoreError) -> [Deletion] {
        if known?.contains(save) != true { try read(after: save) }
        return deletions.filter { $0.save > save && $0.madeBy ?? 0 <= save }
    }

    private func read(after save: Int64) throws(StoreError) {
        deletions = []
        let piece = try reader.history(
            after: HistoryPosition(after: save), limit: Self.mostChanges,
            changes: Self.mostChanges, values: true)
        var made: [ObjectID: Int64] = [:]
        for later in piece.saves {
            for change in later.changes where model.entities.indices.contains(change.entity) {
                let root = model.entities[change.entity].root
                guard isWanted(root) else { continue }
                let id = ObjectID(root: root, key: change.key)
                if change.kind == .insert { made[id] = later.number }
                guard change.kind == .delete, let snapshot = change.snapshot else { continue }
                deletions.append(
                    Deletion(
                        save: later.number, madeBy: made[id], id: id, snapshot: snapshot))
            }
        }
        // Of later saves fewer of the deletions are known, unless these are all.
        let last =
            piece.hasMore ? save + max(0, (piece.saves.last?.number ?? save) - save) / 2 : .max
        known = save...max(save, last)
    }
}
