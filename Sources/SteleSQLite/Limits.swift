/// Every bound of the SQLite store, by name.

/// The bounds of a store.
enum Limits {
    /// Prepared statements that a connection keeps.
    static let statementsAConnection = 128
    /// Bytes of one bound value that a prepared statement may keep after its use.
    static let boundBytesKept = 65_536
    /// Bytes up to which a value of a Binary attribute that allows external storage lives in the
    /// row; a larger one is a file.
    static let inlineBytes = 100 << 10
    /// Seconds that a file which nothing names may be on its way into a row.
    static let orphanSeconds = 3_600
    /// Reader connections; who needs one more waits.
    static let readers = 96
    /// Saves that wait for the writer without a thread that waits with them.
    static let savesWaiting = 1_024
    /// Saves that share a commit.
    static let savesACommit = 256
    /// Batches whose saves have savepoints after one that had to be taken back.
    static let guardedBatches = 64
    /// Nanoseconds after which a batch takes no more saves.
    static let batchNanoseconds: UInt64 = 20_000_000
    /// Pages in the WAL after which it is checkpointed: 32 MiB. Each time costs a sync of the store's
    /// file, for which the next commit's waits.
    static let checkpointPages = 8_000
    /// How many checkpoints later saves wait for one, where they have left no gap for any: 256 MiB.
    static let checkpointsMissed = 8
    /// Milliseconds that saves wait at most for readers that keep the WAL from starting anew.
    static let restartMilliseconds: Int32 = 50
    /// Calls and parentheses within one another that SQLite's parser, which has 100 places, holds in
    /// any case; how many more depends on what they are.
    static let nestedCalls = 15
    /// Seconds that one statement of a reader may run.
    static let statementSeconds = 30.0
    /// Changes of a save in parts that are told with their values, and so are in memory until then.
    static let changesToldWhole = 5_000
    /// Changes of a save that other saves' answers wait for at most.
    static let changesACommit = 20_000
}
