/// Infers a mapping model from two models: lightweight migration.

import SteleModel

extension MappingModel {
    /// Infers the mapping from one model to another (NSMappingModel.inferredMappingModel).
    ///
    /// Entities and properties are matched by renaming identifier, otherwise by name. There is one
    /// entity mapping for each entity of the destination, abstract ones too, in its order, and then
    /// one for each entity that is removed, in the source's order. Their names are those of Core
    /// Data: `IEM_Add_X`, `IEM_Copy_X`, `IEM_Transform_X` with the destination's name, and
    /// `IEM_Remove_X` with the source's.
    ///
    /// A copy or transformation has a property mapping for each property that a store keeps,
    /// inherited ones too, and for composite attributes one for each attribute inside, by key path.
    /// Its value is `.source`, or nil for an addition. Transient and derived attributes have none.
    ///
    /// A numeric type may become another one (`NumericChange`).
    ///
    /// `requirements(from:to:)` lists what the data must fulfil.
    ///
    /// - Throws: `MigrationError.Code.inferredMappingModel` (134190) with every reason: a type that
    ///   changes and is not numeric, a to-many relationship that becomes to-one, a relationship to other objects or
    ///   with an inverse that was another one's, entities that get a common parent and had none,
    ///   two entities that were one.
    public static func inferred(
        from source: Model, to destination: Model
    ) throws(MigrationError) -> MappingModel {
        var inference = Inference(ModelMatch(from: source, to: destination))
        return try inference.mappingModel()
    }
}

/// One inference. It collects reasons against it, and throws them together.
struct Inference {
    let match: ModelMatch
    private(set) var reasons: [String] = []
    /// For each destination relationship, by index, the indexes of the relationships that it was in
    /// the entities that have it.
    private var origins: [Int: Set<Int>] = [:]

    init(_ match: ModelMatch) {
        self.match = match
        for entity in match.destination.entities {
            guard let source = match.source(of: entity) else { continue }
            for case (let new, let old?) in match.relationships(of: entity, from: source) {
                origins[new.index, default: []].insert(old.index)
            }
        }
    }

    mutating func mappingModel() throws(MigrationError) -> MappingModel {
        checkEntities()
        var mappings = match.destination.storedEntities.map { mapping(to: $0) }
        for entity in match.source.storedEntities where match.successors(of: entity).isEmpty {
            mappings.append(
                EntityMapping(
                    name: "IEM_Remove_\(entity.name)", mappingType: .remove, source: entity.name,
                    destination: nil))
        }
        guard reasons.isEmpty else {
            throw MigrationError(
                .inferredMappingModel,
                "no mapping can be inferred from \(match.source.name) to \(match.destination.name)",
                reasons: reasons,
                hint: (mappings.contains { $0.sourceEntityName == nil }
                    ? "if an entity was renamed, give it the former name as its renaming identifier; "
                    : "") + "a mapping model can say how the data is carried over")
        }
        return MappingModel(mappings)
    }

    /// Adds a reason once: inherited properties are seen in every subentity.
    mutating func refuse(_ reason: String) {
        if !reasons.contains(reason) { reasons.append(reason) }
    }

    /// Refuses entities that become two, and hierarchies that are merged.
    private mutating func checkEntities() {
        for entity in match.source.storedEntities {
            let successors = match.successors(of: entity).map(\.name)
            guard successors.count > 1 else { continue }
            refuse("\(list(successors)) come from the one entity \(entity.name)")
        }
        for root in match.destination.storedEntities where root.parent == nil {
            var seen = Set<Int>()
            let families = match.destination.family(of: root).filter { entity in
                match.source(of: entity).map { seen.insert($0.root).inserted } ?? false
            }
            guard families.count > 1 else { continue }
            refuse(
                "\(list(families.map(\.name))) had no common parent, and now all belong to the "
                    + "hierarchy of \(root.name)")
        }
    }

    private mutating func mapping(to entity: Entity) -> EntityMapping {
        guard let source = match.source(of: entity) else {
            return EntityMapping(
                name: "IEM_Add_\(entity.name)", mappingType: .add, source: nil,
                destination: entity.name)
        }
        var mapping = EntityMapping(
            name: "", mappingType: .transform, source: source.name, destination: entity.name)
        for (new, old) in match.attributes(of: entity, from: source) {
            mapping.attributeMappings += attributeMappings(new, from: old)
        }
        for (new, old) in match.relationships(of: entity, from: source) {
            mapping.relationshipMappings.append(relationshipMapping(new, from: old))
        }
        let isCopy =
            isUnchanged(entity)
            && (mapping.attributeMappings + mapping.relationshipMappings).allSatisfy {
                $0.value == .source($0.name)
            }
        mapping.mappingType = isCopy ? .copy : .transform
        mapping.name = (isCopy ? "IEM_Copy_" : "IEM_Transform_") + entity.name
        return mapping
    }

