/// What the model asks of a composite attribute as a whole.

import SteleModel

/// That a composite attribute which is not optional has a value: that something in it has.
struct CompositeRule: Sendable {
    let name: String
    let slots: Range<Int>
    /// The slots of the innermost optional composite around it, where there is one.
    let optionalSlots: Range<Int>?

    /// Those of an attribute and of all composites in it.
    static func all(in composite: Attribute, optional: Range<Int>?) -> [CompositeRule] {
        let slots = composite.slots
        var rules: [CompositeRule] = []
        if !composite.isOptional, !slots.isEmpty, !composite.isTransient {
            rules.append(
                CompositeRule(name: composite.name, slots: slots, optionalSlots: optional))
        }
        for inner in composite.elements where inner.isComposite {
            rules += all(in: inner, optional: composite.isOptional ? slots : optional)
        }
        return rules
    }

    /// The error for the object, or nil where it is valid.
    func failure(of object: ManagedObject) -> ValidationError? {
        guard slots.allSatisfy({ object.value($0).isNull }) else { return nil }
        if let optionalSlots, optionalSlots.allSatisfy({ object.value($0).isNull }) { return nil }
        return .missing(object, name)
    }
}

extension Attribute {
    /// The slots of what is in a composite attribute.
    fileprivate var slots: Range<Int> { slot..<slot + leaves.count }

    /// The slots of the innermost optional composite around a slot, itself included; nil where
    /// there is none.
    func optionalSlots(around slot: Int) -> Range<Int>? {
        guard isComposite, slots.contains(slot) else { return nil }
        let inner = elements.lazy.compactMap { $0.optionalSlots(around: slot) }.first
        return inner ?? (isOptional ? slots : nil)
    }
}
