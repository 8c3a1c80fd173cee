import SteleModel
import StelePersistence
import StelePredicates

extension RelationshipMaintenance {
    func memberKeys(_ relationship: Relationship, of object: ManagedObject) throws -> [Int64] {
        try check(object, has: relationship, toMany: true)
        let keys = try toManys.state(relationship, of: object.objectID.key)
            .members(ordered: relationship.isOrdered)
        if !changes.hasDeletions { return keys }
        return keys.filter { loader.known(relationship, $0)?.isDeleted != true }
    }

    func members(
        _ relationship: Relationship, of object: ManagedObject
    ) throws -> [ManagedObject] {
        let keys = try memberKeys(relationship, of: object)
        let found = try loader.destinations(relationship, keys)
        return keys.compactMap { found[$0] }
    }

    func hasMember(
        _ relationship: Relationship, of object: ManagedObject, key: Int64
    ) throws -> Bool {
        try check(object, has: relationship, toMany: true)
        let id = model.destinationID(relationship, key)
        if registry[id]?.isDeleted == true { return false }
        guard let inverse = model.toOneInverse(of: relationship) else {
            return try toManys.state(relationship, of: object.objectID.key).contains(key)
        }
        // The member's own row has the link.
        guard let member = try loader.existingObject(with: id),
            model.entities[inverse.owner].isKind(member.entity.index)
        else { return false }
        return member.key(in: inverse) == object.objectID.key
    }

    func setMembers(
        _ relationship: Relationship, of object: ManagedObject, _ members: [ManagedObject]
    ) throws {
        try check(object, has: relationship, toMany: true)
        try checkAlive(object)
        for member in members { try check(member, fits: relationship) }
        let owner = object.objectID.key
        let current = try toManys.state(relationship, of: owner)
            .members(ordered: relationship.isOrdered)
        var wanted: [Int64] = []
        var seen = Set<Int64>(minimumCapacity: members.count)
        for member in members where seen.insert(member.objectID.key).inserted {
            wanted.append(member.objectID.key)
        }
        let gone = current.filter { !seen.contains($0) }
        var leavers: [Int64: ManagedObject] = [:]
        if model.toOneInverse(of: relationship) != nil {
            leavers = try loader.destinations(relationship, gone)
        }
        let present = Set(current)
        let come = members.filter { !present.contains($0.objectID.key) }
        try withExtendedLifetime(leavers) {
            try toManys.leavingOrder(relationship, of: owner, standing: current) {
                for key in gone { try unlink(relationship, object, key) }
                try link(relationship, object, come)
            }
        }
        if relationship.isOrdered { try toManys.edit(relationship, of: owner, .arrange(wanted)) }
        toManys.expect(relationship, of: owner)
    }

    /// Adds members. With an index, all of them are placed consecutively from it in an ordered
    /// relationship, including existing members. Without one, new members are appended and existing
    /// ones keep their positions.
    func addMembers(
        _ relationship: Relationship, of object: ManagedObject, _ members: [ManagedObject],
        at index: Int?
    ) throws {
        try check(object, has: relationship, toMany: true)
        try checkAlive(object)
        for member in members { try check(member, fits: relationship) }
        let come = try members.filter {
            try !hasMember(relationship, of: object, key: $0.objectID.key)
        }
        try link(relationship, object, come)
        guard relationship.isOrdered, let index, !members.isEmpty else { return }
        var named = Set<Int64>(minimumCapacity: members.count)
        let some = members.map(\.objectID.key).filter { named.insert($0).inserted }
        let rest = try toManys.state(relationship, of: object.objectID.key).members(ordered: true)
            .filter { !named.contains($0) }
        let place = min(max(0, index), rest.count)
        try toManys.edit(
            relationship, of: object.objectID.key, .arrange(rest[..<place] + some + rest[place...]))
    }

    func removeMember(
        _ relationship: Relationship, of object: ManagedObject, _ member: ManagedObject
    ) throws {
        try check(object, has: relationship, toMany: true)
        try checkAlive(object)
        guard loader.owns(member) else { throw ContextError.foreignObject }
        if try hasMember(relationship, of: object, key: member.objectID.key) {
            try unlink(relationship, object, member.objectID.key)
        }
    }

    // MARK: Links on both sides

    /// Links new members on both sides, without duplicates.
    func link(
        _ relationship: Relationship, _ owner: ManagedObject, _ members: [ManagedObject]
    ) throws {
        let inverse = model.inverse(of: relationship)
        if inverse == nil { try takeFromOwners(relationship, members.map(\.objectID.key)) }
        var seen = Set<Int64>(minimumCapacity: members.count)
        for member in members where seen.insert(member.objectID.key).inserted {
            if let inverse, !inverse.isToMany {
                try setToOne(inverse, of: member, owner)
                continue
            }
            try join(relationship, owner.objectID.key, member.objectID.key)
        }
    }

