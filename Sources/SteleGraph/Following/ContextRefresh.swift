import SteleModel
import StelePersistence

/// Refreshes a context's objects from the store, with or without merging their changes. It has no
/// state of its own.
struct ContextRefresh: RelationshipPart {
    private let context: ManagedObjectContext
    private let deletion: DeletePropagation
    var relationships: RelationshipMaintenance { deletion.relationships }

    init(_ context: ManagedObjectContext) {
        self.context = context
        deletion = context.deletion
    }

    // MARK: All objects

    /// Implements `ManagedObjectContext.refreshAllObjects`.
    func all() throws {
        view.moveOn()
        var told = ChangedObjects()
        try view.inOneView {
            try context.processPendingChanges()
            loader.forgetFailures(lostValues: false)
            try rebasing.meetInsertions(of: Set(changes.inserted.map(\.objectID)))
            let objects = registry.objects.sorted {
                ($0.objectID.root, $0.objectID.key) < ($1.objectID.root, $1.objectID.key)
            }
            var changed = objects.filter { !$0.isFault && $0.isUpdated }
            var refreshed: Set<ObjectID> = []
            while !changed.isEmpty {
                try refresh(changed, mergeChanges: true)
                refreshed.formUnion(changed.map(\.objectID))
                // Merging a change may change the other side of a relationship.
                changed = objects.filter {
                    !$0.isFault && $0.isUpdated && !refreshed.contains($0.objectID)
                }
            }
            try changes.withoutJournaling {
                for object in objects where !object.isFault && !object.hasChanges {
                    loader.turnIntoFault(object)
                    told.refreshed.append(object)
                }
                changes.dropUntouched()
                try toManys.refireAll()
                try rebasing.merge(into: changes.deleted)
                changes.dropGone()
                try dropLinksToNothing()
                try forgetExpectations()
            }
            try deleteAgain()
            try view.forgetOlderViews()
        }
        context.post(told)
    }

    /// Forgets the stored state that unsaved links and deletions relied on.
    private func forgetExpectations() throws {
        changes.dropUntouched()
        changes.expected = SaveExpectations()
        try relationships.takeFromOwnersAgain()
    }

    /// Applies deletions to objects that have been added to the store, and journals the result.
    private func deleteAgain() throws {
        try deletion.processAgain()
        // An object that was not read again when its link was cut may still have the link.
        try relationships.leaveCutLinks()
        context.registerJournal()
    }

    /// Cuts the context's own links to objects that do not exist in the store.
    private func dropLinksToNothing() throws {
        var wanted: [Int: Set<Int64>] = [:]
        var slots: [(object: ManagedObject, relationship: Relationship)] = []
        for object in changes.alive {
            for relationship in plans[object.entity].toOnes {
                guard let key = object.key(in: relationship),
                    object.before?.values[relationship.slot] != .key(key)
                else { continue }
                slots.append((object, relationship))
                wanted[model.destination(of: relationship).root, default: []].insert(key)
            }
        }
        let places = toManys.states.filter { place, state in
            model.inverse(of: model.relationships[place.relationship])?.isToMany != false
                && !state.added.isEmpty
        }
        for (place, state) in places {
            let root = model.destination(of: model.relationships[place.relationship]).root
            wanted[root, default: []].formUnion(state.added)
        }
        let found = Set(try loader.existingObjects(wanted).map(\.objectID))
        for (object, relationship) in slots {
            guard let key = object.key(in: relationship),
                !found.contains(model.destinationID(relationship, key))
            else { continue }
            try relationships.leadToOne(relationship, of: object, to: nil)
        }
        for (place, state) in places {
            let relationship = model.relationships[place.relationship]
            // If both objects are gone, the other side has already cut the link.
            for key in state.added
            where !found.contains(model.destinationID(relationship, key))
                && toManys[place]?.added.contains(key) == true
            { try relationships.part(relationship, place.owner, key) }
        }
    }

    // MARK: Some objects

    /// Refreshes objects and the other sides of their relationships.
    func refresh(_ objects: [ManagedObject], mergeChanges: Bool) throws {
        let known = objects.filter { !$0.isInserted && !$0.isDeleted && !$0.isFault }
        try changes.withoutJournaling {
            if mergeChanges {
                try rebasing.merge(into: known)
            } else {
                for object in known { try discardChanges(of: object) }
            }
            changes.dropUntouched()
            for object in known { loader.awake(object, .refresh) }
        }
        var told = ChangedObjects()
        told.refreshed = known.filter { !$0.isGone }
        told.deleted = known.filter(\.isGone)
        context.post(told)
    }

