/// The features of a model that Stele does not support yet.

extension Model {
    /// The features of the model that are not supported yet, each with its place; empty if the
    /// whole model is supported. A store refuses a model that uses an unsupported feature.
    public func unsupported() -> [ModelError] { unsupported(isStrict: ValueTransformers.isStrict) }

    /// - Parameter isStrict: whether transformers that are not registered are among them.
    package func unsupported(isStrict: Bool) -> [ModelError] {
        let findings = Findings()
        for entity in entities {
            for property in entity.declaration.properties {
                let place = "\(entity.name).\(property.name)"
                guard case .attribute(let it) = property else { continue }
                Self.check(it, place, findings, isStrict)
            }
        }
        for entity in entities { Self.checkUniqueness(of: entity, findings) }
        return findings.errors
    }

    /// A sentence with the list of unsupported features; nil if there are none.
    package var refusal: String? {
        let missing = unsupported()
        if missing.isEmpty { return nil }
        return "\(name) uses features that are not supported yet:"
            + missing.map { "\n  - \($0)" }.joined()
    }

    /// Reports uniqueness constraints over attributes whose value is not in the row, or not yet
    /// computed when the constraint is checked.
    private static func checkUniqueness(of entity: Entity, _ findings: Findings) {
        for name in entity.declaration.uniquenessConstraints.joined() {
            guard let attribute = entity.attribute(named: name) else { continue }
            let place = "\(entity.name).\(name)"
            if attribute.isDerived {
                findings.error(place, "uniqueness of a derived attribute is not supported")
            } else if attribute.hasMarker {
                findings.error(
                    place, "uniqueness of an attribute with external storage is not supported")
            } else if attribute.isEncrypted {
                findings.error(
                    place,
                    "uniqueness of an encrypted attribute is not possible: equal values "
                        + "have different ciphertexts",
                    hint: "make an attribute that is not encrypted unique")
            }
        }
    }

    private static func check(
        _ attribute: AttributeDescription, _ place: String, _ findings: Findings,
        _ isStrict: Bool
    ) {
        switch attribute.type {
        case .objectID:
            findings.error(place, "attributes of type ObjectID are not supported yet")
        case .undefined where !attribute.isTransient:
            findings.error(
                place, "an attribute of type Undefined can only be transient",
                hint: "give it a type")
        case .transformable where !attribute.namesJSON:
            let name = attribute.valueTransformerName ?? ""
            guard ValueTransformers.named(name) == nil, isStrict || !attribute.isOpaque else {
                return
            }
            findings.error(
                place, "the value transformer \(name) is not known",
                hint: name == ValueTransformers.encrypted
                    ? "it needs an encryption key: set encryption-key-file"
                    : "the known ones are \(ValueTransformers.names.joined(separator: ", ")); "
                        + "without a transformer the value is any JSON")
        default: break
        }
    }
}

extension EntityDescription {
    /// The fetch indexes that a new store gets, if all of their elements have columns.
    package var madeIndexes: [FetchIndexDescription] {
        fetchIndexes.filter { $0.reasonNotMade == nil && !$0.elements.isEmpty }
    }
}

extension Entity {
    /// Whether an element of an index stands for the object's entity, by one of Core Data's two
    /// names for it.
    package func isEntityElement(_ name: String) -> Bool {
        FetchIndexDescription.Element.entityNames.contains(name.lowercased())
            && property(named: name) == nil
    }
}

extension Entity {
    /// Whether an element of an index has a column. An index with one that has none is not made.
    package func hasColumn(ofElement name: String?) -> Bool {
        guard let name else { return false }
        if isEntityElement(name) { return true }
        switch property(named: name) {
        case .attribute(let it): return !it.isTransient && !it.isComposite
        case .relationship(let it): return !it.isToMany
        default: return false
        }
    }
}

extension FetchIndexDescription.Element {
    /// The name of the property, or of what an expression stands for that is only a name.
    package var name: String? {
        propertyName ?? expression.flatMap { Self.entityNames.contains($0.lowercased()) ? $0 : nil }
    }

    fileprivate static let entityNames: Set = ["self", "entity"]
}

extension FetchIndexDescription {
    /// Why a new store does not get the index; nil where it does. No answer depends on an index.
    var reasonNotMade: String? {
        if elements.contains(where: { $0.collation == .rTree }) { return "it is an R-tree" }
        if elements.contains(where: { $0.name == nil }) { return "it is over an expression" }
        if name.isEmpty { return "it has no name" }
        return partialIndexPredicate == nil ? nil : "it is partial"
    }
}
