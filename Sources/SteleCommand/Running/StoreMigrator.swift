/// Taking a store to the current version of its model.

import FoundationEssentials
import Stele
import SteleMigration
import SteleModel
import StelePersistence

/// Migrates a store that was made with another version of its model.
struct StoreMigrator {
    let opening: StoreOpening
    let package: ModelPackage

    init(opening: StoreOpening, package: ModelPackage) {
        var own = opening
        own.place.versionHashes = package.versionHashes
        self.opening = own
        self.package = package
    }

    /// The way to the current version; nil for a store that does not exist yet.
    /// - Throws: `MigrationError` if there is no way.
    func plan() throws -> MigrationPlan? {
        let versions = try package.versions()
        let found: [String: [UInt8]]?
        do throws(StoreError) { found = try opening.place.versionHashes(among: versions) } catch {
            guard let name = otherConfiguration else { throw opening.located(error) }
            throw Failure("\(opening.path): \(Self.hint(to: name, shellWord(opening.path)))")
        }
        guard let hashes = found else { return nil }
        do {
            return try MigrationPlan(
                storeHashes: hashes, versions: versions,
                mappings: package.mappingSearch.mappings().map(KnownMapping.init))
        } catch var error as MigrationError {
            guard error.code == .missingSourceModel else { throw error }
            error.reasons += try package.ignoredVersions()
            let path = shellWord(opening.path)
            if let name = package.configuration(ofEntities: Set(hashes.keys)),
                name != package.configuration
            {
                error.hint = Self.hint(to: name, path)
            }
            error.hint =
                (error.hint.map { "\($0); " } ?? "")
                + "stele model contents \(path) writes the model that is in the store, if there is one"
                + (opening.ownModelHint.map { "; \($0)" } ?? "")
            throw error
        }
    }

    private static func hint(to configuration: String, _ path: String) -> String {
        "its entities are those of the configuration \(configuration): give it by --store "
            + "\(configuration)=\(path)"
    }

    /// The configuration, other than the given one, whose entities a store has that is read by its
    /// model; nil for none.
    private var otherConfiguration: String? {
        // An SQLite store's entities are known from its hashes, and opening it may change it.
        if opening.isSQLite { return nil }
        let whole = package.model.whole
        return whole.declaration.configurations.map(\.name).first { name in
            guard name != package.configuration, let own = whole.restricted(to: name),
                own.storedEntities.count < whole.entities.count,
                let store = try? opening.openAsIs(own)
            else { return false }
            store.close()
            return true
        }
    }

    /// Migrates the store completely or not at all.
    func migrate(by plan: MigrationPlan, _ report: @escaping (MigrationProgress) -> Void) throws {
        if plan.isEmpty {
            // A migration that was killed after its last step has left its folder, which opening
            // the store removes.
            guard FileManager.default.fileExists(atPath: opening.place.migrationFolder) else {
                return
            }
            return try opening.open(package, .refuse).close()
        }
        try checkPolicies(of: plan)
        do {
            if try opening.place.migrate(by: plan, report) { opening.reportConversion() }
        } catch let failed as FailedMigrationStep {
            throw failed.step.located(failed.error)
        } catch let error as StoreError {
            throw opening.located(error)
        }
    }
}

extension MigrationPlan.Step {
    /// An error of the step, with the name of its mapping model.
    func located(_ error: any Error) -> any Error {
        guard case .mappingModel(let name) = kind, !(error is StoreError) else { return error }
        return Failure("\(name): \(Failure.sentence(error))")
    }
}

/// What is done with a store of another version of the model.
enum OtherVersion {
    /// It is migrated.
    case migrate
    /// It is refused with the plan of the migration, which the option `--migrate` allows.
    case offer
    /// It is refused with that plan, and with the command that carries it out.
    case refuse
}

extension StoreOpening {
    /// Opens the store, and creates its file where there is none.
    /// - Parameter other: what is done with a store of another version of the model.
    /// - Throws: `Failure` with the plan of the migration if the store is of another version and is
    ///   not migrated.
    func open(_ package: ModelPackage, _ other: OtherVersion) throws -> any PersistentStore {
        var opening = self
        opening.place.versionHashes = package.versionHashes
        do {
            let store = try opening.openAsIs(package.model)
            // No migration is running, because it would have the store to itself.
            if use == .write { place.removeMigrationFolder() }
            return store
        } catch let error as StoreError {
            guard case .incompatible(code: 134100, _) = error else { throw located(error) }
        }
        let migrator = StoreMigrator(opening: self, package: package)
        let plan: MigrationPlan?
        do { plan = try migrator.plan() } catch let error as MigrationError {
            throw Failure("\(path): \(error)")
        }
        guard let plan, !plan.isEmpty else { return try open(package.model) }
        guard other == .migrate, !plan.isBackward else {
            let lines = try migrator.lines(of: plan)
            throw Failure(
                (["\(path): \(lines[0])"] + lines.dropFirst()
                    + [hint(plan, package, other)] + [ownModelHint].compactMap { $0 }).joined(
                        separator: "\n"))
        }
        for line in try migrator.lines(of: plan) { printError(line) }
        let bar = ProgressBar()
        defer { bar.clear() }
        try migrator.migrate(by: plan) { bar.show($0) }
        bar.clear()
        printError("\(path): migrated in \(bar.tenths) s")
        return try open(package.model)
    }

    /// The way to migrate the store.
    private func hint(
        _ plan: MigrationPlan, _ package: ModelPackage, _ other: OtherVersion
    ) -> String {
        if let policy = plan.policies.first { return policy.remedy }
        let store = package.configuration.map { "\($0)=\(path)" } ?? path
        let command = "stele migrate \(shellWord(package.path)) --store \(shellWord(store))"
        if plan.isBackward {
            return (other == .migrate ? "--migrate does not do this; " : "")
                + "\(command) --back does this"
        }
        return other == .offer
            ? "start with --migrate to do this, or run \(command)" : "\(command) does this"
    }

    /// Opens an existing store with the version of the model that it was made with.
    /// - Throws: `Failure` for a store of no known version.
    func open(
        anyOf versions: KnownVersions
    ) throws -> (store: any PersistentStore, version: KnownVersion) {
        var refusal: (any Error)?
        for version in versions.versions.reversed() {
            do { return (try openAsIs(version.model), version) } catch {
                refusal = refusal ?? error
            }
        }
        if let error = refusal as? StoreError { throw located(error) }
        throw refusal ?? Failure("\(path) is of no known version")
    }
}
