import FoundationEssentials
import Stele
import SteleMigration
import SteleModel
import StelePersistence
import SteleSQLite

extension StoreOpening {
    var contentsHint: String? {
        // A model that is not that of the data is of no use.
        if case .success? = cachedVersion, ownModelHint == nil { return nil }
        return
            "stele model contents \(shellWord(path)) writes the model that is in the store, if there "
            + "is one"
    }

    func knowing(_ package: ModelPackage) -> StoreOpening {
        var opening = self
        opening.place.versionHashes = package.versionHashes
        return opening
    }

    var cachedVersion: Result<KnownVersion, ModelErrors>? { place.cachedVersion }

    func versionHashes(
        among versions: KnownVersions
    ) throws(StoreError) -> [String: [UInt8]]? {
        try place.versionHashes(among: versions)
    }

    func misfit(with model: Model) -> String? {
        guard isSQLite else { return nil }
        return (try? SQLiteStore.misfit(path: path, model, place.versionHashes)) ?? nil
    }

    func otherConfiguration(_ package: ModelPackage) -> String? {
        // An SQLite store's entities are known from its hashes, and opening it may change it.
        if isSQLite { return nil }
        let whole = package.model.whole
        return whole.declaration.configurations.map(\.name).first { name in
            guard name != package.configuration, let own = whole.restricted(to: name),
                own.storedEntities.count < whole.entities.count,
                let store = try? openAsIs(own)
            else { return false }
            store.close()
            return true
        }
    }

    func migrate(
        by plan: MigrationPlan, _ report: @escaping (MigrationProgress) -> Void
    ) throws {
        if try place.migrate(by: plan, report) { reportConversion() }
    }

    func checkMigration(
        by plan: MigrationPlan, _ report: @escaping (MigrationProgress) -> Void
    ) throws { try place.checkMigration(by: plan, report) }

    func missingValues(_ version: KnownVersion) throws(StoreError) -> MissingValues {
        guard isSQLite, version.model.hasExternalAttributes else { return MissingValues() }
        return try SQLiteStore.missingValues(path: path, model: version.model)
    }

    func valuesLeftOut(by plan: MigrationPlan) throws(StoreError) -> [String] {
        try place.valuesLeftOut(by: plan)
    }

    func rowsLeftOut(
        by plan: MigrationPlan
    ) throws(StoreError) -> [(table: String, count: Int)] {
        try place.rowsLeftOut(by: plan)
    }

    func partsLeftOut(by plan: MigrationPlan) throws(StoreError) -> [String] {
        try place.partsLeftOut(by: plan)
    }

    var hasMigrationRemains: Bool {
        FileManager.default.fileExists(atPath: place.migrationFolder)
    }

    func removeMigrationRemains() { place.removeMigrationFolder() }

    func isLostToApps(_ plan: MigrationPlan) throws -> Bool {
        guard isSQLite, try !SQLiteStore.isMigratedInPlace(path: path) else { return false }
        return place.publishedHashes(of: plan.destination.model) == nil
    }
}
