import SteleModel
import StelePersistence

/// The columns of a store with contents that Core Data does not write: values of another type,
/// infinite numbers, text that is not UTF-8, and keys of rows that are not there. Only other programs
/// leave them.
///
/// A statement reads such a column by an expression that gives each content its value, and all other
/// columns as they are. So it costs nothing where there are none.
package struct ForeignValues: Sendable, Hashable {
    /// The names of the columns, by table.
    package var columns: [String: Set<String>]

    package init(_ columns: [String: Set<String>] = [:]) { self.columns = columns }

    package var isEmpty: Bool { columns.isEmpty }
}

/// A table, and the conditions under which a row has foreign contents. The table has the alias `t`.
struct ForeignTests {
    let table: String
    /// The condition by column.
    let conditions: [(column: String, condition: String)]
}

extension SQLSchema {
    /// Returns what statements read in the place of a table with foreign values, by the table's name:
    /// a SELECT with the table's columns.
    func sources(reading foreign: ForeignValues) -> [String: String] {
        if foreign.isEmpty { return [:] }
        var sources: [String: String] = [:]
        for table in storedTables {
            guard let names = foreign.columns[table.name] else { continue }
            sources[table.name] = source(of: table, reading: names)
        }
        for tests in linkTests() where foreign.columns[tests.table] != nil {
            let rows = tests.conditions.map { "NOT (\($0.condition))" }
            sources[tests.table] =
                "(SELECT t.* FROM \(tests.table) t WHERE \(rows.joined(separator: " AND ")))"
        }
        return sources
    }

    /// Returns the names of the columns that have the stored keys of relationships, by the names of
    /// the table and the column. A search by the key of a row that is there finds the same by them,
    /// and uses their index.
    func storedKeys(reading foreign: ForeignValues) -> [String: String] {
        if foreign.isEmpty { return [:] }
        var keys: [String: String] = [:]
        for table in storedTables {
            guard let names = foreign.columns[table.name] else { continue }
            for column in table.columns where names.contains(column.name) && end(of: column) != nil
            {
                keys["\(table.name).\(column.name)"] = Self.storedKey(column.name)
            }
        }
        return keys
    }

    private static func storedKey(_ column: String) -> String { "STELE_" + column }

    private func source(of table: SQLTable, reading names: Set<String>) -> String {
        let root = number(of: table.root)
        var columns = ["t.Z_PK AS Z_PK"]
        columns.append(
            names.contains("Z_ENT")
                ? "CASE WHEN t.Z_ENT IN (\(numbers(of: table.root))) THEN t.Z_ENT ELSE \(root) END "
                    + "AS Z_ENT"
                : "t.Z_ENT AS Z_ENT")
        columns.append(
            names.contains("Z_OPT")
                ? "CAST(COALESCE(t.Z_OPT, 0) AS INTEGER) AS Z_OPT" : "t.Z_OPT AS Z_OPT")
        for column in table.columns {
            var value = "t.\(column.name)"
            if names.contains(column.name) {
                if let end = end(of: column) {
                    columns.append("\(value) AS \(Self.storedKey(column.name))")
                    value = "(\(row(of: end, withKey: value)))"
                } else if attribute(of: column) != nil {
                    value = "\(SQLFunctions.stored.name)(\(column.kind.rawValue), \(value))"
                }
            }
            columns.append("\(value) AS \(column.name)")
        }
        return "(SELECT \(columns.joined(separator: ", ")) FROM \(table.name) t)"
    }

    /// Returns the tests of all tables.
    func foreignTests() -> [ForeignTests] {
        storedTables.map { table in
            var conditions = [
                (
                    "Z_ENT",
                    "t.Z_ENT IS NULL OR t.Z_ENT NOT IN (\(numbers(of: table.root)))"
                ),
                ("Z_OPT", "typeof(t.Z_OPT) <> 'integer'"),
            ]
            for column in table.columns {
                let value = "t.\(column.name)"
                if let end = end(of: column) {
                    conditions.append(
                        (
                            column.name,
                            "\(value) IS NOT NULL AND NOT EXISTS (\(row(of: end, withKey: value)))"
                        ))
                } else if attribute(of: column) != nil {
                    conditions.append((column.name, column.kind.isForeign(value)))
                }
            }
            return ForeignTests(table: table.name, conditions: conditions)
        } + linkTests()
    }

