// Whatever a store has, a copy of it has.

import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@testable import SteleService

@Suite(.timeLimit(.minutes(60))) struct SeamCopyTests {
    /// What is exported is imported with the same values, by each kind of store.
    @Test(arguments: StoreKind.allCases)
    func exportedValuesAreImportedUnchanged(_ kind: StoreKind) throws {
        var run = SeamRun("exportedValuesAreImportedUnchanged", kind)
        defer { run.report() }
        for _ in 0..<SeamRun.rounds {
            let stage = try run.filled()
            let before = try values(stage)
            for format in run.some([DataFormat.ndjson, .json, .csv], 1) {
                let other = run.values.numbers.pick(StoreKind.allCases, or: kind)
                let copy = try SeamStage(other)
                try copy.load(try stage.export(format, of: "Thing"), as: format.rawValue)
                try compare(before, values(copy), "\(format) to \(other)", &run)
            }
            let listed = try SeamStage(kind)
            let columns = SeamModel.names.filter { $0 != "part" }.joined(separator: ",")
            try listed.load(
                stage.must("GET", "/Thing?format=csv&select=\(columns),part.title,part.amount")
                    .text, as: "csv")
            try compare(before, values(listed), "a list in CSV", &run)
        }
    }

    /// As `stele store migrate` does.
    @Test(arguments: StoreKind.single)
    func aCopyInAnotherKindOfStoreHasTheSameValues(_ kind: StoreKind) throws {
        var run = SeamRun("aCopyInAnotherKindOfStoreHasTheSameValues", kind)
        defer { run.report() }
        for _ in 0..<SeamRun.rounds {
            let stage = try run.filled()
            for other in run.some(StoreKind.single, 2) {
                let copy = try SeamStage(other)
                try MigrationManager.copy(stage.coordinator.store, to: copy.coordinator.store)
                try compare(values(stage), values(copy), "copied to \(other)", &run)
            }
        }
    }

    @Test(arguments: StoreKind.single)
    func aMigratedStoreHasTheSameValues(_ kind: StoreKind) throws {
        var run = SeamRun("aMigratedStoreHasTheSameValues", kind)
        defer { run.report() }
        let (model, later) = (try SeamModel.model(), try SeamModel.model(adding: "extra"))
        let mapping = try MappingModel.inferred(from: model, to: later)
        for _ in 0..<SeamRun.rounds {
            let stage = try run.filled()
            let before = try values(stage)
            let folder = try TemporaryFolder()
            let migrated = try kind.open(later, at: folder.store)
            try MigrationManager(
                from: stage.coordinator.store, to: migrated, mappingModel: mapping
            ).migrate()
            try compare(before, values(SeamStage(migrated, folder)), "migrated", &run)
            guard kind == .sqlite else { continue }
            let own = stage.folder
            stage.close()
            try SQLiteStore.migrate(path: own.store, from: model, to: later, by: mapping)
            let inPlace = try SeamStage(kind.open(later, at: own.store), own)
            try compare(before, values(inPlace), "migrated in place", &run)
        }
    }

    private func values(_ stage: SeamStage) throws -> [[String: Value]] {
        try stage.stored().sorted { $0.key < $1.key }.map(\.value)
    }

    private func compare(
        _ before: [[String: Value]], _ after: [[String: Value]], _ what: String,
        _ run: inout SeamRun
    ) {
        if before.count != after.count { run.fail("\(what): \(after.count) things") }
        for (one, two) in zip(before, after) {
            for name in SeamModel.names + SeamModel.derived {
                run.count(what)
                let (a, b) = (SeamStage.exact(one[name]), SeamStage.exact(two[name]))
                if a != b { run.fail("\(what): \(name) \(SeamRun.short(a)), then \(b)") }
            }
        }
    }
}
