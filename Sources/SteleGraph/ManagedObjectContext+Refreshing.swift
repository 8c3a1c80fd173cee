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
        try inOneView {
            try processPendingChanges()
            try refresh([object], mergeChanges: mergeChanges)
        }
    }

    /// As `refresh(_:mergeChanges:)` with all registered objects, their changes kept; those that
    /// have none are faults afterwards (`refreshAllObjects`).
    /// - Throws: `StoreError`.
    public func refreshAllObjects() throws {
        try inOneView {
            try processPendingChanges()
            faultError = nil
            let objects = registeredObjects.sorted {
                ($0.id.root, $0.id.key) < ($1.id.root, $1.id.key)
            }
            try refresh(objects.filter { !$0.isFault && $0.isUpdated }, mergeChanges: true)
            for object in objects where !object.isFault && !object.hasChanges {
                turnIntoFault(object)
            }
            touched.removeAll { !$0.isTouched }
            try refireToManys()
        }
    }

    /// Forgets all changes and all objects; nothing of it can be undone (`reset`). Objects that
    /// somebody still has keep their values and belong to no context.
    public func reset() {
        for object in registeredObjects { letGo(object) }
        registered = [:]
        weaklyRegistered = [:]
        forgetChanges()
        forgetUndo()
        readFloor = nil
        faultError = nil
        dropView()
    }

    /// Takes all changes back that are not saved: new objects are gone, deleted ones are back,
    /// values are as they were read; nothing of it can be undone (`rollback`).
    public func rollback() {
        let wasJournaling = isJournaling
        isJournaling = false
        defer { isJournaling = wasJournaling }
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
        for object in changed { awake(object, .rollback) }
        letGoOfUnchanged()
    }

    private func letGo(_ object: ManagedObject) {
        object.context = nil
        object.isWeaklyHeld = false
    }

    // MARK: Following the store

    /// Objects and the other sides of their relationships, which follow, too.
    private func refresh(_ objects: [ManagedObject], mergeChanges: Bool) throws {
        let wasJournaling = isJournaling
        isJournaling = false
        defer { isJournaling = wasJournaling }
        let known = objects.filter { !$0.isInserted && !$0.isDeleted && !$0.isFault }
        if mergeChanges {
            try merge(into: known)
        } else {
            for object in known { try discardChanges(of: object) }
        }
        touched.removeAll { !$0.isTouched }
        for object in known { awake(object, .refresh) }
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
                    try join(relationship, object.id.key, key)
                }
            }
            // Where the other side is a to-one, the change is that object's.
            toManys[place]?.dropOrder()
            if toManys[place]?.hasChanges == false { toManys[place] = nil }
        }
        for relationship in plan(object.entity).toOnes {
            guard case .key(let key)? = object.before?.values[relationship.slot] else {
                try leadToOne(relationship, of: object, to: nil)
                continue
            }
            let isGone = known(destinationID(relationship, key))?.isDeleted == true
            try leadToOne(relationship, of: object, to: isGone ? nil : key)
        }
        let leadsElsewhere = plan(object.entity).toOnes.contains { relationship in
            object.before.map { $0.values[relationship.slot] != object.value(relationship.slot) }
                ?? false
        }
        if leadsElsewhere {
            // What it led to is deleted here: that is a change which it cannot take back.
            for case .attribute(let it) in object.entity.slots {
                if let before = object.before { object.values[it.slot] = before.values[it.slot] }
            }
        } else {
            turnIntoFault(object)
        }
    }

    /// Reads objects again, under their changes. One query a family and a relationship.
    func merge(into objects: [ManagedObject]) throws {
        var rows: [ObjectID: Snapshot] = [:]
        var roots: [Int: [Int64]] = [:]
        for object in objects { roots[object.id.root, default: []].append(object.id.key) }
        for (root, keys) in roots {
            for (key, row) in try snapshots(root: root, keys: keys) {
                rows[ObjectID(root: root, key: key)] = row
            }
        }
        var partners: Set<ObjectID> = []
        var gone: [ManagedObject] = []
        for object in objects {
            guard let row = rows[object.id], row.entity == object.entity.index else {
                partners.formUnion(disappear(object))
                gone.append(object)
                continue
            }
            partners.formUnion(try rebase(object, on: row))
        }
        for relationship in model.relationships where relationship.isToMany {
            let owner = model.entities[relationship.owner]
            let owners = objects.filter { !$0.isGone && owner.isKind($0.entity.index) }
            try refire(relationship, owners: owners.map(\.id.key))
        }
        // The other ends of one-to-one links that the store has changed.
        partners.subtract(objects.map(\.id))
        let others = partners.compactMap { known($0) }
            .filter { !$0.isFault && !$0.isInserted && !$0.isDeleted }
        if !others.isEmpty { try merge(into: others) }
        for object in gone { dropLinks(to: object) }
    }

    /// Puts an object's changes on top of a newer row.
    /// - Returns: the objects whose own rows have changed with it.
    private func rebase(_ object: ManagedObject, on row: Snapshot) throws -> [ObjectID] {
        guard let before = object.before, before.values.count == row.values.count,
            object.values.count == row.values.count
        else { return [] }
        var partners: [ObjectID] = []
        let transient = plan(object.entity).transientSlots
        for slot in row.values.indices where !transient.contains(slot) {
            let (old, new) = (before.values[slot], row.values[slot])
            let isOurs = object.isTouched && !isSame(object.values[slot], old)
            if !isOurs { object.values[slot] = new }
            guard old != new, case .relationship(let toOne) = object.entity.slots[slot],
                let inverse = model.inverse(of: toOne)
            else { continue }
            for case .key(let key) in [old, new] {
                guard inverse.isToMany else {
                    partners.append(destinationID(toOne, key))
                    continue
                }
                let place = ToManyID(relationship: inverse.index, owner: key)
                toManys[place]?.rebase(
                    object.id.key, isStored: new == .key(key),
                    isWanted: object.values[slot] == .key(key))
                if new == .key(key), object.values[slot] != new, toManys[place] == nil {
                    try edit(inverse, of: key, .remove(object.id.key))
                }
            }
        }
        object.before = row
        object.version = row.version
        return partners
    }

    /// Reads members again where they are known, and tells the other sides of those that have come
    /// or gone; one query.
    private func refire(_ relationship: Relationship, owners: [Int64]) throws {
        let places = owners.map { ToManyID(relationship: relationship.index, owner: $0) }
            .filter { toManys[$0] != nil && !isNew($0) }
        if places.isEmpty { return }
        let members = try memberKeys(of: relationship, owners: places.map(\.owner))
        let inverse = model.inverse(of: relationship)
        for place in places {
            let now = members[place.owner] ?? []
            let was = toManys[place]?.stored
            toManys[place]?.refire(now)
            guard let was, let inverse, inverse.isToMany, inverse.index != relationship.index
            else { continue }
            let stored = Set(now)
            for key in stored.symmetricDifference(was) {
                let other = ToManyID(relationship: inverse.index, owner: key)
                let isWanted = toManys[place]?.contains(key) ?? false
                toManys[other]?.rebase(
                    place.owner, isStored: stored.contains(key), isWanted: isWanted)
            }
        }
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

    /// An object that the store does not have any more is deleted here, and its changes are lost.
    /// - Returns: the objects that led to it by a to-one: their rows have changed with it.
    private func disappear(_ object: ManagedObject) -> [ObjectID] {
        for relationship in plan(object.entity).toOnes {
            guard let key = object.key(in: relationship),
                let inverse = model.inverse(of: relationship)
            else { continue }
            let place = ToManyID(relationship: inverse.index, owner: key)
            toManys[place]?.rebase(object.id.key, isStored: false, isWanted: false)
        }
        var partners: [ObjectID] = []
        for relationship in plan(object.entity).relationships {
            guard let inverse = model.inverse(of: relationship) else { continue }
            for key in destinationsKnown(relationship, object) {
                let other = ToManyID(relationship: inverse.index, owner: key)
                toManys[other]?.rebase(object.id.key, isStored: false, isWanted: false)
                if !inverse.isToMany { partners.append(destinationID(relationship, key)) }
            }
        }
        object.isDeleted = true
        object.isGone = true
        object.isTouched = false
        unregister(object)
        if !deleted.isEmpty { deleted.removeAll { $0 === object } }
        return partners
    }

    /// What led to an object that has disappeared by a change of this context leads nowhere.
    private func dropLinks(to object: ManagedObject) {
        for relationship in plan(object.entity).relationships {
            if let inverse = model.inverse(of: relationship), !inverse.isToMany {
                for key in destinationsKnown(relationship, object) {
                    guard let other = known(destinationID(relationship, key)), !other.isFault,
                        other.key(in: inverse) == object.id.key,
                        other.before?.values[inverse.slot] != .key(object.id.key)
                    else { continue }
                    other.setSlot(inverse.slot, .null)
                }
            }
            if relationship.isToMany {
                toManys[ToManyID(relationship: relationship.index, owner: object.id.key)] = nil
            }
        }
    }

    /// The keys at the far end of a relationship, as far as they are known without reading.
    private func destinationsKnown(
        _ relationship: Relationship, _ object: ManagedObject
    ) -> [Int64] {
        if !relationship.isToMany { return object.key(in: relationship).map { [$0] } ?? [] }
        let place = ToManyID(relationship: relationship.index, owner: object.id.key)
        return toManys[place]?.members(ordered: false) ?? []
    }
}
