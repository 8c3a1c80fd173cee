import CPostgreSQL
import StelePersistence
import SteleSQL

/// Finds out what is between a program and the server.
enum Pooler {
    /// Refuses a pooler in transaction mode, which gives each transaction another connection to the
    /// server: locks, prepared statements, settings and LISTEN belong to a connection.
    ///
    /// A pooler makes up the process that a connection is told of. Where there is one, a setting of
    /// this connection is looked for on another one: in transaction mode the pooler gives both the
    /// server's connection that was used last.
    /// - Parameter url: that of the connection.
    /// - Throws: `StoreError.incompatible` (134080); the errors of connections and statements.
    static func refuseTransactionMode(
        _ connection: Connection, _ url: String
    ) throws(StoreError) {
        let process = try connection.queryOnce("SELECT pg_backend_pid()::bigint")
        guard process.count == 1, process.integer(0, 0) != Int64(connection.process) else { return }
        let mark = String(UInt64.random(in: 1 ... .max))
        let other = try Connection(url)
        // Other programs may take the connection between the two.
        for _ in 0..<8 {
            try connection.run("SELECT set_config('stele.probe', '\(mark)', false)")
            let found = try other.queryOnce(
                "SELECT (current_setting('stele.probe', true) = '\(mark)')::int::bigint")
            guard found.count == 1, found.integer(0, 0) == 1 else { continue }
            throw .incompatible(
                code: 134080,
                "a pooler in transaction mode is between this program and \(connection.place): set "
                    + "its pool_mode to session, or name the server itself in the URL")
        }
    }
}
