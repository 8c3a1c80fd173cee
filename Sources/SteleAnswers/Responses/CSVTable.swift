/// A list as comma-separated values (RFC 4180): a header line, and a line for each row.

import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// The columns of a list as CSV. Null is an empty cell, `""` the empty text.
struct CSVTable: Sendable {
    private struct Slot: Sendable {
        let name: String
        /// The slot and kind in each entity of the family; nil in one without the property.
        var places: [(slot: Int, kind: ValueKind, fixed: Value?)?]
        /// The to-many relationships of the name, in entities where it is no slot.
        var toManys: [Relationship] = []
    }

    private enum Columns: Sendable {
        case objects([Slot], first: Int)
        case rows([Column])
    }

    private let columns: Columns
    private let renderer: SnapshotRenderer

    /// Whole objects have the properties of the entity, then those of its subentities. Properties of
    /// one name are one column, whose cells are of the property that the object's entity has.
    ///
    /// - Parameter toManys: the to-many relationships whose ids are columns of whole objects.
    init(
        _ shape: Shape, of entity: Entity, renderer: SnapshotRenderer,
        toManys: [Relationship] = []
    ) {
        self.renderer = renderer
        switch shape {
        case .columns(let columns, _), .rows(let columns, _): self.columns = .rows(columns)
        case .objects:
            let family = renderer.model.family(of: entity)
            var slots: [Slot] = []
            for (number, member) in family.enumerated() {
                for (slot, property) in member.slots.enumerated() {
                    var at = slots.firstIndex { $0.name == property.name } ?? slots.count
                    if at == slots.count {
                        slots.append(
                            Slot(
                                name: property.name,
                                places: Array(repeating: nil, count: family.count)))
                        at = slots.count - 1
                    }
                    let fixed = renderer.computes(member) ? nil : property.fixedValue
                    slots[at].places[number] = (slot, ValueKind(property), fixed)
                }
            }
            for toMany in toManys {
                if let at = slots.firstIndex(where: { $0.name == toMany.name }) {
                    slots[at].toManys.append(toMany)
                } else {
                    slots.append(
                        Slot(
                            name: toMany.name, places: Array(repeating: nil, count: family.count),
                            toManys: [toMany]))
                }
            }
            columns = .objects(slots, first: entity.index)
        }
    }

    /// Appends the names of the columns.
    func writeHeader(to writer: inout ByteWriter) {
        let names =
            switch columns {
            case .objects(let slots, _): ["_id", "_entity", "_version"] + slots.map(\.name)
            case .rows(let columns): columns.map(\.name)
            }
        for (index, name) in names.enumerated() {
            if index > 0 { writer.byte(UInt8(ascii: ",")) }
            write(text: name, to: &writer)
        }
        writer.raw("\r\n")
    }

    /// Appends the row at an index of the list.
    func write(
        _ rows: FetchedRows, _ index: Int, _ embedded: Embedded, to writer: inout ByteWriter
    ) {
        switch (rows, columns) {
        case (.objects(let rows), .objects(let slots, let first)):
            let object = renderer.completed(rows[index])
            write(object, slots, object.entity - first, embedded, to: &writer)
        case (.values(let rows), .rows(let columns)):
            for (place, column) in columns.enumerated() {
                if place > 0 { writer.byte(UInt8(ascii: ",")) }
                write(column, of: rows[index], embedded, to: &writer)
            }
        default: break
        }
        writer.raw("\r\n")
    }

    private func write(
        _ object: Snapshot, _ slots: [Slot], _ member: Int, _ embedded: Embedded,
        to writer: inout ByteWriter
    ) {
        let entities = renderer.model.entities
        writer.key(unquoted: object.key)
        writer.byte(UInt8(ascii: ","))
        write(text: entities[object.entity].name, to: &writer)
        writer.byte(UInt8(ascii: ","))
        writer.integer(object.version)
        for slot in slots {
            writer.byte(UInt8(ascii: ","))
            if let toMany = slot.toManys.first(where: { entities[$0.owner].isKind(object.entity) })
            {
                write(keys: toMany, of: object.key, embedded, to: &writer)
                continue
            }
            guard slot.places.indices.contains(member), let place = slot.places[member],
                object.values.indices.contains(place.slot)
            else { continue }
            if case .external = object.values[place.slot] {
                write(text: renderer.address(of: object, slot.name), to: &writer)
                continue
            }
            write(place.fixed ?? object.values[place.slot], as: place.kind, to: &writer)
        }
    }

