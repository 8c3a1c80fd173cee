/// One batch of an import: looked up, inserted, linked and saved.

import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence

extension Import {
    typealias RawLine = (bytes: [UInt8], place: LinePlace)

    /// The objects of a batch by the names that references use.
    private struct Named {
        var objects: [Int: [Value: ManagedObject]] = [:]
        /// The names that several objects of the batch have, which are ambiguous.
        var twice: [Int: Set<Value>] = [:]
        var lines: [Int64: LinePlace] = [:]
    }

    /// Inserts lines in one save. It returns the lines that must wait for others.
    func insert(_ raw: [RawLine]) throws -> [RawLine] {
        if raw.isEmpty { return [] }
        let lines = try raw.map { try parse($0.bytes, $0.place) }
        return try saving { context in
            try directory.load(names(in: lines), context)
            let ready = try self.ready(lines)
            var late: [(object: ManagedObject, reference: ImportLine.Reference, LinePlace)] = []
            let chosen = lines.indices.filter { ready[$0] }
            let named = try objects(chosen.map { lines[$0] }, context)
            try prefetch(names(in: chosen.map { lines[$0] }), context)
            for (position, index) in chosen.enumerated() {
                let (object, place) = (named.objects[position], lines[index].place)
                for reference in lines[index].references {
                    let rest = try link(
                        object, reference, to: named.batch, at: place, in: context)
                    if let rest { late.append((object, rest, place)) }
                }
            }
            try save(context, lines, named.batch.lines)
            for (entity, objects) in named.batch.objects {
                for name in objects.keys { directory.note(name, of: entity) }
            }
            deferred += late.map { object, reference, place in
                Deferred(owner: object.id, reference: reference, place: place)
            }
            for index in chosen { summary.objects[lines[index].entity.name, default: 0] += 1 }
            return raw.indices.filter { !ready[$0] }.map { raw[$0] }
        }
    }

    /// The names that references use, by destination.
    private func names(in lines: [ImportLine]) -> [Int: Set<Value>] {
        var names: [Int: Set<Value>] = [:]
        for line in lines {
            for reference in line.references where !reference.keys.isEmpty {
                names[reference.relationship.destination, default: []].formUnion(reference.keys)
            }
        }
        return names
    }

    /// For each line, whether its required destinations are in the store or in the batch.
    private func ready(_ lines: [ImportLine]) throws -> [Bool] {
        var ready = [Bool](repeating: true, count: lines.count)
        let required = lines.indices.filter { index in
            lines[index].references.contains {
                !$0.relationship.isOptional && !$0.keys.isEmpty
            }
        }
        while !required.isEmpty {
            var here: [Int: Set<Value>] = [:]
            for index in lines.indices where ready[index] {
                guard let key = lines[index].key else { continue }
                for ancestor in ancestors(of: lines[index].entity) {
                    here[ancestor, default: []].insert(key)
                }
            }
            var isChanged = false
            for index in required where ready[index] {
                let hasAll = try lines[index].references.allSatisfy { reference in
                    let destination = plan.model.destination(of: reference.relationship)
                    return try reference.relationship.isOptional
                        || reference.keys.allSatisfy { name in
                            try here[destination.index]?.contains(name) == true
                                || directory.key(name, of: destination) != nil
                        }
                }
                if !hasAll {
                    ready[index] = false
                    isChanged = true
                }
            }
            if !isChanged { break }
        }
        return ready
    }

    private func ancestors(of entity: Entity) -> [Int] {
        var all: [Int] = []
        var next: Int? = entity.index
        while let index = next {
            all.append(index)
            next = plan.model.entities[index].parent
        }
        return all
    }

