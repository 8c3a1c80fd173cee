/// Reads the JSON form of a model.

public import SteleJSON

extension ManagedObjectModel {
    /// Reads the JSON form of a model, which `json()` writes and `Docs/Models.md` describes.
    ///
    /// - Parameters:
    ///   - bytes: the text in UTF-8.
    ///   - name: the model's name if the text does not contain one.
    /// - Throws: `ModelErrors` if the text is not JSON, or has unknown keys or values. References
    ///   to missing names are reported by `Model`.
    public init(json bytes: [UInt8], name: String) throws(ModelErrors) {
        let document: JSONDocument
        do {
            document = try JSONDocument(bytes)
        } catch {
            throw ModelErrors(name, error.message, hint: error.hint)
        }
        try self.init(json: document.root, name: name)
    }

    /// Reads the JSON form of a model from a parsed value.
    ///
    /// - Parameters:
    ///   - json: the parsed value, which must be an object.
    ///   - name: the model's name if the value does not contain one.
    /// - Throws: `ModelErrors` if the value has unknown keys or values.
    public init(json: JSONNode, name: String) throws(ModelErrors) {
        guard json.kind == .object else {
            throw ModelErrors(name, "a model must be a JSON object, and this is \(json.kindName)")
        }
        let reader = JSONModelReader()
        self = reader.model(json, name: name)
        try reader.findings.throwErrors()
    }
}

/// Reads a JSON model and collects its errors in `findings`.
struct JSONModelReader {
    let findings = Findings()

    func model(_ node: JSONNode, name: String) -> ManagedObjectModel {
        var fields = JSONFields(node, place: "", findings)
        let given = fields.text("name")
        var model = ManagedObjectModel(name: given.flatMap { $0.isEmpty ? nil : $0 } ?? name)
        model.versionIdentifier = fields.text("versionIdentifier") ?? ""
        fields.toolMatter(&model)
        model.entities = fields.list("entities").compactMap(entity)
        model.fetchRequestTemplates = fields.list("fetchRequests").compactMap {
            fetchRequest($0, owner: nil)
        }
        model.configurations = fields.list("configurations").compactMap { child in
            guard var own = object(child, "a configuration", in: "") else { return nil }
            var it = ConfigurationDescription(name: own.place)
            it.entityNames = own.texts("entities")
            own.toolMatter(&it)
            own.finish()
            return it
        }
        model.composites = fields.list("composites").compactMap { child in
            guard var own = object(child, "a composite", in: "") else { return nil }
            var it = CompositeDescription(name: own.place)
            it.attributes = own.list("attributes").compactMap { attribute($0, owner: it.name) }
            own.toolMatter(&it)
            own.finish()
            return it
        }
        fields.finish()
        return model
    }

    /// The fields of an object that must have a name. Their place is that name, below `owner`.
    func object(_ node: JSONNode, _ what: String, in owner: String) -> JSONFields? {
        guard node.kind == .object else {
            findings.error(owner, "\(what) must be an object, and this is \(node.kindName)")
            return nil
        }
        var fields = JSONFields(node, place: owner, findings)
        guard let name = fields.text("name"), !name.isEmpty else {
            findings.error(owner, "\(what) has no name")
            return nil
        }
        fields.place = owner.isEmpty ? name : "\(owner).\(name)"
        return fields
    }

    private func entity(_ node: JSONNode) -> EntityDescription? {
        guard var fields = object(node, "an entity", in: "") else { return nil }
        var entity = EntityDescription(name: fields.place)
        entity.managedObjectClassName = fields.text("class")
        entity.parentName = fields.nonempty("parent")
        entity.isAbstract = fields.flag("abstract") ?? false
        readProperties(&fields, into: &entity)
        entity.fetchIndexes = fields.list("indexes").compactMap {
            fetchIndex($0, owner: entity.name)
        }
        entity.compoundIndexes = fields.textLists("compoundIndexes")
        entity.uniquenessConstraints = fields.textLists("uniquenessConstraints")
        entity.renamingIdentifier = fields.nonempty("renamingIdentifier")
        entity.versionHashModifier = fields.nonempty("versionHashModifier")
        entity.isSyncable = fields.flag("syncable") ?? false
        entity.codeGenerationType = fields.choice(
            "codeGeneration", EntityDescription.CodeGenerationType.named)
        entity.userInfo = fields.entries("userInfo")
        fields.toolMatter(&entity)
        fields.finish()
        return entity
    }

    private func readProperties(_ fields: inout JSONFields, into entity: inout EntityDescription) {
        let owner = entity.name
        entity.properties += fields.list("attributes").compactMap {
            attribute($0, owner: owner).map { .attribute($0) }
        }
        entity.properties += fields.list("relationships").compactMap {
            relationship($0, owner: owner).map { .relationship($0) }
        }
        entity.properties += fields.list("fetchedProperties").compactMap {
            fetchedProperty($0, owner: owner).map { .fetchedProperty($0) }
        }
        let order = fields.texts("propertyOrder")
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

    private func fetchIndex(_ node: JSONNode, owner: String) -> FetchIndexDescription? {
        guard var fields = object(node, "an index", in: "") else { return nil }
        var index = FetchIndexDescription(name: fields.place)
        fields.place = "\(owner), index \(index.name)"
        index.partialIndexPredicate = fields.nonempty("predicate")
        for child in fields.list("elements") {
            if let name = child.string {
                index.elements.append(FetchIndexDescription.Element(propertyName: name))
            } else if child.kind == .object {
                index.elements.append(fetchIndexElement(child, fields.place))
            } else {
                findings.error(
                    fields.place,
                    "an element must be a property's name or an object, not \(child.kindName)")
            }
        }
        fields.toolMatter(&index)
        fields.finish()
        return index
    }

    private func fetchIndexElement(
        _ node: JSONNode, _ place: String
    ) -> FetchIndexDescription.Element {
        var fields = JSONFields(node, place: place, findings)
        var element = FetchIndexDescription.Element(propertyName: fields.nonempty("property"))
        element.expression = fields.nonempty("expression")
        element.expressionType = fields.choice("expressionType", AttributeType.named)
        element.collation =
            fields.choice("collation", FetchIndexDescription.Element.Collation.named) ?? .binary
        element.isAscending = fields.flag("ascending") ?? true
        fields.toolMatter(&element)
        fields.finish()
        return element
    }
}