    private func write(
        _ column: Column, of row: [Value], _ embedded: Embedded, to writer: inout ByteWriter
    ) {
        switch column.source {
        case .value(let place, let kind):
            if row.indices.contains(place) { write(row[place], as: kind, to: &writer) }
        case .composite(let field):
            var object = ByteWriter(capacity: 64)
            renderer.writeValue(of: field, of: row, to: &object)
            let text = String(decoding: object.bytes, as: UTF8.self)
            if text != "null" { write(text: text, to: &writer) }
        case .transient(let attribute):
            guard let object = embedded.object(ofRow: row) else { return }
            let value = renderer.completed(object).values[attribute.slot]
            let fixed =
                renderer.computes(renderer.model.entities[object.entity])
                ? nil
                : attribute.declaration.defaultValue
            write(fixed ?? value, as: ValueKind(attribute), to: &writer)
        case .toOne(let place, _):
            if let key = RowKey.key(in: row, at: place) { writer.key(unquoted: key) }
        case .entityName(let place):
            guard row.indices.contains(place) else { return }
            if case .int(let index) = row[place],
                renderer.model.entities.indices.contains(Int(index))
            {
                write(text: renderer.model.entities[Int(index)].name, to: &writer)
            } else {
                write(row[place], as: .plain, to: &writer)
            }
        case .toMany(let relationship):
            guard let owner = RowKey.id(of: row) else { return write(text: "[]", to: &writer) }
            write(keys: relationship, of: owner, embedded, to: &writer)
        case .many(let path):
            var list = ByteWriter(capacity: 64)
            renderer.write(valuesOf: row, path, embedded, to: &list)
            if let failure = list.failure { writer.fail(failure) }
            write(text: String(decoding: list.bytes, as: UTF8.self), to: &writer)
        case .fetched: break
        }
    }

    /// Appends the ids of a to-many relationship as JSON.
    private func write(
        keys toMany: Relationship, of owner: Int64, _ embedded: Embedded,
        to writer: inout ByteWriter
    ) {
        guard case .keys(let all)? = embedded.level(toMany.index)?.content else {
            return write(text: "[]", to: &writer)
        }
        var list = ByteWriter(capacity: 64)
        list.keys(all[owner] ?? [])
        write(text: String(decoding: list.bytes, as: UTF8.self), to: &writer)
    }

    private func write(_ value: Value, as kind: ValueKind, to writer: inout ByteWriter) {
        switch value {
        case .null: break
        case .string(let text): write(text: text, to: &writer)
        case .date(let seconds):
            // One that has no text was stored by another program.
            guard abs(seconds) < ISO8601.secondsLimit else { break }
            writer.date(secondsSince2001: seconds, quoted: false)
        // NaN and the infinities are null, which is an empty cell here.
        case .double(let it) where !Self.isFinite(it, kind): break
        case .uuid(let it): writer.uuid(it.uuid, quoted: false)
        case .decimal(let it): DecimalText.write(it, to: &writer.bytes)
        case .data(let bytes): write(bytes, as: kind, to: &writer)
        case .external(let data): if let bytes = data.bytes { writer.base64(bytes, quoted: false) }
        case .int(let it): writer.integer(it)
        case .key(let it): writer.key(unquoted: it)
        case .bool, .double: renderer.write(value, as: kind, to: &writer)
        }
    }

    private static func isFinite(_ number: Double, _ kind: ValueKind) -> Bool {
        if case .float = kind { Float(number).isFinite } else { number.isFinite }
    }

    private func write(_ bytes: [UInt8], as kind: ValueKind, to writer: inout ByteWriter) {
        switch kind {
        case .json, .transformed:
            var json = ByteWriter()
            renderer.write(.data(bytes), as: kind, to: &json)
            if let failure = json.failure { writer.fail(failure) }
            let text = String(decoding: json.bytes, as: UTF8.self)
            if text != "null" { write(text: text, to: &writer) }
        // Without quotes an empty cell is null.
        case .plain, .float: writer.base64(bytes, quoted: bytes.isEmpty)
        }
    }

    /// Appends a cell of text. It is quoted if it contains a separator or a quote, or is empty:
    /// without quotes an empty cell is null.
    private func write(text: String, to writer: inout ByteWriter) {
        var text = text
        text.withUTF8 { bytes in
            let isPlain =
                !bytes.isEmpty
                && bytes.allSatisfy {
                    $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"")
                        && $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n")
                }
            if isPlain { return writer.raw(bytes) }
            writer.byte(UInt8(ascii: "\""))
            for byte in bytes {
                if byte == UInt8(ascii: "\"") { writer.byte(byte) }
                writer.byte(byte)
            }
            writer.byte(UInt8(ascii: "\""))
        }
    }
}

extension Property {
    /// The default of a transient attribute; nil for other properties.
    fileprivate var fixedValue: Value? {
        guard case .attribute(let it) = self, it.isTransient else { return nil }
        return it.declaration.defaultValue
    }
}
