/// A child context's save: its changes move one level up.

import SteleModel
import StelePersistence

/// One save of a child: its changes, made in its parent.
struct ChildSave {
    private let child: ManagedObjectContext
    private let parent: ManagedObjectContext
    private let model: Model
    private let relationships: RelationshipMaintenance
    private let updates: [ManagedObject]
    /// The parent's objects of those updated and deleted, held while this runs.
    private let theirs: [ObjectID: ManagedObject]

    /// Makes a child's changes in its parent, where they are unsaved then, and announces the save.
    /// Links are made by the parent's own means, so that both sides agree with what the parent has.
    /// - Throws: `StoreError.conflicts` for an object that the parent has deleted or lost, changed
    ///   in the child or linked to, before anything is changed; `StoreError` where the parent must
    ///   read.
    static func run(_ child: ManagedObjectContext, in parent: ManagedObjectContext) throws {
        guard child.hasChanges else { return }
        try parent.processPendingChanges()
        // What both have restored is in the parent: in the child it is a change.
        try child.relationships.rebasing.meetInsertions(
            of: Set(child.changes.insertedObjects.map(\.id)))
        let save = ContextSave(child)
        let saved = save.savedObjects()
        let push = try ChildSave(child, parent)
        try push.make()
        push.finish()
        save.tellDidSave(saved)
        for sibling in parent.children.live
        where sibling !== child && sibling.automaticallyMergesChangesFromParent {
            try ContextRefresh(sibling).merge(saved.identities)
        }
    }

    private init(_ child: ManagedObjectContext, _ parent: ManagedObjectContext) throws {
        self.child = child
        self.parent = parent
        model = child.model
        relationships = parent.relationships
        updates = child.changes.updatedObjects
        var keys: [Int: [Int64]] = [:]
        for object in updates + child.changes.deleted {
            keys[object.id.root, default: []].append(object.id.key)
        }
        for (place, state) in child.toManys.states where state.hasChanges {
            let id = child.model.ownerID(place)
            if child.registry[id]?.isInserted != true { keys[id.root, default: []].append(id.key) }
        }
        let linked = Self.linked(child, updates: updates)
        for id in linked { keys[id.root, default: []].append(id.key) }
        var theirs: [ObjectID: ManagedObject] = [:]
        for (root, keys) in keys {
            for object in try parent.existingObjects(root: root, keys: keys).values {
                theirs[object.id] = object
            }
        }
        self.theirs = theirs
        var lost: [MergeConflict] = []
        for object in updates where theirs[object.id] == nil {
            lost.append(
                MergeConflict(
                    entity: object.entity.index, key: object.id.key,
                    cached: object.before ?? object.snapshot, persisted: nil,
                    changedSlots: object.changedSlots, values: object.values))
        }
        let told = Set(updates.map(\.id))
        for id in linked.sorted() where theirs[id] == nil && !told.contains(id) {
            let entity = child.registry[id]?.entity.index ?? id.root
            lost.append(
                MergeConflict(
                    entity: entity, key: id.key,
                    cached: child.registry[id]?.before
                        ?? Snapshot(entity: entity, key: id.key, version: 0, values: []),
                    persisted: nil, changedSlots: [], values: []))
        }
        if !lost.isEmpty { throw StoreError.conflicts(lost) }
        try readWhatIsTakenBack()
    }

    /// What the child takes back of the parent's changes may be what others have saved meanwhile,
    /// and what it adds they may have removed: the parent reads such members again.
    private func readWhatIsTakenBack() throws {
        var owners: [Int: Set<Int64>] = [:]
        for (place, ours) in child.toManys.states where ours.hasChanges {
            guard let theirs = parent.toManys[place], theirs.isOld || theirs.isFault,
                ours.removed.contains(where: theirs.added.contains)
                    || ours.added.contains(where: theirs.removed.contains)
                    || ours.added.contains(where: theirs.contains)
            else { continue }
            owners[place.relationship, default: []].insert(place.owner)
        }
        try parent.toManys.fire(owners, alsoOld: true)
    }

    /// Both ends of the links made in the child that are objects of the parent: they must be there.
    private static func linked(
        _ child: ManagedObjectContext, updates: [ManagedObject]
    ) -> Set<ObjectID> {
        var found: Set<ObjectID> = []
        func add(_ id: ObjectID) {
            guard let object = child.registry[id] else {
                _ = found.insert(id)
                return
            }
            if !object.isInserted && !object.isDeleted { found.insert(id) }
        }
        for object in child.changes.insertedObjects {
            for toOne in child.plans[object.entity].toOnes {
                if let key = object.key(in: toOne) { add(child.model.destinationID(toOne, key)) }
            }
        }
        for object in updates {
            let changed = object.changedSlots
            for toOne in child.plans[object.entity].toOnes where changed.contains(toOne.slot) {
                if let key = object.key(in: toOne) { add(child.model.destinationID(toOne, key)) }
            }
        }
        for (place, state) in child.toManys.states where !state.added.isEmpty {
            let relationship = child.model.relationships[place.relationship]
            guard child.model.inverse(of: relationship)?.isToMany != false,
                child.registry[child.model.ownerID(place)]?.isDeleted != true
            else { continue }
            add(child.model.ownerID(place))
            for key in state.added { add(child.model.destinationID(relationship, key)) }
        }
        return found
    }

