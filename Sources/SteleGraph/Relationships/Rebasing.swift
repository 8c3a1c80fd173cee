import SteleModel
import StelePersistence

/// Applies unsaved changes to newer rows of objects and members, on both sides of links. It has no
/// state of its own.
struct Rebasing: RelationshipPart {
    let relationships: RelationshipMaintenance

    init(_ relationships: RelationshipMaintenance) { self.relationships = relationships }

    /// Reads objects again and keeps their changes, with one query for each root entity and
    /// relationship.
    /// - Parameter read: the objects that have already been read or must not be.
    func merge(into objects: [ManagedObject], besides read: Set<ObjectID> = []) throws {
        let rows = try loader.snapshots(of: objects)
        var partners: Set<ObjectID> = []
        var gone: [ManagedObject] = []
        for object in objects {
            guard let row = rows[object.objectID], row.entity == object.entity.index else {
                partners.formUnion(disappear(object))
                gone.append(object)
                continue
            }
            partners.formUnion(try rebase(object, on: row))
        }
        for relationship in model.relationships where relationship.isToMany {
            let owner = model.entities[relationship.owner]
            let owners = objects.filter { !$0.isGone && owner.isKind($0.entity.index) }
            try toManys.refire(relationship, owners: owners.map(\.objectID.key))
        }
        // The other ends of one-to-one links that changed in the store.
        let read = read.union(objects.map(\.objectID))
        let others = partners.subtracting(read).compactMap { registry[$0] }
            .filter { !$0.isFault && !$0.isInserted && !$0.isDeleted }
        if !others.isEmpty { try merge(into: others, besides: read) }
        for object in gone { dropLinks(to: object) }
        // Objects that are not read again keep the links made here, at both ends.
        for id in partners {
            guard let other = registry[id], !other.isFault, !other.isDeleted else { continue }
            try keepOneToOnes(of: other)
        }
        var old: [ObjectID: ManagedObject] = [:]
        for object in objects where !object.isDeleted {
            for other in try agree(object) where !read.contains(other.objectID) {
                old[other.objectID] = other
            }
        }
        if !old.isEmpty { try merge(into: Array(old.values), besides: read) }
    }

    /// Makes one-to-one links consistent on both sides. If the store and this context have made
    /// different links, the context's link remains and both ends of the store's link are nil.
    /// - Returns: the objects with outdated rows to which the object leads in the store and here.
    func agree(_ object: ManagedObject) throws -> [ManagedObject] {
        guard let before = object.before else { return [] }
        var old: [ManagedObject] = []
        try keepOneToOnes(of: object)
        for (relationship, inverse) in plans[object.entity].oneToOnes
        where before.values.indices.contains(relationship.slot) {
            let (ours, theirs) = (object.value(relationship.slot), before.values[relationship.slot])
            if ours == theirs, case .key(let key) = ours,
                let other = loader.known(relationship, key), !other.isFault,
                !other.isDeleted, other.key(in: inverse) != object.objectID.key
            {
                if other.changedSlots.contains(inverse.slot) {
                    object.setSlot(relationship.slot, .null)
                } else {
                    old.append(other)
                }
            }
        }
        return old
    }

    /// Applies one-to-one links that this context has made or cut to their other ends.
    private func keepOneToOnes(of object: ManagedObject) throws {
        guard let before = object.before else { return }
        for (relationship, inverse) in plans[object.entity].oneToOnes
        where before.values.indices.contains(relationship.slot)
            && before.values[relationship.slot] != object.value(relationship.slot)
        {
            if let key = object.storedKey(in: relationship),
                let other = try loader.destination(relationship, key),
                other.key(in: inverse) == object.objectID.key
            {
                other.setSlot(inverse.slot, .null)
            }
            if let key = object.key(in: relationship),
                let other = loader.known(relationship, key), !other.isFault,
                !other.isDeleted
            {
                try relationships.takeOver(inverse, of: other, for: object, relationship)
            }
        }
    }

    /// Applies an object's changes to a newer row.
    /// - Returns: the IDs of the objects whose own rows have changed with it.
    func rebase(_ object: ManagedObject, on row: Snapshot) throws -> [ObjectID] {
        guard let before = object.before, before.values.count == row.values.count,
            object.values.count == row.values.count
        else { return [] }
        var partners: [ObjectID] = []
        let transient = plans[object.entity].transientSlots
        let isAlive = !object.isDeleted
        for slot in row.values.indices where !transient.contains(slot) {
            let (old, new) = (before.values[slot], row.values[slot])
            // A deleted object is unlinked from its current stored destinations, except where its
            // link was cut here before.
            let isOurs =
                (isAlive ? object.isTouched : old == new) && object.values[slot] != old
            if !isOurs { object.values[slot] = new }
            guard old != new, case .relationship(let toOne) = object.entity.slots[slot],
                let inverse = model.inverse(of: toOne)
            else { continue }
            for case .key(let key) in [old, new] {
                guard inverse.isToMany else {
                    partners.append(model.destinationID(toOne, key))
                    continue
                }
                toManys.rebase(
                    inverse, key, object.objectID.key, isStored: new == .key(key),
                    isWanted: isAlive && object.values[slot] == .key(key))
                let isWanted = isAlive && object.values[slot] == new
                if new == .key(key), !isWanted, toManys[inverse, key] == nil {
                    try toManys.edit(inverse, of: key, .remove(object.objectID.key))
                }
            }
        }
        object.before = row
        object.version = row.version
        return partners
    }

