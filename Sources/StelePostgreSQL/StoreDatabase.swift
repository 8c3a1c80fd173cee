import SteleModel
import StelePersistence
import SteleSQL

/// The store in a database: its tables in the first schema of the search path, made where there are
/// none.
struct StoreDatabase {
    let generation: String
    let schema: SQLSchema
    /// The tables of other programs that it follows.
    let links: TableLinks
    /// The number of commits when it was opened.
    let count: Int64
    /// What tells it from others.
    let identity: StoreIdentity
    /// Whether the tables were made.
    let isNew: Bool

    /// Opens the store, or makes it.
    /// - Throws: `StoreError.incompatible`: 134020 for tables of another program, 134100 for a
    ///   store of another model; the errors of statements.
    static func open(
        _ connection: Connection, model: Model, identifier: String?, creates: Bool
    ) throws(StoreError) -> StoreDatabase {
        // Two programs that find no tables would both make them.
        // A row that is written while it waits for a lock must be seen, whatever the default is.
        try connection.run("BEGIN ISOLATION LEVEL READ COMMITTED")
        do {
            try StoreLock.takeForOpening(connection)
            let opened = try look(connection, model, identifier, creates: creates)
            try connection.run("COMMIT")
            return opened
        } catch {
            if !connection.isLost { _ = try? connection.run("ROLLBACK") }
            throw error
        }
    }

    private static func look(
        _ connection: Connection, _ model: Model, _ identifier: String?, creates: Bool
    ) throws(StoreError) -> StoreDatabase {
        guard
            case .string? = try connection.rows(
                SQLText("SELECT current_schema()::text"), [], [.text]
            ).first?.first
        else {
            throw .incompatible(
                code: 134080,
                "\(connection.place) has no schema for the tables that the user may use: create it, "
                    + "grant USAGE on it, or name another one in the URL by "
                    + "options=-csearch_path%3DNAME")
        }
        try connection.keepSchema()
        let isNew = try !hasStore(connection)
        if isNew {
            guard creates else {
                throw .incompatible(
                    code: 134080, "\(connection.place) has no store in its schema")
            }
            try refuseOthers(connection)
            try create(connection, model, identifier)
        }
        let metadata = try StoreDatabase.metadata(connection).metadata
        try metadata.check(model)
        if creates { try complete(connection) }
        try checkRights(
            connection, on: SQLSchema(model: model, dialect: .postgreSQL).allTables,
            writes: creates)
        if creates { try keep(model, connection) }
        try StoreLock.share(connection)
        return try describe(connection, model, isNew: isNew)
    }

    /// Checks that the user has the rights on tables that a program needs.
    /// - Parameters:
    ///   - tables: the names of the tables.
    ///   - writes: whether it saves.
    /// - Throws: `StoreError.incompatible` (134080) with the statement that gives them.
    static func checkRights(
        _ connection: Connection, on tables: [String], writes: Bool
    ) throws(StoreError) {
        let rights = writes ? ["SELECT", "INSERT", "UPDATE", "DELETE"] : ["SELECT"]
        let lacks = rights.map { "NOT has_table_privilege(oid, '\($0)')" }
        let refused = try connection.texts(
            "SELECT relname::text FROM pg_class WHERE relnamespace = \(PostgreSQLWords.ownSchema) "
                + "AND relname IN (\(tables.literals)) "
                + "AND (\(lacks.joined(separator: " OR "))) ORDER BY 1")
        guard let first = refused.first else { return }
        let name = try connection.texts("SELECT quote_ident(current_schema())").first ?? ""
        let user = try connection.texts("SELECT quote_ident(current_user)").first ?? ""
        throw .incompatible(
            code: 134080,
            "the user \(user) lacks rights on \(refused.count) tables of the store in "
                + "\(connection.place), such as \(first): GRANT \(rights.joined(separator: ", ")) ON "
                + "ALL TABLES IN SCHEMA \(name) TO \(user)")
    }

    /// Keeps the model in the metadata: one of equal version hashes may have other bounds and
    /// defaults.
    private static func keep(_ model: Model, _ connection: Connection) throws(StoreError) {
        func kept() throws(StoreError) -> (StoreMetadata, isChanged: Bool) {
            let former = try metadata(connection).metadata
            var metadata = former
            metadata.keep(model)
            return (metadata, metadata != former)
        }
        guard try kept().isChanged else { return }
        // What a commit of a node writes meanwhile would be lost.
        try connection.run(CommitCounter.locking.string)
        try kept().0.write(to: connection)
    }

    /// Adds what a store of an older version lacks. Called under the lock of the opening.
    static func complete(_ connection: Connection) throws(StoreError) {
        try CommitCounter.complete(connection)
        try PostgreSQLFunctions.register(connection)
    }

    /// Reads the metadata of the store.
    /// - Throws: `StoreError`: `.incompatible` (134080) where there is no store, or it has none;
    ///   errors of statements.
    static func metadata(
        _ connection: Connection
    ) throws(StoreError) -> (identifier: String, metadata: StoreMetadata, generation: String) {
        guard try hasStore(connection) else {
            throw .incompatible(code: 134080, "\(connection.place) has no store in its schema")
        }
        guard let (identifier, metadata) = try StoreMetadata.read(connection),
            let generation = metadata.generation
        else {
            throw .incompatible(
                code: 134080,
                "\(connection.place) has no metadata of a store: it is incomplete, or another "
                    + "program made it")
        }
        return (identifier, metadata, generation)
    }

