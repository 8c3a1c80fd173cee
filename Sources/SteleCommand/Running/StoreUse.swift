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
    /// - Throws: `StoreError`, also for a store in memory that is only read.
    func openUnchanged(_ model: Model) throws -> (any PersistentStore)? {
        switch use {
        case .write: nil
        case .read: try isToBeAdopted(model) ? place.openReadOnly(model, copies: true) : nil
        case .readOnly: try place.openReadOnly(model)
        case .trial: try openCopy(model)
        }
    }

    /// Whether another program made the store, and opening it for writing would adopt it.
    private func isToBeAdopted(_ model: Model) throws(StoreError) -> Bool {
        isSQLite
            ? try SQLiteStore.isToBeAdopted(
                path: path, model: model, history: place.history,
                versionHashes: place.versionHashes[model.name])
            : false
    }

    /// Opens a copy; nil for a store in memory, and for an SQLite store that is Stele's already.
    private func openCopy(_ model: Model) throws(StoreError) -> (any PersistentStore)? {
        switch place.type {
        case .memory: return nil
        case .file(let format):
            return try AtomicStore.openCopy(of: path, model: model, format: format)
        case .sqlite:
            if try SQLiteStore.versionHashes(path: path) != nil, try !isToBeAdopted(model) {
                return nil
            }
            return try SQLiteStore.openCopy(
                of: path, model: model, history: place.history,
                versionHashes: place.publishedHashes(of: model))
        }
    }
}
