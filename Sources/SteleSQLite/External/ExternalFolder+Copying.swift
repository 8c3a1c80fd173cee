import FoundationEssentials
import Glibc
import SteleModel
import StelePersistence
import SteleSQL

/// Copying the external files of a store for a backup of it, and back.
extension ExternalFolder {
    /// The state of a file, by which a change of it is noticed.
    struct FileState: Equatable {
        var bytes: Int
        var seconds: Int
        var nanoseconds: Int

        /// Nil for a file that is not there.
        init?(_ path: String) {
            var found = stat()
            guard lstat(path, &found) == 0, found.st_mode & S_IFMT == S_IFREG else { return nil }
            bytes = Int(found.st_size)
            seconds = found.st_mtim.tv_sec
            nanoseconds = found.st_mtim.tv_nsec
        }
    }

    /// Copies the files to the folder of another store, which is on disk afterwards. A file that is
    /// removed meanwhile is passed over.
    /// - Parameter copied: the files that earlier calls have copied, with their states before. One
    ///   that has changed since, because a value was still being written, is copied again.
    /// - Throws: `StoreError`: `.failed` or `.noRoom`.
    func copyFiles(
        to other: ExternalFolder, _ copied: inout [UUID: FileState]
    ) throws(StoreError) {
        var isNew = false
        for name in sizes().keys {
            let (from, to) = (
                ExternalData(name, in: path).path, ExternalData(name, in: other.path).path
            )
            guard let state = FileState(from), copied[name] != state else { continue }
            if !isNew { try other.makeFolders(for: owner) }
            isNew = true
            if copied[name] != nil { unlink(to) }
            try Self.copy(from, to)
            copied[name] = state
        }
        if isNew { try Self.sync(folder: other.path) }
    }

    /// Makes the folders. A folder without an owner is one of another program.
    private func makeFolders(for owner: String) throws(StoreError) {
        if owner.isEmpty { try makeFolders() } else { try claim(for: owner) }
    }

    private static func copy(_ from: String, _ to: String) throws(StoreError) {
        do {
            try FileManager.default.copyItem(atPath: from, toPath: to)
        } catch {
            if access(from, F_OK) != 0 { return }
            if let space = error as? CocoaError, space.code == .fileWriteOutOfSpace {
                throw .noRoom("copying \(from): there is no room for it")
            }
            throw .failed("copying \(from) to \(to): \(error)")
        }
        try SQLiteStore.sync(to)
    }

    /// The files that the rows of a store name and that are not in the folder.
    func missing(_ connection: Connection) throws(StoreError) -> Int {
        let present = Set(sizes().keys)
        var missing = Set<UUID>()
        for (table, columns) in try StoreLayout(connection).dataColumns(connection) {
            let sql = Self.references(table, columns)
            for row in try connection.rows(sql, [], columns.map { _ in .external }) {
                for case .external(let data) in row where !present.contains(data.identifier) {
                    missing.insert(data.identifier)
                }
            }
        }
        return missing.count
    }
}
