import FoundationEssentials
import Glibc
import SteleModel
import StelePersistence

/// Copying the external files of a store for a backup of it, and back.
extension ExternalFolder {
    /// Copies the files to the folder of another store, which is on disk afterwards. A file that is
    /// removed meanwhile is passed over.
    /// - Parameter known: files that the other folder has already.
    /// - Returns: the files that were copied.
    /// - Throws: `StoreError`: `.failed` or `.noRoom`.
    func copyFiles(
        to other: ExternalFolder, besides known: Set<UUID> = []
    ) throws(StoreError) -> Set<UUID> {
        let wanted = Set(sizes().keys).subtracting(known)
        guard !wanted.isEmpty else { return [] }
        // A folder without an owner is one of another program.
        if owner.isEmpty {
            try other.makeFolders()
        } else {
            try other.claim(for: owner)
        }
        var copied = Set<UUID>()
        for name in wanted {
            let (from, to) = (
                ExternalData(name, in: path).path, ExternalData(name, in: other.path).path
            )
            do {
                try FileManager.default.copyItem(atPath: from, toPath: to)
            } catch {
                unlink(to)
                if access(from, F_OK) != 0 { continue }
                if let space = error as? CocoaError, space.code == .fileWriteOutOfSpace {
                    throw .noRoom("copying \(from): there is no room for it")
                }
                throw .failed("copying \(from) to \(to): \(error)")
            }
            try SQLiteStore.sync(to)
            copied.insert(name)
        }
        try Self.sync(folder: other.path)
        return copied
    }
}
