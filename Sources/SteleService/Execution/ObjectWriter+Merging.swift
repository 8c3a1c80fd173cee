// Merge policies: bodies of an older version, and bodies with unique values of another object.

import SteleAnswers
import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import StelePredicates
import SteleRequests

/// The values of a uniqueness constraint.
struct UniqueKey: Hashable {
    let root: Int
    let names: [String]
    let values: [Value]
}

extension ObjectWriter {
    // MARK: Versions

    /// Resolves a conflict of versions by the merge policy, before the body is applied.
    /// - Returns: the keys of the body that keep their stored values; nil if nothing is applied.
    /// - Throws: `Problem`, 409, for a version that does not exist, or is not in the history.
    func merge(
        _ object: ManagedObject, _ body: JSONNode, version node: JSONNode, mode: Mode
    ) throws -> Set<String>? {
        let version = try self.version(node)
        if version != object.version {
            // Older versions may be of a time when the object was not seen.
            guard rights.isAll else { throw versionConflict(version, object, body) }
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

    /// The values of a version in the slots that have changed since.
    private func older(
        _ object: ManagedObject, _ version: Int64, _ body: JSONNode
    ) throws -> [Int: Value] {
        if let slots = try context.reader().slots(of: object.objectID, atVersion: version) {
            return slots.filter { object.entity.slots.indices.contains($0.key) }
        }
        throw versionConflict(version, object, body)
    }

    private func put(_ value: Value, _ slot: Int, _ object: ManagedObject) throws {
        switch object.entity.slots[slot] {
        case .attribute(let it): try put(value, for: it, of: object)
        case .relationship(let it):
            guard case .key(let key) = value else { return try object.setToOne(it, nil) }
            let entity = context.model.destination(of: it)
            // An object that no longer exists is replaced by none.
            try object.setToOne(it, try context.object(entity: entity, key: key))
        case .fetchedProperty, .transientRelationship: break
        }
    }

    // MARK: Uniqueness

    /// The object that already has the unique values of a body, in the store or in the body itself.
    /// - Throws: `Placed<ConstraintConflict>`, 409, if the body cannot be of its entity.
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
                throw Placed(
                    ConstraintConflict(
                        entity: entity.index, key: 0, constraint: names, values: values,
                        holder: ConstraintConflict.Holder(
                            entity: found.entity.index, key: found.objectID.key,
                            isNew: found.isInserted)),
                    places: places + [(0, path)])
            }
            return found
        }
        return nil
    }

    /// Applies a body that was to make a new object to the existing one.
    func meet(_ object: ManagedObject, _ node: JSONNode, depth: Int = 0) throws {
        if let id = node["_id"] { try checkID(id, object, isNew: true) }
        if let version = node["_version"] { try checkVersion(version, object, node, isNew: true) }
        if mergePolicy.keepsStored { return }
        if mergePolicy == .overwrite { try reset(object, besides: node) }
        try apply(
            node, to: object, in: object.entity, isNew: false, depth: depth, besides: ["_entity"])
    }

    /// Records a new object by its unique values.
    func note(_ object: ManagedObject, _ node: JSONNode) throws {
        for names in object.entity.uniquenessConstraints {
            guard let values = try values(names, node, object.entity) else { continue }
            unique[UniqueKey(root: object.entity.root, names: names, values: values)] = object
        }
    }

    /// Looks up the objects with the unique values of an array's objects, with few queries.
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
        // The entities that inherit the constraint share it.
        var declaring = entity
        while let parent = declaring.parent.map({ context.model.entities[$0] }),
            parent.uniquenessConstraints.contains(names)
        { declaring = parent }
        var request = FetchRequest(entity: declaring)
        request.predicate = predicate
        request.isChecked = true
        return try fetch(request)
    }

    private func conditions(_ names: [String], _ values: [Value]) -> [Predicate] {
        zip(names, values).map { .comparison(Comparison(.key($0), .equal, .constant($1))) }
    }

    /// The unique values that a new object of a body will have; nil if one is null, which equals no
    /// other, or is not known yet.
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