    /// Returns the tests of join tables: a row links nothing where one of both ends is not there.
    private func linkTests() -> [ForeignTests] {
        zip(model.relationships, toManys).compactMap { it, storage in
            guard case .join(let table)? = storage, table.isOwningSide, isStored(it.owner),
                isStored(it.destination)
            else { return nil }
            return ForeignTests(
                table: table.name,
                conditions: [
                    (table.ownerColumn, it.owner), (table.memberColumn, it.destination),
                ].map { ($0, "NOT EXISTS (\(row(of: $1, withKey: "t.\($0)")))") })
        }
    }

    private func isStored(_ entity: Int) -> Bool {
        let root = model.entities[entity].root
        return model.storedEntities.contains { $0.root == root }
    }

    /// The entity whose keys a column has; nil for any other column.
    private func end(of column: SQLTable.Column) -> Int? {
        switch column.role {
        case .slot(let entity, let slot):
            guard case .relationship(let it) = model.entities[entity].slots[slot],
                isStored(it.destination)
            else { return nil }
            return it.destination
        case .owner(let relationship):
            let owner = model.relationships[relationship].owner
            return isStored(owner) ? owner : nil
        case .destinationEntity, .order: return nil
        }
    }

    private func attribute(of column: SQLTable.Column) -> Attribute? {
        guard case .slot(let entity, let slot) = column.role,
            case .attribute(let it) = model.entities[entity].slots[slot], it.type != .undefined
        else { return nil }
        return it
    }

    /// Returns the SELECT of the key of an entity's row. A row whose Z_ENT is of no entity is one of
    /// the root.
    private func row(of entity: Int, withKey key: String) -> String {
        let it = model.entities[entity]
        return "SELECT e.Z_PK FROM \(table(of: entity).name) e WHERE e.Z_PK = \(key)"
            + (it.parent == nil ? "" : " AND e.Z_ENT IN (\(numbers(of: entity)))")
    }

    private func numbers(of entity: Int) -> String {
        model.entities[entity].subtree.map { String(number(of: $0)) }.joined(separator: ", ")
    }
}

extension ColumnKind {
    /// Returns the condition that a column's content is not as values of this kind are written.
    fileprivate func isForeign(_ value: String) -> String {
        switch self {
        case .integer, .key: "typeof(\(value)) NOT IN ('null', 'integer')"
        // The bytes are not read.
        case .data, .external, .marked: "typeof(\(value)) NOT IN ('null', 'blob')"
        case .boolean, .double, .float, .date, .decimal, .text, .uuid:
            "\(SQLFunctions.isForeign.name)(\(rawValue), \(value))"
        }
    }
}

extension ForeignValues {
    /// The rows that are read at once: so few that a view of the store ends soon.
    private static let rowsAtOnce = 2_000
    /// The most conditions in one statement.
    private static let conditionsAtOnce = 200

    /// Reads all rows, some at a time and each time in a view of its own.
    /// - Parameter goesOn: asked after some rows.
    /// - Returns: what was found; nil where it was to end.
    /// - Throws: the errors of a statement.
    package static func find(
        in schema: SQLSchema, _ connection: any SQLConnection, while goesOn: () -> Bool
    ) throws(StoreError) -> ForeignValues? {
        var found = ForeignValues()
        for tests in schema.foreignTests() {
            var last: Int64 = .min
            var isOver = false
            let next = SQLText(
                "SELECT rowid FROM \(tests.table) WHERE rowid > ?1 ORDER BY rowid "
                    + "LIMIT 1 OFFSET \(rowsAtOnce - 1)")
            while !isOver {
                guard goesOn() else { return nil }
                let end = try connection.integer(next, [.int(last)])
                let names = try columns(
                    tests, connection, besides: found.columns[tests.table] ?? [], after: last,
                    through: end ?? .max)
                if !names.isEmpty { found.columns[tests.table, default: []].formUnion(names) }
                last = end ?? .max
                isOver = end == nil
            }
        }
        return found
    }

    private static func columns(
        _ tests: ForeignTests, _ connection: any SQLConnection, besides known: Set<String>,
        after first: Int64, through last: Int64
    ) throws(StoreError) -> [String] {
        let open = tests.conditions.filter { !known.contains($0.column) }
        var names: [String] = []
        for start in stride(from: 0, to: open.count, by: conditionsAtOnce) {
            let some = open[start..<min(start + conditionsAtOnce, open.count)]
            let list = some.map { "MAX(\($0.condition))" }.joined(separator: ", ")
            let sql = SQLText(
                "SELECT \(list) FROM \(tests.table) t WHERE t.rowid > ?1 AND t.rowid <= ?2")
            let row =
                try connection.rows(
                    sql, [.int(first), .int(last)], some.map { _ in .integer }
                ).first ?? []
            for (test, value) in zip(some, row) where (value.integer ?? 0) != 0 {
                names.append(test.column)
            }
        }
        return names
    }
}
