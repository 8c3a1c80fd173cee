import Glibc
import StelePersistence
import SteleSQL
import SteleSystem

/// What a program connects with to a store that it has open.
///
/// Each of its connections holds a lock of the store as long as it lives, which all programs share
/// that have the store open. A migration takes the lock alone. So no program goes on with tables
/// that it takes for those of its own model. Other programs need no lock to make the tables again:
/// views and writers find that out by what they read first (`StoreIdentity`).
struct StoreAccess: Sendable {
    /// The URL of the database.
    let url: String
    /// The store that was opened. Its schema is that of each connection, wherever the search path of
    /// the URL and the role lead later.
    let identity: StoreIdentity
    /// Whether the database is a standby, which no migration waits for: each view asks whether it
    /// was migrated.
    var isOfReplica = false
    /// Whether a connection of this program has the store alone.
    var isHeldAlone = false

    /// Connects to the store.
    /// - Parameter writes: as `Connection.init`.
    /// - Throws: `StoreError`: as `Connection.init`; `.busy` while the store is migrated, and `.gone`
    ///   where it was migrated since it was opened, or where there is another one.
    func connect(writes: Bool = false) throws(StoreError) -> Connection {
        let connection = try connection(writes: writes)
        if isOfReplica {
            // A server that was a primary may have saves of its own after a failover.
            let row = try connection.queryOnce("SELECT pg_is_in_recovery()::int::bigint")
            guard row.count == 1, row.integer(0, 0) == 1 else {
                throw .busy("\(connection.place) is no standby")
            }
        } else if !isHeldAlone {
            try StoreLock.share(connection)
        }
        try identity.check(connection)
        return connection
    }

    /// Connects to the store without its lock, for a program that does not go on with its tables.
    /// - Throws: `StoreError`: as `Connection.init`.
    func connection(writes: Bool = false) throws(StoreError) -> Connection {
        try Connection(url, schema: identity.schema, writes: writes)
    }
}

/// The locks of a store: advisory locks of PostgreSQL, which the end of a connection releases.
enum StoreLock {
    /// The first numbers of the locks, of no meaning. The second is that of the schema.
    private static let opening = 537_310_621
    private static let use = 537_310_622
    /// The lock of those that wait for the lock of use.
    private static let gate = 537_310_623
    private static let schema =
        "(SELECT (oid::bigint - 2147483648)::int FROM pg_namespace "
        + "WHERE nspname = current_schema())"

    /// Takes the lock of those that make, complete or migrate the tables, until the end of the
    /// transaction.
    /// - Throws: `.busy` where another program has it for too long; the errors of statements.
    static func takeForOpening(_ connection: Connection) throws(StoreError) {
        do throws(StoreError) {
            try connection.run("SELECT pg_advisory_xact_lock(\(opening), \(schema))")
        } catch {
            // The limit of a statement, or that of locks.
            guard ["57014", "55P03"].contains(connection.lastState) else { throw error }
            throw .busy("another program opens or migrates the store in \(connection.place)")
        }
    }

    /// Takes the lock of those that use the store, until the end of the connection.
    /// - Throws: `.busy` while the store is migrated; the errors of statements.
    static func share(_ connection: Connection) throws(StoreError) {
        // While a migration waits, none comes in.
        let isTaken = try holds(
            "CASE WHEN pg_try_advisory_xact_lock_shared(\(gate), \(schema)) "
                + "THEN pg_try_advisory_lock_shared(\(use), \(schema)) ELSE false END", connection)
        guard isTaken else {
            throw .busy("the store in \(connection.place) is being migrated")
        }
    }

    /// Takes the lock of those that use the store alone, until the end of the transaction. The
    /// connections of other programs are closed.
    /// - Parameter limit: when it gives up, of `MonotonicClock`.
    /// - Throws: `.busy` where they do not end in time; `.incompatible` where the user may not end
    ///   them; the errors of statements.
    static func takeAlone(_ connection: Connection, until limit: UInt64) throws(StoreError) {
        try connection.run("SELECT pg_advisory_xact_lock(\(gate), \(schema))")
        while try !holds("pg_try_advisory_xact_lock(\(use), \(schema))", connection) {
            guard MonotonicClock.now < limit else {
                throw .busy(
                    "the connections of other programs to \(connection.place) do not end")
            }
            try endOthers(connection)
            usleep(20_000)
        }
    }

    private static func holds(
        _ lock: String, _ connection: Connection
    ) throws(StoreError) -> Bool {
        let row = try connection.queryOnce(
            "SELECT CASE WHEN \(schema) IS NULL THEN -1 ELSE (\(lock))::int END::bigint")
        guard row.count == 1, row.integer(0, 0) >= 0 else {
            throw .gone(
                "the store in \(connection.place) does not exist any more: it has no schema")
        }
        return row.integer(0, 0) == 1
    }

    private static func endOthers(_ connection: Connection) throws(StoreError) {
        do throws(StoreError) {
            _ = try connection.queryOnce(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' "
                    + "AND database = (SELECT oid FROM pg_database "
                    + "WHERE datname = current_database()) AND classid = \(use) "
                    + "AND objid = (\(schema)::bigint & 4294967295)::oid AND objsubid = 2 "
                    + "AND pid <> pg_backend_pid()")
        } catch {
            guard connection.lastState == "42501" else { throw error }
            throw .incompatible(
                code: 134080,
                "programs of another user have the store in \(connection.place) open: stop them "
                    + "before the migration")
        }
    }
}
