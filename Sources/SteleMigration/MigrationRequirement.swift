/// What the data must fulfil for a mapping to be carried out.

import SteleModel

/// A condition on the objects of a source entity. Inference accepts a change that depends on the
/// data, and carrying it out on objects that break the condition fails with
/// `MigrationError.Code.migration` (134110).
public struct MigrationRequirement: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a condition.
    public enum Kind: Sendable, Hashable {
        /// There are no objects: a property is not optional, and has neither a value nor a default.
        case noObjects(property: String)
        /// No object has null in this property of the source, or no destination: the property is
        /// not optional, and has no default.
        case notNull(property: String, source: String)
        /// All values of this attribute of the source fit the type that it changes to.
        case fits(property: String, source: String, change: NumericChange)
        /// There are no objects: the entity becomes abstract.
        case noObjectsOfAbstractEntity
    }

    /// The name of the entity mapping.
    public var mappingName: String
    /// The source entity. The condition is on its own objects, without those of subentities.
    public var sourceEntityName: String
    /// The destination entity.
    public var destinationEntityName: String
    /// The condition.
    public var kind: Kind
    /// Whether the property is a relationship, which has no default.
    public var isOfRelationship = false
    /// The optional composite attribute that the property is in: the condition is on the objects that
    /// have a value in it. Nil for a property that is in none.
    public var composite: Composite?

    /// An optional composite attribute.
    public struct Composite: Sendable, Hashable {
        /// The name or key path in the destination.
        public var name: String
        /// The key paths of its values in the source.
        public var sources: [String]
    }

    /// The condition as a sentence.
    public var description: String {
        switch kind {
        case .noObjects, .noObjectsOfAbstractEntity:
            "\(cause): there must be no objects of \(sourceEntityName)\(withValues)"
        case .notNull(_, let source):
            "\(cause): all objects of \(sourceEntityName)\(withValues) must have a value of "
                + source
        case .fits(_, let source, let change):
            "\(cause): all values of \(sourceEntityName).\(source) must be \(change.condition)"
        }
    }

    /// The most objects that an error lists.
    public static let listed = 20

    /// The error of a migration on data that breaks the condition.
    /// - Parameters:
    ///   - count: the number of objects that break it.
    ///   - values: the first `listed` of them, with the values that do not fit.
    public func error(count: Int, values: [(key: Int64, value: Value)] = []) -> MigrationError {
        let objects =
            "\(count) \(count == 1 ? "object" : "objects") of \(sourceEntityName)\(withValues)"
        switch kind {
        case .noObjects(let name):
            return MigrationError(
                .migration, "\(cause), and the store has \(objects)",
                hint: isOfRelationship
                    ? "make \(name) optional, or say with a mapping model what it leads to"
                    : "make \(name) optional or give it a default")
        case .notNull(let name, let source):
            return MigrationError(
                .migration, "\(cause), and \(objects) without a value of \(source) exist",
                hint: isOfRelationship
                    ? "give it to them first, or make \(name) optional"
                    : "make \(name) optional or give it a default")
        case .fits(_, let source, let change):
            var reasons = values.map {
                "\(sourceEntityName) \($0.key): \(change.text(of: $0.value))"
            }
            if count > values.count { reasons.append("and \(count - values.count) more") }
            return MigrationError(
                .migration,
                "\(cause), and the value of \(source) does not fit for \(objects)",
                reasons: reasons,
                hint:
                    "the values must be \(change.condition): change them first, keep the type, or "
                    + "say with a mapping model what they become")
        case .noObjectsOfAbstractEntity:
            return MigrationError(
                .migration, "\(cause), and the store has \(objects)",
                hint: "delete them first, or carry them to another entity with a mapping model")
        }
    }

    private var withValues: String { composite.map { " with values in \($0.name)" } ?? "" }

    private var cause: String {
        switch kind {
        case .noObjects(let property):
            "\(destinationEntityName).\(property) is not optional, and nothing gives it a value"
        case .notNull(let property, _):
            "\(destinationEntityName).\(property) is not optional"
                + (isOfRelationship ? "" : " and has no default")
        case .fits(let property, _, let change):
            "\(destinationEntityName).\(property) is of type \(change.destination.name) and was "
                + change.source.name
        case .noObjectsOfAbstractEntity: "\(destinationEntityName) becomes abstract"
        }
    }
}

