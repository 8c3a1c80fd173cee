/// Opening a store so that a command that keeps nothing changes nothing.

import SteleFiles
import SteleModel
import StelePersistence
import SteleSQLite

/// What a command does with a store.
enum StoreUse {
    /// It may change it.
    case write
    /// It reads it. Of a store that another program made, and that Stele has not adopted yet, a
    /// private copy is read, because that program may change it.
    case read
    /// It reads it, and nothing in its folder is changed or created.
    case readOnly
    /// It changes it, and keeps nothing. Where opening would create or adopt the file, a copy is
    /// opened that is removed at the end.
    case trial
}

extension StoreOpening {
    /// Opens the store without a change to its folder; nil where its use allows to open the file
    /// itself for writing.
    /// - Throws: `StoreError`, and `Failure` for a store in memory that is only read.
    func openUnchanged(_ model: Model) throws -> (any PersistentStore)? {
        switch use {
        case .write: nil
        case .read: try isToBeAdopted(model) ? openReadOnly(model, copies: true) : nil
        case .readOnly: try openReadOnly(model)
        case .trial: try openCopy(model)
        }
    }

    /// Whether another program made the store, and opening it for writing would adopt it.
    private func isToBeAdopted(_ model: Model) throws(StoreError) -> Bool {
        isSQLite
            ? try SQLiteStore.isToBeAdopted(path: path, model: model, history: history) : false
    }

    private func openReadOnly(
        _ model: Model, copies: Bool = false
    ) throws -> any PersistentStore {
        if type == InMemoryStore.type {
            throw Failure("a store of the type memory is empty: read-only needs a file")
        }
        guard let format = FileFormats.named(type) else {
            return try ReadOnlySQLiteStore.open(
                path: path, model: model, versionHashes: versionHashes[model.name],
                copies: copies)
        }
        return try ReadOnlyFileStore.open(path: path, model: model, format: format)
    }

    /// Opens a copy; nil for a store in memory, and for an SQLite store that is Stele's already.
    private func openCopy(_ model: Model) throws(StoreError) -> (any PersistentStore)? {
        if type == InMemoryStore.type { return nil }
        if let format = FileFormats.named(type) {
            return try AtomicStore.openCopy(of: path, model: model, format: format)
        }
        if try SQLiteStore.versionHashes(path: path) != nil, try !isToBeAdopted(model) {
            return nil
        }
        return try SQLiteStore.openCopy(
            of: path, model: model, history: history, versionHashes: publishedHashes(of: model))
    }
}
