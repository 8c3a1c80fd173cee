/// A migration plan as text.

import SteleModel

extension MigrationPlan {
    /// The plan in plain lines: what the store was made with, the steps, what each adds, renames
    /// and removes, and what it requires of the data.
    public var lines: [String] {
        guard !isEmpty else {
            return ["the store is of the current version \(destination.name); nothing is migrated"]
                + unseenRenames
        }
        let count = steps.count == 1 ? "1 step" : "\(steps.count) steps"
        var lines = [
            source.isCached
                ? "the store was made with another version than those that are known, and keeps its "
                    + "model: \(count)"
                : "the store was made with \(source.name), and the current version is "
                    + "\(destination.name): \(count)"
        ]
        if !sameAsSource.isEmpty {
            lines.append(
                "\(source.name) has the same version hashes as "
                    + "\(sameAsSource.joined(separator: ", ")); their data is the same")
        }
        lines += unusedMappings
        if isBackward {
            lines.append(
                "this leads back to an older version: what only \(source.name) has is removed")
        }
        for (index, step) in steps.enumerated() {
            lines.append("  \(index + 1). \(step.title)")
            lines += step.details.map { "     - \($0)" }
        }
        if steps.contains(where: { !$0.narrowed.isEmpty }) {
            lines.append(
                "values and members of before are not checked: those that a narrowed property does "
                    + "not allow stay, and refuse the next change of their object")
        }
        return lines
    }
}

extension MigrationPlan {
    /// The renaming identifiers of the current version that name another of its entities, or another
    /// property of the entity. Version hashes do not have renaming identifiers: nothing tells two
    /// versions apart between which two entities of one form, or two properties of one type, have
    /// exchanged their names.
    private var unseenRenames: [String] {
        let entities = destination.model.storedEntities
        func note(_ name: String, _ former: String, _ what: String) -> String {
            "\(name) has the renaming identifier of \(former): if \(what) have to move, give one of "
                + "them a version hash modifier, because the version hashes are the same"
        }
        return entities.flatMap { entity -> [String] in
            var notes: [String] = []
            if let former = entity.declaration.renamingIdentifier, former != entity.name,
                entities.contains(where: { $0.name == former })
            {
                notes.append(note(entity.name, former, "objects"))
            }
            for property in entity.declaration.properties {
                guard let former = property.formerName, former != property.name,
                    entity.property(named: former) != nil
                else { continue }
                notes.append(
                    note("\(entity.name).\(property.name)", "\(entity.name).\(former)", "values"))
            }
            return notes
        }
    }
}

extension PropertyDescription {
    /// The renaming identifier.
    fileprivate var formerName: String? {
        switch self {
        case .attribute(let it): it.renamingIdentifier
        case .relationship(let it): it.renamingIdentifier
        case .fetchedProperty: nil
        }
    }
}

extension MigrationPlan.Step {
    /// The step in a line.
    public var title: String {
        let way = "\(source.name) to \(destination.name)"
        switch kind {
        case .inferred: return "\(way), inferred"
        case .mappingModel(let name): return "\(way), by the mapping model \(name)"
        }
    }

    /// What a step does to an entity or a property, in a line.
    private enum Detail {
        case change(String)
        /// Objects, values or links are not carried over.
        case loss(String)

        var text: String {
            switch self {
            case .change(let text), .loss(let text): text
            }
        }
    }

    /// What the step adds, renames, computes and removes, and what it requires of the data.
    public var details: [String] {
        changes.map(\.text) + narrowed.map { "narrows \($0)" }
            + requirements.map { "requires: \($0)" }
    }

    /// Those of the details that name objects, values or links which are not carried over.
    public var losses: [String] {
        changes.compactMap { if case .loss(let text) = $0 { text } else { nil } }
    }

    /// Whether objects, values or links are not carried over.
    public var removes: Bool { !losses.isEmpty }

