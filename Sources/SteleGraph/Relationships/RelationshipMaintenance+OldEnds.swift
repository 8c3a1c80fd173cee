/// Links whose two ends were read at different times: no save leaves one end of them in the store.

import SteleModel
import StelePersistence

extension RelationshipMaintenance {
    /// Where the rows at the two ends of a one-to-one link do not agree, one of them is older, and
    /// changing the link would leave one end of it in the store. Both are read again before that;
    /// an object with changes is not, for its version tells at the save that it is old.
    /// - Parameter object: one end of the link that is about to change, if there is any.
    /// - Returns: the other end, to be held until it is changed.
    func readOldEnds(
        _ relationship: Relationship, _ object: ManagedObject?
    ) throws -> [ManagedObject] {
        guard let object, let inverse = model.inverse(of: relationship),
            let key = object.storedKey(in: relationship), object.key(in: relationship) == key,
            let other = try loader.destination(relationship, key)
        else { return [] }
        if !other.isInserted, other.storedKey(in: inverse) != object.id.key {
            try readAgain([object, other])
        }
        return [other]
    }

    /// An object that was brought back leads to another by its row as it was read. Where what was
    /// read of the other end does not agree, one of the two is older, and the link is no change of
    /// this context: both are read again.
    /// - Returns: whether one is older.
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

    /// As `readIfOld`, of a link that is about to be made again: only the end whose row has it is
    /// set to what it was.
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
            other.key(in: inverse) != object.id.key
        else { return false }
        return try disagree(other, inverse, object.id.key)
            && comesBackOld(other, inverse, object.id.key)
    }

    /// Whether an object has a link by its row as it was read, and what was read of the other end
    /// does not say so. A fault says nothing.
    private func disagree(
        _ object: ManagedObject, _ relationship: Relationship, _ key: Int64
    ) throws -> Bool {
        guard object.storedKey(in: relationship) == key,
            let inverse = model.inverse(of: relationship),
            let other = try loader.destination(relationship, key),
            !other.isInserted
        else { return false }
        if !inverse.isToMany { return other.storedKey(in: inverse) != object.id.key }
        return toManys[inverse, key]?.isStored(object.id.key) == false
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

    /// The slots of one-to-one links that were made here from their other ends, where the object
    /// was linked so already by its row as it was read: they are changes of it all the same.
    func slotsLinkedAgain(_ object: ManagedObject) -> [Int] {
        plans[object.entity].oneToOnes.compactMap { relationship, inverse in
            guard let key = object.key(in: relationship),
                object.storedKey(in: relationship) == key,
                let other = loader.known(relationship, key),
                !other.isInserted, !other.isDeleted,
                other.key(in: inverse) == object.id.key,
                other.storedKey(in: inverse) != object.id.key
            else { return nil }
            return relationship.slot
        }
    }

    /// Where what was read of two to-manys does not agree on a link between them, one is older: the
    /// store is asked before that link changes, and both have it as it is there. Neither has a
    /// change of it, for changes are made to both as soon as one is read.
    /// - Returns: whether it is there; nil where they agree.
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

    /// Reads again those of these objects, and of the objects linked with them, that have no
    /// changes in their rows.
    func readAgain(_ objects: [ManagedObject]) throws {
        let unchanged = objects.filter {
            !$0.isFault && !$0.isInserted && !$0.isDeleted && changes.storedChanges(of: $0).isEmpty
        }
        if unchanged.isEmpty { return }
        let changed = Set(
            changes.touched.filter { !changes.storedChanges(of: $0).isEmpty }.map(\.id))
        try changes.withoutJournaling {
            try view.inOneView { try rebasing.merge(into: unchanged, besides: changed) }
        }
    }

    /// An object that was linked here, and was linked so already by an older row of its own, would
    /// not be part of the save. It is read again, and has the link as a change: at both ends of a
    /// one-to-one link, and in its own row where it is a member.
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
                // Members that were read again have lost their places.
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
        // A new object has no older row at the other end; one that is inserted again may have.
        let again = changes.inserted.filter { !$0.id.isTemporary }
        for object in again + changes.touched where !object.isDeleted {
            for (relationship, inverse) in plans[object.entity].oneToOnes {
                guard let key = object.key(in: relationship),
                    object.storedKey(in: relationship) != key,
                    let other = try loader.destination(relationship, key),
                    !other.isInserted
                else { continue }
                if other.storedKey(in: inverse) == object.id.key { try readAgain([other]) }
                if other.isDeleted || object.key(in: relationship) != key { continue }
                try changes.withoutJournaling {
                    try takeOver(inverse, of: other, for: object, relationship)
                }
            }
        }
    }

    /// An object that had changes when a link of it was cut from the other end, and has none by
    /// now, is not part of the save, and no version tells that it is old. It is read again, and the
    /// link is cut in its row. So it is with an object that has left what it was linked to here,
    /// and was linked there by another save meanwhile.
    func leaveCutLinks() throws {
        for object in changes.touched where !object.isDeleted {
            for (relationship, inverse) in plans[object.entity].oneToOnes {
                guard let key = object.storedKey(in: relationship),
                    object.key(in: relationship) != key
                else { continue }
                try cut(inverse, to: object.id.key, from: [key])
            }
        }
        for object in changes.deleted {
            for relationship in plans[object.entity].relationships
            where [.nullify, .noAction].contains(relationship.deleteRule) {
                guard let inverse = model.toOneInverse(of: relationship) else { continue }
                let keys =
                    relationship.isToMany
                    ? toManys[relationship, object.id.key]?.stored
                    : object.storedKey(in: relationship).map { [$0] }
                try cut(inverse, to: object.id.key, from: keys ?? [])
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
            try cut(relationship, to: object.id.key, from: owners)
        }
    }

    /// Objects that led to one in the store, and do not here, have that as a change.
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
