import SteleModel
import StelePersistence

extension SQLSaver {
    /// Inserts the new objects of one entity from an index on with statements of many rows.
    /// - Returns: their number; nil where they are few.
    /// - Throws: `.constraint` as `insert`.
    func insertTogether(
        _ run: SaveRun, from start: Int, _ done: (AppliedChange) throws(StoreError) -> Void
    ) throws(StoreError) -> Int? {
        let operations = run.operations
        guard operations.count - start >= Self.fewestTogether, operations.kind(start) == .insert
        else { return nil }
        let end = operations.endOfNew(from: start)
        guard end - start >= Self.fewestTogether else { return nil }
        let entity = operations.asked(start).entity
        var rows = statements.rows(entity)
        var next = start
        while next < end {
            var some: [AppliedChange] = []
            some.reserveCapacity(min(rows.most, end - next))
            for index in next..<min(next + rows.most, end) {
                let change = try operations[index]
                try append(change, to: &rows, run.concrete)
                some.append(AppliedChange(inserted: change, stored(change.values, entity)))
            }
            next += some.count
            do throws(StoreError) {
                try rows.write(to: connection, isGuarded: run.mayMeetKeys(of: entity))
            } catch .constraint {
                // Inserting the rest one by one finds the object for the error.
                let first = some.count - rows.count
                rows.keep(0)
                for place in first..<some.count {
                    some[place] = try insert(some[place].change, run)
                }
            }
            for place in some.indices { try done(some[place]) }
        }
        return end - start
    }

    private func append(
        _ change: ObjectChange, to rows: inout RowBuffer, _ concrete: ConcreteEntities
    ) throws(StoreError) {
        let mapping = schema.mappings[change.entity]
        rows.append(.int(change.key))
        for (slot, value) in schema.columnValues(change).enumerated()
        where mapping.slotColumns[slot] >= 0 {
            rows.append(value)
        }
        guard schema.hasEntityColumns else { return }
        for (slot, value) in change.values.enumerated() where mapping.entityColumns[slot] >= 0 {
            rows.append(try concrete.number(of: value, slot: slot, in: change.entity))
        }
    }
}

extension AppliedChange {
    /// The insertion of a new object with the values that are stored.
    fileprivate init(inserted change: ObjectChange, _ values: [Value]) {
        self.change = change
        after = Snapshot(entity: change.entity, key: change.key, version: 1, values: values)
    }
}
