/// Reads the JSON form of a model.

public import SteleJSON

extension ManagedObjectModel {
    /// Reads the JSON form of a model, which `json()` writes and `Docs/Models.md` describes.
    ///
    /// - Parameter name: the model's name if the text does not contain one.
    /// - Throws: `ModelErrors` if the text is not JSON, or has unknown keys or values. References
    ///   to missing names are reported by `Model`.
    public init(json bytes: [UInt8], name: String) throws(ModelErrors) {
        let document: JSONDocument
        do {
            document = try JSONDocument(bytes)
        } catch {
            throw ModelErrors([ModelError(name, error.message, hint: error.hint)])
        }
        try self.init(json: document.root, name: name)
    }

    /// Reads the JSON form of a model from a parsed value.
    ///
    /// - Parameter name: the model's name if the value does not contain one.
    /// - Throws: `ModelErrors` if the value has unknown keys or values.
    public init(json: JSONNode, name: String) throws(ModelErrors) {
        guard json.kind == .object else {
            throw ModelErrors([
                ModelError(name, "a model is a JSON object, and this is \(json.kindName)")
            ])
        }
        var reader = JSONModelReader()
        self = reader.model(json, name: name)
        if !reader.findings.errors.isEmpty { throw ModelErrors(reader.findings.errors) }
    }
}

/// Reads a JSON model and collects its errors in `findings`.
struct JSONModelReader {
    var findings = Findings()

    mutating func model(_ node: JSONNode, name: String) -> ManagedObjectModel {
        var fields = JSONFields(node, place: "")
        let given = fields.text("name", &findings)
        var model = ManagedObjectModel(name: given.flatMap { $0.isEmpty ? nil : $0 } ?? name)
        model.versionIdentifier = fields.text("versionIdentifier", &findings) ?? ""
        model.toolAttributes = fields.entries("toolAttributes", &findings)
        for child in fields.list("entities", &findings) {
            if let it = entity(child) { model.entities.append(it) }
        }
        for child in fields.list("fetchRequests", &findings) {
            if let it = fetchRequest(child, owner: nil) { model.fetchRequestTemplates.append(it) }
        }
        for child in fields.list("configurations", &findings) {
            guard var own = object(child, "a configuration", in: "") else { continue }
            var it = ConfigurationDescription(name: own.place)
            it.entityNames = own.texts("entities", &findings)
            own.finish(&findings)
            model.configurations.append(it)
        }
        for child in fields.list("composites", &findings) {
            guard var own = object(child, "a composite", in: "") else { continue }
            var it = CompositeDescription(name: own.place)
            for inner in own.list("attributes", &findings) {
                if let found = attribute(inner, owner: it.name) { it.attributes.append(found) }
            }
            own.finish(&findings)
            model.composites.append(it)
        }
        fields.finish(&findings)
        return model
    }

    /// The fields of an object that must have a name. Their place is that name, below `owner`.
    mutating func object(_ node: JSONNode, _ what: String, in owner: String) -> JSONFields? {
        guard node.kind == .object else {
            findings.error(owner, "\(what) is an object, and this is \(node.kindName)")
            return nil
        }
        var fields = JSONFields(node, place: owner)
        guard let name = fields.text("name", &findings), !name.isEmpty else {
            findings.error(owner, "\(what) has no name")
            return nil
        }
        fields.place = owner.isEmpty ? name : "\(owner).\(name)"
        return fields
    }

    private mutating func entity(_ node: JSONNode) -> EntityDescription? {
        guard var fields = object(node, "an entity", in: "") else { return nil }
        var entity = EntityDescription(name: fields.place)
        entity.managedObjectClassName = fields.text("class", &findings)
        entity.parentName = fields.nonempty("parent", &findings)
        entity.isAbstract = fields.flag("abstract", &findings) ?? false
        readProperties(&fields, into: &entity)
        for child in fields.list("indexes", &findings) {
            if let it = fetchIndex(child, owner: entity.name) { entity.fetchIndexes.append(it) }
        }
        entity.compoundIndexes = fields.textLists("compoundIndexes", &findings)
        entity.uniquenessConstraints = fields.textLists("uniquenessConstraints", &findings)
        entity.renamingIdentifier = fields.nonempty("renamingIdentifier", &findings)
        entity.versionHashModifier = fields.nonempty("versionHashModifier", &findings)
        entity.isSyncable = fields.flag("syncable", &findings) ?? false
        entity.codeGenerationType = fields.choice(
            "codeGeneration",
            [("class", .class), ("category", .category), ("none", .none)]
                as [(String, EntityDescription.CodeGenerationType)], &findings)
        entity.userInfo = fields.entries("userInfo", &findings)
        fields.finish(&findings)
        return entity
    }

    private mutating func readProperties(
        _ fields: inout JSONFields, into entity: inout EntityDescription
    ) {
        for child in fields.list("attributes", &findings) {
            if let it = attribute(child, owner: entity.name) {
                entity.properties.append(.attribute(it))
            }
        }
        for child in fields.list("relationships", &findings) {
            if let it = relationship(child, owner: entity.name) {
                entity.properties.append(.relationship(it))
            }
        }
        for child in fields.list("fetchedProperties", &findings) {
            if let it = fetchedProperty(child, owner: entity.name) {
                entity.properties.append(.fetchedProperty(it))
            }
        }
        let order = fields.texts("propertyOrder", &findings)
        guard !order.isEmpty else { return }
        let names = entity.properties.map(\.name)
        guard order.sorted() == names.sorted(), Set(order).count == order.count else {
            findings.error(
                entity.name, "its propertyOrder does not name each of its properties once",
                hint: "leave it out, or give \(names.joined(separator: ", "))")
            return
        }
        let places = Dictionary(uniqueKeysWithValues: zip(order, 0...))
        entity.properties.sort { places[$0.name, default: 0] < places[$1.name, default: 0] }
    }

    private mutating func fetchIndex(
        _ node: JSONNode, owner: String
    ) -> FetchIndexDescription? {
        guard var fields = object(node, "an index", in: "") else { return nil }
        var index = FetchIndexDescription(name: fields.place)
        fields.place = "\(owner), index \(index.name)"
        index.partialIndexPredicate = fields.nonempty("predicate", &findings)
        for child in fields.list("elements", &findings) {
            if let name = child.string {
                index.elements.append(FetchIndexDescription.Element(propertyName: name))
            } else if child.kind == .object {
                index.elements.append(fetchIndexElement(child, fields.place))
            } else {
                findings.error(
                    fields.place,
                    "an element is a property's name or an object, and this is \(child.kindName)")
            }
        }
        fields.finish(&findings)
        return index
    }

    private mutating func fetchIndexElement(
        _ node: JSONNode, _ place: String
    ) -> FetchIndexDescription.Element {
        var fields = JSONFields(node, place: place)
        var element = FetchIndexDescription.Element(
            propertyName: fields.nonempty("property", &findings))
        element.expression = fields.nonempty("expression", &findings)
        element.expressionType = fields.choice(
            "expressionType", AttributeType.allCases.map { ($0.name, $0) }, &findings)
        element.collation =
            fields.choice("collation", [("Binary", .binary), ("RTree", .rTree)], &findings)
            ?? .binary
        element.isAscending = fields.flag("ascending", &findings) ?? true
        fields.finish(&findings)
        return element
    }
}
