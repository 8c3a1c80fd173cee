import FoundationEssentials
import Glibc
import SteleFiles
import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import SteleSQLite

extension StorePlace {
    /// The folder beside the store in which a migration makes the new store.
    package var migrationFolder: String { path + ".migration" }

    /// Removes what a killed migration has left: a folder for each step, and the folder that they
    /// are in if it has nothing else.
    package func removeMigrationFolder() {
        let files = FileManager.default
        guard !type.isMemory,
            let names = try? files.contentsOfDirectory(atPath: migrationFolder)
        else { return }
        for name in names where Int(name) != nil {
            try? files.removeItem(atPath: "\(migrationFolder)/\(name)")
        }
        rmdir(migrationFolder)
    }

    /// Migrates the store completely or not at all. A single inferred step on an SQLite store is
    /// one transaction in place. All other plans make the new store beside the old one, and replace
    /// the old file at the end.
    /// - Parameters:
    ///   - plan: the steps, of which there is at least one.
    ///   - policies: the policies of the mapping models, by the names that these have for them.
    ///   - classes: the classes of the last version's objects in policies, by entity name.
    ///   - report: called with the progress of each step.
    /// - Returns: whether the old file was in rollback-journal mode and the new one is in WAL mode.
    /// - Throws: `FailedMigrationStep`; `StoreError`: `.busy` where another program has the store
    ///   open.
    @discardableResult package func migrate(
        by plan: MigrationPlan, policies: [String: EntityMigrationPolicy.Type] = [:],
        classes: [String: ManagedObject.Type] = [:],
        _ report: @escaping (MigrationProgress) -> Void = { _ in }
    ) throws -> Bool {
        guard let step = try stepInPlace(plan) else {
            return try migrateBeside(plan, policies, classes, report)
        }
        try SQLiteStore.migrate(
            path: path, from: step.source.model, to: step.destination.model,
            by: step.mappingModel, progress: report)
        return false
    }

    /// The only step of a plan where it is carried out in place.
    private func stepInPlace(_ plan: MigrationPlan) throws(StoreError) -> MigrationPlan.Step? {
        guard isSQLite, plan.steps.count == 1, plan.steps[0].kind == .inferred,
            try SQLiteStore.isMigratedInPlace(path: path)
        else { return nil }
        return plan.steps[0]
    }

    /// What a plan leaves out because no property of the store's version has it, as
    /// `SQLiteStore.valuesWithoutProperty`: another version or another program has left it in the
    /// store.
    /// - Throws: `StoreError`.
    package func valuesLeftOut(by plan: MigrationPlan) throws(StoreError) -> [String] {
        guard isSQLite, !plan.isEmpty, try stepInPlace(plan) == nil else { return [] }
        return try SQLiteStore.valuesWithoutProperty(path: path, model: plan.source.model)
    }

    /// How many rows a plan leaves out because their keys are below 1, by table.
    /// - Throws: `StoreError`.
    package func rowsLeftOut(
        by plan: MigrationPlan
    ) throws(StoreError) -> [(table: String, count: Int)] {
        guard isSQLite, !plan.isEmpty, try stepInPlace(plan) == nil else { return [] }
        return try SQLiteStore.rowsWithoutObject(path: path, model: plan.source.model)
    }

    /// What other programs have added to the store and a plan loses, beside `valuesLeftOut` and
    /// `rowsLeftOut`, as words.
    /// - Throws: `StoreError`.
    package func partsLeftOut(by plan: MigrationPlan) throws(StoreError) -> [String] {
        guard isSQLite, !plan.isEmpty else { return [] }
        guard let step = try stepInPlace(plan) else {
            return try SQLiteStore.foreignParts(
                path: path, model: plan.source.model, plan.source.name)
        }
        return try SQLiteStore.foreignLosses(
            path: path, from: step.source.model, to: step.destination.model,
            by: step.mappingModel, plan.source.name)
    }

    /// Checks that the store's objects let `migrate(by:)` go through, and changes nothing in the
    /// store's folder. Other programs may have the store open.
    ///
    /// The rows are checked as in the migration. What is made in place is made on a private copy if
    /// reading does not tell; all other plans make the new store in a private folder. Both are under
    /// TMPDIR, and removed at the end.
    /// - Parameters:
    ///   - plan: the steps, of which there is at least one.
    ///   - report: called with the progress of each step.
    /// - Throws: as `migrate(by:)`.
    package func checkMigration(
        by plan: MigrationPlan, _ report: @escaping (MigrationProgress) -> Void = { _ in }
    ) throws {
        if let step = try stepInPlace(plan) {
            return try SQLiteStore.checkMigration(
                path: path, from: step.source.model, to: step.destination.model,
                by: step.mappingModel, progress: report)
        }
        let old: any PersistentStore =
            switch type {
            case .sqlite:
                try SQLiteStore.openBeforeMigration(
                    path: path, model: plan.source.model,
                    versionHashes: versionHashes[plan.source.name])
            default: try openReadOnly(plan.source.model)
            }
        defer { old.close() }
        let copy = try PrivateCopy(of: path)
        defer { copy.remove() }
        _ = try copy.explaining(path) {
            try makeMigrated(old, plan, in: copy.file, [:], [:], report)
        }
    }

    private func migrateBeside(
        _ plan: MigrationPlan, _ policies: [String: EntityMigrationPolicy.Type],
        _ classes: [String: ManagedObject.Type],
        _ report: @escaping (MigrationProgress) -> Void
    ) throws -> Bool {
        // The file is replaced, so that a program that has it open would go on with the old one.
        // From here on no other program opens the store, or changes it without Stele.
        let held =
            isSQLite
            ? try HeldStore.take(
                path: path, model: plan.source.model,
                versionHashes: versionHashes[plan.source.name]) : nil
        let old = try held?.store ?? open(plan.source.model)
        defer { held.map { $0.release() } ?? old.close() }
        removeMigrationFolder()
        defer { removeMigrationFolder() }
        let new = try makeMigrated(old, plan, in: migrationFolder, policies, classes, report)
        if let held {
            try held.replace(with: new)
            return held.hasRollbackJournal
        }
        guard let store = old as? AtomicStore else {
            throw StoreError.unsupported("a store of the type \(old.type) cannot be migrated")
        }
        try store.replaceFile(with: new)
        return false
    }

    /// Makes a store of the last version in a folder of its own in another one, and closes it.
    /// - Returns: the path of its file.
    private func makeMigrated(
        _ old: any PersistentStore, _ plan: MigrationPlan, in parent: String,
        _ policies: [String: EntityMigrationPolicy.Type],
        _ classes: [String: ManagedObject.Type],
        _ report: @escaping (MigrationProgress) -> Void
    ) throws -> String {
        let files = FileManager.default
        var path = self.path
        try plan.carryOut(on: old, policies: policies, classes: classes, report) { index, step in
            let folder = "\(parent)/\(index + 1)"
            // The copy is not readable by others, whatever the mode of the store is.
            try files.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            path = "\(folder)/store"
            return try make(path, step.destination.model, identifier: old.identifier)
        }?.close()
        return path
    }
}

extension PrivateCopy {
    /// Runs steps of a migration that make stores in the copy's folder.
    /// - Parameter path: the store, which errors name.
    package func explaining<Result>(
        _ path: String, _ steps: () throws -> Result
    ) throws -> Result {
        do { return try steps() } catch let error as StoreError {
            throw explained(error, path)
        } catch let failed as FailedMigrationStep {
            guard let error = failed.error as? StoreError else { throw failed }
            throw FailedMigrationStep(step: failed.step, error: explained(error, path))
        }
    }
}
