/// Reads the properties and fetch requests of a JSON model.

internal import SteleJSON

extension JSONModelReader {
    mutating func attribute(_ node: JSONNode, owner: String) -> AttributeDescription? {
        guard var fields = object(node, "an attribute", in: owner) else { return nil }
        let name = fields.text("name", &findings) ?? ""
        let types = AttributeType.allCases.map { ($0.name, $0) }
        guard fields.take("type") != nil else {
            findings.error(fields.place, "it has no type", hint: AttributeType.namesInWords)
            return nil
        }
        guard let type = fields.choice("type", types, &findings) else { return nil }
        var attribute = AttributeDescription(name: name, type: type)
        attribute.isOptional = fields.flag("optional", &findings) ?? true
        readValues(&fields, into: &attribute)
        attribute.regularExpression = fields.nonempty("regularExpression", &findings)
        attribute.compositeName = fields.nonempty("composite", &findings)
        attribute.derivationExpression = fields.text("derivation", &findings)
        attribute.isTransient = fields.flag("transient", &findings) ?? false
        attribute.isIndexed = fields.flag("indexed", &findings) ?? false
        attribute.allowsExternalBinaryDataStorage =
            fields.flag("externalStorage", &findings) ?? false
        attribute.preservesValueInHistoryOnDeletion =
            fields.flag("preserveAfterDeletion", &findings) ?? false
        attribute.isStoredInTruthFile = fields.flag("storedInTruthFile", &findings) ?? false
        attribute.usesScalarValueType = fields.flag("scalar", &findings)
        attribute.valueTransformerName = fields.text("valueTransformer", &findings)
        attribute.customClassName = fields.text("class", &findings)
        attribute.renamingIdentifier = fields.nonempty("renamingIdentifier", &findings)
        attribute.versionHashModifier = fields.nonempty("versionHashModifier", &findings)
        attribute.isSyncable = fields.flag("syncable", &findings) ?? false
        attribute.userInfo = fields.entries("userInfo", &findings)
        fields.finish(&findings)
        return attribute
    }

    private mutating func readValues(
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
    private mutating func bound(
        _ key: String, _ fields: inout JSONFields, _ type: AttributeType
    ) -> Value {
        guard let node = fields.take(key) else { return .null }
        var value: Value?
        if type == .string {
            value = node.integer.flatMap { $0 >= 0 ? .int($0) : nil }
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

    mutating func relationship(_ node: JSONNode, owner: String) -> RelationshipDescription? {
        guard var fields = object(node, "a relationship", in: owner) else { return nil }
        let name = fields.text("name", &findings) ?? ""
        guard let destination = fields.nonempty("destination", &findings) else {
            findings.error(fields.place, "it has no destination")
            return nil
        }
        var result = RelationshipDescription(name: name, destinationName: destination)
        result.inverseName = fields.nonempty("inverse", &findings)
        // The inverse's entity defaults to the destination.
        let says = fields.has("inverseEntity")
        let inverseEntity = fields.nonempty("inverseEntity", &findings)
        result.inverseEntityName =
            says ? inverseEntity : result.inverseName.map { _ in destination }
        result.isToMany = fields.flag("toMany", &findings) ?? false
        result.isOrdered = fields.flag("ordered", &findings) ?? false
        result.isOptional = fields.flag("optional", &findings) ?? true
        result.minimumCount = fields.count("minimumCount", &findings) ?? 0
        result.maximumCount =
            fields.count("maximumCount", &findings) ?? (result.isToMany ? 0 : 1)
        result.deleteRule =
            fields.choice("deleteRule", DeleteRule.allCases.map { ($0.name, $0) }, &findings)
            ?? .nullify
        result.isTransient = fields.flag("transient", &findings) ?? false
        result.isIndexed = fields.flag("indexed", &findings) ?? false
        result.renamingIdentifier = fields.nonempty("renamingIdentifier", &findings)
        result.versionHashModifier = fields.nonempty("versionHashModifier", &findings)
        result.isSyncable = fields.flag("syncable", &findings) ?? false
        result.userInfo = fields.entries("userInfo", &findings)
        fields.finish(&findings)
        return result
    }

    mutating func fetchedProperty(
        _ node: JSONNode, owner: String
    ) -> FetchedPropertyDescription? {
        guard var fields = object(node, "a fetched property", in: owner) else { return nil }
        let name = fields.text("name", &findings) ?? ""
        guard let inner = fields.take("fetchRequest") else {
            findings.error(fields.place, "the fetched property has no fetchRequest")
            return nil
        }
        guard let request = fetchRequest(inner, owner: fields.place) else { return nil }
        var result = FetchedPropertyDescription(name: name, request: request)
        result.isOptional = fields.flag("optional", &findings) ?? true
        result.isSyncable = fields.flag("syncable", &findings) ?? false
        result.userInfo = fields.entries("userInfo", &findings)
        fields.finish(&findings)
        return result
    }

    /// Reads a template of the model, or the request of the fetched property `owner`.
    mutating func fetchRequest(_ node: JSONNode, owner: String?) -> FetchRequestTemplate? {
        guard node.kind == .object else {
            findings.error(
                owner ?? "", "a fetch request is an object, and this is \(node.kindName)")
            return nil
        }
        var fields = JSONFields(node, place: owner ?? "")
        let given = fields.text("name", &findings)
        let fallback = owner == nil ? nil : ContentsFormat.fetchedPropertyRequestName
        guard let name = given ?? fallback, !name.isEmpty else {
            findings.error("", "a fetch request has no name")
            return nil
        }
        fields.place = owner ?? "fetch request \(name)"
        guard let entity = fields.nonempty("entity", &findings) else {
            findings.error(fields.place, "its fetch request names no entity")
            return nil
        }
        var request = FetchRequestTemplate(name: name, entityName: entity)
        request.predicateFormat = fields.nonempty("predicate", &findings)
        request.resultType =
            fields.choice("resultType", FetchRequestTemplate.ResultType.named, &findings)
            ?? .objects
        request.fetchLimit = fields.count("fetchLimit", &findings) ?? 0
        request.fetchBatchSize = fields.count("fetchBatchSize", &findings) ?? 0
        request.includesSubentities = fields.flag("includesSubentities", &findings) ?? false
        request.includesPropertyValues = fields.flag("includesPropertyValues", &findings) ?? false
        request.includesPendingChanges = fields.flag("includesPendingChanges", &findings) ?? false
        request.returnsObjectsAsFaults = fields.flag("returnsObjectsAsFaults", &findings) ?? false
        request.returnsDistinctResults = fields.flag("returnsDistinctResults", &findings) ?? false
        fields.finish(&findings)
        return request
    }
}

extension FetchRequestTemplate.ResultType {
    /// The names in JSON.
    static let named: [(String, Self)] = [
        ("objects", .objects), ("objectIDs", .objectIDs), ("dictionaries", .dictionaries),
    ]
}