    private var changes: [Detail] {
        var details: [Detail] = []
        let inferred =
            kind == .inferred
            ? InferredLosses(mappingModel, from: source.model, to: destination.model) : nil
        for mapping in mappingModel.entityMappings {
            switch (mapping.sourceEntityName, mapping.destinationEntityName) {
            case (nil, let name?): details.append(.change("adds the entity \(name)"))
            case (let name?, nil) where source.model.entity(named: name)?.isAbstract == true:
                details.append(
                    .change("the entity \(name) is removed: it is abstract, and has no objects"))
            case (let name?, nil):
                details.append(
                    .loss(
                        "removes the entity \(name) and its objects"
                            + (hasAdditions
                                ? "; if it was renamed, give the new entity the renaming identifier "
                                    + "(elementID) \(name)" : "")))
            case (let old?, let new?):
                if old != new { details.append(.change("the entity \(old) becomes \(new)")) }
                if let policy = mapping.entityMigrationPolicyClassName {
                    // A policy may use and set any property.
                    details.append(.change("the policy \(policy) makes the objects of \(new)"))
                } else if !mapping.isWhole {
                    details += changes(mapping, old, new)
                    if let inferred, let entity = source.model.entity(named: old) {
                        details += inferred.lines(of: entity).map { .loss($0) }
                    }
                }
            case (nil, nil): break
            }
        }
        return details
    }

    /// Whether an entity is added.
    private var hasAdditions: Bool {
        mappingModel.entityMappings.contains { $0.sourceEntityName == nil }
    }

    /// The properties that an entity mapping adds, renames and computes, and one of a file removes.
    /// Inherited ones belong to the parent's mapping.
    private func changes(_ mapping: EntityMapping, _ old: String, _ new: String) -> [Detail] {
        guard let before = source.model.entity(named: old),
            let now = destination.model.entity(named: new)
        else { return [] }
        let properties = mapping.attributeMappings + mapping.relationshipMappings
        let named = Set(properties.map(\.name))
        var kept = Set<String>()
        var used = Set<String>()
        var lines: [Detail] = []
        for property in properties {
            // An expression makes something else of the values.
            if case .expression? = property.value {
                used.formUnion(property.origins)
            } else {
                kept.formUnion(property.origins)
            }
            guard now.owns(property.name) else { continue }
            let target = "\(new).\(property.name)"
            switch property.value {
            case .destinations(let mapping, "")?:
                lines.append(
                    .change(
                        "\(target) leads to what "
                            + (mapping.map { "the mapping \($0)" } ?? "each mapping")
                            + " makes of the same object"))
            case .source(let name)?, .destinations(_, let name)?:
                if name != property.name {
                    let stays = properties.contains {
                        $0.name == name && $0.origins.contains(name)
                    }
                    lines.append(
                        .change(
                            stays ? "computes \(target)" : "\(old).\(name) becomes \(target)"))
                }
                if let from = before.attribute(named: name)?.type,
                    let to = now.attribute(named: property.name)?.type, from != to
                {
                    lines.append(
                        .change("\(target) is of type \(to.name) and was \(from.name)"))
                }
            case .expression?: lines.append(.change("computes \(target)"))
            case nil:
                if before.property(named: property.name) != nil {
                    lines.append(.change("\(target) gets its default"))
                } else if !isSetByInverse(now.relationship(named: property.name)) {
                    lines.append(.change("adds \(target)"))
                }
            }
        }
        for name in now.storedNames where now.owns(name) && !named.contains(name) {
            if isSetByInverse(now.relationship(named: name)) { continue }
            lines.append(
                .change(
                    before.property(named: name) == nil
                        ? "adds \(new).\(name)" : "\(new).\(name) gets its default"))
        }
        if kind == .inferred { return lines }
        for name in before.storedNames where isLeft(name, to: before) && !kept.contains(name) {
            if isKeptByInverse(before.relationship(named: name)) { continue }
            // What is computed from the property itself is listed as that.
            if used.contains(name), now.property(named: name) != nil { continue }
            lines.append(
                .loss(
                    "removes \(old).\(name) and its values"
                        + (used.contains(name) ? ", after they are used in an expression" : "")))
        }
        return lines
    }

