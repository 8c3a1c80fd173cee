/// What a new version of a model allows less of, which no version hash has but for counts.

import SteleModel
import StelePredicates

extension MigrationPlan.Step {
    /// The properties of an inferred step that allow fewer values or members than before, each with
    /// what is narrower. An inherited one is listed once, under the entity that declares it: one
    /// that has moved there was a property of its subentities.
    var narrowed: [String] {
        guard kind == .inferred else { return [] }
        var names: [String] = []
        var narrower: [String: Set<Narrowing>] = [:]
        for mapping in mappingModel.entityMappings {
            guard let old = mapping.sourceEntityName.flatMap(source.model.entity(named:)),
                let new = mapping.destinationEntityName.flatMap(destination.model.entity(named:))
            else { continue }
            var origins: [String: String] = [:]
            for property in mapping.attributeMappings + mapping.relationshipMappings {
                switch property.value {
                case .source(let name)?, .destinations(_, let name)?: origins[property.name] = name
                case .expression?, nil: break
                }
            }
            // A mapping that names no property carries each over by its name.
            let isWhole = mapping.attributeMappings.isEmpty && mapping.relationshipMappings.isEmpty
            for name in new.storedNames {
                guard let origin = isWhole ? name : origins[name], let owner = new.owner(of: name)
                else { continue }
                let parts = new.narrower(name, than: origin, of: old)
                if parts.isEmpty { continue }
                let line = "\(destination.model.entities[owner].name).\(name)"
                if narrower[line] == nil { names.append(line) }
                narrower[line, default: []].formUnion(parts)
            }
        }
        return names.map { name in
            let parts = Narrowing.allCases.filter { narrower[name]?.contains($0) ?? false }
            return "\(name): \(parts.map(\.rawValue).joined(separator: ", "))"
        }
    }
}

/// What of a property can allow less than before.
private enum Narrowing: String, CaseIterable {
    case minimum = "a minimum"
    case maximum = "a maximum"
    case pattern = "a pattern"
    case minimumCount = "a minimum count"
    case maximumCount = "a maximum count"
}

extension Entity {
    /// The index of the entity that declares a property.
    fileprivate func owner(of name: String) -> Int? {
        attribute(named: name)?.owner ?? relationship(named: name)?.owner
    }

    /// What is narrower in a property than in one of another version.
    fileprivate func narrower(
        _ name: String, than origin: String, of old: Entity
    ) -> Set<Narrowing> {
        var parts: Set<Narrowing> = []
        if let now = attribute(named: name)?.declaration,
            let before = old.attribute(named: origin)?.declaration
        {
            if now.minimum.narrows(before.minimum, isMinimum: true) { parts.insert(.minimum) }
            if now.maximum.narrows(before.maximum, isMinimum: false) { parts.insert(.maximum) }
            if let pattern = now.regularExpression, pattern != before.regularExpression {
                parts.insert(.pattern)
            }
        }
        if let now = relationship(named: name), let before = old.relationship(named: origin),
            now.isToMany, before.isToMany
        {
            let (most, former) = (now.declaration.maximumCount, before.declaration.maximumCount)
            if now.leastCount > before.leastCount { parts.insert(.minimumCount) }
            if most > 0, former <= 0 || most < former { parts.insert(.maximumCount) }
        }
        return parts
    }
}

extension Value {
    /// Whether it is a bound that allows less than another one, which may be of another type.
    fileprivate func narrows(_ former: Value, isMinimum: Bool) -> Bool {
        if isNull { return false }
        guard let order = ValueOrder.order(number, former.number) else { return true }
        return isMinimum ? order > 0 : order < 0
    }

    /// The bound of a date as a number, which it may have been.
    private var number: Value {
        if case .date(let it) = self { .double(it) } else { self }
    }
}
