/// What a context asks of an entity at every object, worked out once.

import SteleModel

/// An entity's defaults, relationships and checks; a class, so that to look at it copies nothing.
final class EntityPlan: Sendable {
    /// A new object's values, by slot.
    let defaults: [Value]
    /// Its to-one relationships.
    let toOnes: [Relationship]
    /// Those of them whose inverse is a to-one as well: such a link is in two rows.
    let oneToOnes: [(toOne: Relationship, inverse: Relationship)]
    /// Its to-many relationships whose count is bounded.
    let boundedToManys: [Relationship]
    /// All its relationships, for deletion.
    let relationships: [Relationship]
    /// The slots that are not stored: transient attributes.
    let transientSlots: Set<Int>
    /// The slots that a save leaves out: transient attributes, and derived ones, which the store
    /// makes.
    let unsavedSlots: Set<Int>
    /// The types that its attributes' values must be of, by slot.
    let types: [(slot: Int, type: AttributeType)]
    /// What is asked of its values.
    let rules: [SlotRule]
    /// Composite attributes in which something must have a value.
    let requiredComposites: [CompositeRule]
    /// What its objects are made of: `ManagedObject`, or the subclass registered for it.
    let objectClass: ManagedObject.Type
    /// Whether its objects want to be told of their lives.
    let isSubclassed: Bool

    init(_ entity: Entity, of model: Model, objectClass: ManagedObject.Type) {
        self.objectClass = objectClass
        isSubclassed = objectClass != ManagedObject.self
        var defaults: [Value] = []
        var toOnes: [Relationship] = []
        var transient: Set<Int> = []
        var derived: Set<Int> = []
        var rules: [SlotRule] = []
        for (slot, property) in entity.slots.enumerated() {
            switch property {
            case .attribute(let it):
                defaults.append(it.declaration.defaultValue)
                if it.isTransient { transient.insert(slot) }
                if it.isDerived { derived.insert(slot) }
                if let rule = SlotRule(it, slot: slot) { rules.append(rule) }
            case .relationship(let it):
                defaults.append(.null)
                toOnes.append(it)
                if let rule = SlotRule(it, slot: slot, of: model) { rules.append(rule) }
            case .fetchedProperty:
                defaults.append(.null)
            }
        }
        self.defaults = defaults
        self.toOnes = toOnes
        oneToOnes = toOnes.compactMap { toOne in
            guard let inverse = model.toOneInverse(of: toOne) else { return nil }
            return (toOne, inverse)
        }
        let composites = entity.properties.compactMap { property in
            if case .attribute(let it) = property, it.isComposite { it } else { nil }
        }
        types = entity.slots.enumerated().compactMap { slot, property in
            if case .attribute(let it) = property { (slot, it.type) } else { nil }
        }
        self.rules = rules.map { rule in
            var rule = rule
            rule.optionalSlots =
                composites.lazy.compactMap { $0.optionalSlots(around: rule.slot) }
                .first
            return rule
        }
        requiredComposites = composites.flatMap { CompositeRule.all(in: $0, optional: nil) }
        transientSlots = transient
        unsavedSlots = transient.union(derived)
        relationships = toOnes + entity.toManys
        boundedToManys = entity.toManys.filter {
            !$0.isOptional || $0.declaration.minimumCount > 0 || $0.declaration.maximumCount > 0
        }
    }
}

extension [EntityPlan] {
    subscript(entity: Entity) -> EntityPlan { self[entity.index] }
}
