/// The features of a model that Stele does not support yet.

extension Model {
    /// The features of the model that are not supported yet, each with its place; empty if the
    /// whole model is supported. A store refuses a model that uses an unsupported feature.
    public func unsupported() -> [ModelError] {
        var found: [ModelError] = []
        for entity in entities {
            for property in entity.declaration.properties {
                let place = "\(entity.name).\(property.name)"
                switch property {
                case .attribute(let it):
                    found += Self.unsupported(it).map { ModelError(place, $0.0, hint: $0.1) }
                case .relationship(let it):
                    if it.isTransient {
                        found.append(
                            ModelError(place, "transient relationships do not work yet"))
                    }
                case .fetchedProperty: break
                }
            }
            for index in entity.declaration.fetchIndexes {
                if let what = Self.unsupported(index) {
                    let place = "\(entity.name), index \(index.name)"
                    found.append(ModelError(place, "\(what) do not work yet"))
                }
            }
        }
        found += entities.flatMap(Self.unsupportedUniqueness)
        return found
    }

    /// A sentence with the list of unsupported features; nil if there are none.
    public var refusal: String? {
        let missing = unsupported()
        if missing.isEmpty { return nil }
        return "\(name) asks for what does not work yet:" + missing.map { "\n  - \($0)" }.joined()
    }

    /// Reports uniqueness constraints over attributes whose value is not in the row, or not yet
    /// computed when the constraint is checked.
    private static func unsupportedUniqueness(of entity: Entity) -> [ModelError] {
        entity.declaration.uniquenessConstraints.flatMap { $0 }.compactMap { name in
            guard let attribute = entity.attribute(named: name),
                attribute.isDerived || attribute.isExternal
            else { return nil }
            return ModelError(
                "\(entity.name).\(name)",
                attribute.isDerived
                    ? "uniqueness of a derived attribute does not work"
                    : "uniqueness of a Binary attribute in external files does not work")
        }
    }

    private static func unsupported(
        _ attribute: AttributeDescription
    ) -> [(message: String, hint: String?)] {
        var found: [(String, String?)] = []
        if attribute.preservesValueInHistoryOnDeletion {
            found.append(("keeping values in history after a deletion does not work yet", nil))
        }
        switch attribute.type {
        case .objectID: found.append(("attributes of type ObjectID do not work yet", nil))
        case .undefined where !attribute.isTransient:
            found.append(("an attribute of type Undefined can only be transient", "give it a type"))
        case .transformable where !attribute.namesJSON:
            let name = attribute.valueTransformerName ?? ""
            if ValueTransformers.named(name) == nil {
                let hint =
                    name == ValueTransformers.encrypted
                    ? "it encrypts, and no key is given: say where it is by encryption-key-file"
                    : "known are \(ValueTransformers.names.joined(separator: ", ")); without a "
                        + "transformer the value is any JSON"
                found.append(("the value transformer \(name) is not known", hint))
            }
        default: break
        }
        return found
    }

    private static func unsupported(_ index: FetchIndexDescription) -> String? {
        if index.elements.contains(where: { $0.collation == .rTree }) { return "R-tree indexes" }
        if index.elements.contains(where: { $0.expression != nil }) {
            return "indexes over expressions"
        }
        if index.partialIndexPredicate != nil { return "partial indexes" }
        return nil
    }
}
