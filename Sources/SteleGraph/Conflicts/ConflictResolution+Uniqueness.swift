import SteleModel
import StelePersistence
import StelePredicates

extension ConflictResolution {
    /// Resolves a uniqueness conflict by merging new objects with those that have the same unique
    /// values. The stored object, or the first of several new ones, remains; depending on the
    /// policy it takes the values of the new one, which is deleted. The remaining object may be of
    /// a subentity of the new object's entity.
    ///
    /// The store reports one conflict for each save, so all new objects that violate the constraint
    /// are looked up at once, which avoids a save for each of them.
    /// - Returns: whether there is such a new object.
    /// - Throws: `StoreError.constraint` if the remaining object is not of the new object's entity,
    ///   because an object's entity cannot change.
    func settle(_ conflict: ConstraintConflict) throws -> Bool {
        var pairs = try meetings(conflict)
        if pairs.isEmpty, let pair = try meeting(conflict) { pairs = [pair] }
        // All pairs are checked first, because merging deletes the new object.
        for (new, there) in pairs where !new.entity.isKind(there.entity.index) {
            throw StoreError.constraint(refusal(of: new, conflict.constraint, there))
        }
        for (new, there) in pairs {
            if !policy.keepsStored { try pass(new, to: there) }
            try deletion.delete(new)
            replaced[new.objectID] = there.objectID
        }
        return !pairs.isEmpty
    }

    private func refusal(
        of new: ManagedObject, _ constraint: [String], _ there: ManagedObject
    ) -> ConstraintConflict {
        ConstraintConflict(
            entity: new.entity.index, key: new.objectID.key, constraint: constraint,
            values: constraint.map { slot($0, new.entity).map(new.value) ?? .null },
            holder: ConstraintConflict.Holder(
                entity: there.entity.index, key: there.objectID.key, isNew: there.isInserted))
    }

    /// The keys of the objects with which deleted new objects were merged.
    func replacedKeys(_ permanent: PermanentKeys) -> PermanentKeys {
        var keys = PermanentKeys()
        for (id, there) in replaced where registry[id]?.isInserted != true {
            var last = there
            // The remaining object may have been merged with another one.
            for _ in replaced.indices {
                guard let next = replaced[last] else { break }
                last = next
            }
            if let key = permanent[last] ?? (last.isTemporaryID ? nil : last.key) {
                keys.insert(key, for: id)
            }
        }
        return keys
    }

    private typealias Meeting = (new: ManagedObject, there: ManagedObject)

    // MARK: All conflicts of a constraint

    /// The new objects and the objects with the same values, for all entities that share the
    /// constraint. A stored object takes precedence over the first new one.
    private func meetings(_ conflict: ConstraintConflict) throws -> [Meeting] {
        let entity = model.entity(sharing: conflict.constraint, of: model.entities[conflict.entity])
        // Subentities have the same slots.
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
                // The object was deleted here, or its values were changed here.
                guard !there.isDeleted,
                    slots.allSatisfy({ there.value($0) == row.values[$0] })
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

    /// A request for the objects that may have the same unique values.
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

    /// The new object of a conflict and the object with the same values; nil if there is none.
    private func meeting(_ conflict: ConstraintConflict) throws -> Meeting? {
        let alike = changes.inserted.filter { !$0.isDeleted && has(conflict, $0) }
        guard let new = alike.last else { return nil }
        let there: ManagedObject
        if let key = conflict.databaseKey {
            let id = ObjectID(root: new.entity.root, key: key)
            // The object may have been saved after the context's view was opened.
            guard
                let stored = try registry[id]
                    ?? view.newestSnapshot(id).map(loader.object(from:)), !stored.isDeleted
            else { return nil }
            there = stored
        } else {
            // The object is part of this save. A stored object takes precedence over new ones.
            let stored = changes.touched.first { !$0.isDeleted && has(conflict, $0) }
            guard let first = stored ?? alike.first, first !== new else { return nil }
            there = first
        }
        return (new, there)
    }

    /// Whether an object has the unique values of the conflict.
    private func has(_ conflict: ConstraintConflict, _ object: ManagedObject) -> Bool {
        guard object.entity.root == model.entities[conflict.entity].root else { return false }
        return zip(conflict.constraint, conflict.values).allSatisfy { name, value in
            slot(name, object.entity).map { object.value($0) == value } ?? false
        }
    }

    /// Assigns the values and links of a new object to another object.
    private func pass(_ new: ManagedObject, to there: ManagedObject) throws {
        let defaults = plans[there.entity].defaults
        for slot in there.values.indices {
            // The new object lacks the attributes that the subentity declares.
            let value = new.values.indices.contains(slot) ? new.values[slot] : defaults[slot]
            if policy == .overwrite || value != defaults[slot] {
                try relationships.put(value, slot, there)
            }
        }
        for relationship in new.entity.toManys {
            let members = try new.members(relationship)
            if members.isEmpty { continue }
            try relationships.setMembers(relationship, of: new, [])
            try relationships.addMembers(relationship, of: there, members, at: nil)
        }
        // Links without an inverse can only be found by examining all objects.
        let leading = model.relationships.filter {
            !$0.isToMany && $0.inverse == nil && model.destination(of: $0).root == new.entity.root
        }
        if leading.isEmpty { return }
        for object in changes.alive where object !== new {
            for toOne in leading where object.key(in: toOne) == new.objectID.key {
                object.setSlot(toOne.slot, .key(there.objectID.key))
            }
        }
    }
}