    // MARK: Deleted rows

    /// Marks an object that is no longer in the store as deleted and discards its changes.
    /// - Returns: the IDs of the objects that led to it by a to-one relationship, whose rows have
    ///   changed with it.
    @discardableResult
    func disappear(_ object: ManagedObject) -> [ObjectID] {
        for relationship in plans[object.entity].toOnes {
            guard let key = object.key(in: relationship),
                let inverse = model.inverse(of: relationship)
            else { continue }
            toManys.rebase(inverse, key, object.objectID.key, isStored: false, isWanted: false)
        }
        var partners: [ObjectID] = []
        for relationship in plans[object.entity].relationships {
            guard let inverse = model.inverse(of: relationship) else { continue }
            for key in destinationsKnown(relationship, object) {
                toManys.rebase(inverse, key, object.objectID.key, isStored: false, isWanted: false)
                if !inverse.isToMany { partners.append(model.destinationID(relationship, key)) }
            }
        }
        object.isDeleted = true
        object.isGone = true
        object.isTouched = false
        changes.expected.forgetDeletion(of: object, in: model)
        registry.remove(object)
        changes.drop(deleted: object)
        return partners
    }

    /// Cuts links made here that lead to an object that is no longer in the store.
    func dropLinks(to object: ManagedObject) {
        for relationship in plans[object.entity].relationships {
            if let inverse = model.toOneInverse(of: relationship) {
                for key in destinationsKnown(relationship, object) {
                    guard let other = loader.known(relationship, key), !other.isFault,
                        other.key(in: inverse) == object.objectID.key,
                        other.before?.values[inverse.slot] != .key(object.objectID.key)
                    else { continue }
                    other.setSlot(inverse.slot, .null)
                }
            }
        }
        toManys.forgetAll(of: object)
    }

    /// The keys of a relationship's destinations that are known without reading.
    private func destinationsKnown(
        _ relationship: Relationship, _ object: ManagedObject
    ) -> [Int64] {
        if !relationship.isToMany { return object.key(in: relationship).map { [$0] } ?? [] }
        return toManys[relationship, object.objectID.key]?.members(ordered: false) ?? []
    }

    /// Cuts links to objects deleted by other contexts, unless they were inserted again by undo or
    /// a merge policy.
    func dropLinks(toDeleted deleted: Set<ObjectID>) throws {
        if deleted.isEmpty { return }
        var linked: Set<ObjectID> = []
        for object in changes.inserted + changes.touched {
            for relationship in plans[object.entity].toOnes {
                guard let key = object.key(in: relationship) else { continue }
                linked.insert(model.destinationID(relationship, key))
            }
        }
        for (place, state) in toManys.states {
            linked.insert(model.ownerID(place))
            let relationship = model.relationships[place.relationship]
            for key in state.added { linked.insert(model.destinationID(relationship, key)) }
        }
        var gone = linked.intersection(deleted).filter { registry[$0]?.isDeleted ?? true }
        for (root, ids) in Dictionary(grouping: gone, by: \.root) {
            for key in try loader.snapshots(root: root, keys: ids.map(\.key)).keys {
                gone.remove(ObjectID(root: root, key: key))
            }
        }
        if !gone.isEmpty { try dropLinks(toGone: gone) }
    }

    /// Cuts links made here from or to objects deleted by other contexts.
    func dropLinks(toGone gone: Set<ObjectID>) throws {
        for object in changes.alive {
            for relationship in plans[object.entity].toOnes {
                guard let key = object.key(in: relationship),
                    gone.contains(model.destinationID(relationship, key)),
                    object.before?.values[relationship.slot] != .key(key)
                else { continue }
                try relationships.leadToOne(relationship, of: object, to: nil)
            }
        }
        for (place, state) in toManys.states {
            if gone.contains(model.ownerID(place)) {
                toManys.forget(place)
                continue
            }
            let relationship = model.relationships[place.relationship]
            guard model.inverse(of: relationship)?.isToMany != false else { continue }
            for key in state.added where gone.contains(model.destinationID(relationship, key)) {
                toManys.rebase(
                    relationship, place.owner, key, isStored: false, isWanted: false)
            }
        }
    }

    // MARK: Rows inserted again

    /// Marks inserted objects as updated or deleted if another context has also inserted them.
    func meetInsertions(of ids: Set<ObjectID>) throws {
        let again = changes.inserted.filter { $0.reinserted != nil && ids.contains($0.objectID) }
        if again.isEmpty { return }
        let rows = try loader.snapshots(of: again)
        for object in again where rows[object.objectID]?.entity == object.entity.index {
            // The object is compared with its state at its deletion.
            changes.makeUpdated(object)
        }
    }

    /// Merges objects to be inserted again with the rows that another save has inserted meanwhile.
    /// Changes made here since the deletion remain.
    func meetStored(_ objects: [ManagedObject]) throws {
        let back = objects.filter { $0.reinserted != nil }
        if back.isEmpty { return }
        try changes.withoutJournaling {
            try meetInsertions(of: Set(back.map(\.objectID)))
            try merge(into: back.filter { !$0.isInserted && registry[$0.objectID] === $0 })
        }
    }
}
