/// Links whose two ends were read at different times: no save leaves one end of them in the store.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// Where the rows at the two ends of a one-to-one link do not say the same of it, one of them is
    /// older: changing the link would leave one end of it in the store. Both are read again before
    /// that. Who has changes is not: that he is old his version tells when he is saved.
    /// - Parameter object: one end of the link that is about to change, if there is any.
    /// - Returns: the other end, to be held until it is changed.
    func readOldEnds(
        _ relationship: Relationship, _ object: ManagedObject?
    ) throws -> [ManagedObject] {
        guard let object, let inverse = model.inverse(of: relationship),
            let key = object.storedKey(in: relationship), object.key(in: relationship) == key,
            let other = try existingObject(with: destinationID(relationship, key))
        else { return [] }
        if !other.isInserted, other.storedKey(in: inverse) != object.id.key {
            try readAgain([object, other])
        }
        return [other]
    }

    /// An object that is back where it was leads to another by its row as it was read. Where what was
    /// read of the other end does not say so, one of the two is older, and the link is not this
    /// context's to make: both are read again.
    /// - Returns: whether one is older.
    func readIfOld(
        _ object: ManagedObject, _ relationship: Relationship, _ key: Int64
    ) throws -> Bool {
        if let inverse = model.inverse(of: relationship), inverse.isToMany {
            try fire(inverse, owners: [key])
        }
        guard try disagree(object, relationship, key) else { return false }
        try readEnds(object, relationship, key)
        return true
    }

    /// As `readIfOld`, of a link that is about to come back: whichever end has it by its row is
    /// where it was, and no more.
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
        guard let inverse = model.inverse(of: relationship), !inverse.isToMany,
            let other = try existingObject(with: destinationID(relationship, key)),
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
            let other = try existingObject(with: destinationID(relationship, key)),
            !other.isInserted
        else { return false }
        if !inverse.isToMany { return other.storedKey(in: inverse) != object.id.key }
        let place = ToManyID(relationship: inverse.index, owner: key)
        return toManys[place]?.isStored(object.id.key) == false
    }

    private func readEnds(
        _ object: ManagedObject, _ relationship: Relationship, _ key: Int64
    ) throws {
        guard let inverse = model.inverse(of: relationship), inverse.isToMany else {
            let other = known(destinationID(relationship, key))
            return try readAgain([object] + (other.map { [$0] } ?? []))
        }
        try readAgain([object])
        try withoutJournaling { try refire(inverse, owners: [key]) }
    }

    /// The slots of one-to-one links that were made here from their other ends, where the object
    /// was linked so already by its row as it was read: they are changes of it all the same.
    func slotsLinkedAgain(_ object: ManagedObject) -> [Int] {
        plan(object.entity).oneToOnes.compactMap { relationship, inverse in
            guard let key = object.key(in: relationship),
                object.storedKey(in: relationship) == key,
                let other = known(destinationID(relationship, key)),
                !other.isInserted, !other.isDeleted,
                other.key(in: inverse) == object.id.key,
                other.storedKey(in: inverse) != object.id.key
            else { return nil }
            return relationship.slot
        }
    }

    /// Where what was read of two to-manys does not say the same of a link between them, one is
    /// older: the store is asked before that link changes, and both have it as it is there. Neither
    /// has a change of it, for of that they tell each other as soon as one is read.
    /// - Returns: whether it is there; nil where they agree.
    func isLinkedByNow(
        _ relationship: Relationship, _ owner: Int64, _ member: Int64
    ) throws -> Bool? {
        guard let inverse = model.inverse(of: relationship), inverse.isToMany else { return nil }
        let place = ToManyID(relationship: relationship.index, owner: owner)
        let other = ToManyID(relationship: inverse.index, owner: member)
        guard let here = toManys[place]?.isStored(member),
            let there = toManys[other]?.isStored(owner), here != there
        else { return nil }
        let members = try memberKeys(of: relationship, owners: [owner])[owner] ?? []
        let isLinked = members.contains(member)
        toManys[place]?.rebase(member, isStored: isLinked, isWanted: isLinked)
        toManys[other]?.rebase(owner, isStored: isLinked, isWanted: isLinked)
        return isLinked
    }

    /// Reads those of these objects again, and of who is linked with them, that have no changes in
    /// their rows.
    func readAgain(_ objects: [ManagedObject]) throws {
        let unchanged = objects.filter {
            !$0.isFault && !$0.isInserted && !$0.isDeleted && storedChanges($0).isEmpty
        }
        if unchanged.isEmpty { return }
        let changed = Set(touched.lazy.filter { !self.storedChanges($0).isEmpty }.map(\.id))
        try withoutJournaling {
            try inOneView { try merge(into: unchanged, besides: changed) }
        }
    }

    /// Who has come to an object here, and was linked so by an older row, is not part of the save. He
    /// is read again, and has the link as a change: at both ends of a one-to-one link, and in his own
    /// row where he is a member.
    func completeMadeLinks() throws {
        try completeOneToOnes()
        let joined = toManys.filter { !$0.value.added.isEmpty }
        for (place, state) in joined.sorted(by: { $0.key < $1.key }) {
            let relationship = model.relationships[place.relationship]
            guard let inverse = model.inverse(of: relationship), !inverse.isToMany else { continue }
            let old = state.added.compactMap { known(destinationID(relationship, $0)) }.filter {
                !$0.isInserted && !$0.isDeleted && $0.key(in: inverse) == place.owner
                    && $0.storedKey(in: inverse) == place.owner
            }
            if old.isEmpty { continue }
            try readAgain(old)
            try withoutJournaling {
                for member in old where !member.isDeleted {
                    try leadToOne(inverse, of: member, to: place.owner)
                }
                // Who was read again has lost his place.
                if relationship.isOrdered, let now = toManys[place]?.members(ordered: true) {
                    let order = now.arranged(as: state.members(ordered: true))
                    if order != now { try edit(relationship, of: place.owner, .arrange(order)) }
                }
            }
        }
    }

    private func completeOneToOnes() throws {
        // Who is new has no older row at the other end; who is inserted again may have.
        let again = inserted.filter { !$0.id.isTemporary }
        for object in again + touched where !object.isDeleted {
            for (relationship, inverse) in plan(object.entity).oneToOnes {
                guard let key = object.key(in: relationship),
                    object.storedKey(in: relationship) != key,
                    let other = try existingObject(with: destinationID(relationship, key)),
                    !other.isInserted
                else { continue }
                if other.storedKey(in: inverse) == object.id.key { try readAgain([other]) }
                if other.isDeleted || object.key(in: relationship) != key { continue }
                try withoutJournaling {
                    try takeOver(inverse, of: other, for: object, relationship)
                }
            }
        }
    }

    /// Who had changes when a link of his was cut from its other end, and has none by now, is not
    /// part of the save, and no version tells that he is old. He is read again and lets go. Nor has
    /// he a change who left what he came to here, and others had brought him there meanwhile.
    func leaveCutLinks() throws {
        for object in touched where !object.isDeleted {
            for (relationship, inverse) in plan(object.entity).oneToOnes {
                guard let key = object.storedKey(in: relationship),
                    object.key(in: relationship) != key
                else { continue }
                try leave(object.id.key, inverse, destinationID(relationship, key).root, [key])
            }
        }
        for object in deleted {
            for relationship in plan(object.entity).relationships
            where [.nullify, .noAction].contains(relationship.deleteRule) {
                guard let inverse = model.inverse(of: relationship), !inverse.isToMany else {
                    continue
                }
                let place = ToManyID(relationship: relationship.index, owner: object.id.key)
                let keys =
                    relationship.isToMany
                    ? toManys[place]?.stored : object.storedKey(in: relationship).map { [$0] }
                let root = model.destination(of: relationship).root
                try leave(object.id.key, inverse, root, keys ?? [])
            }
        }
        let shortened = toManys.filter { !$0.value.removed.isEmpty }
        for (place, state) in shortened.sorted(by: { $0.key < $1.key }) {
            let relationship = model.relationships[place.relationship]
            // Whoever holds the owner: his members are taken from him by their own rows.
            guard let inverse = model.inverse(of: relationship), !inverse.isToMany,
                known(ownerID(place))?.isDeleted != true
            else { continue }
            let root = model.destination(of: relationship).root
            try leave(place.owner, inverse, root, Array(state.removed))
        }
        for (place, owners) in ownersSeen.sorted(by: { $0.key < $1.key }) {
            let relationship = model.relationships[place.relationship]
            guard !relationship.isToMany,
                let object = known(destinationID(relationship, place.owner)), object.isDeleted
            else { continue }
            try leave(
                object.id.key, relationship, model.entities[relationship.owner].root, owners)
        }
    }

    /// Those who led to an object in the store, and do not lead there here, have that as a change.
    private func leave(
        _ left: Int64, _ toOne: Relationship, _ root: Int, _ keys: [Int64]
    ) throws {
        for other in try existingObjects(root: root, keys: keys).values where !other.isInserted {
            if other.storedKey(in: toOne) != left { try readAgain([other]) }
            if other.key(in: toOne) == left {
                withoutJournaling { other.setSlot(toOne.slot, .null) }
            }
        }
    }
}
