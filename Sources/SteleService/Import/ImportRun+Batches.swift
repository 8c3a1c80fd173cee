/// One batch of an import: looked up, inserted or updated, linked and saved.

import SteleGraph
import SteleModel
import StelePersistence

extension ImportRun {
    /// The objects of a batch, and those that it refers to.
    final class Batch {
        /// The object of a line.
        struct Made {
            let object: ManagedObject
            /// Whether the line has inserted it. Other lines replace its values and links.
            let isNew: Bool
        }

        /// A link that waits for its destinations.
        struct Late {
            let owner: ManagedObject
            let reference: ImportLine.Reference
            let place: LinePlace
            /// The members that the reference replaces.
            let former: [ManagedObject]
        }

        let lines: [ImportLine]
        /// The object of each line; nil for a line that is left out.
        var made: [Made?] = []
        /// The stored objects that the lines name.
        var found: [ObjectID: ManagedObject] = [:]
        /// The objects with new names by entity and name; nil for a name that several have.
        var named: [Int: [[Value]: ManagedObject?]] = [:]
        /// The names that stored objects have lost, by entity.
        var renamed: [Int: Set<[Value]>] = [:]
        /// The objects by the `_id` of their record, except for those stored with it.
        var identified: [ObjectID: ManagedObject] = [:]
        /// The kept keys of new objects.
        var kept: [ObjectID: Int64] = [:]
        /// The links that wait, nil for one that a later line has replaced.
        var late: [Late?] = []
        /// The places of links in `late`, if later lines can replace them.
        var latePlaces: [LinkID: Int] = [:]
        /// The links that were promised to the directory.
        var promised: Set<LinkID> = []
        /// The links of earlier lines that had to wait, in a batch of such links.
        var deferred: [Deferred] = []

        init(lines: [ImportLine]) { self.lines = lines }
    }

    /// Inserts lines as one part of the save. It returns the lines that must wait for others.
    func insert(_ lines: [ImportLine]) throws -> [ImportLine] {
        if lines.isEmpty { return [] }
        return try inContext { context in
            let batch = Batch(lines: lines)
            var linked: [Int: Set<[Value]>] = [:]
            for line in lines {
                for reference in line.references { addNames(of: reference, to: &linked) }
            }
            try directory.load(
                [linked, ownNames(of: lines)], context, isFirst: summary.total == 0)
            if plan.options.onConflict == .error { directory.use(linked) }
            try find(lines, batch, context)
            let ready = ready(batch)
            try reserveIDs(of: batch)
            for (index, line) in lines.enumerated() {
                let made = try plan.placing(line.place) {
                    ready[index] ? try make(line, batch, context) : nil
                }
                batch.made.append(made)
            }
            for (line, made) in zip(lines, batch.made) {
                guard let made else { continue }
                try plan.placing(line.place) { try link(line, made, batch) }
            }
            try save(context, batch)
            return lines.indices.filter { !ready[$0] }.map { lines[$0] }
        }
    }

    /// Adds the names that a reference uses, by entity.
    func addNames(of reference: ImportLine.Reference, to names: inout [Int: Set<[Value]>]) {
        for case .key(let name) in reference.names {
            names[reference.relationship.destination, default: []].insert(name)
        }
    }

    /// The names of the lines' objects that are looked up, by entity.
    private func ownNames(of lines: [ImportLine]) -> [Int: Set<[Value]>] {
        var names: [Int: Set<[Value]>] = [:]
        for line in lines {
            for (index, naming) in plan.namings(of: line.entity).enumerated() {
                guard let name = line.name(by: index), mustLookUp(naming) else { continue }
                names[naming.entities[0], default: []].insert(name)
            }
        }
        return names
    }

    /// Whether objects are compared with those in the store by a key. The store itself refuses
    /// values that a constraint makes unique.
    func mustLookUp(_ naming: Naming) -> Bool {
        plan.options.onConflict != .error
            || !plan.isIndexed(plan.model.entities[naming.entities[0]])
    }

