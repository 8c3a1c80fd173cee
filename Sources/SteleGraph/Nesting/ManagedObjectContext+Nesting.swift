/// A child context's save: its changes move one level up.

import SteleModel
import StelePersistence

extension ManagedObjectContext {
    /// The contexts that read this one's unsaved state.
    var liveChildren: [ManagedObjectContext] { children.compactMap(\.context) }

    func adopt(_ child: ManagedObjectContext) {
        children.removeAll { $0.context == nil }
        children.append(WeakContext(context: child))
    }

    /// Makes a child's changes in its parent as `save` does, without asking whether they are valid:
    /// for steps on the way to what will be saved. Nothing happens in a context without a parent.
    /// - Throws: `StoreError.conflicts` for an object that the parent has deleted or lost, before
    ///   anything is changed; `StoreError` where something must be read and cannot.
    public func pushToParent() throws {
        guard let parent else { return }
        try inOneView {
            try processPendingChanges()
            if let faultError { throw faultError }
            try push(to: parent)
        }
    }

    /// Makes the changes of a child in its parent, where they are unsaved then. Links are made by
    /// the parent's own means, so that both sides agree with what the parent has now.
    /// - Throws: `ValidationErrors`; `StoreError.conflicts` for an object that the parent has
    ///   deleted or lost, changed here or linked to, before anything is changed; `StoreError` where
    ///   the parent must read.
    func saveToParent(_ parent: ManagedObjectContext) throws {
        try inOneView {
            try prepareSave()
            guard hasChanges else { return }
            let links = try changedLinks()
            try validate(updates: updatedRows, links: links)
            try push(to: parent)
        }
    }

    private var updatedRows: [ManagedObject] {
        touched.filter { !$0.isDeleted && !$0.changedSlots.isEmpty }
    }

    private func push(to parent: ManagedObjectContext) throws {
        guard hasChanges else { return }
        try parent.processPendingChanges()
        // What both have brought back is in the parent: here it is a change.
        try meetInsertions(of: Set(inserted.lazy.filter { !$0.isDeleted }.map(\.id)))
        let told = savedObjects()
        let push = try ChildSave(self, parent, updates: updatedRows)
        try push.run()
        didSaveToParent(parent)
        tellDidSave(told)
        for sibling in parent.liveChildren
        where sibling !== self && sibling.automaticallyMergesChangesFromParent {
            try sibling.merge(told.identities)
        }
    }

    /// What is changed is the parent's now: nothing is left to save here.
    private func didSaveToParent(_ parent: ManagedObjectContext) {
        for object in deleted {
            object.isGone = true
            unregister(object)
        }
        for object in inserted + touched where !object.isDeleted {
            object.isInserted = false
            object.version = parent.known(object.id)?.version ?? object.version
            object.before = Snapshot(
                entity: object.entity.index, key: object.id.key, version: object.version,
                values: object.values)
            object.isTouched = false
        }
        forgetChanges()
        letGoOfUnchanged()
    }
}

/// One save of a child: what is changed in it, made in its parent.
private struct ChildSave {
    private let child: ManagedObjectContext
    private let parent: ManagedObjectContext
    private let model: Model
    private let updates: [ManagedObject]
    /// The parent's objects of those updated and deleted, held while this runs.
    private let theirs: [ObjectID: ManagedObject]

    init(
        _ child: ManagedObjectContext, _ parent: ManagedObjectContext, updates: [ManagedObject]
    ) throws {
        self.child = child
        self.parent = parent
        self.updates = updates
        model = child.model
        var keys: [Int: [Int64]] = [:]
        for object in updates + child.deleted {
            keys[object.id.root, default: []].append(object.id.key)
        }
        for (place, state) in child.toManys where state.hasChanges {
            let id = child.ownerID(place)
            if child.known(id)?.isInserted != true { keys[id.root, default: []].append(id.key) }
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
            let entity = child.known(id)?.entity.index ?? id.root
            lost.append(
                MergeConflict(
                    entity: entity, key: id.key,
                    cached: child.known(id)?.before
                        ?? Snapshot(entity: entity, key: id.key, version: 0, values: []),
                    persisted: nil, changedSlots: [], values: []))
        }
        if !lost.isEmpty { throw StoreError.conflicts(lost) }
        try readWhatIsTakenBack()
    }

    /// What the child takes back of the parent's changes may be what others have saved meanwhile, and
    /// whom it adds they may have taken out: that is told by members that are read again.
    private func readWhatIsTakenBack() throws {
        var owners: [Int: [Int64]] = [:]
        for (place, ours) in child.toManys where ours.hasChanges {
            guard let theirs = parent.toManys[place], theirs.isOld || theirs.isFault,
                ours.removed.contains(where: theirs.added.contains)
                    || ours.added.contains(where: theirs.removed.contains)
                    || ours.added.contains(where: theirs.contains)
            else { continue }
            owners[place.relationship, default: []].append(place.owner)
        }
        for (index, keys) in owners.sorted(by: { $0.key < $1.key }) {
            try parent.fire(model.relationships[index], owners: keys.sorted(), alsoOld: true)
        }
    }

