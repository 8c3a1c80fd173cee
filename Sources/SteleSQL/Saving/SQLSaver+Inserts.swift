// New objects of one entity, many with one statement.

import SteleModel
import StelePersistence

extension SQLSaver {
    /// Inserts the new objects of one entity from that place on, where there are many and nothing
    /// but SQLite itself can refuse one.
    /// - Returns: how many; nil where there are few, or where each must be inserted by itself.
    func insertTogether(
        _ operations: SaveOperations, from start: Int, _ concrete: ConcreteEntities,
        _ places: UniqueValues, _ done: (AppliedChange) throws(StoreError) -> Void
    ) throws(StoreError) -> Int? {
        guard operations.count - start >= Self.fewestTogether, operations.kind(start) == .insert
        else { return nil }
        let entity = operations.asked(start).entity
        // Asked first, for each object by itself would look for the end of all anew.
        if constrained[entity] { return nil }
        let end = operations.endOfNew(from: start)
        guard end - start >= Self.fewestTogether else { return nil }
        var rows = statements.rows(entity)
        var next = start
        while next < end {
            var some: [ObjectChange] = []
            for index in next..<min(next + rows.most, end) { some.append(try operations[index]) }
            next += some.count
            do throws(StoreError) {
                for change in some { append(change, to: &rows) }
                try rows.write(to: connection)
            } catch .constraint {
                // Not the model's; to be said of the one that breaks it.
                rows.keep(0)
                for change in some { try done(try insert(change, concrete, places)) }
                continue
            }
            for change in some {
                let after = Snapshot(
                    entity: entity, key: change.key, version: 1,
                    values: stored(change.values, entity))
                try done(AppliedChange(change: change, after: after))
            }
        }
        return end - start
    }

    /// By entity, whether rows depend on others: by a uniqueness constraint, or by a column that holds another
    /// object's entity.
    static func constrained(_ schema: SQLSchema) -> [Bool] {
        schema.model.entities.map { entity in
            schema.model.family(of: schema.model.entities[entity.root])
                .contains { !$0.uniquenessConstraints.isEmpty }
                || schema.mappings[entity.index].entityColumns.contains { $0 >= 0 }
        }
    }

    private func append(_ change: ObjectChange, to rows: inout RowBuffer) {
        let columns = schema.mappings[change.entity].slotColumns
        rows.append(.int(change.key))
        for (slot, value) in schema.columnValues(change).enumerated() where columns[slot] >= 0 {
            rows.append(value)
        }
    }
}
