/// A context and its undo manager: what changes are registered, and how they are taken back.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// Takes the last group of changes back (`undo`).
    /// - Throws: as `UndoManager.undo`.
    public func undo() throws { try undoManager?.undo() }

    /// Does again what was taken back last (`redo`).
    /// - Throws: as `UndoManager.redo`.
    public func redo() throws { try undoManager?.redo() }

    func undoManagerChanged(from old: UndoManager?) {
        if old === undoManager { return }
        old?.remove(self)
        undoManager?.add(self)
        renamed = PermanentKeys()
        updateJournaling()
    }

    /// Whether there are changes that are not registered yet.
    var hasJournal: Bool { undoManager != nil && !journal.isEmpty }

    func note(_ entry: JournalEntry) { journal.append(entry) }

    /// Runs what is no change of this context, but of what the store has: nothing is written down.
    func withoutJournaling<Result>(_ work: () throws -> Result) rethrows -> Result {
        let wasJournaling = isJournaling
        isJournaling = false
        defer { isJournaling = wasJournaling }
        return try work()
    }

    func updateJournaling() {
        isJournaling = undoManager != nil || !observers.isEmpty
        if isJournaling { watchObjects() } else { journal = [] }
    }

    /// From now on objects tell of each change.
    func watchObjects() {
        watchesObjects = true
        for object in registeredObjects { object.isWatched = true }
    }

    func dropJournal() { journal = [] }

    func forgetUndo() {
        undoManager?.removeAllActions(withTarget: self)
        renamed = PermanentKeys()
    }

    /// Registers the changes since it last ran, and tells of them; called by
    /// `processPendingChanges`.
    func registerJournal() {
        guard !journal.isEmpty else { return }
        let entries = journal
        journal = []
        undoManager?.register(self) { [weak self] in try self?.takeBack(entries) }
        if !observers.isEmpty { post(changedObjects(in: entries)) }
    }

    // MARK: Taking back

    /// Takes changes back, the last one first; what it does is written down in turn.
    private func takeBack(_ entries: [JournalEntry]) throws {
        try inOneView {
            // Objects first, so that links find both their ends.
            for case .deleted(let object) in entries.reversed() { restore(object) }
            deleted.removeAll { !$0.isDeleted }
            undecided.removeAll { !$0.isDeleted }
            try meetStored(
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
            try processDeletions()
            for object in updated where !object.isDeleted { awake(object, .undoUpdate) }
        }
    }

    private func takeBack(_ entry: JournalEntry) throws {
        switch entry {
        case .deleted: break
        case .inserted(let object):
            try delete(object)
            awake(object, .undoInsertion)
        case .restored(let object): try delete(object)
        case .slot(let object, let slot, let value): try set(slot, of: object, back: value)
        case .cut(let object, let relationship, let key):
            try relink(object, relationship, key)
        case .member(let relationship, let owner, let member, let isNew):
            let place = place(relationship, owner)
            let key = current(member, destinationOf: relationship)
            let isThere = try state(relationship, of: place.owner).contains(key)
            if isNew && isThere { try part(relationship, place.owner, key) }
            if !isNew && !isThere, !isGone(key, destinationOf: relationship),
                known(ownerID(place))?.isDeleted == false
            {
                if relationship.inverse == nil { try takeFromOwners(relationship, [key]) }
                try join(relationship, place.owner, key)
            }
        case .position(let relationship, let owner, let member, let index):
            let place = place(relationship, owner)
            let key = current(member, destinationOf: relationship)
            try fire(relationship, owners: [place.owner])
            guard let found = toManys[place]?.move(key, to: index), found != index else { return }
            journal.append(.position(relationship, place.owner, key, found))
        case .order(let relationship, let owner, let wanted):
            let place = place(relationship, owner)
            let present = try state(relationship, of: place.owner).members(ordered: true)
            let old = wanted.map { current($0, destinationOf: relationship) }
            try edit(relationship, of: place.owner, .arrange(present.arranged(as: old)))
        }
    }

    /// Puts a slot's value back; a to-one with both its sides.
    private func set(_ slot: Int, of object: ManagedObject, back value: Value) throws {
        if object.isGone { return }
        guard case .relationship(let relationship) = object.entity.slots[slot] else {
            return object.setSlot(slot, value)
        }
        guard case .key(let old) = value else {
            return try leadToOne(relationship, of: object, to: nil)
        }
        let key = current(old, destinationOf: relationship)
        if !isGone(key, destinationOf: relationship) {
            if try comesBackOld(object, relationship, key) { return }
            return try leadToOne(relationship, of: object, to: key)
        }
        try leadToOne(relationship, of: object, to: nil)
        // A row that leads to what the store does not have is old.
        if object.storedKey(in: relationship) == key {
            object.setSlot(slot, .key(key))
            _ = try leaveIfGone(object, relationship, key)
        }
    }

    /// An object that was deleted comes back to the other side of a to-one that it still has.
    private func relink(
        _ object: ManagedObject, _ relationship: Relationship, _ old: Int64
    ) throws {
        let key = current(old, destinationOf: relationship)
        guard !object.isDeleted, let inverse = model.inverse(of: relationship) else { return }
        if object.key(in: relationship) != key {
            // The key that the slot has is the one before its destination was saved.
            guard object.key(in: relationship) == old else { return }
            object.values[relationship.slot] = .key(key)
        }
        if try leaveIfGone(object, relationship, key) { return }
        if try readIfOld(object, relationship, key) { return }
        if inverse.isToMany {
            let place = ToManyID(relationship: inverse.index, owner: key)
            if try !state(inverse, of: place.owner).contains(object.id.key) {
                try edit(inverse, of: key, .add(object.id.key))
            }
        } else if let other = try existingObject(with: destinationID(relationship, key)) {
            if other.value(inverse.slot).isNull {
                other.setSlot(inverse.slot, .key(object.id.key))
            } else if other.key(in: inverse) != object.id.key {
                object.setSlot(relationship.slot, .null)
            }
        }
    }

    /// An object that is back leads to nothing that is gone. Where its row leads to what the store
    /// does not have any more, the row is old, and is read again.
    /// - Returns: whether what it leads to is gone; it may have been read since its ends were.
    private func leaveIfGone(
        _ object: ManagedObject, _ relationship: Relationship, _ key: Int64
    ) throws -> Bool {
        let (id, old) = (destinationID(relationship, key), object.key(in: relationship))
        if try existingObject(with: id) != nil { return false }
        if object.storedKey(in: relationship) == key, known(id) == nil {
            try readAgain([object])
        }
        if object.key(in: relationship) == old { object.setSlot(relationship.slot, .null) }
        return true
    }

    /// Takes an object's deletion back, saved or not: saved, it is inserted again under its key.
    /// Nothing happens where another object has its identity by now: others have inserted it again,
    /// and it was read since.
    /// - Parameter event: what the object is told of it; nil where it is told by somebody else.
    func restore(_ object: ManagedObject, _ event: SnapshotEventType? = .undoDeletion) {
        guard object.isDeleted, known(object.id).map({ $0 === object }) ?? true else { return }
        object.isDeleted = false
        if object.isGone { object.isInserted = true }
        object.isGone = false
        object.context = self
        if object.isInserted { inserted.append(object) }
        setRegistered(object, for: object.id)
        forgetDeletion(of: object)
        if isJournaling { journal.append(.restored(object)) }
        if let event { awake(object, event) }
    }

    /// An object that is back leads where its slots say, which may be what others have saved since:
    /// both sides agree, and what is gone meanwhile is led to no more.
    private func relink(_ object: ManagedObject) throws {
        if object.isDeleted { return }
        for relationship in plan(object.entity).toOnes {
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

    /// As `relink`, for who comes back by no undo of this context: what it leads to is read.
    func relinkAll(_ object: ManagedObject) throws {
        let ends = try plan(object.entity).toOnes.compactMap { relationship in
            try object.key(in: relationship).flatMap {
                try existingObject(with: destinationID(relationship, $0))
            }
        }
        try withExtendedLifetime(ends) { try relink(object) }
    }

    /// Reads the objects at both ends of links to be taken back, as far as they are there; one
    /// query a family. They must be held for as long as they are asked for.
    private func readEnds(of entries: [JournalEntry]) throws -> [ManagedObject] {
        var wanted: [Int: Set<Int64>] = [:]
        func want(_ key: Int64, destinationOf relationship: Relationship) {
            let id = destinationID(relationship, current(key, destinationOf: relationship))
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
                let id = ownerID(place(relationship, owner))
                wanted[id.root, default: []].insert(id.key)
            case .deleted(let object):
                for relationship in plan(object.entity).toOnes {
                    if let key = object.key(in: relationship) {
                        want(key, destinationOf: relationship)
                    }
                }
            default: continue
            }
        }
        var found: [ManagedObject] = []
        for (root, keys) in wanted.sorted(by: { $0.key < $1.key }) {
            found += try existingObjects(root: root, keys: keys.sorted()).values
        }
        return found
    }

    /// Reads the members that links to be taken back are compared with; one query a relationship.
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
                guard let inverse = model.inverse(of: relationship), inverse.isToMany else {
                    continue
                }
                owners[inverse.index, default: []]
                    .insert(current(key, destinationOf: relationship))
            case .deleted(let object):
                for relationship in plan(object.entity).toOnes {
                    guard let inverse = model.inverse(of: relationship), inverse.isToMany,
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
        for (index, keys) in owners.sorted(by: { $0.key < $1.key }) {
            try fire(model.relationships[index], owners: keys.sorted())
        }
    }

    // MARK: Names of objects

    /// The key that an object has now, of which one is written down.
    private func current(_ key: Int64, destinationOf relationship: Relationship) -> Int64 {
        key < 0 ? renamed[destinationID(relationship, key)] ?? key : key
    }

    private func place(_ relationship: Relationship, _ owner: Int64) -> ToManyID {
        let place = ToManyID(relationship: relationship.index, owner: owner)
        guard owner < 0, let key = renamed[ownerID(place)] else { return place }
        return ToManyID(relationship: relationship.index, owner: key)
    }

    /// Whether there is no such object; only told rightly of what `readEnds` has read.
    private func isGone(_ key: Int64, destinationOf relationship: Relationship) -> Bool {
        known(destinationID(relationship, key))?.isDeleted ?? true
    }
}
