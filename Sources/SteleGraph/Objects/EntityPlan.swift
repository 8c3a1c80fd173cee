import SteleModel
import StelePersistence

/// An entity's defaults, relationships and validation rules, computed once. It is a class, so
/// accessing it copies nothing.
final class EntityPlan: Sendable {
    /// The values of a new object, by slot.
    let defaults: [Value]
    /// The to-one relationships.
    let toOnes: [Relationship]
    /// The to-one relationships with a to-one inverse. Such a link is stored in two rows.
    let oneToOnes: [(toOne: Relationship, inverse: Relationship)]
    /// The to-many relationships with a bounded count.
    let boundedToManys: [Relationship]
    /// All relationships.
    let relationships: [Relationship]
    /// The slots of transient attributes, which are not stored.
    let transientSlots: Set<Int>
    /// The defaults of transient attributes, which a fetched object has, too.
    private let transientDefaults: [(slot: Int, value: Value)]
    /// The slots that a save omits: those of transient attributes, and of derived attributes, which
    /// the store computes.
    let unsavedSlots: Set<Int>
    /// The attribute types, by slot.
    let types: [(slot: Int, type: AttributeType)]
    /// The rules for the values.
    let rules: [SlotRule]
    /// The composite attributes that require a value in one of their elements.
    let requiredComposites: [CompositeRule]
    /// The class that represents the entity: `ManagedObject` or a subclass.
    let objectClass: ManagedObject.Type
    /// Whether a subclass represents the entity.
    let isSubclassed: Bool
    /// Whether the subclass can set transient attributes.
    var computesTransients: Bool { isSubclassed && !transientSlots.isEmpty }

    /// A row of a store with the defaults of transient attributes.
    func completed(_ row: Snapshot) -> Snapshot {
        if transientDefaults.isEmpty { return row }
        var row = row
        for (slot, value) in transientDefaults where row.values.indices.contains(slot) {
            row.values[slot] = value
        }
        return row
    }

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
                let value = it.declaration.defaultValue
                defaults.append(it.type == .float ? value.asFloat : value)
                if it.isTransient { transient.insert(slot) }
                if it.isDerived { derived.insert(slot) }
                if let rule = SlotRule(it, slot: slot) { rules.append(rule) }
            case .relationship(let it):
                defaults.append(.null)
                toOnes.append(it)
                if let rule = SlotRule(it, slot: slot, of: model) { rules.append(rule) }
            case .fetchedProperty, .transientRelationship:
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
            rule.optionalSlots = entity.optionalSlots(around: rule.slot)
            return rule
        }
        requiredComposites = composites.flatMap { CompositeRule.all(in: $0, optional: nil) }
        transientSlots = transient
        let values = defaults
        transientDefaults = transient.filter { !values[$0].isNull }.map { ($0, values[$0]) }
        unsavedSlots = transient.union(derived)
        relationships = toOnes + entity.toManys
        boundedToManys = entity.toManys.filter {
            $0.leastCount > 0 || $0.declaration.maximumCount > 0
        }
    }
}

extension [EntityPlan] {
    subscript(entity: Entity) -> EntityPlan { self[entity.index] }
}
