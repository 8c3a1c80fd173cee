/// An editing context as JSON: its state, its unsaved changes, and the result of a save.

import SteleAnswers
import SteleFeed
import SteleGraph
import SteleJSON
import SteleModel
import StelePersistence
import SteleRequests

/// Writes the answers of a context's own routes.
enum ContextPage {
    /// Appends the state of a context.
    /// - Parameters:
    ///   - token: that of the state which the request has read.
    ///   - deadline: the time at which it expires, in seconds since 2001-01-01T00:00:00Z.
    /// - Throws: `StoreError` if owners of changed relationships cannot be read.
    static func write(
        stateOf editing: EditingContext, at token: ChangeToken, until deadline: Double,
        to writer: inout ByteWriter
    ) throws {
        let graph = editing.graph
        let undo = graph.undoManager
        var date = ByteWriter(capacity: 32)
        date.date(secondsSince2001: (deadline * 1000).rounded() / 1000)
        func name(_ text: String?) -> JSONValue {
            text.flatMap { $0.isEmpty ? nil : .string($0) } ?? .null
        }
        let members: [(String, JSONValue)] = [
            ("context", .string(editing.id)),
            ("expires", .raw(date.bytes)),
            ("parent", editing.parent.map { .string($0.id) } ?? .null),
            ("author", graph.transactionAuthor.map { .string($0) } ?? .null),
            ("name", editing.name.map { .string($0) } ?? .null),
            ("transaction", .string(token.text)),
            ("mergePolicy", .string(graph.mergePolicy.rawValue)),
            ("hasChanges", .bool(graph.hasChanges)),
            ("inserted", count(graph.insertedObjects)),
            ("updated", count(try graph.updatedObjects())),
            ("deleted", count(graph.deletedObjects)),
            ("undoEnabled", .bool(undo != nil)),
            ("undoLevels", .integer(Int64(editing.undoLevels))),
            ("canUndo", .bool(undo?.canUndo ?? false)),
            ("canRedo", .bool(undo?.canRedo ?? false)),
            ("undoActionName", name(undo?.undoActionName)),
            ("redoActionName", name(undo?.redoActionName)),
            ("openUndoGroups", .integer(Int64(undo?.groupingLevel ?? 0))),
        ]
        JSONValue.object(members).write(to: &writer)
    }

    private static func count(_ objects: [ManagedObject]) -> JSONValue {
        .integer(Int64(objects.count))
    }

    // MARK: Unsaved changes

    /// Appends all unsaved changes: new objects as a whole, others with their changed values.
    /// - Throws: `StoreError` if members cannot be read.
    static func write(
        changesOf graph: ManagedObjectContext, _ renderer: SnapshotRenderer,
        to writer: inout ByteWriter
    ) throws {
        try graph.processPendingChanges()
        let updated = try graph.updatedObjects()
        writer.raw("{\"inserted\":[")
        for (index, object) in graph.insertedObjects.enumerated() {
            if index > 0 { writer.byte(UInt8(ascii: ",")) }
            renderer.write(graph.currentSnapshot(object), to: &writer)
        }
        writer.raw("],\"updated\":[")
        for (index, object) in updated.enumerated() {
            if index > 0 { writer.byte(UInt8(ascii: ",")) }
            try write(changesOf: object, renderer, to: &writer)
        }
        writer.raw("],\"deleted\":[")
        for (index, object) in graph.deletedObjects.enumerated() {
            if index > 0 { writer.byte(UInt8(ascii: ",")) }
            writeHead(object, renderer, to: &writer)
            writer.byte(UInt8(ascii: "}"))
        }
        writer.raw("]}")
    }

    private static func write(
        changesOf object: ManagedObject, _ renderer: SnapshotRenderer,
        to writer: inout ByteWriter
    ) throws {
        let changed = try object.changedValues()
        let committed = object.committedValues(forKeys: Array(changed.keys))
        writeHead(object, renderer, to: &writer)
        for (title, values) in [("changed", changed), ("committed", committed)] {
            writer.raw(ByteWriter.preparedKey(title, comma: true))
            writer.byte(UInt8(ascii: "{"))
            var isFirst = true
            for (name, property) in properties(of: object.entity) {
                guard let value = values[name] else { continue }
                writer.raw(ByteWriter.preparedKey(name, comma: !isFirst))
                isFirst = false
                switch value {
                case .members(let keys): writer.keys(keys)
                case .value(let value): renderer.writeValue(value, of: property, to: &writer)
                }
            }
            writer.byte(UInt8(ascii: "}"))
        }
        writer.byte(UInt8(ascii: "}"))
    }

    /// The properties that can change, in a fixed order: attributes, those in composites by their
    /// paths, then to-many relationships.
    private static func properties(of entity: Entity) -> [(name: String, property: Property)] {
        entity.slots.map { ($0.name, $0) }
            + entity.properties.compactMap { property in
                guard case .relationship(let it) = property, it.isToMany else { return nil }
                return (it.name, property)
            }
    }

    private static func writeHead(
        _ object: ManagedObject, _ renderer: SnapshotRenderer, to writer: inout ByteWriter
    ) {
        writer.raw("{\"_id\":")
        writer.key(object.objectID.key)
        writer.raw(renderer.forms[object.entity.index].head)
        writer.integer(object.version)
    }

    // MARK: The result of a save

    /// Appends the token of a save, and the permanent id of each temporary one.
    /// - Throws: `StoreError` if objects that new ones were merged with cannot be read.
    static func write(
        save result: SaveResult, _ transaction: ChangeToken?, of editing: EditingContext,
        to writer: inout ByteWriter
    ) throws {
        let (graph, model) = (editing.graph, editing.graph.model)
        var ids: [(temporary: Int64, id: ObjectID)] = []
        for keys in [result.permanentKeys, result.replacedKeys] {
            keys.forEach { ids.append(($0.key, ObjectID(root: $0.root, key: $1))) }
        }
        ids.sort { $0.temporary > $1.temporary }
        var rows: [ObjectID: Snapshot] = [:]
        for case let row? in result.changes.lazy.map(\.snapshotAfter) {
            rows[ObjectID(root: model.entities[row.entity].root, key: row.key)] = row
        }
        let became = try ids.map { temporary, id in
            let row = try rows[id] ?? graph.snapshot(id)
            let entity = model.entities[row?.entity ?? id.root]
            return (
                TemporaryID.text(temporary),
                JSONValue.object([
                    ("_id", .integer(id.key)), ("_entity", .string(entity.name)),
                    ("_version", .integer(row?.version ?? 1)),
                ])
            )
        }
        let members: [(String, JSONValue)] = [
            ("context", .string(editing.id)),
            ("parent", editing.parent.map { .string($0.id) } ?? .null),
            ("transaction", transaction.map { .string($0.text) } ?? .null),
            ("ids", .object(became)),
        ]
        JSONValue.object(members).write(to: &writer)
    }
}
