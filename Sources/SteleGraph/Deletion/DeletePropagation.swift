import SteleModel
import StelePersistence

/// Applies the delete rules Nullify, Cascade, Deny and No Action of deleted objects, level by
/// level.
final class DeletePropagation: RelationshipPart {
    let relationships: RelationshipMaintenance
    /// Deleted objects whose delete rules have not been applied yet.
    private var undecided: [ManagedObject] = []
    /// Deleted objects whose delete rules are applied again, to objects that were added since.
    private var decidedBefore: Set<ObjectID> = []

    init(_ relationships: RelationshipMaintenance) { self.relationships = relationships }

    /// Marks an object as deleted. `process` applies its delete rules. A fault is read first. An
    /// object that is already deleted is ignored.
    func delete(_ object: ManagedObject) throws {
        if object.isFault { try loader.fire(object) }
        if object.isGone { return }
        if plans[object.entity].isSubclassed { object.prepareForDeletion() }
        if object.isDeleted { return }
        object.isDeleted = true
        changes.note(.deleted(object))
        undecided.append(object)
        changes.delete(object)
    }

    /// Undoes an object's deletion. If the deletion was saved, the object is inserted again under
    /// its key. Nothing happens if another object has the ID, because another context has inserted
    /// it again and it was read since.
    /// - Parameter event: the event to report to the object; nil if the caller reports it.
    func restore(_ object: ManagedObject, _ event: SnapshotEventType? = .undoDeletion) {
        guard object.isDeleted, registry[object.objectID].map({ $0 === object }) ?? true else {
            return
        }
        // A new object whose deletion is not processed yet is still in the change set.
        let isListed = registry[object.objectID] != nil
        object.isDeleted = false
        if object.isGone { object.isInserted = true }
        object.isGone = false
        if object.isInserted, !isListed { changes.insert(object) }
        loader.readmit(object)
        changes.expected.forgetDeletion(of: object, in: model)
        changes.note(.restored(object))
        if let event { loader.awake(object, event) }
    }

    /// Removes restored objects from the pending deletions.
    func dropRestored() {
        changes.dropRestored()
        undecided.removeAll { !$0.isDeleted }
    }

    // MARK: Levels

    /// Applies the delete rules of all objects deleted since the last call, level by level, with
    /// one query for each relationship and level. Cycles of cascades end where they began.
    func process() throws {
        if !undecided.isEmpty { try view.inOneView { try applyDeleteRules() } }
    }

    /// Makes the next `process` apply the rules of a deleted object again.
    func decideAgain(_ object: ManagedObject) {
        undecided.append(object)
        decidedBefore.insert(object.objectID)
    }

    /// Ends the repeated application of delete rules.
    func endDecidingAgain() { decidedBefore = [] }

    /// Applies the rules of all deletions again, to objects that were added since.
    func processAgain() throws {
        undecided += changes.deleted
        decidedBefore = Set(changes.deleted.map(\.objectID))
        defer { endDecidingAgain() }
        try process()
    }

    func removeAll() {
        relationships.removeAll()
        undecided = []
    }

    private func applyDeleteRules() throws {
        while !undecided.isEmpty {
            let level = undecided
            // An object to be inserted again has a stored row if another context has inserted it
            // again.
            try rebasing.meetStored(level)
            try readMembers(of: level)
            let destinations = try readDestinations(of: level)
            undecided.removeFirst(level.count)
            try withExtendedLifetime(destinations) {
                for object in level { try applyDeleteRules(of: object) }
            }
            try takeFromOwners(level)
            try nullifyReferences(to: level)
        }
        forgetLinksToDeleted()
        forgetDeletedInserts()
    }

    /// Removes new objects that are deleted again.
    private func forgetDeletedInserts() {
        for object in changes.inserted where object.isDeleted {
            registry.remove(object)
            if object.reinserted != nil {
                // The object was in the store before and may be inserted under its key again.
                object.isInserted = false
                object.isGone = true
            }
            toManys.forgetAll(of: object)
        }
        changes.dropDeletedInserts()
    }

