import SteleModel
import StelePersistence

/// The states of the to-many relationships of a context's objects, by owner. New objects have a
/// state only if they have members.
final class ToManyRelationships: LoaderPart {
    /// A change of the members of one object.
    enum Edit {
        case add(Int64)
        case remove(Int64)
        case arrange([Int64])
    }

    let loader: ObjectLoader
    private(set) var states: [ToManyID: ToManyState] = [:]
    /// The ordered relationship whose order is temporarily not maintained (`leavingOrder`).
    private var unordered: ToManyID?

    init(_ loader: ObjectLoader) { self.loader = loader }

    // MARK: Known state

    subscript(place: ToManyID) -> ToManyState? { states[place] }

    /// The state of an object's relationship, or nil if it is unknown.
    subscript(relationship: Relationship, owner: Int64) -> ToManyState? {
        states[ToManyID(relationship, owner)]
    }

    var hasChanges: Bool { states.values.contains { $0.hasChanges } }

    func hasChanges(of object: ManagedObject) -> Bool {
        object.entity.toManys.contains { self[$0, object.objectID.key]?.hasChanges ?? false }
    }

    /// The states that match, sorted by relationship and key.
    func changed(
        where isWanted: (ToManyState) -> Bool = \.hasChanges
    ) -> [(key: ToManyID, value: ToManyState)] {
        states.filter { isWanted($0.value) }.sorted { $0.key < $1.key }
    }

    /// Whether the owner is a new object, whose members cannot be read.
    func isNew(_ place: ToManyID) -> Bool {
        guard place.owner < 0 else { return false }
        return loader.parent == nil || registry[model.ownerID(place)]?.isInserted ?? false
    }

    /// The state of an object's relationship, read if it is a fault.
    func state(_ relationship: Relationship, of owner: Int64) throws -> ToManyState {
        try fire(relationship, owners: [owner])
        return self[relationship, owner] ?? .empty
    }

    /// The current members for a child, for each owner that has any, without deleted ones.
    func currentMembers(
        of relationship: Relationship, owners: [Int64]
    ) throws -> [Int64: [Int64]] {
        try fire(relationship, owners: owners, alsoOld: true)
        var found: [Int64: [Int64]] = [:]
        for owner in owners {
            let keys = self[relationship, owner]?.members(ordered: relationship.isOrdered) ?? []
            let alive = keys.filter {
                loader.known(relationship, $0)?.isDeleted != true
            }
            if !alive.isEmpty { found[owner] = alive }
        }
        return found
    }

    // MARK: Reading

    /// Reads the members of faults, with one query for all owners.
    /// - Parameter alsoOld: whether outdated members are read again, keeping changes.
    func fire(_ relationship: Relationship, owners: [Int64], alsoOld: Bool = false) throws {
        let faults = owners.filter { owner in
            let place = ToManyID(relationship, owner)
            guard !isNew(place) else { return false }
            return states[place].map { $0.isFault || alsoOld && $0.isOld } ?? true
        }
        if faults.isEmpty { return }
        let members = try loader.memberKeys(of: relationship, owners: faults)
        for owner in faults { takeStored(members[owner] ?? [], relationship, of: owner) }
    }

    /// Reads the members of several relationships, by index, with one query for each relationship.
    func fire(_ owners: [Int: Set<Int64>], alsoOld: Bool = false) throws {
        for (index, keys) in owners.sorted(by: { $0.key < $1.key }) {
            try fire(model.relationships[index], owners: keys.sorted(), alsoOld: alsoOld)
        }
    }

    /// Reads known members again, with one query.
    func refire(_ relationship: Relationship, owners: [Int64]) throws {
        let known = owners.filter {
            let place = ToManyID(relationship, $0)
            return states[place] != nil && !isNew(place)
        }
        if known.isEmpty { return }
        let members = try loader.memberKeys(of: relationship, owners: known)
        for owner in known { takeStored(members[owner] ?? [], relationship, of: owner) }
    }

    /// Reads relationships with changes again and forgets the others, which are read on the next
    /// access.
    func refireAll() throws {
        states = states.filter { $0.value.hasChanges || isNew($0.key) }
        var owners: [Int: [Int64]] = [:]
        for (place, state) in states where !isNew(place) && !state.isFault {
            owners[place.relationship, default: []].append(place.owner)
        }
        for (index, keys) in owners.sorted(by: { $0.key < $1.key }) {
            try refire(model.relationships[index], owners: keys.sorted())
        }
    }

    /// Sets the stored members and corrects the other sides of the members that were added or
    /// removed in the store. For a fault, it corrects those whose link was changed without reading
    /// and already is as wanted in the store, which is not a change on either side.
    func takeStored(_ members: [Int64], _ relationship: Relationship, of owner: Int64) {
        let place = ToManyID(relationship, owner)
        let was = states[place] ?? .fault
        states[place, default: .fault].refire(members)
        guard !was.isFault || was.hasChanges, let now = states[place],
            let inverse = model.toManyInverse(of: relationship)
        else { return }
        let others =
            was.stored.map { Set($0).symmetricDifference(members) }
            ?? Set(was.added).union(was.removed).subtracting(now.added).subtracting(now.removed)
        for key in others where ToManyID(inverse, key) != place {
            rebase(
                inverse, key, owner, isStored: now.isStored(key) == true,
                isWanted: now.contains(key))
        }
    }

