import SteleModel
import StelePersistence
import SteleSQL

/// Making what the store has besides its own tables, and filling them.
extension TableLinks {
    /// Makes the tables of keys and of news and the triggers, and copies all rows. Called in the
    /// transaction that makes the store. Other programs cannot write to the tables until its end.
    /// - Throws: `StoreError.incompatible` (134080) where the user lacks a right; the errors of
    ///   statements.
    func make(_ layout: SQLSchema, _ connection: Connection) throws(StoreError) {
        guard !isEmpty else { return }
        try checkRights(connection)
        try connection.run("SET LOCAL statement_timeout = 0")
        try lock(connection)
        // The copy compares keys of the tables' own types, as the writer does.
        try setPath(connection)
        let schema = try Self.ownSchema(connection)
        for table in tables {
            let keys = zip(table.keyNames, table.key).map { "\($0) \($1.type) NOT NULL" }
                .joined(separator: ", ")
            let names = table.keyNames.joined(separator: ", ")
            try connection.run(
                "CREATE TABLE \(table.rows) (z_pk BIGINT PRIMARY KEY, \(keys), UNIQUE (\(names)))")
            try connection.run(Self.news(table.news, keys))
            try Self.follow(
                table.source.name, schema, table.news, table.keyNames, table.key,
                all: "SELECT \(names) FROM \(schema.quotedName).\(table.rows)", connection)
        }
        for join in joins {
            let names = join.ownerNames + join.memberNames
            let columns = join.owner.columns + join.member.columns
            let keys = zip(names, columns).map { "\($0) \($1.type)" }.joined(separator: ", ")
            try connection.run(Self.news(join.news, keys))
            try Self.follow(
                join.source, schema, join.news, names, columns, all: nil, connection)
        }
        try connection.run("CREATE TABLE \(Self.followed) (z_pk BIGINT PRIMARY KEY, ztext TEXT)")
        try connection.execute(
            SQLText("INSERT INTO \(Self.followed) VALUES (1, ?1)"), [.string(description)])
        try copy(connection)
        try copyInverses(layout, connection)
    }

    private static func ownSchema(_ connection: Connection) throws(StoreError) -> String {
        let row = try connection.queryOnce("SELECT current_schema()::text")
        guard row.count == 1, case .string(let name) = row.value(0, 0, .text) else {
            throw misfit("\(connection.place) has no schema for the store")
        }
        return name
    }

    /// Each row has the transaction that wrote it, so that a save knows its own.
    private static func news(_ name: String, _ keys: String) -> String {
        "CREATE TABLE \(name) (\(keys), writer XID8 NOT NULL DEFAULT pg_current_xact_id())"
    }

    /// Makes the triggers that note which rows of a table were written.
    ///
    /// They only note the keys: a program that writes does not wait for the store. The functions
    /// have the rights of the store's user, and not those of that program's.
    /// - Parameter all: a SELECT of all keys that a TRUNCATE deletes; nil where the rows that refer
    ///   to them tell it.
    private static func follow(
        _ table: TableName, _ schema: String, _ news: String, _ names: [String],
        _ columns: [CatalogColumn], all: String?, _ connection: Connection
    ) throws(StoreError) {
        let place = "\(schema.quotedName).\(news)"
        let list = names.joined(separator: ", ")
        func values(_ row: String) -> String {
            columns.map { "\(row).\($0.name.quotedName)" }.joined(separator: ", ")
        }
        func note(_ row: String) -> String {
            "INSERT INTO \(place) (\(list)) VALUES (\(values(row)));"
        }
        let function = "\(schema.quotedName).\(news)_row"
        let whole = "\(schema.quotedName).\(news)_whole"
        let truncated =
            all.map { "IF TG_OP = 'TRUNCATE' THEN INSERT INTO \(place) (\(list)) \($0); END IF;" }
            ?? ""
        // Texts are compared, because a type may have its operators in any schema.
        let isOther = columns.map { column in
            let name = column.name.quotedName
            return "NEW.\(name)::text IS DISTINCT FROM OLD.\(name)::text"
        }.joined(separator: " OR ")
        try make(
            function,
            """
            IF TG_OP <> 'INSERT' THEN \(note("OLD")) END IF;
            IF TG_OP = 'INSERT' THEN \(note("NEW"))
            ELSIF TG_OP = 'UPDATE' THEN IF \(isOther) THEN \(note("NEW")) END IF; END IF;
            """, connection)
        try make(whole, "\(truncated) NOTIFY \(PostgreSQLListener.channel);", connection)
        try connection.run(
            "CREATE TRIGGER \(trigger(schema, "row")) AFTER INSERT OR UPDATE OR DELETE "
                + "ON \(table.quoted) FOR EACH ROW EXECUTE FUNCTION \(function)()")
        try connection.run(
            "CREATE TRIGGER \(trigger(schema, "whole")) "
                + "AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON \(table.quoted) "
                + "FOR EACH STATEMENT EXECUTE FUNCTION \(whole)()")
    }

