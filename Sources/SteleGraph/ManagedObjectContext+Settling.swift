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

    func settle(_ conflicts: [MergeConflict]) throws {
        // Saving moves a pinned context on; what others have saved is met where they have left it.
        if openOperations == 0 { dropView() }
        defer { decidedBefore = [] }
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
                            slots: storedChanges(object) + slotsLinkedAgain(object),
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
        try processDeletions()
        // What is inserted again leads to objects that have been settled by now.
        for object in objects where object.isInserted { try linkAgain(object) }
        for object in objects where !object.isGone { awake(object, .mergePolicy) }
    }

    /// An object that both sides have changed.
    private struct ChangedByBoth {
        let object: ManagedObject
        let before: [Value]
        let mine: [Value]
        /// What this context has changed.
        let slots: [Int]
        let theirs: Snapshot
    }

    /// Brings objects and the store's newer states of them together. All go back to what was read
    /// before one is as the store has it, and all are that before one is changed again: links have
    /// two ends, which must be of one time.
    /// - Parameter back: whose deletions were taken back, and their links.
    private func settle(
        _ changed: [ChangedByBoth], _ back: [(object: ManagedObject, theirs: Snapshot)]
    ) throws {
        for it in changed {
            for slot in it.slots { try putBack(it.before[slot], slot, it.object) }
            if mergePolicy == .rollback { try takeBackMembers(of: it.object) }
        }
        for it in changed { take(it.theirs, for: it.object) }
        for it in back { take(it.theirs, for: it.object) }
        let old = try (changed.map(\.object) + back.map(\.object)).flatMap { try agree($0) }
        try readAgain(old)
        for it in changed {
            for slot in winners(it.slots, it.before, it.theirs.values) {
                try put(it.mine[slot], slot, it.object)
            }
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

    /// The object is as the store has it, and so is its part in to-manys; what is transient stays.
    func take(_ theirs: Snapshot, for object: ManagedObject) {
        let transient = plan(object.entity).transientSlots
        for slot in theirs.values.indices where !transient.contains(slot) {
            let value = theirs.values[slot]
            object.values[slot] = value
            guard case .relationship(let toOne) = object.entity.slots[slot],
                let inverse = model.inverse(of: toOne), inverse.isToMany
            else { continue }
            for case .key(let key) in Set([object.before?.values[slot] ?? .null, value]) {
                let place = ToManyID(relationship: inverse.index, owner: key)
                let isThere = value == .key(key)
                toManys[place]?.rebase(object.id.key, isStored: isThere, isWanted: isThere)
            }
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

    /// Sets a slot to what was read. The ends of a one-to-one link that was made here go back both:
    /// who was parted for it is linked again where he has no other link by now. Where the row at the
    /// other end does not say that the link was there, one of them is older, and there is none. Whom
    /// the store has in a to-many already, he only does not know of it, keeps his place there.
    func putBack(_ value: Value, _ slot: Int, _ object: ManagedObject) throws {
        guard case .relationship(let toOne) = object.entity.slots[slot],
            let inverse = model.inverse(of: toOne)
        else { return try put(value, slot, object) }
        if inverse.isToMany {
            if let key = object.key(in: toOne), object.storedKey(in: toOne) != key,
                toManys[ToManyID(relationship: inverse.index, owner: key)]?
                    .isStored(object.id.key) == true
            {
                object.setSlot(slot, .null)
            }
            return try put(value, slot, object)
        }
        let made = try object.key(in: toOne).flatMap {
            try existingObject(with: destinationID(toOne, $0))
        }
        object.setSlot(slot, .null)
        if let made, made.key(in: inverse) == object.id.key,
            made.storedKey(in: inverse) != object.id.key
        {
            made.setSlot(inverse.slot, .null)
            if let key = made.storedKey(in: inverse),
                let left = try existingObject(with: destinationID(inverse, key)),
                left.storedKey(in: toOne) == made.id.key, left.key(in: toOne) == nil
            {
                try setToOne(toOne, of: left, made)
            }
        }
        guard case .key(let key) = value,
            let other = try existingObject(with: destinationID(toOne, key)),
            other.storedKey(in: inverse) == object.id.key
        else { return }
        try setToOne(toOne, of: object, other)
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
