import SteleModel
import StelePersistence

/// A column or a join table of a store that no property of a model has: another version or another
/// program has left it.
package struct UnusedPart: Sendable {
    package let table: String
    /// The name of the column; nil for a join table.
    package let column: String?
    /// The name of the table's root entity; nil for a join table, and for its columns.
    let entity: String?

    /// What the store has that the model does not, as a sentence.
    var difference: String {
        guard let column else { return "it has a table \(table) that no relationship has" }
        return "its table \(table) has a column \(column) that no property has"
    }

    /// Its name with what it has.
    package var contents: String {
        guard let column else { return "the links of the table \(table)" }
        return "the values of the column \(table).\(column)"
    }

    /// Returns a row that has something in it, as `Z_PK 1`; empty for a row of a join table, and nil
    /// for none.
    /// - Throws: errors of SQLite.
    package func filledRow(_ connection: any SQLConnection) throws(StoreError) -> String? {
        let condition = column.map { " WHERE \(sqlName($0)) IS NOT NULL" } ?? ""
        let row = try connection.integer(
            SQLText(
                "SELECT \(entity == nil ? "1" : "Z_PK") FROM \(sqlName(table))\(condition) LIMIT 1")
        )
        return row.map { entity == nil ? "" : "Z_PK \($0)" }
    }

    /// Returns the property of another model, as `Entity.name`, that has a column of that name in the
    /// table of the same entity, or that join table; nil for none.
    /// - Parameter layout: the layout of the store, which has the numbers in names.
    package func property(in model: Model, _ layout: StoreLayout) -> String? {
        let schema = SQLSchema(model: model, layout: layout) { _ in }
        guard let entity else { return relationship(in: schema) }
        for other in schema.storedTables {
            let root = model.entities[other.root]
            guard other.name == table || root.declaration.renamingIdentifier == entity,
                let found = other.columns.first(where: { $0.name == column })
            else { continue }
            return found.role.property(in: model)
        }
        return nil
    }

    private func relationship(in schema: SQLSchema) -> String? {
        let found = schema.model.relationships.first { it in
            guard case .join(let join)? = schema.toManys[it.index], join.name == table else {
                return false
            }
            return column == nil ? join.isOwningSide : join.orderColumn == column
        }
        return found.map { "\(schema.model.entities[$0.owner].name).\($0.name)" }
    }
}

extension StoreLayout {
    /// Returns the columns and join tables of the file that a schema, which fits it, does not use.
    package func unusedParts(of schema: SQLSchema) -> [UnusedPart] {
        func columns(of table: String, besides used: [String], _ entity: String?) -> [UnusedPart] {
            let used = Set(used)
            return (tables[table] ?? []).filter { !used.contains($0) }
                .map { UnusedPart(table: table, column: $0, entity: entity) }
        }
        let (stored, joins) = (schema.storedTables, schema.joinTables)
        let ofEntities = stored.flatMap { table -> [UnusedPart] in
            let entity = schema.model.entities[table.root].name
            return columns(of: table.name, besides: Self.fixed + table.columns.map(\.name), entity)
        }
        let ofJoins = joins.flatMap { join -> [UnusedPart] in
            let orders = [join.orderColumn, join.inverseOrderColumn].compactMap { $0 }
            return columns(
                of: join.name, besides: [join.ownerColumn, join.memberColumn] + orders, nil)
        }
        let known = Set(stored.map(\.name) + joins.map(\.name))
        let others = tables.keys.sorted().filter { Self.isJoinTable($0) && !known.contains($0) }
        return ofEntities + ofJoins
            + others.map { UnusedPart(table: $0, column: nil, entity: nil) }
    }

    /// Whether a name is one of a join table: `Z_2TAGS`.
    static func isJoinTable(_ name: String) -> Bool {
        name.hasPrefix("Z_") && name.dropFirst(2).first.map { ("0"..."9").contains($0) } ?? false
    }
}
