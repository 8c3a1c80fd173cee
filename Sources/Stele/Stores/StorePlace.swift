import FoundationEssentials
import Glibc
import SteleFiles
import SteleMigration
import SteleModel
import StelePersistence
import SteleSQLite

/// Where a store is, its type, and the version hashes that it gets: what opening and migrating it
/// have in common.
package struct StorePlace: Sendable {
    /// The path of the file, or `PersistentStoreDescription.inMemoryPath`.
    package let path: String
    /// The type of the existing file, or of the one that opening creates.
    package let type: StoreType
    /// Where an SQLite store that another program created has its history.
    package var history = HistoryPlace.auto
    /// The version hashes that Core Data has computed, by the names of the versions. A new SQLite
    /// store gets those of its model.
    package var versionHashes: [String: [String: [UInt8]]] = [:]

    package init(path: String, type: StoreType) {
        self.path = path
        self.type = type
    }

    /// Whether the store is an SQLite store.
    package var isSQLite: Bool { if case .sqlite = type { true } else { false } }

    /// Opens the store, and creates its file where there is none.
    /// - Throws: `StoreError`.
    package func open(_ model: Model) throws(StoreError) -> any PersistentStore {
        try make(path, model)
    }

    /// Opens or creates a store of the same type at another path.
    /// - Parameters:
    ///   - path: the path of the other store.
    ///   - model: its model.
    ///   - identifier: the UUID of a new store; nil for one of its own.
    /// - Throws: `StoreError`.
    package func make(
        _ path: String, _ model: Model, identifier: String? = nil
    ) throws(StoreError) -> any PersistentStore {
        switch type {
        case .memory: InMemoryStore(model: model)
        case .file(let format):
            try AtomicStore.open(path: path, model: model, format: format, identifier: identifier)
        case .sqlite:
            try SQLiteStore.open(
                path: path, model: model, identifier: identifier, history: history,
                versionHashes: publishedHashes(of: model))
        }
    }

    /// Opens the store without a change to its folder.
    /// - Parameters:
    ///   - model: the model of the store.
    ///   - copies: whether an SQLite store that another program made is copied before it is read.
    /// - Throws: `StoreError`: `.unsupported` for a store in memory.
    package func openReadOnly(
        _ model: Model, copies: Bool = false
    ) throws(StoreError) -> any PersistentStore {
        switch type {
        case .memory:
            throw .unsupported("a store of the type memory is empty: read-only needs a file")
        case .file(let format):
            try ReadOnlyFileStore.open(path: path, model: model, format: format)
        case .sqlite:
            try ReadOnlySQLiteStore.open(
                path: path, model: model, versionHashes: versionHashes[model.name], copies: copies)
        }
    }

    /// The version hashes that Core Data has computed for the stored entities of a model; nil where
    /// one of them is not known.
    package func publishedHashes(of model: Model) -> [String: [UInt8]]? {
        let stored = Set(model.storedEntities.map(\.name))
        let known = versionHashes[model.name]?.filter { stored.contains($0.key) }
        return known?.count == stored.count ? known : nil
    }

    /// The model that the store has of itself, as a version; nil for a store without a file.
    package var cachedVersion: Result<KnownVersion, ModelErrors>? {
        guard !type.isMemory, access(path, F_OK) == 0 else { return nil }
        return Result { () throws(ModelErrors) in
            let file =
                switch type {
                case .file(let format): try AtomicStore.modelFile(path: path, format: format)
                default: try SQLiteStore.modelFile(path: path)
                }
            return try KnownVersion(cachedIn: file)
        }
    }

    /// The version hashes of the store; nil for one that does not exist yet. Those of a store that
    /// another program created are replaced by those of the version that fits it.
    /// - Parameter versions: the versions of which the store may be.
    /// - Throws: `StoreError`, for a file of another format than SQLite also where it is of none of
    ///   the versions.
    package func versionHashes(
        among versions: KnownVersions
    ) throws(StoreError) -> [String: [UInt8]]? {
        if isSQLite {
            guard let hashes = try SQLiteStore.versionHashes(path: path) else { return nil }
            let candidates = versions.candidates
            let model = try SQLiteStore.adoptableModel(
                path: path, among: candidates.map(\.model), versionHashes)
            return candidates.first { $0.name == model?.name }?.hashes ?? hashes
        }
        guard !type.isMemory, FileManager.default.fileExists(atPath: path) else { return nil }
        var refusal: StoreError?
        for version in versions.candidates {
            do throws(StoreError) {
                try openReadOnly(version.model).close()
                return version.hashes
            } catch {
                refusal = refusal ?? error
            }
        }
        if let refusal { throw refusal }
        return nil
    }
}
