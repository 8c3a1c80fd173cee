import Glibc
import StelePersistence

extension SQLiteStore {
    /// Closes the store, and removes its file where nothing was ever saved to it and no other
    /// program has it open, also none that uses SQLite without Stele.
    public func discardIfUnused() {
        defer { close() }
        // From here on no other program of Stele opens it.
        guard (try? excludeOthers()) != nil, (try? isUnused) == true else { return }
        closeConnections()
        guard (try? Self.checkIsClosed(path: path)) != nil else { return }
        _ = StoreSeal.take(off: path)
        let file = StoreLook.resolved(path)
        for ending in ["", "-wal", "-shm"] { unlink(file + ending) }
        // Only empty folders are removed: others have the files of a store that was here before.
        let folder = ExternalFolder(store: path)
        rmdir(folder.path)
        rmdir(folder.support)
    }

    private var isUnused: Bool {
        get throws(StoreError) {
            let reader = try reader(budget: nil)
            defer { reader.close() }
            return try reader.token == 0
        }
    }
}
