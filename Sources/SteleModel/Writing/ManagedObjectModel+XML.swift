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
        }
        return writer.finish()
    }
}

extension ConfigurationDescription {
    fileprivate func write(to writer: inout MarkupWriter) {
        writer.element("configuration", .name(name), ifAny: entityNames) { writer, member in
            writer.element("memberEntity", .name(member))
        }
    }
}

extension CompositeDescription {
    fileprivate func write(to writer: inout MarkupWriter) {
        writer.element("composite", .name(name), ifAny: attributes) { writer, attribute in
            attribute.write(to: &writer)
        }
    }
}

extension EntityDescription {
    fileprivate func write(to writer: inout MarkupWriter) {
        var own = MarkupAttributes.name(name)
        own.add("representedClassName", managedObjectClassName)
        own.add("parentEntity", parentName)
        own.add("isAbstract", isAbstract)
        own.add("versionHashModifier", versionHashModifier)
        own.add("elementID", renamingIdentifier)
        own.add("syncable", isSyncable)
        own.add("codeGenerationType", codeGenerationType?.rawValue)
        let isEmpty =
            properties.isEmpty && fetchIndexes.isEmpty && compoundIndexes.isEmpty
            && uniquenessConstraints.isEmpty && userInfo.isEmpty
        guard !isEmpty else { return writer.element("entity", own) }
        writer.element("entity", own) { writer in
            for property in properties {
                switch property {
                case .attribute(let it): it.write(to: &writer)
                case .relationship(let it): it.write(to: &writer)
                case .fetchedProperty(let it): it.write(to: &writer)
                }
            }
            for index in fetchIndexes { index.write(to: &writer) }
            writer.lists(compoundIndexes, "compoundIndexes", "compoundIndex", "index")
            writer.lists(
                uniquenessConstraints, "uniquenessConstraints", "uniquenessConstraint",
                "constraint")
            writer.userInfo(userInfo)
        }
    }
}

extension FetchIndexDescription {
    fileprivate func write(to writer: inout MarkupWriter) {
        var own = MarkupAttributes.name(name)
        own.add("partialIndexPredicate", partialIndexPredicate)
        writer.element("fetchIndex", own, ifAny: elements) { writer, element in
            var own = MarkupAttributes()
            own.add("property", element.propertyName)
            own.add("expression", element.expression)
            own.add("expressionType", element.expressionType?.name)
            own.add("type", element.collation.rawValue)
            own.add("order", element.isAscending ? "ascending" : "descending")
            writer.element("fetchIndexElement", own)
        }
    }
}

extension MarkupAttributes {
    /// A name alone.
    static func name(_ name: String) -> MarkupAttributes {
        var attributes = MarkupAttributes()
        attributes.add("name", name)
        return attributes
    }
}

extension MarkupWriter {
    /// An element with one child for each item. Without items it is empty.
    mutating func element<Item>(
        _ name: StaticString, _ attributes: MarkupAttributes, ifAny items: [Item],
        _ write: @escaping (inout MarkupWriter, Item) -> Void
    ) {
        guard !items.isEmpty else { return element(name, attributes) }
        element(name, attributes) { writer in
            for item in items { write(&writer, item) }
        }
    }

    /// The `userInfo` element, if there are entries.
    mutating func userInfo(_ entries: [UserInfoEntry]) {
        guard !entries.isEmpty else { return }
        element("userInfo", MarkupAttributes(), ifAny: entries) { writer, entry in
            var own = MarkupAttributes()
            own.add("key", entry.key)
            own.add("value", entry.value)
            writer.element("entry", own)
        }
    }

    /// Lists of property names, if there are any.
    fileprivate mutating func lists(
        _ lists: [[String]], _ outer: StaticString, _ middle: StaticString, _ inner: StaticString
    ) {
        guard !lists.isEmpty else { return }
        element(outer, MarkupAttributes(), ifAny: lists) { writer, list in
            writer.element(middle, MarkupAttributes(), ifAny: list) { writer, name in
                var own = MarkupAttributes()
                own.add("value", name)
                writer.element(inner, own)
            }
        }
    }
}
