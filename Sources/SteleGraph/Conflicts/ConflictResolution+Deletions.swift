import SteleModel
import StelePersistence

extension ConflictResolution {
    /// Resolves a conflict with an object that was deleted from the store. With a policy that keeps
    /// the store's side, the object is deleted here; otherwise it is inserted again under its key.
    func settleWithoutRow(_ object: ManagedObject) throws {
        if object.isDeleted || policy.keepsStored {
            rebasing.disappear(object)
            rebasing.dropLinks(to: object)
            try rebasing.dropLinks(toGone: [object.objectID])
        } else {
            insertAgain(object)
        }
    }

    /// Resolves a conflict of a deletion here with an update by another save. The object is removed
    /// from the objects to which the update linked it.
    func settleDeletion(of object: ManagedObject, _ theirs: Snapshot) throws {
        for other in try rebasing.rebase(object, on: theirs) { _ = try newestDestination(other) }
        deletion.decideAgain(object)
    }

    /// Reinserts an object whose row another save has deleted. Its version continues from the
    /// one that was read. Its stored links are gone: `linkAgain` links its destinations, and only
    /// the members added here remain.
    private func insertAgain(_ object: ManagedObject) {
        changes.makeInserted(object)
        for relationship in plans[object.entity].toOnes {
            guard let inverse = model.toManyInverse(of: relationship) else { continue }
            for case .key(let key)? in [
                object.reinserted?.values[relationship.slot], object.value(relationship.slot),
            ] {
                toManys.rebase(inverse, key, object.objectID.key, isStored: false, isWanted: false)
            }
        }
        for relationship in object.entity.toManys {
            if let inverse = model.inverse(of: relationship) {
                for key in toManys[relationship, object.objectID.key]?.removed ?? OrderedKeys() {
                    toManys.rebase(
                        inverse, key, object.objectID.key, isStored: false, isWanted: false)
                }
            }
            toManys.lose(relationship, of: object.objectID.key)
        }
    }

    /// Links an object that was inserted again to its existing destinations, on both sides.
    func linkAgain(_ object: ManagedObject) throws {
        for relationship in plans[object.entity].toOnes {
            guard let key = object.key(in: relationship) else { continue }
            let destination = try newestDestination(model.destinationID(relationship, key))
            // The deletion cut the link in the store, so the link is made again.
            object.values[relationship.slot] = .null
            if let destination { try relationships.setToOne(relationship, of: object, destination) }
        }
    }

    /// The destination of a link: as stored now if it has no changes here; nil if it was deleted in
    /// the store or here.
    func newestDestination(_ id: ObjectID) throws -> ManagedObject? {
        if let object = registry[id],
            object.isInserted || object.isDeleted || !object.changedSlots.isEmpty
        {
            return object.isDeleted ? nil : object
        }
        guard let row = try view.newestSnapshot(id) else { return nil }
        let object = loader.object(from: row)
        guard row.entity == object.entity.index else { return nil }
        take(row, for: object)
        return object
    }

    /// Undoes deletions if the policy keeps the store's side. Objects deleted by their delete rules
    /// remain deleted.
    /// - Returns: the restored objects, which are not linked yet.
    func takeBackDeletions(_ objects: [ManagedObject]) -> Set<ObjectID> {
        guard policy.keepsStored else { return [] }
        let back = objects.filter(\.isDeleted)
        if back.isEmpty { return [] }
        for object in back { deletion.restore(object, nil) }
        changes.dropRestored()
        return Set(back.map(\.objectID))
    }

    /// Restores the links of an object whose deletion was undone, on both sides.
    func takeBackLinks(of object: ManagedObject) throws {
        guard let before = object.before else { return }
        for relationship in plans[object.entity].toOnes {
            let value = before.values[relationship.slot]
            // The other side has lost the link, so the link is made again.
            object.values[relationship.slot] = .null
            try relationships.putBack(value, relationship.slot, object)
        }
        try takeBackMembers(of: object)
    }

    /// Cuts the links of a newer row to objects deleted here. If the destination's delete rule is
    /// Cascade, the object is deleted.
    func leaveDeletedDestinations(_ object: ManagedObject) throws {
        for relationship in plans[object.entity].toOnes {
            guard let key = object.key(in: relationship),
                loader.known(relationship, key)?.isDeleted == true
            else { continue }
            let inverse = model.inverse(of: relationship)
            if inverse?.deleteRule == .cascade { return try deletion.delete(object) }
            object.setSlot(relationship.slot, .null)
            guard let inverse, inverse.isToMany else { continue }
            // The object also loses its position in the order.
            toManys.leave(object.objectID.key, inverse, of: key)
        }
    }
}
