import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates

/// What of the destination's model is validated.
enum MigrationRules {
    /// All of it.
    case all
    /// What must have a value, and the numbers that a type has.
    case types
    /// What must have a value.
    case presence
}

/// The rules of an entity's values, applied to rows. A row that it refuses gets its errors from
/// `MigrationRun.note`, which makes a managed object of it.
struct MigrationRowCheck {
    let rules: [SlotRule]
    let composites: [CompositeRule]
    /// The to-many relationships whose members are counted.
    let counted: [Relationship]
    /// Whether one member is enough, and no number is too many.
    private let countsOne: Bool

    /// - Parameter required: the relationships that must have a destination, where not all of the model
    ///   is validated.
    init(_ plan: EntityPlan, _ extent: MigrationRules, required: Set<String>) {
        let isWhole = extent == .all
        rules = plan.rules.filter { !plan.unsavedSlots.contains($0.slot) }
            .compactMap { $0.reduced(to: extent) }
        composites = plan.requiredComposites
        counted = plan.boundedToManys.filter { isWhole || required.contains($0.name) }
        countsOne = !isWhole
    }

    /// Whether a counted relationship may have so many members.
    func holds(_ count: Int, of relationship: Relationship) -> Bool {
        if countsOne { return count > 0 }
        let most = relationship.declaration.maximumCount
        return (most <= 0 || count <= most) && !relationship.isTooFew(count)
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
    /// The part of the rule that is validated; nil for none.
    fileprivate func reduced(to extent: MigrationRules) -> SlotRule? {
        switch (extent, type) {
        case (.all, _): return self
        case (.types, let type?) where type == .integer16 || type == .integer32:
            return checking(.integer(type.integerRange))
        case (.types, .float?):
            let most = Double(Float.greatestFiniteMagnitude)
            return checking(.double(minimum: -most, maximum: most))
        default: return checking(.none)
        }
    }

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
        let check = checks[entity.index]
        for rule in check.rules where !left.contains(rule.slot) {
            rule.check(values[rule.slot], of: object, &errors)
        }
        for rule in check.composites {
            if let error = rule.failure(of: object) { errors.append(error) }
        }
        if errors.count >= Self.most { throw ValidationErrors(errors) }
    }

    /// How the rows of an entity are checked. What an inferred mapping model carries over stays as it is,
    /// as in a migration in place: no bound, pattern or count is checked.
    func check(of entity: Entity) -> MigrationRowCheck {
        let required = requirements.lazy
            .filter { $0.isOfRelationship && $0.destinationEntityName == entity.name }
            .compactMap { requirement -> String? in
                switch requirement.kind {
                case .noObjects(let property), .notNull(let property, _): property
                case .fits, .noObjectsOfAbstractEntity: nil
                }
            }
        return MigrationRowCheck(
            EntityPlan(entity, of: plan.destination, objectClass: ManagedObject.self),
            !isInferred ? .all : manager.destinationStore.holdsAnyNumber ? .presence : .types,
            required: Set(required))
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
        let check = checks[entity.index]
        for row in rows {
            let count = members[row.key]?.count ?? 0
            if check.holds(count, of: relationship) { continue }
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