    private func objects(
        _ lines: [ImportLine], _ context: ManagedObjectContext
    ) throws -> (objects: [ManagedObject], batch: Named) {
        var batch = Named()
        var objects: [ManagedObject] = []
        objects.reserveCapacity(lines.count)
        for line in lines {
            do {
                let object = try context.insert(line.entity)
                for (attribute, value) in line.values { object.setValue(value, for: attribute) }
                batch.lines[object.id.key] = line.place
                objects.append(object)
                guard let key = line.key else { continue }
                for ancestor in ancestors(of: line.entity) {
                    if batch.objects[ancestor, default: [:]].updateValue(object, forKey: key) != nil
                    {
                        batch.twice[ancestor, default: []].insert(key)
                    }
                }
            } catch {
                throw placed(error, line.place)
            }
        }
        return (objects, batch)
    }

    /// Reads the objects with one query for each destination, instead of one for each object.
    private func prefetch(
        _ names: [Int: Set<Value>], _ context: ManagedObjectContext
    ) throws {
        for (index, all) in names {
            let destination = plan.model.entities[index]
            let keys = try all.compactMap { try directory.key($0, of: destination) }
            _ = try context.existingObjects(root: destination.root, keys: keys)
        }
    }

    /// Links an object to the destinations that exist, and returns the reference to the others.
    private func link(
        _ object: ManagedObject, _ reference: ImportLine.Reference, to batch: Named,
        at place: LinePlace, in context: ManagedObjectContext
    ) throws -> ImportLine.Reference? {
        let relationship = reference.relationship
        let destination = plan.model.destination(of: relationship)
        do {
            var found: [ManagedObject] = []
            var rest: [Value] = []
            for name in reference.keys {
                let stored = try directory.key(name, of: destination)
                if let other = batch.objects[destination.index]?[name] {
                    let isTwice = batch.twice[destination.index]?.contains(name) ?? false
                    if isTwice || stored != nil { throw KeyDirectory.ambiguous(name, destination) }
                    found.append(other)
                } else if let key = stored,
                    let other = try context.object(entity: destination, key: key)
                {
                    found.append(other)
                } else {
                    rest.append(name)
                }
            }
            if relationship.isOrdered, !rest.isEmpty { return reference }
            try set(object, relationship, found)
            return rest.isEmpty ? nil : ImportLine.Reference(relationship: relationship, keys: rest)
        } catch {
            throw placed(error, place)
        }
    }

    private func set(
        _ object: ManagedObject, _ relationship: Relationship, _ members: [ManagedObject]
    ) throws {
        if !relationship.isToMany {
            if let first = members.first { try object.setToOne(relationship, first) }
        } else if relationship.isOrdered {
            if !members.isEmpty { try object.setMembers(relationship, members) }
        } else {
            for member in members { try object.addMember(relationship, member) }
        }
    }

    /// Makes links that had to wait, in one save.
    func link(_ some: [Deferred], _ context: ManagedObjectContext) throws {
        var names: [Int: Set<Value>] = [:]
        var owners: [Int: [Int64]] = [:]
        for one in some {
            names[one.reference.relationship.destination, default: []]
                .formUnion(one.reference.keys)
            owners[one.owner.root, default: []].append(one.owner.key)
        }
        try directory.load(names, context)
        try prefetch(names, context)
        for (root, keys) in owners { _ = try context.existingObjects(root: root, keys: keys) }
        for one in some {
            let relationship = one.reference.relationship
            let destination = plan.model.destination(of: relationship)
            do {
                guard let owner = try context.existingObject(with: one.owner) else { continue }
                let members = try one.reference.keys.map { name in
                    guard let key = try directory.key(name, of: destination),
                        let member = try context.object(entity: destination, key: key)
                    else { throw unresolved(relationship, name, one.place) }
                    return member
                }
                try set(owner, relationship, members)
            } catch {
                throw placed(error, one.place)
            }
        }
        try save(context, [], [:])
    }

    private func save(
        _ context: ManagedObjectContext, _ lines: [ImportLine], _ places: [Int64: LinePlace]
    ) throws {
        do {
            try context.save()
        } catch let errors as ValidationErrors {
            let error = errors.errors.first
            let message = error?.detail ?? "an object is not valid"
            guard let key = error?.key, let place = places[key] else {
                throw ImportError(message)
            }
            throw placed(ImportError(message), place)
        } catch StoreError.constraint(let conflict) {
            throw duplicate(conflict, lines)
        }
    }
}
