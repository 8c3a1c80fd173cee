import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import SteleSystem
import TestSupport
import Testing

/// The stages that a store goes through.
@Suite struct StagedMigrationTests {
    /// Carries stages out on nothing, and notes them.
    final class Executor: StagedMigrationExecutor {
        var checksum: String?
        var calls: [String] = []
        /// Whether the checksum may be that of an earlier version of Stele.
        var isOfEarlierStele = false

        init(_ checksum: String?) { self.checksum = checksum }

        func versionChecksum() throws -> String? { checksum }

        func migrate(from source: Model, to destination: Model) throws {
            #expect(isOfEarlierStele || checksum == source.versionChecksum)
            calls.append("migrate to \(destination.name)")
            checksum = destination.versionChecksum
        }

        func withStore(
            _ model: Model, _ body: (PersistentStoreCoordinator) throws -> Void
        ) throws {
            calls.append("open \(model.name)")
            try body(PersistentStoreCoordinator(store: InMemoryStore(model: model)))
        }
    }

    /// What the code of stages notes.
    final class Notes: Sendable {
        let all = Mutex<[String]>([])
    }

    private let models: [Model]

    init() throws {
        models = try (1...5).map { number in
            var person = EntityMaker("Person")
            for index in 1...number { person = person.attribute("a\(index)", .string) }
            return try makeModel(name: "V\(number)", [person])
        }
    }

    private func reference(_ number: Int) -> ManagedObjectModelReference {
        ManagedObjectModelReference(models[number - 1])
    }

    private func stages(_ noted: Notes? = nil) -> StagedMigrationManager {
        StagedMigrationManager([
            .lightweight([1, 2, 3].map(reference), label: "first"),
            .custom(
                CustomMigrationStage(
                    from: reference(3), to: reference(4), label: "middle",
                    willMigrate: { it in noted?.all.withLock { $0.append("will \(it.model.name)") }
                    },
                    didMigrate: { it in noted?.all.withLock { $0.append("did \(it.model.name)") } })
            ),
            .lightweight([4, 5].map(reference), label: "last"),
        ])
    }

    @Test func stagesAreCarriedOutFromTheVersionOfTheStore() throws {
        let all = [
            "migrate to V2", "migrate to V3", "open V3", "migrate to V4", "open V4",
            "migrate to V5",
        ]
        for (from, calls) in [(1, all[...]), (3, all[2...]), (4, all[5...]), (5, [])] {
            let executor = Executor(models[from - 1].versionChecksum)
            try stages().migrate(executor, to: models[4])
            #expect(executor.calls == Array(calls))
            #expect(executor.checksum == models[4].versionChecksum)
        }
    }

    /// A store that an earlier version of Stele made, and the checksum that it had.
    @Test func aStageIsFoundByTheFormerChecksum() throws {
        let person = EntityMaker("Person").attribute("a", .string)
            .attribute("b", .string) { $0.derivationExpression = "canonical:( a )" }
        let old = try makeModel(name: "V1", [person])
        let new = try makeModel(name: "V2", [person.attribute("c", .string)])
        #expect(old.versionChecksum != old.formerVersionChecksum)
        let manager = StagedMigrationManager([
            .lightweight(
                [
                    ManagedObjectModelReference(versionChecksum: old.formerVersionChecksum) { old },
                    ManagedObjectModelReference(versionChecksum: new.formerVersionChecksum) { new },
                ], label: "only")
        ])
        for checksum in [old.formerVersionChecksum, old.versionChecksum] {
            let executor = Executor(checksum)
            executor.isOfEarlierStele = true
            try manager.migrate(executor, to: new)
            #expect(executor.calls == ["migrate to V2"])
        }
        let done = Executor(new.formerVersionChecksum)
        try manager.migrate(done, to: new)
        #expect(done.calls == [])
    }

    @Test func codeRunsBeforeAndAfterACustomStage() throws {
        let noted = Notes()
        try stages(noted).migrate(Executor(models[1].versionChecksum), to: models[3])
        #expect(noted.all.withLock { $0 } == ["will V3", "did V4"])
    }

    @Test func errorsHaveTheirCodes() throws {
        func code(
            _ stages: StagedMigrationManager, _ checksum: String?, to model: Model
        ) throws -> Int {
            let executor = Executor(checksum)
            let error = try #require(throws: MigrationError.self) {
                try stages.migrate(executor, to: model)
            }
            #expect(executor.calls.isEmpty)
            return error.code.rawValue
        }
        let first = models[0].versionChecksum
        #expect(try code(stages(), nil, to: models[4]) == 134505)
        #expect(try code(stages(), "unknown", to: models[4]) == 134504)
        #expect(try code(stages(), models[4].versionChecksum, to: models[2]) == 134506)
        let unknown = try makeModel(name: "V6", [EntityMaker("Other")])
        #expect(try code(stages(), first, to: unknown) == 134504)
        let wrong = ManagedObjectModelReference(versionChecksum: first) { [models] in models[1] }
        let misled = StagedMigrationManager([
            .custom(CustomMigrationStage(from: wrong, to: reference(2), label: "wrong"))
        ])
        #expect(try code(misled, first, to: models[1]) == 134504)
        let back = StagedMigrationManager([
            .lightweight([1, 2].map(reference), label: "there"),
            .lightweight([2, 1].map(reference), label: "back"),
        ])
        #expect(try code(back, first, to: models[1]) == 134506)
        let gap = StagedMigrationManager([
            .lightweight([1, 2].map(reference), label: "one"),
            .lightweight([3, 4].map(reference), label: "two"),
        ])
        #expect(try code(gap, first, to: models[3]) == 134504)
    }
}
