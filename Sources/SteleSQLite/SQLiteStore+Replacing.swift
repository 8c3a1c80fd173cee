import Glibc
import SteleModel
import StelePersistence
import SteleSQL

/// Looking into a store's file without opening the store, and replacing it by another.
extension SQLiteStore {
    /// Returns the version hashes of a store's file, by entity name, without opening the store
    /// (NSPersistentStoreCoordinator.metadataForPersistentStore(with:)); nil where there is no file
    /// or an empty one.
    /// - Throws: `StoreError`: `.incompatible` for a file that is not a store.
    public static func versionHashes(path: String) throws(StoreError) -> [String: [UInt8]]? {
        try metadata(path: path)?.versionHashes
    }

    /// Returns the checksum of the model that a store's file was made with, without opening the
    /// store (NSStoreModelVersionChecksumKey); nil where the file has none, or does not exist.
    /// - Throws: as `versionHashes(path:)`.
    public static func versionChecksum(path: String) throws(StoreError) -> String? {
        try metadata(path: path)?.versionChecksum
    }

    /// Returns whether a store's file can be migrated by `migrate`: not one that another program
    /// created.
    /// - Throws: as `versionHashes(path:)`.
    public static func isMigratedInPlace(path: String) throws(StoreError) -> Bool {
        try !(metadata(path: path)?.hasForeignHashes ?? false)
    }

    private static func metadata(path: String) throws(StoreError) -> StoreMetadata? {
        var found = stat()
        guard stat(path, &found) == 0, found.st_size > 0 else { return nil }
        return try StoreLook.at(path) { (connection) throws(StoreError) in
            try StoreFile.look(connection, path).metadata
        }
    }

    /// Keeps other programs from opening the store until it is closed. They wait for
    /// some seconds.
    /// - Throws: `StoreError.busy` where another program has it open.
    public func excludeOthers() throws(StoreError) {
        let isAlone = lock.withLock { $0?.excludeOthers() ?? false }
        guard isAlone else { throw Self.isOpenElsewhere(path) }
    }

    static func isOpenElsewhere(_ path: String) -> StoreError {
        .busy("\(path) is open in another program: close it there first")
    }

    /// Checks that no program has a store's file open, also none that uses SQLite without Stele.
    /// What is in a write-ahead log is written back, unless it is damaged.
    /// A file in rollback-journal mode is converted to WAL: programs that have one of these open
    /// cannot be found.
    /// - Parameter path: a file that this process does not have open either.
    /// - Returns: the mode that it had.
    /// - Throws: `StoreError.busy` where a program has it open.
    static func checkIsClosed(path: String) throws(StoreError) -> JournalMode {
        let connection = try Connection(path: path, creates: false)
        // A log that could be mended stays for the copy that is kept.
        if DamageMark.finding(path) != nil { connection.leaveLog() }
        var mode = JournalMode.log
        try lock(connection, path) { () throws(StoreError) in
            _ = try connection.single("SELECT COUNT(*) FROM sqlite_master")
            if try connection.single("PRAGMA journal_mode") != .string("wal") {
                let head = FileHead(connection)
                try StoreFile.turnOnLog(connection, path)
                _ = try connection.single("SELECT COUNT(*) FROM sqlite_master")
                mode = .rollback(head, since: StoreLook.lastChange(path))
            }
        }
        return mode
    }

    /// How the changes of a transaction can be undone.
    enum JournalMode {
        case log
        /// By a rollback journal, before the file was converted to a log.
        /// - Parameter since: the last change of the file, which is the conversion.
        case rollback(FileHead?, since: [Int])

        var isRollback: Bool { if case .rollback = self { true } else { false } }
    }

    /// Brings a file back into the mode that it had, byte by byte if no other program has changed
    /// it, and removes an empty log. Another program that has it open keeps both.
    static func restore(_ mode: JournalMode, of path: String) {
        guard let connection = try? Connection(path: path, creates: false) else { return }
        // The last connection that has read removes the log.
        defer { _ = try? connection.single("SELECT COUNT(*) FROM sqlite_master") }
        guard case .rollback(let head, let last) = mode else {
            _ = try? connection.single("PRAGMA journal_mode = WAL")
            return
        }
        _ = try? connection.run("PRAGMA locking_mode = EXCLUSIVE")
        // What another program has saved since is in the log, or was copied into the file.
        let isSame =
            (try? connection.single("SELECT COUNT(*) FROM sqlite_master")) != nil
            && StoreLook.lastChange(path) == last
            && !StoreLook.hasFrames(StoreLook.resolved(path) + "-wal")
        guard case .string("delete")? = try? connection.single("PRAGMA journal_mode = DELETE")
        else { return }
        // The hold has left it, and no program has the file open.
        unlink(StoreLook.resolved(path) + "-shm")
        if isSame { head?.restore(connection) }
    }

