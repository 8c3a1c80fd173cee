/// What a new version of a model allows less of, which no version hash has but for counts.

import SteleModel

extension MigrationPlan.Step {
    /// The properties of an inferred step that allow fewer values or members than before, each with
    /// what is narrower.
    var narrowed: [String] {
        guard kind == .inferred else { return [] }
        return mappingModel.entityMappings.flatMap { mapping -> [String] in
            guard let old = mapping.sourceEntityName.flatMap(source.model.entity(named:)),
                let new = mapping.destinationEntityName.flatMap(destination.model.entity(named:))
            else { return [] }
            var origins: [String: String] = [:]
            for property in mapping.attributeMappings + mapping.relationshipMappings {
                switch property.value {
                case .source(let name)?, .destinations(_, let name)?: origins[property.name] = name
                case .expression?, nil: break
                }
            }
            // A mapping that names no property carries each over by its name.
            let isWhole = mapping.attributeMappings.isEmpty && mapping.relationshipMappings.isEmpty
            return new.storedNames.filter(new.owns).compactMap { name in
                guard let origin = isWhole ? name : origins[name] else { return nil }
                let parts = new.narrower(name, than: origin, of: old)
                return parts.isEmpty
                    ? nil : "\(new.name).\(name): \(parts.joined(separator: ", "))"
            }
        }
    }
}

extension Entity {
    /// What is narrower in a property than in one of another version.
    fileprivate func narrower(_ name: String, than origin: String, of old: Entity) -> [String] {
        var parts: [String] = []
        if let now = attribute(named: name)?.declaration,
            let before = old.attribute(named: origin)?.declaration
        {
            if now.minimum.narrows(before.minimum, isMinimum: true) { parts.append("a minimum") }
            if now.maximum.narrows(before.maximum, isMinimum: false) { parts.append("a maximum") }
            if let pattern = now.regularExpression, pattern != before.regularExpression {
                parts.append("a pattern")
            }
        }
        if let now = relationship(named: name), let before = old.relationship(named: origin),
            now.isToMany, before.isToMany
        {
            let (most, former) = (now.declaration.maximumCount, before.declaration.maximumCount)
            if now.leastCount > before.leastCount { parts.append("a minimum count") }
            if most > 0, former <= 0 || most < former { parts.append("a maximum count") }
        }
        return parts
    }
}

extension Value {
    /// Whether it is a bound that allows less than another one.
    fileprivate func narrows(_ former: Value, isMinimum: Bool) -> Bool {
        if isNull || self == former { return false }
        if case .int(let now) = self, case .int(let before) = former {
            return isMinimum ? now > before : now < before
        }
        // Those of an attribute that has another type now may be equal as well.
        guard let now = number, let before = former.number else { return true }
        return isMinimum ? now > before : now < before
    }

    private var number: Double? {
        switch self {
        case .int(let it): Double(it)
        case .double(let it), .date(let it): it
        case .decimal(let it): Double(it.description)
        default: nil
        }
    }
}
