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
        let stored = found.filter { !$0.value.isInserted }.map(\.value.objectID)
        let asked = stored.filter { known[$0] == nil }
        if !asked.isEmpty {
            // The view of the writer's context does not change.
            let seen = try sight.seen(asked.map(\.key), root: root, in: context.reader())
            for id in asked { known[id] = seen.contains(id.key) }
        }
        return found.filter { $0.value.isInserted || known[$0.value.objectID] ?? false }
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
        touched.insert(object.objectID)
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

    /// The place among all other members of an ordered relationship that is one among those that
    /// exist for the sender.
    func storedPlace(
        _ place: Int, of members: [ManagedObject], in relationship: Relationship,
        of object: ManagedObject
    ) throws -> Int {
        let destination = context.model.destination(of: relationship)
        guard rights.sight?.rule(of: destination) != nil else { return place }
        let named = Set(members.map(\.objectID.key))
        let others = try object.memberKeys(relationship).filter { !named.contains($0) }
        let seen = try existingObjects(root: destination.root, keys: others)
        let places = others.indices.filter { seen[others[$0]] != nil }
        return places.indices.contains(place) ? places[place] : others.count
    }

    /// The destination of a to-one relationship; nil for none, and for one that does not exist for
    /// the sender.
    func destination(
        _ relationship: Relationship, of object: ManagedObject
    ) throws -> ManagedObject? {
        guard let found = try object.toOne(relationship) else { return nil }
        let root = context.model.destination(of: relationship).root
        return try existingObjects(root: root, keys: [found.objectID.key])[found.objectID.key]
    }

    /// Removes the destination of a to-one relationship. One that does not exist for the sender
    /// stays: for the sender there is none already.
    func clear(_ relationship: Relationship, of object: ManagedObject) throws {
        let destination = context.model.destination(of: relationship)
        if rights.sight?.rule(of: destination) != nil, try object.toOne(relationship) != nil,
            try self.destination(relationship, of: object) == nil
        {
            return
        }
        try object.setToOne(relationship, nil)
    }

    /// An object without keys of what is not visible to the sender; nil where it cannot be read.
    func veiled(_ snapshot: Snapshot) -> Snapshot? {
        guard let sight = rights.sight else { return snapshot }
        return try? sight.veiled([snapshot], in: context.reader()).first
    }

    /// Notes a JSON Patch of a relationship, and refuses it where the relationship may lead to what
    /// does not exist for the sender: its operations name members by their places, and compare and
    /// copy what is stored.
    /// - Throws: `Problem`, 403.
    func checkPatch(_ relationship: Relationship, of object: ManagedObject) throws {
        touched.insert(object.objectID)
        let destination = context.model.destination(of: relationship)
        guard rights.sight?.rule(of: destination) != nil else { return }
        throw Problem(
            .right,
            "a JSON Patch cannot change \(relationship.name): only some objects of "
                + "\(destination.name) are visible",
            hint: "send a merge patch, or write to the relationship's own address")
    }

    /// Deletes an object that the sender has named. One that the same body has made is judged
    /// before: its delete rules reach stored objects, and afterwards it is not among the changes.
    func delete(_ object: ManagedObject) throws {
        if object.isInserted, !rights.isAll {
            try checkNow(.create, [object])
            try checkNow(.delete, [object])
        }
        removed.append(object)
        try context.delete(object)
    }

    // MARK: What may be done

    /// Checks a verb for an object that is named, before anything is told of its versions.
    func checkMay(_ verb: Rights.Verb, _ object: ManagedObject) throws {
        if rights.isAll || object.isInserted { return }
        try checkBefore(verb, [object])
    }

    /// Checks that the sender may do what the body has done so far, except for what delete rules
    /// do: the rule of each verb holds for the objects as they were, and as they are now.
    /// - Throws: `Problem`, 403.
    func checkRights() throws {
        guard !rights.isAll else { return }
        let changed = try context.updatedObjects().filter { object in
            if object.isDeleted { return false }
            return try !object.changedSlots.isEmpty || touched.contains(object.objectID)
                || hasOwnLinks(object)
        }
        let deleted = removed.filter { !$0.isInserted }
        try checkBefore(.update, changed)
        try checkBefore(.delete, deleted)
        try checkNow(.update, changed)
        try checkNow(.create, context.insertedObjects.filter { !$0.isDeleted })
    }

    /// Whether a changed object has to-many relationships whose change needs its own right, also
    /// where it is at the other end: those without an inverse, whose members have no key of their
    /// owner, and links of many to many that a rule depends on.
    private func hasOwnLinks(_ object: ManagedObject) throws -> Bool {
        let changed = try object.changedValues().keys
        return object.entity.properties.contains { property in
            guard case .relationship(let it) = property, it.isToMany, changed.contains(it.name)
            else { return false }
            guard let inverse = context.model.inverse(of: it) else { return true }
            return inverse.isToMany && (rights.uses(it.name) || rights.uses(inverse.name))
        }
    }

    /// Checks a verb for stored objects, as they were, unless they are judged already.
    private func checkBefore(_ verb: Rights.Verb, _ objects: [ManagedObject]) throws {
        let left = objects.filter { !judged.contains($0.objectID) }
        if left.isEmpty { return }
        let keys = Dictionary(grouping: left, by: \.entity.index).mapValues {
            $0.map(\.objectID.key)
        }
        try rights.check(verb, keys, in: context.reader())
    }

    /// Checks a verb for objects with their changes.
    private func checkNow(_ verb: Rights.Verb, _ objects: [ManagedObject]) throws {
        let byEntity = Dictionary(grouping: objects, by: \.entity.index)
        for (entity, unordered) in byEntity.sorted(by: { $0.key < $1.key }) {
            let entity = context.model.entities[entity]
            let all = unordered.sorted { $0.objectID.key < $1.objectID.key }
            switch rights.grant(verb, on: entity) {
            case .all: break
            case .none: throw rights.refusal(verb, entity)
            case .rows(let rule):
                let fits = try context.matches(rule, of: entity, all)
                for (object, fits) in zip(all, fits) where !fits {
                    let key = object.isInserted ? nil : object.objectID.key
                    throw rights.refusal(verb, entity, key: key, isNow: true)
                }
            }
        }
    }
}
