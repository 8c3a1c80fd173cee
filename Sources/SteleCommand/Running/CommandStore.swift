import SteleMigration
import SteleModel
import StelePersistence

/// A store as a command was given it: a file, or a database.
protocol CommandStore {
    /// The path of the file, or the server and the database without user and password.
    var name: String { get }
    /// How a command line that a message proposes names it.
    var argument: String { get }
    /// What the command does with the store.
    var use: StoreUse { get set }
    /// How to serve a store of another model with the model that it has; nil for one without.
    var ownModelHint: String? { get }

    /// The model that the store has of itself, as a version; nil for a store that does not exist.
    var cachedVersion: Result<KnownVersion, ModelErrors>? { get }

    /// How to find out the model that the store has; nil where there is no way.
    var contentsHint: String? { get }

    /// Opens the store, and makes it where there is none.
    /// - Throws: `StoreError`, and `Failure` for a place that cannot have a store.
    func openAsIs(_ model: Model) throws -> any PersistentStore

    /// The error with the store's name.
    func located(_ error: StoreError) -> Failure

    // MARK: Migration

    /// The same store with the version hashes that a model was given with.
    func knowing(_ package: ModelPackage) -> Self

    /// The version hashes of the store; nil for one that does not exist yet.
    /// - Parameter versions: the versions of which the store may be.
    /// - Throws: `StoreError`.
    func versionHashes(among versions: KnownVersions) throws(StoreError) -> [String: [UInt8]]?

    /// Why a store that another program made does not belong to a model; nil where that is known from
    /// its version hashes.
    func misfit(with model: Model) -> String?

    /// The configuration, other than the given one, whose entities the store has; nil where that is
    /// not known.
    func otherConfiguration(_ package: ModelPackage) -> String?

    /// Migrates the store completely or not at all.
    /// - Throws: `FailedMigrationStep`, `StoreError`.
    func migrate(
        by plan: MigrationPlan, _ report: @escaping (MigrationProgress) -> Void
    ) throws

    /// Checks that the store's objects let `migrate` go through, and changes nothing.
    /// - Throws: as `migrate`.
    func checkMigration(
        by plan: MigrationPlan, _ report: @escaping (MigrationProgress) -> Void
    ) throws

    /// The values of the store that are in files which are missing.
    /// - Parameter version: the version that the store is of.
    func missingValues(_ version: KnownVersion) throws(StoreError) -> MissingValues

    /// What a plan leaves out because no property of the store's version has it, as
    /// `SQLiteStore.valuesWithoutProperty`.
    func valuesLeftOut(by plan: MigrationPlan) throws(StoreError) -> [String]

    /// How many rows a plan leaves out because their keys are below 1, by table.
    func rowsLeftOut(
        by plan: MigrationPlan
    ) throws(StoreError) -> [(table: String, count: Int)]

    /// What other programs have added to the store and a plan loses, beside such columns and rows, as
    /// words.
    func partsLeftOut(by plan: MigrationPlan) throws(StoreError) -> [String]

    /// Whether a killed migration has left something, which opening the store removes.
    var hasMigrationRemains: Bool { get }

    /// Removes it. No migration is running.
    func removeMigrationRemains()

    /// Whether an app with Apple's framework opens the store, and not the result of a migration.
    func isLostToApps(_ plan: MigrationPlan) throws -> Bool
}

extension CommandStore {
    /// Opens the store, and makes it where there is none.
    /// - Throws: `Failure` whose sentence has the store's name.
    func open(_ model: Model) throws -> any PersistentStore {
        do { return try openAsIs(model) } catch let error as StoreError { throw located(error) }
    }

    /// Opens the store, and makes it where there is none.
    /// - Parameter other: what is done with a store of another version of the model.
    /// - Throws: `Failure` with the plan of the migration if the store is of another version and is
    ///   not migrated.
    func open(_ package: ModelPackage, _ other: OtherVersion) throws -> any PersistentStore {
        do {
            let store = try knowing(package).openAsIs(package.model)
            // No migration is running, because it would have the store to itself.
            if use == .write { removeMigrationRemains() }
            return store
        } catch let error as StoreError {
            guard isOfOtherVersion(package, error) else { throw located(error) }
        }
        let migrator = StoreMigrator(store: self, package: package)
        let plan: MigrationPlan?
        do { plan = try migrator.plan() } catch let error as MigrationError {
            throw Failure("\(name): \(error)")
        }
        guard let plan, !plan.isEmpty else { return try open(package.model) }
        // Where nothing else is offered, the plan is only printed.
        let isLossy = try other != .refuse && !migrator.foreignLosses(of: plan).isEmpty
        guard other == .migrate, !plan.isBackward, !plan.mayLeadBack, !isLossy else {
            let lines = try migrator.lines(of: plan)
            let hints = [hint(plan, package, other, isLossy), ownModelHint].compactMap { $0 }
            throw Failure(
                (["\(name): \(lines[0])"] + lines.dropFirst() + hints).joined(separator: "\n"))
        }
        for line in try migrator.lines(of: plan) { printError(line) }
        let bar = ProgressBar()
        defer { bar.clear() }
        let isMigrated = try migrator.migrate(by: plan) { bar.show($0) }
        bar.clear()
        printError(
            "\(name): " + (isMigrated ? "migrated in \(bar.tenths) s" : StoreMigrator.isDone))
        return try open(package.model)
    }

    /// Whether a store that cannot be opened with a model may be of another version: also where that
    /// model is the one that the store has of itself, and its tables are not.
    private func isOfOtherVersion(_ package: ModelPackage, _ error: StoreError) -> Bool {
        switch error {
        case .incompatible(code: 134100, _): true
        case .incompatible(code: 134080, _): knowing(package).misfit(with: package.model) != nil
        default: false
        }
    }

    /// The way to migrate the store.
    /// - Parameter isLossy: whether something of other programs would be lost by a start.
    private func hint(
        _ plan: MigrationPlan, _ package: ModelPackage, _ other: OtherVersion, _ isLossy: Bool
    ) -> String {
        if let policy = plan.policies.first { return policy.remedy }
        let store = package.configuration.map { "\($0)=\(argument)" } ?? argument
        let command =
            "stele migrate \(shellWord(package.path)) --store \(shellWord(store))"
            + package.mappingPaths.map { " --mapping \(shellWord($0))" }.joined()
        if plan.isBackward {
            return (other == .migrate ? "--migrate does not do this; " : "")
                + "\(command) --back does this"
        }
        if plan.mayLeadBack, other != .refuse {
            return "\(command) does this; serve --migrate does not, because the store may be of a "
                + "newer version, of which something would be lost"
        }
        if isLossy {
            return "\(command) does this; serve --migrate does not, because something that other "
                + "programs have added would be lost"
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
        throw refusal ?? Failure("\(name) is of no known version")
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
