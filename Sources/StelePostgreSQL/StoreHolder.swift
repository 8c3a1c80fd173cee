import SteleModel
import StelePersistence
import SteleSQL
import SteleSystem

/// Takes a store for a migration, which has it alone until the end of its transaction.
enum StoreHolder {
    /// The seconds for which a migration waits for programs that have the store open.
    private static let patience = 30.0

    /// Begins the transaction. What is written while it waits for a lock must be seen, whatever the
    /// default is.
    static let begin = "BEGIN ISOLATION LEVEL READ COMMITTED"

    /// Connects to the database of a store. The connection has the keepalives of a writer, because
    /// its locks keep all others out, and it may be idle for long.
    /// - Throws: `StoreError`: as `Connection.init`.
    static func connect(_ url: String) throws(StoreError) -> Connection {
        let connection = try Connection(url, writes: true)
        try Pooler.refuseTransactionMode(connection, url)
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
}
