import SteleModel

/// What an inferred step does not carry over, by the entities whose objects lose it: an attribute
/// that moves up or down a hierarchy stays for some of them or all, and an entity that gets another
/// parent loses what it had from the former one.
struct InferredLosses {
    private let source: Model
    private let destination: Model
    /// The mappings of the entities that stay, by the source entity's index.
    private var mappings: [Int: EntityMapping] = [:]
    /// The names of the properties that the objects of an entity lose, by its index.
    private var lost: [Int: Set<String>] = [:]

    init(_ mappingModel: MappingModel, from source: Model, to destination: Model) {
        self.source = source
        self.destination = destination
        for mapping in mappingModel.entityMappings {
            guard let old = mapping.sourceEntityName.flatMap({ source.entity(named: $0) }),
                mapping.destinationEntityName != nil
            else { continue }
            mappings[old.index] = mapping
            let kept = (mapping.attributeMappings + mapping.relationshipMappings)
                .flatMap(\.origins)
            lost[old.index] = Set(old.storedNames).subtracting(kept)
        }
    }

    /// The lines on an entity, each of which names a loss. What all objects of a hierarchy lose is
    /// listed under the entity that declares it.
    func lines(of entity: Entity) -> [String] {
        entity.storedNames.compactMap { line(on: $0, of: entity) } + cutLinks(of: entity)
            + changedValues(of: entity)
    }

    /// Whether what a property loses is listed under an entity: the one that declares it, or where that
    /// is removed, the first ones below it that stay.
    private func speaks(_ entity: Entity, for owner: Int) -> Bool {
        var next = entity
        while next.index != owner {
            guard let parent = next.parent, mappings[parent] == nil else { return false }
            next = source.entities[parent]
        }
        return true
    }

    /// What an entity's own properties lose that stay.
    private func changedValues(of entity: Entity) -> [String] {
        guard let mapping = mappings[entity.index],
            let now = mapping.destinationEntityName.flatMap({ destination.entity(named: $0) })
        else { return [] }
        var lines: [String] = []
        for property in mapping.attributeMappings {
            guard case .source(let name)? = property.value,
                let before = entity.attribute(named: name), speaks(entity, for: before.owner),
                let after = now.attribute(named: property.name)
            else { continue }
            if before.isOptional, !after.isOptional, !after.declaration.defaultValue.isNull {
                lines.append(
                    "removes null from \(now.name).\(after.name): it becomes the default")
            }
            if after.type == .float, [.double, .decimal].contains(before.type) {
                lines.append(
                    "removes the digits of \(now.name).\(after.name) that a Float does not have")
            }
        }
        for property in mapping.relationshipMappings {
            guard case .source(let name)? = property.value,
                let before = entity.relationship(named: name), speaks(entity, for: before.owner),
                let after = now.relationship(named: property.name), before.isOrdered,
                !after.isOrdered
            else { continue }
            lines.append("removes the order of \(now.name).\(after.name)")
        }
        return lines
    }

    private func line(on name: String, of entity: Entity) -> String? {
        guard lost[entity.index]?.contains(name) == true, let owner = owner(of: name, in: entity)
        else { return nil }
        let family = source.family(of: owner).filter {
            !$0.isAbstract && mappings[$0.index] != nil
        }
        let keepers = family.filter { lost[$0.index]?.contains(name) != true }
        let line = "removes \(entity.name).\(name) and its values" + hint(on: name, of: entity)
        if owner.index != entity.index {
            let isSaid = keepers.isEmpty && lost[owner.index]?.contains(name) == true
            return isSaid || entity.isAbstract ? nil : line
        }
        if keepers.isEmpty { return line }
        if entity.isAbstract { return nil }
        let names = keepers.map(\.name).joined(separator: ", ")
        return "removes \(entity.name).\(name) and its values, which \(names) "
            + (keepers.count == 1 ? "keeps" : "keep")
    }

    /// How to keep a property that may have been renamed. A part of a composite attribute is renamed
    /// within it, or with the whole attribute.
    private func hint(on name: String, of entity: Entity) -> String {
        guard let mapping = mappings[entity.index],
            let now = mapping.destinationEntityName.flatMap({ destination.entity(named: $0) })
        else { return "" }
        let added = (mapping.attributeMappings + mapping.relationshipMappings)
            .filter { property in
                guard property.value == nil else { return false }
                if let before = entity.attribute(named: name) {
                    return now.attribute(named: property.name)?.type == before.type
                }
                let after = now.relationship(named: property.name)
                return after?.isToMany == entity.relationship(named: name)?.isToMany
            }
            .map { Path($0.name) }
        let path = Path(name)
        if let other = added.first(where: { $0.composite == path.composite }) {
            return "; if it is \(other.text) now, give that the renaming identifier \(path.last)"
        }
        guard let composite = path.composite,
            let other = added.first(where: { $0.last == path.last })?.composite
        else { return "" }
        return "; if \(composite) is \(other) now, give that the renaming identifier \(composite)"
    }

    /// The name of a property, or the key path of a part of a composite attribute.
    private struct Path {
        let text: String
        /// The key path of the composite attribute; nil for a property of an entity.
        let composite: String?
        let last: String

        init(_ text: String) {
            let parts = text.split(separator: ".").map(String.init)
            self.text = text
            composite = parts.count > 1 ? parts.dropLast().joined(separator: ".") : nil
            last = parts.last ?? text
        }
    }

    /// The links of an entity's own relationships to objects whose entity the destination of the
    /// relationship no longer has in its hierarchy.
    private func cutLinks(of entity: Entity) -> [String] {
        guard let mapping = mappings[entity.index],
            let now = mapping.destinationEntityName.flatMap({ destination.entity(named: $0) })
        else { return [] }
        return mapping.relationshipMappings.flatMap { property -> [String] in
            guard case .source(let name)? = property.value,
                let before = entity.relationship(named: name), speaks(entity, for: before.owner),
                let after = now.relationship(named: property.name)
            else { return [] }
            let reached = Set(
                destination.family(of: destination.destination(of: after)).map(\.name))
            return source.family(of: source.destination(of: before)).compactMap { end in
                guard !end.isAbstract, let name = mappings[end.index]?.destinationEntityName,
                    !reached.contains(name)
                else { return nil }
                return "removes the links of \(entity.name).\(before.name) to \(end.name)"
            }
        }
    }

    private func owner(of name: String, in entity: Entity) -> Entity? {
        (entity.attribute(named: name)?.owner ?? entity.relationship(named: name)?.owner)
            .map { source.entities[$0] }
    }
}
