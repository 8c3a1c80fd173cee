import SteleModel
import StelePersistence
import SteleSQL

/// Puts a store that was made in a schema of its own in the place of another one, in the
/// transaction that has the other one alone.
final class StoreReplacement {
    private let url: String
    private let connection: Connection
    /// The UUID of the old store.
    private var identifier = ""
    /// The number of its migrations.
    private var migrations: Int64 = 0
    /// The beginning of the names of schemas for new stores. It has the number of the old schema.
    private var prefix = ""
    /// The schemas that were made.
    private var schemas: [String] = []
    /// The stores in them.
    private var stores: [PostgreSQLStore] = []

    /// - Throws: `StoreError`: as `Connection.init`.
    init(_ url: String) throws(StoreError) {
        self.url = url
        connection = try StoreHolder.connect(url)
    }

    /// Takes the old store.
    /// - Returns: the store, for reading; nil where it has the destination's model already.
    /// - Throws: `StoreError`: as `StoreHolder.take`.
    func begin(from source: Model, to destination: Model) throws(StoreError) -> PostgreSQLStore? {
        do throws(StoreError) {
            // What other connections must see is done in a transaction before.
            try connection.run(StoreHolder.begin)
            try StoreLock.takeForOpening(connection)
            prefix = "stele_migration_\(try own("oid"))_"
            try drop(
                try lines(
                    "SELECT nspname::text FROM pg_namespace WHERE starts_with(nspname, '\(prefix)')"
                ))
            if try StoreDatabase.hasStore(connection) { try StoreDatabase.complete(connection) }
            try connection.run("COMMIT; \(StoreHolder.begin)")
            guard try StoreHolder.take(connection, from: source, to: destination) else {
                try connection.run("ROLLBACK")
                return nil
            }
            let database = try StoreDatabase.describe(connection, source)
            identifier = database.identifier
            migrations = database.migrations
            try refuseOthers(database.schema, destination)
            let access = StoreAccess(url: url, migrations: migrations, isHeldAlone: true)
            return try PostgreSQLStore(database, access, access.connect(writes: true))
        } catch {
            cancel()
            throw error
        }
    }

    /// Makes an empty store with the old one's UUID.
    /// - Throws: `StoreError`: as `PostgreSQLStore.open`; `.incompatible` (134080) where the user
    ///   may not create schemas.
    func makeEmpty(_ model: Model) throws(StoreError) -> PostgreSQLStore {
        let name = prefix + String(schemas.count + 1)
        // The transaction that has the old store must not keep the new one from being seen.
        let maker = try Connection(url)
        do throws(StoreError) { try maker.run("CREATE SCHEMA \(name)") } catch {
            guard maker.lastState == "42501" else { throw error }
            throw .incompatible(
                code: 134080,
                "the migration makes the new store in a schema beside the old one, and the user "
                    + "may not create schemas: GRANT CREATE ON DATABASE to it for the migration")
        }
        schemas.append(name)
        let connection = try Connection(url, schema: name, writes: true)
        let database = try StoreDatabase.open(
            connection, model: model, identifier: identifier, creates: true)
        let access = StoreAccess(url: url, schema: name, migrations: database.migrations)
        let store = try PostgreSQLStore(database, access, connection)
        stores.append(store)
        return store
    }

    /// Puts the last store that was made in the place of the old one, which is closed.
    /// - Throws: `StoreError`: `.invalid` where it is of another model than the destination's; the
    ///   errors of statements.
    func commit(from source: Model, to destination: Model) throws(StoreError) {
        for store in stores { store.close() }
        guard let schema = schemas.last, let new = stores.last,
            new.model.versionChecksum == destination.versionChecksum
        else {
            throw .invalid("no store of the model \(destination.name) was made")
        }
        let old = try SQLSchema(model: source, layout: StoreLayout(connection))
        let tables = try lines(
            "SELECT relname::text FROM pg_class WHERE relnamespace = '\(schema)'::regnamespace "
                + "AND relkind = 'r'")
        let grants = try self.grants(on: tables)
        let owner = try lines(
            "SELECT quote_ident(pg_get_userbyid(relowner)) FROM pg_class WHERE relname = "
                + "'z_metadata' AND relnamespace = \(PostgreSQLWords.ownSchema) "
                + "AND relowner <> (SELECT oid FROM pg_roles WHERE rolname = current_user)")
        let place = try own("quote_ident(nspname)")
        for table in old.allTables {
            try connection.run("DROP TABLE IF EXISTS \(place).\(table)")
        }
        for function in try functions(of: schema) {
            try connection.run("DROP FUNCTION IF EXISTS \(place).\(function)")
            try connection.run("ALTER FUNCTION \(schema).\(function) SET SCHEMA \(place)")
        }
        for table in tables {
            try connection.run("ALTER TABLE \(schema).\(table) SET SCHEMA \(place)")
            for owner in owner { try connection.run("ALTER TABLE \(table) OWNER TO \(owner)") }
        }
        for grant in grants { try connection.run(grant) }
        try drop(schemas)
        try CommitCounter.noteMigrations(migrations + 1, connection)
        try connection.run("COMMIT")
        schemas = []
    }

