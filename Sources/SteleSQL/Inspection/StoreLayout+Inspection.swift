import SteleModel
import StelePersistence

extension StoreLayout {
    /// Whether the file has a table.
    package func has(table: String) -> Bool { tables[table] != nil }

    /// The names of the entities in Z_PRIMARYKEY, without those of the framework.
    package var entityNames: Set<String> {
        Set(numbers.filter { $0.value < HistoryTables.change }.keys)
    }

    /// Fits a model to the tables, and adds what does not agree.
    /// - Returns: the schema; nil without a model.
    package func schema(of model: Model?, _ found: inout StoreInspection) -> SQLSchema? {
        guard let model else { return nil }
        var lacks: [String] = []
        let schema = SQLSchema(model: model, layout: self) { lacks.append($0.sentence) }
        found.differences += lacks + differences(from: schema)
        return schema
    }

    private static let data = SQLText(
        "SELECT m.name, c.name FROM main.sqlite_master m, pragma_table_info(m.name) c "
            + "WHERE m.type = 'table' AND m.name NOT LIKE 'Z\\_%' ESCAPE '\\' "
            + "AND m.name NOT LIKE 'STELE\\_%' ESCAPE '\\' AND m.name NOT LIKE 'sqlite\\_%' "
            + "ESCAPE '\\' AND m.name NOT LIKE 'ACHANGE%' AND m.name NOT LIKE 'ATRANSACTION%' "
            + "AND upper(c.type) = 'BLOB' ORDER BY m.name, c.cid")

    /// The columns that have bytes, by table: each may have values that name external files. Core
    /// Data has them for Transformable attributes, too, and in tables of its own, such as those of
    /// CloudKit.
    package func dataColumns(
        _ connection: any SQLConnection
    ) throws(StoreError) -> [(table: String, columns: [String])] {
        var found: [(table: String, columns: [String])] = []
        for row in try connection.rows(Self.data, [], [.text, .text]) {
            guard let table = row[0].text, let column = row[1].text else { continue }
            if found.last?.table == table {
                found[found.count - 1].columns.append(column)
            } else {
                found.append((table, [column]))
            }
        }
        return found
    }
}
