/// Checks of mapping models against the models that they are for.

import SteleModel
import StelePredicates

/// Checks the names and types of a mapping model, and lists every error.
struct MappingCheck {
    private let mappings: MappingModel
    private let source: Model
    private let destination: Model
    private let findings: Findings

    init(_ mappings: MappingModel, _ source: Model, _ destination: Model, _ findings: Findings) {
        self.mappings = mappings
        self.source = source
        self.destination = destination
        self.findings = findings
        var names = Set<String>()
        for mapping in mappings.entityMappings where !names.insert(mapping.name).inserted {
            findings.error(
                mapping.name, "two mappings have this name", hint: "give one another name")
        }
    }

    /// Checks the mapping of an entity.
    func check(_ mapping: EntityMapping) {
        let from = entity(mapping.sourceEntityName, source, "source", mapping)
        let to = entity(mapping.destinationEntityName, destination, "destination", mapping)
        if let from, let filter = mapping.sourceFilter {
            do throws(PredicateError) {
                _ = try PredicateCheck(model: source, entity: from).check(filter)
            } catch {
                findings.error("\(mapping.name).filter", error.message, hint: error.hint)
            }
        }
        guard let to else { return }
        for property in mapping.attributeMappings {
            let place = "\(mapping.name).\(property.name)"
            guard let attribute = to.attribute(named: property.name) else {
                missing(property.name, "attribute", to, place)
                continue
            }
            if attribute.isDerived, property.value != nil {
                findings.error(place, "it is derived, and cannot be set")
            }
            check(property, attribute, from, place)
        }
        for property in mapping.relationshipMappings {
            let place = "\(mapping.name).\(property.name)"
            guard let relationship = to.relationship(named: property.name) else {
                // As with transient attributes, a mapping may name one, without effect.
                if case .transientRelationship? = to.property(named: property.name) { continue }
                missing(property.name, "relationship", to, place)
                continue
            }
            check(property, relationship, from, place)
        }
    }

    private func entity(
        _ name: String?, _ model: Model, _ side: String, _ mapping: EntityMapping
    ) -> Entity? {
        guard let name else { return nil }
        if let found = model.entity(named: name) { return found }
        findings.error(
            mapping.name, "\(model.name) has no entity \(name), which is its \(side)",
            hint: Nearest.hint(to: name, among: model.entities.map(\.name)))
        return nil
    }

    private func missing(_ name: String, _ kind: String, _ entity: Entity, _ place: String) {
        if let other = entity.property(named: name) {
            let found =
                switch other {
                case .attribute: "an attribute"
                case .relationship: "a relationship"
                case .fetchedProperty: "a fetched property"
                case .transientRelationship: "a transient relationship"
                }
            return findings.error(place, "\(entity.name).\(name) is \(found)")
        }
        findings.error(
            place, "\(entity.name) of \(destination.name) has no \(kind) \(name)",
            hint: Nearest.hint(to: name, among: entity.properties.map(\.name)))
    }

    // MARK: Attributes

    private func check(
        _ property: PropertyMapping, _ attribute: Attribute, _ from: Entity?, _ place: String
    ) {
        switch property.value {
        case nil: break
        case .destinations?:
            findings.error(place, "it is an attribute, and has the value of a relationship")
        case .source(let name)?:
            guard let from else { return sourceless(place) }
            guard let origin = from.attribute(named: name) else {
                return unknown(name, from, place)
            }
            let isSame =
                origin.type == attribute.type
                || NumericChange(from: origin.type, to: attribute.type) != nil
            if !isSame, !fits(ExpressionType(of: origin), attribute) {
                mismatch(
                    attribute, "\(from.name).\(name) is \(origin.type.name)", place,
                    hint: "give it an expression, or null for its default")
            }
        case .expression(let expression)?:
            guard let type = type(of: expression, from, place), !fits(type, attribute) else {
                return
            }
            mismatch(attribute, "\(expression) is \(type.noun)", place, hint: nil)
        }
    }

    private func fits(_ type: ExpressionType, _ attribute: Attribute) -> Bool {
        guard type.kind != .any else { return true }
        let wanted = ExpressionType(of: attribute).kind
        return type.kind == wanted && wanted != .opaque && wanted != .encrypted
    }

    private func mismatch(
        _ attribute: Attribute, _ given: String, _ place: String, hint: String?
    ) {
        findings.error(
            place, "\(given), and \(attribute.name) is \(attribute.type.name)", hint: hint)
    }

