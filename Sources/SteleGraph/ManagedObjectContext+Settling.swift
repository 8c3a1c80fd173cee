/// Merge policies: what is done where a save meets what others have saved.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// Saves as the merge policy says, again and again where yet another save was quicker.
    ///
    /// Where both have changed an object, its slots are settled one by one. Where one has deleted
    /// it, it is deleted or not: by the policies that keep the store's side as the store has it, by
    /// the others as this context has it (`+SettlingDeletions`).
    /// - Throws: as `save`.
    func saveMerging(_ request: SaveRequest) throws -> SaveResult {
        var request = request
        // Each turn settles at least one conflict; new ones come only of other saves.
        for _ in 0...(request.changes.count + 64) {
            do throws(StoreError) {
                return try coordinator.store.save(request)
            } catch .conflicts(let conflicts) {
                try settle(conflicts)
            } catch .constraint(let conflict) {
                guard try settle(conflict) else { throw StoreError.constraint(conflict) }
            }
            guard let next = try inOneView({ try makeSaveRequest(isFirst: false) }) else {
                return SaveResult(token: request.readToken)
            }
            request = next
        }
        throw StoreError.busy("other saves were quicker each time")
    }

    // MARK: Versions

    private func settle(_ conflicts: [MergeConflict]) throws {
        let objects = conflicts.compactMap { conflict -> ManagedObject? in
            let id = ObjectID(root: model.entities[conflict.entity].root, key: conflict.key)
            guard let object = known(id), object.before != nil else { return nil }
            // Another program may have made it another entity's.
            let isAlike = conflict.persisted.map {
                $0.entity == object.entity.index && $0.values.count == object.values.count
            }
            return isAlike ?? true ? object : nil
        }
        // All or none: who is settled has lost one side already.
        guard objects.count == conflicts.count else { throw StoreError.conflicts(conflicts) }
        // Who is back must be so before anybody is linked to him.
        let restored = takeBackDeletions(
            zip(objects, conflicts).compactMap { $1.persisted == nil ? nil : $0 })
        for (object, conflict) in zip(objects, conflicts) {
            if let theirs = conflict.persisted, restored.contains(object.id) {
                try takeBackLinks(of: object)
                take(theirs, for: object)
            } else {
                try settle(object, conflict.persisted)
            }
        }
        for object in objects where !object.isDeleted && !object.isInserted {
            try leaveDeletedDestinations(object)
        }
        // What is inserted again leads to objects that have been settled by now.
        for object in objects where object.isInserted { try linkAgain(object) }
        for object in objects where !object.isGone { awake(object, .mergePolicy) }
    }

    /// Brings an object and the store's newer state of it together.
    private func settle(_ object: ManagedObject, _ theirs: Snapshot?) throws {
        guard let before = object.before else { return }
        guard let theirs else { return try settleWithoutRow(object) }
        if object.isDeleted { return take(theirs, for: object) }
        let mine = object.values
        let changed = storedChanges(object)
        for slot in changed { try put(before.values[slot], slot, object) }
        if mergePolicy == .rollback { try takeBackMembers(of: object) }
        take(theirs, for: object)
        for slot in winners(changed, before.values, theirs.values) {
            try put(mine[slot], slot, object)
        }
    }

    /// The slots in which the object's own value goes before the store's.
    private func winners(_ changed: [Int], _ before: [Value], _ theirs: [Value]) -> [Int] {
        switch mergePolicy {
        case .overwrite: Array(theirs.indices)
        case .objectTrump: changed
        case .storeTrump: changed.filter { before[$0].isStored(as: theirs[$0]) }
        case .rollback, .error: []
        }
    }

    /// The object is as the store has it; what is transient stays.
    func take(_ theirs: Snapshot, for object: ManagedObject) {
        let transient = plan(object.entity).transientSlots
        for slot in theirs.values.indices where !transient.contains(slot) {
            object.values[slot] = theirs.values[slot]
        }
        object.before = theirs
        object.version = theirs.version
    }

    /// Sets a slot, a to-one with its inverse.
    func put(_ value: Value, _ slot: Int, _ object: ManagedObject) throws {
        guard case .relationship(let toOne) = object.entity.slots[slot] else {
            return object.setSlot(slot, value)
        }
        guard case .key(let key) = value else { return try setToOne(toOne, of: object, nil) }
        try setToOne(toOne, of: object, try existingObject(with: destinationID(toOne, key)))
    }

    /// Who came to an object's to-manys goes, who went comes back.
    func takeBackMembers(of object: ManagedObject) throws {
        for relationship in object.entity.toManys {
            let place = ToManyID(relationship: relationship.index, owner: object.id.key)
            guard let state = toManys[place], state.hasChanges else { continue }
            for key in state.added { try unlink(relationship, object, key) }
            let gone = try existingObjects(
                root: model.destination(of: relationship).root, keys: Array(state.removed))
            try link(relationship, object, state.removed.compactMap { gone[$0] })
        }
    }

    func newestRow(_ id: ObjectID) throws -> Snapshot? {
        let reader = try coordinator.store.reader()
        defer { reader.close() }
        return try reader.snapshot(id)
    }
}
