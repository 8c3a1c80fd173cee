/// Links between objects: one made or cut on one side is made or cut on the other.

import SteleModel
import StelePersistence

/// Keeps both sides of relationships alike. To-ones stand in the objects' slots, to-manys in
/// `ToManyRelationships`.
final class RelationshipMaintenance: LoaderPart {
    let loader: ObjectLoader
    let toManys: ToManyRelationships
    /// Of to-manys without an inverse: the owner that an object was given here, by the object's
    /// key.
    private(set) var ownersMade: [ToManyID: Int64] = [:]

    init(_ loader: ObjectLoader) {
        self.loader = loader
        toManys = ToManyRelationships(loader)
    }

    /// Unsaved changes on newer rows. A link whose two ends were read at different times is read
    /// again before it changes, so the two know each other.
    var rebasing: Rebasing { Rebasing(self) }

    // MARK: To-one

    func toOne(_ relationship: Relationship, of object: ManagedObject) throws -> ManagedObject? {
        try check(object, has: relationship, toMany: false)
        guard let key = object.key(in: relationship) else { return nil }
        return try loader.destination(relationship, key)
    }

    func setToOne(
        _ relationship: Relationship, of object: ManagedObject, _ destination: ManagedObject?
    ) throws {
        try check(object, has: relationship, toMany: false)
        try checkAlive(object)
        if let destination { try check(destination, fits: relationship) }
        try leadToOne(relationship, of: object, to: destination?.id.key)
    }

    /// As `setToOne`, without asking whether the destination is there. Where the inverse is a
    /// to-one, too, a destination that is not there is none.
    func leadToOne(
        _ relationship: Relationship, of object: ManagedObject, to key: Int64?
    ) throws {
        let old = object.key(in: relationship)
        if old == key { return }
        let inverse = model.inverse(of: relationship)
        if let inverse, !inverse.isToMany {
            return try pair(object, relationship, inverse, with: key)
        }
        if let old { try cutInverse(of: relationship, from: object, to: old) }
        object.setSlot(relationship.slot, key.map { .key($0) } ?? .null)
        if let key, let inverse { try toManys.edit(inverse, of: key, .add(object.id.key)) }
    }

    /// Makes a one-to-one link, or ends one. All rows that change with it are read at one time.
    private func pair(
        _ object: ManagedObject, _ relationship: Relationship, _ inverse: Relationship,
        with key: Int64?
    ) throws {
        var destination = try key.flatMap {
            try loader.destination(relationship, $0)
        }
        let ends = try readOldEnds(relationship, object) + readOldEnds(inverse, destination)
        try withExtendedLifetime(ends) {
            // What was read may say that they are gone, or linked already.
            if object.isDeleted { return }
            if destination?.isDeleted == true { destination = nil }
            let old = object.key(in: relationship)
            if old == destination?.id.key { return }
            if let old { try cutInverse(of: relationship, from: object, to: old) }
            object.setSlot(relationship.slot, destination.map { .key($0.id.key) } ?? .null)
            if let destination {
                try takeOver(inverse, of: destination, for: object, relationship)
            }
        }
    }

    /// The other side of a to-one link that is about to end.
    /// - Returns: whether that side knew of it.
    @discardableResult
    func cutInverse(
        of relationship: Relationship, from object: ManagedObject, to old: Int64
    ) throws -> Bool {
        guard let inverse = model.inverse(of: relationship) else { return false }
        if inverse.isToMany {
            try toManys.edit(inverse, of: old, .remove(object.id.key))
            return true
        }
        guard let other = try loader.destination(relationship, old),
            other.key(in: inverse) == object.id.key
        else { return false }
        other.setSlot(inverse.slot, .null)
        return true
    }

    /// A destination's to-one inverse leads to this object from now on; the object that it led to
    /// before has no destination.
    func takeOver(
        _ inverse: Relationship, of destination: ManagedObject, for object: ManagedObject,
        _ relationship: Relationship
    ) throws {
        let holder = destination.key(in: inverse)
        if holder == object.id.key { return }
        if let holder, let other = try loader.destination(inverse, holder),
            other.key(in: relationship) == destination.id.key
        {
            other.setSlot(relationship.slot, .null)
        }
        destination.setSlot(inverse.slot, .key(object.id.key))
    }

    /// Sets a slot, a to-one with its inverse.
    func put(_ value: Value, _ slot: Int, _ object: ManagedObject) throws {
        guard case .relationship(let toOne) = object.entity.slots[slot] else {
            return object.setSlot(slot, value)
        }
        guard case .key(let key) = value else { return try setToOne(toOne, of: object, nil) }
        try setToOne(toOne, of: object, try loader.destination(toOne, key))
    }