    // MARK: One level

    /// The delete rule of an object's relationship. New objects are not denied. No Action cuts
    /// links like Nullify, because a link to a missing object reads as nil, but it does not require
    /// the destinations to stay valid (`SlotRule.left`).
    private func rule(_ relationship: Relationship, _ object: ManagedObject) -> DeleteRule {
        let rule = relationship.deleteRule
        return rule == .noAction || object.isInserted && rule == .deny ? .nullify : rule
    }

    private func readMembers(of level: [ManagedObject]) throws {
        var owners: [Int: [Int64]] = [:]
        for object in level where !object.isInserted {
            for relationship in plans[object.entity].relationships where relationship.isToMany {
                owners[relationship.index, default: []].append(object.objectID.key)
            }
        }
        for (index, keys) in owners.sorted(by: { $0.key < $1.key }) {
            try toManys.fire(model.relationships[index], owners: keys)
            for key in keys {
                let place = ToManyID(relationship: index, owner: key)
                changes.expected.members[place] = toManys[place]?.stored ?? []
            }
        }
    }

    /// Reads the destinations that are deleted too or whose own rows change.
    private func readDestinations(of level: [ManagedObject]) throws -> [ManagedObject] {
        var wanted: [Int: Set<Int64>] = [:]
        for object in level {
            for relationship in plans[object.entity].relationships {
                let rule = rule(relationship, object)
                let inverse = model.inverse(of: relationship)
                guard rule == .cascade || rule == .nullify && inverse?.isToMany == false else {
                    continue
                }
                let root = model.destination(of: relationship).root
                wanted[root, default: []].formUnion(try destinations(relationship, object))
            }
        }
        let found = try loader.existingObjects(wanted)
        try rebasing.meetStored(found)
        try refreshDestinations(of: level)
        return found
    }

    /// Reads again the objects that lead to a deleted object according to the members read for the
    /// deletion, but not according to their own older rows. Otherwise their rows would lead to a
    /// missing object.
    private func refreshDestinations(of level: [ManagedObject]) throws {
        var old: [ObjectID: ManagedObject] = [:]
        for object in level {
            for relationship in plans[object.entity].relationships
            where rule(relationship, object) == .nullify {
                guard let inverse = model.toOneInverse(of: relationship) else { continue }
                for key in try destinations(relationship, object) {
                    guard let other = loader.known(relationship, key), !other.isFault,
                        other.key(in: inverse) != object.objectID.key
                    else { continue }
                    old[other.objectID] = other
                }
            }
        }
        try relationships.readAgain(Array(old.values))
    }

    /// The current keys of the destinations of a relationship.
    private func destinations(
        _ relationship: Relationship, _ object: ManagedObject
    ) throws -> [Int64] {
        if !relationship.isToMany { return object.key(in: relationship).map { [$0] } ?? [] }
        return try toManys.state(relationship, of: object.objectID.key)
            .members(ordered: relationship.isOrdered)
    }

    // MARK: Rules

    private func applyDeleteRules(of object: ManagedObject) throws {
        for relationship in plans[object.entity].relationships {
            let inverse = model.inverse(of: relationship)
            switch rule(relationship, object) {
            case .deny: break
            case .cascade:
                for key in try destinations(relationship, object) {
                    let other = loader.known(relationship, key)
                    if let other, !other.isDeleted { try delete(other) }
                }
            case .nullify where relationship.isToMany:
                let members = try destinations(relationship, object)
                try toManys.leavingOrder(relationship, of: object.objectID.key, standing: members) {
                    for key in members where isLedBack(relationship, object, key) {
                        try relationships.unlink(relationship, object, key)
                    }
                }
            case .nullify, .noAction:
                // Deleting the row also removes it from the destination's to-many relationship,
                // whatever the rule.
                guard !relationship.isToMany, let key = object.key(in: relationship) else { break }
                // The members of a deleted object are only maintained for undo.
                if !changes.isJournaling, let inverse, inverse.isToMany,
                    loader.known(relationship, key)?.isDeleted == true
                {
                    if toManys[inverse, key]?.added.contains(object.objectID.key) != true { break }
                }
                // The object left that relationship when its rules were first applied.
                if inverse?.isToMany == true && decidedBefore.contains(object.objectID) { break }
                if try relationships.cutInverse(of: relationship, from: object, to: key) {
                    changes.note(.cut(object, relationship, key))
                }
            }
        }
    }

