/// Merge policies where one side has deleted what the other has changed.

import SteleModel
import StelePersistence

extension ConflictResolution {
    /// Settles an object that the store does not have any more: by a policy that keeps the store's
    /// side it is deleted here, else it is inserted again under its key.
    func settleWithoutRow(_ object: ManagedObject) throws {
        if object.isDeleted || policy.keepsStored {
            rebasing.disappear(object)
            rebasing.dropLinks(to: object)
            try rebasing.dropLinks(toGone: [object.id])
        } else {
            insertAgain(object)
        }
    }

    /// An object that is deleted here, and changed by another save, leaves what it has come to lead
    /// to.
    func settleDeletion(of object: ManagedObject, _ theirs: Snapshot) throws {
        for other in try rebasing.rebase(object, on: theirs) { _ = try newestDestination(other) }
        deletion.decideAgain(object)
    }

    /// An object whose row another save has deleted is new, with its values; its version goes on
    /// from what was read. With the row its links are gone: `linkAgain` links what it leads to, and
    /// of its members those stay that were added here.
    private func insertAgain(_ object: ManagedObject) {
        changes.makeInserted(object)
        for relationship in plans[object.entity].toOnes {
            guard let inverse = model.toManyInverse(of: relationship) else { continue }
            for case .key(let key)? in [
                object.reinserted?.values[relationship.slot], object.value(relationship.slot),
            ] {
                toManys.rebase(inverse, key, object.id.key, isStored: false, isWanted: false)
            }
        }
        for relationship in object.entity.toManys {
            if let inverse = model.inverse(of: relationship) {
                for key in toManys[relationship, object.id.key]?.removed ?? [] {
                    toManys.rebase(inverse, key, object.id.key, isStored: false, isWanted: false)
                }
            }
            toManys.lose(relationship, of: object.id.key)
        }
    }

    /// Links an object that is inserted again to what it leads to, on both sides, where that
    /// exists.
    func linkAgain(_ object: ManagedObject) throws {
        for relationship in plans[object.entity].toOnes {
            guard let key = object.key(in: relationship) else { continue }
            let destination = try newestDestination(model.destinationID(relationship, key))
            // Its deletion has cut the link in the store, so that it is made anew.
            object.values[relationship.slot] = .null
            if let destination { try relationships.setToOne(relationship, of: object, destination) }
        }
    }

    /// What a link leads to: where it is unchanged here, as the store has it now; nil where it is
    /// gone or deleted here.
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

    /// Takes deletions back, by the policies that keep the store's side; what their rules have
    /// deleted with them stays deleted.
    /// - Returns: the objects that are restored, and not linked yet.
    func takeBackDeletions(_ objects: [ManagedObject]) -> Set<ObjectID> {
        guard policy.keepsStored else { return [] }
        let back = objects.filter(\.isDeleted)
        if back.isEmpty { return [] }
        for object in back { deletion.restore(object, nil) }
        changes.dropRestored()
        return Set(back.map(\.id))
    }

    /// Links an object whose deletion was taken back as it was, on both sides.
    func takeBackLinks(of object: ManagedObject) throws {
        guard let before = object.before else { return }
        for relationship in plans[object.entity].toOnes {
            let value = before.values[relationship.slot]
            // The other side has lost it, so that the link is made anew.
            object.values[relationship.slot] = .null
            try relationships.putBack(value, relationship.slot, object)
        }
        try takeBackMembers(of: object)
    }

    /// Cuts links of a newer row to what is deleted here. An object that would have been deleted
    /// with its destination is deleted, now that it is known to lead there.
    func leaveDeletedDestinations(_ object: ManagedObject) throws {
        for relationship in plans[object.entity].toOnes {
            guard let key = object.key(in: relationship),
                loader.known(relationship, key)?.isDeleted == true
            else { continue }
            let inverse = model.inverse(of: relationship)
            if inverse?.deleteRule == .cascade { return try deletion.delete(object) }
            object.setSlot(relationship.slot, .null)
            guard let inverse, inverse.isToMany else { continue }
            // With the link goes its place in the order.
            toManys.leave(object.id.key, inverse, of: key)
        }
    }
}
