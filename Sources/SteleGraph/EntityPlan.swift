/// What a context asks of an entity at every object, worked out once.

import SteleModel

/// An entity's defaults, relationships and checks; a class, so that to look at it copies nothing.
final class EntityPlan: Sendable {
    /// A new object's values, by slot.
    let defaults: [Value]
    /// Its to-one relationships.
    let toOnes: [Relationship]
    /// Its to-many relationships whose count is bounded.
    let boundedToManys: [Relationship]
    /// All its relationships, for deletion.
    let relationships: [Relationship]
    /// The slots that are not stored: transient attributes.
    let transientSlots: Set<Int>
    /// What is asked of its values.
    let rules: [SlotRule]
    /// What its objects are made of: `ManagedObject`, or the subclass registered for it.
    let objectClass: ManagedObject.Type

    init(_ entity: Entity, objectClass: ManagedObject.Type) {
        self.objectClass = objectClass
        var defaults: [Value] = []
        var toOnes: [Relationship] = []
        var transient: Set<Int> = []
        var rules: [SlotRule] = []
        for (slot, property) in entity.slots.enumerated() {
            switch property {
            case .attribute(let it):
                defaults.append(it.declaration.defaultValue)
                if it.declaration.isTransient { transient.insert(slot) }
                if let rule = SlotRule(it, slot: slot) { rules.append(rule) }
            case .relationship(let it):
                defaults.append(.null)
                toOnes.append(it)
                if let rule = SlotRule(it, slot: slot) { rules.append(rule) }
            case .fetchedProperty:
                defaults.append(.null)
            }
        }
        self.defaults = defaults
        self.toOnes = toOnes
        self.rules = rules
        transientSlots = transient
        relationships = toOnes + entity.toManys
        boundedToManys = entity.toManys.filter {
            !$0.isOptional || $0.declaration.minimumCount > 0 || $0.declaration.maximumCount > 0
        }
    }
}
