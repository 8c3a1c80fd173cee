import SteleModel

/// The rule that a composite attribute which is not optional has a value in at least one of its
/// elements.
struct CompositeRule: Sendable {
    let name: String
    let slots: Range<Int>
    /// The slots of the innermost enclosing optional composite attribute, if any.
    let optionalSlots: Range<Int>?

    /// The rules of an attribute and of all composite attributes in it.
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

    /// The error of an object, or nil if the object is valid.
    func failure(of object: ManagedObject) -> ValidationError? {
        guard slots.allSatisfy({ object.value($0).isNull }) else { return nil }
        if let optionalSlots, optionalSlots.allSatisfy({ object.value($0).isNull }) { return nil }
        return .missing(object, name)
    }
}

extension Attribute {
    /// The slots of all elements of a composite attribute.
    fileprivate var slots: Range<Int> { slot..<slot + leaves.count }

    /// The slots of the innermost optional composite attribute that contains a slot, including this
    /// one, or nil.
    fileprivate func optionalSlots(around slot: Int) -> Range<Int>? {
        guard isComposite, slots.contains(slot) else { return nil }
        let inner = elements.lazy.compactMap { $0.optionalSlots(around: slot) }.first
        return inner ?? (isOptional ? slots : nil)
    }
}

extension Entity {
    /// The slots of the innermost optional composite attribute that contains a slot, or nil. If all
    /// of them are null, none needs a value.
    func optionalSlots(around slot: Int) -> Range<Int>? {
        properties.lazy.compactMap { property in
            if case .attribute(let it) = property { it.optionalSlots(around: slot) } else { nil }
        }.first
    }
}
