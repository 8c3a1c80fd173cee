// Merge policies: what a body says where it is of an older version, or of values that another has.

import SteleAnswers
import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

/// Values that must be unique together, and whose constraint that is.
struct UniqueKey: Hashable {
    let root: Int
    let names: [String]
    let values: [Value]
}

extension ObjectWriter {
    // MARK: Versions

    /// Settles a body that names a version, before it is applied.
    /// - Returns: the keys of the body that stay as they are stored; nil where nothing is applied.
    /// - Throws: `Problem`, 409, for a version that has not been yet, or that the history does not
    ///   reach.
    func merge(
        _ object: ManagedObject, _ node: JSONNode, _ body: JSONNode, _ mode: Mode
    ) throws -> Set<String>? {
        let version = try self.version(node)
        if version != object.version {
            if version > object.version || version < 1 {
                throw versionConflict(version, object, body)
            }
            switch mergePolicy {
            case .rollback: return nil
            case .storeTrump:
                let changed = try older(object, version, body).keys.map {
                    object.entity.slots[$0].name
                }
                if mode == .replace { try reset(object, besides: body, and: Set(changed)) }
                return Set(changed)
            case .overwrite where mode == .merge:
                for (slot, value) in try older(object, version, body) {
                    try put(value, slot, object)
                }
            case .objectTrump, .overwrite, .error: break
            }
        }
        if mode == .replace { try reset(object, besides: body) }
        return []
    }

    /// What was changed since a version, with the values that it had.
    private func older(
        _ object: ManagedObject, _ version: Int64, _ body: JSONNode
    ) throws -> [Int: Value] {
        if let slots = try context.reader().slots(of: object.id, atVersion: version) {
            return slots.filter { object.entity.slots.indices.contains($0.key) }
        }
        throw versionConflict(version, object, body).hinting(
            "the history does not reach back to version \(version)")
    }

    private func put(_ value: Value, _ slot: Int, _ object: ManagedObject) throws {
        switch object.entity.slots[slot] {
        case .attribute(let it): try put(value, for: it, of: object)
        case .relationship(let it):
            guard case .key(let key) = value else { return try object.setToOne(it, nil) }
            let entity = context.model.destination(of: it)
            // Who is gone since is led to by nobody.
            try object.setToOne(it, try context.object(entity: entity, key: key))
        case .fetchedProperty: break
        }
    }

    // MARK: Uniqueness

    /// The object that has the unique values of a body already, in the store or in the body itself.
    /// - Throws: `PlacedConflict`, 409, where it is of an entity that the body cannot be of.
    func existing(
        like node: JSONNode, _ entity: Entity, _ depth: Int
    ) throws -> ManagedObject? {
        guard node.kind == .object else { return nil }
        for names in entity.uniquenessConstraints {
            guard let values = try values(names, node, entity) else { continue }
            let key = UniqueKey(root: entity.root, names: names, values: values)
            var found = unique[key]
            if found == nil, !hasLookedUp || depth > 0 {
                found = try fetch(names, entity, .and(conditions(names, values))).first
                if let found { unique[key] = found }
            }
            guard let found, !found.isDeleted else { continue }
            guard entity.isKind(found.entity.index) else {
                throw PlacedConflict(
                    conflict: ConstraintConflict(
                        entity: entity.index, key: 0, constraint: names, values: values,
                        holder: ConstraintConflict.Holder(
                            entity: found.entity.index, key: found.id.key, isNew: found.isInserted)),
                    places: places + [(0, path)])
            }
            return found
        }
        return nil
    }

    /// Gives an object that is there what a body says that was to make a new one.
    func meet(_ object: ManagedObject, _ node: JSONNode, depth: Int = 0) throws {
        if let id = node["_id"] { try checkID(id, object, isNew: true) }
        if let version = node["_version"] { try checkVersion(version, object, node, isNew: true) }
        if mergePolicy.keepsStored { return }
        if mergePolicy == .overwrite { try reset(object, besides: node) }
        try apply(
            node, to: object, in: object.entity, isNew: false, depth: depth, besides: ["_entity"])
    }

    /// Remembers a new object by its unique values.
    func note(_ object: ManagedObject, _ node: JSONNode) throws {
        for names in object.entity.uniquenessConstraints {
            guard let values = try values(names, node, object.entity) else { continue }
            unique[UniqueKey(root: object.entity.root, names: names, values: values)] = object
        }
    }

    /// Looks up who has the unique values of an array's objects: some queries for all.
    func lookUp(_ array: JSONNode, _ entity: Entity) throws {
        guard mergePolicy != .error, !entity.uniquenessConstraints.isEmpty else { return }
        // Subentities may have constraints of their own.
        guard context.model.family(of: entity).count == 1 else { return }
        for names in entity.uniquenessConstraints {
            var wanted: [Value] = []
            try array.forEachElement { element in
                guard element.kind == .object else { return }
                if let first = try values(names, element, entity)?.first { wanted.append(first) }
            }
            for start in stride(from: 0, to: wanted.count, by: 500) {
                let some = wanted[start..<min(wanted.count, start + 500)].map(Expression.constant)
                let predicate = Predicate.comparison(
                    Comparison(.key(names[0]), .in, .aggregate(Array(some))))
                for object in try fetch(names, entity, predicate) {
                    let values = names.compactMap { slot($0, object.entity).map(object.value) }
                    if values.count == names.count, !values.contains(.null) {
                        unique[UniqueKey(root: entity.root, names: names, values: values)] = object
                    }
                }
            }
        }
        hasLookedUp = true
    }

    private func fetch(
        _ names: [String], _ entity: Entity, _ predicate: Predicate
    ) throws -> [ManagedObject] {
        // Whoever inherits the constraint shares it.
        var declaring = entity
        while let parent = declaring.parent.map({ context.model.entities[$0] }),
            parent.uniquenessConstraints.contains(names)
        { declaring = parent }
        var request = FetchRequest(entity: declaring)
        request.predicate = predicate
        request.isChecked = true
        return try context.fetch(request)
    }

    private func conditions(_ names: [String], _ values: [Value]) -> [Predicate] {
        zip(names, values).map { .comparison(Comparison(.key($0), .equal, .constant($1))) }
    }

    /// The values that a new object of a body will have; nil where one is null, which is like no
    /// other, or not known yet.
    private func values(
        _ names: [String], _ node: JSONNode, _ entity: Entity
    ) throws -> [Value]? {
        var values: [Value] = []
        for name in names {
            switch entity.property(named: name) {
            case .attribute(let it):
                values.append(
                    try node[name].map { try ValueReader.read($0, for: it, of: entity) }
                        ?? it.declaration.defaultValue)
            case .relationship(let it) where !it.isToMany:
                let destination = context.model.destination(of: it)
                guard let key = node[name].flatMap({ key($0, of: destination) }) else { return nil }
                values.append(.key(key))
            default: return nil
            }
        }
        return values.contains(.null) ? nil : values
    }

    private func slot(_ name: String, _ entity: Entity) -> Int? {
        entity.attribute(named: name)?.slot ?? entity.relationship(named: name)?.slot
    }
}
