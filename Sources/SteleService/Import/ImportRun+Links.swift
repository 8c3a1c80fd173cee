/// The links of imported objects: at once, or after all records.

import SteleGraph
import SteleModel
import StelePersistence

extension ImportRun {
    /// The stored object with a name; nil if there is none of the entity.
    func stored(_ name: ObjectName, of entity: Entity, _ batch: Batch) -> ManagedObject? {
        guard let key = try? key(name, of: entity),
            let object = batch.found[ObjectID(root: entity.root, key: key)],
            entity.isKind(object.entity.index)
        else { return nil }
        return object
    }

    /// Links an object to the destinations that exist, and returns the reference to the others.
    func link(
        _ object: ManagedObject, _ reference: ImportLine.Reference, _ batch: Batch
    ) throws -> ImportLine.Reference? {
        let relationship = reference.relationship
        let destination = plan.model.destination(of: relationship)
        var found: [ManagedObject] = []
        var rest: [ObjectName] = []
        for name in reference.names {
            if let other = try self.object(name, of: destination, batch) {
                found.append(other)
            } else {
                rest.append(name)
            }
        }
        // The order of all members is set at once, and so are the members of a stored object.
        if relationship.isOrdered || !object.isInserted, !rest.isEmpty { return reference }
        try set(object, relationship, found)
        return rest.isEmpty ? nil : ImportLine.Reference(relationship: relationship, names: rest)
    }

    /// The object with a name, of the batch or of the store.
    private func object(
        _ name: ObjectName, of entity: Entity, _ batch: Batch
    ) throws -> ManagedObject? {
        let stored = stored(name, of: entity, batch)
        switch name {
        case .id(let id):
            let new = batch.identified[ObjectID(root: entity.root, key: id)]
            return new.flatMap { entity.isKind($0.entity.index) ? $0 : nil } ?? stored
        case .key(let values):
            guard let new = batch.named[entity.index]?[values] else { return stored }
            guard let new, stored == nil else { throw directory.ambiguous(values, entity) }
            return new
        }
    }

    /// Sets a relationship. That of a new object is empty before.
    private func set(
        _ object: ManagedObject, _ relationship: Relationship, _ members: [ManagedObject]
    ) throws {
        if !relationship.isToMany {
            if members.isEmpty, object.isInserted { return }
            try object.setToOne(relationship, members.first)
        } else if relationship.isOrdered || !object.isInserted {
            if members.isEmpty, object.isInserted { return }
            try object.setMembers(relationship, members)
        } else {
            for member in members { try object.addMember(relationship, member) }
        }
    }

    /// Makes links that had to wait, in one part of the save.
    func link(_ some: ArraySlice<Deferred>) throws {
        var names: [Int: Set<[Value]>] = [:]
        for one in some {
            for case .key(let name) in one.reference.names {
                names[one.reference.relationship.destination, default: []].insert(name)
            }
        }
        try inContext { context in
            try directory.load(names, context)
            var keys: [Int: Set<Int64>] = [:]
            for one in some {
                keys[one.owner.root, default: []].insert(one.owner.key)
                let destination = plan.model.destination(of: one.reference.relationship)
                for name in one.reference.names {
                    let key = try plan.placing(one.place) { try self.key(name, of: destination) }
                    if let key { keys[destination.root, default: []].insert(key) }
                }
            }
            var batch = Batch(lines: [])
            for (root, all) in keys {
                for (key, object) in try context.existingObjects(root: root, keys: Array(all)) {
                    batch.found[ObjectID(root: root, key: key)] = object
                }
            }
            for one in some {
                guard let owner = batch.found[one.owner] else { continue }
                try plan.placing(one.place) { try link(owner, one, batch) }
            }
            try save(context, batch)
        }
    }

    private func link(_ owner: ManagedObject, _ one: Deferred, _ batch: Batch) throws {
        let relationship = one.reference.relationship
        let destination = plan.model.destination(of: relationship)
        var members: [ManagedObject] = []
        for name in one.reference.names {
            if let member = stored(name, of: destination, batch) {
                members.append(member)
            } else {
                summary.missing.note(
                    name, of: relationship, at: one.place, plan, isRequired: false)
            }
        }
        if relationship.isToMany, !relationship.isOrdered, !one.replaces {
            for member in members { try owner.addMember(relationship, member) }
        } else if relationship.isToMany {
            try owner.setMembers(relationship, members)
        } else {
            try owner.setToOne(relationship, members.first)
        }
    }

    /// Records the missing links of a line that is not inserted without them.
    /// - Parameter reader: a view of the store with all that is inserted.
    func noteMissing(in line: ImportLine, _ reader: any StoreReader) throws {
        for reference in line.references where isNeeded(reference) {
            let destination = plan.model.destination(of: reference.relationship)
            for name in reference.names {
                let key = try? key(name, of: destination)
                // The key of an `_id` is known before it is known whether there is the object.
                if let key = key ?? nil,
                    try reader.snapshot(ObjectID(root: destination.root, key: key)) != nil
                {
                    continue
                }
                summary.missing.note(
                    name, of: reference.relationship, at: line.place, plan,
                    isRequired: !reference.relationship.isOptional)
            }
        }
    }
}
