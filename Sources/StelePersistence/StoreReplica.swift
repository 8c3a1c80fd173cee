import SteleModel

/// A copy of a store that follows it some time behind, for reading that need not see the newest
/// state but a known one.
public protocol StoreReplica: AnyObject, Sendable {
    /// The highest transaction that a view of the store itself had. Answers that were made of such a
    /// view are not older.
    var newestNumber: Int64 { get }

    /// Opens a view of the copy's current state. It may wait for a server.
    /// - Parameter number: the transaction of the history that the view must have, and so all
    ///   before it.
    /// - Returns: nil where the copy does not have it yet, or cannot be read: the store is to be
    ///   read.
    func reader(since number: Int64) -> (any StoreReader)?

    /// Reads one object, outside any view and without blocking.
    /// - Parameters:
    ///   - number: as for `reader`.
    ///   - completion: called once, on any thread; it must not block. Nil where the copy does not
    ///     have the object or the transaction, or cannot be read: the store is to be asked.
    func newest(
        _ id: ObjectID, since number: Int64, completion: @escaping @Sendable (Snapshot?) -> Void)
}