    /// Whether the version hashes of an entity and of its ancestors are those of their sources, and
    /// its relationships go where they went.
    private func isUnchanged(_ entity: Entity) -> Bool {
        guard let source = match.source(of: entity),
            VersionFacts(entity, in: match.destination) == VersionFacts(source, in: match.source)
        else { return false }
        let leadsAway = zip(entity.relationships, source.relationships).contains { new, old in
            let destination = match.destination.entities[new.destination]
            return match.source(of: destination)?.index != old.destination
        }
        if leadsAway { return false }
        guard let parent = entity.parent.map({ match.destination.entities[$0] }) else {
            return true
        }
        return match.source(of: parent)?.index == source.parent && isUnchanged(parent)
    }

    /// `A and B`, or `A, B and C`.
    private func list(_ names: [String]) -> String {
        names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }
}

extension Inference {
    // MARK: - Properties

    /// The mapping of an attribute; of a composite attribute those of the attributes inside.
    private mutating func attributeMappings(
        _ new: Attribute, from old: Attribute?
    ) -> [PropertyMapping] {
        if new.isTransient || new.isDerived { return [] }
        guard let old, !old.isTransient else {
            return new.leaves.map { PropertyMapping(name: $0.name, value: nil) }
        }
        guard new.type == old.type || NumericChange(from: old.type, to: new.type) != nil else {
            refuse("\(label(new, old)) is of type \(new.type.name) and was \(old.type.name)")
            return []
        }
        guard new.isComposite else {
            return [PropertyMapping(name: new.name, value: .source(old.name))]
        }
        return match.elements(of: new, from: old).flatMap { attributeMappings($0, from: $1) }
    }

    private mutating func relationshipMapping(
        _ new: Relationship, from old: Relationship?
    ) -> PropertyMapping {
        guard let old else { return PropertyMapping(name: new.name, value: nil) }
        if old.isToMany, !new.isToMany {
            refuse("\(label(new, old)) is to-one and was to-many")
        }
        if !canKeepDestinations(new, old) {
            refuse(
                "\(label(new, old)) refers to \(match.destination.destination(of: new).name) and "
                    + "referred to \(match.source.destination(of: old).name)")
        }
        if let inverse = match.destination.inverse(of: new), let other = crossed(inverse, old) {
            refuse(
                "\(label(new, old)) has the inverse \(inverse.name), which was "
                    + "\(label(other, in: match.source)) and not its inverse")
        }
        return PropertyMapping(name: new.name, value: .source(old.name))
    }

    /// Whether a relationship can refer to what the objects become that it referred to. If the
    /// destination entity is removed, its subentities count.
    private func canKeepDestinations(_ new: Relationship, _ old: Relationship) -> Bool {
        let allowed = match.destination.destination(of: new)
        let before = match.source.destination(of: old)
        let successors = match.successors(of: before)
        if !successors.isEmpty { return successors.contains { allowed.isKind($0.index) } }
        return match.source.family(of: before).contains { entity in
            match.successors(of: entity).contains { allowed.isKind($0.index) }
        }
    }

    /// A relationship of the source that becomes the inverse of `old`'s successor, and was not its
    /// inverse: both have values, which may contradict each other. Nil if there is none.
    private func crossed(_ inverse: Relationship, _ old: Relationship) -> Relationship? {
        (origins[inverse.index] ?? []).filter { $0 != old.inverse }.min()
            .map { match.source.relationships[$0] }
    }

    /// `Person.name`, with the name of before if that was another.
    private func label(_ new: Attribute, _ old: Attribute) -> String {
        let now = "\(match.destination.entities[new.owner].name).\(new.name)"
        let before = "\(match.source.entities[old.owner].name).\(old.name)"
        return now == before ? now : "\(now) (\(before) before)"
    }

    private func label(_ new: Relationship, _ old: Relationship) -> String {
        let now = label(new, in: match.destination)
        let before = label(old, in: match.source)
        return now == before ? now : "\(now) (\(before) before)"
    }

    private func label(_ relationship: Relationship, in model: Model) -> String {
        "\(model.entities[relationship.owner].name).\(relationship.name)"
    }
}
