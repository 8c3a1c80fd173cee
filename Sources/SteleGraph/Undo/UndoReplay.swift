import SteleModel
import StelePersistence

/// Undoes changes by replaying a journal in reverse order. The inverse of each entry is applied by
/// the same parts that made the change, so it is journaled too and can be redone.
final class UndoReplay: RelationshipPart {
    private let deletion: DeletePropagation
    var relationships: RelationshipMaintenance { deletion.relationships }
    /// The permanent keys of objects that the journal has under temporary keys.
    private var renamed = PermanentKeys()

    init(_ deletion: DeletePropagation) { self.deletion = deletion }

    // MARK: Keys

    /// Records the permanent key of an object.
    func noteKey(_ key: Int64, of id: ObjectID) { renamed.insert(key, for: id) }

    /// Records the permanent keys of objects.
    func noteKeys(_ keys: PermanentKeys) { renamed.formUnion(keys) }

    /// Forgets all keys, after the undo actions were removed.
    func forget() { renamed = PermanentKeys() }

    /// The current key of an object, given its key in the journal.
    private func current(_ key: Int64, destinationOf relationship: Relationship) -> Int64 {
        renamed.key(of: model.destinationID(relationship, key))
    }

    private func place(_ relationship: Relationship, _ owner: Int64) -> ToManyID {
        ToManyID(relationship, renamed.key(of: model.ownerID(ToManyID(relationship, owner))))
    }

    /// Whether the object does not exist. It is only known for the objects that `readEnds` has
    /// read.
    private func isGone(_ key: Int64, destinationOf relationship: Relationship) -> Bool {
        loader.known(relationship, key)?.isDeleted ?? true
    }

    // MARK: Undoing

    /// Undoes the entries, last one first.
    func takeBack(_ entries: [JournalEntry]) throws {
        try view.inOneView {
            // Objects are restored first, so that both ends of each link exist.
            for case .deleted(let object) in entries.reversed() { deletion.restore(object) }
            deletion.dropRestored()
            try rebasing.meetStored(
                entries.compactMap { if case .deleted(let object) = $0 { object } else { nil } })
            let ends = try readEnds(of: entries)
            try readMembers(of: entries)
            var updated: [ManagedObject] = []
            try withExtendedLifetime(ends) {
                for entry in entries.reversed() {
                    try takeBack(entry)
                    if case .slot(let object, _, _) = entry { updated.append(object) }
                }
                for case .deleted(let object) in entries { try relink(object) }
            }
            try deletion.process()
            for object in updated where !object.isDeleted { loader.awake(object, .undoUpdate) }
        }
    }

    private func takeBack(_ entry: JournalEntry) throws {
        switch entry {
        case .deleted: break
        case .inserted(let object):
            try deletion.delete(object)
            loader.awake(object, .undoInsertion)
        case .restored(let object): try deletion.delete(object)
        case .slot(let object, let slot, let value): try set(slot, of: object, back: value)
        case .cut(let object, let relationship, let key):
            try relink(object, relationship, key)
        case .member(let relationship, let owner, let member, let isNew):
            let place = place(relationship, owner)
            let key = current(member, destinationOf: relationship)
            let isThere = try toManys.state(relationship, of: place.owner).contains(key)
            if isNew && isThere { try relationships.part(relationship, place.owner, key) }
            if !isNew && !isThere, !isGone(key, destinationOf: relationship),
                registry[model.ownerID(place)]?.isDeleted == false
            {
                if relationship.inverse == nil {
                    try relationships.takeFromOwners(relationship, [key])
                }
                try relationships.join(relationship, place.owner, key)
            }
        case .position(let relationship, let owner, let member, let index):
            let place = place(relationship, owner)
            let key = current(member, destinationOf: relationship)
            try toManys.move(key, in: relationship, of: place.owner, to: index)
        case .order(let relationship, let owner, let wanted):
            let place = place(relationship, owner)
            let present = try toManys.state(relationship, of: place.owner).members(ordered: true)
            let old = wanted.map { current($0, destinationOf: relationship) }
            try toManys.edit(relationship, of: place.owner, .arrange(present.arranged(as: old)))
        }
    }

    /// Restores the value of a slot; for a to-one relationship, both sides of the link.
    private func set(_ slot: Int, of object: ManagedObject, back value: Value) throws {
        if object.isGone { return }
        guard case .relationship(let relationship) = object.entity.slots[slot] else {
            return object.setSlot(slot, value)
        }
        guard case .key(let old) = value else {
            return try relationships.leadToOne(relationship, of: object, to: nil)
        }
        let key = current(old, destinationOf: relationship)
        if !isGone(key, destinationOf: relationship) {
            if try relationships.comesBackOld(object, relationship, key) { return }
            return try relationships.leadToOne(relationship, of: object, to: key)
        }
        try relationships.leadToOne(relationship, of: object, to: nil)
        // A row that leads to an object missing from the store is outdated.
        if object.storedKey(in: relationship) == key {
            object.setSlot(slot, .key(key))
            _ = try leaveIfGone(object, relationship, key)
        }
    }

    // MARK: Restored objects

