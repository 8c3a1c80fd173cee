import SteleMigration
import SteleModel
import StelePersistence
import SteleSQL
import SteleSystem

extension PostgreSQLStore {
    /// Returns the version hashes of the store's entities by name; nil for a schema without a
    /// store.
    /// - Throws: `StoreError`: as `open`.
    public static func versionHashes(url: String) throws(StoreError) -> [String: [UInt8]]? {
        let connection = try Connection(url)
        try connection.keepSchema()
        guard try StoreDatabase.hasStore(connection) else { return nil }
        return try StoreMetadata.read(connection)?.metadata.versionHashes
    }

    /// A migration from one model to another.
    private struct Step {
        let source: Model
        let destination: Model
        let mapping: MappingModel
    }

    /// Migrates the store in a database to another model, in place and in one transaction: after an
    /// error or the end of a program the store is as it was.
    ///
    /// Programs that have the store open lose their connections. They cannot go on, because they
    /// have the model of before: each of their reads and saves is `.gone`. A program that opens the
    /// store meanwhile waits for half a minute. Objects keep their keys and versions. The history
    /// goes on, so tokens of before stay valid.
    /// - Parameters:
    ///   - url: as for `open`. The user must own the tables.
    ///   - source: the model of the stored objects.
    ///   - destination: the model that the objects get.
    ///   - mapping: a mapping model inferred from the two, or one without expressions, filters and
    ///     policies.
    ///   - progress: called on this thread with the rows written so far, at most ten times a
    ///     second, and at the end.
    /// - Returns: false where the store has the destination's model already.
    /// - Throws: `StoreError`: `.incompatible` with 134080 where there is no store, with 134100 where
    ///   it has neither model, with 134190 where a mapping cannot be carried out in place, and with
    ///   134110 where the objects do not fit; `.unsupported` as `open`; `.busy` where another
    ///   program migrates the store or does not let go of it, and where the server cannot be
    ///   reached; errors of statements.
    @discardableResult
    public static func migrate(
        url: String, from source: Model, to destination: Model, by mapping: MappingModel,
        progress: @escaping (MigrationProgress) -> Void = { _ in }
    ) throws(StoreError) -> Bool {
        let step = Step(source: source, destination: destination, mapping: mapping)
        return try migrate(url, by: [step], progress)
    }

    /// Whether all steps of a plan are carried out in place. Those of mapping models with
    /// expressions, filters and policies are not: `replace(url:from:to:by:)` carries them out.
    public static func isMigratedInPlace(by plan: MigrationPlan) -> Bool {
        plan.steps.allSatisfy { step in
            StoreMigration.canCarryOut(
                step.mappingModel, from: SQLSchema(model: step.source.model, dialect: .postgreSQL),
                to: SQLSchema(model: step.destination.model, dialect: .postgreSQL))
        }
    }

    /// Migrates the store in a database by all steps of a plan, in one transaction.
    /// - Parameter progress: called with the progress of each step.
    /// - Returns: false where the store has the model of the plan's end already.
    /// - Throws: as `migrate(url:from:to:by:progress:)`.
    @discardableResult
    public static func migrate(
        url: String, by plan: MigrationPlan,
        progress: @escaping (MigrationProgress) -> Void = { _ in }
    ) throws(StoreError) -> Bool {
        let steps = plan.steps.map {
            Step(
                source: $0.source.model, destination: $0.destination.model,
                mapping: $0.mappingModel)
        }
        return try migrate(url, by: steps, progress)
    }

    private static func migrate(
        _ url: String, by steps: [Step], _ progress: @escaping (MigrationProgress) -> Void
    ) throws(StoreError) -> Bool {
        for step in steps { try check(step.source, step.destination) }
        let connection = try StoreHolder.connect(url)
        var attempt = 1
        while true {
            try connection.run(StoreHolder.beginning)
            do throws(StoreError) {
                let isMigrated = try migrate(connection, url, by: steps, progress)
                try connection.run("COMMIT")
                return isMigrated
            } catch {
                let isDeadlock = connection.lastState == StoreHolder.deadlock
                if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
                guard isDeadlock, attempt < StoreHolder.attempts else { throw error }
                // They were prepared for tables that are again as before.
                try connection.forgetStatements()
                attempt += 1
            }
        }
    }

    /// Checks that the stores of two models can be migrated to each other.
    /// - Throws: `StoreError`: `.unsupported` and `.invalid`, as `open`.
    package static func check(_ source: Model, _ destination: Model) throws(StoreError) {
        if let refusal = destination.refusal { throw .unsupported(refusal) }
        do throws(ModelErrors) { try destination.checkRequests() } catch {
            throw .invalid(error.description)
        }
        try StoreDatabase.checkNames(of: SQLSchema(model: destination, dialect: .postgreSQL))
        guard !TableLinks.names(tablesIn: source), !TableLinks.names(tablesIn: destination) else {
            throw .unsupported(
                "the migration of a store that follows tables of another program: make it again in "
                    + "an empty schema")
        }
    }

    private static func migrate(
        _ connection: Connection, _ url: String, by steps: [Step],
        _ progress: @escaping (MigrationProgress) -> Void
    ) throws(StoreError) -> Bool {
        guard let first = steps.first, let last = steps.last,
            try StoreHolder.take(connection, from: first.source, to: last.destination)
        else { return false }
        try StoreHolder.removeRemains(connection)
        try StoreDatabase.complete(connection)
        do throws(StoreError) {
            for step in steps {
                try StoreMigration(
                    from: SQLSchema(model: step.source, layout: StoreLayout(connection)),
                    to: SQLSchema(model: step.destination, dialect: .postgreSQL),
                    by: step.mapping, on: connection, at: ReferenceDate.now, report: progress
                ).run()
                try connection.forgetStatements()
            }
        } catch { throw StoreHolder.naming(error, connection, url) }
        try CommitCounter.noteMigrations(CommitCounter.migrations(connection) + 1, connection)
        return true
    }
}
