/// Writes the JSON form of a model.

public import SteleJSON

extension ManagedObjectModel {
    /// The complete model as JSON; reading it gives an equal model. Members with their usual value
    /// (see `Docs/Models.md`) are omitted, except those that readers expect.
    public func json() -> JSONValue {
        var members = JSONMembers()
        members.add("name", name)
        if !versionIdentifier.isEmpty { members.add("versionIdentifier", versionIdentifier) }
        members.add(self)
        members.all.append(("entities", .array(entities.map { $0.json() })))
        members.add("fetchRequests", fetchRequestTemplates.map { $0.json() })
        members.add(
            "configurations",
            configurations.map {
                var own = JSONMembers()
                own.add("name", $0.name)
                own.all.append(("entities", .names($0.entityNames)))
                own.add($0)
                return .object(own.all)
            })
        members.add(
            "composites",
            composites.map {
                var own = JSONMembers()
                own.add("name", $0.name)
                own.all.append(("attributes", .array($0.attributes.map { $0.json() })))
                own.add($0)
                return .object(own.all)
            })
        return .object(members.all)
    }
}

/// The members of a JSON object, in order. Absent values are omitted.
struct JSONMembers {
    var all: [(String, JSONValue)] = []

    mutating func add(_ key: String, _ value: String?) {
        if let value { all.append((key, .string(value))) }
    }

    /// Adds true; false is omitted.
    mutating func add(_ key: String, _ value: Bool) {
        if value { all.append((key, true)) }
    }

    /// Adds a value that is not the usual one.
    mutating func add(_ key: String, _ value: Bool, isUsually usual: Bool) {
        if value != usual { all.append((key, .bool(value))) }
    }

    /// Adds a count; 0 is omitted.
    mutating func add(_ key: String, _ value: Int) {
        if value != 0 { all.append((key, .integer(Int64(value)))) }
    }

    mutating func add(_ key: String, _ list: [JSONValue]) {
        if !list.isEmpty { all.append((key, .array(list))) }
    }

    /// Adds what only the editor of a model file reads.
    mutating func add(_ declaration: some ToolMatter) {
        add("toolAttributes", declaration.toolAttributes)
        add("toolElements", declaration.toolElements.map { $0.json() })
    }

    mutating func add(_ key: String, _ entries: [UserInfoEntry]) {
        guard !entries.isEmpty else { return }
        all.append((key, .object(entries.map { ($0.key, .string($0.value)) })))
    }
}

extension JSONValue {
    fileprivate static func names(_ names: [String]) -> JSONValue {
        .array(names.map { .string($0) })
    }
}

extension EntityDescription {
    func json() -> JSONValue {
        var members = JSONMembers()
        members.add("name", name)
        members.add("class", managedObjectClassName)
        members.add("parent", parentName)
        members.add("abstract", isAbstract)
        let kinds = propertiesByKind()
        members.add("attributes", kinds.attributes.map { $0.json() })
        members.add("relationships", kinds.relationships.map { $0.json() })
        members.add("fetchedProperties", kinds.fetched.map { $0.json() })
        let order =
            kinds.attributes.map(\.name) + kinds.relationships.map(\.name)
            + kinds.fetched.map(\.name)
        if order != properties.map(\.name) {
            members.all.append(("propertyOrder", .names(properties.map(\.name))))
        }
        members.add("indexes", fetchIndexes.map { $0.json() })
        members.add("compoundIndexes", compoundIndexes.map { .names($0) })
        members.add("uniquenessConstraints", uniquenessConstraints.map { .names($0) })
        members.add("renamingIdentifier", renamingIdentifier)
        members.add("versionHashModifier", versionHashModifier)
        members.add("syncable", isSyncable)
        members.add("codeGeneration", codeGenerationType?.rawValue)
        members.add("userInfo", userInfo)
        members.add(self)
        return .object(members.all)
    }

    private func propertiesByKind() -> (
        attributes: [AttributeDescription], relationships: [RelationshipDescription],
        fetched: [FetchedPropertyDescription]
    ) {
        var attributes: [AttributeDescription] = []
        var relationships: [RelationshipDescription] = []
        var fetched: [FetchedPropertyDescription] = []
        for property in properties {
            switch property {
            case .attribute(let it): attributes.append(it)
            case .relationship(let it): relationships.append(it)
            case .fetchedProperty(let it): fetched.append(it)
            }
        }
        return (attributes, relationships, fetched)
    }
}

extension FetchIndexDescription {
    fileprivate func json() -> JSONValue {
        var members = JSONMembers()
        members.add("name", name)
        members.all.append(("elements", .array(elements.map { $0.json() })))
        members.add("predicate", partialIndexPredicate)
        members.add(self)
        return .object(members.all)
    }
}

extension FetchIndexDescription.Element {
    fileprivate func json() -> JSONValue {
        if let propertyName, self == Self(propertyName: propertyName) {
            return .string(propertyName)
        }
        var members = JSONMembers()
        members.add("property", propertyName)
        members.add("expression", expression)
        members.add("expressionType", expressionType?.name)
        if collation != .binary { members.add("collation", collation.rawValue) }
        if !isAscending { members.all.append(("ascending", false)) }
        members.add(self)
        return .object(members.all)
    }
}

extension ToolElement {
    fileprivate func json() -> JSONValue {
        var members = JSONMembers()
        members.add("name", name)
        members.add("attributes", attributes)
        members.add("text", text.isEmpty ? nil : text)
        members.add("elements", elements.map { $0.json() })
        return .object(members.all)
    }
}
