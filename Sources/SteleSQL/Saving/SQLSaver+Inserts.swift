import SteleModel
import StelePersistence

extension SQLSaver {
    /// Inserts the new objects of one entity from an index on with statements of many rows, where
    /// no constraint of the model can be violated.
    /// - Returns: their number; nil where they are few, or must be inserted one by one.
    func insertTogether(
        _ run: SaveRun, from start: Int, _ done: (AppliedChange) throws(StoreError) -> Void
    ) throws(StoreError) -> Int? {
        let operations = run.operations
        guard operations.count - start >= Self.fewestTogether, operations.kind(start) == .insert
        else { return nil }
        let entity = operations.asked(start).entity
        // Checked first, because finding the end of the run is repeated for each object otherwise.
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
                // It is not a constraint of the model. Inserting the rows one by one finds the
                // object for the error.
                rows.keep(0)
                for change in some { try done(try insert(change, run)) }
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

    /// For each entity, whether its rows depend on others: by a uniqueness constraint, or by a
    /// column with the concrete entity of a destination.
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
