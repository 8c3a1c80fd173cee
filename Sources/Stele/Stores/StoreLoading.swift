import SteleMigration
import SteleModel
import SteleModelFiles
import StelePersistence

/// Opens the store of a description, and migrates it first if it is of an older version.
struct StoreLoading {
    let description: PersistentStoreDescription
    let file: ModelFile
    /// The current version, with all entities.
    let model: Model

    /// The current version with the entities that the store has.
    /// - Throws: `StoreError.invalid` for a configuration that the model does not have.
    func ownModel() throws(StoreError) -> Model { try stored(model) }

    /// Opens the store.
    /// - Throws: `StoreError`; `ModelErrors` for a mapping model that cannot be read;
    ///   `MigrationError` for a store that cannot be migrated; the error of a policy.
    func open() throws -> any PersistentStore {
        let model = try ownModel()
        let place = try place()
        if description.isReadOnly { return try place.openReadOnly(model) }
        let plan: MigrationPlan
        do throws(StoreError) {
            let store = try place.open(model)
            // No migration is running, because it would have the store to itself.
            place.removeMigrationFolder()
            return store
        } catch {
            guard case .incompatible(code: 134100, _) = error,
                description.shouldMigrateStoreAutomatically, let found = try self.plan(for: place)
            else { throw error }
            plan = found
        }
        do { try place.migrate(by: plan, policies: description.migrationPolicies) } catch {
            throw (error as? FailedMigrationStep)?.error ?? error
        }
        return try place.open(model)
    }

    private func place() throws -> StorePlace {
        let path = description.path
        do {
            var place = StorePlace(
                path: path, type: try StoreType.ofStore(at: path, given: description.type))
            place.versionHashes = file.versionHashes
            return place
        } catch let mistake as StoreTypeMistake {
            throw mistake.error
        }
    }

    /// A version of the model with the entities of the description's configuration.
    private func stored(_ model: Model) throws(StoreError) -> Model {
        guard let name = description.configuration else { return model }
        if let part = model.restricted(to: name) { return part }
        throw .invalid("the model \(model.name) has no configuration \(name)")
    }

    /// The steps to the current version; nil for a model without another version, and for a store
    /// of the current one.
    private func plan(for place: StorePlace) throws -> MigrationPlan? {
        let versions = try file.models().models.compactMap { try? stored($0) }
        guard versions.count > 1,
            let known = KnownVersions(
                versions.map(KnownVersion.init(hashing:)), current: model.name),
            let hashes = try place.versionHashes(among: known)
        else { return nil }
        let found = try file.path.map { try MappingSearch(model: $0).mappings() } ?? []
        let plan = try MigrationPlan(
            storeHashes: hashes, versions: known,
            mappings: (description.mappingFiles + found).map(KnownMapping.init))
        if plan.isBackward {
            throw StoreError.incompatible(
                code: 134100,
                "\(place.path) is of the later version \(plan.source.name), and going back to "
                    + "\(plan.destination.name) would lose what only that one has")
        }
        if !description.shouldInferMappingModelAutomatically,
            let step = plan.steps.first(where: { $0.kind == .inferred })
        {
            throw MigrationError(
                .missingMappingModel,
                "there is no mapping model from \(step.source.name) to \(step.destination.name), "
                    + "and shouldInferMappingModelAutomatically is false")
        }
        return plan.isEmpty ? nil : plan
    }
}

extension StoreTypeMistake {
    /// The error of a description.
    fileprivate var error: StoreError {
        switch self {
        case .unknown(let name):
            .unsupported(
                "there is no type of store \(name): the types are "
                    + StoreType.names.joined(separator: ", "))
        case .hasNoFile, .hasFile:
            .unsupported(
                "only a store of the type memory has the path "
                    + PersistentStoreDescription.inMemoryPath)
        case .isOther(let path, let found, let given):
            .incompatible(
                code: 134010, "\(path) is a store of the type \(found.name), not \(given.name)")
        }
    }
}
