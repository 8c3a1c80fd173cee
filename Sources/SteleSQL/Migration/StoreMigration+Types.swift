import StelePersistence

/// Columns that get another type and keep their place. A new column, and the removal of the old one,
/// would write all rows twice.
extension StoreMigration {
    /// Gives the columns of an altered table their new types and values.
    func changeTypes(of table: TableMigration) throws(StoreError) {
        guard let old = table.old, !table.changed.isEmpty else { return }
        if work.connection.dialect.altersTypes {
            for it in table.changed {
                try work.create(
                    "ALTER TABLE \(old.name) ALTER COLUMN \(it.name) TYPE \(it.type) "
                        + "USING \(it.numbers.value)")
            }
            work.note(old.name)
            return
        }
        var written: [(name: String, numbers: NumericColumn, writes: String)] = []
        for it in table.changed {
            if it.type != it.before, try !declare(it, in: old.name) {
                try replace(it, in: old.name)
                continue
            }
            if let writes = it.numbers.writes { written.append((it.name, it.numbers, writes)) }
        }
        if written.isEmpty { return }
        let values = written.map { "\($0.name) = \($0.numbers.value)" }.joined(separator: ", ")
        try work.run(
            forRowsOf: old.name,
            "UPDATE \(old.name) SET \(values) WHERE Z_PK BETWEEN ?1 AND ?2 "
                + "AND (\(written.map(\.writes).joined(separator: " OR ")))")
    }

    /// Gives a column of SQLite another type in the statement that made its table. SQLite stores the
    /// same number alike in columns of all numeric types, so no row is written.
    /// - Returns: false where the statement does not have the column as Stele declares it.
    private func declare(
        _ column: TableMigration.ChangedColumn, in table: String
    ) throws(StoreError) -> Bool {
        let connection = work.connection
        let found = try connection.rows(
            SQLText("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?1"),
            [.string(table)], [.text]
        ).first?.first
        guard case .string(let statement)? = found,
            let version = try connection.integer(SQLText("PRAGMA schema_version"))
        else { return false }
        let places = [column.name, "\"\(column.name)\""].flatMap { name in
            // SQLite writes a blank behind the last column when it adds one.
            [",", " ,", " )", ")"].flatMap { end in
                statement.ranges(of: " \(name) \(column.before)\(end)").map {
                    ($0, " \(name) \(column.type)\(end)")
                }
            }
        }
        guard places.count == 1 else { return false }
        var changed = statement
        changed.replaceSubrange(places[0].0, with: places[0].1)
        try work.run("PRAGMA writable_schema = ON")
        do throws(StoreError) {
            try connection.execute(
                SQLText("UPDATE sqlite_master SET sql = ?2 WHERE type = 'table' AND name = ?1"),
                [.string(table), .string(changed)])
            // Other connections read the schema again.
            try work.run("PRAGMA schema_version = \(version + 1)")
        } catch {
            try? work.run("PRAGMA writable_schema = RESET")
            throw error
        }
        try work.run("PRAGMA writable_schema = RESET")
        // What SQL makes of a number depends on the column's type.
        if try connection.integer(SQLText(Self.expressions), [.string(table)]) ?? 0 > 0 {
            try work.run("REINDEX \(table)")
        }
        if try connection.integer(SQLText(Self.stored), [.string(table)]) ?? 0 > 0 {
            try work.run("UPDATE \(table) SET \(column.name) = \(column.name)")
        }
        return true
    }

    /// The number of a table's indexes over expressions, some of the rows or what may be a generated
    /// column.
    private static let expressions = """
        SELECT COUNT(*) FROM pragma_index_list(?1) l WHERE l.partial \
        OR EXISTS (SELECT 1 FROM pragma_index_xinfo(l.name) x WHERE x.cid = -2) \
        OR EXISTS (SELECT 1 FROM pragma_table_xinfo(?1) c WHERE c.hidden IN (2, 3))
        """

    /// The number of a table's generated columns whose values are stored.
    private static let stored = "SELECT COUNT(*) FROM pragma_table_xinfo(?1) WHERE hidden = 3"

    /// Puts another column in the place of one.
    private func replace(
        _ column: TableMigration.ChangedColumn, in table: String
    ) throws(StoreError) {
        let new = "STELE_CHANGED"
        try work.create("ALTER TABLE \(table) ADD COLUMN \(new) \(column.type)")
        try work.run("UPDATE \(table) SET \(new) = \(column.numbers.value)")
        try work.run("ALTER TABLE \(table) DROP COLUMN \(column.name)")
        try work.run("ALTER TABLE \(table) RENAME COLUMN \(new) TO \(column.name)")
    }
}
