import SteleModel
import StelePersistence
import StelePredicates

/// Computing derived attributes after the rows and links of a save are written. The versions of
/// objects do not change.
extension SQLSaver {
    /// Updates the derived values of objects that are about to be deleted, so that the history has
    /// the stored ones. Those in the request may be older.
    func refreshDerived(of operations: inout SaveOperations) throws(StoreError) {
        for index in operations.indices where operations.asked(index).kind == .delete {
            let change = operations.asked(index)
            let derivations = derived.byEntity[change.entity]
            guard !derivations.isEmpty, let now = try persisted(change) else { continue }
            for derivation in derivations {
                let slot = derivation.attribute.slot
                operations.setBefore(now.values[slot], slot, of: index)
            }
        }
    }

    /// Writes the derived values that the save changes, and adds objects that change only by them.
    func derive(_ done: inout [AppliedChange], at time: Double) throws(StoreError) {
        let changes = done.map { (change: $0.change, after: $0.after) }
        let outcomes = try derived.outcomes(of: changes, derivationReader(), at: time)
        if outcomes.isEmpty { return }
        var places: [ObjectID: Int] = [:]
        for (index, applied) in done.enumerated() { places[id(of: applied.change)] = index }
        var added: [AppliedChange] = []
        for outcome in outcomes {
            try write(outcome)
            let snapshot = outcome.snapshot
            let id = ObjectID(root: schema.model.entities[snapshot.entity].root, key: snapshot.key)
            if let place = places[id] {
                done[place].take(outcome)
            } else if !outcome.before.isEmpty {
                added.append(AppliedChange(outcome))
            }
        }
        done.add(updates: added, before: .insert)
    }

    /// Computes the derived values of objects again, without a save.
    func derive(_ objects: [Snapshot]) throws(StoreError) {
        let changes = objects.map {
            (
                change: ObjectChange(
                    .update, entity: $0.entity, key: $0.key, before: $0, values: $0.values),
                after: Optional($0)
            )
        }
        for outcome in try derived.outcomes(of: changes, derivationReader(), at: 0) {
            try write(outcome)
            longDecimals.note(AppliedChange(outcome).change)
        }
        try longDecimals.write(connection)
    }

    private func derivationReader() -> any DerivationReader {
        deriving?()
            ?? SaverReader(
                connection: connection, schema: schema, translator: derivingTranslator())
    }

    /// Returns a translator that knows the attributes with long decimals of this save, and the
    /// columns with foreign values.
    func derivingTranslator() -> FetchTranslator {
        let foreign = foreign()
        if let made = translator, made.longDecimals == attributesWithLongDecimals,
            made.foreign == foreign
        {
            return made
        }
        let made = FetchTranslator(
            schema: schema, longDecimals: attributesWithLongDecimals, foreign: foreign)
        translator = made
        return made
    }

    func id(of change: ObjectChange) -> ObjectID {
        ObjectID(root: schema.model.entities[change.entity].root, key: change.key)
    }

    private func write(_ outcome: DerivedAttributes.Outcome) throws(StoreError) {
        if outcome.before.isEmpty { return }
        try write(outcome.before.map(\.slot), of: outcome.snapshot)
    }

    /// Writes some columns of an object, whose version does not change.
    func write(_ slots: [Int], of snapshot: Snapshot) throws(StoreError) {
        let table = schema.table(of: snapshot.entity)
        var assignments: [String] = []
        var bindings: [Value] = [.int(snapshot.key)]
        for slot in slots {
            guard let column = schema.column(of: slot, in: snapshot.entity) else { continue }
            bindings.append(snapshot.values[slot])
            assignments.append("\(column) = ?\(bindings.count)")
        }
        let sql = statements.text(
            "UPDATE \(table.name) SET \(assignments.joined(separator: ", ")) WHERE Z_PK = ?1")
        try naming(snapshot.entity, snapshot.key) { () throws(StoreError) -> Void in
            let isWritten = try connection.write(
                sql, bindings, changing: RowBuffer.count(1, connection))
            if isWritten { return }
            try checkNone(in: table.name, where: "Z_PK = ?1", [.int(snapshot.key)])
        }
    }
}

extension AppliedChange: OrderedChange {
    var kind: ObjectChange.Kind { change.kind }
    var entity: Int { change.entity }
    var key: Int64 { change.key }

    /// Creates the change of an object whose derived values alone changed.
    fileprivate init(_ outcome: DerivedAttributes.Outcome) {
        var before = outcome.snapshot
        for (slot, value) in outcome.before { before.values[slot] = value }
        change = ObjectChange(
            .update, entity: before.entity, key: before.key, before: before,
            values: outcome.snapshot.values, changedSlots: outcome.before.map(\.slot))
        after = outcome.snapshot
    }

    /// Adds derived values to a change.
    fileprivate mutating func take(_ outcome: DerivedAttributes.Outcome) {
        after = outcome.snapshot
        change.values = outcome.snapshot.values
        guard change.kind == .update else { return }
        let derived = outcome.before.map(\.slot)
        change.changedSlots = (change.changedSlots.filter { !derived.contains($0) } + derived)
            .sorted()
        for (slot, value) in outcome.before { change.before?.values[slot] = value }
    }
}

/// The reader of derived attributes: the writer's connection, in its transaction.
private struct SaverReader: DerivationReader {
    let connection: any SQLConnection
    let schema: SQLSchema
    let translator: FetchTranslator

    func fetchRows(_ request: FetchRequest) throws(StoreError) -> [[Value]] {
        let statement = try translator.rows(request)
        return try connection.rows(statement.sql, statement.bindings, statement.kinds)
    }

    func snapshots(root: Int, keys: [Int64]) throws(StoreError) -> [Snapshot] {
        guard let shape = schema.shapes[root] else { return [] }
        return try connection.snapshots(
            translator.snapshotsByKey(root: root), [.string(KeyList.json(keys))], shape)
    }
}
