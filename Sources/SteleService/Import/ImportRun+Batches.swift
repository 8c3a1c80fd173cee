/// One batch of an import: looked up, inserted or updated, linked and saved.

import SteleGraph
import SteleModel
import StelePersistence

extension ImportRun {
    /// The objects of a batch, and those that it refers to.
    struct Batch {
        let lines: [ImportLine]
        /// The object of each line; nil for a line that is left out.
        var objects: [ManagedObject?] = []
        /// The stored objects that the lines name.
        var found: [ObjectID: ManagedObject] = [:]
        /// The new objects by entity and key; nil for a key that several have.
        var named: [Int: [[Value]: ManagedObject?]] = [:]
        /// The new objects by their `_id`.
        var identified: [ObjectID: ManagedObject] = [:]
        /// The kept keys of new objects.
        var kept: [ObjectID: Int64] = [:]
    }

    /// Inserts lines as one part of the save. It returns the lines that must wait for others.
    func insert(_ lines: [ImportLine]) throws -> [ImportLine] {
        if lines.isEmpty { return [] }
        return try inContext { context in
            var batch = Batch(lines: lines)
            try directory.load(names(in: lines), context)
            try find(lines, &batch, context)
            let ready = ready(batch)
            try reserveIDs(of: batch)
            for (index, line) in lines.enumerated() {
                let made = try plan.placing(line.place) {
                    ready[index] ? try object(of: line, &batch, context) : nil
                }
                batch.objects.append(made)
            }
            var late: [(ManagedObject, ImportLine.Reference, LinePlace)] = []
            for (line, object) in zip(lines, batch.objects) {
                guard let object else { continue }
                for reference in line.references {
                    let rest = try plan.placing(line.place) { try link(object, reference, batch) }
                    if let rest { late.append((object, rest, line.place)) }
                }
            }
            try save(context, batch, late)
            return lines.indices.filter { !ready[$0] }.map { lines[$0] }
        }
    }

    /// The names that lines use, by entity.
    private func names(in lines: [ImportLine]) -> [Int: Set<[Value]>] {
        var names: [Int: Set<[Value]>] = [:]
        for line in lines {
            for reference in line.references {
                for case .key(let name) in reference.names {
                    names[reference.relationship.destination, default: []].insert(name)
                }
            }
            if let key = line.key, mustLookUp(line.entity) {
                names[line.entity.index, default: []].insert(key)
            }
        }
        return names
    }

    /// Whether the objects of an entity are compared with those in the store by their key. The
    /// store itself refuses values that a constraint makes unique.
    private func mustLookUp(_ entity: Entity) -> Bool {
        plan.options.onConflict != .error || !plan.isIndexed(entity)
    }

    /// Makes the store give out the ids of new objects.
    private func reserveIDs(of batch: Batch) throws {
        if plan.options.givesNewIDs { return }
        for line in batch.lines {
            guard let id = line.id else { continue }
            let root = line.entity.root
            if batch.found[ObjectID(root: root, key: id)] != nil { continue }
            try plan.placing(line.place) { try identities.reserve(upTo: id, root: root, save) }
        }
    }

    /// Reads the stored objects that the lines name, with one query for each root entity.
    private func find(
        _ lines: [ImportLine], _ batch: inout Batch, _ context: ManagedObjectContext
    ) throws {
        var keys: [Int: Set<Int64>] = [:]
        for line in lines {
            let root = line.entity.root
            if let id = line.id, !plan.options.givesNewIDs, identities.mayExist(id, root: root) {
                keys[root, default: []].insert(id)
            }
            if let key = line.key, mustLookUp(line.entity),
                let found = directory.entry(key, of: line.entity)?.key
            {
                keys[root, default: []].insert(found)
            }
            for reference in line.references {
                let destination = plan.model.destination(of: reference.relationship)
                for name in reference.names {
                    let key = try plan.placing(line.place) { try self.key(name, of: destination) }
                    if let key { keys[destination.root, default: []].insert(key) }
                }
            }
        }
        for (root, all) in keys {
            for (key, object) in try context.existingObjects(root: root, keys: Array(all)) {
                batch.found[ObjectID(root: root, key: key)] = object
            }
        }
    }

    /// The key of a stored object with a name, which may not exist; nil if it is not known.
    func key(_ name: ObjectName, of entity: Entity) throws -> Int64? {
        switch name {
        case .id(let id):
            guard let key = identities.key(id, root: entity.root) else { return nil }
            return identities.mayExist(key, root: entity.root) ? key : nil
        case .key(let values): return try directory.key(values, of: entity)
        }
    }