    /// Both ends of the links made in the child, as far as they are the parent's: they must be there.
    private static func linked(
        _ child: ManagedObjectContext, updates: [ManagedObject]
    ) -> Set<ObjectID> {
        var found: Set<ObjectID> = []
        func add(_ id: ObjectID) {
            guard let object = child.known(id) else { return _ = found.insert(id) }
            if !object.isInserted && !object.isDeleted { found.insert(id) }
        }
        for object in child.inserted where !object.isDeleted {
            for toOne in child.plan(object.entity).toOnes {
                if let key = object.key(in: toOne) { add(child.destinationID(toOne, key)) }
            }
        }
        for object in updates {
            let changed = object.changedSlots
            for toOne in child.plan(object.entity).toOnes where changed.contains(toOne.slot) {
                if let key = object.key(in: toOne) { add(child.destinationID(toOne, key)) }
            }
        }
        for (place, state) in child.toManys where !state.added.isEmpty {
            let relationship = child.model.relationships[place.relationship]
            guard child.model.inverse(of: relationship)?.isToMany != false,
                child.known(child.ownerID(place))?.isDeleted != true
            else { continue }
            add(child.ownerID(place))
            for key in state.added { add(child.destinationID(relationship, key)) }
        }
        return found
    }

    func run() throws {
        var made: [(ours: ManagedObject, theirs: ManagedObject)] = []
        for object in child.inserted where !object.isDeleted {
            made.append((object, try parent.insert(like: object)))
        }
        for (ours, theirs) in made {
            for relationship in child.plan(ours.entity).toOnes {
                try lead(relationship, ours, theirs)
            }
        }
        for object in updates {
            if let theirs = theirs[object.id] { try update(theirs, from: object) }
        }
        try pushMembers()
        try pushOrders()
        for object in child.deleted {
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
        try parent.leadToOne(relationship, of: theirs, to: ours.key(in: relationship))
    }

    /// Links whose other side is no to-one: each once, from whichever side is seen first.
    private func pushMembers() throws {
        for (place, state) in child.toManys.sorted(by: { $0.key < $1.key })
        where !state.added.isEmpty || !state.removed.isEmpty {
            let relationship = model.relationships[place.relationship]
            guard model.inverse(of: relationship)?.isToMany != false else { continue }
            try parent.fire(relationship, owners: [place.owner])
            for key in state.removed where parent.isMember(key, of: place) {
                try parent.part(relationship, place.owner, key)
            }
            for key in state.added where !parent.isMember(key, of: place) {
                if relationship.inverse == nil {
                    try parent.takeFromOwners(relationship, [key])
                }
                try parent.join(relationship, place.owner, key)
            }
        }
    }

    /// Members stand in the order asked for; where none is, those that came at the end, as they
    /// came.
    private func pushOrders() throws {
        for (place, state) in child.toManys where state.newOrder != nil || state.added.count > 1 {
            let relationship = model.relationships[place.relationship]
            guard relationship.isOrdered else { continue }
            let present = try parent.state(relationship, of: place.owner).members(ordered: true)
            let order = state.newOrder ?? present.filter { !state.added.contains($0) } + state.added
            let wanted = present.arranged(as: order)
            if wanted != present {
                try parent.edit(relationship, of: place.owner, .arrange(wanted))
            }
        }
    }
}

extension ManagedObjectContext {
    fileprivate func isMember(_ key: Int64, of place: ToManyID) -> Bool {
        toManys[place]?.contains(key) ?? false
    }

    /// The parent's new object for one that is new in a child: the same identity, and its
    /// attributes; one that is deleted here is back, and linked as it was.
    fileprivate func insert(like object: ManagedObject) throws -> ManagedObject {
        var values = object.values
        for relationship in plan(object.entity).toOnes { values[relationship.slot] = .null }
        if let known = known(object.id), known.isDeleted {
            restore(known)
            deleted.removeAll { !$0.isDeleted }
            try relinkAll(known)
            for case .attribute(let it) in object.entity.slots {
                known.setSlot(it.slot, values[it.slot])
            }
            return known
        }
        let made = plan(object.entity).objectClass.init(
            ManagedObjectOrigin(
                inserted: object.entity, key: object.id.key, values: values,
                before: object.reinserted, self))
        setRegistered(made, for: made.id)
        inserted.append(made)
        if isJournaling { journal.append(.inserted(made)) }
        return made
    }
}
