/// A migration plan as text.

import SteleModel

extension MigrationPlan {
    /// The plan in plain lines: what the store was made with, the steps, what each adds, renames
    /// and removes, and what it requires of the data.
    public var lines: [String] {
        guard !isEmpty else {
            return ["the store is of the current version \(destination.name); nothing is migrated"]
        }
        let count = steps.count == 1 ? "1 step" : "\(steps.count) steps"
        var lines = [
            "the store was made with \(source.name), and the current version is "
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
        return lines
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

    /// What the step adds, renames and removes, and what it requires of the data. Of a mapping
    /// model that was read only entities are listed.
    public var details: [String] {
        var details: [String] = []
        for mapping in mappingModel.entityMappings {
            switch (mapping.sourceEntityName, mapping.destinationEntityName) {
            case (nil, let name?): details.append("adds the entity \(name)")
            case (let name?, nil):
                details.append(
                    "removes the entity \(name) and its objects"
                        + (hasAdditions
                            ? "; if it was renamed, give the new entity the renaming identifier "
                                + "(elementID) \(name)" : ""))
            case (let old?, let new?):
                if old != new { details.append("the entity \(old) becomes \(new)") }
                guard case .mappingModel = kind else {
                    details += changes(mapping, old, new)
                    continue
                }
            case (nil, nil): break
            }
        }
        return details + requirements.map { "requires: \($0)" }
    }

    /// Whether an entity is added.
    private var hasAdditions: Bool {
        mappingModel.entityMappings.contains { $0.sourceEntityName == nil }
    }

    /// The properties that an inferred entity mapping adds, renames and removes. Inherited ones
    /// belong to the parent's mapping.
    private func changes(_ mapping: EntityMapping, _ old: String, _ new: String) -> [String] {
        let properties = mapping.attributeMappings + mapping.relationshipMappings
        guard let before = source.model.entity(named: old),
            let now = destination.model.entity(named: new)
        else { return [] }
        var kept = Set<String>()
        var lines: [String] = []
        for property in properties {
            let isOwn = now.owns(property.name)
            switch property.value {
            case .source(let name)?:
                kept.insert(name)
                if isOwn, name != property.name {
                    lines.append("\(old).\(name) becomes \(new).\(property.name)")
                }
            case nil: if isOwn { lines.append("adds \(new).\(property.name)") }
            case .expression?, .destinations?: break
            }
        }
        for name in before.storedNames where before.owns(name) && !kept.contains(name) {
            lines.append("removes \(old).\(name) and its values")
        }
        return lines
    }
}

extension Entity {
    /// Whether the entity itself declares a property.
    fileprivate func owns(_ name: String) -> Bool {
        attribute(named: name)?.owner == index || relationship(named: name)?.owner == index
    }

    /// The names of the properties that a store keeps, inside composites by key path.
    fileprivate var storedNames: [String] {
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
