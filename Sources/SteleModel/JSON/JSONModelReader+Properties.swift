/// Reads the properties and fetch requests of a JSON model.

internal import SteleJSON

extension JSONModelReader {
    func attribute(_ node: JSONNode, owner: String) -> AttributeDescription? {
        guard var fields = object(node, "an attribute", in: owner) else { return nil }
        let name = fields.text("name") ?? ""
        guard fields.take("type") != nil else {
            findings.error(fields.place, "it has no type", hint: AttributeType.namesInWords)
            return nil
        }
        guard let type = fields.choice("type", AttributeType.named) else { return nil }
        var attribute = AttributeDescription(name: name, type: type)
        attribute.isOptional = fields.flag("optional") ?? true
        readValues(&fields, into: &attribute)
        attribute.regularExpression = fields.nonempty("regularExpression")
        attribute.compositeName = fields.nonempty("composite")
        attribute.derivationExpression = fields.text("derivation")
        attribute.isTransient = fields.flag("transient") ?? false
        attribute.isIndexed = fields.flag("indexed") ?? false
        attribute.allowsExternalBinaryDataStorage = fields.flag("externalStorage") ?? false
        attribute.preservesValueInHistoryOnDeletion = fields.flag("preserveAfterDeletion") ?? false
        attribute.isStoredInTruthFile = fields.flag("storedInTruthFile") ?? false
        attribute.usesScalarValueType = fields.flag("scalar")
        attribute.valueTransformerName = fields.text("valueTransformer")
        attribute.customClassName = fields.text("class")
        attribute.renamingIdentifier = fields.nonempty("renamingIdentifier")
        attribute.versionHashModifier = fields.nonempty("versionHashModifier")
        attribute.isSyncable = fields.flag("syncable") ?? false
        attribute.userInfo = fields.entries("userInfo")
        fields.toolMatter(&attribute)
        fields.finish()
        return attribute
    }

    private func readValues(
        _ fields: inout JSONFields, into attribute: inout AttributeDescription
    ) {
        let type = attribute.type
        if let node = fields.take("default") {
            if let value = ValueText.value(node, type) {
                attribute.defaultValue = value
            } else {
                findings.error(
                    fields.place,
                    "its default \(quoted(node)) is not \(type.article) \(type.name)")
            }
        }
        attribute.minimum = bound("minimum", &fields, type)
        attribute.maximum = bound("maximum", &fields, type)
    }

    /// A bound; for a String attribute it is a bound on the length.
    private func bound(_ key: String, _ fields: inout JSONFields, _ type: AttributeType) -> Value {
        guard let node = fields.take(key) else { return .null }
        var value: Value?
        if type == .string {
            value = node.wholeNumber.flatMap { $0 >= 0 ? .int($0) : nil }
        } else if type.isInteger {
            value = ValueText.value(node, .integer64)
        } else if type.isNumeric || type == .date {
            value = ValueText.value(node, type)
        } else {
            findings.error(fields.place, "a \(type.name) has no \(key)")
            return .null
        }
        if let value { return value }
        let wanted = type == .string ? "a length" : "\(type.article) \(type.name)"
        findings.error(fields.place, "its \(key) \(quoted(node)) is not \(wanted)")
        return .null
    }

    func relationship(_ node: JSONNode, owner: String) -> RelationshipDescription? {
        guard var fields = object(node, "a relationship", in: owner) else { return nil }
        let name = fields.text("name") ?? ""
        guard let destination = fields.nonempty("destination") else {
            findings.error(fields.place, "it has no destination")
            return nil
        }
        var result = RelationshipDescription(name: name, destinationName: destination)
        result.inverseName = fields.nonempty("inverse")
        // The inverse's entity defaults to the destination.
        let says = fields.has("inverseEntity")
        let inverseEntity = fields.nonempty("inverseEntity")
        result.inverseEntityName =
            says ? inverseEntity : result.inverseName.map { _ in destination }
        result.isToMany = fields.flag("toMany") ?? false
        result.isOrdered = fields.flag("ordered") ?? false
        result.isOptional = fields.flag("optional") ?? true
        result.minimumCount = fields.count("minimumCount") ?? 0
        result.maximumCount = fields.count("maximumCount") ?? (result.isToMany ? 0 : 1)
        result.deleteRule = fields.choice("deleteRule", DeleteRule.named) ?? .nullify
        result.isTransient = fields.flag("transient") ?? false
        result.isIndexed = fields.flag("indexed") ?? false
        result.renamingIdentifier = fields.nonempty("renamingIdentifier")
        result.versionHashModifier = fields.nonempty("versionHashModifier")
        result.isSyncable = fields.flag("syncable") ?? false
        result.userInfo = fields.entries("userInfo")
        fields.toolMatter(&result)
        fields.finish()
        return result
    }

    func fetchedProperty(_ node: JSONNode, owner: String) -> FetchedPropertyDescription? {
        guard var fields = object(node, "a fetched property", in: owner) else { return nil }
        let name = fields.text("name") ?? ""
        guard let inner = fields.take("fetchRequest") else {
            findings.error(fields.place, "the fetched property has no fetchRequest")
            return nil
        }
        guard let request = fetchRequest(inner, owner: fields.place) else { return nil }
        var result = FetchedPropertyDescription(name: name, request: request)
        result.isOptional = fields.flag("optional") ?? true
        result.isSyncable = fields.flag("syncable") ?? false
        result.userInfo = fields.entries("userInfo")
        fields.toolMatter(&result)
        fields.finish()
        return result
    }

    /// Reads a template of the model, or the request of the fetched property `owner`.
    func fetchRequest(_ node: JSONNode, owner: String?) -> FetchRequestTemplate? {
        guard node.kind == .object else {
            findings.error(
                owner ?? "", "a fetch request must be an object, and this is \(node.kindName)")
            return nil
        }
        var fields = JSONFields(node, place: owner ?? "", findings)
        let given = fields.text("name")
        let fallback = owner == nil ? nil : ContentsFormat.fetchedPropertyRequestName
        guard let name = given ?? fallback, !name.isEmpty else {
            findings.error("", "a fetch request has no name")
            return nil
        }
        fields.place = owner ?? "fetch request \(name)"
        guard let entity = fields.nonempty("entity") else {
            findings.error(fields.place, "its fetch request names no entity")
            return nil
        }
        var request = FetchRequestTemplate(name: name, entityName: entity)
        request.predicateFormat = fields.nonempty("predicate")
        request.resultType =
            fields.choice("resultType", FetchRequestTemplate.ResultType.named)
            ?? .objects
        request.fetchLimit = fields.count("fetchLimit") ?? 0
        request.fetchBatchSize = fields.count("fetchBatchSize") ?? 0
        let type = request.resultType
        request.includesSubentities = fields.flag("includesSubentities") ?? true
        request.includesPropertyValues =
            fields.flag("includesPropertyValues") ?? type.usuallyIncludesPropertyValues
        request.includesPendingChanges =
            fields.flag("includesPendingChanges") ?? type.usuallyIncludesPendingChanges
        request.returnsObjectsAsFaults = fields.flag("returnsObjectsAsFaults") ?? true
        request.returnsDistinctResults = fields.flag("returnsDistinctResults") ?? false
        fields.toolMatter(&request)
        fields.finish()
        return request
    }
}

extension FetchRequestTemplate.ResultType {
    /// The names in JSON.
    static let named: [(String, Self)] = [
        ("objects", .objects), ("objectIDs", .objectIDs), ("dictionaries", .dictionaries),
    ]
}
