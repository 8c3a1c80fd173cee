/// Rows of a summary for properties and fetch requests.

extension AttributeDescription {
    /// Adds a row with name, type and details.
    func addRow(to table: inout TextTable) { table.add(name, typeName, details: details) }

    /// The type and the details in a line.
    package var summary: String { ([typeName] + details).joined(separator: ", ") }

    private var typeName: String { compositeName.map { "\(type.name) \($0)" } ?? type.name }

    private var details: [String] {
        var details = [isOptional ? "optional" : "required"]
        if isTransient { details.append("transient") }
        if let derivationExpression { details.append("derived from \(derivationExpression)") }
        if !defaultValue.isNull {
            let value = text(defaultValue)
            details.append("default \(type == .string ? "\"\(value)\"" : value)")
        }
        if let bounds { details.append(bounds) }
        if let regularExpression { details.append("matches \(regularExpression)") }
        if isIndexed { details.append("indexed") }
        if allowsExternalBinaryDataStorage { details.append("external storage") }
        if preservesValueInHistoryOnDeletion { details.append("kept in history after deletion") }
        if let name = valueTransformerName, !name.isEmpty { details.append("transformer \(name)") }
        if let name = customClassName, !name.isEmpty { details.append("class \(name)") }
        if let renamingIdentifier { details.append("was \(renamingIdentifier)") }
        if let versionHashModifier { details.append("hash modifier \(versionHashModifier)") }
        if !userInfo.isEmpty { details.append("user info \(userInfo.summary)") }
        return details
    }

    private var bounds: String? {
        let what = type == .string ? "length " : ""
        switch (minimum.isNull, maximum.isNull) {
        case (true, true): return nil
        case (false, true): return "\(what)from \(text(minimum))"
        case (true, false): return "\(what)up to \(text(maximum))"
        case (false, false): return "\(what)\(text(minimum)) to \(text(maximum))"
        }
    }
}

extension RelationshipDescription {
    /// Adds a row with name, an arrow to the destination (two-headed for a to-many) and details.
    func addRow(to table: inout TextTable) { table.add(name, target, details: details) }

    /// The destination and the details in a line.
    var summary: String { ([target] + details).joined(separator: ", ") }

    private var target: String { "\(isToMany ? "↠" : "→") \(destinationName)" }

    private var details: [String] {
        var details = [isOptional ? "optional" : "required"]
        if isOrdered { details.append("ordered") }
        if isTransient { details.append("transient") }
        if let counts { details.append(counts) }
        if let inverseName {
            let entity = inverseEntityName ?? destinationName
            details.append(
                "inverse \(entity == destinationName ? "" : "\(entity).")\(inverseName)")
        } else {
            details.append("no inverse")
        }
        details.append("delete \(deleteRule.name)")
        if let renamingIdentifier { details.append("was \(renamingIdentifier)") }
        if let versionHashModifier { details.append("hash modifier \(versionHashModifier)") }
        if !userInfo.isEmpty { details.append("user info \(userInfo.summary)") }
        return details
    }

    private var counts: String? {
        guard isToMany else { return nil }
        switch (minimumCount, maximumCount) {
        case (0, 0): return nil
        case (let least, 0): return "at least \(least)"
        case (0, let most): return "at most \(most)"
        case (let least, let most): return "\(least) to \(most)"
        }
    }
}

extension FetchedPropertyDescription {
    /// Adds a row with name, the fetched entity and details.
    func addRow(to table: inout TextTable) { table.add(name, target, details: details) }

    /// The fetched entity and the details in a line.
    var summary: String { ([target] + details).joined(separator: ", ") }

    private var target: String { "⇢ \(request.entityName)" }

    private var details: [String] {
        request.details + (userInfo.isEmpty ? [] : ["user info \(userInfo.summary)"])
    }
}

extension FetchRequestTemplate {
    /// The request's settings, without its entity.
    var details: [String] {
        var details = [predicateFormat ?? "all"]
        switch resultType {
        case .objects: break
        case .objectIDs: details.append("gives object IDs")
        case .dictionaries: details.append("gives dictionaries")
        }
        if fetchLimit > 0 { details.append("limit \(fetchLimit)") }
        if fetchBatchSize > 0 { details.append("batches of \(fetchBatchSize)") }
        if returnsDistinctResults { details.append("distinct") }
        return details
    }
}
