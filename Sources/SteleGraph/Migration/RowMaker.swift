import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates

/// Makes the values of new objects of one step from source rows.
struct RowMaker {
    private let step: MigrationStep
    private let run: MigrationRun
    private let made: Entity
    private let defaults: [Value]
    private let attributes: [AttributeRecipe]
    /// The to-one relationships that are set with the values.
    private let toOnes: [RelationshipRecipe]
    /// The to-one relationships that are set later with the key of the source's destination.
    private let keptLater: [Relationship]
    /// The slots whose values may be what only another program leaves.
    private let kept: [KeptSlot]

    init(_ step: MigrationStep, _ run: MigrationRun, _ made: Entity) {
        self.step = step
        self.run = run
        self.made = made
        defaults = made.slots.map { property in
            if case .attribute(let it) = property { it.declaration.defaultValue } else { .null }
        }
        attributes = step.attributes
        toOnes = step.relationships.filter { $0.way == .now && !$0.relationship.isToMany }
        keptLater = step.relationships.compactMap { recipe in
            recipe.way == .later && recipe.keepsKey && !recipe.relationship.isToMany
                ? recipe.direct : nil
        }
        kept =
            step.attributes.compactMap { KeptSlot($0, of: step.source) }
            + step.relationships.compactMap { KeptSlot($0) }
    }

    /// Returns the slots whose values break a rule as they do in the source object, where only another
    /// program can have left them: they stay so.
    func left(in object: MigrationSource) -> Set<Int> {
        Set(kept.lazy.filter { $0.isLeft(in: object) }.map(\.slot))
    }

    /// Returns the insertion of the object that a source object becomes.
    func insert(_ object: MigrationSource, _ key: Int64) throws -> ObjectChange {
        let row = object.snapshot
        var values = defaults
        for recipe in attributes {
            let value = try Self.value(recipe, object, step, run)
            if value.isNull, recipe.replacesNull { continue }
            values[recipe.attribute.slot] = value
        }
        for recipe in toOnes {
            values[recipe.relationship.slot] = try run.toOne(recipe, object, step)
        }
        return ObjectChange(
            .insert, entity: made.index, key: key, before: before(row, key), values: values)
    }

    /// The object before its insertion. It has a version where the object keeps the key of its
    /// source: one that stays as it is has the same version, and another one the next, so that a
    /// version that a client has read is not taken for it. Nil for the first version.
    private func before(_ row: Snapshot, _ key: Int64) -> Snapshot? {
        guard step.keepsKeys else { return nil }
        // A row that another program has left without a version gets the first.
        let next = step.keepsVersions ? row.version : Snapshot.version(after: row.version)
        let wanted = max(next, 1)
        // A later update adds 1 to the version, and an insertion to that before it.
        let isUpdated = keptLater.contains { !row.values[$0.slot].isNull }
        let version = wanted - (isUpdated ? 2 : 1)
        return version == 0
            ? nil : Snapshot(entity: made.index, key: key, version: version, values: defaults)
    }

    /// Returns the value of an attribute that needs no managed objects.
    static func value(
        _ recipe: AttributeRecipe, _ object: MigrationSource, _ step: MigrationStep,
        _ run: MigrationRun
    ) throws -> Value {
        switch recipe.source {
        case .slot(let slot):
            let value = object.stored(slot)
            guard case .external(let data) = value else { return value }
            return try run.value(data, recipe.attribute, object, step)
        case .number(let slot, let change):
            let value = object.stored(slot)
            guard let changed = change.value(value) else {
                throw try MisfitReport(run).error()
                    ?? run.misfit(value, recipe.attribute, object, step)
            }
            return changed
        case .expression(let evaluator):
            let found: Value
            do throws(PredicateError) {
                switch try evaluator.evaluate(object) {
                case .value(let value): found = value
                case .object(let other): found = .key(other.key)
                case .collection:
                    throw PredicateError(.type, "it is a collection, and the attribute one value")
                }
            } catch {
                throw run.failure(recipe.attribute.name, object, step, error.message)
            }
            return try run.fitted(found, recipe.attribute, object, step)
        case .general: return .null
        }
    }
}

/// A slot that has the value of a slot of the source object.
private struct KeptSlot {
    let slot: Int
    let source: Int
    /// Whether both must have a value.
    private let isRequired: Bool
    /// The slots of the source's optional composite attribute that has it, if any.
    private let optionalSlots: Range<Int>?
    /// Whether both have URIs.
    private let isURI: Bool

    init?(_ recipe: AttributeRecipe, of entity: Entity?) {
        guard let source = recipe.sourceSlot, case .attribute(let from)? = entity?.slots[source]
        else { return nil }
        slot = recipe.attribute.slot
        self.source = source
        isRequired = !from.isOptional && !recipe.attribute.isOptional
        optionalSlots = entity?.optionalSlots(around: source)
        isURI = from.type == .uri && recipe.attribute.type == .uri
    }

    /// Nil for an optional relationship.
    init?(_ recipe: RelationshipRecipe) {
        guard let from = recipe.direct, !from.isToMany, !from.isOptional,
            !recipe.relationship.isToMany, !recipe.relationship.isOptional
        else { return nil }
        slot = recipe.relationship.slot
        source = from.slot
        isRequired = true
        optionalSlots = nil
        isURI = false
    }

