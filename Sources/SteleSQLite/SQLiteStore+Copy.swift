import SteleModel
import StelePersistence

/// Opening a store for work that leaves its file as it is.
extension SQLiteStore {
    /// Returns whether `open` would adopt a store's file, and changes neither the file nor its
    /// folder; false where there is no file or an empty one.
    /// - Parameters: as of `open`.
    /// - Throws: `StoreError`: `.incompatible` where the file is not a store of the model.
    public static func isToBeAdopted(
        path: String, model: Model, history: HistoryPlace = .auto,
        versionHashes: [String: [UInt8]]? = nil
    ) throws(StoreError) -> Bool {
        guard StoreLook.hasContents(path) else { return false }
        return try StoreLook.at(path) { (connection) throws(StoreError) in
            try StoreFile.check(connection, path, model, versionHashes).needsAdoption(history)
        }
    }

    /// Opens a private copy of a store's file, for work that is not kept; where there is no file,
    /// a new store. Nothing in the file's folder is changed or created, and changes of other programs
    /// are not seen. Closing removes the copy.
    ///
    /// The copy has no external files: their values cannot be read.
    /// - Parameters: as of `open`.
    /// - Throws: as `open`, and `StoreError.failed` for a copy that cannot be made.
    public static func openCopy(
        of path: String, model: Model, history: HistoryPlace = .auto,
        versionHashes: [String: [UInt8]]? = nil
    ) throws(StoreError) -> SQLiteStore {
        try check(model)
        let copy = try StoreLook.privateCopy(of: path)
        do throws(StoreError) {
            let store = try open(
                path: copy.file, model: model, history: history, versionHashes: versionHashes)
            store.copy.withLock { $0 = copy }
            return store
        } catch {
            throw error.replacing(copy.file, with: path)
        }
    }
}
