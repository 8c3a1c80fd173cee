import SteleModel
import StelePersistence

extension SQLSaver {
    /// Executes the changes in order, and writes their links after all rows.
    /// - Parameters:
    ///   - view: how the request's view relates to the current state.
    ///   - done: called for each executed change, in order.
    /// - Throws: `.conflicts` with every object whose version differs from the one read.
    func execute(
        _ operations: SaveOperations, madeFrom view: RequestView,
        _ done: (AppliedChange) throws(StoreError) -> Void
    ) throws(StoreError) {
        let run = SaveRun(
            operations: operations, view: view,
            concrete: try ConcreteEntities(schema: schema, connection: connection, operations),
            places: UniqueValues(schema.model, operations), uniqueSlots: schema.uniqueSlots)
        var conflicts: [MergeConflict] = []
        var next = 0
        while next < operations.count {
            let asked = operations.asked(next)
            do throws(StoreError) {
                if let count = try executeTogether(run, from: next, done) {
                    next += count
                    continue
                }
                if let count = try insertTogether(run, from: next, done) {
                    next += count
                    continue
                }
            } catch .refused(let rule) {
                throw .refused("\(schema.model.entities[asked.entity].name): \(rule)")
            }
            let place = next
            next += 1
            let conflict = try naming(asked.entity, asked.key) { () throws(StoreError) in
                try execute(place, run, done)
            }
            if let conflict { conflicts.append(conflict) }
        }
        guard conflicts.isEmpty else { throw .conflicts(conflicts) }
        try link(operations)
    }

    /// Executes one change.
    /// - Returns: its conflict, where the version differs from the one read.
    private func execute(
        _ place: Int, _ run: SaveRun, _ done: (AppliedChange) throws(StoreError) -> Void
    ) throws(StoreError) -> MergeConflict? {
        let change = try run.operations[place]
        if run.view == .foreign, change.kind != .insert, !change.changesLinksAlone,
            let changed = try silentConflict(of: run.operations.asked(place))
        {
            return changed
        }
        switch change.kind {
        case .insert: try done(try insert(change, run))
        case .update:
            guard let applied = try update(change, run) else {
                return try conflict(withoutChange: run.operations.asked(place))
            }
            try done(applied)
        case .delete:
            guard try delete(change) else {
                return try conflict(withoutChange: run.operations.asked(place))
            }
            try done(AppliedChange(change: change, after: nil))
        }
        return nil
    }

