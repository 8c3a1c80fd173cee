import SteleModel
import StelePersistence

/// Resolves conflicts between unsaved changes and newer rows by the merge policy.
///
/// If both sides have changed an object, each slot is resolved separately. If one side has deleted
/// it, the policies that keep the store's side use the store's state and the others use the
/// context's state (`ConflictResolution+Deletions`).
final class ConflictResolution: RelationshipPart {
    let deletion: DeletePropagation
    var relationships: RelationshipMaintenance { deletion.relationships }
    /// The policy, which is set before each use.
    var policy = MergePolicy.error
    /// The merged new objects and the objects with which they were merged.
    var replaced: [ObjectID: ObjectID] = [:]

    init(_ deletion: DeletePropagation) { self.deletion = deletion }

    // MARK: Versions

    /// Resolves conflicts of objects that both sides have changed or deleted.
    /// - Returns: the objects that have been merged with their rows. That is not journaled, as in a
    ///   refresh: what others have saved is no change of this context to undo.
    /// - Throws: `StoreError.conflicts` if another program has changed an object's entity. Nothing
    ///   is resolved then.
    @discardableResult
    func settle(_ conflicts: [MergeConflict]) throws -> [ManagedObject] {
        // A save advances a pinned context, because the conflicts refer to the newest state.
        view.moveOn()
        defer { deletion.endDecidingAgain() }
        let objects = conflicts.compactMap { conflict -> ManagedObject? in
            let id = ObjectID(root: model.entities[conflict.entity].root, key: conflict.key)
            guard let object = registry[id], object.before != nil else { return nil }
            // Another program may have changed the object's entity.
            let isAlike = conflict.persisted.map {
                $0.entity == object.entity.index && $0.values.count == object.values.count
            }
            return isAlike ?? true ? object : nil
        }
        // All objects are checked first, because resolving a conflict discards one side.
        guard objects.count == conflicts.count else { throw StoreError.conflicts(conflicts) }
        // Objects are restored before anything is linked to them.
        let restored = takeBackDeletions(
            zip(objects, conflicts).compactMap { $1.persisted == nil ? nil : $0 })
        var changed: [ChangedByBoth] = []
        var back: [(object: ManagedObject, theirs: Snapshot)] = []
        for (object, conflict) in zip(objects, conflicts) {
            if let theirs = conflict.persisted, restored.contains(object.objectID) {
                try takeBackLinks(of: object)
                back.append((object, theirs))
            } else if let theirs = conflict.persisted, !object.isDeleted {
                if let before = object.before {
                    changed.append(
                        ChangedByBoth(
                            object: object, before: before.values, mine: object.values,
                            slots: changes.storedChanges(of: object)
                                + relationships.slotsLinkedAgain(object),
                            theirs: theirs))
                }
            } else if let theirs = conflict.persisted {
                try settleDeletion(of: object, theirs)
            } else {
                try settleWithoutRow(object)
            }
        }
        try changes.withoutJournaling {
            try settle(changed, back)
            for object in objects where !object.isDeleted && !object.isInserted {
                try leaveDeletedDestinations(object)
            }
        }
        try deletion.process()
        // Objects inserted again are linked last, when their destinations have been resolved.
        for object in objects where object.isInserted { try linkAgain(object) }
        for object in objects where !object.isGone { loader.awake(object, .mergePolicy) }
        return changed.map(\.object) + back.map(\.object)
    }

    /// An object that both sides have changed.
    private struct ChangedByBoth {
        let object: ManagedObject
        let before: [Value]
        let mine: [Value]
        /// The slots that this context has changed.
        let slots: [Int]
        let theirs: Snapshot
    }

    /// Merges objects with their newer rows. All objects are first reset to the values that were
    /// read, and then all take their rows, before any change is applied again. Both ends of a link
    /// must be of the same state.
    /// - Parameter back: the objects whose deletions and links were undone.
    private func settle(
        _ changed: [ChangedByBoth], _ back: [(object: ManagedObject, theirs: Snapshot)]
    ) throws {
        for it in changed {
            for slot in it.slots { try relationships.putBack(it.before[slot], slot, it.object) }
            if policy == .rollback { try takeBackMembers(of: it.object) }
        }
        for it in changed { take(it.theirs, for: it.object) }
        for it in back { take(it.theirs, for: it.object) }
        let old = try (changed.map(\.object) + back.map(\.object)).flatMap {
            try rebasing.agree($0)
        }
        try relationships.readAgain(old)
        for it in changed {
            for slot in winners(it.slots, it.before, it.theirs.values) {
                try relationships.put(it.mine[slot], slot, it.object)
            }
        }
    }

    /// The slots in which the object's value takes precedence over the store's.
    private func winners(_ changed: [Int], _ before: [Value], _ theirs: [Value]) -> [Int] {
        switch policy {
        case .overwrite: Array(theirs.indices)
        case .objectTrump: changed
        case .storeTrump: changed.filter { before[$0] == theirs[$0] }
        case .rollback, .error: []
        }
    }

    /// Sets the object's values to the row's, and updates the to-many inverses. Transient values
    /// remain.
    func take(_ theirs: Snapshot, for object: ManagedObject) {
        let transient = plans[object.entity].transientSlots
        for slot in theirs.values.indices where !transient.contains(slot) {
            let value = theirs.values[slot]
            object.values[slot] = value
            guard case .relationship(let toOne) = object.entity.slots[slot],
                let inverse = model.toManyInverse(of: toOne)
            else { continue }
            for case .key(let key) in Set([object.before?.values[slot] ?? .null, value]) {
                let isThere = value == .key(key)
                toManys.rebase(
                    inverse, key, object.objectID.key, isStored: isThere, isWanted: isThere)
            }
        }
        object.before = theirs
        object.version = theirs.version
    }

    /// Reverts the changes of an object's to-many relationships.
    func takeBackMembers(of object: ManagedObject) throws {
        for relationship in object.entity.toManys {
            guard let state = toManys[relationship, object.objectID.key], state.hasChanges else {
                continue
            }
            for key in state.added { try relationships.unlink(relationship, object, key) }
            let gone = try loader.destinations(relationship, Array(state.removed))
            try relationships.link(relationship, object, state.removed.compactMap { gone[$0] })
        }
    }

    /// Resolves all changed objects whose rows have other versions, with one query for each root
    /// entity.
    func settleAll() throws {
        let changed = changes.touched.filter(changes.isUpdated) + changes.deleted
        let rows = try loader.snapshots(of: changed)
        var conflicts: [MergeConflict] = []
        for object in changed {
            guard let before = object.before else { continue }
            let row = rows[object.objectID]
            if row?.version == before.version, row?.entity == before.entity { continue }
            conflicts.append(
                MergeConflict(
                    entity: object.entity.index, key: object.objectID.key, cached: before,
                    persisted: row, changedSlots: changes.storedChanges(of: object),
                    values: object.values))
        }
        conflicts.sort { ($0.entity, $0.key) < ($1.entity, $1.key) }
        if !conflicts.isEmpty { try settle(conflicts) }
    }

}
