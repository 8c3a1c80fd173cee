import Glibc
import StelePersistence
import SteleModel
import SteleSQL
import SteleSystem

/// The history in a file of its own beside the store's (`NAME-stele`), for a store that another
/// program created without a history.
extension StoreFile {
    /// What the name of the history's file has after the store's.
    static let historyEnding = "-stele"

    /// Refuses a store whose history's file belongs to another store, and changes neither.
    /// It is called within a look at the store.
    /// - Parameter identifier: the store's NSStoreUUID.
    /// - Throws: `StoreError.incompatible` (134020).
    static func checkHistoryFile(
        of path: String, _ identifier: String
    ) throws(StoreError) {
        let file = StoreLook.resolved(path) + historyEnding
        guard StoreLook.hasContents(file) else { return }
        let owner = try StoreLook.read(file, as: file) { (history) throws(StoreError) in
            try AttachedHistory.identifier(history, file)
        }
        guard let owner, owner != identifier else { return }
        throw .incompatible(
            code: 134020,
            "\(file) has the history of the store \(owner), and \(path) is the store "
                + "\(identifier): put back the file that belongs to it, or move \(file) away, and "
                + "the history begins anew")
    }

    /// Attaches the history to the writer's connection, and makes the file where there is none.
    static func openHistory(
        _ connection: Connection, _ path: String
    ) throws(StoreError) {
        do throws(StoreError) { try connection.attachHistory() } catch {
            if case .busy = error { throw error }
            throw .failed(
                "\(path)\(historyEnding), the file of the store's history, cannot be opened or "
                    + "created: make its folder writable, or keep the history in the store "
                    + "(--history store)")
        }
        try connection.run(
            "PRAGMA history.page_size = 4096; PRAGMA history.synchronous = FULL; "
                + "PRAGMA history.cache_size = -4096")
        guard case .string("wal") = try connection.single("PRAGMA history.journal_mode = WAL")
        else {
            throw .failed(
                "\(path)\(historyEnding) cannot use WAL mode: its file system does not support "
                    + "shared memory")
        }
        try connection.run("BEGIN IMMEDIATE")
        do throws(StoreError) {
            let (identifier, metadata) = try look(connection, path)
            try AttachedHistory(connection)
                .prepare(identifier, try historyLine(metadata, path))
            try connection.run("COMMIT")
        } catch {
            if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
            throw error
        }
    }

    /// Removes the file of a history that is in the store now. Without it the store is the same.
    static func removeHistoryFile(of path: String) {
        let file = StoreLook.resolved(path) + historyEnding
        for ending in ["", "-wal", "-shm"] { unlink(file + ending) }
    }
}

extension AttachedHistory {
    /// Begins a view of one moment in both files, on a connection without a transaction.
    /// - Parameter waits: whether to wait, at most five seconds, while a commit is half done.
    /// - Returns: the number of the last save in the view.
    /// - Throws: `.busy` where it takes longer, and `.overBudget` where it does not wait.
    static func beginView(on connection: Connection, waits: Bool) throws(StoreError) -> Int64 {
        let end = MonotonicClock.now &+ Limits.halfCommitNanoseconds
        while true {
            try connection.execute(begin, [])
            let numbers = try AttachedHistory(connection).numbers()
            if numbers.store == numbers.history { return numbers.store }
            try connection.execute(commit, [])
            guard waits else { throw .overBudget }
            guard MonotonicClock.now < end else {
                throw .busy(
                    "the store has saves up to \(numbers.store) and the history beside it up to "
                        + "\(numbers.history): the next save or opening mends this")
            }
            usleep(200)
        }
    }

    private static let begin = SQLText("BEGIN")
    private static let commit = SQLText("COMMIT")
}
