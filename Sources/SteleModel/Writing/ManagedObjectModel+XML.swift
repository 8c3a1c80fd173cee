/// Writes a model as the `contents` file of an `.xcdatamodel`.

extension ManagedObjectModel {
    /// The UTF-8 text of a `contents` file that declares this model, with elements and attributes
    /// in Xcode's order. Reading it gives an equal model.
    public func xml() -> [UInt8] {
        var writer = MarkupWriter()
        var attributes = MarkupAttributes()
        for (name, value) in ContentsFormat.constants
        where !toolAttributes.contains(where: { $0.key == name }) {
            attributes.add(name, value)
        }
        for entry in toolAttributes { attributes.add(entry.key, entry.value) }
        attributes.add("userDefinedModelVersionIdentifier", versionIdentifier)
        writer.element("model", attributes) { writer in
            for entity in entities { entity.write(to: &writer) }
            for request in fetchRequestTemplates { request.write(to: &writer) }
            for configuration in configurations { configuration.write(to: &writer) }
            for composite in composites { composite.write(to: &writer) }
            writer.toolElements(toolElements)
        }
        return writer.finish()
    }
}

extension ManagedObjectModel {
    /// Notes on what a `contents` file cannot have, and `xml()` leaves out.
    package var unwritable: [ModelError] {
        entities.flatMap { entity in
            entity.properties.compactMap { property in
                guard case .attribute(let it) = property, case .data = it.defaultValue else {
                    return nil
                }
                return ModelError(
                    "\(entity.name).\(it.name)",
                    "a contents file has no defaults of the type Binary, and this one is left out")
            }
        }
    }
}

extension ConfigurationDescription {
    fileprivate func write(to writer: inout MarkupWriter) {
        var own = MarkupAttributes(("name", name))
        own.add(toolAttributes)
        writer.element("configuration", own) { writer in
            for member in entityNames { writer.element("memberEntity", .init(("name", member))) }
            writer.toolElements(toolElements)
        }
    }
}

extension CompositeDescription {
    fileprivate func write(to writer: inout MarkupWriter) {
        var own = MarkupAttributes(("name", name))
        own.add(toolAttributes)
        writer.element("composite", own) { writer in
            for attribute in attributes { attribute.write(to: &writer) }
            writer.toolElements(toolElements)
        }
    }
}

extension EntityDescription {
    fileprivate func write(to writer: inout MarkupWriter) {
        var own = MarkupAttributes(("name", name))
        own.add("representedClassName", managedObjectClassName)
        own.add("parentEntity", parentName)
        own.add("isAbstract", isAbstract)
        own.add("versionHashModifier", versionHashModifier)
        own.add("elementID", renamingIdentifier)
        own.add("syncable", isSyncable)
        own.add("codeGenerationType", codeGenerationType?.rawValue)
        own.add(toolAttributes)
        writer.element("entity", own) { writer in
            for property in properties {
                switch property {
                case .attribute(let it): it.write(to: &writer)
                case .relationship(let it): it.write(to: &writer)
                case .fetchedProperty(let it): it.write(to: &writer)
                }
            }
            for index in fetchIndexes { index.write(to: &writer) }
            writer.lists(compoundIndexes, in: "compoundIndexes", each: "compoundIndex", of: "index")
            writer.lists(
                uniquenessConstraints, in: "uniquenessConstraints", each: "uniquenessConstraint",
                of: "constraint")
            writer.userInfo(userInfo)
            writer.toolElements(toolElements)
        }
    }
}

extension FetchIndexDescription {
    fileprivate func write(to writer: inout MarkupWriter) {
        var own = MarkupAttributes(("name", name))
        own.add("partialIndexPredicate", partialIndexPredicate)
        own.add(toolAttributes)
        writer.element("fetchIndex", own) { writer in
            for element in elements {
                var own = MarkupAttributes()
                own.add("property", element.propertyName)
                own.add("expression", element.expression)
                own.add("expressionType", element.expressionType?.name)
                own.add("type", element.collation.rawValue)
                own.add("order", element.isAscending ? "ascending" : "descending")
                own.add(element.toolAttributes)
                writer.element("fetchIndexElement", own) { $0.toolElements(element.toolElements) }
            }
            writer.toolElements(toolElements)
        }
    }
}

extension MarkupWriter {
    /// The `userInfo` element, if there are entries.
    mutating func userInfo(_ entries: [UserInfoEntry]) {
        guard !entries.isEmpty else { return }
        element("userInfo") { writer in
            for entry in entries {
                writer.element("entry", .init(("key", entry.key), ("value", entry.value)))
            }
        }
    }

    /// Lists of property names, if there are any.
    fileprivate mutating func lists(
        _ lists: [[String]], in outer: StaticString, each middle: StaticString,
        of inner: StaticString
    ) {
        guard !lists.isEmpty else { return }
        element(outer) { writer in
            for list in lists {
                writer.element(middle) { writer in
                    for name in list { writer.element(inner, .init(("value", name))) }
                }
            }
        }
    }
}
