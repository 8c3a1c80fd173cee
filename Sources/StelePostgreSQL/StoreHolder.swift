import SteleModel
import StelePersistence
import SteleSQL
import SteleSystem

/// Takes a store for a migration, which has it alone until the end of its transaction.
enum StoreHolder {
    /// The seconds for which a migration waits for programs that have the store open.
    private static let patience = 30.0

    /// The states of a statement that has waited for locks: a deadlock, which another program makes
    /// that reads several tables, and the time of one lock.
    static let (deadlock, timeout) = ("40P01", "55P03")
    /// How often a migration waits again.
    static let attempts = 10

    /// Begins the transaction. What is written while it waits for a lock must be seen, whatever the
    /// default is.
    static let beginning = "BEGIN ISOLATION LEVEL READ COMMITTED"

    /// Connects to the database of a store. The connection has the keepalives of a writer, because
    /// its locks keep all others out, and it may be idle for long.
    /// - Throws: `StoreError`: as `Connection.init`.
    static func connect(_ url: String) throws(StoreError) -> Connection {
        let connection = try Connection(url, writes: true)
        try Pooler.refuseTransactionMode(connection, url)
        try connection.keepSchema()
        try connection.run(
            "SET statement_timeout = 0; SET lock_timeout = \(Int(patience * 1_000)); "
                + "SET idle_in_transaction_session_timeout = 0")
        return connection
    }

    /// Takes the store in the transaction of a connection. Other programs lose their connections.
    /// - Returns: false where the store has the destination's model already; it is not taken then.
    /// - Throws: `StoreError`: `.incompatible` with 134080 where there is no store, and with 134100
    ///   where it has neither model; `.busy` where another program migrates it or does not let go
    ///   of it; the errors of statements.
    static func take(
        _ connection: Connection, from source: Model, to destination: Model
    ) throws(StoreError) -> Bool {
        try StoreLock.takeForOpening(connection)
        let metadata = try StoreDatabase.metadata(connection).metadata
        if metadata.isOf(destination), !metadata.isOf(source) { return false }
        try metadata.check(source)
        // The save under way ends, and no other begins.
        try connection.run(CommitCounter.locking.string)
        try StoreLock.takeAlone(connection, until: MonotonicClock.deadline(in: patience))
        return true
    }

    /// Returns the error of a transaction; that of a lock that it did not get names the processes
    /// that have locks on the tables.
    static func naming(
        _ error: StoreError, _ connection: Connection, _ url: String
    ) -> StoreError {
        guard case .busy = error, connection.lastState == timeout else { return error }
        let users = try? Connection(url).texts(
            "SELECT DISTINCT format('process %s (%s, %s)', a.pid, "
                + "COALESCE(NULLIF(a.application_name, ''), a.usename), a.state) "
                + "FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid "
                + "JOIN pg_class c ON c.oid = l.relation WHERE l.granted "
                + "AND c.relnamespace = \(PostgreSQLWords.ownSchema) "
                + "AND a.pid NOT IN (pg_backend_pid(), \(connection.process)) ORDER BY 1")
        return .busy(
            "transactions of other programs use the tables in \(connection.place) and do not end: "
                + (users ?? []).joined(separator: ", "))
    }

    // MARK: Remains

    /// The beginning of the names of schemas in which migrations make new stores. It has the number
    /// of the old store's schema.
    static func remainsPrefix(_ connection: Connection) throws(StoreError) -> String {
        let number = try connection.texts("SELECT \(PostgreSQLWords.ownSchema)::bigint::text").first
        return "stele_migration_\(number ?? "0")_"
    }

    /// Drops the schemas that migrations have left whose programs were killed. Called under the lock
    /// of the opening. One that cannot be dropped, such as that of another user, stays.
    static func removeRemains(_ connection: Connection) throws(StoreError) {
        let prefix = try remainsPrefix(connection)
        let schemas = try connection.texts(
            "SELECT nspname::text FROM pg_namespace WHERE starts_with(nspname, '\(prefix)')")
        for schema in schemas {
            do throws(StoreError) {
                try connection.attempt { () throws(StoreError) in
                    try connection.run("DROP SCHEMA \(schema) CASCADE")
                }
            } catch { if connection.isLost { throw error } }
        }
    }
}