    /// Adds a link on both sides, for an inverse that is not a to-one relationship.
    func join(_ relationship: Relationship, _ owner: Int64, _ member: Int64) throws {
        if try isLinkedByNow(relationship, owner, member) == true { return }
        try toManys.edit(relationship, of: owner, .add(member))
        if relationship.inverse == nil { noteOwner(owner, of: member, relationship) }
        if let inverse = model.inverse(of: relationship),
            inverse.index != relationship.index || owner != member
        {
            try toManys.edit(inverse, of: member, .add(owner))
        }
        changes.note(.member(relationship, owner, member, isNew: true))
    }

    /// Removes a link on both sides, for an inverse that is not a to-one relationship.
    func part(_ relationship: Relationship, _ owner: Int64, _ member: Int64) throws {
        if try isLinkedByNow(relationship, owner, member) == false { return }
        try toManys.edit(relationship, of: owner, .remove(member))
        if let inverse = model.inverse(of: relationship),
            inverse.index != relationship.index || owner != member
        {
            try toManys.edit(inverse, of: member, .remove(owner))
        }
        changes.note(.member(relationship, owner, member, isNew: false))
    }

    /// Removes a link on both sides. The member must be loaded if the inverse is a to-one
    /// relationship.
    func unlink(_ relationship: Relationship, _ owner: ManagedObject, _ member: Int64) throws {
        guard let inverse = model.toOneInverse(of: relationship) else {
            return try part(relationship, owner.objectID.key, member)
        }
        try toManys.edit(relationship, of: owner.objectID.key, .remove(member))
        if let other = loader.known(relationship, member),
            other.key(in: inverse) == owner.objectID.key
        {
            other.setSlot(inverse.slot, .null)
        }
    }

    /// Removes members from their other owners, because a to-many relationship without an inverse
    /// owns its members. One query finds the stored owners.
    /// - Parameter keeper: an owner that keeps the members.
    func takeFromOwners(
        _ relationship: Relationship, _ members: [Int64], keeping keeper: Int64? = nil
    ) throws {
        let saved = members.filter { key in
            key > 0
                || loader.parent != nil
                    && loader.known(relationship, key)?.isInserted != true
        }
        if !saved.isEmpty {
            let owners = try loader.snapshots(relationship.request(leadingTo: saved, in: model))
                .map(\.key)
            try toManys.fire(relationship, owners: owners)
            var found: [Int64: [Int64]] = [:]
            for owner in owners {
                for member in toManys[relationship, owner]?.stored ?? [] {
                    found[member, default: []].append(owner)
                }
            }
            for member in saved {
                let owners = found[member] ?? []
                changes.expected.owners[ToManyID(relationship, member)] = owners
                for owner in owners where owner != keeper {
                    try take(member, from: owner, relationship)
                }
            }
        }
        for member in members {
            if let owner = ownersMade[ToManyID(relationship, member)], owner != keeper {
                try take(member, from: owner, relationship)
            }
        }
    }

    private func take(
        _ member: Int64, from owner: Int64, _ relationship: Relationship
    ) throws {
        guard toManys[relationship, owner]?.contains(member) == true else { return }
        try part(relationship, owner, member)
    }

    // MARK: Changed owners

    /// Implements `ManagedObjectContext.updatedObjects`.
    func updatedObjects() throws -> [ManagedObject] {
        var found = changes.updatedObjects
        var seen = Set(found.map(\.objectID))
        for link in try changedLinks()
        where !link.owner.isInserted && !link.owner.isDeleted
            && seen.insert(link.owner.objectID).inserted
        {
            found.append(link.owner)
        }
        return found
    }

    /// The owners of changed to-many relationships, sorted by relationship and key. Owners that are
    /// known only from the other end of a link are read.
    func changedLinks() throws -> [ChangedLinks] {
        let places = toManys.changed().map(\.key)
        var missing: [Int: [Int64]] = [:]
        for place in places {
            let id = model.ownerID(place)
            if registry[id]?.isFault ?? true { missing[id.root, default: []].append(id.key) }
        }
        var loaded: [ObjectID: ManagedObject] = [:]
        for (root, keys) in missing {
            for object in try loader.existingObjects(root: root, keys: keys).values {
                loaded[object.objectID] = object
            }
        }
        var found: [ChangedLinks] = []
        var index: [ObjectID: Int] = [:]
        for place in places {
            // The owner may be deleted if No Action has left the link or another context has cut
            // it.
            let id = model.ownerID(place)
            guard let owner = loaded[id] ?? registry[id], !owner.isFault else {
                toManys.forget(place)
                continue
            }
            if let known = index[owner.objectID] {
                found[known].relationships.append(place.relationship)
            } else {
                index[owner.objectID] = found.count
                found.append(ChangedLinks(owner: owner, relationships: [place.relationship]))
            }
        }
        return found
    }
}

/// An object and the indexes of its changed to-many relationships.
struct ChangedLinks {
    let owner: ManagedObject
    var relationships: [Int]
}
