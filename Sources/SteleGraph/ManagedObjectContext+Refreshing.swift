/// Back to what the store has: one object, all of them, or the context as a whole.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// Makes an object follow the store (`refresh(_:mergeChanges:)`).
    ///
    /// Without `mergeChanges` its changes are taken back and it is a fault, read anew when it is
    /// next asked. With it, it is read at once and its changes stay on top of what was read: the
    /// next save is of them, and no conflict with what was saved before now. The other sides of
    /// its relationships follow. New and deleted objects stay as they are; one that is not in the
    /// store any more is deleted here.
    /// - Throws: `ContextError.foreignObject`, `StoreError`.
    public func refresh(_ object: ManagedObject, mergeChanges: Bool) throws {
        guard object.context === self else { throw ContextError.foreignObject }
        try mergeNews()
        try inOneView {
            try processPendingChanges()
            try refresh([object], mergeChanges: mergeChanges)
        }
    }

    /// As `refresh(_:mergeChanges:)` with all registered objects, their changes kept; those that
    /// have none are faults afterwards (`refreshAllObjects`). A context that is pinned, or a
    /// request's, moves on to the newest state.
    /// - Throws: `StoreError`.
    public func refreshAllObjects() throws {
        if openOperations == 0, writerReader == nil { dropView() }
        try inOneView {
            try processPendingChanges()
            faultError = nil
            try meetInsertions(of: Set(inserted.map(\.id)))
            let objects = registeredObjects.sorted {
                ($0.id.root, $0.id.key) < ($1.id.root, $1.id.key)
            }
            var changed = objects.filter { !$0.isFault && $0.isUpdated }
            var refreshed: Set<ObjectID> = []
            while !changed.isEmpty {
                try refresh(changed, mergeChanges: true)
                refreshed.formUnion(changed.map(\.id))
                // What a change meets in the store may change the other side of a link.
                changed = objects.filter {
                    !$0.isFault && $0.isUpdated && !refreshed.contains($0.id)
                }
            }
            try withoutJournaling {
                for object in objects where !object.isFault && !object.hasChanges {
                    turnIntoFault(object)
                }
                touched.removeAll { !$0.isTouched }
                try refireToManys()
                try merge(into: deleted)
                deleted.removeAll(where: \.isGone)
                try dropLinksToNothing()
                try forgetWhatWasSeen()
            }
            try lookAgain()
            // All that it knows it has read in this view.
            if parent == nil { readFloor = try view().token }
        }
    }

    /// What unsaved links and deletions have relied on need not hold any more: members that were
    /// given to an owner are taken again from whoever has them now.
    func forgetWhatWasSeen() throws {
        touched.removeAll { !$0.isTouched }
        seenByDeletion = [:]
        ownersSeen = [:]
        try takeFromOwnersAgain()
    }

    /// Applies deletions to what has come to be there, which is written down.
    func lookAgain() throws {
        undecided += deleted
        decidedBefore = Set(deleted.map(\.id))
        defer { decidedBefore = [] }
        try processDeletions()
        // Who was not read again when he was parted is now, and may still lead there.
        try leaveCutLinks()
        if isJournaling { registerJournal() }
    }

    /// Members that this context has given to an owner are no other's, whoever has them now.
    private func takeFromOwnersAgain() throws {
        let places = toManys.filter { place, state in
            model.relationships[place.relationship].inverse == nil && !state.added.isEmpty
        }
        for (place, state) in places.sorted(by: { $0.key < $1.key }) {
            try takeFromOwners(
                model.relationships[place.relationship], Array(state.added), keeping: place.owner)
        }
    }

    /// Forgets all changes and all objects; nothing of it can be undone (`reset`). Objects that
    /// somebody still has keep their values and belong to no context.
    public func reset() {
        var told = ChangedObjects()
        told.invalidated = registeredObjects
        for object in told.invalidated { letGo(object) }
        unregisterAll()
        weaklyRegistered = [:]
        forgetChanges()
        forgetUndo()
        readFloor = nil
        faultError = nil
        lostValue = nil
        dropView()
        post(told)
    }

    /// Takes all changes back that are not saved: new objects are gone, deleted ones are back,
    /// values are as they were read; nothing of it can be undone (`rollback`).
    public func rollback() {
        let (new, changed) = (inserted, deleted + touched)
        for object in new {
            unregister(object)
            letGo(object)
        }
        for object in changed {
            if let before = object.before { object.values = before.values }
            object.isDeleted = false
            object.isTouched = false
        }
        forgetChanges()
        forgetUndo()
        faultError = nil
        lostValue = nil
        withoutJournaling {
            for object in changed { awake(object, .rollback) }
        }
        letGoOfUnchanged()
        var told = ChangedObjects()
        told.deleted = new
        told.refreshed = changed
        post(told)
    }

    private func letGo(_ object: ManagedObject) {
        object.context = nil
        object.isWeaklyHeld = false
    }

    // MARK: Following the store

    /// Objects and the other sides of their relationships, which follow, too.
    func refresh(_ objects: [ManagedObject], mergeChanges: Bool) throws {
        let known = objects.filter { !$0.isInserted && !$0.isDeleted && !$0.isFault }
        try withoutJournaling {
            if mergeChanges {
                try merge(into: known)
            } else {
                for object in known { try discardChanges(of: object) }
            }
            touched.removeAll { !$0.isTouched }
            for object in known { awake(object, .refresh) }
        }
        var told = ChangedObjects()
        told.refreshed = known.filter { !$0.isGone }
        told.deleted = known.filter(\.isGone)
        post(told)
    }

    /// Takes an object's changes back, on both sides of its links, and makes it a fault.
    private func discardChanges(of object: ManagedObject) throws {
        for relationship in object.entity.toManys {
            let place = ToManyID(relationship: relationship.index, owner: object.id.key)
            guard let state = toManys[place] else { continue }
            if model.inverse(of: relationship)?.isToMany != false {
                for key in state.added { try part(relationship, object.id.key, key) }
                for key in state.removed
                where self.known(destinationID(relationship, key))?.isDeleted != true {
                    if relationship.inverse == nil { try takeFromOwners(relationship, [key]) }
                    try join(relationship, object.id.key, key)
                }
            }
            // Where the other side is a to-one, the change is that object's.
            toManys[place]?.dropOrder()
            if toManys[place]?.hasChanges == false { toManys[place] = nil }
        }
        let again = slotsLinkedAgain(object)
        var elsewhere: Set<Int> = []
        for relationship in plan(object.entity).toOnes {
            let stored = object.storedKey(in: relationship)
            if let stored, known(destinationID(relationship, stored))?.isDeleted == true {
                try leadToOne(relationship, of: object, to: nil)
                elsewhere.insert(relationship.slot)
            } else if object.key(in: relationship) != stored || again.contains(relationship.slot) {
                try takeBack(relationship, of: object, to: stored)
            }
        }
        if elsewhere.isEmpty { return turnIntoFault(object) }
        // What it led to is deleted here: that is a change which it cannot take back.
        guard let before = object.before else { return }
        for slot in before.values.indices where !elsewhere.contains(slot) {
            object.values[slot] = before.values[slot]
        }
    }

    /// A to-one leads where it did when it was read, and so does the other side as it was read: where
    /// the two do not agree, one is older, and neither has a change of it.
    private func takeBack(
        _ toOne: Relationship, of object: ManagedObject, to stored: Int64?
    ) throws {
        let value: Value = stored.map { .key($0) } ?? .null
        guard let inverse = model.inverse(of: toOne) else {
            return object.setSlot(toOne.slot, value)
        }
        if !inverse.isToMany { return try putBack(value, toOne.slot, object) }
        for key in [object.key(in: toOne), stored] {
            guard let key else { continue }
            toManys[ToManyID(relationship: inverse.index, owner: key)]?.takeBack(object.id.key)
        }
        object.setSlot(toOne.slot, value)
    }

    /// What is unchanged is read anew when asked for; what has changes, at once.
    private func refireToManys() throws {
        toManys = toManys.filter { $0.value.hasChanges || isNew($0.key) }
        var owners: [Int: [Int64]] = [:]
        for (place, state) in toManys where !isNew(place) && !state.isFault {
            owners[place.relationship, default: []].append(place.owner)
        }
        for (index, keys) in owners.sorted(by: { $0.key < $1.key }) {
            try refire(model.relationships[index], owners: keys.sorted())
        }
    }

    /// Links of this context's own making that lead to what the store does not have lead nowhere.
    private func dropLinksToNothing() throws {
        var wanted: [Int: Set<Int64>] = [:]
        var slots: [(object: ManagedObject, relationship: Relationship)] = []
        for object in inserted + touched where !object.isDeleted {
            for relationship in plan(object.entity).toOnes {
                guard let key = object.key(in: relationship),
                    object.before?.values[relationship.slot] != .key(key)
                else { continue }
                slots.append((object, relationship))
                wanted[model.destination(of: relationship).root, default: []].insert(key)
            }
        }
        let places = toManys.filter { place, state in
            model.inverse(of: model.relationships[place.relationship])?.isToMany != false
                && !state.added.isEmpty
        }
        for (place, state) in places {
            let root = model.destination(of: model.relationships[place.relationship]).root
            wanted[root, default: []].formUnion(state.added)
        }
        var found: Set<ObjectID> = []
        for (root, keys) in wanted {
            let there = try existingObjects(root: root, keys: keys.sorted())
            found.formUnion(there.values.map(\.id))
        }
        for (object, relationship) in slots {
            guard let key = object.key(in: relationship),
                !found.contains(destinationID(relationship, key))
            else { continue }
            try leadToOne(relationship, of: object, to: nil)
        }
        for (place, state) in places {
            let relationship = model.relationships[place.relationship]
            // Where both are gone, the other side has cut it already.
            for key in state.added
            where !found.contains(destinationID(relationship, key))
                && toManys[place]?.added.contains(key) == true
            { try part(relationship, place.owner, key) }
        }
    }
}
