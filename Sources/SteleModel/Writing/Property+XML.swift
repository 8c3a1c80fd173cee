/// Writes properties as elements of a `contents` file, with attributes in Xcode's order.

extension AttributeDescription {
    func write(to writer: inout MarkupWriter) {
        var own = MarkupAttributes(("name", name))
        own.add("optional", isOptional)
        own.add("transient", isTransient)
        own.add("attributeType", type == .undefined ? nil : type.name)
        own.add("composite", compositeName)
        addValues(to: &own)
        own.add("regularExpressionString", regularExpression)
        own.add("derived", derivationExpression != nil)
        own.add("derivationExpression", derivationExpression)
        own.add("usesScalarValueType", usesScalarValueType.map { $0 ? "YES" : "NO" })
        own.add("allowsExternalBinaryDataStorage", allowsExternalBinaryDataStorage)
        own.add("preserveAfterDeletion", preservesValueInHistoryOnDeletion)
        own.add("valueTransformerName", valueTransformerName)
        own.add("customClassName", customClassName)
        own.add("indexed", isIndexed)
        own.add("storedInTruthFile", isStoredInTruthFile)
        own.add("versionHashModifier", versionHashModifier)
        own.add("elementID", renamingIdentifier)
        own.add("syncable", isSyncable)
        own.add(toolAttributes)
        writer.element("attribute", own) { writer in
            writer.userInfo(userInfo)
            writer.toolElements(toolElements)
        }
    }

    private func addValues(to own: inout MarkupAttributes) {
        let ending = type == .date ? "DateTimeInterval" : "ValueString"
        own.add("min" + ending, ValueText.text(minimum, type))
        own.add("max" + ending, ValueText.text(maximum, type))
        own.add("default" + ending, ValueText.text(defaultValue, type))
    }
}

extension RelationshipDescription {
    func write(to writer: inout MarkupWriter) {
        var own = MarkupAttributes(("name", name))
        own.add("optional", isOptional)
        own.add("transient", isTransient)
        own.add("toMany", isToMany)
        own.add("minCount", minimumCount)
        own.add("maxCount", maximumCount)
        own.add("deletionRule", deleteRule.name)
        own.add("ordered", isOrdered)
        own.add("destinationEntity", destinationName)
        own.add("inverseName", inverseName)
        own.add("inverseEntity", inverseEntityName)
        own.add("indexed", isIndexed)
        own.add("versionHashModifier", versionHashModifier)
        own.add("elementID", renamingIdentifier)
        own.add("syncable", isSyncable)
        own.add(toolAttributes)
        writer.element("relationship", own) { writer in
            writer.userInfo(userInfo)
            writer.toolElements(toolElements)
        }
    }
}

extension FetchedPropertyDescription {
    func write(to writer: inout MarkupWriter) {
        var own = MarkupAttributes(("name", name))
        own.add("optional", isOptional)
        own.add("syncable", isSyncable)
        own.add(toolAttributes)
        writer.element("fetchedProperty", own) { writer in
            request.write(to: &writer)
            writer.userInfo(userInfo)
            writer.toolElements(toolElements)
        }
    }
}

extension FetchRequestTemplate {
    func write(to writer: inout MarkupWriter) {
        var own = MarkupAttributes(("name", name))
        own.add("entity", entityName)
        own.add("predicateString", predicateFormat)
        own.add("resultType", resultType.rawValue)
        own.add("fetchLimit", fetchLimit)
        own.add("fetchBatchSize", fetchBatchSize)
        let type = resultType
        let flags = [
            ("includeSubentities", includesSubentities, true),
            ("includePropertyValues", includesPropertyValues, type.usuallyIncludesPropertyValues),
            ("includesPendingChanges", includesPendingChanges, type.usuallyIncludesPendingChanges),
            ("returnObjectsAsFaults", returnsObjectsAsFaults, true),
        ]
        for (name, value, usual) in flags {
            own.add(name, value, isUsually: usual, read: toolAttributes)
        }
        own.add("returnDistinctResults", returnsDistinctResults)
        own.add(toolAttributes)
        writer.element("fetchRequest", own) { $0.toolElements(toolElements) }
    }
}
