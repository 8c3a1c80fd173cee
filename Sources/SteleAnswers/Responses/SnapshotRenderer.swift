/// Objects as JSON, written from their snapshots. The bytes of all keys are made once for a model.

import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// Writes snapshots of a model's objects.
package struct SnapshotRenderer: Sendable {
    /// What is written around an entity's values.
    ///
    /// It is a class because a copy of it would retain each of its arrays.
    package final class Form: Sendable {
        /// `,"_entity":"Employee","_version":`
        package let head: [UInt8]
        /// `,"name":` and the form of the value, for each slot.
        package let slots: [Field]
        /// The properties in the model's order, for entities that are more than their slots.
        package let properties: [PropertyField]
        /// Whether an object is its slots, one after the other.
        package let isPlain: Bool
        /// Whether transient values are computed by the entity's class.
        let isComputed: Bool
        /// The start of an object's address after the base path: `/Person/`.
        package let address: [UInt8]

        package init(_ entity: Entity, of model: Model, isComputed: Bool) {
            self.isComputed = isComputed
            var writer = ByteWriter()
            writer.raw(",\"_entity\":")
            writer.string(entity.name)
            writer.raw(",\"_version\":")
            head = writer.bytes
            slots = entity.slots.map {
                Field(key: ByteWriter.preparedKey($0.name, comma: true), kind: ValueKind($0))
            }
            properties = entity.properties.map { PropertyField($0, of: entity, model, isComputed) }
            isPlain = properties.allSatisfy { property in
                switch property {
                case .slot, .toOne, .toMany: true
                case .external, .composite, .transient, .computed, .transformed: false
                }
            }
            address = Array("\(Routes.path(ofEntity: entity.name, ""))/".utf8)
        }
    }

    /// A property's key and the kind of its value.
    package struct Field: Sendable {
        package let key: [UInt8]
        package let kind: ValueKind
    }

    /// Where a property's value comes from.
    package enum PropertyField: Sendable {
        case slot(Int)
        case toOne(slot: Int, relationship: Int)
        case toMany(relationship: Int, key: [UInt8])
        /// A Binary attribute whose value may be a file, written as its size and address.
        case external(slot: Int, name: String)
        case composite(CompositeField)
        /// An attribute whose transformer makes JSON, which may fail.
        case transformed(slot: Int, TransformedAttribute)
        /// A transient attribute that the entity's class computes.
        case computed(Field, slot: Int)
        /// A transient property: its key and its default or null; nothing for a to-many.
        case transient([UInt8])
    }

    package let model: Model
    /// Whether Decimals, and integers beyond 2^53, are written as strings (`numbers=string`).
    package var numbersAsStrings = false
    /// The forms of all entities, by `Entity.index`.
    package let forms: [Form]
    /// The prefix of addresses: the base path, or the address of an editing context.
    package private(set) var basePath: [UInt8]

    /// Computes the transient values of rows; nil where no class does.
    private let computing: PersistentStoreCoordinator?

    /// - Parameters:
    ///   - computing: the coordinator whose classes compute transient values.
    ///   - basePath: the prefix of addresses.
    package init(
        model: Model, computing: PersistentStoreCoordinator? = nil, basePath: String = ""
    ) {
        self.model = model
        self.basePath = Array(basePath.utf8)
        self.computing = computing.flatMap { $0.computesTransients ? $0 : nil }
        forms = model.entities.map {
            Form($0, of: model, isComputed: computing?.computesTransients($0.index) ?? false)
        }
    }

    /// Whether the class of an entity computes its transient values.
    func computes(_ entity: Entity) -> Bool { forms[entity.index].isComputed }

    /// The row with its transient values, for an entity whose class computes them.
    func completed(_ row: Snapshot) -> Snapshot {
        guard let computing, forms[row.entity].isComputed else { return row }
        return computing.computingTransients(of: row)
    }

    /// The same renderer with another prefix of addresses.
    func addressing(below path: String) -> SnapshotRenderer {
        var copy = self
        copy.basePath = Array(path.utf8)
        return copy
    }

    /// The same renderer, with long numbers as strings or as numbers.
    package func writingNumbersAsStrings(_ flag: Bool) -> SnapshotRenderer {
        var copy = self
        copy.numbersAsStrings = flag
        return copy
    }

    /// Appends one object: `{"_id":42,"_entity":"Employee","_version":3,"name":"Ann",…}`.
    package func write(_ row: Snapshot, to writer: inout ByteWriter) {
        let snapshot = completed(row)
        let form = forms[snapshot.entity]
        writeHead(snapshot, form, to: &writer)
        guard form.isPlain else {
            for property in form.properties { write(property, of: snapshot, form, to: &writer) }
            return writer.byte(UInt8(ascii: "}"))
        }
        for slot in 0..<min(form.slots.count, snapshot.values.count) {
            write(slot: slot, of: snapshot, form, to: &writer)
        }
        writer.byte(UInt8(ascii: "}"))
    }

    /// Appends the key and the value of a slot that the snapshot has.
    func write(slot: Int, of snapshot: Snapshot, _ form: Form, to writer: inout ByteWriter) {
        // Pointers avoid a retain of the key and of the value.
        form.slots.withUnsafeBufferPointer { slots in
            snapshot.values.withUnsafeBufferPointer { values in
                writer.raw(slots[slot].key)
                write(values[slot], as: slots[slot].kind, to: &writer)
            }
        }
    }

    /// Appends the start of an object, up to its version.
    package func writeHead(_ snapshot: Snapshot, _ form: Form, to writer: inout ByteWriter) {
        writer.raw("{\"_id\":")
        writer.key(snapshot.key)
        writer.raw(form.head)
        writer.integer(snapshot.version)
    }

    /// Appends a value in the form that its property's type has in JSON.
    package func writeValue(_ value: Value, of property: Property, to writer: inout ByteWriter) {
        write(value, as: ValueKind(property), to: &writer)
    }

    package func write(_ value: Value, as kind: ValueKind, to writer: inout ByteWriter) {
        switch value {
        case .null: writer.null()
        case .bool(let it): writer.bool(it)
        case .int(let it): write(integer: it, to: &writer)
        case .double(let it):
            // As in SQLite, zero has no sign, also one that is computed or that an older file has.
            if case .float = kind {
                let float = Float(it)
                writer.float(float == 0 ? 0 : float)
            } else {
                writer.double(it == 0 ? 0 : it)
            }
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
        // A value that is selected by name is written as if it were in the row.
        case .external(let it):
            if let bytes = it.bytes { writer.base64(bytes) } else { writer.raw("{\"bytes\":null}") }
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
        DecimalText.write(decimal, boundsIntegers: !numbersAsStrings, to: &writer.bytes)
        if numbersAsStrings { writer.byte(UInt8(ascii: "\"")) }
    }

    /// Appends stored JSON, on one line. Other bytes, which another program can have stored, become
    /// an object with their base64.
    private func write(json: [UInt8], to writer: inout ByteWriter) {
        if (try? JSONDocument(json, depth: JSONDocument.valueDepthLimit)) != nil {
            writer.json(onOneLine: json)
        } else {
            writer.raw(OpaqueValue.json(json, transformer: nil))
        }
    }
}