    /// Discards an object's changes, on both sides of its links, and turns it into a fault.
    private func discardChanges(of object: ManagedObject) throws {
        for relationship in object.entity.toManys {
            guard let state = toManys[relationship, object.objectID.key] else { continue }
            if model.inverse(of: relationship)?.isToMany != false {
                for key in state.added {
                    try relationships.part(relationship, object.objectID.key, key)
                }
                for key in state.removed where loader.known(relationship, key)?.isDeleted != true {
                    if relationship.inverse == nil {
                        try relationships.takeFromOwners(relationship, [key])
                    }
                    try relationships.join(relationship, object.objectID.key, key)
                }
            }
            // If the inverse is a to-one relationship, the change belongs to the other object.
            toManys.dropOrder(relationship, of: object.objectID.key)
        }
        let again = relationships.slotsLinkedAgain(object)
        var elsewhere: Set<Int> = []
        for relationship in plans[object.entity].toOnes {
            let stored = object.storedKey(in: relationship)
            if let stored, loader.known(relationship, stored)?.isDeleted == true {
                try relationships.leadToOne(relationship, of: object, to: nil)
                elsewhere.insert(relationship.slot)
            } else if object.key(in: relationship) != stored || again.contains(relationship.slot) {
                try takeBack(relationship, of: object, to: stored)
            }
        }
        if elsewhere.isEmpty { return loader.turnIntoFault(object) }
        // A link to an object deleted in this context cannot be restored.
        guard let before = object.before else { return }
        for slot in before.values.indices where !elsewhere.contains(slot) {
            object.values[slot] = before.values[slot]
        }
    }

    /// Restores the stored value of a to-one relationship and of its inverse. If the stored values
    /// disagree, one of them is older, and neither counts as a change.
    private func takeBack(
        _ toOne: Relationship, of object: ManagedObject, to stored: Int64?
    ) throws {
        let value: Value = stored.map { .key($0) } ?? .null
        guard let inverse = model.inverse(of: toOne) else {
            return object.setSlot(toOne.slot, value)
        }
        if !inverse.isToMany { return try relationships.putBack(value, toOne.slot, object) }
        for key in [object.key(in: toOne), stored] {
            guard let key else { continue }
            toManys.takeBack(object.objectID.key, inverse, of: key)
        }
        object.setSlot(toOne.slot, value)
    }

    // MARK: Discarding changes

    /// Implements `ManagedObjectContext.rollback`.
    func rollback() {
        let (new, changed) = (changes.inserted, changes.deleted + changes.touched)
        for object in new {
            registry.remove(object)
            object.context = nil
        }
        for object in changed {
            if let before = object.before { object.values = before.values }
            object.isDeleted = false
            object.isTouched = false
        }
        context.forgetAll()
        changes.withoutJournaling {
            for object in changed { loader.awake(object, .rollback) }
        }
        registry.releaseUnchanged()
        var told = ChangedObjects()
        told.deleted = new
        told.refreshed = changed
        context.post(told)
    }

    /// Implements `ManagedObjectContext.reset`.
    func reset() {
        var told = ChangedObjects()
        told.invalidated = registry.objects
        for object in told.invalidated {
            object.context = nil
            object.isWeaklyHeld = false
        }
        registry.removeAll()
        context.forgetAll()
        view.reset()
        context.post(told)
    }

    // MARK: Merging saves

    /// Implements `ManagedObjectContext.mergeChanges(fromRemoteContextSave:)`.
    func merge(_ changed: ChangedObjectIDs) throws {
        // Delete rules apply to the related objects as they were before the merge.
        try deletion.process()
        view.moveOn()
        var objects: [ManagedObject] = []
        try view.inOneView {
            try changes.withoutJournaling {
                objects = try follow(changed)
                try forgetExpectations()
            }
            try deleteAgain()
        }
        // An object that was restored by undo or a merge policy is not gone.
        let gone = objects.filter(\.isGone)
        objects.removeAll(where: \.isDeleted)
        for object in objects { loader.awake(object, .refresh) }
        var told = ChangedObjects()
        told.refreshed = objects
        told.deleted = gone
        context.post(told)
        context.post(.didMergeChanges(changed))
        for child in context.children.live where child.automaticallyMergesChangesFromParent {
            try ContextRefresh(child).merge(changed)
        }
    }

    /// Refreshes the registered objects of a save.
    /// - Returns: the objects that were refreshed.
    private func follow(_ changed: ChangedObjectIDs) throws -> [ManagedObject] {
        var objects: [ManagedObject] = []
        var unread: [Int: [Int64]] = [:]
        try rebasing.meetInsertions(of: changed.inserted)
        for id in changed.all.sorted() {
            guard let object = registry[id] else {
                forgetMembers(of: id, &unread)
                continue
            }
            if object.isFault && !changed.deleted.contains(id) {
                forgetMembers(of: id, &unread)
            } else if !object.isInserted {
                objects.append(object)
            }
        }
        try rebasing.merge(into: objects)
        for (index, owners) in unread.sorted(by: { $0.key < $1.key }) {
            try toManys.refire(model.relationships[index], owners: owners)
        }
        try rebasing.dropLinks(toDeleted: changed.deleted)
        return objects
    }

    /// Forgets the to-many relationships of an object that is not refreshed itself. Those with
    /// changes are read again at once, the others when they are next accessed.
    private func forgetMembers(of id: ObjectID, _ unread: inout [Int: [Int64]]) {
        for toMany in model.entities[id.root..<model.entities[id.root].subtree.upperBound]
            .flatMap(\.toManys)
        {
            guard let state = toManys[toMany, id.key] else { continue }
            if state.hasChanges {
                unread[toMany.index, default: []].append(id.key)
            } else {
                toManys.forget(ToManyID(toMany, id.key))
            }
        }
    }
}
