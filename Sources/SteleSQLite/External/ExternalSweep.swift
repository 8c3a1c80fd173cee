import CSQLite
import SteleModel
import StelePersistence
import SteleSQL
import SteleSystem

/// Removes files of external values that nothing names, on a thread of its own, in the view of the
/// moment of the opening. It reads all rows that may name one, so an opening does not wait for it.
final class ExternalSweep: Sendable {
    private let isStopped = Mutex(false)

    /// Starts a sweep where the folder has files that it may remove.
    /// - Parameters:
    ///   - path: the store's file.
    ///   - identifier: the store's NSStoreUUID.
    /// - Returns: the sweep and its thread; nil where there are no such files.
    /// - Throws: errors of SQLite from opening the view.
    static func start(
        _ folder: ExternalFolder, _ path: String, _ schema: SQLSchema, identifier: String,
        attachesHistory: Bool
    ) throws(StoreError) -> (sweep: ExternalSweep, thread: SystemThread)? {
        let files = folder.oldFiles(identifier: identifier, age: Limits.orphanSeconds)
        if files.isEmpty { return nil }
        let connection = try Connection(path: path, creates: false)
        if attachesHistory { try connection.attachHistory() }
        try connection.run("BEGIN")
        _ = try connection.single("SELECT COUNT(*) FROM sqlite_master")
        if attachesHistory {
            _ = try connection.single("SELECT COUNT(*) FROM history.sqlite_master")
        }
        let sweep = ExternalSweep()
        nonisolated(unsafe) let moved = connection
        let thread = SystemThread(name: "stele-sweep") { sweep.run(files, folder, schema, moved) }
        // Without a thread the next opening tries again.
        guard let thread else { return nil }
        return (sweep: sweep, thread: thread)
    }

    /// Ends the sweep; nothing is removed then.
    func stop() { isStopped.withLock { $0 = true } }

    private func run(
        _ files: Set<UUID>, _ folder: ExternalFolder, _ schema: SQLSchema, _ connection: Connection
    ) {
        sqlite3_progress_handler(
            connection.handle, 10_000,
            { context in
                guard let context else { return 0 }
                let sweep = Unmanaged<ExternalSweep>.fromOpaque(context).takeUnretainedValue()
                return sweep.isStopped.withLock { $0 } ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
        // After an error nothing has been removed, and the next opening tries again.
        try? folder.remove(files, unlessNamedIn: schema, connection)
        sqlite3_progress_handler(connection.handle, 0, nil, nil)
        _ = try? connection.run("COMMIT")
    }
}