    /// Leaves the old store as it is, and removes what was made.
    func cancel() {
        for store in stores { store.close() }
        if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
        guard !schemas.isEmpty else { return }
        // That of the transaction may be lost.
        if let other = try? Connection(url) {
            for schema in schemas { _ = try? other.run("DROP SCHEMA IF EXISTS \(schema) CASCADE") }
        }
    }

    // MARK: The catalogs

    /// Refuses what other programs have made and the new store would take away, before it is made.
    private func refuseOthers(_ old: SQLSchema, _ destination: Model) throws(StoreError) {
        let known = Self.texts(old.allTables)
        let views = try lines(
            "SELECT DISTINCT format('%I.%I', n.nspname, v.relname) FROM pg_depend d "
                + "JOIN pg_rewrite r ON r.oid = d.objid JOIN pg_class v ON v.oid = r.ev_class "
                + "JOIN pg_namespace n ON n.oid = v.relnamespace "
                + "JOIN pg_class t ON t.oid = d.refobjid AND t.oid <> v.oid "
                + "WHERE d.classid = 'pg_rewrite'::regclass "
                + "AND d.refclassid = 'pg_class'::regclass AND t.relnamespace = \(PostgreSQLWords.ownSchema) "
                + "AND t.relname IN (\(known))")
        guard views.isEmpty else {
            throw .incompatible(
                code: 134110,
                "the migration makes the tables again, and views of other programs read them: drop "
                    + "\(views.joined(separator: ", ")) before, and make them again afterwards")
        }
        let made = Set(SQLSchema(model: destination, dialect: .postgreSQL).allTables)
            .subtracting(old.allTables)
        guard !made.isEmpty else { return }
        let taken = try lines(
            "SELECT relname::text FROM pg_class WHERE relnamespace = \(PostgreSQLWords.ownSchema) "
                + "AND relname IN (\(Self.texts(made.sorted())))")
        guard taken.isEmpty else {
            throw .incompatible(
                code: 134110,
                "\(connection.place) has \(taken.joined(separator: ", ")) of another program, and "
                    + "the new store has tables of these names: rename them before")
        }
    }

    private static func texts(_ names: [String]) -> String {
        names.map { "'\($0)'" }.joined(separator: ", ")
    }

    /// The statements that give other users the rights that they have on the tables of the same
    /// name in the old schema, and those of the schema's defaults on others.
    private func grants(on tables: [String]) throws(StoreError) -> [String] {
        let names = Self.texts(tables)
        let grant =
            "SELECT format('GRANT %s ON TABLE %I.%I TO %s%s', a.privilege_type, "
            + "current_schema(), t.name, CASE a.grantee WHEN 0 THEN 'PUBLIC' "
            + "ELSE quote_ident(pg_get_userbyid(a.grantee)) END, "
            + "CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) "
        let known =
            "SELECT c.relname FROM pg_class c WHERE c.relnamespace = \(PostgreSQLWords.ownSchema)"
        return try lines(
            grant + "FROM pg_class t0 CROSS JOIN LATERAL aclexplode(t0.relacl) a "
                + "CROSS JOIN LATERAL (SELECT t0.relname AS name) t "
                + "WHERE t0.relnamespace = \(PostgreSQLWords.ownSchema) "
                + "AND t0.relname IN (\(names)) AND a.grantee <> t0.relowner")
            + lines(
                grant + "FROM pg_default_acl d CROSS JOIN LATERAL aclexplode(d.defaclacl) a "
                    + "CROSS JOIN unnest(ARRAY[\(names)]::name[]) AS t(name) "
                    + "WHERE d.defaclnamespace = \(PostgreSQLWords.ownSchema) "
                    + "AND d.defaclobjtype = 'r' AND a.grantee <> d.defaclrole "
                    + "AND d.defaclrole = (SELECT oid FROM pg_roles WHERE rolname = current_user) "
                    + "AND t.name NOT IN (\(known))")
    }

    /// The functions of a schema, with their arguments.
    private func functions(of schema: String) throws(StoreError) -> [String] {
        try lines(
            "SELECT format('%I(%s)', proname, pg_get_function_identity_arguments(oid)) "
                + "FROM pg_proc WHERE pronamespace = '\(schema)'::regnamespace")
    }

    /// Something of the old store's schema, as a text.
    private func own(_ expression: String) throws(StoreError) -> String {
        try lines(
            "SELECT \(expression)::text FROM pg_namespace WHERE nspname = current_schema()"
        ).first ?? ""
    }

    /// The texts of the first column.
    private func lines(_ sql: String) throws(StoreError) -> [String] {
        try connection.queryOnce(sql).values([.text]).compactMap { row in
            if case .string(let text) = row[0] { text } else { nil }
        }
    }

    private func drop(_ schemas: [String]) throws(StoreError) {
        for schema in schemas { try connection.run("DROP SCHEMA \(schema) CASCADE") }
    }
}

extension SQLSchema {
    /// The tables of a store, by the names that the server stores.
    fileprivate var allTables: [String] {
        let create = "CREATE TABLE "
        let made = (creation + CommitCounter.creation).filter { $0.hasPrefix(create) }
            .map { $0.dropFirst(create.count).prefix { $0 != " " && $0 != "(" } }
        return made.map { PostgreSQLWords.stored(String($0)) } + [PostgreSQLFunctions.table]
    }
}
