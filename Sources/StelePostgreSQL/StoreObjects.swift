import SteleModel
import StelePersistence
import SteleSQL

/// The tables and functions of a store in the schema of a connection, as a migration replaces them.
struct StoreObjects {
    /// The tables by the names that the server stores.
    private let tables: [String]
    /// The functions with the types of their arguments.
    private let functions: [String]
    /// The schema, as a statement names it.
    private let place: String
    /// The owner of the tables where the user is another one, as a statement names it.
    private let owner: String?
    private let connection: Connection
    private let url: String

    /// Reads what a store has.
    /// - Parameters:
    ///   - connection: that of the migration.
    ///   - url: that of the connection.
    init(
        of schema: SQLSchema, _ connection: Connection, _ url: String
    ) throws(StoreError) {
        self.connection = connection
        self.url = url
        tables = schema.allTables
        place =
            try connection.texts("SELECT quote_ident(current_schema())").first ?? "pg_catalog"
        functions = try connection.texts(Self.functions(in: PostgreSQLWords.ownSchema))
            .filter { $0.hasPrefix(PostgreSQLFunctions.prefix) }
        owner = try connection.texts(
            "SELECT quote_ident(pg_get_userbyid(relowner)) FROM pg_class WHERE relname = "
                + "'z_metadata' AND relnamespace = \(PostgreSQLWords.ownSchema) "
                + "AND relowner <> (SELECT oid FROM pg_roles WHERE rolname = current_user)"
        ).first
    }

    /// Returns a SELECT of the functions of a schema.
    private static func functions(in schema: String) -> String {
        "SELECT format('%I(%s)', proname, pg_get_function_identity_arguments(oid)) FROM pg_proc "
            + "WHERE pronamespace = \(schema)"
    }

    // MARK: Checks

    /// Checks, before the new store is made, that it can take the place of this one and that nothing
    /// of others is gone with it. The tables are dropped and brought back.
    /// - Throws: `StoreError`: `.incompatible` with 134080 where the user does not own them, and with
    ///   134110 where others have made something of them; `.busy` where others use them.
    func checkReplacing(by destination: Model) throws(StoreError) {
        let secured = try connection.texts(
            "SELECT relname::text FROM pg_class c WHERE relnamespace = \(PostgreSQLWords.ownSchema) "
                + "AND relname IN (\(tables.literals)) AND (relrowsecurity "
                + "OR EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid))")
        guard secured.isEmpty else {
            throw .incompatible(
                code: 134110,
                "the migration makes the tables again without row-level security, which "
                    + "\(secured.joined(separator: ", ")) has: drop the policies and disable it "
                    + "before, and make them again afterwards")
        }
        let made = Set(SQLSchema(model: destination, dialect: .postgreSQL).allTables)
            .subtracting(tables).sorted()
        let taken = try connection.texts(
            "SELECT relname::text FROM pg_class WHERE relnamespace = \(PostgreSQLWords.ownSchema) "
                + "AND relname IN (\(made.literals))")
        guard taken.isEmpty else {
            throw .incompatible(
                code: 134110,
                "\(connection.place) has \(taken.joined(separator: ", ")) of another program, and "
                    + "the new store has tables of these names: rename them before")
        }
        try connection.run("SAVEPOINT trial")
        try lock(isPatient: false)
        try drop()
        try connection.run("ROLLBACK TO trial; RELEASE trial")
    }

    /// Locks the tables, so that no other program uses them.
    /// - Parameter isPatient: whether it tries again after the time of one lock, too.
    /// - Throws: `StoreError.busy` where others do not let go of them.
    func lock(isPatient: Bool) throws(StoreError) {
        for attempt in 1...StoreHolder.attempts {
            do throws(StoreError) {
                try connection.run("SAVEPOINT locking")
                return try lockOnce()
            } catch {
                let state = connection.lastState
                let mayEnd =
                    state == StoreHolder.deadlock || isPatient && state == StoreHolder.timeout
                guard mayEnd, attempt < StoreHolder.attempts else { throw error }
                try connection.run("ROLLBACK TO locking")
            }
        }
    }

    private func lockOnce() throws(StoreError) {
        let present = try connection.texts(
            "SELECT format('%I.%I', current_schema(), relname) FROM pg_class "
                + "WHERE relnamespace = \(PostgreSQLWords.ownSchema) "
                + "AND relname IN (\(tables.literals)) ORDER BY 1")
        try naming { () throws(StoreError) in
            try connection.run(
                "LOCK TABLE \(present.joined(separator: ", ")) IN ACCESS EXCLUSIVE MODE")
        }
    }

    private func drop() throws(StoreError) {
        let names = tables.map { "\(place).\(connection.dialect.name($0))" }
        try naming { () throws(StoreError) in
            try connection.run("DROP TABLE IF EXISTS \(names.joined(separator: ", "))")
            let routines = functions.map { "\(place).\($0)" }
            if !routines.isEmpty {
                try connection.run("DROP FUNCTION \(routines.joined(separator: ", "))")
            }
        }
    }

    /// Names what keeps the tables from being dropped.
    private func naming(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        do throws(StoreError) { try body() } catch {
            switch connection.lastState {
            case "2BP01":
                throw .incompatible(
                    code: 134110,
                    "the migration makes the tables again, and others have made what depends on "
                        + "them: \(connection.lastDetail.replacing("\n", with: "; ")); drop these "
                        + "before, and make them again afterwards")
            case "42501":
                throw .incompatible(
                    code: 134080,
                    "the user must own the tables and functions of the store: "
                        + "\(connection.lastMessage)")
            default: throw StoreHolder.naming(error, connection, url)
            }
        }
    }

    // MARK: Replacing

    /// Puts the tables and functions of another schema in their place. They get the owner and the
    /// rights of those of before; new tables get those that are the owner's default.
    func replace(byThoseOf schema: String) throws(StoreError) {
        let made = try connection.texts(
            "SELECT relname::text FROM pg_class WHERE relnamespace = '\(schema)'::regnamespace "
                + "AND relkind = 'r'")
        let routines = try connection.texts(Self.functions(in: "'\(schema)'::regnamespace"))
        let rights = StoreRights(tables: made, functions: routines)
        let grants = try connection.texts(rights.grants) + connection.texts(rights.defaults)
        try drop()
        for function in routines { try move("FUNCTION", function, from: schema) }
        for table in made { try move("TABLE", connection.dialect.name(table), from: schema) }
        for revocation in try connection.texts(rights.revocations) {
            try connection.run(revocation)
        }
        for grant in grants { try connection.run(grant) }
    }

    private func move(_ kind: String, _ name: String, from schema: String) throws(StoreError) {
        try connection.run("ALTER \(kind) \(schema).\(name) SET SCHEMA \(place)")
        guard let owner else { return }
        try connection.run("ALTER \(kind) \(place).\(name) OWNER TO \(owner)")
    }
}

extension [String] {
    /// The texts as literals of a list that is not empty.
    var literals: String {
        isEmpty
            ? "NULL"
            : map { "'\($0.replacing("'", with: "''"))'" }.joined(separator: ", ")
    }
}

extension SQLSchema {
    /// The tables of a store, by the names that the server stores.
    var allTables: [String] {
        let create = "CREATE TABLE "
        let made = (creation + CommitCounter.creation).filter { $0.hasPrefix(create) }
            .map { $0.dropFirst(create.count).prefix { $0 != " " && $0 != "(" } }
        return made.map { PostgreSQLWords.stored(String($0)) } + [PostgreSQLFunctions.table]
    }
}
