/// To-many relationships of one object: reading, replacing, adding, taking out.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// The object of a to-many.
    func ownerID(_ place: ToManyID) -> ObjectID {
        let owner = model.relationships[place.relationship].owner
        return ObjectID(root: model.entities[owner].root, key: place.owner)
    }

    /// Whether a to-many is of an object that is new here: nothing can be read of it.
    func isNew(_ place: ToManyID) -> Bool {
        guard place.owner < 0 else { return false }
        return parent == nil || known(ownerID(place))?.isInserted ?? false
    }

    /// Reads the members of faults; one query for all owners.
    /// - Parameter alsoOld: whether those that are old are read again, under their changes.
    func fire(_ relationship: Relationship, owners: [Int64], alsoOld: Bool = false) throws {
        let faults = owners.filter { owner in
            let place = ToManyID(relationship: relationship.index, owner: owner)
            guard !isNew(place) else { return false }
            return toManys[place].map { $0.isFault || alsoOld && $0.isOld } ?? true
        }
        if faults.isEmpty { return }
        let members = try memberKeys(of: relationship, owners: faults)
        for owner in faults {
            takeStored(members[owner] ?? [], relationship, of: owner)
        }
    }

    /// The members that a child is told of, for each owner that has any; those deleted here are none.
    func currentMembers(
        of relationship: Relationship, owners: [Int64]
    ) throws -> [Int64: [Int64]] {
        try fire(relationship, owners: owners, alsoOld: true)
        var found: [Int64: [Int64]] = [:]
        for owner in owners {
            let place = ToManyID(relationship: relationship.index, owner: owner)
            let keys = toManys[place]?.members(ordered: relationship.isOrdered) ?? []
            let alive = keys.filter {
                known(destinationID(relationship, $0))?.isDeleted != true
            }
            if !alive.isEmpty { found[owner] = alive }
        }
        return found
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
        return keys.filter { known(destinationID(relationship, $0))?.isDeleted != true }
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
        if known(id)?.isDeleted == true { return false }
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
        let place = ToManyID(relationship: relationship.index, owner: owner)
        let current = try state(relationship, of: owner)
            .members(ordered: relationship.isOrdered)
        var wanted: [Int64] = []
        var seen = Set<Int64>(minimumCapacity: members.count)
        for member in members where seen.insert(member.id.key).inserted {
            wanted.append(member.id.key)
        }
        let gone = current.filter { !seen.contains($0) }
        var leavers: [Int64: ManagedObject] = [:]
        if let inverse = model.inverse(of: relationship), !inverse.isToMany {
            leavers = try existingObjects(
                root: model.destination(of: relationship).root, keys: gone)
        }
        let present = Set(current)
        let come = members.filter { !present.contains($0.id.key) }
        try withExtendedLifetime(leavers) {
            try leavingOrder(of: place, current) {
                for key in gone { try unlink(relationship, object, key) }
                try link(relationship, object, come)
            }
        }
        if relationship.isOrdered { try edit(relationship, of: owner, .arrange(wanted)) }
        toManys[place, default: .empty].isExpected = true
    }

    /// Adds members; in an ordered relationship all together from that place on, wherever those
    /// stood that were members before, or new ones at the end where no place is named.
    func addMembers(
        _ relationship: Relationship, of object: ManagedObject, _ members: [ManagedObject],
        at index: Int?
    ) throws {
        try check(object, has: relationship, toMany: true)
        try checkAlive(object)
        for member in members { try check(member, fits: relationship) }
        let come = try members.filter {
            try !hasMember(relationship, of: object, key: $0.id.key)
        }
        try link(relationship, object, come)
        guard relationship.isOrdered, let index, !members.isEmpty else { return }
        var named = Set<Int64>(minimumCapacity: members.count)
        let some = members.map(\.id.key).filter { named.insert($0).inserted }
        let rest = try state(relationship, of: object.id.key).members(ordered: true)
            .filter { !named.contains($0) }
        let place = min(max(0, index), rest.count)
        try edit(relationship, of: object.id.key, .arrange(rest[..<place] + some + rest[place...]))
    }

    /// Changes an ordered to-many as a whole: its order is written down once, and not kept while
    /// its members come and go one by one.
    func leavingOrder(
        of place: ToManyID, _ current: [Int64], _ work: () throws -> Void
    ) throws {
        let relationship = model.relationships[place.relationship]
        guard relationship.isOrdered else { return try work() }
        if isJournaling { journal.append(.order(relationship, place.owner, current)) }
        toManys[place]?.dropOrder()
        let outer = unordered
        unordered = place
        defer { unordered = outer }
        try work()
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