    /// Whether the member's own row has the link that a deletion cuts. If it does not and was not
    /// read again, the row is older and does not change.
    private func isLedBack(
        _ relationship: Relationship, _ owner: ManagedObject, _ member: Int64
    ) -> Bool {
        guard let inverse = model.toOneInverse(of: relationship) else { return true }
        return loader.known(relationship, member)?.key(in: inverse) == owner.objectID.key
    }

    /// Cuts links without an inverse that were made here and lead to deleted objects.
    private func forgetLinksToDeleted() {
        for object in changes.alive {
            for relationship in plans[object.entity].toOnes where relationship.inverse == nil {
                guard let key = object.key(in: relationship),
                    loader.known(relationship, key)?.isDeleted == true,
                    object.isInserted || object.changedSlots.contains(relationship.slot)
                else { continue }
                object.setSlot(relationship.slot, .null)
            }
        }
    }

    /// Cuts to-one relationships without an inverse that lead to a deleted object, with one query
    /// for each relationship. The save checks that no others have been added.
    private func nullifyReferences(to level: [ManagedObject]) throws {
        for relationship in model.relationships
        where !relationship.isToMany && relationship.inverse == nil {
            let destination = model.destination(of: relationship)
            let gone = level.filter { !$0.isInserted && destination.isKind($0.entity.index) }
            if gone.isEmpty { continue }
            var owners: [Int64: [Int64]] = [:]
            for object in gone { owners[object.objectID.key] = [] }
            let rows = try loader.snapshots(
                relationship.request(leadingTo: Array(owners.keys), in: model))
            let found = rows.map(loader.object(from:))
            // A row read before the link was made is outdated.
            let slot = relationship.slot
            try relationships.readAgain(
                zip(found, rows).filter { $0.before?.values[slot] != $1.values[slot] }.map(\.0))
            for (owner, row) in zip(found, rows) {
                guard case .key(let key) = row.values[slot] else { continue }
                owners[key]?.append(row.key)
                if !owner.isDeleted, owner.key(in: relationship) == key {
                    owner.setSlot(slot, .null)
                }
            }
            for (key, found) in owners {
                changes.expected.owners[ToManyID(relationship, key)] = found
            }
        }
    }

    /// Removes deleted objects from the to-many relationships without an inverse that own them.
    private func takeFromOwners(_ level: [ManagedObject]) throws {
        for relationship in model.relationships
        where relationship.isToMany && relationship.inverse == nil {
            let destination = model.destination(of: relationship)
            let members = level.filter { destination.isKind($0.entity.index) }
            if !members.isEmpty {
                try relationships.takeFromOwners(relationship, members.map(\.objectID.key))
            }
        }
    }

    /// Adds error 1600 for each Deny relationship with a destination that is not deleted.
    func checkDenials(of object: ManagedObject, _ errors: inout [ValidationError]) throws {
        for relationship in plans[object.entity].relationships
        where relationship.deleteRule == .deny {
            let staying = try destinations(relationship, object).first { key in
                let id = model.destinationID(relationship, key)
                if registry[id]?.isDeleted == true || changes.deletedElsewhere.contains(id) {
                    return false
                }
                return try relationship.isToMany || loader.existingObject(with: id) != nil
            }
            guard let staying else { continue }
            let other = loader.known(relationship, staying)?.entity
            errors.append(
                .denied(
                    object, relationship, by: staying,
                    of: other ?? model.destination(of: relationship)))
        }
    }
}
