/// Writes properties and fetch requests as JSON.

internal import SteleJSON

extension AttributeDescription {
    func json() -> JSONValue {
        var members = JSONMembers()
        members.add("name", name)
        members.add("type", type.name)
        members.all.append(("optional", .bool(isOptional)))
        for (key, value) in [
            ("default", defaultValue), ("minimum", minimum), ("maximum", maximum),
        ] where !value.isNull {
            members.all.append((key, ValueText.json(value, type)))
        }
        members.add("regularExpression", regularExpression)
        members.add("composite", compositeName)
        members.add("derivation", derivationExpression)
        members.add("transient", isTransient)
        members.add("indexed", isIndexed)
        members.add("externalStorage", allowsExternalBinaryDataStorage)
        members.add("preserveAfterDeletion", preservesValueInHistoryOnDeletion)
        members.add("storedInTruthFile", isStoredInTruthFile)
        if let usesScalarValueType { members.all.append(("scalar", .bool(usesScalarValueType))) }
        members.add("valueTransformer", valueTransformerName)
        members.add("class", customClassName)
        members.add("renamingIdentifier", renamingIdentifier)
        members.add("versionHashModifier", versionHashModifier)
        members.add("syncable", isSyncable)
        members.add("userInfo", userInfo)
        members.add(self)
        return .object(members.all)
    }
}

extension RelationshipDescription {
    func json() -> JSONValue {
        var members = JSONMembers()
        members.add("name", name)
        members.add("destination", destinationName)
        members.add("inverse", inverseName)
        if inverseEntityName != inverseName.map({ _ in destinationName }) {
            let entity = inverseEntityName.map { JSONValue.string($0) } ?? .null
            members.all.append(("inverseEntity", entity))
        }
        members.all.append(("toMany", .bool(isToMany)))
        members.add("ordered", isOrdered)
        members.all.append(("optional", .bool(isOptional)))
        members.add("minimumCount", minimumCount)
        if maximumCount != (isToMany ? 0 : 1) {
            members.all.append(("maximumCount", .integer(Int64(maximumCount))))
        }
        members.add("deleteRule", deleteRule.name)
        members.add("transient", isTransient)
        members.add("indexed", isIndexed)
        members.add("renamingIdentifier", renamingIdentifier)
        members.add("versionHashModifier", versionHashModifier)
        members.add("syncable", isSyncable)
        members.add("userInfo", userInfo)
        members.add(self)
        return .object(members.all)
    }
}

extension FetchedPropertyDescription {
    func json() -> JSONValue {
        var members = JSONMembers()
        members.add("name", name)
        members.all.append(("optional", .bool(isOptional)))
        let isNamed = request.name != ContentsFormat.fetchedPropertyRequestName
        members.all.append(("fetchRequest", request.json(isNamed: isNamed)))
        members.add("syncable", isSyncable)
        members.add("userInfo", userInfo)
        members.add(self)
        return .object(members.all)
    }
}

extension FetchRequestTemplate {
    func json(isNamed: Bool = true) -> JSONValue {
        var members = JSONMembers()
        if isNamed { members.add("name", name) }
        members.add("entity", entityName)
        members.add("predicate", predicateFormat)
        if let type = ResultType.named.first(where: { $0.1 == resultType }),
            resultType != .objects
        {
            members.add("resultType", type.0)
        }
        members.add("fetchLimit", fetchLimit)
        members.add("fetchBatchSize", fetchBatchSize)
        members.add("includesSubentities", includesSubentities, isUsually: true)
        members.add(
            "includesPropertyValues", includesPropertyValues,
            isUsually: resultType.usuallyIncludesPropertyValues)
        members.add(
            "includesPendingChanges", includesPendingChanges,
            isUsually: resultType.usuallyIncludesPendingChanges)
        members.add("returnsObjectsAsFaults", returnsObjectsAsFaults, isUsually: true)
        members.add("returnsDistinctResults", returnsDistinctResults)
        members.add(self)
        return .object(members.all)
    }
}
