/// Reads entities and their indexes.

extension ContentsReader {
    func entity(_ element: MarkupElement) -> EntityDescription? {
        var fields = ElementFields(element, place: element.attribute("name") ?? "", findings)
        guard let name = name(of: element, &fields) else { return nil }
        var entity = EntityDescription(name: name)
        entity.managedObjectClassName = fields.text("representedClassName")
        entity.parentName = fields.nonempty("parentEntity")
        entity.isAbstract = fields.flag("isAbstract") ?? false
        entity.isSyncable = fields.flag("syncable") ?? false
        entity.renamingIdentifier = fields.renamingIdentifier()
        entity.versionHashModifier = fields.nonempty("versionHashModifier")
        entity.codeGenerationType = fields.choice(
            "codeGenerationType", EntityDescription.CodeGenerationType.named)
        fields.finish(&entity)
        for child in element.children { read(child, into: &entity) }
        entity.toolElements = element.toolElements(
            besides: "attribute", "relationship", "fetchedProperty", "fetchIndex",
            "compoundIndexes", "uniquenessConstraints", "userInfo")
        return entity
    }

    private func read(_ child: MarkupElement, into entity: inout EntityDescription) {
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
    private func lists(
        _ element: MarkupElement, _ listName: String, of itemName: String, in place: String
    ) -> [[String]] {
        children(of: element, named: listName, in: place).compactMap { child in
            let list = values(of: child, named: itemName, in: place)
            if !list.isEmpty { return list }
            findings.note(place, "an empty <\(listName)> on line \(child.line) has no effect")
            return nil
        }
    }

    private func fetchIndex(_ element: MarkupElement, owner: String) -> FetchIndexDescription? {
        var fields = ElementFields(element, place: owner, findings)
        guard let name = name(of: element, &fields) else { return nil }
        let place = "\(owner), index \(name)"
        var index = FetchIndexDescription(name: name)
        index.partialIndexPredicate = fields.nonempty("partialIndexPredicate")
        fields.finish(&index)
        index.toolElements = element.toolElements(besides: "fetchIndexElement")
        index.elements = children(of: element, named: "fetchIndexElement", in: place).map {
            fetchIndexElement($0, place: place)
        }
        return index
    }

    private func fetchIndexElement(
        _ element: MarkupElement, place: String
    ) -> FetchIndexDescription.Element {
        var fields = ElementFields(element, place: place, findings)
        var result = FetchIndexDescription.Element(propertyName: fields.nonempty("property"))
        result.expression = fields.nonempty("expression")
        result.expressionType = fields.choice("expressionType", AttributeType.named)
        result.collation =
            fields.choice("type", FetchIndexDescription.Element.Collation.named) ?? .binary
        result.isAscending =
            fields.choice("order", [("ascending", true), ("descending", false)]) ?? true
        fields.finish(&result)
        result.toolElements = element.toolElements()
        for child in element.children { findings.unknown(child, in: place) }
        return result
    }
}
