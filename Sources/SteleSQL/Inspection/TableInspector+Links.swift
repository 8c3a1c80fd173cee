import SteleModel
import StelePersistence

/// The keys of relationships, in the columns of entities' tables and in join tables.
extension TableInspector {
    /// Adds what may be wrong with the keys in an entity's table.
    func addFaults(of table: SQLTable, to scan: inout RowScan) {
        guard let schema else { return }
        let model = schema.model
        for column in table.columns where layout.has(column.name, in: table.name) {
            let value = "t.\(name(column.name))"
            let property = column.role.property(in: model)
            switch column.role {
            case .slot(let entity, let slot):
                guard case .relationship(let it) = model.entities[entity].slots[slot],
                    !model.mayDangle(it)
                else { continue }
                addFaults(of: value, in: column.name, to: it.destination, property, &scan)
            case .destinationEntity(let entity, let slot):
                guard case .relationship(let it) = model.entities[entity].slots[slot],
                    let end = end(it.destination),
                    let key = schema.column(of: slot, in: entity),
                    layout.has(key, in: table.name)
                else { continue }
                scan.add(
                    fault: "EXISTS (SELECT 1 FROM \(end) e WHERE e.Z_PK = t.\(name(key)) "
                        + "AND e.Z_ENT\(connection.dialect.different)\(value))", in: column.name,
                    "it is not the Z_ENT of the row that \(key) refers to: \(property) leads to an "
                        + "object of another entity")
            case .owner(let relationship):
                let it = model.relationships[relationship]
                addFaults(of: value, in: column.name, to: it.owner, property, &scan)
            case .order(let relationship):
                guard case .column(table.name, let owner, _, _)? = schema.toManys[relationship],
                    layout.has(owner, in: table.name)
                else { continue }
                scan.add(
                    fault: "t.\(name(owner)) IS NOT NULL AND \(value) IS NULL", in: column.name,
                    "there is no order key: the place in \(property) is not kept")
            }
        }
    }

    /// Adds what may be wrong with a key.
    /// - Parameters:
    ///   - value: the key's column with its alias.
    ///   - entity: the index of the entity that it refers to.
    private func addFaults(
        of value: String, in column: String, to entity: Int, _ property: String,
        _ scan: inout RowScan
    ) {
        guard let schema, let end = end(entity) else { return }
        let model = schema.model
        scan.add(
            fault: "\(value) IS NOT NULL "
                + "AND NOT EXISTS (SELECT 1 FROM \(end) e WHERE e.Z_PK = \(value))", in: column,
            "the key is of no row of \(schema.table(of: entity).name): \(property) leads to "
                + "nothing",
            // A search in the keys of the whole table takes half the time of one for each row. It
            // is NULL where another program has made a table with a key that is NULL.
            look: .condition(
                "\(value) IS NOT NULL "
                    + "AND (\(value) NOT IN (SELECT e.Z_PK FROM \(end) e)) IS NOT FALSE"))
        let it = model.entities[entity]
        guard it.parent != nil else { return }
        let numbers = it.subtree.map { String(schema.number(of: $0)) }.joined(separator: ", ")
        scan.add(
            fault: "EXISTS (SELECT 1 FROM \(end) e WHERE e.Z_PK = \(value) "
                + "AND e.Z_ENT NOT IN (\(numbers)))", in: column,
            "the key is of an object that is no \(it.name): \(property) leads to an object of "
                + "another entity")
    }

    /// The table of an entity in a statement; nil where the file does not have it.
    private func end(_ entity: Int) -> String? {
        guard let name = schema?.table(of: entity).name, let columns = layout.tables[name],
            columns.contains("Z_PK"), columns.contains("Z_ENT")
        else { return nil }
        return self.name(name)
    }

    // MARK: Join tables

    /// Reads all join tables.
    mutating func readJoinTables() {
        guard let schema else { return }
        let stored = Set(schema.model.storedEntities.map(\.index))
        for (it, storage) in zip(schema.model.relationships, schema.toManys) {
            guard case .join(let table)? = storage, table.isOwningSide, stored.contains(it.owner)
            else { continue }
            var names = ["\(schema.model.entities[it.owner].name).\(it.name)"]
            if let inverse = schema.model.inverse(of: it), inverse !== it {
                names.append("\(schema.model.entities[inverse.owner].name).\(inverse.name)")
            }
            inspection.tables.append(.init(name: table.name, contents: names))
            attempt(table.name) { (inspector) throws(StoreError) in
                try inspector.read(table, of: it, names)
            }
        }
    }

