// What the sender of a write may name, change and delete.

import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

extension ObjectWriter {
    // MARK: What is seen

    /// The objects with the keys, by key, among those that exist for the sender.
    func existingObjects(root: Int, keys: [Int64]) throws -> [Int64: ManagedObject] {
        let found = try context.existingObjects(root: root, keys: keys)
        guard let sight = rights.sight else { return found }
        let stored = found.filter { !$0.value.isInserted }.map(\.key)
        let seen = try sight.seen(stored, root: root, in: context.reader())
        return found.filter { $0.value.isInserted || seen.contains($0.key) }
    }

    /// The object with the key if it exists for the sender and is of the entity.
    func object(entity: Entity, key: Int64) throws -> ManagedObject? {
        guard let object = try context.object(entity: entity, key: key) else { return nil }
        return try existingObjects(root: entity.root, keys: [key])[key].map { _ in object }
    }

    /// The object at an address.
    /// - Throws: `Problem`, 404, if it does not exist for the sender.
    func object(at address: ObjectAddress) throws -> ManagedObject {
        if let object = try object(entity: address.entity, key: address.key) { return object }
        throw Execution.missing(address)
    }

    /// The objects that match and exist for the sender.
    func fetch(_ request: FetchRequest) throws -> [ManagedObject] {
        try context.fetch(rights.sight?.woven(request) ?? request)
    }

    /// Sets the members of a to-many relationship. Members that do not exist for the sender stay,
    /// after the others.
    func setMembers(
        _ relationship: Relationship, of object: ManagedObject, _ members: [ManagedObject]
    ) throws {
        touched.insert(object.id)
        let destination = context.model.destination(of: relationship)
        guard rights.sight?.rule(of: destination) != nil else {
            return try object.setMembers(relationship, members)
        }
        let keys = try object.memberKeys(relationship)
        let seen = try existingObjects(root: destination.root, keys: keys)
        let hidden = keys.filter { seen[$0] == nil }
        let kept = try context.existingObjects(root: destination.root, keys: hidden)
        try object.setMembers(relationship, members + hidden.compactMap { kept[$0] })
    }

    /// Notes a JSON Patch of a relationship, and refuses it where the relationship may lead to what
    /// does not exist for the sender: its operations name members by their places, and compare and
    /// copy what is stored.
    /// - Throws: `Problem`, 403.
    func checkPatch(_ relationship: Relationship, of object: ManagedObject) throws {
        touched.insert(object.id)
        let destination = context.model.destination(of: relationship)
        guard rights.sight?.rule(of: destination) != nil else { return }
        throw Problem(
            .right,
            "a JSON Patch cannot change \(relationship.name): the role sees some objects of "
                + "\(destination.name) alone",
            hint: "send a merge patch, or write to the relationship's own address")
    }

    /// Deletes an object that the sender has named.
    func delete(_ object: ManagedObject) throws {
        removed.append(object)
        try context.delete(object)
    }

    // MARK: What may be done

    /// Checks that the sender may do what the body has done so far, except for what delete rules
    /// do: the rule of each verb holds for the objects as they were, and as they are now.
    /// - Throws: `Problem`: 403, and 404 for an object that does not exist for the sender.
    func checkRights() throws {
        guard !rights.isAll else { return }
        let changed = try context.updatedObjects().filter { object in
            !object.isDeleted && (!object.changedSlots.isEmpty || touched.contains(object.id))
        }
        let deleted = removed.filter { !$0.isInserted }
        try checkBefore(.update, changed)
        try checkBefore(.delete, deleted)
        try checkNow(.update, changed)
        try checkNow(.create, context.insertedObjects.filter { !$0.isDeleted })
    }

    /// Checks a verb for stored objects, as they were.
    private func checkBefore(_ verb: Rights.Verb, _ objects: [ManagedObject]) throws {
        for (entity, all) in Dictionary(grouping: objects, by: \.entity.index) {
            let entity = context.model.entities[entity]
            let keys = all.map(\.id.key)
            if let sight = rights.sight {
                let seen = try sight.seen(keys, root: entity.root, in: context.reader())
                if let hidden = keys.first(where: { !seen.contains($0) }) {
                    throw Execution.missing(ObjectAddress(entity, key: hidden))
                }
            }
            switch rights.grant(verb, on: entity) {
            case .all: break
            case .none: throw rights.refusal(verb, entity, key: keys.first)
            case .rows(let rule):
                let fitting = try Sight.keys(keys, of: entity, matching: rule, in: context.reader())
                if let other = keys.first(where: { !fitting.contains($0) }) {
                    throw rights.refusal(verb, entity, key: other)
                }
            }
        }
    }

    /// Checks a verb for objects with their changes.
    private func checkNow(_ verb: Rights.Verb, _ objects: [ManagedObject]) throws {
        for (entity, all) in Dictionary(grouping: objects, by: \.entity.index) {
            let entity = context.model.entities[entity]
            switch rights.grant(verb, on: entity) {
            case .all: break
            case .none: throw rights.refusal(verb, entity)
            case .rows(let rule):
                let fits = try context.matches(rule, of: entity, all)
                for (object, fits) in zip(all, fits) where !fits {
                    let key = object.isInserted ? nil : object.id.key
                    throw rights.refusal(verb, entity, key: key, isNow: true)
                }
            }
        }
    }
}
