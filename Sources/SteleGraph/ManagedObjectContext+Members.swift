/// To-many relationships of one object: reading, replacing, adding, taking out.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// Reads the members of faults; one query for all owners.
    func fire(_ relationship: Relationship, owners: [Int64]) throws {
        let faults = owners.filter { owner in
            let place = ToManyID(relationship: relationship.index, owner: owner)
            return owner > 0 && toManys[place]?.isFault ?? true
        }
        if faults.isEmpty { return }
        let members = try reader().members(of: relationship, owners: faults)
        for owner in faults {
            let place = ToManyID(relationship: relationship.index, owner: owner)
            toManys[place, default: .fault].fire(members[owner] ?? [])
        }
    }

    /// What is known of an object's to-many; fired.
    func state(_ relationship: Relationship, of owner: Int64) throws -> ToManyState {
        try fire(relationship, owners: [owner])
        let place = ToManyID(relationship: relationship.index, owner: owner)
        return toManys[place] ?? .empty
    }

    func memberKeys(_ relationship: Relationship, of object: ManagedObject) throws -> [Int64] {
        try check(object, has: relationship, toMany: true)
        let keys = try state(relationship, of: object.id.key)
            .members(ordered: relationship.isOrdered)
        if deleted.isEmpty && undecided.isEmpty { return keys }
        return keys.filter { registered[destinationID(relationship, $0)]?.isDeleted != true }
    }

    func members(
        _ relationship: Relationship, of object: ManagedObject
    ) throws -> [ManagedObject] {
        let keys = try memberKeys(relationship, of: object)
        let found = try existingObjects(
            root: model.destination(of: relationship).root, keys: keys)
        return keys.compactMap { found[$0] }
    }

    func hasMember(
        _ relationship: Relationship, of object: ManagedObject, key: Int64
    ) throws -> Bool {
        try check(object, has: relationship, toMany: true)
        let id = destinationID(relationship, key)
        if registered[id]?.isDeleted == true { return false }
        guard let inverse = model.inverse(of: relationship), !inverse.isToMany else {
            return try state(relationship, of: object.id.key).contains(key)
        }
        // The member's own row knows.
        guard let member = try existingObject(with: id),
            model.entities[inverse.owner].isKind(member.entity.index)
        else { return false }
        return member.key(in: inverse) == object.id.key
    }

    func setMembers(
        _ relationship: Relationship, of object: ManagedObject, _ members: [ManagedObject]
    ) throws {
        try check(object, has: relationship, toMany: true)
        try checkAlive(object)
        for member in members { try check(member, fits: relationship) }
        let owner = object.id.key
        let current = try state(relationship, of: owner)
            .members(ordered: relationship.isOrdered)
        var wanted: [Int64] = []
        var seen = Set<Int64>(minimumCapacity: members.count)
        for member in members where seen.insert(member.id.key).inserted {
            wanted.append(member.id.key)
        }
        let gone = current.filter { !seen.contains($0) }
        if let inverse = model.inverse(of: relationship), !inverse.isToMany {
            _ = try existingObjects(
                root: model.destination(of: relationship).root, keys: gone)
        }
        for key in gone { try unlink(relationship, object, key) }
        let present = Set(current)
        let come = members.filter { !present.contains($0.id.key) }
        try link(relationship, object, come)
        edit(relationship, of: owner) { state in
            if relationship.isOrdered { state.arrange(wanted) }
            state.isExpected = true
        }
    }

    func addMember(
        _ relationship: Relationship, of object: ManagedObject, _ member: ManagedObject,
        at index: Int?
    ) throws {
        try check(object, has: relationship, toMany: true)
        try checkAlive(object)
        try check(member, fits: relationship)
        let key = member.id.key
        if try !hasMember(relationship, of: object, key: key) {
            try link(relationship, object, [member])
        }
        guard relationship.isOrdered, let index else { return }
        var order = try state(relationship, of: object.id.key).members(ordered: true)
        order.removeAll { $0 == key }
        order.insert(key, at: min(max(0, index), order.count))
        edit(relationship, of: object.id.key) { $0.arrange(order) }
    }

    func removeMember(
        _ relationship: Relationship, of object: ManagedObject, _ member: ManagedObject
    ) throws {
        try check(object, has: relationship, toMany: true)
        try checkAlive(object)
        guard member.context === self else { throw ContextError.foreignObject }
        if try hasMember(relationship, of: object, key: member.id.key) {
            try unlink(relationship, object, member.id.key)
        }
    }
}
