/// Objects as JSON, straight from their snapshots: the bytes of every key are made once a model.

import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// Writes snapshots of one model's objects.
package struct SnapshotRenderer: Sendable {
    /// What stands around one entity's values.
    package struct Form: Sendable {
        /// `,"_entity":"Employee","_version":`
        package let head: [UInt8]
        /// For each slot `,"name":` and how its value is written.
        package let slots: [Field]
        /// For each property in the model's order what to write with relationships beside slots.
        package let properties: [PropertyField]
        /// Whether an object is its slots, one after the other.
        package let isPlain: Bool
        /// What an object's address begins with behind the base path: `/Person/`.
        package let address: [UInt8]
    }

    /// A property's key and the kind of its value.
    package struct Field: Sendable {
        package let key: [UInt8]
        package let kind: ValueKind
    }

    /// A property's place: in the snapshot, or among the to-many relationships.
    package enum PropertyField: Sendable {
        case slot(Int)
        case toOne(slot: Int, relationship: Int)
        case toMany(relationship: Int, key: [UInt8])
        /// A Binary attribute whose value may be a file: told by its size and address.
        case external(slot: Int, name: String)
        case composite(CompositeField)
        /// What a transformer makes JSON of, which may fail.
        case transformed(slot: Int, TransformedAttribute)
        /// What no store keeps: the key and the default.
        case transient([UInt8])
    }

    package let model: Model
    /// Whether Decimals, and integers beyond 2^53, are written as strings (`numbers=string`).
    package var numbersAsStrings = false
    package let forms: [Form]
    /// What addresses begin with: the base path, or an editing context's.
    package private(set) var basePath: [UInt8]

    /// - Parameter basePath: what the addresses in answers begin with.
    package init(model: Model, basePath: String = "") {
        self.model = model
        self.basePath = Array(basePath.utf8)
        forms = model.entities.map { Form($0, of: model) }
    }

    /// The same with other addresses.
    func addressing(below path: String) -> SnapshotRenderer {
        var copy = self
        copy.basePath = Array(path.utf8)
        return copy
    }

    /// The same for a client that cannot hold long numbers.
    package func writingNumbersAsStrings(_ flag: Bool) -> SnapshotRenderer {
        var copy = self
        copy.numbersAsStrings = flag
        return copy
    }

    /// Appends one object: `{"_id":42,"_entity":"Employee","_version":3,"name":"Ann",…}`.
    package func write(_ snapshot: Snapshot, to writer: inout ByteWriter) {
        let form = forms[snapshot.entity]
        writeHead(snapshot, form, to: &writer)
        guard form.isPlain else {
            for property in form.properties { write(property, of: snapshot, form, to: &writer) }
            return writer.byte(UInt8(ascii: "}"))
        }
        let count = min(form.slots.count, snapshot.values.count)
        for slot in 0..<count {
            writer.raw(form.slots[slot].key)
            write(snapshot.values[slot], as: form.slots[slot].kind, to: &writer)
        }
        writer.byte(UInt8(ascii: "}"))
    }

    /// Appends what every object begins with.
    package func writeHead(_ snapshot: Snapshot, _ form: Form, to writer: inout ByteWriter) {
        writer.raw("{\"_id\":")
        writer.key(snapshot.key)
        writer.raw(form.head)
        writer.integer(snapshot.version)
    }

    /// Appends a value as the property's type has it in JSON.
    package func writeValue(_ value: Value, of property: Property, to writer: inout ByteWriter) {
        write(value, as: ValueKind(property), to: &writer)
    }

    /// Appends a value.
    package func write(_ value: Value, as kind: ValueKind, to writer: inout ByteWriter) {
        switch value {
        case .null: writer.null()
        case .bool(let it): writer.bool(it)
        case .int(let it): write(integer: it, to: &writer)
        case .double(let it):
            if case .float = kind { writer.float(Float(it)) } else { writer.double(it) }
        case .decimal(let it): write(decimal: it, to: &writer)
        case .string(let it): writer.string(it)
        case .date(let it): writer.date(secondsSince2001: it)
        case .data(let it):
            switch kind {
            case .json: write(json: it, to: &writer)
            case .transformed(let attribute): attribute.write(it, key: nil, to: &writer)
            case .plain, .float: writer.base64(it)
            }
        case .uuid(let it): writer.uuid(it.uuid)
        case .external(let it): write(wholly: it, to: &writer)
        case .key(let it): writer.key(it)
        }
    }

    private func write(integer: Int64, to writer: inout ByteWriter) {
        if numbersAsStrings, integer.magnitude > 1 << 53 {
            writer.byte(UInt8(ascii: "\""))
            writer.integer(integer)
            writer.byte(UInt8(ascii: "\""))
        } else {
            writer.integer(integer)
        }
    }

    private func write(decimal: Decimal, to writer: inout ByteWriter) {
        if numbersAsStrings { writer.byte(UInt8(ascii: "\"")) }
        DecimalText.write(decimal, to: &writer.bytes)
        if numbersAsStrings { writer.byte(UInt8(ascii: "\"")) }
    }

    /// Another program may have stored what no JSON is; such bytes go out as base64.
    private func write(json: [UInt8], to writer: inout ByteWriter) {
        if (try? JSONDocument(json)) != nil {
            writer.raw(json)
        } else {
            writer.base64(json)
        }
    }
}

extension SnapshotRenderer.Form {
    package init(_ entity: Entity, of model: Model) {
        var writer = ByteWriter()
        writer.raw(",\"_entity\":")
        writer.string(entity.name)
        writer.raw(",\"_version\":")
        head = writer.bytes
        slots = entity.slots.map {
            SnapshotRenderer.Field(
                key: ByteWriter.preparedKey($0.name, comma: true), kind: ValueKind($0))
        }
        properties = entity.properties.map { property in
            switch property {
            case .attribute(let it): SnapshotRenderer.PropertyField(it)
            case .relationship(let it) where it.isToMany:
                .toMany(
                    relationship: it.index, key: ByteWriter.preparedKey(it.name, comma: true))
            case .relationship(let it): .toOne(slot: it.slot, relationship: it.index)
            case .fetchedProperty(let it):
                .toMany(
                    relationship: FetchedProperty.index(of: it.name, entity, model),
                    key: ByteWriter.preparedKey(it.name, comma: true))
            }
        }
        isPlain = properties.allSatisfy { property in
            switch property {
            case .slot, .toOne, .toMany: true
            case .external, .composite, .transient, .transformed: false
            }
        }
        address = Array("\(Routes.path(ofEntity: entity.name, ""))/".utf8)
    }
}
