/// The limits of the SQLite store.
enum Limits {
    /// The most prepared statements per connection.
    static let statementsAConnection = 128
    /// The most memory of the prepared statements that a connection keeps, in bytes. An ordinary one
    /// has some 10 KB, and one with a thousand subqueries 10 MB.
    static let statementBytesAConnection = 4 << 20
    /// The longest statement, in bytes, that is prepared on the thread of a connection: its first
    /// use is left to a worker.
    static let briefStatementBytes = 16_384
    /// The largest bound value, in bytes, that a prepared statement keeps after its use.
    static let boundBytesKept = 65_536
    /// The largest value, in bytes, of a Binary attribute with external storage that is stored in
    /// the row; a larger one goes to a file.
    static let inlineBytes = 100 << 10
    /// The age in seconds from which a file without a row may be removed.
    static let orphanSeconds = 3_600
    /// The time in nanoseconds for which opening a store waits for a program that excludes others.
    static let exclusionNanoseconds: UInt64 = 10_000_000_000
    /// The time in nanoseconds for which a reader waits for a commit that is half done.
    static let halfCommitNanoseconds: UInt64 = 5_000_000_000
    /// The most nanoseconds for which views wait for a search for foreign values in small tables,
    /// which takes some milliseconds on a machine with time for it.
    static let foreignSearchNanoseconds: UInt64 = 250_000_000
    /// The nanoseconds until a search that has failed is repeated, and how often it is tried.
    static let foreignSearchRetryNanoseconds: UInt64 = 1_000_000_000
    static let foreignSearches = 5
    /// The times of a long search that pass until the next one, where another program commits often.
    static let foreignSearchPauses: UInt64 = 10
    /// The most columns with foreign values that a seal has.
    static let foreignColumnsASeal = 40
    /// The most reader connections.
    static let readers = 96
    /// The nanoseconds between two looks for damage of the files.
    static let lookNanoseconds: UInt64 = 1_000_000_000
    /// The most frames of the log (32 MiB) that one look compares with their check sums.
    static let framesALook: UInt32 = 8_192
    /// The number of pages in the WAL (32 MiB) that triggers a checkpoint. A checkpoint syncs the
    /// store's file, which delays the next commit.
    static let checkpointPages = 8_000
    /// The number of missed checkpoints (256 MiB) after which saves wait for one.
    static let checkpointsMissed = 8
    /// The number of checkpoints that views prevent (128 MiB) after which long views wait.
    static let checkpointsPrevented = 4
    /// The nanoseconds after which a view gives its connection's mapping of the file back.
    static let longViewNanoseconds: UInt64 = 100_000_000
    /// The seconds for which long views wait for older ones to end, when the WAL has become long, so
    /// that it can be restarted.
    static let turnSeconds = 10.0
    /// The most seconds for which the writer is waited for then, and after it all other views.
    static let restartSeconds = 1.0
    /// The number of tries to restart the WAL then.
    static let restarts = 4
    /// The most milliseconds for which a look at a store waits for a program that is writing its
    /// rollback journal.
    static let lookMilliseconds: Int32 = 1_000
    /// The most milliseconds that saves wait for readers that prevent a restart of the WAL.
    static let restartMilliseconds: Int32 = 50
    /// The nesting of function calls and parentheses, with that of the rules of a role, that always
    /// fits the 100 places of SQLite's parser. More may fit.
    static let nestedCalls = 10
}
