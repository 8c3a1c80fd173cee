/// Reads relationships, fetched properties and fetch requests.

extension ContentsReader {
    mutating func relationship(
        _ element: MarkupElement, owner: String
    ) -> RelationshipDescription? {
        let label = element.attribute("name").map { "\(owner).\($0)" } ?? owner
        var fields = ElementFields(element, place: label)
        guard let name = name(of: element, &fields) else { return nil }
        guard let destination = fields.nonempty("destinationEntity") else {
            findings.error(label, "it has no destination entity")
            return nil
        }
        var result = RelationshipDescription(name: name, destinationName: destination)
        result.inverseName = fields.nonempty("inverseName")
        result.inverseEntityName = fields.nonempty("inverseEntity")
        result.isOptional = fields.flag("optional", &findings) ?? false
        result.isTransient = fields.flag("transient", &findings) ?? false
        result.isIndexed = fields.flag("indexed", &findings) ?? false
        result.isSyncable = fields.flag("syncable", &findings) ?? false
        result.isToMany = fields.flag("toMany", &findings) ?? false
        result.isOrdered = fields.flag("ordered", &findings) ?? false
        result.minimumCount = fields.count("minCount", &findings) ?? 0
        result.maximumCount = fields.count("maxCount", &findings) ?? 0
        result.renamingIdentifier = fields.renamingIdentifier()
        result.versionHashModifier = fields.nonempty("versionHashModifier")
        if let text = fields.nonempty("deletionRule") {
            if let rule = DeleteRule(name: text) {
                result.deleteRule = rule
            } else {
                findings.error(
                    label, "its deletionRule \(quoted(text)) is not known",
                    hint: "it is Nullify, Cascade, Deny or No Action")
            }
        }
        fields.finish(&findings)
        for child in element.children {
            if child.name == "userInfo" {
                result.userInfo = userInfo(child, in: label)
            } else {
                findings.unknown(child, in: label)
            }
        }
        return result
    }

    mutating func fetchedProperty(
        _ element: MarkupElement, owner: String
    ) -> FetchedPropertyDescription? {
        let label = element.attribute("name").map { "\(owner).\($0)" } ?? owner
        var fields = ElementFields(element, place: label)
        guard let name = name(of: element, &fields) else { return nil }
        var request: FetchRequestTemplate?
        var info: [UserInfoEntry] = []
        for child in element.children {
            switch child.name {
            case "fetchRequest" where request == nil: request = fetchRequest(child, owner: label)
            case "userInfo": info = userInfo(child, in: label)
            default: findings.unknown(child, in: label)
            }
        }
        guard let request else {
            findings.error(label, "the fetched property has no fetch request")
            return nil
        }
        var result = FetchedPropertyDescription(name: name, request: request)
        result.isOptional = fields.flag("optional", &findings) ?? false
        result.isSyncable = fields.flag("syncable", &findings) ?? false
        result.userInfo = info
        fields.finish(&findings)
        return result
    }

    /// Reads a template of the model, or the request of the fetched property `owner`.
    mutating func fetchRequest(_ element: MarkupElement, owner: String?) -> FetchRequestTemplate? {
        let place = owner ?? "fetch request \(element.attribute("name") ?? "")"
        var fields = ElementFields(element, place: place)
        guard let name = name(of: element, &fields) else { return nil }
        guard let entity = fields.nonempty("entity") else {
            findings.error(place, "its fetch request names no entity")
            return nil
        }
        var request = FetchRequestTemplate(name: name, entityName: entity)
        request.predicateFormat = fields.nonempty("predicateString")
        request.fetchLimit = fields.count("fetchLimit", &findings) ?? 0
        request.fetchBatchSize = fields.count("fetchBatchSize", &findings) ?? 0
        request.includesSubentities = fields.flag("includeSubentities", &findings) ?? false
        request.includesPropertyValues = fields.flag("includePropertyValues", &findings) ?? false
        request.includesPendingChanges = fields.flag("includesPendingChanges", &findings) ?? false
        request.returnsObjectsAsFaults = fields.flag("returnObjectsAsFaults", &findings) ?? false
        request.returnsDistinctResults = fields.flag("returnDistinctResults", &findings) ?? false
        if let number = fields.count("resultType", &findings) {
            if let type = FetchRequestTemplate.ResultType(rawValue: number) {
                request.resultType = type
            } else {
                findings.error(
                    place, "its resultType \(number) is not known",
                    hint: "0 is objects, 1 object IDs, 2 dictionaries")
            }
        }
        fields.finish(&findings)
        for child in element.children { findings.unknown(child, in: place) }
        return request
    }
}
