/// What a model asks for that Stele does not do yet.

extension Model {
    /// What the model asks for that does not work yet, each a sentence that names it; empty where
    /// the model can be served whole. A service refuses a model while there is anything here.
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
        let withMembers = declaration.configurations.filter { !$0.entityNames.isEmpty }
        if withMembers.count > 1 {
            let names = withMembers.map(\.name).joined(separator: ", ")
            found.append(
                ModelError(
                    "", "several configurations (\(names)) do not work yet",
                    hint: "all entities live in one store; one configuration is allowed"))
        }
        return found
    }

    /// The transformers whose values are served as JSON.
    private static let jsonTransformers: [String?] = [nil, "", "JSONTransformer"]

    private static func unsupported(
        _ attribute: AttributeDescription
    ) -> [(message: String, hint: String?)] {
        var found: [(String, String?)] = []
        if attribute.derivationExpression != nil {
            found.append(("derived attributes do not work yet", nil))
        }
        if attribute.isTransient { found.append(("transient attributes do not work yet", nil)) }
        if attribute.allowsExternalBinaryDataStorage, attribute.type == .binary {
            found.append(
                (
                    "Binary attributes in external files do not work yet",
                    "without Allows External Storage the bytes live in the row"
                ))
        }
        if attribute.preservesValueInHistoryOnDeletion {
            found.append(("keeping values in history after a deletion does not work yet", nil))
        }
        switch attribute.type {
        case .composite: found.append(("composite attributes do not work yet", nil))
        case .objectID: found.append(("attributes of type ObjectID do not work yet", nil))
        case .undefined where !attribute.isTransient:
            found.append(("an attribute of type Undefined can only be transient", "give it a type"))
        case .transformable where !jsonTransformers.contains(attribute.valueTransformerName):
            let name = attribute.valueTransformerName ?? ""
            found.append(
                (
                    "the value transformer \(name) does not work yet",
                    "without a transformer the value is any JSON"
                ))
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
