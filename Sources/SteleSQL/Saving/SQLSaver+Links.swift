import SteleModel
import StelePersistence

/// Writing the links of to-many relationships: rows of join tables, owners' keys, and order keys.
extension SQLSaver {
    /// Writes the links of all changed to-many relationships: first removed ones, then added ones,
    /// then order keys.
    func link(_ operations: SaveOperations) throws(StoreError) {
        let linking = operations.linking
        for index in linking {
            try eachLink(of: index, operations, remove(_:owner:))
        }
        for index in linking where operations.kind(index) != .delete {
            try eachLink(of: index, operations, add(_:owner:))
        }
        // Order keys are last, because the change of the other side may insert the row.
        for index in linking where operations.kind(index) != .delete {
            try eachLink(of: index, operations, order(_:owner:))
        }
    }

    private func eachLink(
        of index: Int, _ operations: SaveOperations,
        _ write: (ToManyChange, _ owner: Int64) throws(StoreError) -> Void
    ) throws(StoreError) {
        let change = try operations[index]
        try naming(change.entity, operations.asked(index).key) { () throws(StoreError) -> Void in
            for it in change.toManys { try write(it, change.key) }
        }
    }

    private func remove(_ change: ToManyChange, owner: Int64) throws(StoreError) {
        guard !change.removed.isEmpty else { return }
        switch schema.toManys[change.relationship] {
        case .join(let table) where table.isOwningSide:
            let condition = "\(table.memberColumn) \(inList) AND \(table.ownerColumn) = ?2"
            let values: [Value] = [.string(KeyList.json(change.removed)), .int(owner)]
            let areAll = try connection.write(
                statements.text("DELETE FROM \(table.name) WHERE \(condition)"), values,
                changing: RowBuffer.count(change.removed.count, connection))
            // Those of a member that the save deletes are deleted with it.
            if !areAll { try checkNone(in: table.name, where: condition, values) }
        case .column(let table, let column, let order, let isInverse):
            // The owner's key in the member's row is written with the member's own change. The
            // order key of a member that already has another owner belongs to that owner.
            let columns = [isInverse ? nil : column, order].compactMap { $0 }
            guard !columns.isEmpty else { return }
            let parts = columns.map { "\($0) = NULL" }
            var values: [Value] = [.string(KeyList.json(change.removed))]
            if !isInverse { values.append(.int(owner)) }
            let owned = isInverse ? "\(column) IS NULL" : "\(column) = ?2"
            let condition = "Z_PK \(inList) AND \(owned)"
            let areAll = try connection.write(
                statements.text(
                    "UPDATE \(table) SET \(parts.joined(separator: ", ")) WHERE \(condition)"),
                values, changing: RowBuffer.count(change.removed.count, connection))
            if areAll { return }
            let left = columns.map { "\($0) IS NOT NULL" }.joined(separator: " OR ")
            try checkNone(in: table, where: "\(condition) AND (\(left))", values)
        case .join, nil: break
        }
    }

    private func add(_ change: ToManyChange, owner: Int64) throws(StoreError) {
        guard !change.added.isEmpty else { return }
        switch schema.toManys[change.relationship] {
        case .join(let table) where table.isOwningSide:
            let values: [Value] = [.string(KeyList.json(change.added)), .int(owner)]
            let areAll = try connection.write(
                statements.text(
                    "\(schema.dialect.insertMissing) \(table.name) "
                        + "(\(table.ownerColumn), \(table.memberColumn)) "
                        + "SELECT ?2, value FROM \(schema.dialect.keys("?1"))"
                        + schema.dialect.insertMissingEnd), values,
                changing: RowBuffer.count(change.added.count, connection))
            if !areAll { try checkLinks(in: table, values) }
        case .column(let table, let column, _, isInverse: false):
            let values: [Value] = [.string(KeyList.json(change.added)), .int(owner)]
            let areAll = try connection.write(
                statements.text("UPDATE \(table) SET \(column) = ?2 WHERE Z_PK \(inList)"), values,
                changing: RowBuffer.count(change.added.count, connection))
            if areAll { return }
            try checkNone(in: table, where: "Z_PK \(inList) AND \(column) IS NOT ?2", values)
        case .join, .column, nil: break
        }
    }

    /// Checks that all of an owner's links are there, of which fewer were inserted. Others may have
    /// been there before.
    private func checkLinks(in table: JoinTable, _ values: [Value]) throws(StoreError) {
        let sql = statements.text(
            "SELECT 1 FROM \(schema.dialect.keys("?1")) k WHERE NOT EXISTS "
                + "(SELECT 1 FROM \(table.name) WHERE \(table.ownerColumn) = ?2 "
                + "AND \(table.memberColumn) = k.value) LIMIT 1")
        if try connection.integer(sql, values) != nil {
            throw try connection.leftOut(of: table.name)
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
            let values: [Value] = [.int(key), .int(member), .int(owner)]
            let isWritten = try connection.write(
                statements.text(statement.writing), values,
                changing: RowBuffer.count(1, connection))
            if !isWritten { try checkNone(in: statement.table, where: statement.unwritten, values) }
        }
    }

    private func orderKeys(
        _ statement: OrderStatements, owner: Int64
    ) throws(StoreError) -> [(member: Int64, key: Int64?)] {
        let rows = try connection.rows(
            statements.text(statement.reading), [.int(owner)], [.integer, .integer])
        return rows.compactMap { row in
            guard case .int(let member) = row[0], member > 0 else { return nil }
            if case .int(let key) = row[1] { return (member, key) }
            return (member, nil)
        }
    }
}

/// The statements that read and write the order keys of an ordered relationship.
private struct OrderStatements {
    let table: String
    let reading: String
    let writing: String
    /// The condition on a row that `writing` has not written.
    let unwritten: String

    /// Nil where the relationship is not ordered.
    init?(_ storage: ToManyStorage) {
        let links = storage.links
        guard let order = links.order else { return nil }
        reading =
            "SELECT \(links.member), \(order) FROM \(links.table) "
            + "WHERE \(links.owner) = ?1 ORDER BY \(order), \(links.member)"
        table = links.table
        let link = "\(links.member) = ?2 AND \(links.owner) = ?3"
        writing = "UPDATE \(links.table) SET \(order) = ?1 WHERE \(link)"
        unwritten = "\(link) AND \(order) IS NOT ?1"
    }
}
