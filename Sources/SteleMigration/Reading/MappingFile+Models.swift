/// The mapping model of a file for two models.

import SteleModel
import StelePredicates

extension MappingFile {
    /// Returns the mapping model for two models, with the values that the file leaves to be
    /// generated from them, and checks its names and types.
    ///
    /// - Throws: `ModelErrors` with every name that a model does not have, every expression that
    ///   does not fit, and every property whose value cannot be generated.
    public func mappingModel(
        from source: Model, to destination: Model
    ) throws(ModelErrors) -> MappingModel {
        let findings = Findings()
        var completion = MappingCompletion(
            file: self, source: source, destination: destination, findings: findings)
        let completed = completion.mappings()
        let check = MappingCheck(completed, source, destination, findings)
        for mapping in completed.entityMappings { check.check(mapping) }
        do { try findings.throwErrors() } catch { throw error.ofMapping(path) }
        return completed
    }
}

/// Adds the values that a file leaves to be generated from the models.
private struct MappingCompletion {
    let file: MappingFile
    let source: Model
    let destination: Model
    let findings: Findings
    private var all: [EntityMapping] = []

    init(file: MappingFile, source: Model, destination: Model, findings: Findings) {
        self.file = file
        self.source = source
        self.destination = destination
        self.findings = findings
    }

    mutating func mappings() -> MappingModel {
        all = file.mappings.entityMappings
        if file.isPartial { addEntities() }
        return MappingModel(
            all.map { mapping in
                guard let from = mapping.sourceEntityName.flatMap({ source.entity(named: $0) }),
                    let to = mapping.destinationEntityName.flatMap({
                        destination.entity(named: $0)
                    })
                else { return mapping }
                var mapping = mapping
                generate(&mapping, from, to)
                if file.isPartial { addProperties(&mapping, from, to) }
                return mapping
            })
    }

    /// Entities that the file does not name are carried over by name, added or removed.
    private mutating func addEntities() {
        let sources = Set(all.compactMap(\.sourceEntityName))
        let destinations = Set(all.compactMap(\.destinationEntityName))
        for entity in destination.storedEntities where !destinations.contains(entity.name) {
            let isKept = source.entity(named: entity.name) != nil && !sources.contains(entity.name)
            let origin = isKept ? entity.name : nil
            all.append(
                EntityMapping(
                    name: EntityMapping.name(origin, entity.name),
                    mappingType: isKept ? .transform : .add, source: origin,
                    destination: entity.name))
        }
        for entity in source.storedEntities
        where !sources.contains(entity.name)
            && (destinations.contains(entity.name) || destination.entity(named: entity.name) == nil)
        {
            all.append(
                EntityMapping(
                    name: entity.name, mappingType: .remove, source: entity.name, destination: nil))
        }
    }

    /// The properties that the file names without a value.
    private func generate(_ mapping: inout EntityMapping, _ from: Entity, _ to: Entity) {
        let names = file.generated[mapping.name] ?? []
        for index in mapping.attributeMappings.indices {
            let name = mapping.attributeMappings[index].name
            guard names.contains(name), from.attribute(named: name) != nil else { continue }
            mapping.attributeMappings[index].value = .source(name)
        }
        for index in mapping.relationshipMappings.indices {
            let name = mapping.relationshipMappings[index].name
            guard names.contains(name), let relationship = from.relationship(named: name) else {
                continue
            }
            mapping.relationshipMappings[index].value = instances(relationship)
        }
    }

    /// The destinations of a relationship of the source: by the one mapping that maps them, or by
    /// any.
    private func instances(_ relationship: Relationship) -> PropertyMapping.Value {
        let family = source.family(of: source.destination(of: relationship)).map(\.name)
        let mappings = all.filter { mapping in
            mapping.destinationEntityName != nil
                && mapping.sourceEntityName.map { family.contains($0) } ?? false
        }
        let name = mappings.count == 1 ? mappings[0].name : nil
        return .destinations(mapping: name, of: relationship.name)
    }

    /// The properties that a mapping of a partial file does not name, if the source has them.
    private func addProperties(_ mapping: inout EntityMapping, _ from: Entity, _ to: Entity) {
        let named = Set((mapping.attributeMappings + mapping.relationshipMappings).map(\.name))
        for property in to.properties where !named.contains(property.name) {
            switch property {
            case .attribute(let attribute):
                for leaf in attribute.leaves
                where !named.contains(leaf.name) && !leaf.isDerived && !leaf.isTransient {
                    guard from.attribute(named: leaf.name) != nil else { continue }
                    mapping.attributeMappings.append(
                        PropertyMapping(name: leaf.name, value: .source(leaf.name)))
                }
            case .relationship(let relationship):
                guard from.relationship(named: relationship.name) != nil else { continue }
                mapping.relationshipMappings.append(
                    PropertyMapping(
                        name: relationship.name, value: .source(relationship.name)))
            case .fetchedProperty, .transientRelationship: break
            }
        }
    }
}
