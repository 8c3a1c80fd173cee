/// What a deletion brings with it: Nullify, Cascade, Deny, No Action.

import SteleModel
import StelePersistence

/// Applies the delete rules of deleted objects, level by level.
final class DeletePropagation: RelationshipPart {
    let relationships: RelationshipMaintenance
    /// Deleted objects whose delete rules have not been applied yet.
    private var undecided: [ManagedObject] = []
    /// Deleted objects whose delete rules are applied once more, to what has come to be there.
    private var decidedBefore: Set<ObjectID> = []

    init(_ relationships: RelationshipMaintenance) { self.relationships = relationships }

    /// Marks an object as deleted; `process` applies its delete rules. Nothing happens to one that
    /// is deleted already. A fault is read first.
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

    /// Takes an object's deletion back, saved or not: saved, it is inserted again under its key.
    /// Nothing happens where another object has its identity by now: others have inserted it again,
    /// and it was read since.
    /// - Parameter event: what the object is told; nil where the caller tells it.
    func restore(_ object: ManagedObject, _ event: SnapshotEventType? = .undoDeletion) {
        guard object.isDeleted, registry[object.id].map({ $0 === object }) ?? true else { return }
        // A new object whose deletion is not processed yet is still in the change set.
        let isListed = registry[object.id] != nil
        object.isDeleted = false
        if object.isGone { object.isInserted = true }
        object.isGone = false
        if object.isInserted, !isListed { changes.insert(object) }
        loader.readmit(object)
        changes.expected.forgetDeletion(of: object, in: model)
        changes.note(.restored(object))
        if let event { loader.awake(object, event) }
    }

    /// Drops deletions that `restore` has taken back.
    func dropRestored() {
        changes.dropRestored()
        undecided.removeAll { !$0.isDeleted }
    }

    // MARK: Levels

    /// Applies the delete rules of all objects deleted since it last ran, level by level, with one
    /// query a relationship and a level; loops of cascades end where they began.
    func process() throws {
        if !undecided.isEmpty { try view.inOneView { try applyDeleteRules() } }
    }

    /// The rules of a deleted object are applied once more by the next `process`.
    func decideAgain(_ object: ManagedObject) {
        undecided.append(object)
        decidedBefore.insert(object.id)
    }

    /// Rules that are applied from now on are applied for the first time.
    func endDecidingAgain() { decidedBefore = [] }

    /// Applies the rules of all deletions to what has come to be there.
    func processAgain() throws {
        undecided += changes.deleted
        decidedBefore = Set(changes.deleted.map(\.id))
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
            // What was to be inserted again is a row to delete where others have inserted it again.
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

    /// Nothing is kept of new objects that are deleted again.
    private func forgetDeletedInserts() {
        for object in changes.inserted where object.isDeleted {
            registry.remove(object)
            if object.reinserted != nil {
                // It was in the store once, and may be inserted under its key again.
                object.isInserted = false
                object.isGone = true
            }
            toManys.forgetAll(of: object)
        }
        changes.dropDeletedInserts()
    }

    // MARK: One level

    /// What an object's relationship does at its deletion. A new object leaves no trace. No Action
    /// cuts as Nullify does, for a link to nothing is none to every reader; but it asks nothing of
    /// the destinations (`SlotRule.left`).
    private func rule(_ relationship: Relationship, _ object: ManagedObject) -> DeleteRule {
        let rule = relationship.deleteRule
        return rule == .noAction || object.isInserted && rule == .deny ? .nullify : rule
    }

    private func readMembers(of level: [ManagedObject]) throws {
        var owners: [Int: [Int64]] = [:]
        for object in level where !object.isInserted {
            for relationship in plans[object.entity].relationships where relationship.isToMany {
                owners[relationship.index, default: []].append(object.id.key)
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

    /// Loads the destinations that are deleted, too, or whose own row changes.
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

    /// An object that leads to a deleted one by what was read for the deletion, and does not by
    /// what was read of it before, is read again: else its row would lead to what is gone.
    private func refreshDestinations(of level: [ManagedObject]) throws {
        var old: [ObjectID: ManagedObject] = [:]
        for object in level {
            for relationship in plans[object.entity].relationships
            where rule(relationship, object) == .nullify {
                guard let inverse = model.toOneInverse(of: relationship) else { continue }
                for key in try destinations(relationship, object) {
                    guard let other = loader.known(relationship, key), !other.isFault,
                        other.key(in: inverse) != object.id.key
                    else { continue }
                    old[other.id] = other
                }
            }
        }
        try relationships.readAgain(Array(old.values))
    }

    /// The keys at the far end of a relationship now.
    private func destinations(
        _ relationship: Relationship, _ object: ManagedObject
    ) throws -> [Int64] {
        if !relationship.isToMany { return object.key(in: relationship).map { [$0] } ?? [] }
        return try toManys.state(relationship, of: object.id.key)
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
                try toManys.leavingOrder(relationship, of: object.id.key, standing: members) {
                    for key in members where isLedBack(relationship, object, key) {
                        try relationships.unlink(relationship, object, key)
                    }
                }
            case .nullify, .noAction:
                // With the row its part in the destination's to-many goes, whatever the rule.
                guard !relationship.isToMany, let key = object.key(in: relationship) else { break }
                // Of the members of a deleted object no account is kept but for undo.
                if !changes.isJournaling, let inverse, inverse.isToMany,
                    loader.known(relationship, key)?.isDeleted == true
                {
                    if toManys[inverse, key]?.added.contains(object.id.key) != true { break }
                }
                // It has left that to-many when its rules were applied for the first time.
                if inverse?.isToMany == true && decidedBefore.contains(object.id) { break }
                if try relationships.cutInverse(of: relationship, from: object, to: key) {
                    changes.note(.cut(object, relationship, key))
                }
            }
        }
    }

    /// Whether a member has by its own row the link that a deletion is about to cut. Where it has
    /// not, and was not read again for it, its row is older, and nothing of it changes.
    private func isLedBack(
        _ relationship: Relationship, _ owner: ManagedObject, _ member: Int64
    ) -> Bool {
        guard let inverse = model.toOneInverse(of: relationship) else { return true }
        return loader.known(relationship, member)?.key(in: inverse) == owner.id.key
    }

    /// Cuts links without an inverse that were made here and lead to what is deleted.
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

    /// Cuts to-ones without an inverse that lead to a deleted object; one query a relationship. The
    /// save expects of the store that no others have come.
    private func nullifyReferences(to level: [ManagedObject]) throws {
        for relationship in model.relationships
        where !relationship.isToMany && relationship.inverse == nil {
            let destination = model.destination(of: relationship)
            let gone = level.filter { !$0.isInserted && destination.isKind($0.entity.index) }
            if gone.isEmpty { continue }
            var owners: [Int64: [Int64]] = [:]
            for object in gone { owners[object.id.key] = [] }
            let rows = try loader.snapshots(
                relationship.request(leadingTo: Array(owners.keys), in: model))
            let found = rows.map(loader.object(from:))
            // What was read before it came to lead there is older than its row.
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

    /// Deleted objects leave the to-manys without an inverse that own them.
    private func takeFromOwners(_ level: [ManagedObject]) throws {
        for relationship in model.relationships
        where relationship.isToMany && relationship.inverse == nil {
            let destination = model.destination(of: relationship)
            let members = level.filter { destination.isKind($0.entity.index) }
            if !members.isEmpty {
                try relationships.takeFromOwners(relationship, members.map(\.id.key))
            }
        }
    }

    /// 1600 for each Deny relationship of an object with a destination that stays.
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
