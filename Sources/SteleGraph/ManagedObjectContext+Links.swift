/// Links between objects: one made or cut on one side is made or cut on the other.

import SteleModel
import StelePersistence
import StelePredicates

extension ManagedObjectContext {
    // MARK: To-one

    func toOne(_ relationship: Relationship, of object: ManagedObject) throws -> ManagedObject? {
        try check(object, has: relationship, toMany: false)
        guard let key = object.key(in: relationship) else { return nil }
        return try existingObject(with: destinationID(relationship, key))
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
        if let key, let inverse { try edit(inverse, of: key, .add(object.id.key)) }
    }

    /// Makes a one-to-one link, or ends one. All whose rows change with it are of one time before.
    private func pair(
        _ object: ManagedObject, _ relationship: Relationship, _ inverse: Relationship,
        with key: Int64?
    ) throws {
        var destination = try key.flatMap {
            try existingObject(with: destinationID(relationship, $0))
        }
        let ends = try readOldEnds(relationship, object) + readOldEnds(inverse, destination)
        try withExtendedLifetime(ends) {
            // By what was read they may be gone, or linked already.
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
            try edit(inverse, of: old, .remove(object.id.key))
            return true
        }
        guard let other = try existingObject(with: destinationID(relationship, old)),
            other.key(in: inverse) == object.id.key
        else { return false }
        other.setSlot(inverse.slot, .null)
        return true
    }

    /// A destination's to-one inverse leads to this object from now on; who had it before loses it.
    func takeOver(
        _ inverse: Relationship, of destination: ManagedObject, for object: ManagedObject,
        _ relationship: Relationship
    ) throws {
        let holder = destination.key(in: inverse)
        if holder == object.id.key { return }
        if let holder, let other = try existingObject(with: destinationID(inverse, holder)),
            other.key(in: relationship) == destination.id.key
        {
            other.setSlot(relationship.slot, .null)
        }
        destination.setSlot(inverse.slot, .key(object.id.key))
    }

    // MARK: Many

    /// Links new members, on both sides; one that is named twice once.
    func link(
        _ relationship: Relationship, _ owner: ManagedObject, _ members: [ManagedObject]
    ) throws {
        let inverse = model.inverse(of: relationship)
        if inverse == nil { try takeFromOwners(relationship, members.map(\.id.key)) }
        var seen = Set<Int64>(minimumCapacity: members.count)
        for member in members where seen.insert(member.id.key).inserted {
            if let inverse, !inverse.isToMany {
                try setToOne(inverse, of: member, owner)
                continue
            }
            try join(relationship, owner.id.key, member.id.key)
        }
    }

    /// Makes a link that is not there, on both sides, for an inverse that is not a to-one.
    func join(_ relationship: Relationship, _ owner: Int64, _ member: Int64) throws {
        if try isLinkedByNow(relationship, owner, member) == true { return }
        try edit(relationship, of: owner, .add(member))
        if relationship.inverse == nil {
            ownersMade[ToManyID(relationship: relationship.index, owner: member)] = owner
        }
        if let inverse = model.inverse(of: relationship),
            inverse.index != relationship.index || owner != member
        {
            try edit(inverse, of: member, .add(owner))
        }
        if isJournaling { journal.append(.member(relationship, owner, member, isNew: true)) }
    }

    /// Cuts a link that is there, on both sides, for an inverse that is not a to-one.
    func part(_ relationship: Relationship, _ owner: Int64, _ member: Int64) throws {
        if try isLinkedByNow(relationship, owner, member) == false { return }
        try edit(relationship, of: owner, .remove(member))
        if let inverse = model.inverse(of: relationship),
            inverse.index != relationship.index || owner != member
        {
            try edit(inverse, of: member, .remove(owner))
        }
        if isJournaling { journal.append(.member(relationship, owner, member, isNew: false)) }
    }

    /// Cuts a link that is there, on both sides; the member must be loaded where the inverse is a
    /// to-one.
    func unlink(_ relationship: Relationship, _ owner: ManagedObject, _ member: Int64) throws {
        guard let inverse = model.inverse(of: relationship), !inverse.isToMany else {
            return try part(relationship, owner.id.key, member)
        }
        try edit(relationship, of: owner.id.key, .remove(member))
        if let other = known(destinationID(relationship, member)),
            other.key(in: inverse) == owner.id.key
        {
            other.setSlot(inverse.slot, .null)
        }
    }

