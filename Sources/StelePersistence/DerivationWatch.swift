import SteleModel
import StelePredicates

/// A dependency of a derived attribute on other objects: one step of a path, or the members of a
/// to-many relationship.
struct DerivationWatch: Sendable {
    private enum Way {
        /// The objects that a path of to-one relationships leads to.
        case path([Relationship])
        /// The members of a to-many relationship.
        case members(Relationship, inverse: Relationship?)
    }

    /// The entity with the derived attribute.
    let entity: Entity
    private let way: Way
    /// The entity that it depends on.
    private let changed: Entity
    /// The slots that it depends on; it always depends on deletions.
    private let slots: Set<Int>

    static func all(
        of derivation: Derivation, _ entity: Entity, _ model: Model
    ) -> [DerivationWatch] {
        func watch(_ way: Way, _ changed: Entity, _ slots: Set<Int>) -> DerivationWatch {
            DerivationWatch(entity: entity, way: way, changed: changed, slots: slots)
        }
        func watch(_ toMany: Relationship, _ slots: Set<Int>) -> DerivationWatch {
            watch(
                .members(toMany, inverse: model.inverse(of: toMany)),
                model.destination(of: toMany), slots)
        }
        switch derivation.source {
        case .now: return []
        case .value(let across, let attribute, _):
            return across.indices.map { index in
                let next = index + 1 < across.count ? across[index + 1].slot : attribute.slot
                return watch(
                    .path(Array(across[...index])), model.destination(of: across[index]), [next])
            }
        case .count(let toMany): return [watch(toMany, [])]
        case .sum(let toMany, let attribute): return [watch(toMany, [attribute.slot])]
        }
    }

    /// Returns the keys of the objects whose derived value the changes may affect.
    func affected(
        by changes: [DerivedAttributes.Change], _ reader: some DerivationReader, _ model: Model
    ) throws(StoreError) -> Set<Int64> {
        switch way {
        case .path(let path):
            let keys = changes.map(\.change)
                .filter { changed.isKind($0.entity) && ($0.kind == .delete || touches($0)) }
                .map(\.key)
            return try owners(of: keys, path.map(\.name), .direct, reader)
        case .members(let toMany, let inverse):
            return try owners(changes, of: toMany, inverse: inverse, from: reader)
        }
    }

    private func touches(_ change: ObjectChange) -> Bool {
        change.kind != .insert && !slots.isDisjoint(with: change.changedSlots)
    }

    private func owners(
        _ changes: [DerivedAttributes.Change], of toMany: Relationship, inverse: Relationship?,
        from reader: some DerivationReader
    ) throws(StoreError) -> Set<Int64> {
        var found = Set<Int64>()
        var members: [Int64] = []
        for (change, after) in changes {
            if change.kind != .delete, entity.isKind(change.entity),
                change.toManys.contains(where: { $0.relationship == toMany.index })
            {
                found.insert(change.key)
            }
            guard changed.isKind(change.entity) else { continue }
            guard let inverse, !inverse.isToMany else {
                if touches(change) { members.append(change.key) }
                continue
            }
            let isMoved = change.kind != .update || change.changedSlots.contains(inverse.slot)
            guard isMoved || touches(change) else { continue }
            for values in [change.before?.values, after?.values] {
                if let values, values.indices.contains(inverse.slot),
                    case .key(let owner) = values[inverse.slot]
                {
                    found.insert(owner)
                }
            }
        }
        return found.union(try owners(of: members, [toMany.name, "_id"], .any, reader))
    }

    /// Returns the objects from which a path leads to any of the keys.
    private func owners(
        of keys: [Int64], _ path: [String], _ modifier: Comparison.Modifier,
        _ reader: some DerivationReader
    ) throws(StoreError) -> Set<Int64> {
        if keys.isEmpty { return [] }
        var request = FetchRequest(entity: entity)
        request.predicate = Self.isAny(of: keys, .keyPath(.evaluatedObject, path), modifier)
        request.propertiesToFetch = [ExpressionDescription(name: "#0", expression: .key("_id"))]
        var found = Set<Int64>()
        for row in try reader.fetchRows(request) {
            if case .int(let key)? = row.first { found.insert(key) }
        }
        return found
    }

    /// Returns the condition that an expression equals one of the keys.
    static func isAny(
        of keys: [Int64], _ expression: Expression, _ modifier: Comparison.Modifier = .direct
    ) -> Predicate {
        .comparison(
            Comparison(
                expression, .in, .aggregate(keys.map { .constant(.int($0)) }), modifier: modifier))
    }
}
