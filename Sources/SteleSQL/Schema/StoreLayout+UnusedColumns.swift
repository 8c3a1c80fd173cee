import SteleModel
import StelePersistence

/// A column of a store that no property of a model has: another version or another program has left
/// it.
package struct UnusedColumn: Sendable {
    package let table: String
    package let name: String
    /// The name of the table's root entity.
    let entity: String

    /// The Z_PK of a row that has a value in the column; nil for none.
    /// - Throws: errors of SQLite.
    package func filledRow(_ connection: any SQLConnection) throws(StoreError) -> Int64? {
        try connection.integer(
            SQLText(
                "SELECT Z_PK FROM \(sqlName(table)) WHERE \(sqlName(name)) IS NOT NULL LIMIT 1"))
    }

    /// The property of another model, as `Entity.name`, that has a column of that name in the table
    /// of the same entity; nil for none.
    package func property(in model: Model) -> String? {
        for other in SQLSchema(model: model).storedTables {
            let root = model.entities[other.root]
            guard other.name == table || root.declaration.renamingIdentifier == entity,
                let column = other.columns.first(where: { $0.name == name })
            else { continue }
            return column.role.property(in: model)
        }
        return nil
    }
}

extension StoreLayout {
    /// Returns the columns of the file that a schema, which fits it, does not use.
    package func unusedColumns(of schema: SQLSchema) -> [UnusedColumn] {
        schema.storedTables.flatMap { table in
            let used = Set(table.columns.map(\.name)).union(Self.fixed)
            let entity = schema.model.entities[table.root].name
            return (tables[table.name] ?? []).filter { !used.contains($0) }
                .map { UnusedColumn(table: table.name, name: $0, entity: entity) }
        }
    }
}
