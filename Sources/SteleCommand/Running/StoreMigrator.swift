/// Taking a store to the current version of its model.

import Stele
import SteleMigration
import SteleModel
import StelePersistence

/// Migrates a store that was made with another version of its model.
struct StoreMigrator {
    let store: any CommandStore
    let package: ModelPackage

    init(store: any CommandStore, package: ModelPackage) {
        self.store = store.knowing(package)
        self.package = package
    }

    /// The way to the current version; nil for a store that does not exist yet.
    /// - Throws: `MigrationError` if there is no way.
    func plan() throws -> MigrationPlan? {
        var versions = try package.versions()
        versions.take(store.cachedVersion, configuration: package.configuration)
        let found: [String: [UInt8]]?
        do throws(StoreError) { found = try store.versionHashes(among: versions) } catch {
            guard let name = store.otherConfiguration(package) else { throw store.located(error) }
            throw Failure("\(store.name): \(Self.hint(to: name, shellWord(store.argument)))")
        }
        guard let hashes = found else { return nil }
        do {
            return try package.mappings().plan(storeHashes: hashes, versions: versions)
        } catch var error as MigrationError {
            guard error.code == .missingSourceModel else { throw error }
            // Entities that only one of both has are named already.
            if Set(hashes.keys) == Set(package.model.storedEntities.map(\.name)),
                let misfit = store.misfit(with: package.model)
            {
                error.reasons.append(misfit)
            }
            error.reasons += try package.ignoredVersions()
            if let name = package.configuration(ofEntities: Set(hashes.keys)),
                name != package.configuration
            {
                error.hint = Self.hint(to: name, shellWord(store.argument))
            } else if package.path == store.name {
                error.hint =
                    "name the model that the store was made with: stele serve MODEL --store "
                    + shellWord(store.argument)
            }
            let hints = [error.hint, store.contentsHint, store.ownModelHint].compactMap { $0 }
            error.hint = hints.isEmpty ? nil : hints.joined(separator: "; ")
            throw error
        }
    }

    private static func hint(to configuration: String, _ path: String) -> String {
        "its entities are those of the configuration \(configuration): give it by --store "
            + "\(configuration)=\(path)"
    }

    /// Migrates the store completely or not at all.
    /// - Returns: false where another program has migrated it since the plan was made.
    @discardableResult func migrate(
        by plan: MigrationPlan, _ report: @escaping (MigrationProgress) -> Void
    ) throws -> Bool {
        if plan.isEmpty {
            // A migration that was killed after its last step has left them.
            if store.hasMigrationRemains { try store.open(package, .refuse).close() }
            return true
        }
        return try carryOut(plan) {
            do { try store.migrate(by: plan, report) } catch {
                guard MigrationPlan.isOutdated(by: error), (try? self.plan())?.isEmpty == true
                else { throw error }
                return false
            }
            return true
        }
    }

    /// What is printed where `migrate` has returned false.
    static let isDone = "another program has migrated the store meanwhile"

    /// Checks that `migrate` would go through, and changes nothing.
    /// - Throws: as `migrate`.
    func check(_ plan: MigrationPlan, _ report: @escaping (MigrationProgress) -> Void) throws {
        if plan.isEmpty { return }
        try carryOut(plan) { try store.checkMigration(by: plan, report) }
    }

    private func carryOut<Result>(
        _ plan: MigrationPlan, _ body: () throws -> Result
    ) throws -> Result {
        try checkPolicies(of: plan)
        do {
            return try body()
        } catch let failed as FailedMigrationStep {
            throw failed.step.located(failed.error)
        } catch let error as StoreError {
            throw store.located(error)
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
