import SteleFiles
import SteleMigration
import SteleModel
import SteleModelFiles
import StelePersistence
import SteleSQLite

/// Opens the store of a description, and migrates it first if it is of an older version.
struct StoreLoading {
    let description: PersistentStoreDescription
    let file: ModelFile
    /// The current version, with all entities.
    let model: Model

    /// - Throws: `StoreError`; `MigrationError` for a store that cannot be migrated.
    func open() throws -> any PersistentStore {
        let model = try stored(model)
        let path = description.path
        switch try type() {
        case .memory:
            if description.isReadOnly {
                throw StoreError.unsupported("a store in memory is empty, and cannot be read-only")
            }
            return InMemoryStore(model: model)
        case .file(let format):
            return description.isReadOnly
                ? try ReadOnlyFileStore.open(path: path, model: model, format: format)
                : try AtomicStore.open(path: path, model: model, format: format)
        case .sqlite:
            let hashes = file.versionHashes[model.name]
            if description.isReadOnly {
                return try ReadOnlySQLiteStore.open(
                    path: path, model: model, versionHashes: hashes)
            }
            if description.shouldMigrateStoreAutomatically { try migrate(to: model) }
            return try SQLiteStore.open(path: path, model: model, versionHashes: hashes)
        }
    }

    /// An existing file has its type; that of a new one is given, or follows from its name.
    private func type() throws -> StoreType {
        let path = description.path
        if path == PersistentStoreDescription.inMemoryPath { return .memory }
        let given = try description.type.map { name in
            guard let type = StoreType(named: name) else {
                throw StoreError.unsupported(
                    "there is no type of store \(name): the types are "
                        + StoreType.names.joined(separator: ", "))
            }
            return type
        }
        guard let found = try StoreType.ofFile(path) else {
            return given ?? StoreType.forName(path)
        }
        if let given, given.name != found.name {
            throw StoreError.incompatible(
                code: 134010, "\(path) is a store of the type \(found.name), not \(given.name)")
        }
        return found
    }

    /// A version of the model with the entities of the description's configuration.
    private func stored(_ model: Model) throws(StoreError) -> Model {
        guard let name = description.configuration else { return model }
        if let part = model.restricted(to: name) { return part }
        throw .invalid("the model \(model.name) has no configuration \(name)")
    }

    /// Migrates the file step by step, each in one transaction. A program that ends between two
    /// steps goes on from there the next time. A store that another program created, and that has
    /// not been opened yet, is opened as it is.
    private func migrate(to model: Model) throws {
        let path = description.path
        guard file.versions.count > 1, let hashes = try SQLiteStore.versionHashes(path: path),
            try SQLiteStore.isMigratedInPlace(path: path)
        else { return }
        let versions = try file.models().models.compactMap { try? stored($0) }
        guard
            let known = KnownVersions(
                versions.map(KnownVersion.init(hashing:)), current: model.name)
        else { return }
        for step in try MigrationPlan(storeHashes: hashes, versions: known).steps {
            try SQLiteStore.migrate(
                path: path, from: step.source.model, to: step.destination.model,
                by: step.mappingModel)
        }
    }
}