    /// Makes the store give out the ids of new objects.
    private func reserveIDs(of batch: Batch) throws {
        if plan.options.givesNewIDs { return }
        var last: [ImportIdentities.Family: ImportLine] = [:]
        for line in batch.lines {
            let root = line.entity.root
            guard let id = line.id, batch.found[ObjectID(root: root, key: id)] == nil else {
                continue
            }
            let family = identities.family(of: id, root: root)
            if id > last[family]?.id ?? 0 { last[family] = line }
        }
        for (family, line) in last {
            try plan.placing(line.place) {
                try identities.reserve(upTo: line.id ?? 0, root: family.root, save)
            }
        }
    }

    /// Reads the stored objects that the lines name, with one query for each root entity.
    private func find(
        _ lines: [ImportLine], _ batch: Batch, _ context: ManagedObjectContext
    ) throws {
        var keys: [Int: Set<Int64>] = [:]
        for line in lines {
            let root = line.entity.root
            if let id = line.id, let key = try key(.id(id), of: line.entity) {
                keys[root, default: []].insert(key)
            }
            for (index, naming) in plan.namings(of: line.entity).enumerated() {
                let entity = plan.model.entities[naming.entities[0]]
                guard mustLookUp(naming), let name = line.name(by: index),
                    let found = directory.entry(name, of: entity)?.key
                else { continue }
                keys[root, default: []].insert(found)
            }
            for reference in line.references {
                try plan.placing(line.place) { try collectKeys(of: reference, &keys) }
            }
        }
        try find(keys, batch, context)
    }

    /// Adds the keys of the stored objects that a reference names, by root entity.
    func collectKeys(of reference: ImportLine.Reference, _ keys: inout [Int: Set<Int64>]) throws {
        let destination = plan.model.destination(of: reference.relationship)
        for name in reference.names {
            guard let key = try key(name, of: destination) else { continue }
            keys[destination.root, default: []].insert(key)
        }
    }

    /// Reads stored objects.
    func find(
        _ keys: [Int: Set<Int64>], _ batch: Batch, _ context: ManagedObjectContext
    ) throws {
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

    /// For each line, whether it can be inserted: the destinations that it needs are in the store
    /// or in the batch, and no earlier record of its object waits.
    private func ready(_ batch: Batch) -> [Bool] {
        let lines = batch.lines
        var ready = [Bool](repeating: true, count: lines.count)
        let required = lines.indices.filter { lines[$0].references.contains(where: isNeeded) }
        if required.isEmpty, heldNames.isEmpty { return ready }
        var waiting: Set<LocalName> = []
        var isChanged = true
        while isChanged {
            isChanged = false
            waiting = heldNames
            var here: Set<LocalName> = []
            for (index, line) in lines.enumerated() {
                let names = localNames(of: line)
                if ready[index], waiting.isDisjoint(with: names) {
                    here.formUnion(names)
                } else {
                    ready[index] = false
                    waiting.formUnion(names)
                }
            }
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
        }
        heldNames = waiting
        return ready
    }

    /// Whether a record is not inserted without its link.
    func isNeeded(_ reference: ImportLine.Reference) -> Bool {
        !reference.names.isEmpty
            && (reference.relationship.isRequired || plan.options.missing == .skip)
    }

    /// The names of a line's object.
    private func localNames(of line: ImportLine) -> [LocalName] {
        var names = line.id.map { [LocalName(entity: line.entity.root, name: .id($0))] } ?? []
        for (index, naming) in plan.namings(of: line.entity).enumerated() {
            guard let name = line.name(by: index) else { continue }
            names += naming.entities.map { LocalName(entity: $0, name: .key(name)) }
        }
        return names
    }
}

/// A name of an object in the batch: by entity for a key, by root entity for an id.
struct LocalName: Hashable {
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
