import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates

/// Resolves the property mappings of an entity mapping: each expression is checked and prepared
/// once.
struct PropertyResolution {
    /// The methods of `$manager` that value expressions may call.
    enum Call {
        static let byMapping = "destinationInstancesForEntityMappingNamed:sourceInstances:"
        static let byRelationship =
            "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
        static let request = "fetchRequestForSourceEntityNamed:predicateString:"
        static let sources = "sourceInstancesForEntityMappingNamed:destinationInstances:"
    }

    private let step: MigrationStep
    private let steps: [MigrationStep]
    private let source: Model
    private let destination: Model
    /// The values of key paths of `$manager`.
    private let constants: ([String]) -> Value?

    init(
        _ step: MigrationStep, _ steps: [MigrationStep], _ source: Model, _ destination: Model,
        _ constants: @escaping ([String]) -> Value?
    ) {
        self.constants = constants
        self.step = step
        self.steps = steps
        self.source = source
        self.destination = destination
    }

    /// Sets the recipes of the step.
    func resolve() throws(MigrationError) {
        guard let made = step.destination else { return }
        let mapping = step.mapping
        let isWhole =
            mapping.mappingType == .copy && mapping.attributeMappings.isEmpty
            && mapping.relationshipMappings.isEmpty
        for property in isWhole ? sameNames(made) : mapping.attributeMappings {
            guard let attribute = made.attribute(named: property.name) else {
                throw unknown(property, "attribute", made)
            }
            if attribute.isDerived || attribute.isTransient { continue }
            guard let value = property.value, step.source != nil else { continue }
            step.attributes += try recipes(attribute, property, value)
        }
        for property in isWhole ? sameLinks(made) : mapping.relationshipMappings {
            guard let relationship = made.relationship(named: property.name) else {
                if case .transientRelationship? = made.property(named: property.name) { continue }
                throw unknown(property, "relationship", made)
            }
            guard let value = property.value, step.source != nil else { continue }
            step.relationships.append(try recipe(relationship, property, value))
        }
    }

    private func sameNames(_ made: Entity) -> [PropertyMapping] {
        made.properties.compactMap { property in
            guard case .attribute(let it) = property, step.source?.attribute(named: it.name) != nil
            else { return nil }
            return PropertyMapping(name: it.name, value: .source(it.name))
        }
    }

    private func sameLinks(_ made: Entity) -> [PropertyMapping] {
        made.properties.compactMap { property in
            guard case .relationship(let it) = property,
                step.source?.relationship(named: it.name) != nil
            else { return nil }
            return PropertyMapping(name: it.name, value: .source(it.name))
        }
    }

    private func unknown(
        _ property: PropertyMapping, _ kind: String, _ made: Entity
    ) -> MigrationError {
        MigrationError(
            .migration,
            "the mapping \(step.name) sets \(property.name), which is no \(kind) of \(made.name)",
            hint: Nearest.hint(to: property.name, among: made.properties.map(\.name)))
    }

    private func unusable(
        _ property: PropertyMapping, _ reason: String, _ hint: String? = nil
    ) -> MigrationError {
        MigrationError(
            .migration, "the mapping \(step.name) cannot set \(property.name): \(reason)",
            hint: hint)
    }

    // MARK: Attributes

    private func recipes(
        _ attribute: Attribute, _ property: PropertyMapping, _ value: PropertyMapping.Value
    ) throws(MigrationError) -> [AttributeRecipe] {
        switch value {
        case .destinations:
            throw unusable(property, "it is an attribute, and the mapping gives it objects")
        case .expression(let expression):
            if attribute.isComposite {
                throw unusable(
                    property, "it is a composite attribute",
                    "map its elements, such as \(attribute.leaves.first?.name ?? attribute.name)")
            }
            let read = try self.expression(expression, property)
            return [AttributeRecipe(attribute: attribute, source: read, replacesNull: false)]
        case .source(let name):
            guard let from = step.source?.attribute(named: name) else {
                throw unusable(
                    property, "\(step.source?.name ?? "") has no attribute \(name)",
                    Nearest.hint(to: name, among: step.source?.properties.map(\.name) ?? []))
            }
            guard attribute.isComposite || from.isComposite else {
                return [try recipe(attribute, from, property)]
            }
            var found: [AttributeRecipe] = []
            for leaf in attribute.leaves {
                let path = leaf.name.dropFirst(attribute.name.utf8.count)
                guard let same = from.leaves.first(where: { $0.name == from.name + path }) else {
                    continue
                }
                found.append(try recipe(leaf, same, property))
            }
            return found
        }
    }

    private func recipe(
        _ attribute: Attribute, _ from: Attribute, _ property: PropertyMapping
    ) throws(MigrationError) -> AttributeRecipe {
        // What a store leaves without a value although it must have one stays so.
        let replacesNull =
            !attribute.isOptional && from.isOptional && !attribute.declaration.defaultValue.isNull
        if from.type == attribute.type {
            return AttributeRecipe(
                attribute: attribute, source: .slot(from.slot), replacesNull: replacesNull)
        }
        if let change = NumericChange(from: from.type, to: attribute.type) {
            return AttributeRecipe(
                attribute: attribute, source: .number(from.slot, change),
                replacesNull: replacesNull)
        }
        let path = from.name.split(separator: ".").map(String.init)
        return AttributeRecipe(
            attribute: attribute,
            source: try expression(.keyPath(.evaluatedObject, path), property),
            replacesNull: replacesNull)
    }

