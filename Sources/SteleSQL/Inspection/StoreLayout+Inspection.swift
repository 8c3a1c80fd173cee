import SteleModel
import StelePersistence

extension StoreLayout {
    /// Whether the file has a table.
    package func has(table: String) -> Bool { tables[table] != nil }

    /// The names of the entities in Z_PRIMARYKEY, without those of the history.
    package var entityNames: Set<String> {
        let histories = Set(HistoryTables.entities.map(\.number))
        return Set(numbers.filter { !histories.contains($0.value) }.keys)
    }

    /// The columns of a schema that may name external files and are in the file.
    package func externalColumns(of schema: SQLSchema) -> [(table: String, column: String)] {
        schema.externalColumns.filter { has($0.column, in: $0.table) }
            .sorted { ($0.table, $0.column) < ($1.table, $1.column) }
    }

    private static let data = SQLText(
        "SELECT m.name, c.name FROM main.sqlite_master m, pragma_table_info(m.name) c "
            + "WHERE m.type = 'table' AND m.name LIKE 'Z%' AND m.name NOT LIKE 'Z\\_%' ESCAPE '\\' "
            + "AND upper(c.type) = 'BLOB' ORDER BY m.name, c.cid")

    /// The columns of entities' tables that have bytes, for a store whose model is not known.
    package func dataColumns(
        _ connection: any SQLConnection
    ) throws(StoreError) -> [(table: String, column: String)] {
        try connection.rows(Self.data, [], [.text, .text]).compactMap { row in
            guard let table = row[0].text, let column = row[1].text else { return nil }
            return (table, column)
        }
    }
}
