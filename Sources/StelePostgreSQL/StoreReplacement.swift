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
    /// The old store's tables and functions.
    private var old: StoreObjects?
    /// The beginning of the names of schemas for new stores. No other migration has it.
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
    /// - Throws: `StoreError`: as `StoreHolder.take`; `.incompatible` where the user does not own
    ///   the tables, or others have made what would be gone with them.
    func begin(from source: Model, to destination: Model) throws(StoreError) -> PostgreSQLStore? {
        do throws(StoreError) {
            // The store is read on other connections, which do not see what the transaction that
            // holds it has changed.
            try connection.run(StoreHolder.beginning)
            try StoreLock.takeForOpening(connection)
            try StoreHolder.removeRemains(connection)
            if try StoreDatabase.hasStore(connection) { try StoreDatabase.complete(connection) }
            try connection.run("COMMIT; \(StoreHolder.beginning)")
            guard try StoreHolder.take(connection, from: source, to: destination) else {
                try connection.run("ROLLBACK")
                return nil
            }
            let database = try StoreDatabase.describe(connection, source)
            identifier = database.identity.identifier
            migrations = database.identity.migrations
            prefix =
                try StoreHolder.remainsPrefix(connection)
                + String(UInt32.random(in: .min ... .max), radix: 16)
            let old = try StoreObjects(of: database.schema, connection, url)
            self.old = old
            try old.checkReplacing(by: destination)
            let access = StoreAccess(url: url, identity: database.identity, isHeldAlone: true)
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
        let name = "\(prefix)_\(schemas.count + 1)"
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
        let access = StoreAccess(url: url, identity: database.identity)
        let store = try PostgreSQLStore(database, access, connection)
        stores.append(store)
        return store
    }

    /// Puts the last store that was made in the place of the old one, which is closed.
    /// - Throws: `StoreError`: `.invalid` where it is of another model than the destination's;
    ///   `.busy` where other programs do not let go of the old tables; the errors of statements.
    func commit(to destination: Model) throws(StoreError) {
        for store in stores { store.close() }
        guard let old, let schema = schemas.last, let new = stores.last,
            new.model.versionChecksum == destination.versionChecksum
        else {
            throw .invalid("no store of the model \(destination.name) was made")
        }
        // What was made is kept while another program reads them.
        try old.lock(isPatient: true)
        try old.replace(byThoseOf: schema)
        for schema in schemas { try connection.run("DROP SCHEMA \(schema) CASCADE") }
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
}