    /// Sets a slot to what was read. Of a one-to-one link that was made here both ends go back: the
    /// object that was parted for it is linked again where it has no other link by now. Where the
    /// row at the other end does not have the link, one of the two is older, and no link is made.
    /// An object that the store has in a to-many already, while its own row is older, keeps its
    /// place there.
    func putBack(_ value: Value, _ slot: Int, _ object: ManagedObject) throws {
        guard case .relationship(let toOne) = object.entity.slots[slot],
            let inverse = model.inverse(of: toOne)
        else { return try put(value, slot, object) }
        if inverse.isToMany {
            if let key = object.key(in: toOne), object.storedKey(in: toOne) != key,
                toManys[inverse, key]?.isStored(object.id.key) == true
            {
                object.setSlot(slot, .null)
            }
            return try put(value, slot, object)
        }
        let made = try object.key(in: toOne).flatMap {
            try loader.destination(toOne, $0)
        }
        object.setSlot(slot, .null)
        if let made, made.key(in: inverse) == object.id.key,
            made.storedKey(in: inverse) != object.id.key
        {
            made.setSlot(inverse.slot, .null)
            if let key = made.storedKey(in: inverse),
                let left = try loader.destination(inverse, key),
                left.storedKey(in: toOne) == made.id.key, left.key(in: toOne) == nil
            {
                try setToOne(toOne, of: left, made)
            }
        }
        guard case .key(let key) = value,
            let other = try loader.destination(toOne, key),
            other.storedKey(in: inverse) == object.id.key
        else { return }
        try setToOne(toOne, of: object, other)
    }

    // MARK: Checks

    func check(
        _ object: ManagedObject, has relationship: Relationship, toMany: Bool
    ) throws {
        guard relationship.isToMany == toMany,
            model.entities[relationship.owner].isKind(object.entity.index)
        else {
            throw ContextError.noSuchRelationship(
                entity: object.entity.name, relationship: relationship.name)
        }
    }

    func checkAlive(_ object: ManagedObject) throws {
        guard !object.isDeleted else {
            throw ContextError.deleted(entity: object.entity.name, key: object.id.key)
        }
    }

    /// A destination must be of this context, alive, and of the relationship's entity; its entity
    /// must have the inverse, which a subentity may have declared.
    func check(_ destination: ManagedObject, fits relationship: Relationship) throws {
        guard loader.owns(destination) else { throw ContextError.foreignObject }
        try checkAlive(destination)
        let asked = model.destination(of: relationship)
        let declaring = model.inverse(of: relationship).map { model.entities[$0.owner] } ?? asked
        guard asked.isKind(destination.entity.index), declaring.isKind(destination.entity.index)
        else {
            throw ContextError.wrongDestination(
                relationship: relationship.name, asked: asked.name,
                given: destination.entity.name)
        }
    }

    // MARK: Owners

    /// A member of a to-many without an inverse was given an owner here.
    func noteOwner(_ owner: Int64, of member: Int64, _ relationship: Relationship) {
        ownersMade[ToManyID(relationship, member)] = owner
    }

    /// Members that were given to an owner here are taken from the owners that they have by now.
    func takeFromOwnersAgain() throws {
        let made = toManys.changed { !$0.added.isEmpty }
        for (place, state) in made {
            let relationship = model.relationships[place.relationship]
            if relationship.inverse != nil { continue }
            try takeFromOwners(relationship, Array(state.added), keeping: place.owner)
        }
    }

    // MARK: State

    /// Puts permanent keys in the place of temporary ones.
    func rename(_ keys: KeyRenaming, _ permanent: PermanentKeys) {
        toManys.rename(permanent)
        ownersMade = keys.renamed(ownersMade) { $1($0) }
        changes.expected.owners = keys.renamed(changes.expected.owners) { $0.map($1) }
    }

    func removeAll() {
        toManys.removeAll()
        ownersMade = [:]
    }
}

extension ManagedObject {
    /// The key in a to-one's slot; nil where the object's entity does not have that relationship.
    func key(in toOne: Relationship) -> Int64? {
        guard entity.slots.indices.contains(toOne.slot),
            case .relationship(let own) = entity.slots[toOne.slot], own === toOne,
            case .key(let key) = value(toOne.slot)
        else { return nil }
        return key
    }

    /// The key in a to-one's slot as it was read; nil for a new object and a fault, too.
    func storedKey(in toOne: Relationship) -> Int64? {
        guard let before, before.values.indices.contains(toOne.slot),
            case .relationship(let own) = entity.slots[toOne.slot], own === toOne,
            case .key(let key) = before.values[toOne.slot]
        else { return nil }
        return key
    }
}
