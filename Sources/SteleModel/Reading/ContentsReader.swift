/// Reads a `contents` file and collects errors and notes in `findings`.
package struct ContentsReader {
    let findings = Findings()

    /// The model that a file declares, and notes on what was ignored.
    ///
    /// - Throws: `ModelErrors` if the text is not well-formed XML, or a declaration cannot be read.
    package static func read(
        _ bytes: [UInt8], name: String, place: String
    ) throws(ModelErrors) -> (ManagedObjectModel, notes: [ModelError]) {
        let root = try MarkupParser.parse(bytes, place: place)
        guard root.name == "model" else {
            throw ModelErrors(
                place, "it is not a data model: its root element is <\(root.name)>, not <model>")
        }
        let reader = ContentsReader()
        let model = reader.model(root, name: name)
        try reader.findings.throwErrors()
        return (model, reader.findings.notes)
    }

    private func model(_ element: MarkupElement, name: String) -> ManagedObjectModel {
        var model = ManagedObjectModel(name: name)
        for (name, value) in element.attributes {
            if name == "userDefinedModelVersionIdentifier" {
                model.versionIdentifier = value
            } else if !ContentsFormat.constants.contains(where: { $0 == (name, value) }) {
                model.toolAttributes.append(UserInfoEntry(key: name, value: value))
            }
        }
        for child in element.children {
            switch child.name {
            case "entity": if let it = entity(child) { model.entities.append(it) }
            case "fetchRequest":
                if let it = fetchRequest(child, owner: nil) {
                    model.fetchRequestTemplates.append(it)
                }
            case "configuration":
                if let it = configuration(child) { model.configurations.append(it) }
            case "composite": if let it = composite(child) { model.composites.append(it) }
            case "elements": break  // Where the editor draws the entities.
            default: findings.unknown(child, in: "")
            }
        }
        model.toolElements = element.toolElements(
            besides: "entity", "fetchRequest", "configuration", "composite")
        return model
    }

    private func composite(_ element: MarkupElement) -> CompositeDescription? {
        var fields = ElementFields(element, place: element.attribute("name") ?? "", findings)
        guard let name = name(of: element, &fields) else { return nil }
        var composite = CompositeDescription(name: name)
        composite.attributes = children(of: element, named: "attribute", in: name).compactMap {
            attribute($0, owner: name)
        }
        composite.toolElements = element.toolElements(besides: "attribute")
        fields.finish(&composite)
        return composite
    }

    private func configuration(_ element: MarkupElement) -> ConfigurationDescription? {
        var fields = ElementFields(element, place: element.attribute("name") ?? "", findings)
        guard let name = name(of: element, &fields) else { return nil }
        var configuration = ConfigurationDescription(name: name)
        configuration.entityNames = values(
            of: element, named: "memberEntity", attribute: "name", in: name)
        configuration.toolElements = element.toolElements(besides: "memberEntity")
        fields.finish(&configuration)
        return configuration
    }

    /// The element's name; nil, with an error, if it has none.
    func name(of element: MarkupElement, _ fields: inout ElementFields) -> String? {
        if let name = fields.nonempty("name") { return name }
        findings.error(fields.place, "the <\(element.name)> on line \(element.line) has no name")
        return nil
    }

    /// The entries of the `userInfo` element in an element that has no other children.
    func userInfo(of element: MarkupElement, in place: String) -> [UserInfoEntry] {
        children(of: element, named: "userInfo", in: place).last.map { userInfo($0, in: place) }
            ?? []
    }

    func userInfo(_ element: MarkupElement, in place: String) -> [UserInfoEntry] {
        var entries: [UserInfoEntry] = []
        for child in children(of: element, named: "entry", with: "key", in: place) {
            let key = child.attribute("key") ?? ""
            let entry = UserInfoEntry(key: key, value: child.attribute("value") ?? "")
            if let index = entries.firstIndex(where: { $0.key == key }) {
                findings.note(place, "its user info has the key \(key) twice; the last one counts")
                entries[index] = entry
            } else {
                entries.append(entry)
            }
        }
        return entries
    }

    /// An attribute of the children of that name. Other children are reported.
    func values(
        of element: MarkupElement, named name: String, attribute: String = "value",
        in place: String
    ) -> [String] {
        children(of: element, named: name, with: attribute, in: place).compactMap {
            $0.attribute(attribute)
        }
    }

    /// The children of that name that have the attribute. Other children are reported.
    func children(
        of element: MarkupElement, named name: String, with attribute: String? = nil,
        in place: String
    ) -> [MarkupElement] {
        element.children.filter { child in
            let isKnown = child.name == name && attribute.map { child.attribute($0) != nil } ?? true
            if !isKnown { findings.unknown(child, in: place) }
            return isKnown
        }
    }
}

/// The constant parts of the files that Xcode writes.
package enum ContentsFormat {
    /// The attributes of the `model` element that are the same in every file.
    static let constants = [
        ("type", "com.apple.IDECoreDataModeler.DataModel"), ("documentVersion", "1.0"),
    ]
    /// The name of every fetched property's request.
    package static let fetchedPropertyRequestName = "fetchedPropertyFetchRequest"
}

extension MarkupElement {
    /// The children that have no effect: all besides those of the given names.
    func toolElements(besides names: String...) -> [ToolElement] {
        children.filter { !names.contains($0.name) }.map { ToolElement($0) }
    }

    /// The attribute's value; nil if it is absent.
    func attribute(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
}

extension ToolElement {
    fileprivate init(_ element: MarkupElement) {
        self.init(name: element.name)
        attributes = element.attributes.map { UserInfoEntry(key: $0.name, value: $0.value) }
        text = element.text.allSatisfy(\.isWhitespace) ? "" : element.text
        elements = element.children.map { ToolElement($0) }
    }
}
