import StelePersistence
import SteleSQL
import SteleSystem
import Synchronization

/// The number of commits of all nodes, in a table of one row, which is the write lock as well.
///
/// A writer locks the row before it reads anything else, and raises the number in its commit. So
/// the commits of all nodes are one after the other: the numbers of transactions are in the order
/// of the commits, and none becomes visible after a higher one.
final class CommitCounter: Sendable {
    /// The table.
    static let table = "STELE_COMMIT"
    static let creation = [
        "CREATE TABLE \(table) ( Z_PK BIGINT PRIMARY KEY, ZCOUNT BIGINT NOT NULL )",
        "INSERT INTO \(table) VALUES (1, 0)",
    ]
    /// Locks the row until the end of the transaction. The transaction's own number tells later
    /// whether it was committed.
    static let locking = SQLText(
        "SELECT ZCOUNT, pg_current_xact_id()::text FROM \(table) WHERE Z_PK = 1 FOR UPDATE")
    /// Sets the number, to ?1.
    static let raising = SQLText("UPDATE \(table) SET ZCOUNT = ?1 WHERE Z_PK = 1")
    private static let viewing = SQLText(
        "SELECT ZCOUNT, (\(HistoryReader.tokenStatement)) FROM \(table) WHERE Z_PK = 1")
    private static let reading = SQLText("SELECT ZCOUNT FROM \(table) WHERE Z_PK = 1")

    private struct Known {
        /// The number that observers know of.
        var told: Int64
        /// The number that the writer's commit under way will make.
        var expected: Int64
    }

    private let known: Mutex<Known>
    /// Held while a thread tells of a commit of another node.
    private let telling = Mutex(())

    /// The server's process of the writer's connection, by which it is known which notifications
    /// are of own commits; 0 before there is one.
    let writer = Atomic<Int32>(0)

    init(_ count: Int64) { known = Mutex(Known(told: count, expected: count)) }

    /// Opens a view, in one round trip.
    /// - Returns: the number of commits and the number of the last transaction that it sees.
    static func open(_ connection: Connection) throws(StoreError) -> (count: Int64, token: Int64) {
        let rows = try connection.beginView(viewing)
        guard rows.count == 1 else { throw .failed("the table \(table) of the store is empty") }
        return (
            rows.integer(0, 0), try HistoryReader.checked(rows.integer(0, 1)) ?? 0
        )
    }

    /// Returns the number that a new view sees.
    static func read(_ connection: Connection) throws(StoreError) -> Int64 {
        guard let count = try connection.integer(reading) else {
            throw .failed("the table \(table) of the store is empty")
        }
        return count
    }

    /// Tells of commits of other nodes if a number that was read says that there were some.
    /// - Returns: whether there were.
    func notices(_ count: Int64, _ tell: () -> Void) -> Bool {
        guard isForeign(count) else { return false }
        return telling.withLock { _ in
            // Another thread may have told of them while this one waited.
            guard isForeign(count) else { return true }
            tell()
            known.withLock { $0.told = max($0.told, count) }
            return true
        }
    }

    private func isForeign(_ count: Int64) -> Bool {
        known.withLock { count > $0.told && count != $0.expected }
    }

    /// Tells of commits of other nodes before the writer's transaction, which has read the number
    /// and holds the lock.
    func take(_ count: Int64, _ tell: () -> Void) {
        if known.withLock({ $0.told != count }) { tell() }
        known.withLock { $0 = Known(told: count, expected: count) }
    }

    /// Publishes the number that the commit under way will make.
    func willCommit(_ count: Int64) { known.withLock { $0.expected = count } }

    /// Notes that it is made.
    func didCommit(_ count: Int64) { known.withLock { $0 = Known(told: count, expected: count) } }

    /// Notes that it is not made.
    func commitFailed() { known.withLock { $0.expected = $0.told } }
}