    private static func make(
        _ function: String, _ body: String, _ connection: Connection
    ) throws(StoreError) {
        try connection.run(
            "CREATE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER "
                + "SET search_path = pg_catalog AS "
                + "BEGIN \(body) RETURN NULL; END".quotedText)
    }

    /// The name of a trigger, of which each store that follows the table has its own.
    private static func trigger(_ schema: String, _ kind: String) -> String {
        "stele \(kind) \(schema)".quotedName
    }

    /// Copies all rows to the store's tables.
    private func copy(_ connection: Connection) throws(StoreError) {
        for table in tables {
            let keys = table.keys(of: "t").joined(separator: ", ")
            try connection.run(
                "INSERT INTO \(table.rows) SELECT row_number() OVER (ORDER BY \(keys)), \(keys) "
                    + "FROM \(table.source.name.quoted) t; ANALYZE \(table.rows)")
        }
        for table in tables {
            let (joins, columns) = reading(table) { "t.\($0.name.quotedName)" }
            let unknown = Set(columns.filter { $0.hasPrefix("z.") })
            let values = columns.map { unknown.contains($0) ? ", NULL" : ", \($0)" }.joined()
            let names = table.storedColumns.map { ", \($0)" }.joined()
            let equal = Self.equal(table.keyNames.map { "m.\($0)" }, table.keys(of: "t"))
            try connection.run(
                "INSERT INTO \(table.stored) (Z_PK, Z_ENT, Z_OPT\(names)) "
                    + "SELECT m.z_pk, \(table.number), 1\(values) "
                    + "FROM \(table.source.name.quoted) t JOIN \(table.rows) m ON \(equal)\(joins); "
                    + "ANALYZE \(table.stored)")
            try connection.run(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = "
                    + "(SELECT COALESCE(MAX(Z_PK), 0) FROM \(table.stored)) "
                    + "WHERE Z_ENT = \(table.number)")
        }
        for join in joins {
            let owner = incoming(join.owner, "r0") { "t.\($0.name.quotedName)" }
            let member = incoming(join.member, "r1") { "t.\($0.name.quotedName)" }
            try connection.run(
                "INSERT INTO \(join.stored.name) "
                    + "(\(join.stored.ownerColumn), \(join.stored.memberColumn)) "
                    + "SELECT DISTINCT r0.z_pk, r1.z_pk FROM \(join.source.quoted) t"
                    + owner + member + " WHERE r0.z_pk IS NOT NULL AND r1.z_pk IS NOT NULL")
        }
    }

    /// Fills the columns of inverses that are to-one: the other end of a unique foreign key.
    private func copyInverses(
        _ schema: SQLSchema, _ connection: Connection
    ) throws(StoreError) {
        for table in tables {
            for it in table.references {
                guard let inverse = schema.model.inverse(of: it.relationship), !inverse.isToMany,
                    let column = schema.column(of: inverse.slot, in: inverse.owner)
                else { continue }
                try connection.run(
                    "UPDATE \(tables[it.key.destination].stored) d SET \(column) = z.Z_PK "
                        + "FROM \(table.stored) z WHERE z.\(it.stored) = d.Z_PK")
            }
        }
    }

    /// Prepares a writer's connection: makes the temporary tables in which it collects the rows
    /// that were written.
    func prepare(_ connection: Connection) throws(StoreError) {
        if isEmpty { return }
        try setPath(connection)
        for table in tables {
            let keys = zip(table.keyNames, table.key).map { "\($0) \($1.type)" }
            let columns = table.sources.enumerated().map { "c\($0.offset + 1) \($0.element.type)" }
            let list = (keys + ["is_there BOOLEAN"] + columns).joined(separator: ", ")
            try connection.run(
                "CREATE TEMP TABLE IF NOT EXISTS \(table.stage) (\(list)) ON COMMIT DELETE ROWS")
        }
        for join in joins {
            let names = zip(
                join.ownerNames + join.memberNames, join.owner.columns + join.member.columns)
            let list = names.map { "\($0) \($1.type)" }.joined(separator: ", ")
            try connection.run(
                "CREATE TEMP TABLE IF NOT EXISTS \(join.stage) (\(list), is_there BOOLEAN) "
                    + "ON COMMIT DELETE ROWS")
        }
    }

    /// Triggers of the tables name others without a schema: in those of the tables, or in those that
    /// the role has.
    private func setPath(_ connection: Connection) throws(StoreError) {
        let schemas = Set(tables.map(\.source.name.schema) + joins.map(\.source.schema)).sorted()
        let path = schemas.map { ", " + $0.quotedName }.joined()
        try connection.run(
            "SELECT set_config('search_path', quote_ident(current_schema()) "
                + "|| \(path.quotedText) || ', ' || reset_val, false) "
                + "FROM pg_settings WHERE name = 'search_path'")
    }
}
