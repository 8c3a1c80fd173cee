// Changes that are alike, by one statement for all: a cascade, or a write of all that match.

import SteleModel
import StelePersistence

extension SQLSaver {
    /// From how many changes on one statement for all costs less than one for each.
    static let fewestTogether = 16
    /// The condition that a column holds one of the keys of a bound list (`KeyList`).
    static let inList = "IN (SELECT value FROM json_each(?1))"

    /// The changes at the start that one statement can make: deletions of one entity, or updates
    /// of one entity that give all the same values. Nil where they are few.
    ///
    /// Only for what is made from what is there: versions are not compared.
    func changesAlike(in changes: ArraySlice<ObjectChange>) -> ArraySlice<ObjectChange>? {
        guard changes.count >= Self.fewestTogether, let first = changes.first else { return nil }
        let alike: ArraySlice<ObjectChange>
        switch first.kind {
        case .insert: return nil
        case .delete:
            alike = changes.prefix { $0.kind == .delete && $0.entity == first.entity }
        case .update:
            guard !first.changedSlots.isEmpty, !isUnique(anyOf: first.changedSlots, first.entity)
            else { return nil }
            alike = changes.prefix { change in
                change.kind == .update && change.entity == first.entity
                    && change.changedSlots == first.changedSlots
                    && change.before.map { $0.version < .max } ?? false
                    && first.changedSlots.allSatisfy {
                        change.values[$0].isStored(as: first.values[$0])
                    }
            }
        }
        return alike.count >= Self.fewestTogether ? alike : nil
    }

    /// Whether a uniqueness constraint of the family is over one of the slots.
    private func isUnique(anyOf slots: [Int], _ entity: Int) -> Bool {
        let entity = schema.model.entities[entity]
        let family = schema.model.family(of: schema.model.entities[entity.root])
        let names = Set(family.flatMap(\.uniquenessConstraints).joined())
        return slots.contains { names.contains(entity.slots[$0].name) }
    }

    /// Makes changes that are alike.
    /// - Throws: `.moved` where a row is not there, which says that the request was not made from
    ///   what there is.
    func executeTogether(
        _ changes: ArraySlice<ObjectChange>, _ concrete: ConcreteEntities
    ) throws(StoreError) -> [AppliedChange] {
        guard let first = changes.first, let table = schema.table(of: first.entity) else { return [] }
        let keys = Value.string(KeyList.json(changes.map(\.key)))
        let rows: Int
        if first.kind == .delete {
            rows = try connection.execute(
                statements.text("DELETE FROM \(table.name) WHERE Z_PK \(Self.inList)"), [keys])
            try deleteLinks(ofEntity: first.entity, where: Self.inList, keys)
        } else {
            rows = try updateTogether(first, table, keys, concrete)
        }
        guard rows == changes.count else { throw .moved("rows that were read are gone") }
        return changes.map { change in
            guard change.kind == .update, var after = change.before else {
                return AppliedChange(change: change, after: nil)
            }
            after.version += 1
            after.values = stored(change.values, change.entity)
            return AppliedChange(change: change, after: after)
        }
    }

    private func updateTogether(
        _ change: ObjectChange, _ table: SQLTable, _ keys: Value, _ concrete: ConcreteEntities
    ) throws(StoreError) -> Int {
        let mapping = schema.mappings[change.entity]
        var assignments = ["Z_OPT = Z_OPT + 1"]
        var bindings = [keys]
        func assign(_ column: Int, _ value: Value) {
            bindings.append(value)
            assignments.append("\(table.columns[column].name) = ?\(bindings.count)")
        }
        for slot in change.changedSlots {
            let (column, entityColumn) = (mapping.slotColumns[slot], mapping.entityColumns[slot])
            if column >= 0 { assign(column, change.values[slot]) }
            guard entityColumn >= 0 else { continue }
            assign(
                entityColumn,
                try concrete.number(of: change.values[slot], slot: slot, in: change.entity))
        }
        return try connection.execute(
            statements.text(
                "UPDATE \(table.name) SET \(assignments.joined(separator: ", ")) "
                    + "WHERE Z_PK \(Self.inList)"), bindings)
    }
}
