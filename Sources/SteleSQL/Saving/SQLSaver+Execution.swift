/// Carrying out the operations: rows, links, order.

import SteleModel
import StelePersistence

extension SQLSaver {
    /// Runs each change's statements, in order; links come after all rows are there.
    /// - Parameters:
    ///   - view: how far what the request was made from can be trusted to be what is there.
    ///   - done: told of each change that is carried out, in order.
    /// - Throws: `.conflicts` with every object whose version is not the one that was read.
    func execute(
        _ operations: SaveOperations, madeFrom view: RequestView,
        _ done: (AppliedChange) throws(StoreError) -> Void
    ) throws(StoreError) {
        let concrete = try ConcreteEntities(schema: schema, connection: connection, operations)
        let places = UniqueValues(schema.model, operations)
        var conflicts: [MergeConflict] = []
        var next = 0
        while next < operations.count {
            if let count = try executeTogether(operations, from: next, view, concrete, done) {
                next += count
                continue
            }
            if let count = try insertTogether(operations, from: next, concrete, places, done) {
                next += count
                continue
            }
            let change = try operations[next]
            let place = next
            next += 1
            if view == .foreign, change.kind != .insert, !change.changesLinksAlone,
                let changed = try silentConflict(of: operations.asked(place))
            {
                conflicts.append(changed)
                continue
            }
            switch change.kind {
            case .insert: try done(try insert(change, concrete, places))
            case .update:
                if let applied = try update(change, concrete, view, places) {
                    try done(applied)
                } else {
                    conflicts.append(try conflict(of: operations.asked(place)))
                }
            case .delete:
                if try delete(change) {
                    try done(AppliedChange(change: change, after: nil))
                } else {
                    conflicts.append(try conflict(of: operations.asked(place)))
                }
            }
        }
        guard conflicts.isEmpty else { throw .conflicts(conflicts) }
        try link(operations)
    }

    func insert(
        _ change: ObjectChange, _ concrete: ConcreteEntities, _ places: UniqueValues
    ) throws(StoreError) -> AppliedChange {
        let mapping = schema.mappings[change.entity]
        var bindings: [Value] = []
        bindings.reserveCapacity(change.values.count + 2)
        bindings.append(.int(change.key))
        bindings.append(.int(Int64(schema.number(of: change.entity))))
        let values = schema.columnValues(change)
        for (slot, value) in values.enumerated() where mapping.slotColumns[slot] >= 0 {
            bindings.append(value)
        }
        for (slot, value) in change.values.enumerated() where mapping.entityColumns[slot] >= 0 {
            bindings.append(try concrete.number(of: value, slot: slot, in: change.entity))
        }
        _ = try guardUniqueness(of: change, among: places) { () throws(StoreError) in
            try connection.execute(statements.insert(change.entity), bindings)
        }
        let version = change.before.map { $0.version &+ 1 } ?? 1
        if version != 1, let table = schema.table(of: change.entity) {
            // It was there once: who remembers one of its versions shall not take it for that.
            try connection.execute(
                statements.text("UPDATE \(table.name) SET Z_OPT = ?1 WHERE Z_PK = ?2"),
                [.int(version), .int(change.key)])
        }
        let after = Snapshot(
            entity: change.entity, key: change.key, version: version,
            values: stored(change.values, change.entity))
        return AppliedChange(change: change, after: after)
    }

    /// - Returns: nil where the row is gone or of another version.
    private func update(
        _ change: ObjectChange, _ concrete: ConcreteEntities, _ view: RequestView,
        _ places: UniqueValues
    ) throws(StoreError) -> AppliedChange? {
        guard let before = change.before else { return nil }
        var after = before
        if change.changesLinksAlone {
            // No version guards the row, so it may have changed since it was read.
            if view != .current {
                guard let now = try persisted(change) else { return nil }
                after = now
            }
            return AppliedChange(change: change, after: after)
        }
        let mapping = schema.mappings[change.entity]
        after.version = before.version &+ 1
        after.values = stored(change.values, change.entity)
        var bindings: [Value] = [.int(after.version), .int(change.key), .int(before.version)]
        let values = schema.columnValues(change)
        for slot in change.changedSlots where mapping.slotColumns[slot] >= 0 {
            bindings.append(values[slot])
        }
        for slot in change.changedSlots where mapping.entityColumns[slot] >= 0 {
            bindings.append(
                try concrete.number(of: change.values[slot], slot: slot, in: change.entity))
        }
        let rows = try guardUniqueness(of: change, among: places) { () throws(StoreError) in
            try connection.execute(statements.update(change.entity, change.changedSlots), bindings)
        }
        return rows == 1 ? AppliedChange(change: change, after: after) : nil
    }

