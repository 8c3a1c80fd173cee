import FoundationEssentials
import Glibc
import StelePersistence
import SteleSQL

/// Copying a store while it is used.
///
/// A backup is the store's file, with the history beside it where there is one, and the folder of
/// external files. The pages are of one moment: they are read in one transaction, while saves go on.
/// An external file never changes once its row is committed, so the files are copied before the
/// pages, because later ones may remove them, and those that are new or have changed since after
/// them: all that a row of that moment names are then there as they were.
extension SQLiteStore {
    /// Copies the store as it is at one moment into a folder. Saves go on meanwhile; the log grows
    /// by them until the copy is made.
    /// - Throws: `StoreError`: the usual errors (`PersistentStore`), but never `.closed`. Files
    ///   that were copied so far stay.
    public func backUp(to folder: String) throws(StoreError) -> StoreBackup {
        try Self.backUp(path, to: folder) { (copy) throws(StoreError) in
            let connection = try Connection(path: path, creates: false)
            if historyFile == nil {
                try connection.run("BEGIN")
            } else {
                try connection.attachHistory()
                _ = try AttachedHistory.beginView(on: connection, waits: true)
            }
            let last = try connection.integer(Self.lastTransaction) ?? 0
            try connection.copyPages(to: copy)
            guard historyFile != nil else { return last }
            try connection.copyPages(of: "history", to: copy + StoreFile.historyEnding)
            return last
        }
    }

    /// Copies a store's file as it is at one moment into a folder, without opening the store:
    /// nothing in its folder is changed. Another program may use it meanwhile.
    /// - Parameters:
    ///   - path: the store's file.
    ///   - folder: as `backUp(to:)`.
    /// - Throws: `StoreError`: `.incompatible` for a file that is not a store, or a damaged one,
    ///   `.busy` where another program changes it all the time, `.noRoom`, `.failed`.
    public static func backUp(
        path: String, to folder: String
    ) throws(StoreError) -> StoreBackup {
        if let text = DamageMark.finding(path) {
            throw .incompatible(
                code: 134080,
                "\(path) was found to be damaged (\(text)): a backup would look whole, and lack the "
                    + "saves behind the damage. Keep a copy of all its files (\(path), -wal, -shm) "
                    + "instead; the steps are in Docs/Operations.md, Recovery")
        }
        _ = try StoreLook.at(path) { (connection) throws(StoreError) in
            try StoreFile.look(connection, path)
        }
        let history = StoreLook.resolved(path) + StoreFile.historyEnding
        return try backUp(path, to: folder) { (copy) throws(StoreError) in
            guard StoreLook.hasContents(history) else {
                try StoreLook.copy(path, to: copy)
                return nil
            }
            let beside = copy + StoreFile.historyEnding
            for _ in 0..<5 {
                try StoreLook.copy(path, to: copy)
                try StoreLook.copy(history, to: beside)
                let pair = try Connection(path: copy, creates: false)
                pair.leaveLog()
                try pair.attachHistory()
                let numbers = try AttachedHistory(pair).numbers()
                if numbers.store == numbers.history { return nil }
                for file in [copy, beside] { unlink(file) }
            }
            throw .busy(
                "\(path) is saved to all the time, and its history is in a file beside it: ask the "
                    + "service for a backup (POST /backup)")
        }
    }

    private static let lastTransaction = SQLText("SELECT MAX(Z_PK) FROM ATRANSACTION")

    /// Copies a store's files.
    /// - Parameter copyFile: copies the pages to a path, and returns the last transaction.
    private static func backUp(
        _ path: String, to folder: String,
        _ copyFile: (String) throws(StoreError) -> Int64?
    ) throws(StoreError) -> StoreBackup {
        let source = StoreLook.place(of: path)
        let name =
            source.lastIndex(of: "/").map { source[source.index(after: $0)...] } ?? source[...]
        let copy = "\(folder)/\(name)"
        let (old, new) = (ExternalFolder(store: path), ExternalFolder(store: copy))
        var external: [UUID: ExternalFolder.FileState] = [:]
        try old.copyFiles(to: new, &external)
        let transaction = try copyFile(copy)
        try old.copyFiles(to: new, &external)
        var backup = StoreBackup(
            files: [copy, copy + StoreFile.historyEnding].filter { access($0, F_OK) == 0 },
            bytes: 0, externalFiles: external.count, transaction: transaction)
        for file in backup.files {
            try give(file, theModeOf: source)
            try sync(file)
            backup.bytes += size(file)
            // SQLite has made none, or empty ones, for a file that nobody has written to.
            for ending in ["-wal", "-shm"] { unlink(file + ending) }
        }
        backup.bytes += new.sizes().values.reduce(0, +)
        try ExternalFolder.sync(folder: folder)
        return backup
    }

    private static func size(_ file: String) -> Int64 {
        var found = stat()
        return stat(file, &found) == 0 ? Int64(found.st_size) : 0
    }

    /// Gives a copy the mode of a file, and its owner where this process may.
    static func give(_ copy: String, theModeOf file: String) throws(StoreError) {
        var found = stat()
        guard stat(file, &found) == 0, chmod(copy, found.st_mode & 0o777) == 0,
            found.st_uid == geteuid() || geteuid() != 0
                || chown(copy, found.st_uid, found.st_gid) == 0
        else { throw ExternalFolder.failure("giving \(copy) the mode and owner of \(file)") }
    }

    static func sync(_ file: String) throws(StoreError) {
        let descriptor = Glibc.open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw ExternalFolder.failure("opening \(file)") }
        defer { Glibc.close(descriptor) }
        guard fsync(descriptor) == 0 else { throw ExternalFolder.failure("syncing \(file)") }
    }
}
