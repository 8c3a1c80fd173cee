/// The limits of saves and of the writer's batches.
package enum SavingLimits {
    /// The most queued saves of callers that do not block.
    static let savesWaiting = 1_024
    /// The most saves per commit.
    static let savesACommit = 256
    /// The number of batches with savepoints after a save had to be rolled back.
    static let guardedBatches = 64
    /// How often a batch is made again because a table has changed.
    static let timesOutdated = 3
    /// The time in nanoseconds after which a batch takes no more saves.
    static let batchNanoseconds: UInt64 = 20_000_000
    /// The most changes of a save in parts that are held in memory to notify the observer with
    /// their values.
    static let changesToldWhole = 5_000
    /// The most changes of a commit; a save beyond them waits for the next one.
    static let changesACommit = 20_000
}
