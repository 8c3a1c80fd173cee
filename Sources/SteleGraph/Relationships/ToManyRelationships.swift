/// The to-many relationships of a context's objects: what is known of them, and what has changed.

import SteleModel
import StelePersistence

/// The states of to-manys by owner; of new objects only where something is in them.
final class ToManyRelationships: LoaderPart {
    /// What can be done to the members of one object.
    enum Edit {
        case add(Int64)
        case remove(Int64)
        case arrange([Int64])
    }

    let loader: ObjectLoader
    private(set) var states: [ToManyID: ToManyState] = [:]
    /// The ordered to-many whose order is not kept for now (`leavingOrder`).
    private var unordered: ToManyID?

    init(_ loader: ObjectLoader) { self.loader = loader }

    // MARK: What is known

    subscript(place: ToManyID) -> ToManyState? { states[place] }

    /// What is known of the members of one object.
    subscript(relationship: Relationship, owner: Int64) -> ToManyState? {
        states[ToManyID(relationship, owner)]
    }

    var hasChanges: Bool { states.values.contains { $0.hasChanges } }

    func hasChanges(of object: ManagedObject) -> Bool {
        object.entity.toManys.contains { self[$0, object.id.key]?.hasChanges ?? false }
    }

    /// Those with changes that are wanted, in the order of relationships and keys.
    func changed(
        where isWanted: (ToManyState) -> Bool = \.hasChanges
    ) -> [(key: ToManyID, value: ToManyState)] {
        states.filter { isWanted($0.value) }.sorted { $0.key < $1.key }
    }

    /// Whether the owner is new here: nothing can be read of it.
    func isNew(_ place: ToManyID) -> Bool {
        guard place.owner < 0 else { return false }
        return loader.parent == nil || registry[model.ownerID(place)]?.isInserted ?? false
    }

    /// The state of an object's to-many, read where it is a fault.
    func state(_ relationship: Relationship, of owner: Int64) throws -> ToManyState {
        try fire(relationship, owners: [owner])
        return self[relationship, owner] ?? .empty
    }

    /// The members that a child is told of, for each owner that has any, without deleted ones.
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

    /// Reads the members of faults; one query for all owners.
    /// - Parameter alsoOld: whether those that are old are read again, under their changes.
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

    /// As `fire`, of several relationships by index; one query a relationship.
    func fire(_ owners: [Int: Set<Int64>], alsoOld: Bool = false) throws {
        for (index, keys) in owners.sorted(by: { $0.key < $1.key }) {
            try fire(model.relationships[index], owners: keys.sorted(), alsoOld: alsoOld)
        }
    }

    /// Reads members again where they are known; one query.
    func refire(_ relationship: Relationship, owners: [Int64]) throws {
        let known = owners.filter {
            let place = ToManyID(relationship, $0)
            return states[place] != nil && !isNew(place)
        }
        if known.isEmpty { return }
        let members = try loader.memberKeys(of: relationship, owners: known)
        for owner in known { takeStored(members[owner] ?? [], relationship, of: owner) }
    }

    /// What is unchanged is read when it is next asked; what has changes is read again at once.
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

    /// Takes the members that the store has, and corrects the other sides of those that have come
    /// or gone since they were read. Of a fault those are corrected whose link was changed without
    /// asking the store, and is as it was wanted: that is no change, on neither side.
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

    /// Changes what is known of one object's to-many, loaded or not.
    ///
    /// A fault holds nothing but the difference. To be undone exactly, an order must be known, so
    /// it is read where a journal is kept.
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

    /// Writes down where a member stood, or how all stood, before that is changed.
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

    /// Puts a member elsewhere in an order.
    func move(_ member: Int64, in relationship: Relationship, of owner: Int64, to index: Int) throws
    {
        let place = ToManyID(relationship, owner)
        try fire(relationship, owners: [owner])
        guard let found = states[place]?.move(member, to: index), found != index else { return }
        changes.note(.position(relationship, owner, member, found))
    }

    /// Changes an ordered to-many as a whole: its order is written down once, and not kept while
    /// its members come and go one by one.
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

    /// One link's standing in the store is other than it was taken for (`ToManyState.rebase`).
    func rebase(
        _ relationship: Relationship, _ owner: Int64, _ member: Int64, isStored: Bool,
        isWanted: Bool
    ) {
        states[ToManyID(relationship, owner)]?
            .rebase(member, isStored: isStored, isWanted: isWanted)
    }

    /// A link is as it is stored, whatever was asked for.
    func takeBack(_ member: Int64, _ relationship: Relationship, of owner: Int64) {
        states[ToManyID(relationship, owner)]?.takeBack(member)
    }

    /// The store has lost a member with its row, whether or not the members are known.
    func leave(_ member: Int64, _ relationship: Relationship, of owner: Int64) {
        states[ToManyID(relationship, owner), default: .fault]
            .rebase(member, isStored: true, isWanted: false)
    }

    /// The store has no members of an object any more.
    func lose(_ relationship: Relationship, of owner: Int64) {
        states[ToManyID(relationship, owner), default: .empty].refire([])
    }

    /// The save depends on the members being those that were read.
    func expect(_ relationship: Relationship, of owner: Int64) {
        states[ToManyID(relationship, owner), default: .empty].isExpected = true
    }

    /// Drops an order that was asked for, and what is known where nothing else has changed.
    func dropOrder(_ relationship: Relationship, of owner: Int64) {
        let place = ToManyID(relationship, owner)
        states[place]?.dropOrder()
        if states[place]?.hasChanges == false { states[place] = nil }
    }

    // MARK: Forgetting

    func forget(_ place: ToManyID) { states[place] = nil }

    /// Forgets all members of an object.
    func forgetAll(of object: ManagedObject) {
        for toMany in object.entity.toManys { states[ToManyID(toMany, object.id.key)] = nil }
    }

    /// Forgets the members of an object that is released, where nothing in them has changed.
    func forgetUnchanged(of id: ObjectID, _ entity: Entity) {
        for toMany in entity.toManys {
            let place = ToManyID(toMany, id.key)
            if states[place]?.hasChanges == false { states[place] = nil }
        }
    }

    /// As `ManagedObjectContext.forgetReadMembers`.
    func forgetRead() {
        if states.isEmpty { return }
        states = states.filter { place, state in
            state.hasChanges || state.isExpected || registry[model.ownerID(place)] != nil
        }.mapValues(\.aged)
    }

    func removeAll() { states = [:] }

    /// Puts permanent keys in the place of temporary ones.
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