    /// For each line, whether the destinations that it needs are in the store or in the batch.
    private func ready(_ batch: Batch) -> [Bool] {
        let lines = batch.lines
        var ready = [Bool](repeating: true, count: lines.count)
        let required = lines.indices.filter { lines[$0].references.contains(where: isNeeded) }
        while !required.isEmpty {
            var here: Set<LocalName> = []
            for index in lines.indices where ready[index] {
                let line = lines[index]
                if let id = line.id {
                    here.insert(LocalName(entity: line.entity.root, name: .id(id)))
                }
                guard let key = line.key else { continue }
                for ancestor in ancestors(of: line.entity) {
                    here.insert(LocalName(entity: ancestor, name: .key(key)))
                }
            }
            var isChanged = false
            for index in required where ready[index] {
                let hasAll = lines[index].references.allSatisfy { reference in
                    if !isNeeded(reference) { return true }
                    let destination = plan.model.destination(of: reference.relationship)
                    return reference.names.allSatisfy {
                        here.contains(LocalName($0, of: destination))
                            || stored($0, of: destination, batch) != nil
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

    /// Whether a record is not inserted without its link.
    func isNeeded(_ reference: ImportLine.Reference) -> Bool {
        !reference.names.isEmpty
            && (!reference.relationship.isOptional || plan.options.missing == .skip)
    }

    func ancestors(of entity: Entity) -> [Int] {
        var all: [Int] = []
        var next: Int? = entity.index
        while let index = next {
            all.append(index)
            next = plan.model.entities[index].parent
        }
        return all
    }

    /// The object that a line inserts or updates; nil if it is left out.
    private func object(
        of line: ImportLine, _ batch: inout Batch, _ context: ManagedObjectContext
    ) throws -> ManagedObject? {
        let known = try existing(line, batch)
        if let known {
            if plan.options.onConflict == .skip {
                summary.skipped += 1
                return nil
            }
            guard known.entity === line.entity else {
                throw ImportError(
                    "\(line.entity.name) is \(known.entity.name.withArticle) in the store, and an "
                        + "object cannot change its entity")
            }
            if !known.isInserted { summary.updated[line.entity.name, default: 0] += 1 }
        }
        let object = try known ?? context.insert(line.entity)
        for (attribute, value) in line.values { object.setValue(value, for: attribute) }
        guard known == nil else { return object }
        summary.objects[line.entity.name, default: 0] += 1
        if let id = line.id {
            batch.identified[ObjectID(root: line.entity.root, key: id)] = object
            if !plan.options.givesNewIDs { batch.kept[object.id] = id }
        }
        guard let key = line.key else { return object }
        for ancestor in ancestors(of: line.entity) {
            let isTwice = batch.named[ancestor]?[key] != nil
            batch.named[ancestor, default: [:]][key] = .some(isTwice ? nil : object)
        }
        return object
    }

    /// The object that a line would insert again.
    /// - Throws: `ImportError` if that is an error.
    private func existing(_ line: ImportLine, _ batch: Batch) throws -> ManagedObject? {
        let policy = plan.options.onConflict
        if let id = line.id {
            let identity = ObjectID(root: line.entity.root, key: id)
            if plan.options.givesNewIDs, identities.key(id, root: line.entity.root) != nil {
                throw ImportError("the _id \(id) occurs twice")
            }
            let stored = plan.options.givesNewIDs ? nil : batch.found[identity]
            if let known = batch.identified[identity] ?? stored {
                guard policy == .error else { return known }
                throw ImportError(
                    batch.identified[identity] == nil
                        ? "\(line.entity.name) \(id) is already in the store: --on-conflict update "
                            + "changes it, --on-conflict skip leaves it, --new-ids gives the "
                            + "objects of the files new ids"
                        : "the _id \(id) occurs twice")
            }
        }
        guard let key = line.key, mustLookUp(line.entity) else { return nil }
        if policy != .error, let new = batch.named[line.entity.index]?[key] {
            guard let new else { throw directory.ambiguous(key, line.entity) }
            return new
        }
        guard let entry = directory.entry(key, of: line.entity) else { return nil }
        if policy == .error {
            guard !entry.isNew else { return nil }
            throw ImportError(
                "\(line.entity.name.withArticle) whose \(shown(key, line.entity)) is already in "
                    + "the store: --on-conflict update changes it, --on-conflict skip leaves it")
        }
        guard let stored = entry.key else { throw directory.ambiguous(key, line.entity) }
        return batch.found[ObjectID(root: line.entity.root, key: stored)]
    }

    private func shown(_ key: [Value], _ entity: Entity) -> String {
        plan.key(of: entity)?.shown(key) ?? ""
    }

    /// Saves the part, and keeps what later parts need of it.
    func save(
        _ context: ManagedObjectContext, _ batch: Batch,
        _ late: [(object: ManagedObject, reference: ImportLine.Reference, place: LinePlace)] = []
    ) throws {
        var keys = PermanentKeys()
        do {
            if var request = try context.saveRequest() {
                request.keep(batch.kept, in: plan.model)
                keys = try save.save(request).permanentKeys
            }
        } catch let errors as ValidationErrors {
            throw refusal(errors, batch)
        } catch StoreError.constraint(let conflict) {
            throw duplicate(conflict, batch)
        }
        func key(of object: ManagedObject) -> Int64 {
            batch.kept[object.id] ?? keys[object.id] ?? object.id.key
        }
        for (identity, object) in batch.identified {
            identities.note(identity.key, root: identity.root, key: key(of: object))
        }
        for (entity, objects) in batch.named where directory.hasNames(of: entity) {
            for (name, object) in objects {
                directory.note(name, of: entity, key: object.map(key) ?? 0)
                if object == nil { directory.note(name, of: entity, key: 0) }
            }
        }
        deferred += late.map { object, reference, place in
            let id = ObjectID(root: object.id.root, key: key(of: object))
            return Deferred(
                owner: id, reference: reference, place: place, replaces: !object.isInserted)
        }
    }
}

/// A name of an object in the batch: by entity for a key, by root entity for an id.
private struct LocalName: Hashable {
    let entity: Int
    let name: ObjectName

    init(entity: Int, name: ObjectName) {
        self.entity = entity
        self.name = name
    }

    init(_ name: ObjectName, of entity: Entity) {
        if case .id = name { self.entity = entity.root } else { self.entity = entity.index }
        self.name = name
    }
}
