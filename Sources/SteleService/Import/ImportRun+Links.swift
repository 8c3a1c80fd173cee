/// The links of imported objects: at once, or after all records.

import SteleGraph
import SteleModel
import StelePersistence

extension ImportRun {
    /// The stored object with a name; nil if there is none of the entity.
    func stored(_ name: ObjectName, of entity: Entity, _ batch: Batch) -> ManagedObject? {
        if case .key(let values) = name, batch.renamed[entity.index]?.contains(values) == true {
            return nil
        }
        guard let key = try? key(name, of: entity),
            let object = batch.found[ObjectID(root: entity.root, key: key)],
            entity.isKind(object.entity.index)
        else { return nil }
        return object
    }

    /// Makes the links of a line. Those to objects that are not known yet wait.
    func link(_ line: ImportLine, _ made: Batch.Made, _ batch: Batch) throws {
        for reference in line.references {
            if !made.isNew {
                let it = LinkID(made.object.objectID, reference.relationship)
                if let place = batch.latePlaces[it] { batch.late[place] = nil }
                if let place = deferredPlaces[it] { deferred[place] = nil }
            }
            guard let rest = try link(made, reference, batch) else { continue }
            let former =
                made.isNew || !reference.relationship.isToMany
                ? [] : try made.object.members(reference.relationship)
            if plan.options.onConflict == .update {
                batch.latePlaces[LinkID(made.object.objectID, reference.relationship)] =
                    batch.late.count
            }
            batch.late.append(
                Batch.Late(
                    owner: made.object, reference: rest, place: line.place, former: former))
        }
    }

    /// Links an object to the destinations that exist, and returns the reference to the others.
    private func link(
        _ made: Batch.Made, _ reference: ImportLine.Reference, _ batch: Batch
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
        // The order of all members is set at once, and so are the members in place of others.
        if relationship.isOrdered || !made.isNew, !rest.isEmpty { return reference }
        try set(made, relationship, found)
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
            guard let new, stored == nil || stored === new else {
                throw directory.ambiguous(values, entity)
            }
            return new
        }
    }

    /// Sets a relationship. Links of a new object that other records have made stay.
    private func set(
        _ made: Batch.Made, _ relationship: Relationship, _ members: [ManagedObject]
    ) throws {
        if made.isNew, members.isEmpty { return }
        if !relationship.isToMany {
            try made.object.setToOne(relationship, members.first)
        } else if !made.isNew {
            try made.object.setMembers(relationship, members)
        } else if relationship.isOrdered {
            try order(made.object, relationship, members, inPlaceOf: [])
        } else {
            for member in members { try made.object.addMember(relationship, member) }
        }
    }

    /// Sets the first members of a relationship. The others stay, except for the former ones.
    private func order(
        _ object: ManagedObject, _ relationship: Relationship, _ members: [ManagedObject],
        inPlaceOf former: Set<Int64>
    ) throws {
        let first = Set(members.map(\.objectID))
        let others = try object.members(relationship).filter {
            !first.contains($0.objectID) && !former.contains($0.objectID.key)
        }
        try object.setMembers(relationship, members + others)
    }

    /// Makes links that had to wait, in one part of the save.
    func link(_ some: [Deferred]) throws {
        try inContext { context in
            var names: [Int: Set<[Value]>] = [:]
            for one in some { addNames(of: one.reference, to: &names) }
            try directory.load([names], context)
            var keys: [Int: Set<Int64>] = [:]
            for one in some {
                keys[one.owner.root, default: []].insert(one.owner.key)
                try plan.placing(one.place) { try collectKeys(of: one.reference, &keys) }
            }
            let batch = Batch(lines: [])
            batch.deferred = some
            try find(keys, batch, context)
            for one in some {
                guard let owner = batch.found[one.owner] else { continue }
                batch.promised.insert(LinkID(one.owner, one.reference.relationship))
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
        if !relationship.isToMany {
            try owner.setToOne(relationship, members.first)
        } else if relationship.isOrdered || !one.former.isEmpty {
            try order(owner, relationship, members, inPlaceOf: one.former)
        } else {
            for member in members { try owner.addMember(relationship, member) }
        }
    }

    /// Records the missing links of a line that is not inserted without them.
    /// - Parameter reader: a view of the store with all that is inserted.
    /// - Returns: false if none is missing.
    func noteMissing(in line: ImportLine, _ reader: any StoreReader) throws -> Bool {
        var isMissing = false
        for reference in line.references where isNeeded(reference) {
            let destination = plan.model.destination(of: reference.relationship)
            for name in reference.names {
                // The key of an `_id` is known before it is known whether there is the object.
                if let key = try plan.placing(line.place, { try key(name, of: destination) }),
                    let found = try reader.snapshot(ObjectID(root: destination.root, key: key)),
                    destination.isKind(found.entity)
                {
                    continue
                }
                isMissing = true
                summary.missing.note(
                    name, of: reference.relationship, at: line.place, plan,
                    isRequired: reference.relationship.isRequired)
            }
        }
        return isMissing
    }
}
