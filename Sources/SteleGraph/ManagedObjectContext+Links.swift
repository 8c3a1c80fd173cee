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
        let old = object.key(in: relationship)
        if old == destination?.id.key { return }
        if let old { try cutInverse(of: relationship, from: object, to: old) }
        object.setSlot(relationship.slot, destination.map { .key($0.id.key) } ?? .null)
        guard let destination, let inverse = model.inverse(of: relationship) else { return }
        if inverse.isToMany {
            edit(inverse, of: destination.id.key) { $0.add(object.id.key) }
        } else {
            try takeOver(inverse, of: destination, for: object, relationship)
        }
    }

    /// The other side of a to-one link that is about to end.
    func cutInverse(
        of relationship: Relationship, from object: ManagedObject, to old: Int64
    ) throws {
        guard let inverse = model.inverse(of: relationship) else { return }
        if inverse.isToMany {
            edit(inverse, of: old) { $0.remove(object.id.key) }
        } else if let other = try existingObject(with: destinationID(relationship, old)),
            other.key(in: inverse) == object.id.key
        {
            other.setSlot(inverse.slot, .null)
        }
    }

    /// A destination's to-one inverse leads to this object from now on; who had it before loses it.
    private func takeOver(
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
            edit(relationship, of: owner.id.key) { $0.add(member.id.key) }
            if inverse == nil {
                let place = ToManyID(relationship: relationship.index, owner: member.id.key)
                ownersMade[place] = owner.id.key
            }
            if let inverse, inverse.index != relationship.index || owner !== member {
                edit(inverse, of: member.id.key) { $0.add(owner.id.key) }
            }
        }
    }

    /// Cuts a link that is there, on both sides; the member must be loaded where the inverse is a
    /// to-one.
    func unlink(_ relationship: Relationship, _ owner: ManagedObject, _ member: Int64) throws {
        edit(relationship, of: owner.id.key) { $0.remove(member) }
        guard let inverse = model.inverse(of: relationship) else { return }
        if inverse.isToMany {
            if inverse.index != relationship.index || owner.id.key != member {
                edit(inverse, of: member) { $0.remove(owner.id.key) }
            }
        } else if let other = registered[destinationID(relationship, member)],
            other.key(in: inverse) == owner.id.key
        {
            other.setSlot(inverse.slot, .null)
        }
    }

    /// A to-many without an inverse owns its members: who has one of these gives it up. The owners
    /// in the store are asked for with one query.
    func takeFromOwners(_ relationship: Relationship, _ members: [Int64]) throws {
        let saved = members.filter { $0 > 0 }
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
                for owner in owners { take(member, from: owner, relationship) }
            }
        }
        for member in members {
            let place = ToManyID(relationship: relationship.index, owner: member)
            if let owner = ownersMade[place] { take(member, from: owner, relationship) }
        }
    }

    private func take(_ member: Int64, from owner: Int64, _ relationship: Relationship) {
        let place = ToManyID(relationship: relationship.index, owner: owner)
        guard toManys[place]?.contains(member) == true else { return }
        edit(relationship, of: owner) { $0.remove(member) }
    }

    /// Asks for the objects from which a relationship leads to any of those keys.
    func who(_ relationship: Relationship, leadsTo keys: [Int64]) -> FetchRequest {
        var request = FetchRequest(entity: model.entities[relationship.owner])
        let list = Expression.aggregate(keys.map { .constant(.key($0)) })
        request.predicate = .comparison(
            relationship.isToMany
                ? Comparison(.key(relationship.name), .in, list, modifier: .any)
                : Comparison(.key(relationship.name), .in, list))
        return request
    }

    /// Changes what is known of one object's to-many, loaded or not.
    func edit(
        _ relationship: Relationship, of owner: Int64, _ change: (inout ToManyState) -> Void
    ) {
        let place = ToManyID(relationship: relationship.index, owner: owner)
        let isOrdered = relationship.isOrdered
        func apply(_ state: inout ToManyState) {
            if isOrdered { state.keepOrder() }
            change(&state)
        }
        apply(&toManys[place, default: owner < 0 ? .empty : .fault])
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
        guard entity.slots.indices.contains(toOne.slot), values.indices.contains(toOne.slot),
            case .relationship(let own) = entity.slots[toOne.slot], own === toOne,
            case .key(let key) = values[toOne.slot]
        else { return nil }
        return key
    }
}
