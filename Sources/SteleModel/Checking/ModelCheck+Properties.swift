/// Checks of single attributes and relationships.

extension ModelCheck {
    func check(_ attribute: AttributeDescription, _ place: String) {
        if attribute.minimum.isAbove(attribute.maximum) {
            let what = attribute.type == .string ? "minimum length" : "minimum"
            findings.error(
                place,
                "its \(what) \(attribute.text(attribute.minimum)) is above its maximum"
                    + " \(attribute.text(attribute.maximum))")
        } else {
            checkDefault(of: attribute, place)
        }
        checkDates(of: attribute, place)
        if let expression = attribute.derivationExpression, expression.isEmpty {
            findings.error(
                place, "it is derived but has no derivation expression",
                hint: "give one, such as now() or items.@count")
        }
        if attribute.type == .composite {
            checkCompositeName(of: attribute, place)
        } else if let name = attribute.compositeName {
            findings.note(
                place, "it names the composite \(name), but its type is \(attribute.type.name)")
        }
        if attribute.allowsExternalBinaryDataStorage,
            attribute.type != .binary, attribute.type != .transformable
        {
            findings.note(
                place,
                "external storage has no effect, because it is neither Binary nor Transformable")
        }
        if attribute.isOpaque {
            findings.note(
                place,
                "its value transformer \(attribute.valueTransformerName ?? "") is not registered,"
                    + " so its values are their bytes in base64")
        }
        if attribute.regularExpression != nil, attribute.type != .string {
            findings.note(place, "its regular expression has no effect, because it is not a String")
        }
    }

    /// Reports a derivation that cannot be read, and one that no object could be saved with.
    func checkDerivation(of declaration: AttributeDescription, _ entity: Entity, _ place: String) {
        guard let text = declaration.derivationExpression, !text.isEmpty,
            let attribute = entity.attribute(named: declaration.name)
        else { return }
        do throws(ModelError) {
            _ = try Derivation(attribute, of: entity, in: model)
        } catch {
            findings.error(place, error.message, hint: error.hint)
        }
        if declaration.isTransient {
            findings.error(place, "it is derived and transient, so no store can keep its value")
        }
        if !declaration.isOptional, declaration.defaultValue.isNull {
            findings.note(
                place,
                "it is derived but not optional, and a new object is validated before that,"
                    + " so no object can be saved",
                hint: "make it optional, or give it a default")
        }
    }

    private func checkDefault(of attribute: AttributeDescription, _ place: String) {
        var value = attribute.defaultValue
        if case .string(let text) = value { value = .int(Int64(text.utf16.count)) }
        guard attribute.minimum.isAbove(value) || value.isAbove(attribute.maximum) else { return }
        findings.note(
            place,
            "its default \(quoted(attribute.text(attribute.defaultValue))) is outside"
                + " its bounds, so every new object must set it")
    }

    /// Reports dates that no object can have.
    private func checkDates(of attribute: AttributeDescription, _ place: String) {
        for (name, value) in [
            ("default", attribute.defaultValue), ("minimum", attribute.minimum),
            ("maximum", attribute.maximum),
        ] {
            guard case .date(let seconds) = value, !Value.isDate(seconds) else { continue }
            findings.error(
                place,
                "its \(name) \(attribute.text(value)) is beyond the years that a date can have,"
                    + " 3e18 seconds from 2001")
        }
    }

    func check(_ relationship: RelationshipDescription, of entity: Entity, _ place: String) {
        let (least, most) = (relationship.minimumCount, relationship.maximumCount)
        if relationship.isToMany, most == 1 {
            findings.error(
                place, "it is to-many, but has at most one destination",
                hint: "make it to-one, or raise the maximum count")
        } else if !relationship.isToMany, most > 1 {
            findings.error(
                place, "it is to-one, but has up to \(most) destinations",
                hint: "make it to-many, or set the maximum count to 1")
        } else if most > 0, least > most {
            findings.error(place, "its minimum count \(least) is above its maximum count \(most)")
        } else if !relationship.isToMany, least > 1 {
            findings.error(place, "it is to-one, but its minimum count is \(least)")
        }
        if relationship.isOrdered, !relationship.isToMany {
            // Models of apps have it, and their stores have no order for it.
            findings.note(place, "it is to-one, so its order has no effect")
        }
        checkInverse(of: relationship, of: entity, place)
    }

    private func checkInverse(
        of declaration: RelationshipDescription, of entity: Entity, _ place: String
    ) {
        if let name = declaration.inverseEntityName, model.entity(named: name) == nil {
            findings.error(place, "the entity \(name) of its inverse is not in the model")
        }
        guard let relationship = entity.relationship(named: declaration.name) else { return }
        guard let inverse = model.inverse(of: relationship) else {
            if declaration.inverseName == nil {
                findings.note(
                    place,
                    "it has no inverse, so deleting a"
                        + " \(declaration.destinationName) does not clear it",
                    hint: "Core Data recommends an inverse for every relationship")
            } else {
                findings.note(
                    place,
                    "its inverse \(declaration.inverseName ?? "") is transient, so stores keep it"
                        + " as a relationship without an inverse")
            }
            return
        }
        guard let back = model.inverse(of: inverse), back.index != relationship.index else {
            return
        }
        findings.error(
            place,
            "its inverse \(model.entities[inverse.owner].name).\(inverse.name) has another"
                + " inverse, \(model.entities[back.owner].name).\(back.name)")
    }
}

extension Value {
    /// Whether both values have the same type and this one is greater.
    func isAbove(_ other: Value) -> Bool {
        switch (self, other) {
        case (.int(let a), .int(let b)): a > b
        case (.double(let a), .double(let b)): a > b
        case (.decimal(let a), .decimal(let b)): a > b
        case (.date(let a), .date(let b)): a > b
        default: false
        }
    }
}

extension AttributeDescription {
    /// A default or a bound in readable form; dates are ISO 8601.
    func text(_ value: Value) -> String { ValueText.readable(value, type) }
}
