/// Merge policies: what is done where a save meets what others have saved.

import SteleModel
import StelePersistence

/// Brings unsaved changes and newer rows together as the merge policy says.
///
/// Where both sides have changed an object, its slots are settled one by one. Where one side has
/// deleted it, it is deleted or not: by the policies that keep the store's side as the store has
/// it, by the others as this context has it (`ConflictResolution+Deletions`).
final class ConflictResolution: RelationshipPart {
    let deletion: DeletePropagation
    var relationships: RelationshipMaintenance { deletion.relationships }
    /// The policy of what is settled; set before each settlement.
    var policy = MergePolicy.error
    /// New objects that were brought together with others, and what they lead to now.
    var replaced: [ObjectID: ObjectID] = [:]

    init(_ deletion: DeletePropagation) { self.deletion = deletion }

    // MARK: Versions

    /// Settles what both sides have changed or deleted.
    /// - Throws: `StoreError.conflicts` where another program has made an object of another entity;
    ///   nothing is settled then.
    func settle(_ conflicts: [MergeConflict]) throws {
        // A save moves a pinned context on: the conflicts are with the newest state.
        view.moveOn()
        defer { deletion.endDecidingAgain() }
        let objects = conflicts.compactMap { conflict -> ManagedObject? in
            let id = ObjectID(root: model.entities[conflict.entity].root, key: conflict.key)
            guard let object = registry[id], object.before != nil else { return nil }
            // Another program may have made it another entity's.
            let isAlike = conflict.persisted.map {
                $0.entity == object.entity.index && $0.values.count == object.values.count
            }
            return isAlike ?? true ? object : nil
        }
        // All or none: what is settled has lost one side already.
        guard objects.count == conflicts.count else { throw StoreError.conflicts(conflicts) }
        // What is restored must be so before anything is linked to it.
        let restored = takeBackDeletions(
            zip(objects, conflicts).compactMap { $1.persisted == nil ? nil : $0 })
        var changed: [ChangedByBoth] = []
        var back: [(object: ManagedObject, theirs: Snapshot)] = []
        for (object, conflict) in zip(objects, conflicts) {
            if let theirs = conflict.persisted, restored.contains(object.id) {
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
        try settle(changed, back)
        for object in objects where !object.isDeleted && !object.isInserted {
            try leaveDeletedDestinations(object)
        }
        try deletion.process()
        // What is inserted again leads to objects that have been settled by now.
        for object in objects where object.isInserted { try linkAgain(object) }
        for object in objects where !object.isGone { loader.awake(object, .mergePolicy) }
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

    /// Brings objects and their newer rows together. All go back to what was read before the first
    /// takes its row, and all take their rows before the first is changed again: the two ends of a
    /// link must be of one time.
    /// - Parameter back: objects whose deletions, and links, were taken back.
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

    /// The slots in which the object's own value goes before the store's.
    private func winners(_ changed: [Int], _ before: [Value], _ theirs: [Value]) -> [Int] {
        switch policy {
        case .overwrite: Array(theirs.indices)
        case .objectTrump: changed
        case .storeTrump: changed.filter { before[$0].isStored(as: theirs[$0]) }
        case .rollback, .error: []
        }
    }

    /// The object is as the store has it, and so is its part in to-manys; what is transient stays.
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
                    inverse, key, object.id.key, isStored: isThere, isWanted: isThere)
            }
        }
        object.before = theirs
        object.version = theirs.version
    }

    /// Takes changes of an object's to-manys back.
    func takeBackMembers(of object: ManagedObject) throws {
        for relationship in object.entity.toManys {
            guard let state = toManys[relationship, object.id.key], state.hasChanges else {
                continue
            }
            for key in state.added { try relationships.unlink(relationship, object, key) }
            let gone = try loader.destinations(relationship, Array(state.removed))
            try relationships.link(relationship, object, state.removed.compactMap { gone[$0] })
        }
    }

    /// Settles all changes whose rows have other versions by now; one query a family.
    func settleAll() throws {
        let changed = changes.touched.filter(changes.isUpdated) + changes.deleted
        let rows = try loader.snapshots(of: changed)
        var conflicts: [MergeConflict] = []
        for object in changed {
            guard let before = object.before else { continue }
            let row = rows[object.id]
            if row?.version == before.version, row?.entity == before.entity { continue }
            conflicts.append(
                MergeConflict(
                    entity: object.entity.index, key: object.id.key, cached: before,
                    persisted: row, changedSlots: changes.storedChanges(of: object),
                    values: object.values))
        }
        conflicts.sort { ($0.entity, $0.key) < ($1.entity, $1.key) }
        if !conflicts.isEmpty { try settle(conflicts) }
    }

}
