import SteleJSON
import SteleMigration
import SteleModel
import StelePersistence

/// Reads and writes before-images, which the history stores as JSON:
/// `{"salary":51234.5,"players":{"added":[7],"removed":[]}}`.
///
/// Values are encoded without loss: dates as seconds since 2001, decimals as text, bytes as base64,
/// UUIDs as text, to-one relationships as keys. Properties have their names, because slots move
/// when the model changes.
package struct BeforeImage {
    private let model: Model
    /// The folder of external files.
    private let folder: String

    init(_ model: Model, folder: String) {
        self.model = model
        self.folder = folder
    }

    /// The image of an object that is inserted again under its key; it has only a version.
    static let none = "{}"

    /// The beginning of the name of a property that a migration has removed. Its change raised the
    /// version.
    static let removedMark = "-"

    /// The same for a property whose change did not raise the version.
    static let silentMark = "="

    /// Whether an image has properties that a migration has removed, whose change raised the
    /// version.
    static func hasRemoved(_ text: String) -> Bool {
        // Within a text the quotation mark is escaped.
        text.contains("{\"\(removedMark)") || text.contains(",\"\(removedMark)")
    }

    /// Returns an image with other names of properties; nil where none has another name. A name
    /// that is not in the list stays.
    static func renaming(_ text: String, _ names: [String: String]) -> String? {
        guard let document = try? JSONDocument(text) else { return nil }
        var writer = ByteWriter(capacity: text.utf8.count + 16)
        var (isFirst, isRenamed) = (true, false)
        document.root.forEachMember { name, value in
            writer.byte(isFirst ? UInt8(ascii: "{") : UInt8(ascii: ","))
            isFirst = false
            let renamed = names[name] ?? name
            isRenamed = isRenamed || renamed != name
            writer.key(renamed)
            value.write(to: &writer)
        }
        writer.byte(UInt8(ascii: "}"))
        return isRenamed ? String(decoding: writer.bytes, as: UTF8.self) : nil
    }

    /// Encodes the old values of an update's changed slots and to-many relationships.
    func text(of change: ObjectChange, before: Snapshot) -> String {
        let entity = model.entities[change.entity]
        var writer = ByteWriter(capacity: 128)
        var first = true
        func name(_ text: String) {
            writer.byte(first ? UInt8(ascii: "{") : UInt8(ascii: ","))
            first = false
            writer.key(text)
        }
        for slot in change.changedSlots {
            name(entity.slots[slot].name)
            Self.write(before.values[slot], to: &writer)
        }
        for toMany in change.toManys {
            name(model.relationships[toMany.relationship].name)
            writer.raw("{\"added\":")
            KeyList.write(toMany.added, to: &writer)
            writer.raw(",\"removed\":")
            KeyList.write(toMany.removed, to: &writer)
            writer.byte(UInt8(ascii: "}"))
        }
        writer.raw(first ? "{}" : "}")
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Encodes all values of a deleted object, and the members that its own changes do not tell.
    func text(of snapshot: Snapshot, _ members: [ToManyChange]) -> String {
        let whole = ObjectChange(
            .delete, entity: snapshot.entity, key: snapshot.key,
            changedSlots: Array(snapshot.values.indices), toManys: members)
        return text(of: whole, before: snapshot)
    }

    private static func write(_ value: Value, to writer: inout ByteWriter) {
        switch value {
        case .null: writer.null()
        case .bool(let it): writer.bool(it)
        case .int(let it), .key(let it): writer.integer(it)
        case .double(let it), .date(let it): writer.double(it)
        case .decimal(let it):
            var digits: [UInt8] = []
            DecimalText.write(it, to: &digits)
            writer.string(String(decoding: digits, as: UTF8.self))
        case .string(let it): writer.string(it)
        case .data(let it): writer.base64(it)
        case .uuid(let it): writer.string(it.uuidString)
        case .external(let it):
            writer.raw("{\"external\":")
            writer.string(it.identifier.uuidString)
            writer.byte(UInt8(ascii: "}"))
        }
    }

    /// Decodes the values of an object; properties that the model no longer has are left out.
    func values(_ text: String, entity index: Int) -> [BeforeValue] {
        guard let document = try? JSONDocument(text) else { return [] }
        let entity = model.entities[index]
        var values: [BeforeValue] = []
        document.root.forEachMember { name, node in
            switch entity.property(named: name) {
            case .attribute(let it):
                if let value = value(node, it) { values.append(.slot(it.slot, value)) }
            case .relationship(let it) where it.isToMany:
                values.append(
                    .members(
                        relationship: it.index, added: Self.keys(node["added"]),
                        removed: Self.keys(node["removed"])))
            case .relationship(let it):
                values.append(.slot(it.slot, value(node, .key)))
            case .fetchedProperty, .transientRelationship, nil: break
            }
        }
        return values
    }

    private static func keys(_ node: JSONNode?) -> [Int64] {
        var keys: [Int64] = []
        node?.forEachElement { if let key = $0.integer { keys.append(key) } }
        return keys
    }

    /// Decodes the value of an attribute, which may have been of another numeric type; nil for one
    /// that does not fit the type of today.
    private func value(_ node: JSONNode, _ attribute: Attribute) -> Value? {
        let value = value(node, ColumnKind(attribute))
        guard value.isNull, !node.isNull else { return value }
        let before: (type: AttributeType, value: Value)?
        if let it = node.bool {
            before = (.boolean, .bool(it))
        } else if let it = node.integer {
            before = (.integer64, .int(it))
        } else if let it = node.real {
            before = (.double, .double(it))
        } else {
            before = node.string.flatMap { DecimalText.parse(stored: Array($0.utf8)) }
                .map { (.decimal, .decimal($0)) }
        }
        guard let before, let change = NumericChange(from: before.type, to: attribute.type) else {
            return value
        }
        return change.value(before.value)
    }

    private func value(_ node: JSONNode, _ kind: ColumnKind) -> Value {
        if node.isNull { return .null }
        switch kind {
        case .integer: return node.integer.map(Value.int) ?? .null
        case .key: return node.integer.map(Value.key) ?? .null
        case .boolean: return node.bool.map(Value.bool) ?? .null
        case .double, .float: return node.real.map(Value.double) ?? .null
        case .date: return node.real.map(Value.date) ?? .null
        case .decimal:
            return node.string.flatMap { DecimalText.parse(stored: Array($0.utf8)) }
                .map(Value.decimal) ?? .null
        case .text: return node.string.map(Value.string) ?? .null
        case .data: return node.string.flatMap({ Base64.decode($0) }).map(Value.data) ?? .null
        case .external, .marked:
            if let name = node["external"]?.string, let identifier = UUID(uuidString: name) {
                return .external(ExternalData(identifier, in: folder))
            }
            return value(node, .data)
        case .uuid: return node.string.flatMap { UUID(uuidString: $0) }.map(Value.uuid) ?? .null
        }
    }

    private static let externalKey = "\"external\":"

    /// Returns the names of the external files in a before-image. Text that looks like one may
    /// yield a name without a file.
    package static func externalNames(in text: String) -> [UUID] {
        var names: [UUID] = []
        var rest = Substring(text)
        while let key = rest.firstRange(of: externalKey + "\"") {
            rest = rest[key.upperBound...]
            if let name = UUID(uuidString: String(rest.prefix(36))) { names.append(name) }
        }
        return names
    }
}