    private func make() throws {
        var made: [(ours: ManagedObject, theirs: ManagedObject)] = []
        for object in child.changes.insertedObjects {
            made.append((object, try insert(like: object)))
        }
        for (ours, theirs) in made {
            for relationship in child.plans[ours.entity].toOnes {
                try lead(relationship, ours, theirs)
            }
        }
        for object in updates {
            if let theirs = theirs[object.id] { try update(theirs, from: object) }
        }
        try pushMembers()
        try pushOrders()
        for object in child.changes.deleted {
            if let theirs = theirs[object.id] { try parent.delete(theirs) }
        }
        try parent.processPendingChanges()
    }

    private func update(_ theirs: ManagedObject, from object: ManagedObject) throws {
        for slot in object.changedSlots {
            if case .relationship(let relationship) = object.entity.slots[slot] {
                try lead(relationship, object, theirs)
            } else {
                theirs.setSlot(slot, object.values[slot])
            }
        }
    }

    private func lead(
        _ relationship: Relationship, _ ours: ManagedObject, _ theirs: ManagedObject
    ) throws {
        try relationships.leadToOne(relationship, of: theirs, to: ours.key(in: relationship))
    }

    /// Links whose other side is no to-one: each once, from the side that is met first.
    private func pushMembers() throws {
        for (place, state) in child.toManys.changed(where: {
            !$0.added.isEmpty || !$0.removed.isEmpty
        }) {
            let relationship = model.relationships[place.relationship]
            guard model.inverse(of: relationship)?.isToMany != false else { continue }
            try parent.toManys.fire(relationship, owners: [place.owner])
            for key in state.removed where isMember(key, of: place) {
                try relationships.part(relationship, place.owner, key)
            }
            for key in state.added where !isMember(key, of: place) {
                if relationship.inverse == nil {
                    try relationships.takeFromOwners(relationship, [key])
                }
                try relationships.join(relationship, place.owner, key)
            }
        }
    }

    /// Members stand in the order that was asked for; without one new members stand at the end, in
    /// the order in which they came.
    private func pushOrders() throws {
        for (place, state) in child.toManys.states
        where state.newOrder != nil || state.added.count > 1 {
            let relationship = model.relationships[place.relationship]
            guard relationship.isOrdered else { continue }
            let present = try parent.toManys.state(relationship, of: place.owner).members(
                ordered: true)
            let order = state.newOrder ?? present.filter { !state.added.contains($0) } + state.added
            let wanted = present.arranged(as: order)
            if wanted != present {
                try parent.toManys.edit(relationship, of: place.owner, .arrange(wanted))
            }
        }
    }

    // MARK: In the parent

    private func isMember(_ key: Int64, of place: ToManyID) -> Bool {
        parent.toManys[place]?.contains(key) ?? false
    }

    /// The parent's new object for one that is new in the child: the same identity, and its
    /// attributes; one that is deleted in the parent is restored, and linked as it was.
    private func insert(like object: ManagedObject) throws -> ManagedObject {
        var values = object.values
        for relationship in child.plans[object.entity].toOnes { values[relationship.slot] = .null }
        guard let known = parent.registry[object.id], known.isDeleted else {
            return parent.loader.insert(
                object.entity, key: object.id.key, values: values, before: object.reinserted)
        }
        parent.deletion.restore(known)
        parent.changes.dropRestored()
        try parent.replay.relinkAll(known)
        for case .attribute(let it) in object.entity.slots {
            known.setSlot(it.slot, values[it.slot])
        }
        return known
    }

    /// The changes are the parent's now: nothing is left to save in the child.
    private func finish() {
        let changes = child.changes
        for object in changes.deleted {
            object.isGone = true
            child.registry.remove(object)
        }
        for object in changes.alive {
            object.isInserted = false
            object.version = parent.registry[object.id]?.version ?? object.version
            object.before = Snapshot(
                entity: object.entity.index, key: object.id.key, version: object.version,
                values: object.values)
            object.isTouched = false
        }
        child.forgetChanges()
        child.registry.releaseUnchanged()
    }
}
