/// Merge policies where one side has deleted what the other has changed.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// Settles an object that the store does not have any more: by a policy that keeps the store's
    /// side it is deleted here, else it is inserted again under its key.
    func settleWithoutRow(_ object: ManagedObject) throws {
        if object.isDeleted || mergePolicy.keepsStored {
            disappear(object)
            dropLinks(to: object)
            try dropLinks(toGone: [object.id])
        } else {
            insertAgain(object)
        }
    }

    /// An object that is deleted here, and changed by another save, leaves what it has come to lead
    /// to.
    func settleDeletion(of object: ManagedObject, _ theirs: Snapshot) throws {
        for other in try rebase(object, on: theirs) { _ = try newestDestination(other) }
        undecided.append(object)
        decidedBefore.insert(object.id)
    }

    /// An object whose row another save has deleted is new, as it is; its version goes on from what
    /// was read. With the row its links have gone: what it leads to is linked by `linkAgain`, of its
    /// members those stay that have come here.
    private func insertAgain(_ object: ManagedObject) {
        object.isInserted = true
        touched.removeAll { $0 === object }
        inserted.append(object)
        for relationship in plan(object.entity).toOnes {
            guard let inverse = model.inverse(of: relationship), inverse.isToMany else { continue }
            for case .key(let key)? in [
                object.reinserted?.values[relationship.slot], object.value(relationship.slot),
            ] {
                toManys[ToManyID(relationship: inverse.index, owner: key)]?
                    .rebase(object.id.key, isStored: false, isWanted: false)
            }
        }
        for relationship in object.entity.toManys {
            let place = ToManyID(relationship: relationship.index, owner: object.id.key)
            if let inverse = relationship.inverse {
                for key in toManys[place]?.removed ?? [] {
                    toManys[ToManyID(relationship: inverse, owner: key)]?
                        .rebase(object.id.key, isStored: false, isWanted: false)
                }
            }
            toManys[place, default: .empty].refire([])
        }
    }

    /// Links an object that is inserted again to what it leads to, on both sides, as far as that is
    /// there.
    func linkAgain(_ object: ManagedObject) throws {
        for relationship in plan(object.entity).toOnes {
            guard let key = object.key(in: relationship) else { continue }
            let destination = try newestDestination(destinationID(relationship, key))
            // Its deletion has cut the link in the store, so that it is made anew.
            object.values[relationship.slot] = .null
            if let destination { try setToOne(relationship, of: object, destination) }
        }
    }

    /// What a link leads to: where it is unchanged here, as the store has it now; nil where it is
    /// gone or deleted here.
    func newestDestination(_ id: ObjectID) throws -> ManagedObject? {
        if let object = known(id),
            object.isInserted || object.isDeleted || !object.changedSlots.isEmpty
        {
            return object.isDeleted ? nil : object
        }
        guard let row = try newestRow(id) else { return nil }
        let object = register(row)
        guard row.entity == object.entity.index else { return nil }
        take(row, for: object)
        return object
    }

    /// Takes deletions back, by the policies that keep the store's side; what their rules have
    /// deleted with them stays deleted.
    /// - Returns: who is back, and not linked yet.
    func takeBackDeletions(_ objects: [ManagedObject]) -> Set<ObjectID> {
        guard mergePolicy.keepsStored else { return [] }
        let back = objects.filter(\.isDeleted)
        if back.isEmpty { return [] }
        for object in back { restore(object, nil) }
        deleted.removeAll { !$0.isDeleted }
        return Set(back.map(\.id))
    }

    /// Links an object whose deletion was taken back as it was, on both sides.
    func takeBackLinks(of object: ManagedObject) throws {
        guard let before = object.before else { return }
        for relationship in plan(object.entity).toOnes {
            let value = before.values[relationship.slot]
            // The other side has let go of it, so that the link is made anew.
            object.values[relationship.slot] = .null
            try putBack(value, relationship.slot, object)
        }
        try takeBackMembers(of: object)
    }

    /// What the store leads to and this context deletes is led to no longer; who would have been
    /// deleted with it is, now that he is known to lead there.
    func leaveDeletedDestinations(_ object: ManagedObject) throws {
        for relationship in plan(object.entity).toOnes {
            guard let key = object.key(in: relationship),
                known(destinationID(relationship, key))?.isDeleted == true
            else { continue }
            let inverse = model.inverse(of: relationship)
            if inverse?.deleteRule == .cascade { return try delete(object) }
            object.setSlot(relationship.slot, .null)
            guard let inverse, inverse.isToMany else { continue }
            // With the link goes its place in the order.
            toManys[ToManyID(relationship: inverse.index, owner: key), default: .fault]
                .rebase(object.id.key, isStored: true, isWanted: false)
        }
    }
}