    private mutating func read(
        _ table: JoinTable, of it: Relationship, _ names: [String]
    ) throws(StoreError) {
        guard layout.has(table.ownerColumn, in: table.name),
            layout.has(table.memberColumn, in: table.name)
        else { return }
        let (owner, member) = (
            "t.\(name(table.ownerColumn))", "t.\(name(table.memberColumn))"
        )
        var scan = RowScan(table.name, key: [table.ownerColumn, table.memberColumn])
        scan.add(total: "COUNT(*)")
        for (value, column) in [(owner, table.ownerColumn), (member, table.memberColumn)] {
            scan.add(
                fault: "\(value) IS NULL", in: column, "there is no key: the row links nothing")
        }
        addFaults(of: owner, in: table.ownerColumn, to: it.owner, names[0], &scan)
        addFaults(of: member, in: table.memberColumn, to: it.destination, names[0], &scan)
        for (column, property) in zip([table.orderColumn, table.inverseOrderColumn], names) {
            guard let column, layout.has(column, in: table.name) else { continue }
            scan.add(
                fault: "t.\(name(column)) IS NULL", in: column,
                "there is no order key: the place in \(property) is not kept")
        }
        if table.isReflexive {
            scan.add(
                fault: "NOT EXISTS (SELECT 1 FROM \(name(table.name)) r "
                    + "WHERE r.\(name(table.ownerColumn)) = \(member) "
                    + "AND r.\(name(table.memberColumn)) = \(owner))", in: table.memberColumn,
                "there is no row with the two keys exchanged: \(names[0]) is its own inverse, and "
                    + "only one of both objects has the other")
        }
        let (totals, differences) = try scan.run(connection)
        inspection.tables[inspection.tables.count - 1].rows = totals[0]
        inspection.differences += differences
    }

    // MARK: Uniqueness

    /// Finds constraints without a unique index, and values that are not unique. A database does
    /// not allow them where the index is there.
    mutating func checkUniqueness() {
        guard let schema else { return }
        for entity in schema.model.storedEntities {
            let table = schema.table(of: entity.index).name
            for names in entity.declaration.uniquenessConstraints {
                let columns = schema.columns(of: names, in: entity)
                guard columns.count == names.count,
                    columns.allSatisfy({ layout.has($0, in: table) })
                else { continue }
                attempt(table) { (inspector) throws(StoreError) in
                    try inspector.checkUniqueness(
                        of: columns, in: table,
                        "\(entity.name).\(names.joined(separator: ", "))")
                }
            }
        }
    }

    private mutating func checkUniqueness(
        of columns: [String], in table: String, _ names: String
    ) throws(StoreError) {
        var indexes: [String: Set<String>] = [:]
        let unique = SQLText(connection.dialect.uniqueColumns)
        for row in try connection.rows(unique, [.string(table)], [.text, .text]) {
            guard let index = row[0].text, let column = row[1].text else { continue }
            indexes[index, default: []].insert(column)
        }
        if indexes.values.contains(Set(columns)) { return }
        let list = columns.joined(separator: ", ")
        inspection.differences.append(
            "\(table): there is no unique index on \(list) for the constraint of \(names): other "
                + "programs may store values twice")
        let values = columns.map { "t.\(name($0))" }
        let filled = values.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        let sql = SQLText(
            "SELECT COUNT(*), MIN(k) FROM (SELECT MIN(t.Z_PK) k FROM \(name(table)) t "
                + "WHERE \(filled) GROUP BY \(values.joined(separator: ", ")) "
                + "HAVING COUNT(*) > 1) AS v")
        let row = try connection.rows(sql, [], [.integer, .integer]).first ?? []
        guard row.count == 2, let count = row[0].integer, count > 0, let first = row[1].integer
        else { return }
        inspection.differences.append(
            "\(table).\(list): \(count) \(count == 1 ? "value is" : "values are") there more than "
                + "once (first: Z_PK \(first)): \(names) must be unique")
    }

    // MARK: Other tables

    /// Adds all tables that are of no entity and no relationship.
    mutating func addOtherTables() {
        let known = Set(inspection.tables.map(\.name))
        for name in layout.tables.keys.sorted() where !known.contains(name) {
            inspection.tables.append(
                .init(name: name, contents: HistoryTables.names.contains(name) ? ["history"] : []))
        }
    }
}