    /// Keeps other programs from changing a store's file, also those that use SQLite without Stele,
    /// until the returned value is gone: they wait, and are refused. This program cannot change it
    /// either.
    /// - Throws: `StoreError.busy` where another program is changing it.
    static func holdWrites(path: String) throws(StoreError) -> WriteHold {
        do throws(StoreError) { return try WriteHold(path) } catch {
            if case .busy = error { throw isOpenElsewhere(path) }
            throw error
        }
    }

    /// Opens a store's file for this connection alone. The file has no write-ahead log afterwards.
    /// - Parameter hold: given up just before.
    /// - Throws: as `checkIsClosed(path:)`, and `.busy` where a program has changed the file since.
    private static func openAlone(
        _ path: String, after hold: WriteHold
    ) throws(StoreError) -> Connection {
        let log = hold.end()
        let connection = try Connection(path: path, creates: false)
        try lock(connection, path) { () throws(StoreError) in
            _ = try connection.single("SELECT COUNT(*) FROM sqlite_master")
        }
        guard LogState(path) == log else {
            throw .busy(
                "another program has changed \(path) meanwhile: close it there, and start again")
        }
        guard case .string("delete") = try connection.single("PRAGMA journal_mode = DELETE")
        else { throw isOpenElsewhere(path) }
        // The hold has left it, and no program has the file open.
        unlink(StoreLook.resolved(path) + "-shm")
        return connection
    }

    /// Takes SQLite's exclusive lock with the first access, and keeps it. Every program that has a
    /// file in WAL mode open has a shared lock on it.
    private static func lock(
        _ connection: Connection, _ path: String, _ access: () throws(StoreError) -> Void
    ) throws(StoreError) {
        try connection.run("PRAGMA locking_mode = EXCLUSIVE")
        do throws(StoreError) { try access() } catch {
            if case .busy = error { throw isOpenElsewhere(path) }
            throw error
        }
    }

    /// Replaces the store's file by that of another store, which is then gone, and closes this store
    /// (NSPersistentStoreCoordinator.replacePersistentStore(at:withPersistentStoreFrom:)).
    ///
    /// The file is replaced by a rename, so that after the end of the process at any moment the path
    /// has one store or the other, whole. What this store's metadata has of other programs and of
    /// users, and its receipts, are carried over. External files of the other store are moved into
    /// this store's folder first, and those that it does not have are removed last. A save that is
    /// waiting is done first, and later ones throw `.closed`.
    /// - Parameter other: the path of a closed store on the same file system.
    /// - Throws: `StoreError`: `.busy` where another program has one of the two open, also one that
    ///   uses SQLite without Stele, and `.failed`.
    public func replaceFile(with other: String) throws(StoreError) {
        defer { close() }
        try excludeOthers()
        // A later save would be lost, or change the file after it was checkpointed.
        stopWriting()
        let hold = try Self.holdWrites(path: path)
        closeConnections()
        try Self.replaceFile(of: path, identifier, with: other, after: hold)
    }

    /// Replaces a file that is held, and that this program has no other connection to.
    /// - Parameters:
    ///   - store: the path of the file, or a link to it.
    ///   - identifier: of both stores.
    ///   - hold: what has kept other programs from changing the file since it was read.
    static func replaceFile(
        of store: String, _ identifier: String, with other: String, after hold: WriteHold
    ) throws(StoreError) {
        // A link is followed, because the file that it leads to is replaced, and not the link.
        let path = StoreLook.resolved(store)
        try carry(from: path, to: other)
        try syncEmptyLog(of: other)
        // Another program with the file open would write to its log, which would be taken for that
        // of the new file.
        let alone = try openAlone(path, after: hold)
        defer { withExtendedLifetime(alone) {} }
        var old = stat()
        guard stat(path, &old) == 0, chmod(other, old.st_mode & 0o777) == 0,
            old.st_uid == geteuid() || chown(other, old.st_uid, old.st_gid) == 0
        else { throw failure("giving the new store the mode and owner of \(path)") }
        let gone = try ExternalFolder(store: store).take(
            from: ExternalFolder(store: other), for: identifier, owner: old)
        _ = StoreSeal.take(off: path)
        guard rename(other, path) == 0 else { throw failure("replacing \(path)") }
        // The new file has its history in itself.
        StoreFile.removeHistoryFile(of: path)
        try ExternalFolder.sync(folder: folder(of: path))
        ExternalFolder.discard(gone)
    }

