import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates

/// A mapping model, checked against the models of two stores.
struct MappingPlan {
    let source: Model
    let destination: Model
    let steps: [MigrationStep]
    /// Whether any mapping is carried out by a policy, which may change any object.
    var hasPolicies: Bool { steps.contains { $0.policy != nil } }

    /// - Parameter constants: the values of key paths of `$manager`, in place of which the
    ///   expressions get them.
    /// - Throws: `MigrationError`: 134110 for names and expressions that do not fit the models,
    ///   134170 for a policy that is not registered.
    init(
        _ mappings: MappingModel, from source: Model, to destination: Model,
        policies: [String: EntityMigrationPolicy.Type],
        constants: @escaping ([String]) -> Value? = { _ in nil }
    ) throws(MigrationError) {
        self.source = source
        self.destination = destination
        var steps: [MigrationStep] = []
        var names: Set<String> = []
        for mapping in mappings.entityMappings {
            guard names.insert(mapping.name).inserted else {
                throw MigrationError(.migration, "two entity mappings are named \(mapping.name)")
            }
            steps.append(try Self.step(mapping, at: steps.count, source, destination))
        }
        self.steps = steps
        for step in steps where step.destination != nil {
            try PropertyResolution(step, steps, source, destination, constants).resolve()
            step.policy = try Self.policy(of: step, policies)
        }
    }

    private static func step(
        _ mapping: EntityMapping, at index: Int, _ source: Model, _ destination: Model
    ) throws(MigrationError) -> MigrationStep {
        let from = try entity(mapping.sourceEntityName, in: source, mapping, "source")
        let to = try entity(mapping.destinationEntityName, in: destination, mapping, "destination")
        var request: FetchRequest?
        if let from, mapping.mappingType != .add {
            var all = FetchRequest(entity: from)
            all.includesSubentities = false
            all.predicate = mapping.sourceFilter
            do throws(PredicateError) { request = try all.checked(in: source) } catch {
                throw MigrationError(
                    .migration,
                    "the condition of the mapping \(mapping.name) does not fit \(from.name): "
                        + error.message, hint: error.hint)
            }
        }
        return MigrationStep(
            mapping, at: index, source: request == nil ? nil : from,
            destination: mapping.mappingType == .remove ? nil : to, request: request)
    }

    private static func entity(
        _ name: String?, in model: Model, _ mapping: EntityMapping, _ side: String
    ) throws(MigrationError) -> Entity? {
        guard let name, !name.isEmpty else { return nil }
        if let found = model.entity(named: name) { return found }
        throw MigrationError(
            .migration,
            "the mapping \(mapping.name) names the \(side) entity \(name), which the model "
                + "\(model.name) does not have",
            hint: Nearest.hint(to: name, among: model.entities.map(\.name)))
    }

    private static func policy(
        of step: MigrationStep, _ policies: [String: EntityMigrationPolicy.Type]
    ) throws(MigrationError) -> EntityMigrationPolicy? {
        if let name = step.mapping.entityMigrationPolicyClassName, !name.isEmpty {
            guard let policy = policies[name] else {
                throw MigrationError(
                    .entityMigrationPolicy,
                    "the mapping \(step.name) asks for the policy \(name), which is not registered",
                    hint: "pass a subclass of EntityMigrationPolicy under that name: "
                        + "MigrationManager(…, policies: [\"\(name)\": MyPolicy.self])")
            }
            return policy.init()
        }
        let isGeneral =
            step.attributes.contains(where: \.isGeneral)
            || step.relationships.contains(where: \.isGeneral)
        return isGeneral && step.makesObjects ? EntityMigrationPolicy() : nil
    }

    // MARK: Keys

    /// Chooses the entities whose objects keep their keys, and how each relationship is set.
    ///
    /// Keys are kept in a family of the destination that is empty, if all its objects come from one
    /// family of the source and no object could become two.
    /// - Parameter isEmpty: whether the destination has no objects of a root entity.
    func decide(isEmpty: (Entity) throws -> Bool) rethrows {
        let makers = steps.filter(\.makesObjects)
        let families = Dictionary(grouping: makers) { $0.destination?.root ?? 0 }
        for (root, steps) in families {
            let sources = steps.compactMap(\.source)
            guard Set(sources.map(\.root)).count == 1,
                Set(sources.map(\.index)).count == sources.count,
                try isEmpty(destination.entities[root])
            else { continue }
            for step in steps { step.keepsKeys = true }
        }
        let ways = RelationshipWays(self)
        for step in makers where step.policy == nil {
            for index in step.relationships.indices {
                var recipe = step.relationships[index]
                ways.decide(&recipe, in: step)
                step.relationships[index] = recipe
            }
        }
    }
}

/// Decides when relationships are set.
private struct RelationshipWays {
    let plan: MappingPlan
    private let derives: Bool

    init(_ plan: MappingPlan) {
        self.plan = plan
        derives = !DerivedAttributes(plan.destination).isEmpty
    }

    func decide(_ recipe: inout RelationshipRecipe, in step: MigrationStep) {
        let it = recipe.relationship
        let targets = recipe.targets.map { plan.steps[$0] }
        recipe.keepsKey = keepsKeys(recipe, targets)
        if isImplied(recipe, in: step) {
            recipe.setsInverse = false
            if it.isToMany {
                recipe.way = .implied
                return
            }
        } else if it.isToMany || plan.destination.toOneInverse(of: it) != nil {
            recipe.way = .later
            return
        }
        // A store looks at the destination where it derives values from it, or keeps its entity.
        let isFree = recipe.keepsKey && !derives && !plan.destination.destination(of: it).hasRoot
        let areMade = targets.allSatisfy { $0.index < step.index }
        recipe.way = isFree || areMade ? .now : .later
    }

    /// Whether each object that the source relationship may lead to is there under its own key.
    private func keepsKeys(_ recipe: RelationshipRecipe, _ targets: [MigrationStep]) -> Bool {
        guard let direct = recipe.direct else { return false }
        let family = plan.source.family(of: plan.source.destination(of: direct))
        return family.allSatisfy { entity in
            if entity.isAbstract { return true }
            let its = targets.filter { $0.source === entity }
            return its.count == 1
                && its.allSatisfy {
                    $0.keepsKeys && $0.policy == nil && $0.mapping.sourceFilter == nil
                }
        }
    }

    /// Whether all mappings to the other side of a relationship set the inverse from the inverse.
    /// Of two many-to-many sides only one is implied.
    private func isImplied(_ recipe: RelationshipRecipe, in step: MigrationStep) -> Bool {
        guard let direct = recipe.direct, let origin = plan.source.inverse(of: direct),
            let inverse = plan.destination.inverse(of: recipe.relationship)
        else { return false }
        if recipe.relationship.isToMany, inverse.isToMany,
            recipe.relationship.index <= inverse.index
        {
            return false
        }
        let owner = plan.destination.entities[inverse.owner]
        return plan.steps.allSatisfy { other in
            guard other.makesObjects, let made = other.destination, owner.isKind(made.index) else {
                return true
            }
            return other.policy == nil
                && other.relationships.contains {
                    $0.relationship === inverse && $0.direct === origin
                        && Set($0.targets).isSuperset(of: [step.index])
                }
        }
    }
}

extension Entity {
    /// Whether the entity is in a family with subentities.
    fileprivate var hasRoot: Bool { parent != nil || hasSubentities }
}
