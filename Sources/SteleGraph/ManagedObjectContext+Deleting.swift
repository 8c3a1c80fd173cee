/// What a deletion brings with it: Nullify, Cascade, Deny, No Action.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// Applies the delete rules of all objects deleted since it last ran, level by level, with
    /// one query a relationship and a level; loops of cascades end where they began.
    ///
    /// Deny is judged when all is known, by `saveRequest`.
    /// - Throws: `StoreError`, `ContextError.closed`.
    public func processPendingChanges() throws {
        try mergeNews()
        try processDeletions()
        if isJournaling { registerJournal() }
    }

    func processDeletions() throws {
        if !undecided.isEmpty { try inOneView { try applyDeleteRules() } }
    }

    private func applyDeleteRules() throws {
        while !undecided.isEmpty {
            let level = undecided
            // Who was to be inserted again is deleted where others have inserted him again.
            try meetStored(level)
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

    /// New objects that are deleted again were never there.
    private func forgetDeletedInserts() {
        for object in inserted where object.isDeleted {
            unregister(object)
            if object.reinserted != nil {
                // It was in the store once, and may be inserted under its key again.
                object.isInserted = false
                object.isGone = true
            }
            for toMany in object.entity.toManys {
                toManys[ToManyID(relationship: toMany.index, owner: object.id.key)] = nil
            }
        }
        inserted.removeAll { $0.isDeleted }
    }

    /// What was read for a deletion that is taken back need not hold any more.
    func forgetDeletion(of object: ManagedObject) {
        for toMany in object.entity.toManys {
            seenByDeletion[ToManyID(relationship: toMany.index, owner: object.id.key)] = nil
        }
        for relationship in model.relationships where relationship.inverse == nil {
            ownersSeen[ToManyID(relationship: relationship.index, owner: object.id.key)] = nil
        }
    }

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
            for relationship in plan(object.entity).relationships where relationship.isToMany {
                owners[relationship.index, default: []].append(object.id.key)
            }
        }
        for (index, keys) in owners.sorted(by: { $0.key < $1.key }) {
            let relationship = model.relationships[index]
            try fire(relationship, owners: keys)
            for key in keys {
                let place = ToManyID(relationship: index, owner: key)
                seenByDeletion[place] = toManys[place]?.stored ?? []
            }
        }
    }

    /// Loads the destinations that are deleted, too, or whose own row changes.
    private func readDestinations(of level: [ManagedObject]) throws -> [ManagedObject] {
        var wanted: [Int: Set<Int64>] = [:]
        for object in level {
            for relationship in plan(object.entity).relationships {
                let rule = rule(relationship, object)
                let inverse = model.inverse(of: relationship)
                guard rule == .cascade || rule == .nullify && inverse?.isToMany == false else {
                    continue
                }
                let root = model.destination(of: relationship).root
                wanted[root, default: []].formUnion(try destinations(relationship, object))
            }
        }
        var found: [ManagedObject] = []
        for (root, keys) in wanted.sorted(by: { $0.key < $1.key }) {
            found += try existingObjects(root: root, keys: keys.sorted()).values
        }
        try meetStored(found)
        try refreshDestinations(of: level)
        return found
    }

    /// Whoever leads to a deleted object by what was read for its deletion, and by what was read of
    /// him before does not, is read again: or his row would lead to what is gone.
    private func refreshDestinations(of level: [ManagedObject]) throws {
        var old: [ObjectID: ManagedObject] = [:]
        for object in level {
            for relationship in plan(object.entity).relationships
            where rule(relationship, object) == .nullify {
                guard let inverse = model.inverse(of: relationship), !inverse.isToMany else {
                    continue
                }
                for key in try destinations(relationship, object) {
                    guard let other = known(destinationID(relationship, key)), !other.isFault,
                        other.key(in: inverse) != object.id.key
                    else { continue }
                    old[other.id] = other
                }
            }
        }
        try readAgain(Array(old.values))
    }

    /// The keys at the far end of a relationship now.
    private func destinations(
        _ relationship: Relationship, _ object: ManagedObject
    ) throws -> [Int64] {
        if !relationship.isToMany { return object.key(in: relationship).map { [$0] } ?? [] }
        return try state(relationship, of: object.id.key)
            .members(ordered: relationship.isOrdered)
    }

    private func applyDeleteRules(of object: ManagedObject) throws {
        for relationship in plan(object.entity).relationships {
            let inverse = model.inverse(of: relationship)
            switch rule(relationship, object) {
            case .deny: break
            case .cascade:
                for key in try destinations(relationship, object) {
                    let other = known(destinationID(relationship, key))
                    if let other, !other.isDeleted { try delete(other) }
                }
            case .nullify where relationship.isToMany:
                let members = try destinations(relationship, object)
                let place = ToManyID(relationship: relationship.index, owner: object.id.key)
                try leavingOrder(of: place, members) {
                    for key in members where isLedBack(relationship, object, key) {
                        try unlink(relationship, object, key)
                    }
                }
            case .nullify, .noAction:
                // With the row goes its part in the destination's to-many, whatever the rule.
                guard !relationship.isToMany, let key = object.key(in: relationship) else { break }
                // What is deleted as well keeps no account of the members that it had, but for undo.
                if !isJournaling, let inverse, inverse.isToMany,
                    known(destinationID(relationship, key))?.isDeleted == true
                {
                    let place = ToManyID(relationship: inverse.index, owner: key)
                    if toManys[place]?.added.contains(object.id.key) != true { break }
                }
                // It has left that to-many when its rules were applied for the first time.
                if inverse?.isToMany == true && decidedBefore.contains(object.id) { break }
                if try cutInverse(of: relationship, from: object, to: key), isJournaling {
                    journal.append(.cut(object, relationship, key))
                }
            }
        }
    }

    /// Whether a member has by his own row the link that a deletion is about to cut. Where he has
    /// not, and was not read again for it, his row is older, and nothing of him changes.
    private func isLedBack(
        _ relationship: Relationship, _ owner: ManagedObject, _ member: Int64
    ) -> Bool {
        guard let inverse = model.inverse(of: relationship), !inverse.isToMany else { return true }
        return known(destinationID(relationship, member))?.key(in: inverse) == owner.id.key
    }

    /// Links without an inverse that were made here and lead to what is deleted.
    private func forgetLinksToDeleted() {
        for object in inserted + touched where !object.isDeleted {
            for relationship in plan(object.entity).toOnes where relationship.inverse == nil {
                guard let key = object.key(in: relationship),
                    known(destinationID(relationship, key))?.isDeleted == true,
                    object.isInserted || object.changedSlots.contains(relationship.slot)
                else { continue }
                object.setSlot(relationship.slot, .null)
            }
        }
    }

    /// Who leads to a deleted object by a to-one without an inverse leads nowhere from now on; one
    /// query a relationship. That no other comes to lead to it is expected of the store.
    private func nullifyReferences(to level: [ManagedObject]) throws {
        for relationship in model.relationships
        where !relationship.isToMany && relationship.inverse == nil {
            let destination = model.destination(of: relationship)
            let gone = level.filter { !$0.isInserted && destination.isKind($0.entity.index) }
            if gone.isEmpty { continue }
            var owners: [Int64: [Int64]] = [:]
            for object in gone { owners[object.id.key] = [] }
            let rows = try snapshots(who(relationship, leadsTo: Array(owners.keys)))
            let found = rows.map(register)
            // Who was read before he came to lead there is older than his row.
            let slot = relationship.slot
            try readAgain(
                zip(found, rows).filter { $0.before?.values[slot] != $1.values[slot] }.map(\.0))
            for (owner, row) in zip(found, rows) {
                guard case .key(let key) = row.values[slot] else { continue }
                owners[key]?.append(row.key)
                if !owner.isDeleted, owner.key(in: relationship) == key {
                    owner.setSlot(slot, .null)
                }
            }
            for (key, found) in owners {
                ownersSeen[ToManyID(relationship: relationship.index, owner: key)] = found
            }
        }
    }

    /// Deleted objects leave the to-manys without an inverse that own them.
    private func takeFromOwners(_ level: [ManagedObject]) throws {
        for relationship in model.relationships
        where relationship.isToMany && relationship.inverse == nil {
            let destination = model.destination(of: relationship)
            let members = level.filter { destination.isKind($0.entity.index) }
            if !members.isEmpty { try takeFromOwners(relationship, members.map(\.id.key)) }
        }
    }

    /// 1600 for each Deny relationship of an object with a destination that stays.
    func checkDenials(of object: ManagedObject, _ errors: inout [ValidationError]) throws {
        for relationship in plan(object.entity).relationships
        where relationship.deleteRule == .deny {
            let staying = try destinations(relationship, object).first { key in
                let id = destinationID(relationship, key)
                if known(id)?.isDeleted == true || deletedElsewhere.contains(id) { return false }
                return try relationship.isToMany || existingObject(with: id) != nil
            }
            guard let staying else { continue }
            let other = known(destinationID(relationship, staying))?.entity
            errors.append(
                .denied(
                    object, relationship, staying, other ?? model.destination(of: relationship)))
        }
    }
}
