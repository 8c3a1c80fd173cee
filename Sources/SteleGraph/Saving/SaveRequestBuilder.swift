import SteleModel
import StelePersistence
import StelePredicates

/// Builds a save request from a context's changes and the stored state that they rely on.
struct SaveRequestBuilder {
    private let context: ManagedObjectContext
    private(set) var request: SaveRequest
    private let links: [ChangedLinks]
    private var toManys: [ObjectID: [ToManyChange]] = [:]
    private var expectedToExist: Set<ObjectID> = []
    /// Objects that are linked other than by a column of their own rows.
    private var members: [(id: ObjectID, entity: Int)] = []

    init(_ context: ManagedObjectContext, links: [ChangedLinks]) {
        self.context = context
        self.links = links
        request = SaveRequest(readToken: 0)
    }

    mutating func build(updates: [(object: ManagedObject, slots: [Int])]) throws {
        request.readToken = try context.view.oldestToken()
        request.author = context.transactionAuthor
        request.contextName = context.name
        request.assignedStores = context.changes.assignedStores
        request.changes.reserveCapacity(
            context.changes.inserted.count + updates.count + context.changes.deleted.count)
        try collectToManys()
        addInserts()
        addUpdates(updates)
        addDeletes()
        request.changes.sortChanges()
        expectLinked(updates)
        expectMembers()
        expectOwners()
    }

    private mutating func collectToManys() throws {
        for link in links {
            let owner = link.owner
            var changes: [ToManyChange] = []
            for index in link.relationships {
                let place = ToManyID(relationship: index, owner: owner.objectID.key)
                guard let state = context.toManys[place] else { continue }
                let relationship = context.model.relationships[index]
                // Delete rules reach members in an order that depends on all links, too.
                changes.append(
                    ToManyChange(
                        relationship: index,
                        added: relationship.isOrdered ? Array(state.added) : Self.byID(state.added),
                        removed: Self.byID(state.removed), order: state.newOrder))
                // An object linked through a join table need not change in another column, so its
                // version is not checked. It may have been deleted.
                if context.model.inverse(of: relationship)?.isToMany != false {
                    for key in state.added {
                        members.append(
                            (
                                context.model.destinationID(relationship, key),
                                relationship.destination
                            ))
                    }
                }
            }
            toManys[owner.objectID] = changes
        }
    }

    /// The keys in ascending order, those of new objects last.
    private static func byID(_ keys: OrderedKeys) -> [Int64] {
        keys.sorted { ValueOrder.number(ofKey: $0) < ValueOrder.number(ofKey: $1) }
    }

    private mutating func addInserts() {
        for object in context.changes.inserted where !object.isDeleted {
            for relationship in context.plans[object.entity].toOnes {
                expectDestination(of: relationship, object)
            }
            request.changes.append(
                ObjectChange(
                    .insert, entity: object.entity.index, key: object.objectID.key,
                    before: object.reinserted, values: object.values,
                    toManys: changedToManys(of: object)))
        }
    }

    private mutating func addUpdates(_ updates: [(object: ManagedObject, slots: [Int])]) {
        for (object, slots) in updates {
            for relationship in context.plans[object.entity].toOnes
            where slots.contains(relationship.slot) {
                expectDestination(of: relationship, object)
            }
            request.changes.append(
                ObjectChange(
                    .update, entity: object.entity.index, key: object.objectID.key,
                    before: object.before, values: object.values, changedSlots: slots,
                    toManys: toManys.isEmpty
                        ? [] : toManys.removeValue(forKey: object.objectID) ?? []))
        }
        for link in links where !link.owner.isInserted && !link.owner.isDeleted {
            let owner = link.owner
            guard let changes = toManys[owner.objectID] else { continue }
            // Without changed columns the version is not checked, so the owner's existence must be.
            expect(owner.objectID, owner.entity.index)
            request.changes.append(
                ObjectChange(
                    .update, entity: owner.entity.index, key: owner.objectID.key,
                    before: owner.before, values: owner.before?.values ?? [], toManys: changes))
        }
    }

    private mutating func addDeletes() {
        for object in context.changes.deleted {
            request.changes.append(
                ObjectChange(
                    .delete, entity: object.entity.index, key: object.objectID.key,
                    before: object.before, toManys: toManys(ofDeleted: object)))
        }
    }

    /// The to-many relationships that a deletion ends. No delete rule cuts the links to objects that
    /// are deleted as well, but the history has all members whose own rows do not name the object.
    private func toManys(ofDeleted object: ManagedObject) -> [ToManyChange] {
        // Links that were made here were never stored.
        var changes = changedToManys(of: object).filter { !$0.removed.isEmpty }.map {
            ToManyChange(relationship: $0.relationship, removed: $0.removed)
        }
        for relationship in context.plans[object.entity].relationships
        where relationship.isToMany && context.model.toOneInverse(of: relationship) == nil {
            let place = ToManyID(relationship: relationship.index, owner: object.objectID.key)
            guard let stored = context.toManys[place]?.stored, !stored.isEmpty else { continue }
            if let index = changes.firstIndex(where: { $0.relationship == relationship.index }) {
                let known = Set(changes[index].removed)
                changes[index].removed += stored.filter { !known.contains($0) }
                changes[index].removed.sort()
            } else {
                changes.append(
                    ToManyChange(relationship: relationship.index, removed: stored.sorted()))
            }
        }
        return changes
    }

    private func changedToManys(of object: ManagedObject) -> [ToManyChange] {
        toManys.isEmpty ? [] : toManys[object.objectID] ?? []
    }

    private mutating func expectDestination(of toOne: Relationship, _ object: ManagedObject) {
        guard let key = object.key(in: toOne) else { return }
        expect(context.model.destinationID(toOne, key), toOne.destination)
    }

    /// Adds the expectation that an object exists, unless this save inserts it.
    private mutating func expect(_ id: ObjectID, _ entity: Int) {
        guard id.key > 0, expectedToExist.insert(id).inserted else { return }
        if context.registry[id]?.isInserted == true { return }
        request.expectations.append(.exists(entity: entity, key: id.key))
    }

    /// Adds the expectation that linked objects exist. Updated objects have the version check.
    private mutating func expectLinked(_ updates: [(object: ManagedObject, slots: [Int])]) {
        if members.isEmpty { return }
        let updated = Set(updates.lazy.map(\.object.objectID))
        for (id, entity) in members where !updated.contains(id) { expect(id, entity) }
    }

    /// Expects that to-many relationships that affected a change still have the members that were
    /// read.
    private mutating func expectMembers() {
        var places = context.changes.expected.members
        for (place, state) in context.toManys.states where place.owner > 0 {
            guard let stored = state.stored else { continue }
            if state.isExpected || state.newOrder != nil { places[place] = stored }
        }
        if places.isEmpty { return }
        for (place, keys) in places.sorted(by: { $0.key < $1.key }) {
            request.expectations.append(
                .members(relationship: place.relationship, owner: place.owner, keys: keys))
        }
    }

    /// Expects that no other object leads to a deleted or linked object through a relationship
    /// without an inverse.
    private mutating func expectOwners() {
        if context.changes.expected.owners.isEmpty { return }
        for (place, keys) in context.changes.expected.owners.sorted(by: { $0.key < $1.key }) {
            request.expectations.append(
                .owners(relationship: place.relationship, member: place.owner, keys: keys))
        }
    }
}