    func insert(_ change: ObjectChange, _ run: SaveRun) throws(StoreError) -> AppliedChange {
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
            bindings.append(try run.concrete.number(of: value, slot: slot, in: change.entity))
        }
        let isInserted = try guardUniqueness(of: change, among: run.places) {
            () throws(StoreError) in
            try connection.write(
                statements.insert(change.entity), bindings,
                changing: RowBuffer.count(1, connection),
                isGuarded: run.mayMeetKeys(of: change.entity))
        }
        guard isInserted else {
            throw try connection.leftOut(of: schema.table(of: change.entity).name)
        }
        let version = change.before.map { Snapshot.version(after: $0.version) } ?? 1
        if version != 1 {
            // The object existed before. A new version keeps copies of its old state from matching.
            let table = schema.table(of: change.entity).name
            let isWritten = try connection.write(
                statements.text("UPDATE \(table) SET Z_OPT = ?1 WHERE Z_PK = ?2"),
                [.int(version), .int(change.key)], changing: RowBuffer.count(1, connection))
            guard isWritten else { throw try connection.leftOut(of: table, key: change.key) }
        }
        let after = Snapshot(
            entity: change.entity, key: change.key, version: version,
            values: stored(change.values, change.entity))
        return AppliedChange(change: change, after: after)
    }

    /// - Returns: nil where the row is deleted or has another version.
    private func update(
        _ change: ObjectChange, _ run: SaveRun
    ) throws(StoreError) -> AppliedChange? {
        guard let before = change.before else { return nil }
        var after = before
        if change.changesLinksAlone {
            // No version was compared, so the row may have changed since it was read.
            if run.view != .current {
                guard let now = try persisted(change) else { return nil }
                after = now
            }
            return AppliedChange(change: change, after: after)
        }
        let mapping = schema.mappings[change.entity]
        after.version = Snapshot.version(after: before.version)
        after.values = stored(change.values, change.entity)
        var bindings: [Value] = [.int(after.version), .int(change.key), .int(before.version)]
        let values = schema.columnValues(change)
        for slot in change.changedSlots where mapping.slotColumns[slot] >= 0 {
            bindings.append(values[slot])
        }
        for slot in change.changedSlots where mapping.entityColumns[slot] >= 0 {
            bindings.append(
                try run.concrete.number(of: change.values[slot], slot: slot, in: change.entity))
        }
        let statement = statements.update(change.entity, change.changedSlots)
        let isUnique = isUnique(anyOf: change.changedSlots, change.entity)
        let isAsRead = try guardUniqueness(of: change, among: run.places) {
            () throws(StoreError) in
            try connection.write(statement, bindings, changing: 1, isGuarded: isUnique)
        }
        return isAsRead ? AppliedChange(change: change, after: after) : nil
    }

    private func delete(_ change: ObjectChange) throws(StoreError) -> Bool {
        guard let before = change.before else { return false }
        let isAsRead = try connection.write(
            statements.delete(change.entity), [.int(change.key), .int(before.version)], changing: 1)
        guard isAsRead else { return false }
        try deleteLinks(ofEntity: change.entity, where: "= ?1", .int(change.key))
        return true
    }

    /// Deletes the rows of an object in join tables, and its key in members of relationships
    /// without an inverse.
    /// - Parameter condition: the condition on the owner's key, after the column's name.
    func deleteLinks(
        ofEntity entity: Int, where condition: String, _ binding: Value
    ) throws(StoreError) {
        for it in schema.model.entities[entity].toManys {
            switch schema.toManys[it.index] {
            case .join(let table):
                let columns = [table.ownerColumn] + (table.isReflexive ? [table.memberColumn] : [])
                for column in columns {
                    try connection.write(
                        statements.text("DELETE FROM \(table.name) WHERE \(column) \(condition)"),
                        [binding])
                    try checkNone(in: table.name, where: "\(column) \(condition)", [binding])
                }
            case .column(let table, let owner, _, isInverse: false):
                try connection.write(
                    statements.text(
                        "UPDATE \(table) SET \(owner) = NULL WHERE \(owner) \(condition)"),
                    [binding])
                try checkNone(in: table, where: "\(owner) \(condition)", [binding])
            case .column, nil: break
            }
        }
    }

    /// Returns the values to store, without transient ones.
    func stored(_ values: [Value], _ entity: Int) -> [Value] {
        let columns = schema.mappings[entity].slotColumns
        guard columns.contains(where: { $0 < 0 }) else { return values }
        return values.enumerated().map { columns[$0.offset] < 0 ? .null : $0.element }
    }

    /// Returns a conflict for a row that another program has changed without changing its version.
    /// - Parameter change: the change as requested, because keys given out by this save are lost.
    private func silentConflict(of change: ObjectChange) throws(StoreError) -> MergeConflict? {
        guard let before = change.before, let now = try persisted(change),
            now.version == before.version
        else { return nil }
        let read = stored(before.values, change.entity)
        if now.values == read { return nil }
        // The key of a row that this save has deleted is still what was read.
        if !foreign().isEmpty, let raw = try persisted(change, asStored: true),
            read.indices.allSatisfy({ now.values[$0] == read[$0] || raw.values[$0] == read[$0] })
        {
            return nil
        }
        return try conflict(of: change)
    }

    /// - Parameter change: as in `silentConflict`.
    func conflict(of change: ObjectChange) throws(StoreError) -> MergeConflict {
        let cached =
            change.before
            ?? Snapshot(entity: change.entity, key: change.key, version: 0, values: change.values)
        return MergeConflict(
            entity: change.entity, key: change.key, cached: cached,
            persisted: try persisted(change),
            changedSlots: change.changedSlots, values: change.values)
    }

    /// Returns what is read for a table: the table, or a SELECT where it has foreign values.
    func source(_ table: String) -> String {
        foreign().isEmpty ? table : derivingTranslator().source(table)
    }

    /// Returns the row of a change.
    /// - Parameter asStored: whether keys of rows that are gone are read as they are.
    func persisted(
        _ change: ObjectChange, asStored: Bool = false
    ) throws(StoreError) -> Snapshot? {
        guard let shape = schema.shapes[schema.model.entities[change.entity].root] else {
            return nil
        }
        let table = schema.table(of: change.entity)
        let source = asStored ? table.name : source(table.name)
        let sql = statements.text(
            "SELECT \(schema.selectList(of: table, alias: "t0")) FROM \(source) t0 "
                + "WHERE t0.Z_PK = ?1")
        return try connection.snapshots(sql, [.int(change.key)], shape).first
    }
}

/// How the view that a request was made from relates to the current state.
enum RequestView {
    /// The view is the current state.
    case current
    /// Only the writer has committed since, so versions tell which rows have changed.
    case own
    /// Another program may have committed since, and may have changed rows without their versions.
    case foreign
}

/// The execution of one save.
struct SaveRun {
    let operations: SaveOperations
    let view: RequestView
    let concrete: ConcreteEntities
    let places: UniqueValues
    /// The slots of each entity that must be unique.
    let uniqueSlots: [Set<Int>]

    /// Whether an insert may be refused because another object has its key or its values.
    func mayMeetKeys(of entity: Int) -> Bool {
        operations.hasGivenKeys || !uniqueSlots[entity].isEmpty
    }
}

extension ObjectChange {
    /// Whether the change is an update that changes no column of the row.
    var changesLinksAlone: Bool { kind == .update && changedSlots.isEmpty }
}

/// The concrete entities of to-one destinations, for the columns that have them; each is read once.
final class ConcreteEntities {
    private let schema: SQLSchema
    private let connection: any SQLConnection
    private var numbers: [ObjectID: Value] = [:]

    init(
        schema: SQLSchema, connection: any SQLConnection, _ operations: SaveOperations
    ) throws(StoreError) {
        self.schema = schema
        self.connection = connection
        // Only a model with such columns needs the entities of new objects.
        guard schema.hasEntityColumns else { return }
        for index in operations.indices where operations.asked(index).kind == .insert {
            let change = try operations[index]
            let root = schema.model.entities[change.entity].root
            numbers[ObjectID(root: root, key: change.key)] = .int(
                Int64(schema.number(of: change.entity)))
        }
    }

    /// Returns the Z_ENT of a to-one destination; null where there is none.
    func number(of value: Value, slot: Int, in entity: Int) throws(StoreError) -> Value {
        guard case .key(let key) = value,
            case .relationship(let it) = schema.model.entities[entity].slots[slot]
        else { return .null }
        let id = ObjectID(root: schema.model.destination(of: it).root, key: key)
        if let known = numbers[id] { return known }
        let table = schema.table(of: id.root)
        let rows = try connection.rows(
            SQLText("SELECT Z_ENT FROM \(table.name) WHERE Z_PK = ?1"), [.int(key)], [.integer])
        let number = rows.first?.first ?? .null
        numbers[id] = number
        return number
    }
}