    /// The type of an expression of the source object; nil, with an error, if it does not fit, and
    /// nil for an expression of other variables, which is known only when it is carried out.
    private func type(
        of expression: Expression, _ from: Entity?, _ place: String
    ) -> ExpressionType? {
        let variables = expression.freeVariables
        for name in variables.subtracting(MigrationVariable.all).sorted() {
            findings.error(
                place, "the variable $\(name) is not known",
                hint: Nearest.hint(to: name, among: MigrationVariable.all.sorted())
                    ?? "write $source and a key")
        }
        guard variables.isSubset(of: [MigrationVariable.source]) else { return nil }
        guard let from else {
            if variables.isEmpty { return constantType(expression, place) }
            sourceless(place)
            return nil
        }
        do throws(PredicateError) {
            return try expression.checkedAsValue(of: from, in: source).1
        } catch {
            findings.error(place, error.message, hint: error.hint)
            return nil
        }
    }

    /// The type of an expression without a source object, which has no keys.
    private func constantType(_ expression: Expression, _ place: String) -> ExpressionType? {
        guard case .constant(let value) = expression else { return nil }
        return ExpressionType(of: value)
    }

    private func sourceless(_ place: String) {
        findings.error(place, "it uses $source, and the mapping has no source entity")
    }

    private func unknown(_ name: String, _ entity: Entity, _ place: String) {
        findings.error(
            place, "\(entity.name) of \(source.name) has no \(name)",
            hint: Nearest.hint(to: name, among: entity.properties.map(\.name)))
    }

    // MARK: Relationships

    private func check(
        _ property: PropertyMapping, _ relationship: Relationship, _ from: Entity?, _ place: String
    ) {
        switch property.value {
        case nil: break
        case .source(let name)?: check(nil, name, relationship, from, place)
        case .destinations(let mapping, let path)?:
            check(mapping, path, relationship, from, place)
        case .expression(let expression)?: _ = type(of: expression, from, place)
        }
    }

    private func check(
        _ name: String?, _ path: String, _ relationship: Relationship, _ from: Entity?,
        _ place: String
    ) {
        if let name { checkMapping(name, relationship, place) }
        guard let from else { return sourceless(place) }
        let keys = path.split(separator: ".").map(String.init)
        let origin = Expression.variable(MigrationVariable.source)
        let expression = keys.isEmpty ? origin : .keyPath(origin, keys)
        guard let type = type(of: expression, from, place) else { return }
        let leads: Entity
        switch type {
        case .object(let index): leads = source.entities[index]
        case .collection(.object(let index)):
            leads = source.entities[index]
            if !relationship.isToMany {
                findings.error(
                    place, "\(expression) has many objects, and \(relationship.name) holds one",
                    hint: "choose one by a policy, or make \(relationship.name) a to-many")
            }
        default:
            return findings.error(place, "\(expression) is \(type.noun), not a relationship")
        }
        let mapped = name.flatMap { mappings.mapping(named: $0)?.sourceEntityName }
        guard let its = mapped.flatMap({ source.entity(named: $0) }), !leads.isKind(its.index)
        else { return }
        findings.error(
            place,
            "\(name ?? "") maps objects of \(its.name), and \(expression) leads to \(leads.name)")
    }

    private func checkMapping(_ name: String, _ relationship: Relationship, _ place: String) {
        guard let mapping = mappings.mapping(named: name) else {
            return findings.error(
                place, "there is no mapping \(name)",
                hint: Nearest.hint(to: name, among: mappings.entityMappings.map(\.name)))
        }
        let wanted = destination.destination(of: relationship)
        guard let made = mapping.destinationEntityName.flatMap({ destination.entity(named: $0) })
        else { return }
        if !wanted.isKind(made.index), !made.isKind(wanted.index) {
            findings.error(
                place,
                "\(name) makes objects of \(made.name), and \(relationship.name) refers to "
                    + wanted.name)
        }
    }
}

extension Expression {
    /// Checks a value expression on the objects of a source entity. `$source` stands for the
    /// object, and `+` also joins texts.
    ///
    /// - Throws: `PredicateError` as `PredicateCheck.check(_:)`.
    package func checkedAsValue(
        of entity: Entity, in model: Model
    ) throws(PredicateError) -> (Expression, ExpressionType) {
        let own = replacingVariables { name, path in
            guard name == MigrationVariable.source else { return nil }
            return path.isEmpty ? .evaluatedObject : .keyPath(.evaluatedObject, path)
        }
        var check = PredicateCheck(model: model, entity: entity)
        check.joinsTexts = true
        return try check.check(own)
    }
}