    /// Whether the value of a source object is missing, infinite, or no URI.
    func isLeft(in object: MigrationSource) -> Bool {
        let row = object.snapshot
        switch row.values[source] {
        case .null where !object.stored(source).isNull: return true
        case .null:
            // An optional composite without any value needs none.
            return isRequired && optionalSlots?.contains { !row.values[$0].isNull } ?? true
        case .string(let it): return isURI && !SteleGraph.isURI(it)
        default: return false
        }
    }
}

extension MigrationRun {
    /// Returns the key of a to-one relationship's destination as a value.
    func toOne(
        _ recipe: RelationshipRecipe, _ object: MigrationSource, _ step: MigrationStep
    ) throws -> Value {
        if let direct = recipe.direct, !direct.isToMany {
            let value = object.snapshot.values[direct.slot]
            guard case .key(let key) = value, !recipe.keepsKey else { return value }
            if let only = only(recipe.targets) {
                return only.associations.first(of: key).map { .key($0.key) } ?? .null
            }
        }
        let found = try destinations(recipe, object, step)
        guard found.count < 2 else {
            throw failure(
                recipe.relationship.name, object, step,
                "it is a to-one relationship, and \(found.count) objects are given")
        }
        return found.first.map { .key($0.key) } ?? .null
    }

    /// The step of a single target whose source has no subentities.
    private func only(_ targets: [Int]) -> MigrationStep? {
        guard targets.count == 1 else { return nil }
        let step = plan.steps[targets[0]]
        return step.source.map { $0.parent == nil && !$0.hasSubentities } == true ? step : nil
    }

    /// Returns the destinations of a relationship, each once.
    func destinations(
        _ recipe: RelationshipRecipe, _ object: MigrationSource, _ step: MigrationStep
    ) throws -> [MigrationAssociations.Target] {
        var sources: [MigrationSource] = []
        switch recipe.source {
        case .direct(let it):
            sources = it.isToMany ? object.toMany(it) : object.toOne(it).map { [$0] } ?? []
        case .expression(let evaluator):
            do throws(PredicateError) {
                Self.collect(try evaluator.evaluate(object), into: &sources)
            } catch {
                throw failure(recipe.relationship.name, object, step, error.message)
            }
        case .general: return []
        }
        try object.rows.check()
        var seen: Set<MigrationAssociations.Target> = []
        return sources.flatMap { targets(of: recipe, ($0.entityIndex, $0.key)) }
            .filter { seen.insert($0).inserted }
    }

    static func collect(
        _ result: Evaluated<MigrationSource>, into sources: inout [MigrationSource]
    ) {
        switch result {
        case .object(let it): sources.append(it)
        case .collection(let items): for item in items { collect(item, into: &sources) }
        case .value: break
        }
    }

    // MARK: Values

    /// Returns a value in the form of an attribute's type.
    /// - Throws: `MigrationError` (134110) for a value that does not fit.
    func fitted(
        _ value: Value, _ attribute: Attribute, _ object: MigrationSource, _ step: MigrationStep
    ) throws(MigrationError) -> Value {
        if case .external(let data) = value {
            return try self.value(data, attribute, object, step)
        }
        if let fitted = attribute.type.fitted(value) { return fitted }
        throw misfit(value, attribute, object, step)
    }

    /// The error of a value that does not fit its attribute.
    func misfit(
        _ value: Value, _ attribute: Attribute, _ object: MigrationSource, _ step: MigrationStep
    ) -> MigrationError {
        failure(
            attribute.name, object, step,
            "it is of the type \(attribute.type.name), and the value is "
                + "\(value.kindName): \(shown(value))")
    }

    /// Returns a value in a file beside the source store: the file, which the destination store
    /// adopts, or its bytes for an attribute without external storage. A file that is missing stays
    /// the one that the value names.
    func value(
        _ data: ExternalData, _ attribute: Attribute, _ object: MigrationSource,
        _ step: MigrationStep
    ) throws(MigrationError) -> Value {
        if attribute.isExternal { return .external(data) }
        if let bytes = data.bytes {
            guard let fitted = attribute.type.fitted(.data(bytes)) else {
                throw failure(
                    attribute.name, object, step,
                    "it is of the type \(attribute.type.name), and the value is binary data")
            }
            return fitted
        }
        throw failure(
            attribute.name, object, step, "the file of its value, \(data.path), cannot be read")
    }

    /// The error of a property that cannot be set, with the source object.
    func failure(
        _ property: String, _ object: MigrationSource, _ step: MigrationStep, _ reason: String
    ) -> MigrationError {
        let source = ObjectID.name(plan.source.entities[object.entityIndex].name, object.key)
        return MigrationError(
            .migration,
            "the mapping \(step.name) cannot set \(property) of "
                + "\(step.destination?.name ?? "its object") for \(source): \(reason)")
    }

    private func shown(_ value: Value) -> String {
        let text = value.shown
        return text.count > 100 ? text.prefix(100) + "…" : text
    }
}