    /// Describes the store of a model. Called under a lock of the store.
    /// - Throws: as `open`.
    static func describe(
        _ connection: Connection, _ model: Model, isNew: Bool = false
    ) throws(StoreError) -> StoreDatabase {
        let (identifier, metadata, generation) = try metadata(connection)
        try metadata.check(model)
        let schema = try SQLSchema(model: model, layout: StoreLayout(connection))
        let links = try TableLinks(schema, connection)
        if isNew {
            try links.make(schema, connection)
        } else {
            try links.check(connection)
        }
        let identity = try StoreIdentity(identifier, of: schema, connection)
        return StoreDatabase(
            generation: mixed(generation, identity.counter, identity.migrations),
            schema: schema, links: links,
            count: try CommitCounter.read(connection).number, identity: identity, isNew: isNew)
    }

    /// Returns the generation of the store in the schema; nil where it has none.
    static func generation(_ connection: Connection) throws(StoreError) -> String? {
        guard let stored = try StoreMetadata.read(connection)?.metadata.generation else {
            return nil
        }
        let rows = try connection.queryOnce(
            "SELECT tableoid::bigint, ZMIGRATIONS FROM \(CommitCounter.table) WHERE Z_PK = 1")
        guard rows.count == 1 else { return nil }
        return mixed(stored, rows.integer(0, 0), rows.integer(0, 1))
    }

    /// Returns the generation of tokens and ETags. A backup that is restored has tables with other
    /// numbers, and a store that was taken back another line of commits, so that their saves are not
    /// taken for those that they lack.
    private static func mixed(_ stored: String, _ table: Int64, _ migrations: Int64) -> String {
        let mixed =
            UInt32(truncatingIfNeeded: table) &* 0x9E37_79B1
            ^ CommitCounter.line(of: migrations) &* 0x85EB_CA6B
        let digits = String((UInt32(stored, radix: 16) ?? 0) ^ mixed, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    /// Whether the schema has a store.
    static func hasStore(_ connection: Connection) throws(StoreError) -> Bool {
        try connection.integer(SQLText(connection.dialect.tableCount("Z_METADATA"))) ?? 0 > 0
    }

    /// Refuses a schema with tables of another program.
    private static func refuseOthers(_ connection: Connection) throws(StoreError) {
        let rows = try connection.rows(
            SQLText(
                "SELECT c.relname::text, current_schema()::text FROM pg_class c "
                    + "WHERE c.relnamespace = \(PostgreSQLWords.ownSchema) "
                    + "AND c.relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY 1 LIMIT 1"),
            [], [.text, .text])
        guard case .string(let table)? = rows.first?[0], case .string(let schema)? = rows.first?[1]
        else { return }
        throw .incompatible(
            code: 134020,
            "the schema \(schema) of \(connection.place) has tables of another program, such as "
                + "\(table): a store needs a schema of its own, which the URL names by "
                + "options=-csearch_path%3DNAME")
    }

    private static func create(
        _ connection: Connection, _ model: Model, _ identifier: String?
    ) throws(StoreError) {
        let schema = SQLSchema(model: model, dialect: .postgreSQL)
        try checkNames(of: schema)
        for statement in schema.creation {
            try connection.run(PostgreSQLWords.creation(statement))
        }
        for statement in CommitCounter.creation { try connection.run(statement) }
        let row = SQLText("INSERT INTO Z_PRIMARYKEY VALUES (?1, ?2, ?3, 0)")
        for (number, name, parent) in schema.primaryKeyRows {
            try connection.execute(
                row, [.int(Int64(number)), .string(name), .int(Int64(parent))])
        }
        let digits = String(UInt32.random(in: .min ... .max), radix: 16)
        let generation = String(repeating: "0", count: 8 - digits.count) + digits
        let metadata = StoreMetadata(
            model: model, generation: generation, storeType: "PostgreSQL")
        try connection.execute(
            SQLText("INSERT INTO Z_METADATA VALUES (1, ?1, ?2)"),
            [
                .string(identifier ?? UUID().uuidString), .data(metadata.propertyList),
            ])
    }

    /// PostgreSQL would cut longer names of tables and columns, and could not tell them apart.
    static func checkNames(of schema: SQLSchema) throws(StoreError) {
        var names = schema.storedTables.flatMap { [$0.name] + $0.columns.map(\.name) }
        for join in schema.joinTables {
            names += [join.name, join.ownerColumn, join.memberColumn]
        }
        if let name = names.first(where: { $0.utf8.count > 63 }) {
            throw .unsupported(
                "the name \(name) of a table or column in PostgreSQL, which has 63 bytes at most")
        }
        var known = Set<String>()
        for index in schema.indexes {
            guard
                known.insert(
                    String(decoding: index.name.lowercased().utf8.prefix(63), as: UTF8.self)
                ).inserted
            else {
                throw .unsupported(
                    "the name \(index.name) of an index in PostgreSQL, which compares 63 bytes")
            }
        }
    }
}
