import SteleModel
import StelePersistence
import StelePredicates

/// The rules of an entity's values, applied to rows. A row that it refuses gets its errors from
/// `MigrationRun.note`, which makes a managed object of it.
struct MigrationRowCheck {
    private let rules: [SlotRule]
    private let composites: [CompositeRule]
    /// The to-many relationships whose members are counted.
    let counted: [Relationship]

    init(_ plan: EntityPlan) {
        rules = plan.rules.filter { !plan.unsavedSlots.contains($0.slot) }
        composites = plan.requiredComposites
        counted = plan.boundedToManys
    }

    /// Whether the values are valid. Null in a slot that must have a value is refused, also where an
    /// enclosing composite attribute may be empty.
    /// - Parameter left: the slots whose values are left as they are.
    func holds(_ values: [Value], besides left: Set<Int> = []) -> Bool {
        for rule in rules where !rule.allows(values[rule.slot]) {
            if !left.contains(rule.slot) { return false }
        }
        for rule in composites where rule.slots.allSatisfy({ values[$0].isNull }) { return false }
        return true
    }
}

extension SlotRule {
    /// Whether a value is valid in any object.
    fileprivate func allows(_ value: Value) -> Bool {
        switch (check, value) {
        case (_, .null): return !isRequired
        case (.integer(let range), .int(let it)): return range.contains(it)
        case (.double(let low, let high), .double(let it)):
            return it >= low ?? -.infinity && it <= high ?? .infinity
        case (.date(let low, let high), .date(let it)):
            return it >= low ?? -.infinity && it <= high ?? .infinity
        case (.decimal(let low, let high), .decimal(let it)):
            return low.map { it >= $0 } ?? true && high.map { it <= $0 } ?? true
        case (.text(let low, let high, let pattern), .string(let it)):
            if low != nil || high != nil {
                let length = it.utf16.count
                guard length >= low ?? 0, length <= high ?? .max else { return false }
            }
            return pattern.map { PatternMatch.of(it, $0) == .matches } ?? true
        case (.uri, .string(let it)): return isURI(it)
        default: return true
        }
    }
}

extension MigrationRun {
    /// The most validation errors that are collected.
    private static let most = 1_000

    /// Adds the errors of values that the check of rows has refused.
    /// - Throws: `ValidationErrors` where there are very many.
    func note(
        _ entity: Entity, _ key: Int64, _ values: [Value], besides left: Set<Int>
    ) throws {
        let context = objects.scratch()
        defer { context.close() }
        let object = context.loader.insert(entity, key: key, values: values)
        let plan = context.plans[entity]
        for rule in plan.rules where !plan.unsavedSlots.contains(rule.slot) {
            if !left.contains(rule.slot) { rule.check(values[rule.slot], of: object, &errors) }
        }
        for rule in plan.requiredComposites {
            if let error = rule.failure(of: object) { errors.append(error) }
        }
        if errors.count >= Self.most { throw ValidationErrors(errors) }
    }

    /// Validates the destination objects, as the save at the end of Core Data's migration does.
    /// - Parameter values: whether to validate values too; members are counted in any case.
    /// - Throws: `ValidationErrors` with all errors.
    func validate(values: Bool) throws {
        let made = Set(plan.steps.compactMap { $0.destination?.index })
        for entity in plan.destination.entities where !entity.isAbstract {
            let check = checks[entity.index]
            guard plan.hasPolicies || made.contains(entity.index),
                values || !check.counted.isEmpty
            else { continue }
            var all = FetchRequest(entity: entity)
            all.includesSubentities = false
            let cursor = try destination.reader.cursor(all.checked(in: plan.destination))
            while case .objects(let found) = try cursor.next(1_000), !found.isEmpty {
                try manager.control.check()
                if values {
                    for row in found {
                        let slots = left[ObjectID(root: entity.root, key: row.key)] ?? []
                        if check.holds(row.values, besides: slots) { continue }
                        try note(entity, row.key, row.values, besides: slots)
                    }
                }
                for relationship in check.counted { try count(relationship, of: found, entity) }
            }
        }
        if !errors.isEmpty { throw ValidationErrors(errors) }
    }

    private func count(
        _ relationship: Relationship, of rows: [Snapshot], _ entity: Entity
    ) throws {
        let members = try destination.reader.members(of: relationship, owners: rows.map(\.key))
        let maximum = relationship.declaration.maximumCount
        let most = maximum > 0 ? maximum : .max
        for row in rows {
            let count = members[row.key]?.count ?? 0
            if count <= most, !relationship.isTooFew(count) { continue }
            let context = objects.scratch()
            defer { context.close() }
            let object = context.loader.object(from: row)
            errors.append(
                count > most
                    ? .tooMany(object, relationship, count: count, most: most)
                    : .tooFew(object, relationship, count: count, least: relationship.leastCount))
        }
        if errors.count >= Self.most { throw ValidationErrors(errors) }
    }
}

extension MappingPlan {
    /// Whether a value of an inserted object may be set later.
    var setsSlotsLater: Bool {
        steps.contains { step in
            step.relationships.contains { recipe in
                recipe.way == .later
                    && (!recipe.relationship.isToMany
                        || destination.toOneInverse(of: recipe.relationship) != nil)
            }
        }
    }
}
