import SteleModel
import StelePersistence

/// The columns of a store with contents that Core Data does not write: values of another type,
/// infinite numbers, text that is not UTF-8, and keys of rows that are not there. Only other programs
/// leave them. `Z_PK` is among them where rows have keys below 1, which no object has: such rows are
/// left out.
///
/// A statement reads such a column by an expression that gives each content its value, and all other
/// columns as they are. So it costs nothing where there are none.
package struct ForeignValues: Sendable, Hashable {
    /// The names of the columns, by table.
    package var columns: [String: Set<String>]

    package init(_ columns: [String: Set<String>] = [:]) { self.columns = columns }

    package var isEmpty: Bool { columns.isEmpty }
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
        for links in linkTables() where foreign.columns[links.table] != nil {
            let rows = links.ends.map {
                "EXISTS (\(row(of: $0.entity, withKey: "t.\($0.column)")))"
            }
            sources[links.table] =
                "(SELECT t.* FROM \(links.table) t WHERE \(rows.joined(separator: " AND ")))"
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
                ? "\(Self.version(in: "t.Z_OPT")) AS Z_OPT" : "t.Z_OPT AS Z_OPT")
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
        let condition = names.contains("Z_PK") ? " WHERE t.Z_PK > 0" : ""
        return "(SELECT \(columns.joined(separator: ", ")) FROM \(table.name) t\(condition))"
    }

    /// Returns the join tables, each with its two columns and the entities whose keys they have.
    func linkTables() -> [(table: String, ends: [(column: String, entity: Int)])] {
        zip(model.relationships, toManys).compactMap { it, storage in
            guard case .join(let table)? = storage, table.isOwningSide, isStored(it.owner),
                isStored(it.destination)
            else { return nil }
            return (
                table.name, [(table.ownerColumn, it.owner), (table.memberColumn, it.destination)]
            )
        }
    }

    private func isStored(_ entity: Int) -> Bool {
        let root = model.entities[entity].root
        return model.storedEntities.contains { $0.root == root }
    }

    /// The entity whose keys a column has; nil for any other column.
    func end(of column: SQLTable.Column) -> Int? {
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

    func attribute(of column: SQLTable.Column) -> Attribute? {
        guard case .slot(let entity, let slot) = column.role,
            case .attribute(let it) = model.entities[entity].slots[slot], it.type != .undefined
        else { return nil }
        return it
    }

    /// Returns the SELECT of the key of an entity's row. A row whose Z_ENT is of no entity is one of
    /// the root.
    func row(of entity: Int, withKey key: String) -> String {
        let it = model.entities[entity]
        return "SELECT e.Z_PK FROM \(table(of: entity).name) e WHERE e.Z_PK = \(key) AND e.Z_PK > 0"
            + (it.parent == nil ? "" : " AND e.Z_ENT IN (\(numbers(of: entity)))")
    }

    /// Returns the condition that a row is of one of some entities of a table. A row whose Z_ENT is of no
    /// entity is one of the root.
    func isOne(of entities: [Entity]) -> String {
        func list(_ some: [Entity]) -> String {
            MigrationMap.list(some.map { number(of: $0.index) })
        }
        guard let root = entities.first(where: { $0.parent == nil }) else {
            return "Z_ENT IN " + list(entities)
        }
        let ones = Set(entities.map(\.index))
        let others = model.family(of: root).filter { !ones.contains($0.index) }
        return others.isEmpty ? "TRUE" : "(Z_ENT IN \(list(others))) IS NOT TRUE"
    }

    /// Returns the condition that a row is an object of one of some entities of a table. A row with a
    /// key below 1 is none.
    func isObject(of entities: [Entity]) -> String {
        "\(dialect.plain("Z_PK")) > 0 AND \(isOne(of: entities))"
    }

    func numbers(of entity: Int) -> String {
        familyNumbers(of: entity).map(String.init).joined(separator: ", ")
    }

    /// The Z_ENT of an entity and its subentities.
    func familyNumbers(of entity: Int) -> [Int] {
        model.entities[entity].subtree.map(number(of:))
    }
}
