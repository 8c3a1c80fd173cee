import SteleModel
import StelePersistence

/// Links whose ends were read at different times. A save must not store only one end of them.
extension RelationshipMaintenance {
    /// Reads both ends of a one-to-one link again if their rows disagree, before the link changes.
    /// One of the rows is outdated, and changing the link would leave one end of it in the store.
    /// An object with changes is not read again, because the save checks its version.
    /// - Parameter object: one end of the link that is about to change, or nil.
    /// - Returns: the other end, which must be kept alive until it is changed.
    func readOldEnds(
        _ relationship: Relationship, _ object: ManagedObject?
    ) throws -> [ManagedObject] {
        guard let object, let inverse = model.inverse(of: relationship),
            let key = object.storedKey(in: relationship), object.key(in: relationship) == key,
            let other = try loader.destination(relationship, key)
        else { return [] }
        if !other.isInserted, other.storedKey(in: inverse) != object.objectID.key {
            try readAgain([object, other])
        }
        return [other]
    }

    /// Reads both ends of a restored object's link again if its row has the link and the other end
    /// does not. One of them is outdated, and the link is not a change of this context.
    /// - Returns: whether one end is outdated.
    func readIfOld(
        _ object: ManagedObject, _ relationship: Relationship, _ key: Int64
    ) throws -> Bool {
        if let inverse = model.toManyInverse(of: relationship) {
            try toManys.fire(inverse, owners: [key])
        }
        guard try disagree(object, relationship, key) else { return false }
        try readEnds(object, relationship, key)
        return true
    }

    /// Does the same as `readIfOld` for a link that is about to be restored. Only the end whose row
    /// has the link is reset.
    func comesBackOld(
        _ object: ManagedObject, _ relationship: Relationship, _ key: Int64
    ) throws -> Bool {
        if object.key(in: relationship) == key { return false }
        if try disagree(object, relationship, key) {
            try leadToOne(relationship, of: object, to: nil)
            object.setSlot(relationship.slot, .key(key))
            try readEnds(object, relationship, key)
            return true
        }
        guard let inverse = model.toOneInverse(of: relationship),
            let other = try loader.destination(relationship, key),
            other.key(in: inverse) != object.objectID.key
        else { return false }
        return try disagree(other, inverse, object.objectID.key)
            && comesBackOld(other, inverse, object.objectID.key)
    }

    /// Whether an object's row has a link that the other end's stored state does not have. A fault
    /// does not disagree.
    private func disagree(
        _ object: ManagedObject, _ relationship: Relationship, _ key: Int64
    ) throws -> Bool {
        guard object.storedKey(in: relationship) == key,
            let inverse = model.inverse(of: relationship),
            let other = try loader.destination(relationship, key),
            !other.isInserted
        else { return false }
        if !inverse.isToMany { return other.storedKey(in: inverse) != object.objectID.key }
        return toManys[inverse, key]?.isStored(object.objectID.key) == false
    }

    private func readEnds(
        _ object: ManagedObject, _ relationship: Relationship, _ key: Int64
    ) throws {
        guard let inverse = model.toManyInverse(of: relationship) else {
            let other = loader.known(relationship, key)
            return try readAgain([object] + (other.map { [$0] } ?? []))
        }
        try readAgain([object])
        try changes.withoutJournaling { try toManys.refire(inverse, owners: [key]) }
    }

    /// The slots of one-to-one links that were made here from the other end and that the object's
    /// own row already has. They count as changes of the object.
    func slotsLinkedAgain(_ object: ManagedObject) -> [Int] {
        plans[object.entity].oneToOnes.compactMap { relationship, inverse in
            guard let key = object.key(in: relationship),
                object.storedKey(in: relationship) == key,
                let other = loader.known(relationship, key),
                !other.isInserted, !other.isDeleted,
                other.key(in: inverse) == object.objectID.key,
                other.storedKey(in: inverse) != object.objectID.key
            else { return nil }
            return relationship.slot
        }
    }

    /// Resolves a disagreement of two to-many relationships about a link, one of which is outdated.
    /// The store is read before the link changes, and both take its state. Neither has a change of
    /// the link, because changes are applied to both once one is read.
    /// - Returns: whether the link exists; nil if both agree.
    func isLinkedByNow(
        _ relationship: Relationship, _ owner: Int64, _ member: Int64
    ) throws -> Bool? {
        guard let inverse = model.toManyInverse(of: relationship) else { return nil }
        guard let here = toManys[relationship, owner]?.isStored(member),
            let there = toManys[inverse, member]?.isStored(owner), here != there
        else { return nil }
        let members = try loader.memberKeys(of: relationship, owners: [owner])[owner] ?? []
        let isLinked = members.contains(member)
        toManys.rebase(relationship, owner, member, isStored: isLinked, isWanted: isLinked)
        toManys.rebase(inverse, member, owner, isStored: isLinked, isWanted: isLinked)
        return isLinked
    }