    /// A to-many without an inverse owns its members: who has one of these gives it up. The owners
    /// in the store are asked for with one query.
    /// - Parameter keeper: an owner who does not give them up.
    func takeFromOwners(
        _ relationship: Relationship, _ members: [Int64], keeping keeper: Int64? = nil
    ) throws {
        let saved = members.filter { key in
            key > 0
                || parent != nil
                    && known(destinationID(relationship, key))?.isInserted != true
        }
        if !saved.isEmpty {
            let owners = try snapshots(who(relationship, leadsTo: saved)).map(\.key)
            try fire(relationship, owners: owners)
            var found: [Int64: [Int64]] = [:]
            for owner in owners {
                let place = ToManyID(relationship: relationship.index, owner: owner)
                for member in toManys[place]?.stored ?? [] {
                    found[member, default: []].append(owner)
                }
            }
            for member in saved {
                let owners = found[member] ?? []
                ownersSeen[ToManyID(relationship: relationship.index, owner: member)] = owners
                for owner in owners where owner != keeper {
                    try take(member, from: owner, relationship)
                }
            }
        }
        for member in members {
            let place = ToManyID(relationship: relationship.index, owner: member)
            if let owner = ownersMade[place], owner != keeper {
                try take(member, from: owner, relationship)
            }
        }
    }

    private func take(
        _ member: Int64, from owner: Int64, _ relationship: Relationship
    ) throws {
        let place = ToManyID(relationship: relationship.index, owner: owner)
        guard toManys[place]?.contains(member) == true else { return }
        try part(relationship, owner, member)
    }

    /// Asks for the objects from which a relationship leads to any of those keys.
    func who(_ relationship: Relationship, leadsTo keys: [Int64]) -> FetchRequest {
        relationship.request(leadingTo: keys, in: model)
    }

    /// What can be done to one object's to-many.
    enum Edit {
        case add(Int64)
        case remove(Int64)
        case arrange([Int64])
    }

    /// Changes what is known of one object's to-many, loaded or not.
    ///
    /// A fault holds nothing but the difference. To be undone exactly, an order must be known, so
    /// it is read where changes are written down.
    func edit(_ relationship: Relationship, of owner: Int64, _ edit: Edit) throws {
        let place = ToManyID(relationship: relationship.index, owner: owner)
        let isOrdered = relationship.isOrdered && place != unordered
        if isOrdered && isJournaling { try notePosition(edit, relationship, owner) }
        func apply(_ state: inout ToManyState) {
            if isOrdered { state.keepOrder() }
            switch edit {
            case .add(let key): state.add(key)
            case .remove(let key): state.remove(key)
            case .arrange(let keys): state.arrange(keys)
            }
        }
        apply(&toManys[place, default: isNew(place) ? .empty : .fault])
    }

    /// Writes down where a member stood, or how all stood, before that is changed.
    private func notePosition(
        _ edit: Edit, _ relationship: Relationship, _ owner: Int64
    ) throws {
        let order = try state(relationship, of: owner).members(ordered: true)
        switch edit {
        case .add: break
        case .remove(let key):
            guard let index = order.firstIndex(of: key) else { return }
            journal.append(.position(relationship, owner, key, index))
        case .arrange: journal.append(.order(relationship, owner, order))
        }
    }

    // MARK: Checks

    func destinationID(_ relationship: Relationship, _ key: Int64) -> ObjectID {
        ObjectID(root: model.destination(of: relationship).root, key: key)
    }

    func check(
        _ object: ManagedObject, has relationship: Relationship, toMany: Bool
    ) throws {
        guard object.context === self else { throw ContextError.foreignObject }
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
    /// must know the inverse, which a subentity may have declared.
    func check(_ destination: ManagedObject, fits relationship: Relationship) throws {
        guard destination.context === self else { throw ContextError.foreignObject }
        try checkAlive(destination)
        let asked = model.destination(of: relationship)
        let knower = model.inverse(of: relationship).map { model.entities[$0.owner] } ?? asked
        guard asked.isKind(destination.entity.index), knower.isKind(destination.entity.index)
        else {
            throw ContextError.wrongDestination(
                relationship: relationship.name, asked: asked.name,
                given: destination.entity.name)
        }
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