extension MappingModel {
    /// The conditions on the data, in the order of the entity mappings and their properties; empty
    /// if any data will do.
    ///
    /// An attribute that has a default makes no condition: the default stands for a null. A
    /// relationship without a source makes none if its inverse has one. An expression makes none,
    /// because its value is not known before. Mappings with a policy have none.
    public func requirements(from source: Model, to destination: Model) -> [MigrationRequirement] {
        entityMappings.flatMap { mapping -> [MigrationRequirement] in
            guard mapping.mappingType != .copy, mapping.entityMigrationPolicyClassName == nil,
                let from = mapping.sourceEntityName.flatMap({ source.entity(named: $0) }),
                let to = mapping.destinationEntityName.flatMap({ destination.entity(named: $0) })
            else { return [] }
            func requirement(_ kind: MigrationRequirement.Kind) -> MigrationRequirement {
                MigrationRequirement(
                    mappingName: mapping.name, sourceEntityName: from.name,
                    destinationEntityName: to.name, kind: kind)
            }
            if to.isAbstract {
                return from.isAbstract ? [] : [requirement(.noObjectsOfAbstractEntity)]
            }
            let attributes = mapping.mandatoryAttributes(from, to).map { condition in
                var requirement = requirement(condition.kind)
                requirement.composite = condition.composite
                return requirement
            }
            let relationships = mapping.mandatoryRelationships(from, to, self, destination).map {
                var requirement = requirement($0)
                requirement.isOfRelationship = true
                return requirement
            }
            return attributes + mapping.numericChanges(from, to).map(requirement) + relationships
        }
    }

    /// Whether a mapping sets the relationship of an entity or of one of its subentities.
    fileprivate func sets(_ relationship: Relationship, in model: Model) -> Bool {
        let owners = Set(model.family(of: model.entities[relationship.owner]).map(\.name))
        return entityMappings.contains { mapping in
            mapping.destinationEntityName.map { owners.contains($0) } ?? false
                && mapping.relationshipMappings.contains {
                    $0.name == relationship.name && $0.value != nil
                }
        }
    }
}

extension EntityMapping {
    fileprivate typealias Condition = (
        kind: MigrationRequirement.Kind, composite: MigrationRequirement.Composite?
    )

    fileprivate func mandatoryAttributes(
        _ source: Entity, _ destination: Entity
    ) -> [Condition] {
        let values = Dictionary(
            attributeMappings.compactMap { mapping in mapping.value.map { (mapping.name, $0) } },
            uniquingKeysWith: { first, _ in first })
        return destination.attributes.flatMap { conditions(on: $0, values, source, nil) }
    }

    /// The conditions of an attribute. What is mandatory in an optional composite may be null where
    /// all of the composite is.
    private func conditions(
        on attribute: Attribute, _ values: [String: PropertyMapping.Value], _ source: Entity,
        _ composite: MigrationRequirement.Composite?
    ) -> [Condition] {
        if attribute.isTransient || attribute.isDerived { return [] }
        if attribute.isOptional {
            let sources = attribute.leaves.compactMap { leaf in
                if case .source(let name)? = values[leaf.name] { name } else { nil }
            }
            guard attribute.isComposite, !sources.isEmpty else { return [] }
            let own = MigrationRequirement.Composite(name: attribute.name, sources: sources)
            return attribute.elements.flatMap { conditions(on: $0, values, source, own) }
        }
        let isEmpty = attribute.leaves.allSatisfy {
            values[$0.name] == nil && $0.declaration.defaultValue.isNull
        }
        if isEmpty { return [(.noObjects(property: attribute.name), composite)] }
        if attribute.isComposite {
            return attribute.elements.flatMap { conditions(on: $0, values, source, composite) }
        }
        guard case .source(let name)? = values[attribute.name],
            attribute.declaration.defaultValue.isNull, mayBeNull(name, in: source, composite)
        else { return [] }
        return [(.notNull(property: attribute.name, source: name), composite)]
    }

    /// Whether an attribute of the source may be null, in objects that have a value in a composite:
    /// it is optional, or it is in an optional composite within that one.
    private func mayBeNull(
        _ name: String, in source: Entity, _ composite: MigrationRequirement.Composite?
    ) -> Bool {
        let depth = composite?.name.split(separator: ".").count ?? 0
        let path = name.split(separator: ".")
        return path.indices.dropFirst(depth).contains { last in
            let enclosing = path[...last].joined(separator: ".")
            return source.attribute(named: enclosing)?.isOptional ?? false
        }
    }

    fileprivate func numericChanges(
        _ source: Entity, _ destination: Entity
    ) -> [MigrationRequirement.Kind] {
        attributeMappings.compactMap { mapping in
            guard case .source(let name)? = mapping.value,
                let old = source.attribute(named: name),
                let new = destination.attribute(named: mapping.name),
                let change = NumericChange(from: old.type, to: new.type), change.isNarrowing
            else { return nil }
            return .fits(property: new.name, source: old.name, change: change)
        }
    }

    fileprivate func mandatoryRelationships(
        _ source: Entity, _ destination: Entity, _ mappings: MappingModel, _ model: Model
    ) -> [MigrationRequirement.Kind] {
        let values = Dictionary(
            relationshipMappings.compactMap { mapping in
                mapping.value.map { (mapping.name, $0) }
            }, uniquingKeysWith: { first, _ in first })
        return destination.relationships.compactMap { relationship in
            guard relationship.isRequired else { return nil }
            switch values[relationship.name] {
            case nil:
                if let inverse = model.inverse(of: relationship), mappings.sets(inverse, in: model)
                {
                    return nil
                }
                return .noObjects(property: relationship.name)
            case .source(let name)?:
                guard let old = source.relationship(named: name), !old.isRequired else {
                    return nil
                }
                return .notNull(property: relationship.name, source: name)
            case .expression?, .destinations?: return nil
            }
        }
    }
}
