import SteleModel
import StelePersistence

extension SQLSaver {
    /// The number of similar changes from which one statement costs less than one for each.
    static let fewestTogether = 16
    /// The condition that a column has one of the keys of a `KeyList` bound as ?1.
    var inList: String { "\(schema.dialect.isOneOf("?1"))" }

    /// Returns the number of changes from an index on that one statement can execute: deletions of
    /// one entity, or updates of one entity to the same values; nil where they are few. Versions
    /// are not compared, so the request must be made from the current state.
    private func changesAlike(_ operations: SaveOperations, from start: Int) -> Int? {
        guard operations.count - start >= Self.fewestTogether, operations.kind(start) != .insert
        else { return nil }
        let first = operations.asked(start)
        let isAlike: (ObjectChange) -> Bool
        switch first.kind {
        case .insert: return nil
        case .delete: isAlike = { $0.kind == .delete && $0.entity == first.entity }
        case .update:
            guard !first.changedSlots.isEmpty, !isUnique(anyOf: first.changedSlots, first.entity)
            else { return nil }
            isAlike = { change in
                change.kind == .update && change.entity == first.entity
                    && change.changedSlots == first.changedSlots
                    && change.before.map { $0.version < .max } ?? false
                    && first.changedSlots.allSatisfy {
                        change.values[$0] == first.values[$0]
                    }
            }
        }
        let end = (start..<operations.count).first { !isAlike(operations.asked($0)) }
        let count = (end ?? operations.count) - start
        return count >= Self.fewestTogether ? count : nil
    }

    /// Returns whether a uniqueness constraint of the inheritance tree has one of the slots.
    func isUnique(anyOf slots: [Int], _ entity: Int) -> Bool {
        let unique = schema.uniqueSlots[entity]
        return !unique.isEmpty && slots.contains(where: unique.contains)
    }

    /// Executes similar changes from an index on with one statement.
    /// - Returns: their number; nil where they are few, or versions must be compared.
    /// - Throws: `.moved` where a row does not exist, because the request was not made from the
    ///   current state; `.refused` where a trigger has left one out.
    func executeTogether(
        _ run: SaveRun, from start: Int, _ done: (AppliedChange) throws(StoreError) -> Void
    ) throws(StoreError) -> Int? {
        guard run.view == .current, let count = changesAlike(run.operations, from: start) else {
            return nil
        }
        let operations = run.operations
        let first = try operations[start]
        let table = schema.table(of: first.entity)
        let all = start..<start + count
        let keys = Value.string(KeyList.json(all.map { operations.asked($0).key }))
        let wereThere: Bool
        if first.kind == .delete {
            wereThere = try connection.write(
                statements.text("DELETE FROM \(table.name) WHERE Z_PK \(inList)"), [keys],
                changing: count)
        } else {
            wereThere = try updateTogether(first, count, in: table, keys: keys, run.concrete)
        }
        guard wereThere else {
            try checkUnchanged(all, of: operations, in: table.name, keys: keys)
            throw .moved("objects that were read have been deleted")
        }
        if first.kind == .delete {
            try deleteLinks(ofEntity: first.entity, where: inList, keys)
        }
        for index in all {
            let change = try operations[index]
            var after = change.kind == .update ? change.before : nil
            after?.version &+= 1
            after?.values = stored(change.values, change.entity)
            try done(AppliedChange(change: change, after: after))
        }
        return count
    }

    private func updateTogether(
        _ change: ObjectChange, _ count: Int, in table: SQLTable, keys: Value,
        _ concrete: ConcreteEntities
    ) throws(StoreError) -> Bool {
        let mapping = schema.mappings[change.entity]
        let values = schema.columnValues(change)
        var assignments = ["Z_OPT = \(SQLSchema.version()) + 1"]
        var bindings = [keys]
        func assign(_ column: Int, _ value: Value) {
            bindings.append(value)
            assignments.append("\(table.columns[column].name) = ?\(bindings.count)")
        }
        for slot in change.changedSlots {
            let (column, entityColumn) = (mapping.slotColumns[slot], mapping.entityColumns[slot])
            if column >= 0 { assign(column, values[slot]) }
            guard entityColumn >= 0 else { continue }
            assign(
                entityColumn,
                try concrete.number(of: change.values[slot], slot: slot, in: change.entity))
        }
        return try connection.write(
            statements.text(
                "UPDATE \(table.name) SET \(assignments.joined(separator: ", ")) "
                    + "WHERE Z_PK \(inList)"), bindings, changing: count)
    }
}
