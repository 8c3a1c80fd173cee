import SteleModel
import StelePersistence

/// Keeps both sides of relationships consistent. The values of to-one relationships are in the
/// objects' slots, those of to-many relationships in `ToManyRelationships`.
final class RelationshipMaintenance: LoaderPart {
    let loader: ObjectLoader
    let toManys: ToManyRelationships
    /// For to-many relationships without an inverse, the owner to which an object was added here,
    /// by the object's key.
    private(set) var ownersMade: [ToManyID: Int64] = [:]

    init(_ loader: ObjectLoader) {
        self.loader = loader
        toManys = ToManyRelationships(loader)
    }

    /// Applies unsaved changes to newer rows. A link whose ends were read at different times is
    /// read again before it changes.
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
        try leadToOne(relationship, of: object, to: destination?.objectID.key)
    }

    /// Sets a to-one relationship without checking that the destination exists. If the inverse is a
    /// to-one relationship, a missing destination is treated as nil.
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
        if let key, let inverse { try toManys.edit(inverse, of: key, .add(object.objectID.key)) }
    }

    /// Sets or ends a one-to-one link. All rows that change are read in one view.
    private func pair(
        _ object: ManagedObject, _ relationship: Relationship, _ inverse: Relationship,
        with key: Int64?
    ) throws {
        var destination = try key.flatMap {
            try loader.destination(relationship, $0)
        }
        let ends = try readOldEnds(relationship, object) + readOldEnds(inverse, destination)
        try withExtendedLifetime(ends) {
            // The objects may have been deleted or linked according to the rows just read.
            if object.isDeleted { return }
            if destination?.isDeleted == true { destination = nil }
            let old = object.key(in: relationship)
            if old == destination?.objectID.key { return }
            if let old { try cutInverse(of: relationship, from: object, to: old) }
            object.setSlot(relationship.slot, destination.map { .key($0.objectID.key) } ?? .null)
            if let destination {
                try takeOver(inverse, of: destination, for: object, relationship)
            }
        }
    }

    /// Removes the other side of a to-one link that is about to end.
    /// - Returns: whether the other side had the link.
    @discardableResult
    func cutInverse(
        of relationship: Relationship, from object: ManagedObject, to old: Int64
    ) throws -> Bool {
        guard let inverse = model.inverse(of: relationship) else { return false }
        if inverse.isToMany {
            try toManys.edit(inverse, of: old, .remove(object.objectID.key))
            return true
        }
        guard let other = try loader.destination(relationship, old),
            other.key(in: inverse) == object.objectID.key
        else { return false }
        other.setSlot(inverse.slot, .null)
        return true
    }

    /// Sets a destination's to-one inverse to the object. The inverse's former destination loses
    /// its link.
    func takeOver(
        _ inverse: Relationship, of destination: ManagedObject, for object: ManagedObject,
        _ relationship: Relationship
    ) throws {
        let holder = destination.key(in: inverse)
        if holder == object.objectID.key { return }
        if let holder, let other = try loader.destination(inverse, holder),
            other.key(in: relationship) == destination.objectID.key
        {
            other.setSlot(relationship.slot, .null)
        }
        destination.setSlot(inverse.slot, .key(object.objectID.key))
    }

    /// Sets a slot; for a to-one relationship, both sides of the link.
    func put(_ value: Value, _ slot: Int, _ object: ManagedObject) throws {
        guard case .relationship(let toOne) = object.entity.slots[slot] else {
            return object.setSlot(slot, value)
        }
        guard case .key(let key) = value else { return try setToOne(toOne, of: object, nil) }
        try setToOne(toOne, of: object, try loader.destination(toOne, key))
    }

    /// Resets a slot to the value that was read. For a one-to-one link made here, both ends are
    /// reset: the object that was unlinked for it is linked again if it has no other link. If the
    /// row at the other end does not have the link, one of the rows is outdated and no link is
    /// made. An object that is a stored member of a to-many relationship, although its own row is
    /// outdated, keeps its position there.
    func putBack(_ value: Value, _ slot: Int, _ object: ManagedObject) throws {
        guard case .relationship(let toOne) = object.entity.slots[slot],
            let inverse = model.inverse(of: toOne)
        else { return try put(value, slot, object) }
        if inverse.isToMany {
            if let key = object.key(in: toOne), object.storedKey(in: toOne) != key,
                toManys[inverse, key]?.isStored(object.objectID.key) == true
            {
                object.setSlot(slot, .null)
            }
            return try put(value, slot, object)
        }
        let made = try object.key(in: toOne).flatMap {
            try loader.destination(toOne, $0)
        }
        object.setSlot(slot, .null)
        if let made, made.key(in: inverse) == object.objectID.key,
            made.storedKey(in: inverse) != object.objectID.key
        {
            made.setSlot(inverse.slot, .null)
            if let key = made.storedKey(in: inverse),
                let left = try loader.destination(inverse, key),
                left.storedKey(in: toOne) == made.objectID.key, left.key(in: toOne) == nil
            {
                try setToOne(toOne, of: left, made)
            }
        }
        guard case .key(let key) = value,
            let other = try loader.destination(toOne, key),
            other.storedKey(in: inverse) == object.objectID.key
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
            throw ContextError.deleted(entity: object.entity.name, key: object.objectID.key)
        }
    }

    /// Checks that a destination belongs to this context, is not deleted, and is of the
    /// relationship's entity. Its entity must have the inverse, which a subentity may have
    /// declared.
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

    /// Records the owner of a member of a to-many relationship without an inverse.
    func noteOwner(_ owner: Int64, of member: Int64, _ relationship: Relationship) {
        ownersMade[ToManyID(relationship, member)] = owner
    }

    /// Removes members that were added to an owner here from their current owners.
    func takeFromOwnersAgain() throws {
        let made = toManys.changed { !$0.added.isEmpty }
        for (place, state) in made {
            let relationship = model.relationships[place.relationship]
            if relationship.inverse != nil { continue }
            try takeFromOwners(relationship, Array(state.added), keeping: place.owner)
        }
    }

    // MARK: State

    /// Replaces temporary keys with permanent ones.
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
    /// The key in the slot of a to-one relationship; nil if the object's entity does not have the
    /// relationship.
    func key(in toOne: Relationship) -> Int64? {
        guard entity.slots.indices.contains(toOne.slot),
            case .relationship(let own) = entity.slots[toOne.slot], own === toOne,
            case .key(let key) = value(toOne.slot)
        else { return nil }
        return key
    }

    /// The stored key of a to-one relationship; nil for a new object and a fault.
    func storedKey(in toOne: Relationship) -> Int64? {
        guard let before, before.values.indices.contains(toOne.slot),
            case .relationship(let own) = entity.slots[toOne.slot], own === toOne,
            case .key(let key) = before.values[toOne.slot]
        else { return nil }
        return key
    }
}
