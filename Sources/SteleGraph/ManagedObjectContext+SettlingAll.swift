/// Merge policies where a save is refused for what it relies on, before anybody has compared versions.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// Puts all changes on top of what the store has by now, as `refreshAllObjects`, but settles
    /// first what others have changed or deleted, too, by `mergePolicy`: what a save does after
    /// `StoreError.conflicts`, for one that was refused with `StoreError.moved`. A refresh alone
    /// drops the changes of what others have deleted; by *objectTrump* and *overwrite* that is there
    /// again. By *error* it is the refresh alone, and so it is in a child.
    /// - Throws: `StoreError`.
    public func settleAllObjects() throws {
        if mergePolicy == .error || parent != nil { return try refreshAllObjects() }
        if openOperations == 0, writerReader == nil { dropView() }
        // In one view, so that nothing is deleted between the two.
        try inOneView {
            try processPendingChanges()
            let conflicts = try conflictsByNow()
            if !conflicts.isEmpty { try settle(conflicts) }
            try refreshAllObjects()
        }
    }

    /// What a save would find of other versions than it was made from; one query a family.
    private func conflictsByNow() throws -> [MergeConflict] {
        let changed = touched.filter { !$0.isDeleted && !storedChanges($0).isEmpty } + deleted
        var conflicts: [MergeConflict] = []
        for (root, objects) in Dictionary(grouping: changed, by: \.id.root) {
            let rows = try snapshots(root: root, keys: objects.map(\.id.key))
            for object in objects {
                guard let before = object.before else { continue }
                let row = rows[object.id.key]
                if row?.version == before.version, row?.entity == before.entity { continue }
                conflicts.append(
                    MergeConflict(
                        entity: object.entity.index, key: object.id.key, cached: before,
                        persisted: row, changedSlots: storedChanges(object), values: object.values))
            }
        }
        return conflicts.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
    }
}
