/// Reads entities and their indexes.

extension ContentsReader {
    mutating func entity(_ element: MarkupElement) -> EntityDescription? {
        var fields = ElementFields(element, place: element.attribute("name") ?? "")
        guard let name = name(of: element, &fields) else { return nil }
        var entity = EntityDescription(name: name)
        entity.managedObjectClassName = fields.text("representedClassName")
        entity.parentName = fields.nonempty("parentEntity")
        entity.isAbstract = fields.flag("isAbstract", &findings) ?? false
        entity.isSyncable = fields.flag("syncable", &findings) ?? false
        entity.renamingIdentifier = fields.renamingIdentifier()
        entity.versionHashModifier = fields.nonempty("versionHashModifier")
        if let text = fields.nonempty("codeGenerationType") {
            entity.codeGenerationType = EntityDescription.CodeGenerationType(rawValue: text)
            if entity.codeGenerationType == nil {
                findings.error(
                    name, "its codeGenerationType \(quoted(text)) is not known",
                    hint: "it is class, category or none")
            }
        }
        fields.finish(&findings)
        for child in element.children { read(child, into: &entity) }
        return entity
    }

    private mutating func read(_ child: MarkupElement, into entity: inout EntityDescription) {
        let name = entity.name
        switch child.name {
        case "attribute":
            if let it = attribute(child, owner: name) { entity.properties.append(.attribute(it)) }
        case "relationship":
            if let it = relationship(child, owner: name) {
                entity.properties.append(.relationship(it))
            }
        case "fetchedProperty":
            if let it = fetchedProperty(child, owner: name) {
                entity.properties.append(.fetchedProperty(it))
            }
        case "fetchIndex":
            if let it = fetchIndex(child, owner: name) { entity.fetchIndexes.append(it) }
        case "compoundIndexes":
            entity.compoundIndexes += lists(child, "compoundIndex", of: "index", in: name)
        case "uniquenessConstraints":
            entity.uniquenessConstraints += lists(
                child, "uniquenessConstraint", of: "constraint", in: name)
        case "userInfo": entity.userInfo = userInfo(child, in: name)
        default: findings.unknown(child, in: name)
        }
    }

    /// Lists of property names, one for each child.
    private mutating func lists(
        _ element: MarkupElement, _ listName: String, of itemName: String, in place: String
    ) -> [[String]] {
        var lists: [[String]] = []
        for child in element.children {
            guard child.name == listName else {
                findings.unknown(child, in: place)
                continue
            }
            let list = values(of: child, named: itemName, in: place)
            if list.isEmpty {
                findings.note(place, "an empty <\(listName)> on line \(child.line) has no effect")
            } else {
                lists.append(list)
            }
        }
        return lists
    }

    private mutating func fetchIndex(
        _ element: MarkupElement, owner: String
    ) -> FetchIndexDescription? {
        var fields = ElementFields(element, place: owner)
        guard let name = name(of: element, &fields) else { return nil }
        let place = "\(owner), index \(name)"
        var index = FetchIndexDescription(name: name)
        index.partialIndexPredicate = fields.nonempty("partialIndexPredicate")
        fields.finish(&findings)
        for child in element.children {
            if child.name == "fetchIndexElement" {
                index.elements.append(fetchIndexElement(child, place: place))
            } else {
                findings.unknown(child, in: place)
            }
        }
        return index
    }

    private mutating func fetchIndexElement(
        _ element: MarkupElement, place: String
    ) -> FetchIndexDescription.Element {
        var fields = ElementFields(element, place: place)
        var result = FetchIndexDescription.Element(propertyName: fields.nonempty("property"))
        result.expression = fields.nonempty("expression")
        if let text = fields.nonempty("expressionType") {
            result.expressionType = AttributeType(name: text)
            if result.expressionType == nil {
                findings.error(place, "its expressionType \(quoted(text)) is not known")
            }
        }
        if let text = fields.nonempty("type") {
            let collation = FetchIndexDescription.Element.Collation(rawValue: text)
            if collation == nil {
                findings.error(
                    place, "its type \(quoted(text)) is not known", hint: "it is Binary or RTree")
            }
            result.collation = collation ?? .binary
        }
        switch fields.nonempty("order") {
        case nil, "ascending": result.isAscending = true
        case "descending": result.isAscending = false
        case .some(let text):
            findings.error(
                place, "its order \(quoted(text)) is not known",
                hint: "it is ascending or descending")
        }
        fields.finish(&findings)
        for child in element.children { findings.unknown(child, in: place) }
        return result
    }
}

extension ElementFields {
    /// The name in the previous version. A few tools write it as `renamingIdentifier`.
    mutating func renamingIdentifier() -> String? {
        let spelledOut = nonempty("renamingIdentifier")
        return nonempty("elementID") ?? spelledOut
    }
}
