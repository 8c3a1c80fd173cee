import FoundationEssentials
import Glibc
import SteleGraph
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
    /// The classes of the entities' objects, by entity name.
    let classes: [String: ManagedObject.Type]

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
        do throws(StoreError) { return try openWhole(place, model) } catch {
            guard case .incompatible(code: 134100, _) = error,
                description.shouldMigrateStoreAutomatically
            else { throw error }
        }
        // Without a plan another program has migrated the store meanwhile.
        if let plan = try plan(for: place) {
            do {
                try place.migrate(
                    by: plan, policies: description.migrationPolicies, classes: classes)
            } catch {
                // So it may have where it has the store open.
                if MigrationPlan.isOutdated(by: error), let store = try? openWhole(place, model) {
                    return store
                }
                throw (error as? FailedMigrationStep)?.error ?? error
            }
        }
        return try openWhole(place, model)
    }

    /// Opens a store of the current version, and removes what a killed migration has left: none is
    /// running, because it would have the store to itself.
    private func openWhole(
        _ place: StorePlace, _ model: Model
    ) throws(StoreError) -> any PersistentStore {
        let store = try place.open(model)
        place.removeMigrationFolder()
        return store
    }

    private func place() throws -> StorePlace {
        let path = description.path
        do {
            var place = StorePlace(
                path: path, type: try StoreType.ofStore(at: path, given: description.type))
            // A new SQLite store gets hashes of Stele's, with which it is migrated in place.
            if !place.isSQLite || access(path, F_OK) == 0 {
                place.versionHashes = file.versionHashes
            }
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

    /// The steps to the current version; nil for a store of it.
    private func plan(for place: StorePlace) throws -> MigrationPlan? {
        let versions = try file.models().models.compactMap { try? stored($0) }
        guard
            var known = KnownVersions(
                versions.map { version in
                    var known = KnownVersion(hashing: version)
                    known.publishedHashes = file.versionHashes[version.name]
                    return known
                }, current: model.name)
        else { return nil }
        known.take(place.cachedVersion, configuration: description.configuration)
        guard let hashes = try place.versionHashes(among: known) else { return nil }
        let plan = try mappings().plan(storeHashes: hashes, versions: known)
        if plan.mayLeadBack {
            throw StoreError.incompatible(
                code: 134100,
                "\(place.path) is of a version that \(model.name) does not have, which may be a later "
                    + "one, and something of it would be removed: add the version, or migrate the "
                    + "store by stele migrate")
        }
        if plan.isBackward {
            throw StoreError.incompatible(
                code: 134100,
                "\(place.path) is of the later version \(plan.source.name), and going back to "
                    + "\(plan.destination.name) would lose what only that one has")
        }
        if let values = try place.valuesLeftOut(by: plan).first {
            throw StoreError.incompatible(
                code: 134100,
                "\(place.path) would lose \(values), which no property of \(plan.source.name) has: "
                    + "migrate the store by stele migrate")
        }
        if let rows = try place.rowsLeftOut(by: plan).first {
            throw StoreError.incompatible(
                code: 134100,
                "\(place.path) has rows in \(rows.table) with a Z_PK below 1, which no object has, and "
                    + "they would be removed: delete them, or migrate the store by stele migrate")
        }
        if let part = try place.partsLeftOut(by: plan).first {
            throw StoreError.incompatible(
                code: 134100,
                "\(place.path) would lose \(part): migrate the store by stele migrate")
        }
        if !description.shouldInferMappingModelAutomatically,
            let step = plan.steps.first(where: { $0.kind == .inferred })
        {
            throw MigrationError(
                .missingMappingModel,
                "there is no mapping model from \(step.source.name) to \(step.destination.name), "
                    + "and shouldInferMappingModelAutomatically is false")
        }
        for step in plan.steps { try checkPolicies(of: step) }
        return plan.isEmpty ? nil : plan
    }

    /// The mapping models of the description, of the program, and about the model.
    private func mappings() throws -> FoundMappings {
        var mappings =
            try file.path.map { try MappingSearch(model: $0).mappings() }
            ?? FoundMappings()
        for embedded in file.embeddedMappings {
            mappings.add { () throws(ModelErrors) in
                try MappingFile(embedded.bytes, path: embedded.name)
            }
        }
        mappings.given = description.mappingFiles
        mappings.removeRepeated()
        return mappings
    }

    /// - Throws: `MigrationError` (134170) for a policy that the description does not have, before
    ///   the store is touched.
    private func checkPolicies(of step: MigrationPlan.Step) throws {
        for mapping in step.mappingModel.entityMappings {
            guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty,
                description.migrationPolicies[name] == nil
            else { continue }
            throw MigrationError(
                .entityMigrationPolicy,
                "the mapping \(mapping.name) asks for the policy \(name), which is not registered",
                hint: "pass it in the migrationPolicies of the store's description, or a mapping "
                    + "file with expressions in its mappingFiles")
        }
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
