import SteleModel
import StelePersistence

/// A save of a child context, which applies its changes to its parent.
struct ChildSave {
    private let child: ManagedObjectContext
    private let parent: ManagedObjectContext
    private let model: Model
    private let relationships: RelationshipMaintenance
    private let updates: [ManagedObject]
    /// The parent's objects for the updated and deleted ones, kept alive during the save.
    private let theirs: [ObjectID: ManagedObject]

    /// Applies a child's changes to its parent, where they are unsaved, and posts the
    /// notifications. Links are set by the parent, which keeps both sides consistent.
    /// - Throws: `StoreError.conflicts` if the parent has deleted or no longer has an object that
    ///   the child changed or linked to (nothing is changed then); `StoreError` if the parent
    ///   cannot read.
    static func run(_ child: ManagedObjectContext, in parent: ManagedObjectContext) throws {
        guard child.hasChanges else { return }
        try parent.processPendingChanges()
        // An object restored in both contexts exists in the parent, so in the child it is an
        // update.
        try child.relationships.rebasing.meetInsertions(
            of: Set(child.changes.insertedObjects.map(\.objectID)))
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
            keys[object.objectID.root, default: []].append(object.objectID.key)
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
                theirs[object.objectID] = object
            }
        }
        self.theirs = theirs
        var lost: [MergeConflict] = []
        for object in updates where theirs[object.objectID] == nil {
            lost.append(
                MergeConflict(
                    entity: object.entity.index, key: object.objectID.key,
                    cached: object.before ?? object.snapshot, persisted: nil,
                    changedSlots: object.changedSlots, values: object.values))
        }
        let told = Set(updates.map(\.objectID))
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

    /// Reads members again in the parent. Members that the child removes or adds may have been
    /// added or removed by other contexts since the parent read them.
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

    /// The IDs of the parent's objects at both ends of the links made in the child. These objects
    /// must exist.
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
        parent.changes.assignedStores.merge(child.changes.assignedStores) { _, own in own }
        for (ours, theirs) in made {
            for relationship in child.plans[ours.entity].toOnes {
                try lead(relationship, ours, theirs)
            }
        }
        for object in updates {
            if let theirs = theirs[object.objectID] { try update(theirs, from: object) }
        }
        try pushMembers()
        try pushOrders()
        for object in child.changes.deleted {
            if let theirs = theirs[object.objectID] { try parent.delete(theirs) }
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

    /// Applies the changed links whose inverse is not a to-one relationship, each once.
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

    /// Applies the order of ordered relationships. Without an explicit order, new members are at
    /// the end in the order in which they were added.
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

    /// The parent's object for an object inserted in the child, with the same ID and attribute
    /// values. An object that is deleted in the parent is restored with its links.
    private func insert(like object: ManagedObject) throws -> ManagedObject {
        var values = object.values
        for relationship in child.plans[object.entity].toOnes { values[relationship.slot] = .null }
        guard let known = parent.registry[object.objectID], known.isDeleted else {
            return parent.loader.insert(
                object.entity, key: object.objectID.key, values: values, before: object.reinserted)
        }
        parent.deletion.restore(known)
        parent.changes.dropRestored()
        try parent.replay.relinkAll(known)
        for case .attribute(let it) in object.entity.slots {
            known.setSlot(it.slot, values[it.slot])
        }
        return known
    }

    /// Marks the child's changes as saved.
    private func finish() {
        let changes = child.changes
        for object in changes.deleted {
            object.isGone = true
            child.registry.remove(object)
        }
        for object in changes.alive {
            object.isInserted = false
            object.version = parent.registry[object.objectID]?.version ?? object.version
            object.before = Snapshot(
                entity: object.entity.index, key: object.objectID.key, version: object.version,
                values: object.values)
            object.isTouched = false
        }
        child.forgetChanges()
        child.registry.releaseUnchanged()
    }
}