    /// Checks that a store has no write-ahead log or an empty one, which is on disk.
    private static func syncEmptyLog(of store: String) throws(StoreError) {
        let log = Glibc.open(store + "-wal", O_RDONLY | O_CLOEXEC)
        if log < 0 { return }
        defer { Glibc.close(log) }
        var found = stat()
        guard fstat(log, &found) == 0, found.st_size == 0 else {
            throw .failed("\(store) has a write-ahead log that cannot be written back")
        }
        guard fsync(log) == 0 else { throw failure("syncing \(store)-wal") }
    }

    private static func failure(_ action: String) -> StoreError {
        .failed("\(action): \(String(cString: strerror(errno)))")
    }

    /// Copies what a migration by objects does not carry: the metadata of other programs and of
    /// users, permanent receipts, and the highest keys.
    /// - Parameters:
    ///   - path: the file of a store, which may be open.
    ///   - other: the file of a closed store, whose write-ahead log is empty afterwards.
    /// - Throws: `StoreError`.
    public static func carry(from path: String, to other: String) throws(StoreError) {
        let connection = try Connection(path: other, creates: false)
        try StoreLook.at(path) { (old) throws(StoreError) in
            let found = try StoreFile.look(old, path).metadata
            var metadata = try StoreFile.look(connection, other).metadata
            metadata.adopt(found)
            try connection.run("BEGIN")
            do throws(StoreError) {
                try metadata.write(to: connection)
                // One that Stele has not opened for writing has no receipts.
                if found.generation != nil { try Receipts(connection).carryOver(from: old) }
                try connection.run("COMMIT")
            } catch {
                _ = try? connection.run("ROLLBACK")
                throw error
            }
        }
        _ = try connection.single("PRAGMA wal_checkpoint(TRUNCATE)")
        try syncEmptyLog(of: other)
    }

    /// Moves the external files of a closed store to the folder that belongs to its file at another
    /// path. The file follows by `finishMovingExternalFiles`; until then a repeated call removes
    /// what an interrupted one has moved.
    /// - Throws: `StoreError.failed`, also where another store has that folder.
    public static func moveExternalFiles(
        from path: String, to other: String
    ) throws(StoreError) {
        let (old, new) = (ExternalFolder(store: path), ExternalFolder(store: other))
        guard old.exists else { return }
        try new.removeUnfinished(movedTo: other)
        try new.take(old, movedTo: other)
    }

    /// Ends `moveExternalFiles`, after the file is at its path.
    public static func finishMovingExternalFiles(to other: String) {
        ExternalFolder(store: other).finishMove()
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}

/// A write transaction on a store's file that writes nothing, so that no other program writes.
final class WriteHold {
    private var connection: Connection?
    private let path: String

    fileprivate init(_ path: String) throws(StoreError) {
        self.path = path
        let connection = try Connection(path: path, creates: false)
        // Its close would write the log back.
        connection.leaveLog()
        try connection.run("BEGIN IMMEDIATE")
        self.connection = connection
    }

    /// Ends the transaction.
    /// - Returns: the state of the write-ahead log, which the next change by any program changes.
    fileprivate func end() -> LogState? {
        let state = LogState(path)
        connection = nil
        return state
    }
}

/// What the file system tells of a store's write-ahead log.
private struct LogState: Equatable {
    private let inode: UInt
    private let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// Nil where there is no log.
    init?(_ store: String) {
        var found = stat()
        guard stat(StoreLook.resolved(store) + "-wal", &found) == 0 else { return nil }
        inode = found.st_ino
        size = found.st_size
        seconds = found.st_mtim.tv_sec
        nanoseconds = found.st_mtim.tv_nsec
    }
}
