import FoundationEssentials
import Glibc
import StelePersistence

/// Putting a backup in the place of a store.
extension SQLiteStore {
    /// Puts a copy of a backup in the place of a store's file. The backup stays.
    ///
    /// The copy is made beside the store and brought to the disk. Then what is at the store's place
    /// moves into a folder beside it, and the copy takes its place. After the end of the process
    /// between these two steps the store is in that folder, and a repeated call finishes.
    /// - Parameters:
    ///   - backup: the file of a store, which no program changes.
    ///   - path: the store's file, which need not exist.
    /// - Returns: the folder with what was at the store's place; nil where there was nothing.
    /// - Throws: `StoreError`: `.incompatible` for a backup that is damaged or no store, or of
    ///   another store than that at `path`; `.busy` where a program has the store open; `.noRoom`
    ///   and `.failed`.
    public static func restore(
        _ backup: String, to path: String
    ) throws(StoreError) -> String? {
        let identifier = try check(backup)
        guard let lock = try StoreLock(store: path, whileAlone: {}) else {
            throw .failed("the lock file of \(path) cannot be created")
        }
        defer { lock.leave() }
        guard lock.excludeOthers() else { throw isOpenElsewhere(path) }
        let target = StoreLook.place(of: path)
        if StoreLook.hasContents(target) { try checkIsReplaceable(target, by: identifier, backup) }
        let staging = target + ".restore"
        do {
            try? FileManager.default.removeItem(atPath: staging)
            try FileManager.default.createDirectory(
                atPath: staging, withIntermediateDirectories: false)
        } catch { throw .failed("\(staging) cannot be created: \(error)") }
        defer { try? FileManager.default.removeItem(atPath: staging) }
        let cut = target.lastIndex(of: "/").map { target.index(after: $0) } ?? target.startIndex
        let (folder, name) = (String(target[..<cut]), String(target[cut...]))
        let copy = "\(staging)/\(name)"
        _ = try ExternalFolder(store: backup).copyFiles(to: ExternalFolder(store: copy))
        for ending in ["", StoreFile.historyEnding] where StoreLook.hasContents(backup + ending) {
            try StoreLook.copy(backup + ending, to: copy + ending)
            try sync(copy + ending)
            // SQLite has made none, or empty ones.
            for rest in ["-wal", "-shm"] { unlink(copy + ending + rest) }
        }
        try ExternalFolder.sync(folder: staging)
        let kept = try moveAside(target, folder, name)
        try move(from: staging, name, to: folder)
        return kept
    }

    /// Checks that a file is a whole store.
    /// - Returns: its identifier.
    private static func check(_ backup: String) throws(StoreError) -> String {
        try StoreLook.at(backup) { (connection) throws(StoreError) in
            let identifier = try StoreFile.look(connection, backup).identifier
            let result = try connection.single("PRAGMA quick_check(1)")
            guard result == .string("ok") else {
                throw .incompatible(
                    code: 259, "\(backup) is damaged (stele inspect says where): use another backup"
                )
            }
            return identifier
        }
    }

    /// Checks that no program has a store open, and that it is the one that the backup is of. A
    /// store that cannot be read may be replaced by any.
    private static func checkIsReplaceable(
        _ path: String, by identifier: String, _ backup: String
    ) throws(StoreError) {
        let found: String?
        do throws(StoreError) {
            found = try StoreLook.at(path) { (connection) throws(StoreError) in
                try StoreFile.look(connection, path).identifier
            }
        } catch {
            if case .busy = error { throw error }
            return
        }
        guard found == identifier else {
            throw .incompatible(
                code: 134020,
                "\(backup) is a backup of the store \(identifier), and \(path) is the store "
                    + "\(found ?? "without a UUID"): move that one away first")
        }
        do throws(StoreError) { _ = try checkIsClosed(path: path) } catch {
            if case .busy = error { throw error }
        }
    }

    /// Moves a store with all files that belong to it into a new folder beside it.
    private static func moveAside(
        _ target: String, _ folder: String, _ name: String
    ) throws(StoreError) -> String? {
        let support = ExternalFolder(store: target).support
        let endings = ["-wal", "-shm", "-seal"]
        let history =
            [StoreFile.historyEnding] + ["-wal", "-shm"].map { StoreFile.historyEnding + $0 }
        // The store's file is the first: without it, the rest means nothing.
        let files = ([""] + endings + history).map { target + $0 } + [support]
        let present = files.filter { access($0, F_OK) == 0 }
        guard !present.isEmpty else { return nil }
        var number = 1
        while access("\(target)-replaced-\(number)", F_OK) == 0 { number += 1 }
        let kept = "\(target)-replaced-\(number)"
        guard mkdir(kept, 0o755) == 0 else { throw ExternalFolder.failure("creating \(kept)") }
        for file in present {
            let last = file.lastIndex(of: "/").map { file[file.index(after: $0)...] } ?? file[...]
            guard rename(file, "\(kept)/\(last)") == 0 else {
                throw ExternalFolder.failure("moving \(file) to \(kept)")
            }
        }
        try ExternalFolder.sync(folder: kept)
        return kept
    }

    /// Moves the copy to the store's place, its file last.
    private static func move(
        from staging: String, _ name: String, to folder: String
    ) throws(StoreError) {
        let support = ExternalFolder(store: "\(staging)/\(name)").support
        let last = support.dropFirst(staging.count + 1)
        for item in [String(last), name + StoreFile.historyEnding, name]
        where access("\(staging)/\(item)", F_OK) == 0 {
            guard rename("\(staging)/\(item)", folder + item) == 0 else {
                throw ExternalFolder.failure("moving \(item) to its place")
            }
        }
        try ExternalFolder.sync(folder: folder.isEmpty ? "." : folder)
    }
}