    // MARK: Changing

    /// Applies a change to an object's relationship, which need not be loaded.
    ///
    /// A fault holds only the changes. If a journal is kept, an ordered relationship is read first,
    /// because undo needs the old order.
    func edit(_ relationship: Relationship, of owner: Int64, _ edit: Edit) throws {
        let place = ToManyID(relationship, owner)
        let isOrdered = relationship.isOrdered && place != unordered
        if isOrdered && changes.isJournaling { try notePosition(edit, relationship, owner) }
        func apply(_ state: inout ToManyState) {
            if isOrdered { state.keepOrder() }
            switch edit {
            case .add(let key): state.add(key)
            case .remove(let key): state.remove(key)
            case .arrange(let keys): state.arrange(keys)
            }
        }
        apply(&states[place, default: isNew(place) ? .empty : .fault])
    }

    /// Journals the old position of a member or the old order of all members.
    private func notePosition(
        _ edit: Edit, _ relationship: Relationship, _ owner: Int64
    ) throws {
        let order = try state(relationship, of: owner).members(ordered: true)
        switch edit {
        case .add: break
        case .remove(let key):
            guard let index = order.firstIndex(of: key) else { return }
            changes.note(.position(relationship, owner, key, index))
        case .arrange: changes.note(.order(relationship, owner, order))
        }
    }

    /// Moves a member to another position.
    func move(_ member: Int64, in relationship: Relationship, of owner: Int64, to index: Int) throws
    {
        let place = ToManyID(relationship, owner)
        try fire(relationship, owners: [owner])
        guard let found = states[place]?.move(member, to: index), found != index else { return }
        changes.note(.position(relationship, owner, member, found))
    }

    /// Changes an ordered relationship as a whole. The order is journaled once and is not
    /// maintained during the individual changes.
    func leavingOrder(
        _ relationship: Relationship, of owner: Int64, standing members: [Int64],
        _ work: () throws -> Void
    ) rethrows {
        guard relationship.isOrdered else { return try work() }
        let place = ToManyID(relationship, owner)
        changes.note(.order(relationship, owner, members))
        states[place]?.dropOrder()
        let outer = unordered
        unordered = place
        defer { unordered = outer }
        try work()
    }

    /// Corrects the state of one link (`ToManyState.rebase`).
    func rebase(
        _ relationship: Relationship, _ owner: Int64, _ member: Int64, isStored: Bool,
        isWanted: Bool
    ) {
        states[ToManyID(relationship, owner)]?
            .rebase(member, isStored: isStored, isWanted: isWanted)
    }

    /// Restores the stored state of one link.
    func takeBack(_ member: Int64, _ relationship: Relationship, of owner: Int64) {
        states[ToManyID(relationship, owner)]?.takeBack(member)
    }

    /// Records that the store has lost a member with its row. The members need not be known.
    func leave(_ member: Int64, _ relationship: Relationship, of owner: Int64) {
        states[ToManyID(relationship, owner), default: .fault]
            .rebase(member, isStored: true, isWanted: false)
    }

    /// Records that an object has no stored members any more.
    func lose(_ relationship: Relationship, of owner: Int64) {
        states[ToManyID(relationship, owner), default: .empty].refire([])
    }

    /// Makes the save require that the members are those that were read.
    func expect(_ relationship: Relationship, of owner: Int64) {
        states[ToManyID(relationship, owner), default: .empty].isExpected = true
    }

    /// Removes an explicit order, and the state if it has no other changes.
    func dropOrder(_ relationship: Relationship, of owner: Int64) {
        let place = ToManyID(relationship, owner)
        states[place]?.dropOrder()
        if states[place]?.hasChanges == false { states[place] = nil }
    }

    // MARK: Forgetting

    func forget(_ place: ToManyID) { states[place] = nil }

    /// Forgets all to-many relationships of an object.
    func forgetAll(of object: ManagedObject) {
        for toMany in object.entity.toManys { states[ToManyID(toMany, object.objectID.key)] = nil }
    }

    /// Forgets the unchanged to-many relationships of an object that is being released.
    func forgetUnchanged(of id: ObjectID, _ entity: Entity) {
        for toMany in entity.toManys {
            let place = ToManyID(toMany, id.key)
            if states[place]?.hasChanges == false { states[place] = nil }
        }
    }

    /// Implements `ManagedObjectContext.forgetReadMembers`.
    func forgetRead() {
        if states.isEmpty { return }
        states = states.filter { place, state in
            state.hasChanges || state.isExpected || registry[model.ownerID(place)] != nil
        }.mapValues(\.aged)
    }

    func removeAll() { states = [:] }

    /// Replaces temporary keys with permanent ones.
    func rename(_ permanent: PermanentKeys) {
        var result: [ToManyID: ToManyState] = [:]
        result.reserveCapacity(states.count)
        for (place, state) in states {
            let relationship = model.relationships[place.relationship]
            let root = model.destination(of: relationship).root
            let owner = permanent.key(of: model.ownerID(place))
            result[ToManyID(relationship, owner)] = state.renamed {
                permanent.key(of: ObjectID(root: root, key: $0))
            }
        }
        states = result
    }
}
