import SteleMigration
import SteleModel
import Testing

@Suite struct StagedPlanTests {
    private func plan(
        _ checksum: String?, _ versions: KnownVersions, _ stages: MigrationStage...
    ) throws -> MigrationPlan {
        try MigrationPlan(storeChecksum: checksum, versions: versions, stages: stages)
    }

    private func code(_ body: () throws -> MigrationPlan) throws -> Int {
        try #require(throws: MigrationError.self) { try body() }.code.rawValue
    }

    private func checksums(_ numbers: Int...) -> MigrationStage.Kind {
        .lightweight(numbers.map { ModelReference(checksum: "#M \($0)") })
    }

    private func named(_ number: Int) -> ModelReference { ModelReference(name: "M \(number)") }

    private let four: KnownVersions

    init() throws {
        four = try PlanTests.versions(["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"])
    }

    @Test func stagesLeadFromTheStoreToTheCurrentVersion() throws {
        let light = MigrationStage(label: "light", checksums(1, 2))
        let split = MigrationStage(label: "split", .custom(current: named(2), next: named(3)))
        let all = try plan("#M 1", four, light, split)
        #expect(
            all.steps.map(\.title) == [
                "M 1 to M 2, inferred", "M 2 to M 3, inferred, with the stage split",
                "M 3 to M 4, inferred",
            ])
        let rest = try plan("#M 3", four, light, split)
        #expect(rest.steps.map(\.title) == ["M 3 to M 4, inferred"])
        #expect(try plan("#M 4", four, MigrationStage(label: "all", checksums(1, 2, 3, 4))).isEmpty)
    }

    @Test func customStagesFollowEachOther() throws {
        let one = MigrationStage(label: "one", .custom(current: named(1), next: named(2)))
        let two = MigrationStage(label: "two", .custom(current: named(2), next: named(4)))
        #expect(
            try plan("#M 1", four, one, two).steps.map(\.kind) == [
                .customStage("one"), .customStage("two"),
            ])
    }

    @Test func aStoreWithoutAChecksumIsRefused() throws {
        let stage = MigrationStage(label: "light", checksums(1, 2))
        #expect(try code { try plan(nil, four, stage) } == 134505)
    }

    @Test func anUnknownReferenceIsRefused() throws {
        let stage = MigrationStage(label: "light", checksums(1, 7))
        #expect(try code { try plan("#M 1", four, stage) } == 134504)
        let mixed = MigrationStage(
            label: "mixed", .lightweight([ModelReference(checksum: "#M 1", name: "M 2")]))
        #expect(try code { try plan("#M 1", four, mixed) } == 134504)
    }

    @Test func aStoreInNoStageIsRefused() throws {
        let stage = MigrationStage(label: "light", checksums(2, 3))
        #expect(try code { try plan("#M 1", four, stage) } == 134504)
        #expect(try code { try plan("other", four, stage) } == 134504)
    }

    @Test func goingBackwardsIsRefused() throws {
        let back = MigrationStage(label: "back", .custom(current: named(3), next: named(1)))
        #expect(try code { try plan("#M 3", four, back) } == 134506)
        let older = try PlanTests.versions(["a"], ["a", "b"], current: 1)
        let stage = MigrationStage(label: "light", checksums(1, 2))
        #expect(try code { try plan("#M 2", older, stage) } == 134506)
    }

    @Test func whatCannotBeInferredIsRefused() throws {
        let versions = try PlanTests.versions(["a"], ["a#"])
        let stage = MigrationStage(label: "light", checksums(1, 2))
        #expect(try code { try plan("#M 1", versions, stage) } == 134190)
    }
}
