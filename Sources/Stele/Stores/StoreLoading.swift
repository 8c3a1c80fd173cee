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

    /// The current version with the entities that the store has.
    /// - Throws: `StoreError.invalid` for a configuration that the model does not have.
    func ownModel() throws(StoreError) -> Model { try stored(model) }

    /// - Throws: `StoreError`; `MigrationError` for a store that cannot be migrated.
    func open() throws -> any PersistentStore {
        let model = try ownModel()
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
            let published = file.versionHashes[model.name]
            if description.isReadOnly {
                return try ReadOnlySQLiteStore.open(
                    path: path, model: model, versionHashes: published)
            }
            // A new store gets hashes of Stele's, with which it can be migrated in place later.
            guard let hashes = try SQLiteStore.versionHashes(path: path) else {
                return try SQLiteStore.open(path: path, model: model)
            }
            if description.shouldMigrateStoreAutomatically { try migrate(hashes, to: model) }
            return try SQLiteStore.open(path: path, model: model, versionHashes: published)
        }
    }

    /// An existing file has its type; that of a new one is given, or follows from its name.
    private func type() throws(StoreError) -> StoreType {
        let path = description.path
        var given: StoreType?
        if let name = description.type {
            given = StoreType(named: name.lowercased())
            if given == nil {
                throw .unsupported(
                    "there is no type of store \(name): the types are "
                        + StoreType.names.joined(separator: ", "))
            }
        }
        let inMemory = PersistentStoreDescription.inMemoryPath
        if path == inMemory || given?.name == StoreType.memory.name {
            guard path == inMemory, given.map({ $0.name == StoreType.memory.name }) ?? true else {
                throw .unsupported("only a store of the type memory has the path \(inMemory)")
            }
            return .memory
        }
        guard let found = try StoreType.ofFile(path) else {
            return given ?? StoreType.forName(path)
        }
        if let given, given.name != found.name {
            throw .incompatible(
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
    /// steps goes on from there the next time. A store with version hashes that Core Data has
    /// computed is opened as it is, or refused: it cannot be migrated in place.
    /// - Parameter hashes: the version hashes that the file has.
    private func migrate(_ hashes: [String: [UInt8]], to model: Model) throws {
        let path = description.path
        guard file.versions.count > 1, try SQLiteStore.isMigratedInPlace(path: path) else {
            return
        }
        let versions = try file.models().models.compactMap { try? stored($0) }
        guard
            let known = KnownVersions(
                versions.map(KnownVersion.init(hashing:)), current: model.name)
        else { return }
        let plan = try MigrationPlan(storeHashes: hashes, versions: known)
        if plan.isBackward {
            throw StoreError.incompatible(
                code: 134100,
                "\(path) is of the later version \(plan.source.name), and going back to "
                    + "\(plan.destination.name) would lose what only that one has")
        }
        for step in plan.steps {
            try SQLiteStore.migrate(
                path: path, from: step.source.model, to: step.destination.model,
                by: step.mappingModel)
        }
    }
}
