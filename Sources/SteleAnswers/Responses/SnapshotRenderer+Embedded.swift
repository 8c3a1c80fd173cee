// Objects with what is embedded in them, and rows of columns.

import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

extension SnapshotRenderer {
    /// Appends an object with its embedded relationships, each at its place in the model's order.
    package func write(
        _ row: Snapshot, embedding embedded: Embedded, to writer: inout ByteWriter
    ) {
        if embedded.isEmpty { return write(row, to: &writer) }
        let snapshot = completed(row)
        let form = forms[snapshot.entity]
        writeHead(snapshot, form, to: &writer)
        for property in form.properties {
            switch property {
            case .slot, .external, .composite, .transient, .computed, .transformed:
                write(property, of: snapshot, form, to: &writer)
            case .toOne(let slot, let relationship):
                guard let level = embedded.level(relationship) else {
                    write(property, of: snapshot, form, to: &writer)
                    continue
                }
                writer.raw(form.slots[slot].key)
                var key: Int64?
                if snapshot.values.indices.contains(slot), case .key(let it) = snapshot.values[slot]
                {
                    key = it
                }
                write(destination: key, level, to: &writer)
            case .toMany(let relationship, let key):
                guard let level = embedded.level(relationship) else { continue }
                writer.raw(key)
                write(members: snapshot.key, level, to: &writer)
            }
        }
        writer.byte(UInt8(ascii: "}"))
    }

    private func write(
        destination key: Int64?, _ level: Embedded.Level, to writer: inout ByteWriter
    ) {
        guard let key, case .destinations(let found) = level.content, let object = found[key] else {
            return writer.null()
        }
        write(object, embedding: level.below, to: &writer)
    }

    private func write(members owner: Int64, _ level: Embedded.Level, to writer: inout ByteWriter) {
        if case .keys(let all) = level.content { return writer.keys(all[owner] ?? []) }
        writer.byte(UInt8(ascii: "["))
        if case .members(let all) = level.content {
            for (index, member) in (all[owner] ?? []).enumerated() {
                if index > 0 { writer.byte(UInt8(ascii: ",")) }
                write(member, embedding: level.below, to: &writer)
            }
        }
        writer.byte(UInt8(ascii: "]"))
    }

    /// Appends a row as an object with its columns.
    package func write(
        _ row: [Value], _ columns: [Column], _ embedded: Embedded, to writer: inout ByteWriter
    ) {
        writer.byte(UInt8(ascii: "{"))
        for (index, column) in columns.enumerated() {
            if index > 0 { writer.byte(UInt8(ascii: ",")) }
            writer.raw(column.key)
            switch column.source {
            case .value(let place, let kind):
                write(row.indices.contains(place) ? row[place] : .null, as: kind, to: &writer)
            case .entityName(let place): write(entityName: row, at: place, to: &writer)
            case .toOne(let place, let relationship):
                let key = RowKey.key(in: row, at: place)
                if let level = embedded.level(relationship.index) {
                    write(destination: key, level, to: &writer)
                } else if let key {
                    writer.key(key)
                } else {
                    writer.null()
                }
            case .composite(let it): writeValue(of: it, of: row, to: &writer)
            case .transient(let it):
                if let object = embedded.object(ofRow: row) {
                    writeValue(ofProperty: it.name, of: object, to: &writer)
                } else {
                    writer.null()
                }
            case .toMany(let it): write(membersOf: row, it.index, embedded, to: &writer)
            case .many(let it): write(valuesOf: row, it, embedded, to: &writer)
            case .fetched(let it): write(membersOf: row, it.index, embedded, to: &writer)
            }
        }
        writer.byte(UInt8(ascii: "}"))
    }

    private func write(
        membersOf row: [Value], _ index: Int, _ embedded: Embedded, to writer: inout ByteWriter
    ) {
        guard let owner = RowKey.id(of: row), let level = embedded.level(index) else {
            return writer.raw("[]")
        }
        write(members: owner, level, to: &writer)
    }

    /// Appends the values at the end of a path as a list.
    func write(
        valuesOf row: [Value], _ path: ManyPath, _ embedded: Embedded, to writer: inout ByteWriter
    ) {
        writer.byte(UInt8(ascii: "["))
        for (index, object) in embedded.objects(ofRow: row, path).enumerated() {
            if index > 0 { writer.byte(UInt8(ascii: ",")) }
            write(valueOf: object, path.attribute, to: &writer)
        }
        writer.byte(UInt8(ascii: "]"))
    }

    /// Appends the value of an object's attribute, or its id for nil.
    private func write(
        valueOf object: Snapshot?, _ attribute: Attribute?, to writer: inout ByteWriter
    ) {
        guard let object else { return writer.null() }
        guard let attribute else { return writer.key(object.key) }
        let values = completed(object).values
        let hasValue = values.indices.contains(attribute.slot)
        write(
            hasValue ? values[attribute.slot] : .null, as: ValueKind(attribute), to: &writer)
    }

    private func write(entityName row: [Value], at place: Int, to writer: inout ByteWriter) {
        guard row.indices.contains(place) else { return writer.null() }
        if case .int(let index) = row[place], model.entities.indices.contains(Int(index)) {
            writer.string(model.entities[Int(index)].name)
        } else {
            write(row[place], as: .plain, to: &writer)
        }
    }
}
