import SteleMigration
import SteleModel
import StelePersistence
import SteleSQL
import SteleSystem

extension PostgreSQLStore {
    /// Checks that the objects of a store let `migrate(url:by:progress:)` go through. Nothing is
    /// changed, and other programs may have the store open and save.
    ///
    /// The objects are read in one view. Where the plan has several steps, and where the migration
    /// makes a uniqueness constraint or computes derived attributes, it is carried out on temporary
    /// tables: the server needs room for a copy of the store, and the user the right to make them
    /// (TEMPORARY on the database), which all have unless it was revoked.
    /// - Throws: `StoreError`, as `migrate`.
    package static func checkMigration(
        url: String, by plan: MigrationPlan,
        progress: @escaping (MigrationProgress) -> Void = { _ in }
    ) throws(StoreError) {
        guard let first = plan.steps.first, let last = plan.steps.last else { return }
        for step in plan.steps { try check(step.source.model, step.destination.model) }
        let connection = try StoreHolder.connect(url)
        // A migration ends the connection.
        try StoreLock.share(connection)
        try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ")
        defer { if connection.isInTransaction { _ = try? connection.run("ROLLBACK") } }
        let metadata = try StoreDatabase.metadata(connection).metadata
        let source = first.source.model
        if metadata.isOf(last.destination.model), !metadata.isOf(source) { return }
        try metadata.check(source)
        try StoreDatabase.checkRights(
            connection, on: SQLSchema(model: source, dialect: .postgreSQL).allTables,
            writes: false)
        if plan.steps.count == 1 {
            let migration = try migration(first, on: connection, progress)
            try migration.check()
            if try !migration.mayRefuseLater() { return }
        }
        try copyTables(connection)
        for step in plan.steps {
            try migration(step, on: connection, progress).run()
            try connection.forgetStatements()
        }
    }

    private static func migration(
        _ step: MigrationPlan.Step, on connection: Connection,
        _ progress: @escaping (MigrationProgress) -> Void
    ) throws(StoreError) -> StoreMigration {
        try StoreMigration(
            from: SQLSchema(model: step.source.model, layout: StoreLayout(connection)),
            to: SQLSchema(model: step.destination.model, dialect: .postgreSQL),
            by: step.mappingModel, on: connection, at: ReferenceDate.now, report: progress)
    }

    /// Copies all tables into temporary ones of the same names, which are found before them and are
    /// gone with the transaction.
    private static func copyTables(_ connection: Connection) throws(StoreError) {
        let own = PostgreSQLWords.ownSchema
        guard let schema = try connection.texts("SELECT quote_ident(current_schema())").first
        else { return }
        let tables = try connection.texts(
            "SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = \(own) "
                + "AND relkind = 'r' ORDER BY 1")
        let keys = try connection.texts(
            "SELECT format('ALTER TABLE pg_temp.%I ADD %s', t.relname, pg_get_constraintdef(c.oid)) "
                + "FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid "
                + "WHERE c.contype = 'p' AND t.relnamespace = \(own) AND t.relkind = 'r'")
        for table in tables {
            try connection.run(
                "CREATE TEMPORARY TABLE \(table) (LIKE \(schema).\(table) INCLUDING DEFAULTS) "
                    + "ON COMMIT DROP; INSERT INTO pg_temp.\(table) TABLE \(schema).\(table)")
        }
        for key in keys { try connection.run(key) }
        // The functions stay those of the store's schema.
        try connection.run("SET LOCAL search_path = pg_temp, \(schema)")
        try connection.forgetStatements()
    }
}
