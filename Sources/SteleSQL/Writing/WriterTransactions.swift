import StelePersistence

/// The transactions of a writer: what differs between databases. They are used on the writer's
/// thread only, one after the other.
package protocol WriterTransactions: AnyObject {
    /// The connection of the transactions.
    var connection: any SQLConnection { get }

    /// Whether a transaction is open. A database ends one on some errors.
    var isOpen: Bool { get }

    /// A number that grows with each row that is written, also if that is rolled back, and with
    /// each statement whose error does not let the transaction go on.
    var rowsWritten: Int64 { get }

    /// Begins a transaction that no other one overlaps: it has the write lock until its end. Leaves
    /// no transaction where it throws.
    /// - Returns: whether another program has committed since the last commit, so that what was
    ///   read before may be outdated.
    func begin() throws(StoreError) -> Bool

    /// Says whether the result of each statement is waited for from now on, so that an error is
    /// that of the save that it belongs to.
    /// - Throws: the error of a statement that was not waited for.
    func setWaiting(_ waits: Bool) throws(StoreError)

    /// Waits for the results of the statements that a conflict may concern, before observers are
    /// told of the commit.
    /// - Throws: as `setWaiting`.
    func settle() throws(StoreError)

    /// Whether a statement of the transaction that was not waited for has failed, or has changed
    /// another number of rows than was expected. The error was thrown by a later statement, or is
    /// thrown by the commit, and the save that it belongs to is not known.
    var failedLater: Bool { get }

    /// Whether the transaction has failed, or its beginning, because a table has changed since its
    /// statements were prepared: it is made again with new ones. It is so until the next beginning.
    var isOutdated: Bool { get }

    /// Tells the store's observers of another program's commits, once for each.
    func takeForeign()

    /// Takes what others have written beside the store, by requests that are saved in the
    /// transaction. Called at its beginning.
    /// - Parameters:
    ///   - token: the number of the last save.
    ///   - save: saves a request.
    /// - Returns: whether there was something.
    func takeIncoming(
        token: Int64, _ save: (SaveRequest) throws(StoreError) -> SaveResult
    ) throws(StoreError) -> Bool

    /// Writes saves to where others read them; nil where nothing else has them.
    var follower: (any SaveFollower)? { get }

    /// Commits. When it returns, the transaction is on disk.
    func commit() throws(StoreError)

    /// Ends the transaction without a commit; does nothing where none is open.
    func rollBack()

    /// The error to answer with where a failed commit may have left something in the store: nil
    /// where nothing of it is there, so that it may be repeated.
    func remains(after error: StoreError) -> StoreError?

    /// Called after each batch, when no transaction is open.
    func batchEnded()

    /// Returns what reads the sources of derived attributes in the open transaction; nil where
    /// statements of the translator read them all.
    var derivationReader: (() -> any DerivationReader)? { get }

    /// A view of the open transaction, with the number of its last save.
    func reader(token: Int64) -> any StoreReader
}

extension WriterTransactions {
    // A database that runs each statement at once.
    package var failedLater: Bool { false }
    // A database that prepares its statements again itself.
    package var isOutdated: Bool { false }
    package func setWaiting(_ waits: Bool) throws(StoreError) {}
    package func settle() throws(StoreError) {}

    // A database whose tables are Stele's alone.
    package func takeIncoming(
        token: Int64, _ save: (SaveRequest) throws(StoreError) -> SaveResult
    ) throws(StoreError) -> Bool { false }
    package var follower: (any SaveFollower)? { nil }

    /// Nil: for a database that evaluates all requests.
    package var derivationReader: (() -> any DerivationReader)? { nil }
}
