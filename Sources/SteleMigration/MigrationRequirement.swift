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

    /// The condition as a sentence.
    public var description: String {
        switch kind {
        case .noObjects, .noObjectsOfAbstractEntity:
            "\(cause): there must be no objects of \(sourceEntityName)"
        case .notNull(_, let source):
            "\(cause): all objects of \(sourceEntityName) must have a value of \(source)"
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
        let objects = "\(count) \(count == 1 ? "object" : "objects") of \(sourceEntityName)"
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
            let kinds =
                to.isAbstract
                ? from.isAbstract ? [] : [.noObjectsOfAbstractEntity]
                : mapping.mandatoryAttributes(from, to) + mapping.numericChanges(from, to)
            let relationships =
                to.isAbstract
                ? [] : mapping.mandatoryRelationships(from, to, self, destination)
            return (kinds.map { ($0, false) } + relationships.map { ($0, true) }).map {
                MigrationRequirement(
                    mappingName: mapping.name, sourceEntityName: from.name,
                    destinationEntityName: to.name, kind: $0, isOfRelationship: $1)
            }
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
    fileprivate func mandatoryAttributes(
        _ source: Entity, _ destination: Entity
    ) -> [MigrationRequirement.Kind] {
        let values = Dictionary(
            attributeMappings.compactMap { mapping in mapping.value.map { (mapping.name, $0) } },
            uniquingKeysWith: { first, _ in first })
        return destination.attributes.flatMap { conditions(on: $0, values, source) }
    }

    /// The conditions of an attribute. An optional composite makes none, because it may be null as
    /// a whole.
    private func conditions(
        on attribute: Attribute, _ values: [String: PropertyMapping.Value], _ source: Entity
    ) -> [MigrationRequirement.Kind] {
        if attribute.isOptional || attribute.isTransient || attribute.isDerived { return [] }
        let isEmpty = attribute.leaves.allSatisfy {
            values[$0.name] == nil && $0.declaration.defaultValue.isNull
        }
        if isEmpty { return [.noObjects(property: attribute.name)] }
        if attribute.isComposite {
            return attribute.elements.flatMap { conditions(on: $0, values, source) }
        }
        guard case .source(let name)? = values[attribute.name],
            attribute.declaration.defaultValue.isNull,
            source.attribute(named: name)?.isOptional ?? false
        else { return [] }
        return [.notNull(property: attribute.name, source: name)]
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
