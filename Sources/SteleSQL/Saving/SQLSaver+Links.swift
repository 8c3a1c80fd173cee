import SteleModel
import StelePersistence

/// Writing the links of to-many relationships: rows of join tables, owners' keys, and order keys.
extension SQLSaver {
    /// Writes the links of all changed to-many relationships: first removed ones, then added ones,
    /// then order keys.
    func link(_ operations: SaveOperations) throws(StoreError) {
        let linking = operations.linking
        for index in linking {
            let change = try operations[index]
            for it in change.toManys { try remove(it, owner: change.key) }
        }
        for index in linking where operations.kind(index) != .delete {
            let change = try operations[index]
            for it in change.toManys { try add(it, owner: change.key) }
        }
        // Order keys are last, because the change of the other side may insert the row.
        for index in linking where operations.kind(index) != .delete {
            let change = try operations[index]
            for it in change.toManys { try order(it, owner: change.key) }
        }
    }

    private func remove(_ change: ToManyChange, owner: Int64) throws(StoreError) {
        guard !change.removed.isEmpty else { return }
        switch schema.toManys[change.relationship] {
        case .join(let table) where table.isOwningSide:
            try connection.write(
                statements.text(
                    "DELETE FROM \(table.name) WHERE \(table.memberColumn) \(inList) "
                        + "AND \(table.ownerColumn) = ?2"),
                [.string(KeyList.json(change.removed)), .int(owner)])
        case .column(let table, let column, let order, let isInverse):
            // The owner's key in the member's row is written with the member's own change. The
            // order key of a member that already has another owner belongs to that owner.
            let orderPart = order.map { "\($0) = NULL" }
            let ownerPart = isInverse ? nil : "\(column) = NULL"
            let parts = [ownerPart, orderPart].compactMap { $0 }
            guard !parts.isEmpty else { return }
            var values: [Value] = [.string(KeyList.json(change.removed))]
            if !isInverse { values.append(.int(owner)) }
            let condition = isInverse ? "\(column) IS NULL" : "\(column) = ?2"
            try connection.write(
                statements.text(
                    "UPDATE \(table) SET \(parts.joined(separator: ", ")) "
                        + "WHERE Z_PK \(inList) AND \(condition)"), values)
        case .join, nil: break
        }
    }

    private func add(_ change: ToManyChange, owner: Int64) throws(StoreError) {
        guard !change.added.isEmpty else { return }
        switch schema.toManys[change.relationship] {
        case .join(let table) where table.isOwningSide:
            try connection.write(
                statements.text(
                    "\(schema.dialect.insertMissing) \(table.name) "
                        + "(\(table.ownerColumn), \(table.memberColumn)) "
                        + "SELECT ?2, value FROM \(schema.dialect.keys("?1"))"
                        + schema.dialect.insertMissingEnd),
                [.string(KeyList.json(change.added)), .int(owner)])
        case .column(let table, let column, _, isInverse: false):
            try connection.write(
                statements.text("UPDATE \(table) SET \(column) = ?2 WHERE Z_PK \(inList)"),
                [.string(KeyList.json(change.added)), .int(owner)])
        case .join, .column, nil: break
        }
    }

    /// Writes the order keys that a change of order or members requires.
    private func order(_ change: ToManyChange, owner: Int64) throws(StoreError) {
        guard change.order != nil || !change.added.isEmpty,
            let storage = schema.toManys[change.relationship],
            let statement = OrderStatements(storage)
        else { return }
        let existing = try orderKeys(statement, owner: owner)
        let kept = existing.filter { $0.key != nil }.count
        let added = Set(change.added)
        let wanted =
            change.order ?? existing.map(\.member).filter { !added.contains($0) } + change.added
        // The present key of an added member may be from another owner.
        let keys = Dictionary(
            existing.compactMap { row in
                added.contains(row.member) ? nil : row.key.map { (row.member, $0) }
            }, uniquingKeysWith: { first, _ in first })
        guard kept > 0 || !wanted.isEmpty else { return }
        for (member, key) in OrderKeys.changes(from: keys, to: wanted) {
            try connection.write(
                statements.text(statement.writing), [.int(key), .int(member), .int(owner)])
        }
    }

    private func orderKeys(
        _ statement: OrderStatements, owner: Int64
    ) throws(StoreError) -> [(member: Int64, key: Int64?)] {
        let rows = try connection.rows(
            statements.text(statement.reading), [.int(owner)], [.integer, .integer])
        return rows.compactMap { row in
            guard case .int(let member) = row[0] else { return nil }
            if case .int(let key) = row[1] { return (member, key) }
            return (member, nil)
        }
    }
}

/// The statements that read and write the order keys of an ordered relationship.
private struct OrderStatements {
    let reading: String
    let writing: String

    /// Nil where the relationship is not ordered.
    init?(_ storage: ToManyStorage) {
        let links = storage.links
        guard let order = links.order else { return nil }
        reading =
            "SELECT \(links.member), \(order) FROM \(links.table) "
            + "WHERE \(links.owner) = ?1 ORDER BY \(order), \(links.member)"
        writing =
            "UPDATE \(links.table) SET \(order) = ?1 "
            + "WHERE \(links.member) = ?2 AND \(links.owner) = ?3"
    }
}
