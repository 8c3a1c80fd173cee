/// Merge policies where new objects meet values that must be unique.

import SteleModel
import StelePersistence
import StelePredicates

extension ConflictResolution {
    /// Brings new objects together with those that have their unique values: the one in the store
    /// stays, and by the policy takes the new one's values; the new one goes. Of several new ones
    /// the first stays. The one that stays may be of a subentity of the new one's entity.
    ///
    /// The store names one conflict a save, so all new objects that break the same constraint are
    /// looked up at once: else many would be as many saves.
    /// - Returns: whether there is any such new object.
    /// - Throws: `StoreError.constraint` where one meets an object that is not of its entity, and
    ///   cannot become so: an object keeps its entity.
    func settle(_ conflict: ConstraintConflict) throws -> Bool {
        var pairs = try meetings(conflict)
        if pairs.isEmpty, let pair = try meeting(conflict) { pairs = [pair] }
        // All or none: a new one that is settled is gone.
        for (new, there) in pairs where !new.entity.isKind(there.entity.index) {
            throw StoreError.constraint(refusal(of: new, conflict.constraint, there))
        }
        for (new, there) in pairs {
            if !policy.keepsStored { try pass(new, to: there) }
            try deletion.delete(new)
            replaced[new.id] = there.id
        }
        return !pairs.isEmpty
    }

    private func refusal(
        of new: ManagedObject, _ constraint: [String], _ there: ManagedObject
    ) -> ConstraintConflict {
        ConstraintConflict(
            entity: new.entity.index, key: new.id.key, constraint: constraint,
            values: constraint.map { slot($0, new.entity).map(new.value) ?? .null },
            holder: ConstraintConflict.Holder(
                entity: there.entity.index, key: there.id.key, isNew: there.isInserted))
    }

    /// The keys of the objects that stand for new ones which are gone.
    func replacedKeys(_ permanent: PermanentKeys) -> PermanentKeys {
        var keys = PermanentKeys()
        for (id, there) in replaced where registry[id]?.isInserted != true {
            var last = there
            // The other may have met another in turn.
            for _ in replaced.indices {
                guard let next = replaced[last] else { break }
                last = next
            }
            if let key = permanent[last] ?? (last.isTemporary ? nil : last.key) {
                keys.insert(key, for: id)
            }
        }
        return keys
    }

    private typealias Meeting = (new: ManagedObject, there: ManagedObject)

    // MARK: All of one constraint

    /// New objects and those that have their values, of all entities that share the constraint: one
    /// that is stored goes before the first that is new.
    private func meetings(_ conflict: ConstraintConflict) throws -> [Meeting] {
        let entity = model.entity(sharing: conflict.constraint, of: model.entities[conflict.entity])
        // Those of subentities have the same slots.
        let slots = conflict.constraint.compactMap { entity.attribute(named: $0)?.slot }
        guard slots.count == conflict.constraint.count else { return [] }
        func unique(_ values: [Value]) -> [Value]? {
            let unique = slots.map { values[$0] }
            return unique.contains(.null) ? nil : unique
        }
        var holders: [[Value]: ManagedObject] = [:]
        for object in changes.touched where entity.isKind(object.entity.index) && !object.isDeleted
        {
            if let values = unique(object.values) { holders[values] = object }
        }
        var new: [(values: [Value], object: ManagedObject)] = []
        var wanted: [[Value]: ManagedObject] = [:]
        for object in changes.inserted where entity.isKind(object.entity.index) && !object.isDeleted
        {
            guard let values = unique(object.values) else { continue }
            new.append((values, object))
            if holders[values] == nil { wanted[values] = object }
        }
        let reader = try loader.coordinator.store.reader()
        defer { reader.close() }
        var rest = Array(wanted.values)[...]
        while !rest.isEmpty {
            let some = rest.prefix(500)
            rest = rest.dropFirst(500)
            for row in try reader.fetch(Self.request(entity, slots, Array(some))) {
                guard entity.isKind(row.entity), let values = unique(row.values),
                    wanted[values] != nil
                else { continue }
                let there = loader.object(from: row)
                // Here it has been deleted, or has given these values up.
                guard !there.isDeleted,
                    slots.allSatisfy({ there.value($0).isStored(as: row.values[$0]) })
                else { continue }
                holders[values] = there
            }
        }
        var pairs: [Meeting] = []
        for (values, object) in new {
            let there = holders[values] ?? object
            if there !== object { pairs.append((object, there)) }
            holders[values] = there
        }
        return pairs
    }

    private func slot(_ name: String, _ entity: Entity) -> Int? {
        entity.attribute(named: name)?.slot ?? entity.relationship(named: name)?.slot
    }

    /// A request for objects that may have the unique values of some.
    private static func request(
        _ entity: Entity, _ slots: [Int], _ objects: [ManagedObject]
    ) -> FetchRequest {
        var request = FetchRequest(entity: entity)
        request.predicate = .and(
            slots.map { slot in
                .comparison(
                    Comparison(
                        .key(entity.slots[slot].name), .in,
                        .aggregate(objects.map { .constant($0.value(slot)) })))
            })
        return request
    }

    // MARK: One conflict

    /// The new object of a conflict, and the one that has its values; nil where there is none.
    private func meeting(_ conflict: ConstraintConflict) throws -> Meeting? {
        let alike = changes.inserted.filter { !$0.isDeleted && has(conflict, $0) }
        guard let new = alike.last else { return nil }
        let there: ManagedObject
        if let key = conflict.databaseKey {
            let id = ObjectID(root: new.entity.root, key: key)
            // It may have been saved after this context's view was opened.
            guard
                let stored = try registry[id]
                    ?? view.newestSnapshot(id).map(loader.object(from:)), !stored.isDeleted
            else { return nil }
            there = stored
        } else {
            // It is in this save itself: one that is stored goes before those that are new.
            let stored = changes.touched.first { !$0.isDeleted && has(conflict, $0) }
            guard let first = stored ?? alike.first, first !== new else { return nil }
            there = first
        }
        return (new, there)
    }

    /// Whether an object has the values that must be unique.
    private func has(_ conflict: ConstraintConflict, _ object: ManagedObject) -> Bool {
        guard object.entity.root == model.entities[conflict.entity].root else { return false }
        return zip(conflict.constraint, conflict.values).allSatisfy { name, value in
            slot(name, object.entity).map { object.value($0).isStored(as: value) } ?? false
        }
    }

    /// Gives an object the values and links of a new one.
    private func pass(_ new: ManagedObject, to there: ManagedObject) throws {
        let defaults = plans[there.entity].defaults
        for slot in there.values.indices {
            // The new one has no value of what a subentity declares.
            let value = new.values.indices.contains(slot) ? new.values[slot] : defaults[slot]
            if policy == .overwrite || !value.isStored(as: defaults[slot]) {
                try relationships.put(value, slot, there)
            }
        }
        for relationship in new.entity.toManys {
            let members = try new.members(relationship)
            if members.isEmpty { continue }
            try relationships.setMembers(relationship, of: new, [])
            try relationships.addMembers(relationship, of: there, members, at: nil)
        }
        // Links without an inverse are found only by looking at all objects.
        let leading = model.relationships.filter {
            !$0.isToMany && $0.inverse == nil && model.destination(of: $0).root == new.entity.root
        }
        if leading.isEmpty { return }
        for object in changes.alive where object !== new {
            for toOne in leading where object.key(in: toOne) == new.id.key {
                object.setSlot(toOne.slot, .key(there.id.key))
            }
        }
    }
}
