/// Reads relationships, fetched properties and fetch requests.

extension ContentsReader {
    func relationship(_ element: MarkupElement, owner: String) -> RelationshipDescription? {
        let label = element.attribute("name").map { "\(owner).\($0)" } ?? owner
        var fields = ElementFields(element, place: label, findings)
        guard let name = name(of: element, &fields) else { return nil }
        guard let destination = fields.nonempty("destinationEntity") else {
            findings.error(label, "it has no destination entity")
            return nil
        }
        var result = RelationshipDescription(name: name, destinationName: destination)
        result.inverseName = fields.nonempty("inverseName")
        result.inverseEntityName = fields.nonempty("inverseEntity")
        result.isOptional = fields.flag("optional") ?? false
        result.isTransient = fields.flag("transient") ?? false
        result.isIndexed = fields.flag("indexed") ?? false
        result.isSyncable = fields.flag("syncable") ?? false
        result.isToMany = fields.flag("toMany") ?? false
        result.isOrdered = fields.flag("ordered") ?? false
        result.minimumCount = fields.count("minCount") ?? 0
        result.maximumCount = fields.count("maxCount") ?? 0
        result.renamingIdentifier = fields.renamingIdentifier()
        result.versionHashModifier = fields.nonempty("versionHashModifier")
        result.deleteRule = fields.choice("deletionRule", DeleteRule.named) ?? .nullify
        fields.finish(&result)
        result.toolElements = element.toolElements(besides: "userInfo")
        result.userInfo = userInfo(of: element, in: label)
        return result
    }

    func fetchedProperty(_ element: MarkupElement, owner: String) -> FetchedPropertyDescription? {
        let label = element.attribute("name").map { "\(owner).\($0)" } ?? owner
        var fields = ElementFields(element, place: label, findings)
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
        result.isOptional = fields.flag("optional") ?? false
        result.isSyncable = fields.flag("syncable") ?? false
        result.userInfo = info
        result.toolElements = element.toolElements(besides: "fetchRequest", "userInfo")
        fields.finish(&result)
        return result
    }

    /// Reads a template of the model, or the request of the fetched property `owner`.
    func fetchRequest(_ element: MarkupElement, owner: String?) -> FetchRequestTemplate? {
        let place = owner ?? "fetch request \(element.attribute("name") ?? "")"
        var fields = ElementFields(element, place: place, findings)
        guard let name = name(of: element, &fields) else { return nil }
        guard let entity = fields.nonempty("entity") else {
            findings.error(place, "its fetch request names no entity")
            return nil
        }
        var request = FetchRequestTemplate(name: name, entityName: entity)
        request.predicateFormat = fields.nonempty("predicateString")
        request.fetchLimit = fields.count("fetchLimit") ?? 0
        request.fetchBatchSize = fields.count("fetchBatchSize") ?? 0
        request.returnsDistinctResults = fields.flag("returnDistinctResults") ?? false
        if let number = fields.count("resultType") {
            if let type = FetchRequestTemplate.ResultType(rawValue: number) {
                request.resultType = type
            } else {
                findings.error(
                    place, "its resultType \(number) is not known",
                    hint: "0 is objects, 1 object IDs, 2 dictionaries")
            }
        }
        // Xcode's compiler sets the flags that are absent, as NSFetchRequest does.
        let type = request.resultType
        request.includesSubentities = fields.flag("includeSubentities", isUsually: true)
        request.includesPropertyValues = fields.flag(
            "includePropertyValues", isUsually: type.usuallyIncludesPropertyValues)
        request.includesPendingChanges = fields.flag(
            "includesPendingChanges", isUsually: type.usuallyIncludesPendingChanges)
        request.returnsObjectsAsFaults = fields.flag("returnObjectsAsFaults", isUsually: true)
        fields.finish(&request)
        request.toolElements = element.toolElements()
        for child in element.children { findings.unknown(child, in: place) }
        return request
    }
}
