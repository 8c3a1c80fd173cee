/// Reading mapping files in JSON.

import SteleJSON
import SteleModel
import StelePredicates

/// Reads a mapping file, `NAME.mapping.json`, which `Docs/Migration.md` describes.
struct JSONMappingReader {
    private let findings = Findings()

    static func read(_ bytes: [UInt8], _ path: String) throws(ModelErrors) -> MappingFile {
        let document: JSONDocument
        do { document = try JSONDocument(bytes) } catch {
            throw ModelErrors(path, error.message, hint: error.hint)
        }
        guard document.root.kind == .object else {
            throw ModelErrors(
                path, "a mapping file must be a JSON object, and this is \(document.root.kindName)")
        }
        let reader = JSONMappingReader()
        let file = reader.file(document.root, path)
        try reader.findings.throwErrors()
        return file
    }

    private func file(_ root: JSONNode, _ path: String) -> MappingFile {
        var fields = JSONFields(root, place: path, findings)
        let (source, destination) = (fields.nonempty("from"), fields.nonempty("to"))
        let mappings = fields.list("mappings").enumerated().compactMap { number, node in
            entityMapping(node, "mapping \(number + 1)")
        }
        fields.finish()
        var file = MappingFile(path: path, mappings: MappingModel(mappings))
        file.sourceVersion = source
        file.destinationVersion = destination
        file.isPartial = true
        return file
    }

    private func entityMapping(_ node: JSONNode, _ place: String) -> EntityMapping? {
        guard node.kind == .object else {
            findings.error(place, "it must be an object, and is \(node.kindName)")
            return nil
        }
        var fields = JSONFields(node, place: place, findings)
        let (source, destination) = (fields.nonempty("source"), fields.nonempty("destination"))
        let name = fields.nonempty("name") ?? EntityMapping.name(source, destination)
        if source == nil, destination == nil {
            findings.error(
                place, "it names no entity",
                hint: "give a source and a destination, or one of them alone")
        } else {
            fields.place = name
        }
        let policy = fields.nonempty("policy")
        let type: EntityMapping.MappingType =
            source == nil ? .add : destination == nil ? .remove : .custom
        var mapping = EntityMapping(
            name: name, mappingType: policy == nil ? type : .custom, source: source,
            destination: destination)
        mapping.entityMigrationPolicyClassName = policy
        if let text = fields.nonempty("filter") {
            do { mapping.sourceFilter = try Predicate(format: text) } catch {
                findings.error("\(name).filter", "\(error)")
            }
        }
        mapping.attributeMappings = properties(&fields, "attributes") { place, node in
            attribute(node, place)
        }
        mapping.relationshipMappings = properties(&fields, "relationships") { place, node in
            relationship(node, place)
        }
        mapping.userInfo = fields.entries("userInfo")
        fields.finish()
        return mapping
    }

    private func properties(
        _ fields: inout JSONFields, _ key: String,
        _ value: (_ place: String, JSONNode) -> PropertyMapping.Value?
    ) -> [PropertyMapping] {
        guard let node = fields.take(key) else { return [] }
        guard node.kind == .object else {
            findings.error(
                fields.place, "its \(key) must be an object, and is \(node.kindName)",
                hint: "such as {\"name\": \"$source.name\"}")
            return []
        }
        var mappings: [PropertyMapping] = []
        node.forEachMember { name, member in
            mappings.append(
                PropertyMapping(
                    name: name,
                    value: member.isNull ? nil : value("\(fields.place).\(name)", member)))
        }
        return mappings
    }

    // MARK: Values

    /// An expression as text, or a literal.
    private func attribute(_ node: JSONNode, _ place: String) -> PropertyMapping.Value? {
        switch node.kind {
        case .string: return expression(node.string ?? "", place).map { .init($0) }
        case .bool: return .expression(.constant(.bool(node.bool ?? false)))
        case .integer, .real:
            let text = node.longNumberText ?? JSONValue(node).compact
            return expression(text, place).map { .expression($0) }
        default:
            findings.error(
                place, "it must be an expression, and is \(node.kindName)",
                hint: "write \"$source.name\", a number, true or false, or null for the default")
            return nil
        }
    }

    /// A key path, or an object with a key path and the name of a mapping.
    private func relationship(_ node: JSONNode, _ place: String) -> PropertyMapping.Value? {
        if let text = node.string {
            guard let path = keyPath(text, place) else { return nil }
            let isKey = !path.isEmpty && !path.contains(".")
            return isKey ? .source(path) : .destinations(mapping: nil, of: path)
        }
        guard node.kind == .object else {
            findings.error(
                place, "it must be a key path, and is \(node.kindName)",
                hint: "write \"$source.team\", {\"of\": \"$source.team\", \"mapping\": "
                    + "\"TeamToClub\"}, or null for none")
            return nil
        }
        var fields = JSONFields(node, place: place, findings)
        let (text, mapping) = (fields.nonempty("of"), fields.nonempty("mapping"))
        fields.finish()
        guard let text else {
            findings.error(place, "it lacks the key \"of\" with a key path")
            return nil
        }
        return keyPath(text, place).map { .destinations(mapping: mapping, of: $0) }
    }

    private func keyPath(_ text: String, _ place: String) -> String? {
        guard let expression = expression(text, place) else { return nil }
        if let path = expression.sourceKeyPath { return path }
        findings.error(
            place, "\(quoted(text)) is not a key path of the source object",
            hint: "write \"$source.\" and the name of a relationship")
        return nil
    }

    private func expression(_ text: String, _ place: String) -> Expression? {
        do { return try Expression(format: text) } catch {
            findings.error(place, "\(quoted(text)): \(error)")
            return nil
        }
    }
}
