/// Unsaved changes on top of what the store has by now: rows, members, both sides of each link.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// Reads objects again, under their changes. One query a family and a relationship.
    /// - Parameter read: who has been read for this already, or is not to be.
    func merge(into objects: [ManagedObject], besides read: Set<ObjectID> = []) throws {
        var rows: [ObjectID: Snapshot] = [:]
        var roots: [Int: [Int64]] = [:]
        for object in objects { roots[object.id.root, default: []].append(object.id.key) }
        for (root, keys) in roots {
            for (key, row) in try snapshots(root: root, keys: keys) {
                rows[ObjectID(root: root, key: key)] = row
            }
        }
        var partners: Set<ObjectID> = []
        var gone: [ManagedObject] = []
        for object in objects {
            guard let row = rows[object.id], row.entity == object.entity.index else {
                partners.formUnion(disappear(object))
                gone.append(object)
                continue
            }
            partners.formUnion(try rebase(object, on: row))
        }
        for relationship in model.relationships where relationship.isToMany {
            let owner = model.entities[relationship.owner]
            let owners = objects.filter { !$0.isGone && owner.isKind($0.entity.index) }
            try refire(relationship, owners: owners.map(\.id.key))
        }
        // The other ends of one-to-one links that the store has changed.
        let read = read.union(objects.map(\.id))
        let others = partners.subtracting(read).compactMap { known($0) }
            .filter { !$0.isFault && !$0.isInserted && !$0.isDeleted }
        if !others.isEmpty { try merge(into: others, besides: read) }
        for object in gone { dropLinks(to: object) }
        // Who is not read again keeps the links that were made here, at both their ends.
        for id in partners {
            guard let other = known(id), !other.isFault, !other.isDeleted else { continue }
            try keepOneToOnes(of: other)
        }
        var old: [ObjectID: ManagedObject] = [:]
        for object in objects where !object.isDeleted {
            for other in try agree(object) where !read.contains(other.id) { old[other.id] = other }
        }
        if !old.isEmpty { try merge(into: Array(old.values), besides: read) }
    }

    /// One-to-one links are changed on both sides. Where the store has made one and this context
    /// another, ours stays, and whom theirs led to or from has none.
    /// - Returns: who is led to in the store and here, and is not as the store has it by now.
    func agree(_ object: ManagedObject) throws -> [ManagedObject] {
        guard let before = object.before else { return [] }
        var old: [ManagedObject] = []
        try keepOneToOnes(of: object)
        for (relationship, inverse) in plan(object.entity).oneToOnes
        where before.values.indices.contains(relationship.slot) {
            let (ours, theirs) = (object.value(relationship.slot), before.values[relationship.slot])
            if ours == theirs, case .key(let key) = ours,
                let other = known(destinationID(relationship, key)), !other.isFault,
                !other.isDeleted, other.key(in: inverse) != object.id.key
            {
                if other.changedSlots.contains(inverse.slot) {
                    object.setSlot(relationship.slot, .null)
                } else {
                    old.append(other)
                }
            }
        }
        return old
    }

    /// One-to-one links that this context has made or cut are so at their other ends as well: whom the
    /// store leads to is led to no more, and who is led to here leads back.
    private func keepOneToOnes(of object: ManagedObject) throws {
        guard let before = object.before else { return }
        for (relationship, inverse) in plan(object.entity).oneToOnes
        where before.values.indices.contains(relationship.slot)
            && before.values[relationship.slot] != object.value(relationship.slot)
        {
            if let key = object.storedKey(in: relationship),
                let other = try existingObject(with: destinationID(relationship, key)),
                other.key(in: inverse) == object.id.key
            {
                other.setSlot(inverse.slot, .null)
            }
            if let key = object.key(in: relationship),
                let other = known(destinationID(relationship, key)), !other.isFault,
                !other.isDeleted
            {
                try takeOver(inverse, of: other, for: object, relationship)
            }
        }
    }

    /// Puts an object's changes on top of a newer row.
    /// - Returns: the objects whose own rows have changed with it.
    func rebase(_ object: ManagedObject, on row: Snapshot) throws -> [ObjectID] {
        guard let before = object.before, before.values.count == row.values.count,
            object.values.count == row.values.count
        else { return [] }
        var partners: [ObjectID] = []
        let transient = plan(object.entity).transientSlots
        let isAlive = !object.isDeleted
        for slot in row.values.indices where !transient.contains(slot) {
            let (old, new) = (before.values[slot], row.values[slot])
            // What a deleted object leaves is what the store says that it leads to by now, but for
            // what was taken from it here before.
            let isOurs =
                (isAlive ? object.isTouched : old == new) && !object.values[slot].isStored(as: old)
            if !isOurs { object.values[slot] = new }
            guard old != new, case .relationship(let toOne) = object.entity.slots[slot],
                let inverse = model.inverse(of: toOne)
            else { continue }
            for case .key(let key) in [old, new] {
                guard inverse.isToMany else {
                    partners.append(destinationID(toOne, key))
                    continue
                }
                let place = ToManyID(relationship: inverse.index, owner: key)
                toManys[place]?.rebase(
                    object.id.key, isStored: new == .key(key),
                    isWanted: isAlive && object.values[slot] == .key(key))
                let isWanted = isAlive && object.values[slot] == new
                if new == .key(key), !isWanted, toManys[place] == nil {
                    try edit(inverse, of: key, .remove(object.id.key))
                }
            }
        }
        object.before = row
        object.version = row.version
        return partners
    }

    /// Reads members again where they are known; one query.
    func refire(_ relationship: Relationship, owners: [Int64]) throws {
        let known = owners.filter {
            let place = ToManyID(relationship: relationship.index, owner: $0)
            return toManys[place] != nil && !isNew(place)
        }
        if known.isEmpty { return }
        let members = try memberKeys(of: relationship, owners: known)
        for owner in known { takeStored(members[owner] ?? [], relationship, of: owner) }
    }

    /// Takes the members that the store has, and tells the other sides of those that have come or
    /// gone since they were read. Of a fault those are told whose link was changed without asking
    /// the store, and is as it was wanted: that is no change, nor is it on the other side.
    func takeStored(_ members: [Int64], _ relationship: Relationship, of owner: Int64) {
        let place = ToManyID(relationship: relationship.index, owner: owner)
        let was = toManys[place] ?? .fault
        toManys[place, default: .fault].refire(members)
        guard !was.isFault || was.hasChanges, let now = toManys[place],
            let inverse = model.inverse(of: relationship), inverse.isToMany
        else { return }
        let others =
            was.stored.map { Set($0).symmetricDifference(members) }
            ?? Set(was.added).union(was.removed).subtracting(now.added).subtracting(now.removed)
        for key in others {
            let other = ToManyID(relationship: inverse.index, owner: key)
            if other == place { continue }
            toManys[other]?.rebase(
                owner, isStored: now.isStored(key) == true, isWanted: now.contains(key))
        }
    }

    /// An object that the store does not have any more is deleted here, and its changes are lost.
    /// - Returns: the objects that led to it by a to-one: their rows have changed with it.
    @discardableResult
    func disappear(_ object: ManagedObject) -> [ObjectID] {
        for relationship in plan(object.entity).toOnes {
            guard let key = object.key(in: relationship),
                let inverse = model.inverse(of: relationship)
            else { continue }
            let place = ToManyID(relationship: inverse.index, owner: key)
            toManys[place]?.rebase(object.id.key, isStored: false, isWanted: false)
        }
        var partners: [ObjectID] = []
        for relationship in plan(object.entity).relationships {
            guard let inverse = model.inverse(of: relationship) else { continue }
            for key in destinationsKnown(relationship, object) {
                let other = ToManyID(relationship: inverse.index, owner: key)
                toManys[other]?.rebase(object.id.key, isStored: false, isWanted: false)
                if !inverse.isToMany { partners.append(destinationID(relationship, key)) }
            }
        }
        object.isDeleted = true
        object.isGone = true
        object.isTouched = false
        forgetDeletion(of: object)
        unregister(object)
        if !deleted.isEmpty { deleted.removeAll { $0 === object } }
        return partners
    }

    /// What led to an object that has disappeared by a change of this context leads nowhere.
    func dropLinks(to object: ManagedObject) {
        for relationship in plan(object.entity).relationships {
            if let inverse = model.inverse(of: relationship), !inverse.isToMany {
                for key in destinationsKnown(relationship, object) {
                    guard let other = known(destinationID(relationship, key)), !other.isFault,
                        other.key(in: inverse) == object.id.key,
                        other.before?.values[inverse.slot] != .key(object.id.key)
                    else { continue }
                    other.setSlot(inverse.slot, .null)
                }
            }
            if relationship.isToMany {
                toManys[ToManyID(relationship: relationship.index, owner: object.id.key)] = nil
            }
        }
    }

    /// The keys at the far end of a relationship, as far as they are known without reading.
    private func destinationsKnown(
        _ relationship: Relationship, _ object: ManagedObject
    ) -> [Int64] {
        if !relationship.isToMany { return object.key(in: relationship).map { [$0] } ?? [] }
        let place = ToManyID(relationship: relationship.index, owner: object.id.key)
        return toManys[place]?.members(ordered: false) ?? []
    }
}
