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
        guard isAlone else {
            throw .busy(
                "\(path) is open in another program: close it there first")
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
    /// - Throws: `StoreError`: `.busy` as `excludeOthers()`, and `.failed`.
    public func replaceFile(with other: String) throws(StoreError) {
        defer { close() }
        // A link is followed, because the file that it leads to is replaced, and not the link.
        let path =
            realpath(self.path, nil).map { found in
                defer { free(found) }
                return String(cString: found)
            } ?? self.path
        try excludeOthers()
        // A later save would be lost, or change the file after it was checkpointed.
        stopWriting()
        try Self.carry(from: path, to: other)
        let connection = try Connection(path: path, creates: false)
        _ = try connection.single("PRAGMA wal_checkpoint(TRUNCATE)")
        // A write-ahead log that is left behind would be taken for that of the new file.
        for file in [path, other] { try Self.syncEmptyLog(of: file) }
        var old = stat()
        guard stat(path, &old) == 0, chmod(other, old.st_mode & 0o777) == 0,
            old.st_uid == geteuid() || chown(other, old.st_uid, old.st_gid) == 0
        else { throw Self.failure("giving the new store the mode and owner of \(path)") }
        let gone = try ExternalFolder(store: self.path).take(
            from: ExternalFolder(store: other), for: identifier, owner: old)
        _ = StoreSeal.take(off: path)
        guard rename(other, path) == 0 else { throw Self.failure("replacing \(path)") }
        // The new file has its history in itself.
        StoreFile.removeHistoryFile(of: path)
        try ExternalFolder.sync(folder: Self.folder(of: path))
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
        try connection.execute(SQLText("ATTACH ?1 AS old"), [.string(path)])
        let old = try StoreFile.look(try Connection(path: path, creates: false), path).metadata
        var metadata = try StoreFile.look(connection, other).metadata
        metadata.adopt(old)
        try connection.run("BEGIN IMMEDIATE")
        do throws(StoreError) {
            try metadata.write(to: connection)
            try Receipts.carryOver(from: "old", connection)
            try connection.run("COMMIT")
        } catch {
            _ = try? connection.run("ROLLBACK")
            throw error
        }
        try connection.run("DETACH old")
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