    /// Adds a restored object to the other side of a to-one relationship that it still has.
    private func relink(
        _ object: ManagedObject, _ relationship: Relationship, _ old: Int64
    ) throws {
        let key = current(old, destinationOf: relationship)
        guard !object.isDeleted, let inverse = model.inverse(of: relationship) else { return }
        if object.key(in: relationship) != key {
            // The slot still has the temporary key of its destination.
            guard object.key(in: relationship) == old else { return }
            object.values[relationship.slot] = .key(key)
        }
        if try leaveIfGone(object, relationship, key) { return }
        if try relationships.readIfOld(object, relationship, key) { return }
        if inverse.isToMany {
            if try !toManys.state(inverse, of: key).contains(object.objectID.key) {
                try toManys.edit(inverse, of: key, .add(object.objectID.key))
            }
        } else if let other = try loader.destination(relationship, key) {
            if other.value(inverse.slot).isNull {
                other.setSlot(inverse.slot, .key(object.objectID.key))
            } else if other.key(in: inverse) != object.objectID.key {
                object.setSlot(relationship.slot, .null)
            }
        }
    }

    /// Cuts a restored object's link to a destination that does not exist. If its row has the link,
    /// the row is outdated and is read again.
    /// - Returns: whether the destination does not exist. It is looked up again, because it may
    ///   have changed since `readEnds`.
    private func leaveIfGone(
        _ object: ManagedObject, _ relationship: Relationship, _ key: Int64
    ) throws -> Bool {
        let (id, old) = (model.destinationID(relationship, key), object.key(in: relationship))
        if try loader.existingObject(with: id) != nil { return false }
        if object.storedKey(in: relationship) == key, registry[id] == nil {
            try relationships.readAgain([object])
        }
        if object.key(in: relationship) == old { object.setSlot(relationship.slot, .null) }
        return true
    }

    /// Links a restored object according to its slots, which may contain changes saved by other
    /// contexts since. Both sides are made consistent, and links to missing objects are cut.
    private func relink(_ object: ManagedObject) throws {
        if object.isDeleted { return }
        for relationship in plans[object.entity].toOnes {
            guard let old = object.key(in: relationship) else { continue }
            if model.inverse(of: relationship) != nil {
                try relink(object, relationship, old)
                continue
            }
            let key = current(old, destinationOf: relationship)
            if try !leaveIfGone(object, relationship, key), key != old {
                object.values[relationship.slot] = .key(key)
            }
        }
    }

    /// Links an object that was restored other than by undo. Its destinations are read first.
    func relinkAll(_ object: ManagedObject) throws {
        let ends = try plans[object.entity].toOnes.compactMap { relationship in
            try object.key(in: relationship).flatMap {
                try loader.destination(relationship, $0)
            }
        }
        try withExtendedLifetime(ends) { try relink(object) }
    }

    // MARK: Reading

    /// Reads the existing objects at both ends of the links to be undone, with one query for each
    /// root entity. The caller must keep them alive.
    private func readEnds(of entries: [JournalEntry]) throws -> [ManagedObject] {
        var wanted: [Int: Set<Int64>] = [:]
        func want(_ key: Int64, destinationOf relationship: Relationship) {
            let id = model.destinationID(relationship, current(key, destinationOf: relationship))
            wanted[id.root, default: []].insert(id.key)
        }
        for entry in entries {
            switch entry {
            case .slot(let object, let slot, .key(let key)):
                if case .relationship(let relationship) = object.entity.slots[slot] {
                    want(key, destinationOf: relationship)
                }
            case .cut(_, let relationship, let key): want(key, destinationOf: relationship)
            case .member(let relationship, let owner, let member, _):
                want(member, destinationOf: relationship)
                let id = model.ownerID(place(relationship, owner))
                wanted[id.root, default: []].insert(id.key)
            case .deleted(let object):
                for relationship in plans[object.entity].toOnes {
                    if let key = object.key(in: relationship) {
                        want(key, destinationOf: relationship)
                    }
                }
            default: continue
            }
        }
        return try loader.existingObjects(wanted)
    }

    /// Reads the members that the links to be undone are compared with, with one query for each
    /// relationship.
    private func readMembers(of entries: [JournalEntry]) throws {
        var owners: [Int: Set<Int64>] = [:]
        for entry in entries {
            switch entry {
            case .member(let relationship, let owner, let member, _):
                owners[relationship.index, default: []].insert(place(relationship, owner).owner)
                if let inverse = relationship.inverse {
                    owners[inverse, default: []]
                        .insert(current(member, destinationOf: relationship))
                }
            case .cut(_, let relationship, let key):
                guard let inverse = model.toManyInverse(of: relationship) else { continue }
                owners[inverse.index, default: []]
                    .insert(current(key, destinationOf: relationship))
            case .deleted(let object):
                for relationship in plans[object.entity].toOnes {
                    guard let inverse = model.toManyInverse(of: relationship),
                        let key = object.key(in: relationship)
                    else { continue }
                    let now = current(key, destinationOf: relationship)
                    if !isGone(now, destinationOf: relationship) {
                        owners[inverse.index, default: []].insert(now)
                    }
                }
            default: continue
            }
        }
        try toManys.fire(owners)
    }
}
