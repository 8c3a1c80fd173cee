import StelePersistence
import SteleSQL

/// What tells the store that a program has opened from any other that its statements may reach
/// later: one whose schema has taken the name, one to which the search path or the URL leads now,
/// or one that was restored from a backup in its place.
struct StoreIdentity: Sendable {
    /// The schema of the tables.
    let schema: String
    /// NSStoreUUID.
    let identifier: String
    /// The number of migrations, and in the upper half the line of the commits
    /// (`CommitCounter.beginLine`).
    let migrations: Int64
    /// The OID of the commit counter's table, which no other table has. Each view and each
    /// transaction of a writer reads it with the row.
    let counter: Int64
    /// The OIDs of the store's tables, by the names that the server stores.
    let tables: [String: Int64]
    /// The statement with which a view of the store begins.
    let viewing: SQLText
    /// The statement that counts a commit.
    let raising: SQLText
    private let checking: String
    /// The statement that describes the columns, and what it has given.
    private let columns: (reading: String, form: String?)

    /// Reads the identity of the store in the connection's schema. Called under a lock of the store.
    init(
        _ identifier: String, of schema: SQLSchema, _ connection: Connection
    ) throws(StoreError) {
        self.identifier = identifier
        let names = schema.allTables
        let rows = try connection.queryOnce(
            "SELECT current_schema()::text, ZMIGRATIONS, tableoid::bigint "
                + "FROM \(CommitCounter.table) WHERE Z_PK = 1")
        guard rows.count == 1, let place = rows.text(0, 0) else { throw CommitCounter.empty }
        self.schema = place
        migrations = rows.integer(0, 1)
        counter = rows.integer(0, 2)
        let found = try connection.queryOnce(
            "SELECT relname::text, oid::bigint FROM pg_class WHERE relkind = 'r' "
                + "AND relname IN (\(names.literals)) "
                + "AND relnamespace = \(PostgreSQLWords.ownSchema)")
        var tables: [String: Int64] = [:]
        for row in 0..<found.count {
            if let name = found.text(row, 0) { tables[name] = found.integer(row, 1) }
        }
        self.tables = tables
        // A table that is renamed, moved or dropped, or changed for another one of its name, is not
        // found by both.
        let pairs = tables.map { "(\($1), \($0.quotedText))" }.sorted().joined(separator: ", ")
        let hasTables =
            "(SELECT COUNT(*) FROM pg_class WHERE (oid, relname) IN (\(pairs)) "
            + "AND relnamespace = \(PostgreSQLWords.ownSchema)) = \(tables.count)"
        viewing = CommitCounter.viewing(where: hasTables)
        raising = CommitCounter.raising(where: hasTables)
        checking =
            "SELECT ZMIGRATIONS, tableoid::bigint, (\(hasTables))::int::bigint, "
            + "(SELECT Z_UUID FROM Z_METADATA WHERE Z_VERSION = 1) "
            + "FROM \(CommitCounter.table) WHERE Z_PK = 1"
        let reading = Self.describing(schema, tables)
        columns = (reading, try connection.texts(reading).first)
    }

    /// Returns the statement that describes the columns of the store's tables by their names and the
    /// categories of their types: a number that is another type of number is read as it is.
    private static func describing(_ schema: SQLSchema, _ tables: [String: Int64]) -> String {
        let columns = schema.storedTables.compactMap { table -> String? in
            let names =
                ["z_pk", "z_ent", "z_opt"]
                + table.columns.map { PostgreSQLWords.stored($0.name) }.sorted()
            return tables[PostgreSQLWords.stored(table.name)].map {
                "a.attrelid = \($0) AND a.attname IN (\(names.literals))"
            }
        }
        let ids = tables.values.sorted().map(String.init).joined(separator: ", ")
        return
            "SELECT md5(string_agg(format('%s %s %s', a.attrelid::bigint, a.attname, t.typcategory), "
            + "',' ORDER BY a.attrelid, a.attname)) FROM pg_attribute a "
            + "JOIN pg_type t ON t.oid = a.atttypid WHERE a.attrelid IN (\(ids)) "
            + "AND (false\(columns.map { " OR \($0)" }.joined()))"
    }

    /// Checks what was read with the row of the commit counter.
    /// - Parameter hasTables: 1 where all tables have their names.
    /// - Throws: `.gone`.
    func check(
        migrations number: Int64, counter table: Int64, hasTables: Int64 = 1,
        _ connection: Connection
    ) throws(StoreError) {
        guard number == migrations else {
            if CommitCounter.line(of: number) != CommitCounter.line(of: migrations) {
                throw Self.takenBack(connection)
            }
            throw .gone(
                "another program has migrated the store in \(connection.place) to another version "
                    + "of its model: start this one again with that version")
        }
        guard table == counter, hasTables == 1 else { throw Self.madeAgain(connection) }
    }

    /// The error of a store whose tables are others.
    static func madeAgain(_ connection: Connection) -> StoreError {
        .gone(
            "the tables in \(connection.place) are not those of the store that was opened: they were "
                + "renamed, dropped or made again, as by the restore of a backup, or are another "
                + "store's. Put the store back, or start this program again, which serves what is "
                + "there now")
    }

    /// The error of a store that has fewer commits than it had.
    static func takenBack(_ connection: Connection) -> StoreError {
        .gone(
            "the store in \(connection.place) was taken back to an older state, as by the restore of "
                + "a backup or by a standby that lacks saves: start this program again, which serves "
                + "it with new tokens and ETags")
    }

    /// Checks that a connection leads to this store, and to all of its tables.
    /// - Throws: `.gone`; the errors of statements.
    func check(_ connection: Connection) throws(StoreError) {
        let rows = try connection.queryOnce(checking)
        guard rows.count == 1 else { throw CommitCounter.empty }
        try check(
            migrations: rows.integer(0, 0), counter: rows.integer(0, 1),
            hasTables: rows.integer(0, 2), connection)
        guard rows.text(0, 3) == identifier else { throw Self.madeAgain(connection) }
    }

    /// Checks that the tables have the columns that they had.
    /// - Throws: `.gone`; the errors of statements.
    func checkColumns(_ connection: Connection) throws(StoreError) {
        guard try connection.texts(columns.reading).first != columns.form else { return }
        // Tables that were dropped since they were checked have no columns.
        try check(connection)
        throw Self.hasOtherColumns(connection.place)
    }

    /// The error of a store whose columns are others.
    static func hasOtherColumns(_ place: String, because reason: String = "") -> StoreError {
        .gone(
            "the columns of the store's tables in \(place) are not those that it was opened with"
                + "\(reason): they were renamed or dropped, or have another type. Change them back, "
                + "and the store goes on")
    }

    /// Whether a connection leads to the table of this store's commits, also after a migration in
    /// place.
    func hasCounter(_ connection: Connection) throws(StoreError) -> Bool {
        let rows = try connection.queryOnce(
            "SELECT tableoid::bigint FROM \(CommitCounter.table) WHERE Z_PK = 1")
        return rows.count == 1 && rows.integer(0, 0) == counter
    }
}

extension StoreError {
    /// Whether it is `.gone`.
    var isOfGoneStore: Bool { if case .gone = self { true } else { false } }
}
