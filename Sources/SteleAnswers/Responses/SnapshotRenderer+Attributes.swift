// Attributes that are more than the value in a slot: composite, external, transient.

import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

extension SnapshotRenderer.PropertyField {
    init(_ property: Property, of entity: Entity, _ model: Model, _ isComputed: Bool) {
        switch property {
        case .attribute(let it): self.init(it, isComputed)
        case .relationship(let it) where it.isToMany:
            self = .toMany(
                relationship: it.index, key: ByteWriter.preparedKey(it.name, comma: true))
        case .relationship(let it): self = .toOne(slot: it.slot, relationship: it.index)
        case .fetchedProperty(let it):
            self = .toMany(
                relationship: FetchedProperty.index(of: it.name, entity, model),
                key: ByteWriter.preparedKey(it.name, comma: true))
        case .transientRelationship(let it):
            let key = ByteWriter.preparedKey(it.name, comma: true)
            self = .transient(it.isToMany ? [] : key + Array("null".utf8))
        }
    }

    private init(_ attribute: Attribute, _ isComputed: Bool) {
        if attribute.isComposite {
            self = .composite(CompositeField(attribute))
        } else if attribute.isTransient, isComputed {
            let key = ByteWriter.preparedKey(attribute.name, comma: true)
            self = .computed(.init(key: key, kind: ValueKind(attribute)), slot: attribute.slot)
        } else if attribute.isTransient {
            var writer = ByteWriter()
            writer.raw(ByteWriter.preparedKey(attribute.name, comma: true))
            ValueKind.write(default: attribute, to: &writer)
            self = .transient(writer.take())
        } else {
            if case .transformed(let it) = ValueKind(attribute) {
                self = .transformed(slot: attribute.slot, it)
                return
            }
            self =
                attribute.isExternal
                ? .external(slot: attribute.slot, name: attribute.name) : .slot(attribute.slot)
        }
    }
}

extension ValueKind {
    fileprivate static func write(default attribute: Attribute, to writer: inout ByteWriter) {
        switch attribute.declaration.defaultValue {
        case .bool(let it): writer.bool(it)
        case .int(let it): writer.integer(it)
        case .double(let it):
            if attribute.type == .float { writer.float(Float(it)) } else { writer.double(it) }
        case .decimal(let it): DecimalText.write(it, boundsIntegers: true, to: &writer.bytes)
        case .string(let it): writer.string(it)
        case .date(let it): writer.date(secondsSince2001: it)
        case .uuid(let it): writer.uuid(it.uuid)
        case .null, .data, .external, .key: writer.null()
        }
    }
}

extension SnapshotRenderer {
    /// Appends a property with its key; nothing for a to-many relationship.
    package func write(
        _ property: PropertyField, of snapshot: Snapshot, _ form: Form, to writer: inout ByteWriter
    ) {
        switch property {
        case .slot(let slot), .toOne(let slot, _):
            guard snapshot.values.indices.contains(slot) else { return }
            write(slot: slot, of: snapshot, form, to: &writer)
        case .transformed(let slot, let attribute):
            guard snapshot.values.indices.contains(slot) else { return }
            writer.raw(form.slots[slot].key)
            if case .data(let bytes) = snapshot.values[slot] {
                attribute.write(bytes, key: snapshot.key, to: &writer)
            } else {
                writer.null()
            }
        case .toMany: break
        case .transient(let bytes): writer.raw(bytes)
        case .computed(let field, let slot):
            writer.raw(field.key)
            let has = snapshot.values.indices.contains(slot)
            write(has ? snapshot.values[slot] : .null, as: field.kind, to: &writer)
        case .composite(let field): write(field, of: snapshot.values, to: &writer)
        case .external(let slot, let name):
            guard snapshot.values.indices.contains(slot) else { return }
            writer.raw(form.slots[slot].key)
            guard case .external(let data) = snapshot.values[slot] else {
                return write(snapshot.values[slot], as: .plain, to: &writer)
            }
            writeSize(of: data, to: &writer)
            writer.raw(",\"href\":\"")
            writer.raw(basePath)
            writer.raw(form.address)
            writer.key(unquoted: snapshot.key)
            writer.byte(UInt8(ascii: "/"))
            writer.write(name)
            writer.raw("\"}")
        }
    }

    /// Appends a property's value as it is in its object; nothing if the object leaves it out.
    package func writeValue(
        ofProperty name: String, of row: Snapshot, to writer: inout ByteWriter
    ) {
        let snapshot = completed(row)
        let (form, entity) = (forms[snapshot.entity], model.entities[snapshot.entity])
        guard let place = entity.properties.firstIndex(where: { $0.name == name }) else { return }
        var bytes = ByteWriter()
        write(form.properties[place], of: snapshot, form, to: &bytes)
        writer.raw(Array(bytes.bytes.dropFirst(ByteWriter.preparedKey(name, comma: true).count)))
    }

    /// The address of an object's property, such as `/Person/42/photo`.
    func address(of snapshot: Snapshot, _ name: String) -> String {
        String(decoding: basePath + forms[snapshot.entity].address, as: UTF8.self)
            + "\(TemporaryID.text(snapshot.key))/\(name)"
    }

    /// Appends a composite attribute with its key: an object, or null if nothing in it has a value.
    package func write(_ field: CompositeField, of values: [Value], to writer: inout ByteWriter) {
        writer.raw(field.key)
        writeValue(of: field, of: values, to: &writer)
    }

    /// Appends a composite attribute without its key.
    package func writeValue(
        of field: CompositeField, of values: [Value], to writer: inout ByteWriter
    ) {
        guard values.indices.contains(field.slots.upperBound - 1),
            field.slots.contains(where: { !values[$0].isNull })
        else { return writer.null() }
        writer.byte(UInt8(ascii: "{"))
        for element in field.elements {
            switch element {
            case .slot(let slot, let key, let kind):
                writer.raw(key)
                write(values[slot], as: kind, to: &writer)
            case .composite(let inner): write(inner, of: values, to: &writer)
            }
        }
        writer.byte(UInt8(ascii: "}"))
    }

    /// Appends `{"bytes":n`, with null for a file that is gone.
    private func writeSize(of data: ExternalData, to writer: inout ByteWriter) {
        writer.raw("{\"bytes\":")
        if let count = data.count { writer.integer(Int64(count)) } else { writer.null() }
    }

    /// Appends the size of a value that no longer has an address.
    package func write(sizeOf data: ExternalData, to writer: inout ByteWriter) {
        writeSize(of: data, to: &writer)
        writer.byte(UInt8(ascii: "}"))
    }
}
