/// Reads a `contents` file and collects errors and notes in `findings`.
struct ContentsReader {
    var findings = Findings()

    /// The model that a file declares, and notes on what was ignored.
    ///
    /// - Throws: `ModelErrors` if the text is not well-formed XML, or a declaration cannot be read.
    static func read(
        _ bytes: [UInt8], name: String, place: String
    ) throws(ModelErrors) -> (ManagedObjectModel, notes: [ModelError]) {
        let root: MarkupElement
        do {
            root = try MarkupParser.parse(bytes, place: place)
        } catch {
            throw ModelErrors([error])
        }
        guard root.name == "model" else {
            throw ModelErrors([
                ModelError(
                    place, "it is not a data model: its root element is <\(root.name)>, not <model>"
                )
            ])
        }
        var reader = ContentsReader()
        let model = reader.model(root, name: name)
        guard reader.findings.errors.isEmpty else { throw ModelErrors(reader.findings.errors) }
        return (model, reader.findings.notes)
    }

    private mutating func model(_ element: MarkupElement, name: String) -> ManagedObjectModel {
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
        return model
    }

    private mutating func composite(_ element: MarkupElement) -> CompositeDescription? {
        var fields = ElementFields(element, place: element.attribute("name") ?? "")
        guard let name = name(of: element, &fields) else { return nil }
        var composite = CompositeDescription(name: name)
        for child in element.children {
            if child.name == "attribute" {
                if let it = attribute(child, owner: name) { composite.attributes.append(it) }
            } else {
                findings.unknown(child, in: name)
            }
        }
        fields.finish(&findings)
        return composite
    }

    private mutating func configuration(_ element: MarkupElement) -> ConfigurationDescription? {
        var fields = ElementFields(element, place: element.attribute("name") ?? "")
        guard let name = name(of: element, &fields) else { return nil }
        var configuration = ConfigurationDescription(name: name)
        for child in element.children {
            if child.name == "memberEntity", let member = child.attribute("name") {
                configuration.entityNames.append(member)
            } else {
                findings.unknown(child, in: name)
            }
        }
        fields.finish(&findings)
        return configuration
    }

    /// The element's name; nil, with an error, if it has none.
    mutating func name(of element: MarkupElement, _ fields: inout ElementFields) -> String? {
        if let name = fields.nonempty("name") { return name }
        findings.error(fields.place, "the <\(element.name)> on line \(element.line) has no name")
        return nil
    }

    mutating func userInfo(_ element: MarkupElement, in place: String) -> [UserInfoEntry] {
        var entries: [UserInfoEntry] = []
        for child in element.children {
            guard child.name == "entry", let key = child.attribute("key") else {
                findings.unknown(child, in: place)
                continue
            }
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

    /// The `value` attributes of the children of that name.
    mutating func values(
        of element: MarkupElement, named name: String, in place: String
    ) -> [String] {
        var values: [String] = []
        for child in element.children {
            if child.name == name, let value = child.attribute("value") {
                values.append(value)
            } else {
                findings.unknown(child, in: place)
            }
        }
        return values
    }
}

/// The constant parts of the files that Xcode writes.
enum ContentsFormat {
    /// The attributes of the `model` element that are the same in every file.
    static let constants = [
        ("type", "com.apple.IDECoreDataModeler.DataModel"), ("documentVersion", "1.0"),
    ]
    /// The name of every fetched property's request.
    static let fetchedPropertyRequestName = "fetchedPropertyFetchRequest"
}

extension MarkupElement {
    /// The attribute's value; nil if it is absent.
    func attribute(_ name: String) -> String? { attributes.first { $0.name == name }?.value }
}