    private func expression(
        _ expression: Expression, _ property: PropertyMapping
    ) throws(MigrationError) -> AttributeRecipe.Source {
        let its = overSource(expression, property)
        if isGeneral(its) { return .general(its) }
        return .expression(try evaluator(its, property).evaluator)
    }

    private func evaluator(
        _ expression: Expression, _ property: PropertyMapping
    ) throws(MigrationError) -> (
        evaluator: ExpressionEvaluator<MigrationSource>, type: ExpressionType
    ) {
        guard let entity = step.source else { throw unusable(property, "it has no source entity") }
        do throws(PredicateError) {
            var check = PredicateCheck(model: source, entity: entity)
            check.joinsTexts = true
            let (checked, type) = try check.check(expression)
            return (try ExpressionEvaluator(checked, entity: entity, model: source), type)
        } catch {
            throw unusable(property, error.message, error.hint)
        }
    }

    /// Returns an expression with the source object as its evaluated object, and with the names of
    /// the mapping and the metadata of the stores as constants.
    private func overSource(_ expression: Expression, _ property: PropertyMapping) -> Expression {
        let mapping = step.mapping
        return expression.replacingVariables { name, path in
            switch (name, path) {
            case ("source", []): return .evaluatedObject
            case ("source", _): return .keyPath(.evaluatedObject, path)
            case ("entityMapping", ["name"]): return .constant(.string(mapping.name))
            case ("entityMapping", ["sourceEntityName"]):
                return .constant(mapping.sourceEntityName.map(Value.string) ?? .null)
            case ("entityMapping", ["destinationEntityName"]):
                return .constant(mapping.destinationEntityName.map(Value.string) ?? .null)
            case ("propertyMapping", ["name"]): return .constant(.string(property.name))
            case ("manager", _): return constants(path).map { .constant($0) }
            default: return nil
            }
        }
    }

    /// Whether an expression needs the manager, the policy or the destination object.
    private func isGeneral(_ expression: Expression) -> Bool {
        var found = false
        _ = expression.replacingVariables { name, _ in
            if ["manager", "entityPolicy", "destination"].contains(name) { found = true }
            return nil
        }
        return found
    }

    // MARK: Relationships

    private func recipe(
        _ relationship: Relationship, _ property: PropertyMapping, _ value: PropertyMapping.Value
    ) throws(MigrationError) -> RelationshipRecipe {
        switch value {
        case .source(let name):
            return try recipe(relationship, property, .key(name), by: nil)
        case .destinations(let mapping, let path):
            var keys = path.split(separator: ".").map(String.init)
            if keys.first == "$source" { keys.removeFirst() }
            let objects = Expression.evaluatedObject
            return try recipe(
                relationship, property, keys.isEmpty ? objects : .keyPath(objects, keys),
                by: mapping)
        case .expression(let expression):
            let its = overSource(expression, property)
            if case .function(let name, let items) = its, items.count == 3,
                case .variable("manager") = items[0], case .constant(.string(let text)) = items[1],
                !isGeneral(items[2])
            {
                if name == Call.byMapping {
                    return try recipe(relationship, property, items[2], by: text)
                }
                if name == Call.byRelationship {
                    return try recipe(relationship, property, items[2], by: nil)
                }
            }
            if isGeneral(its) {
                return RelationshipRecipe(
                    relationship: relationship, source: .general(its), targets: [])
            }
            return try recipe(relationship, property, its, by: nil)
        }
    }

    private static func objects(of entity: Entity?) -> String {
        entity.map { "objects of \($0.name)" } ?? "no objects"
    }

    /// - Parameter name: the mapping whose destination objects are meant; nil for any.
    private func recipe(
        _ relationship: Relationship, _ property: PropertyMapping, _ objects: Expression,
        by name: String?
    ) throws(MigrationError) -> RelationshipRecipe {
        let (evaluator, type) = try evaluator(objects, property)
        let entity: Int
        switch type {
        case .object(let index), .collection(.object(let index)): entity = index
        default: throw unusable(property, "\(objects.description) does not lead to objects")
        }
        let allowed = destination.destination(of: relationship)
        let root = source.entities[entity].root
        let targets: [Int]
        if let name {
            guard let step = steps.first(where: { $0.name == name }) else {
                throw unusable(
                    property, "there is no entity mapping \(name)",
                    Nearest.hint(to: name, among: steps.map(\.name)))
            }
            guard let made = step.destination, allowed.isKind(made.index) else {
                throw unusable(
                    property,
                    "the mapping \(name) makes \(Self.objects(of: step.destination)), and "
                        + "\(property.name) leads to \(allowed.name)")
            }
            let leads = source.entities[entity]
            guard let from = step.source, leads.isKind(from.index) else {
                throw unusable(
                    property,
                    "the mapping \(name) maps \(Self.objects(of: step.source)), and "
                        + "\(objects.description) leads to \(leads.name)")
            }
            targets = [step.index]
        } else {
            targets = steps.filter { step in
                step.source?.root == root
                    && step.destination.map { allowed.isKind($0.index) } == true
            }.map(\.index)
        }
        if case .keyPath(.evaluatedObject, let path) = objects, path.count == 1,
            let direct = step.source?.relationship(named: path[0])
        {
            return RelationshipRecipe(
                relationship: relationship, source: .direct(direct), targets: targets)
        }
        return RelationshipRecipe(
            relationship: relationship, source: .expression(evaluator), targets: targets)
    }
}