    /// Reads again the objects, and the objects linked with them, whose rows have no changes.
    func readAgain(_ objects: [ManagedObject]) throws {
        let unchanged = objects.filter {
            !$0.isFault && !$0.isInserted && !$0.isDeleted && changes.storedChanges(of: $0).isEmpty
        }
        if unchanged.isEmpty { return }
        let changed = Set(
            changes.touched.filter { !changes.storedChanges(of: $0).isEmpty }.map(\.objectID))
        try changes.withoutJournaling {
            try view.inOneView { try rebasing.merge(into: unchanged, besides: changed) }
        }
    }

    /// Reads again objects that were linked here and whose outdated rows already have the link.
    /// Otherwise the link would not be part of the save. The link is then a change at both ends of
    /// a one-to-one link, and in a member's own row.
    func completeMadeLinks() throws {
        try completeOneToOnes()
        for (place, state) in toManys.changed(where: { !$0.added.isEmpty }) {
            let relationship = model.relationships[place.relationship]
            guard let inverse = model.toOneInverse(of: relationship) else { continue }
            let old = state.added.compactMap { loader.known(relationship, $0) }.filter {
                !$0.isInserted && !$0.isDeleted && $0.key(in: inverse) == place.owner
                    && $0.storedKey(in: inverse) == place.owner
            }
            if old.isEmpty { continue }
            try readAgain(old)
            try changes.withoutJournaling {
                for member in old where !member.isDeleted {
                    try leadToOne(inverse, of: member, to: place.owner)
                }
                // Members that were read again have lost their positions.
                if relationship.isOrdered, let now = toManys[place]?.members(ordered: true) {
                    let order = now.arranged(as: state.members(ordered: true))
                    if order != now {
                        try toManys.edit(relationship, of: place.owner, .arrange(order))
                    }
                }
            }
        }
    }

    private func completeOneToOnes() throws {
        // The other end of a new object's link cannot be outdated, but that of an object inserted
        // again can.
        let again = changes.inserted.filter { !$0.objectID.isTemporaryID }
        for object in again + changes.touched where !object.isDeleted {
            for (relationship, inverse) in plans[object.entity].oneToOnes {
                guard let key = object.key(in: relationship),
                    object.storedKey(in: relationship) != key,
                    let other = try loader.destination(relationship, key),
                    !other.isInserted
                else { continue }
                if other.storedKey(in: inverse) == object.objectID.key { try readAgain([other]) }
                if other.isDeleted || object.key(in: relationship) != key { continue }
                try changes.withoutJournaling {
                    try takeOver(inverse, of: other, for: object, relationship)
                }
            }
        }
    }

    /// Reads again objects whose links were cut from the other end and that have no changes any
    /// more. They are not part of the save, so their outdated version would not be noticed. The
    /// link is then cut in their rows. The same applies to an object that another save has linked
    /// again to an object from which it was unlinked here.
    func leaveCutLinks() throws {
        for object in changes.touched where !object.isDeleted {
            for (relationship, inverse) in plans[object.entity].oneToOnes {
                guard let key = object.storedKey(in: relationship),
                    object.key(in: relationship) != key
                else { continue }
                try cut(inverse, to: object.objectID.key, from: [key])
            }
        }
        for object in changes.deleted {
            for relationship in plans[object.entity].relationships
            where [.nullify, .noAction].contains(relationship.deleteRule) {
                guard let inverse = model.toOneInverse(of: relationship) else { continue }
                let keys =
                    relationship.isToMany
                    ? toManys[relationship, object.objectID.key]?.stored
                    : object.storedKey(in: relationship).map { [$0] }
                try cut(inverse, to: object.objectID.key, from: keys ?? [])
            }
        }
        for (place, state) in toManys.changed(where: { !$0.removed.isEmpty }) {
            let relationship = model.relationships[place.relationship]
            // The members of a deleted owner are cut in their own rows.
            guard let inverse = model.toOneInverse(of: relationship),
                registry[model.ownerID(place)]?.isDeleted != true
            else { continue }
            try cut(inverse, to: place.owner, from: Array(state.removed))
        }
        for (place, owners) in changes.expected.owners.sorted(by: { $0.key < $1.key }) {
            let relationship = model.relationships[place.relationship]
            guard !relationship.isToMany,
                let object = loader.known(relationship, place.owner), object.isDeleted
            else { continue }
            try cut(relationship, to: object.objectID.key, from: owners)
        }
    }

    /// Cuts the stored links of objects to a destination as a change of the objects.
    private func cut(_ toOne: Relationship, to key: Int64, from owners: [Int64]) throws {
        let root = model.entities[toOne.owner].root
        for other in try loader.existingObjects(root: root, keys: owners).values
        where !other.isInserted {
            if other.storedKey(in: toOne) != key { try readAgain([other]) }
            if other.key(in: toOne) == key {
                changes.withoutJournaling { other.setSlot(toOne.slot, .null) }
            }
        }
    }
}
