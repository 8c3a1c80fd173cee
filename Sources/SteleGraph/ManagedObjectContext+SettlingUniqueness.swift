/// Merge policies where new objects meet values that must be unique.

import SteleModel
import StelePersistence
import StelePredicates

extension ManagedObjectContext {
    /// Brings new objects together with those that have their unique values: the one in the store
    /// stays, and by the policy takes the new one's values; the new one goes. Of several new ones
    /// the first stays.
    ///
    /// The store names one conflict a save, so all new objects that break the same constraint are
    /// looked up at once: else many would be as many saves.
    /// - Returns: whether there is any such new object.
    func settle(_ conflict: ConstraintConflict) throws -> Bool {
        var pairs = try meetings(conflict)
        if pairs.isEmpty, let pair = try meeting(conflict) { pairs = [pair] }
        for (new, there) in pairs {
            if !mergePolicy.keepsStored { try pass(new, to: there) }
            try delete(new)
            replaced[new.id] = there.id
        }
        return !pairs.isEmpty
    }

    /// What the identities of new objects that have gone lead to now.
    func replacedKeys(_ permanent: PermanentKeys) -> PermanentKeys {
        var keys = PermanentKeys()
        for (id, there) in replaced where known(id)?.isInserted != true {
            var last = there
            // Who was met may have met another.
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

    /// Who meets whom, of the conflict's entity itself; each new one that is met by another comes
    /// before it goes.
    private func meetings(_ conflict: ConstraintConflict) throws -> [Meeting] {
        let entity = model.entities[conflict.entity]
        let slots = conflict.constraint.compactMap { entity.attribute(named: $0)?.slot }
        guard slots.count == conflict.constraint.count else { return [] }
        func unique(_ values: [Value]) -> [Value]? {
            let unique = slots.map { values[$0] }
            return unique.contains(.null) ? nil : unique.map(\.comparable)
        }
        var pairs: [Meeting] = []
        var holders: [[Value]: ManagedObject] = [:]
        for object in touched where object.entity === entity && !object.isDeleted {
            if let values = unique(object.values) { holders[values] = object }
        }
        var new: [(values: [Value], object: ManagedObject)] = []
        for object in inserted where object.entity === entity && !object.isDeleted {
            guard let values = unique(object.values) else { continue }
            if let there = holders[values] {
                pairs.append((object, there))
            } else {
                holders[values] = object
                new.append((values, object))
            }
        }
        let reader = try coordinator.store.reader()
        defer { reader.close() }
        var rest = new[...]
        while !rest.isEmpty {
            let some = rest.prefix(500)
            rest = rest.dropFirst(500)
            for row in try reader.fetch(Self.request(entity, slots, some.map(\.object))) {
                guard row.entity == entity.index, let values = unique(row.values),
                    let object = holders[values], object.isInserted
                else { continue }
                let there = register(row)
                // Here it has been deleted, or has given these values up.
                guard !there.isDeleted, there !== object,
                    slots.allSatisfy({ there.value($0).isStored(as: row.values[$0]) })
                else { continue }
                pairs.append((object, there))
            }
        }
        return pairs
    }

    /// Asks for who may have the unique values of some objects.
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

    /// The new object of a conflict, and who has its values; nil where there is no such.
    private func meeting(_ conflict: ConstraintConflict) throws -> Meeting? {
        let alike = inserted.filter { !$0.isDeleted && has(conflict, $0) }
        guard let new = alike.last else { return nil }
        let there: ManagedObject
        if let key = conflict.databaseKey {
            let id = ObjectID(root: new.entity.root, key: key)
            guard let stored = try known(id) ?? newest(id), !stored.isDeleted else { return nil }
            there = stored
        } else {
            // It is in this save itself: one that is stored goes before those that are new.
            let stored = touched.first { !$0.isDeleted && has(conflict, $0) }
            guard let first = stored ?? alike.first, first !== new else { return nil }
            there = first
        }
        return there.entity === new.entity ? (new, there) : nil
    }

    /// Whether an object has the values that must be unique.
    private func has(_ conflict: ConstraintConflict, _ object: ManagedObject) -> Bool {
        guard object.entity.root == model.entities[conflict.entity].root else { return false }
        return zip(conflict.constraint, conflict.values).allSatisfy { name, value in
            let slot =
                object.entity.attribute(named: name)?.slot
                ?? object.entity.relationship(named: name)?.slot
            return slot.map { object.value($0).isStored(as: value) } ?? false
        }
    }

    /// An object that was saved after this context's view was opened.
    private func newest(_ id: ObjectID) throws -> ManagedObject? {
        try newestRow(id).map(register)
    }

    /// Gives an object what a new one was given, and whoever leads to that.
    private func pass(_ new: ManagedObject, to there: ManagedObject) throws {
        let defaults = plan(new.entity).defaults
        for slot in new.values.indices
        where mergePolicy == .overwrite || !new.values[slot].isStored(as: defaults[slot]) {
            try put(new.values[slot], slot, there)
        }
        for relationship in new.entity.toManys {
            let members = try new.members(relationship)
            if members.isEmpty { continue }
            try setMembers(relationship, of: new, [])
            try addMembers(relationship, of: there, members, at: nil)
        }
        // Who leads there without an inverse is only found by asking everybody.
        let leading = model.relationships.filter {
            !$0.isToMany && $0.inverse == nil && model.destination(of: $0).root == new.entity.root
        }
        if leading.isEmpty { return }
        for object in inserted + touched where !object.isDeleted && object !== new {
            for toOne in leading where object.key(in: toOne) == new.id.key {
                object.setSlot(toOne.slot, .key(there.id.key))
            }
        }
    }
}

extension Value {
    /// The value as constraints compare it: text by its bytes, so that composed and decomposed
    /// letters differ.
    fileprivate var comparable: Value {
        if case .string(let text) = self { .data(Array(text.utf8)) } else { self }
    }
}