    private func delete(_ change: ObjectChange) throws(StoreError) -> Bool {
        guard let before = change.before else { return false }
        let rows = try connection.execute(
            statements.delete(change.entity), [.int(change.key), .int(before.version)])
        guard rows == 1 else { return false }
        try deleteLinks(ofEntity: change.entity, where: "= ?1", .int(change.key))
        return true
    }

    /// The rows in join tables go with their object, as do keys in members that it owned without an
    /// inverse.
    /// - Parameter condition: which objects, after the column's name.
    func deleteLinks(
        ofEntity entity: Int, where condition: String, _ binding: Value
    ) throws(StoreError) {
        for it in schema.model.entities[entity].toManys {
            switch schema.toManys[it.index] {
            case .join(let table):
                let columns = [table.ownerColumn] + (table.isReflexive ? [table.memberColumn] : [])
                for column in columns {
                    try connection.execute(
                        statements.text("DELETE FROM \(table.name) WHERE \(column) \(condition)"),
                        [binding])
                }
            case .column(let table, let owner, _, isInverse: false):
                try connection.execute(
                    statements.text(
                        "UPDATE \(table) SET \(owner) = NULL WHERE \(owner) \(condition)"),
                    [binding])
            case .column, nil: break
            }
        }
    }

    /// The values as they are stored: transient ones are not.
    func stored(_ values: [Value], _ entity: Int) -> [Value] {
        let columns = schema.mappings[entity].slotColumns
        guard columns.contains(where: { $0 < 0 }) else { return values }
        return values.enumerated().map { columns[$0.offset] < 0 ? .null : $0.element }
    }

    /// Another program may change a row and leave its version: then the version guards nothing.
    /// - Parameter change: as it was asked for: keys that this save has given out go with it.
    private func silentConflict(of change: ObjectChange) throws(StoreError) -> MergeConflict? {
        guard let before = change.before, let now = try persisted(change),
            now.version == before.version,
            now.values != stored(before.values, change.entity)
        else { return nil }
        return MergeConflict(
            entity: change.entity, key: change.key, cached: before, persisted: now,
            changedSlots: change.changedSlots, values: change.values)
    }

    /// - Parameter change: as for `silentConflict`.
    private func conflict(of change: ObjectChange) throws(StoreError) -> MergeConflict {
        let persisted = try persisted(change)
        let cached =
            change.before
            ?? Snapshot(entity: change.entity, key: change.key, version: 0, values: change.values)
        return MergeConflict(
            entity: change.entity, key: change.key, cached: cached, persisted: persisted,
            changedSlots: change.changedSlots, values: change.values)
    }

    func persisted(_ change: ObjectChange) throws(StoreError) -> Snapshot? {
        let root = schema.model.entities[change.entity].root
        guard let table = schema.tables[root], let shape = schema.shapes[root] else { return nil }
        let sql = statements.text(
            "SELECT \(schema.selectList(of: table, alias: "t0")) FROM \(table.name) t0 "
                + "WHERE t0.Z_PK = ?1")
        return try connection.snapshots(sql, [.int(change.key)], shape).first
    }
}

/// How far what a request was made from is what is there.
enum RequestView {
    /// Nothing was committed since.
    case current
    /// Only we have committed since: versions guard rows.
    case own
    /// Another program may have committed since, and may have left versions as they were.
    case foreign
}

extension ObjectChange {
    /// Whether it is an update that changes none of the row's own columns.
    var changesLinksAlone: Bool { kind == .update && changedSlots.isEmpty }
}

/// The concrete entities behind to-ones' keys, where columns keep them; each is looked up once.
final class ConcreteEntities {
    private let schema: SQLSchema
    private let connection: any SQLConnection
    private var numbers: [ObjectID: Value] = [:]

    init(
        schema: SQLSchema, connection: any SQLConnection, _ operations: SaveOperations
    ) throws(StoreError) {
        self.schema = schema
        self.connection = connection
        // Only a model with such columns needs the new objects' entities.
        guard schema.hasEntityColumns else { return }
        for index in operations.indices where operations.asked(index).kind == .insert {
            let change = try operations[index]
            let root = schema.model.entities[change.entity].root
            numbers[ObjectID(root: root, key: change.key)] = .int(
                Int64(schema.number(of: change.entity)))
        }
    }

    /// The Z_ENT of a to-one's destination; null where there is none.
    func number(of value: Value, slot: Int, in entity: Int) throws(StoreError) -> Value {
        guard case .key(let key) = value,
            case .relationship(let it) = schema.model.entities[entity].slots[slot]
        else { return .null }
        let id = ObjectID(root: schema.model.destination(of: it).root, key: key)
        if let known = numbers[id] { return known }
        guard let table = schema.tables[id.root] else { return .null }
        let rows = try connection.rows(
            SQLText("SELECT Z_ENT FROM \(table.name) WHERE Z_PK = ?1"), [.int(key)], [.integer])
        let number = rows.first?.first ?? .null
        numbers[id] = number
        return number
    }
}
