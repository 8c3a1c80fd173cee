/// Objects that saves have deleted which follow the one that is judged.

import SteleModel
import StelePersistence

/// The objects that the saves after another one have deleted, as they were then. A stream judges a
/// save when the view of the store has the next ones already, and what it has hidden and these have
/// deleted is not among the objects of the view.
///
/// It looks at a few changes only, near the end of the history: whoever reads from further back has
/// missed other things, too, such as the values that objects had.
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
    /// The saves whose later deletions these are.
    private var known: ClosedRange<Int64>?

    /// The saves and the changes after a save that are looked at. There is nothing else where more
    /// saves follow, and each costs the judging of an object.
    private static let most = 64

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
        known = nil
        guard try reader.token - save <= Self.most else { return }
        let piece = try reader.history(
            after: HistoryPosition(after: save), limit: Self.most, changes: Self.most, values: true)
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
        // Of the next saves these are all as well, if they are all that follow.
        known = save...(piece.hasMore ? save : .max)
    }
}
