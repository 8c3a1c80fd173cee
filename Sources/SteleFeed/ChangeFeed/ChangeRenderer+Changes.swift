/// One change of a save as JSON.

import SteleJSON
import SteleModel
import StelePersistence

extension ChangeRenderer {
    package func write(
        _ told: ToldChange, values: Bool, isTooLarge: Bool = false,
        to writer: inout ByteWriter
    ) {
        let change = told.change
        guard model.entities.indices.contains(change.entity) else { return writer.null() }
        let entity = model.entities[change.entity]
        switch change.kind {
        case .insert: writer.raw("{\"change\":\"insert\",\"entity\":")
        case .update: writer.raw("{\"change\":\"update\",\"entity\":")
        case .delete: writer.raw("{\"change\":\"delete\",\"entity\":")
        }
        writer.string(entity.name)
        writer.raw(",\"_id\":")
        writer.integer(change.key)
        writer.raw(",\"_version\":")
        if let version = change.version { writer.integer(version) } else { writer.null() }
        if change.kind == .update { updated(change, of: entity, to: &writer) }
        switch told.crossing {
        case .enters: writer.raw(",\"enters\":true")
        case .leaves: writer.raw(",\"leaves\":true")
        case nil: break
        }
        if isTooLarge {
            writer.raw(",\"values\":\"omitted\"")
        } else if isUnknown(change, values: values) {
            writer.raw(",\"values\":\"unknown\"")
        }
        if values, !isTooLarge { objects(change, of: entity, to: &writer) }
        if change.kind == .delete, !isTooLarge { tombstone(change, of: entity, to: &writer) }
        writer.byte(UInt8(ascii: "}"))
    }

    /// Whether values that the filter asks for are not in the history.
    private func isUnknown(_ change: HistoryChange, values: Bool) -> Bool {
        if change.kind == .update, change.before == nil { return true }
        return values && change.snapshot == nil
    }

    private func updated(
        _ change: HistoryChange, of entity: Entity, to writer: inout ByteWriter
    ) {
        writer.raw(",\"updated\":")
        guard let before = change.before else { return writer.null() }
        writer.byte(UInt8(ascii: "["))
        var isFirst = true
        for value in before {
            guard let name = value.name(in: entity, model) else { continue }
            if !isFirst { writer.byte(UInt8(ascii: ",")) }
            isFirst = false
            writer.string(name)
        }
        writer.byte(UInt8(ascii: "]"))
    }

    private func objects(
        _ change: HistoryChange, of entity: Entity, to writer: inout ByteWriter
    ) {
        writer.raw(",\"object\":")
        if let snapshot = change.snapshot {
            renderer.write(snapshot, to: &writer)
        } else {
            writer.null()
        }
        guard change.kind == .update else { return }
        writer.raw(",\"before\":")
        guard let before = change.before else { return writer.null() }
        writer.byte(UInt8(ascii: "{"))
        var isFirst = true
        for value in before {
            guard let name = value.name(in: entity, model) else { continue }
            if !isFirst { writer.byte(UInt8(ascii: ",")) }
            isFirst = false
            writer.key(name)
            old(value, of: entity, to: &writer)
        }
        writer.byte(UInt8(ascii: "}"))
    }

    /// Appends the values that the model preserves after a deletion
    /// (NSPersistentHistoryChange.tombstone); nothing if it preserves none.
    private func tombstone(
        _ change: HistoryChange, of entity: Entity, to writer: inout ByteWriter
    ) {
        guard entity.preservesValues else { return }
        writer.raw(",\"tombstone\":")
        guard let snapshot = change.snapshot else { return writer.null() }
        var isFirst = true
        writer.byte(UInt8(ascii: "{"))
        for case .attribute(let it) in entity.properties where it.isPreserved {
            if !isFirst { writer.byte(UInt8(ascii: ",")) }
            isFirst = false
            writer.key(it.name)
            if !it.isComposite, snapshot.values.indices.contains(it.slot) {
                old(.slot(it.slot, snapshot.values[it.slot]), of: entity, to: &writer)
            } else {
                renderer.writeValue(ofProperty: it.name, of: snapshot, to: &writer)
            }
        }
        writer.byte(UInt8(ascii: "}"))
    }

    private func old(_ value: BeforeValue, of entity: Entity, to writer: inout ByteWriter) {
        switch value {
        case .slot(_, .external(let data)): renderer.write(sizeOf: data, to: &writer)
        case .slot(let slot, let value):
            renderer.writeValue(value, of: entity.slots[slot], to: &writer)
        case .members(_, let added, let removed):
            writer.raw("{\"added\":")
            keys(added, to: &writer)
            writer.raw(",\"removed\":")
            keys(removed, to: &writer)
            writer.byte(UInt8(ascii: "}"))
        }
    }

    private func keys(_ keys: [Int64], to writer: inout ByteWriter) {
        writer.byte(UInt8(ascii: "["))
        for (index, key) in keys.enumerated() {
            if index > 0 { writer.byte(UInt8(ascii: ",")) }
            writer.integer(key)
        }
        writer.byte(UInt8(ascii: "]"))
    }
}