    /// Whether an entity declares a property, or has it from an abstract one that is removed.
    private func isLeft(_ name: String, to entity: Entity) -> Bool {
        if entity.owns(name) { return true }
        let owner = entity.attribute(named: name)?.owner ?? entity.relationship(named: name)?.owner
        guard let parent = owner.map({ source.model.entities[$0] }), parent.isAbstract else {
            return false
        }
        return mappingModel.entityMappings.contains {
            $0.sourceEntityName == parent.name && $0.destinationEntityName == nil
        }
    }

    /// Whether a mapping model of a file sets a relationship from its other end.
    private func isSetByInverse(_ relationship: Relationship?) -> Bool {
        guard case .mappingModel = kind,
            let inverse = relationship.flatMap({ destination.model.inverse(of: $0) })
        else { return false }
        let owner = destination.model.entities[inverse.owner]
        return mappingModel.entityMappings.contains { mapping in
            mapping.destinationEntityName == owner.name
                && mapping.relationshipMappings.contains {
                    $0.name == inverse.name && $0.value != nil
                }
        }
    }

    /// Whether a mapping model of a file reads the links of a relationship from its other end.
    private func isKeptByInverse(_ relationship: Relationship?) -> Bool {
        guard case .mappingModel = kind,
            let inverse = relationship.flatMap({ source.model.inverse(of: $0) })
        else { return false }
        let owner = source.model.entities[inverse.owner]
        return mappingModel.entityMappings.contains { mapping in
            mapping.sourceEntityName == owner.name
                && mapping.relationshipMappings.contains { $0.origins.contains(inverse.name) }
        }
    }
}

extension EntityMapping {
    /// Whether objects stay as they are, and no property is named.
    fileprivate var isWhole: Bool {
        mappingType == .copy && attributeMappings.isEmpty && relationshipMappings.isEmpty
    }
}

extension PropertyMapping {
    /// The properties of the source object that the value is made of.
    var origins: Set<String> {
        switch value {
        case nil: return []
        case .source(let name)?: return [name]
        case .destinations(_, let path)?:
            return Set(path.split(separator: ".").prefix(1).map(String.init))
        case .expression(let expression)?:
            var names = Set<String>()
            _ = expression.replacingVariables { name, path in
                // A path into a composite attribute may name any of its elements.
                if name == MigrationVariable.source {
                    for length in path.indices {
                        names.insert(path[...length].joined(separator: "."))
                    }
                }
                return nil
            }
            return names
        }
    }
}

extension Entity {
    /// Whether the entity itself declares a property.
    func owns(_ name: String) -> Bool {
        attribute(named: name)?.owner == index || relationship(named: name)?.owner == index
    }

    /// The names of the properties that a store keeps, inside composites by key path.
    var storedNames: [String] {
        attributes.flatMap(\.leaves).filter { !$0.isTransient && !$0.isDerived }.map(\.name)
            + relationships.map(\.name)
    }
}

extension ModelDifference {
    /// Whether and how a store of one model would be migrated to another, in lines: not at all,
    /// by inference, or only by a mapping model, with the reasons.
    public static func migration(from source: Model, to destination: Model) -> [String] {
        func facts(_ model: Model) -> [String: VersionFacts] {
            Dictionary(
                model.entities.map { ($0.name, VersionFacts($0, in: model)) },
                uniquingKeysWith: { first, _ in first })
        }
        if facts(source) == facts(destination) {
            return ["A store needs no migration: the version hashes are equal."]
        }
        do {
            let mapping = try MappingModel.inferred(from: source, to: destination)
            let requirements = mapping.requirements(from: source, to: destination)
            return ["A store is migrated by inference (lightweight migration)."]
                + (requirements.isEmpty ? [] : ["It requires:"])
                + requirements.map { "  - \($0)" }
        } catch {
            return ["A store is migrated only by a mapping model, because nothing can be inferred:"]
                + error.reasons.map { "  - \($0)" }
        }
    }
}
