import SteleModel
import StelePersistence
import SteleSQL

/// Parts of the statements between the store's tables and those of other programs. Their aliases
/// are `t` for a row of the other program or of a stage, `z` for one of the store's table, `m` for
/// one of the table of keys, and `r1`, `r2`, … for those of the destinations.

extension TableLinks {
    /// Returns the condition that the columns of two lists are equal.
    static func equal(_ left: [String], _ right: [String]) -> String {
        zip(left, right).map { "\($0) = \($1)" }.joined(separator: " AND ")
    }

    /// How the server joins the keys of some rows with whole tables, for the rest of the transaction:
    /// it has no statistics of the keys, and would read all of a table for one of them.
    static func planning(_ count: Int) -> String {
        let isOn = count > 2_000 ? "on" : "off"
        return "SET LOCAL enable_hashjoin = \(isOn); SET LOCAL enable_mergejoin = \(isOn); "
            + "SET LOCAL jit = off"
    }

    /// The columns of another program's table, and the store's values of them: of a row `t`.
    /// - Parameter column: returns the SQL of a column of the row.
    /// - Returns: the joins with the keys of destinations, and the columns of the store's table,
    ///   those without a source of `z`.
    func reading(
        _ table: Table, _ column: (CatalogColumn) -> String
    ) -> (joins: String, columns: [String]) {
        var values: [String: String] = [:]
        for it in table.columns { values[it.stored] = it.form.read(column(it.source)) }
        var joins = ""
        for (place, it) in table.references.enumerated() {
            joins += incoming(it.key, "r\(place)", column)
            values[it.stored] = "r\(place).z_pk"
        }
        return (joins, table.storedColumns.map { values[$0] ?? "z.\($0)" })
    }

    /// Returns the objects that rows have. Columns without a source have the store's values.
    /// - Parameters:
    ///   - place: the table of the rows `t`.
    ///   - key: the SQL of their keys.
    ///   - column: returns the SQL of a column.
    func objects(
        of table: Table, in place: String, key: [String], where condition: String,
        _ bindings: [Value], _ schema: SQLSchema, _ connection: Connection,
        column: (CatalogColumn) -> String
    ) throws(StoreError) -> [Snapshot] {
        guard let shape = schema.shapes[table.entity.index] else { return [] }
        let (joins, columns) = reading(table, column)
        let values = columns.map { ", \($0)" }.joined()
        let equal = Self.equal(table.keyNames.map { "m.\($0)" }, key)
        return try connection.snapshots(
            SQLText(
                "SELECT m.z_pk, \(table.number)::bigint, 0::bigint\(values) FROM \(place) t "
                    + "JOIN \(table.rows) m ON \(equal)\(joins) "
                    + "LEFT JOIN \(table.stored) z ON z.Z_PK = m.z_pk "
                    + "WHERE \(condition) ORDER BY 1"), bindings, shape)
    }

    /// Returns the join by which a row's foreign key has the destination's key as `alias.z_pk`.
    func incoming(
        _ key: ForeignKey, _ alias: String, _ column: (CatalogColumn) -> String
    ) -> String {
        let table = tables[key.destination]
        let own = key.columns.map(column)
        if let names = names(of: key) {
            return " LEFT JOIN \(table.rows) \(alias) ON "
                + Self.equal(names.map { "\(alias).\($0)" }, own)
        }
        let between = "\(alias)b"
        return " LEFT JOIN \(table.source.name.quoted) \(between) ON "
            + Self.equal(key.referenced.map { "\(between).\($0.quotedName)" }, own)
            + " LEFT JOIN \(table.rows) \(alias) ON "
            + Self.equal(
                table.keyNames.map { "\(alias).\($0)" },
                table.key.map { "\(between).\($0.name.quotedName)" })
    }

    /// Returns the join by which the key of a destination has the columns of the foreign key, and
    /// these.
    func outgoing(
        _ key: ForeignKey, _ alias: String, of stored: String
    ) -> (join: String, values: [String]) {
        let table = tables[key.destination]
        let join = " LEFT JOIN \(table.rows) \(alias) ON \(alias).z_pk = \(stored)"
        if let names = names(of: key) { return (join, names.map { "\(alias).\($0)" }) }
        let between = "\(alias)b"
        let row =
            " LEFT JOIN \(table.source.name.quoted) \(between) ON "
            + Self.equal(
                table.key.map { "\(between).\($0.name.quotedName)" },
                table.keyNames.map { "\(alias).\($0)" })
        return (join + row, key.referenced.map { "\(between).\($0.quotedName)" })
    }

    /// The columns of the table of keys that a foreign key refers to; nil where it refers to other
    /// columns than those of the key.
    private func names(of key: ForeignKey) -> [String]? {
        let table = tables[key.destination]
        var names: [String] = []
        for referenced in key.referenced {
            guard let place = table.source.key.firstIndex(of: referenced) else { return nil }
            names.append(table.keyNames[place])
        }
        return names.count == table.key.count ? names : nil
    }
}

extension TableLinks.Table {
    /// The key's columns of a row of the other program.
    func keys(of alias: String) -> [String] {
        key.map { "\(alias).\($0.name.quotedName)" }
    }

    /// The slots that the table has.
    var slots: [Int] { columns.map(\.slot) + references.map(\.relationship.slot) }

    /// All columns that the store has, each once.
    var sources: [CatalogColumn] {
        var known = Set<String>()
        return (columns.map(\.source) + references.flatMap(\.key.columns)).filter {
            known.insert($0.name).inserted
        }
    }
}
