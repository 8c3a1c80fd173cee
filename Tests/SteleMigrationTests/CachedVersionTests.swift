import SteleMigration
import SteleModel
import TestSupport
import Testing

/// Finding the way from the model that a store has of itself, which is none of the known versions.
@Suite struct CachedVersionTests {
    /// A plan for a store of a version that is not among those that are known.
    /// - Parameters:
    ///   - own: the attributes of the store's own model, as `PlanTests.versions`.
    private func plan(
        _ own: [String], _ versions: [String]..., current: Int? = nil,
        by mappings: [KnownMapping] = []
    ) throws -> MigrationPlan {
        var known = try PlanTests.versions(versions, current: current)
        var cached = try PlanTests.version("the model in the store", own)
        cached.isCached = true
        known.take(.success(cached))
        return try MigrationPlan(
            storeHashes: cached.hashes, versions: known, mappings: mappings)
    }

    private func mapping(_ source: String, _ destination: String) throws -> KnownMapping {
        let text = """
            {"from": "\(source)", "to": "\(destination)", "mappings": [{"source": "Person",
            "destination": "Person", "attributes": {"b": "$source.a"}}]}
            """
        return KnownMapping(try MappingFile(Array(text.utf8), path: "m"))
    }

    private func titles(_ plan: MigrationPlan) -> [String] { plan.steps.map(\.title) }

    @Test func theStoresOwnModelIsItsVersion() throws {
        let plan = try plan(["a"], ["a", "b"])
        #expect(
            plan.lines == [
                "the store was made with another version than those that are known, and keeps its "
                    + "model: 1 step", "  1. the model in the store to M 1, inferred",
                "     - adds Person.b",
            ])
        #expect(!plan.isBackward && !plan.mayLeadBack)
    }

    @Test func aPlanThatRemovesSomethingMayLeadBack() throws {
        let plan = try plan(["a", "b"], ["a"])
        #expect(!plan.isBackward && plan.mayLeadBack)
        // It is most like a version after the current one.
        #expect(
            try self.plan(["a", "b", "c", "d"], ["a"], ["a", "b", "c"], current: 1).isBackward)
    }

    /// The renaming identifier of the last version names what only the one between has.
    @Test func aRenameOfAVersionBetweenIsTakenOver() throws {
        #expect(
            titles(try plan(["a"], ["b<a"], ["c<b"])) == [
                "the model in the store to M 1, inferred", "M 1 to M 2, inferred",
            ])
    }

    /// A version that is gone has a mapping model still.
    @Test func aMappingModelOfAVersionThatIsGoneLeadsFromTheStoresOwnModel() throws {
        let plan = try plan(["a"], ["b"], ["b", "c"], by: [mapping("M 0", "M 1")])
        #expect(
            titles(plan) == [
                "the model in the store to M 1, by the mapping model m", "M 1 to M 2, inferred",
            ])
        // Not one that does not fit it.
        #expect(
            titles(try self.plan(["x"], ["b"], by: [mapping("M 0", "M 1")])) == [
                "the model in the store to M 1, inferred"
            ])
    }

    @Test func aMappingModelOnTheWayIsNotPassedOver() throws {
        #expect(
            titles(try plan(["a", "n"], ["a", "n", "o"], ["b"], by: [mapping("M 1", "M 2")])) == [
                "the model in the store to M 1, inferred", "M 1 to M 2, by the mapping model m",
            ])
        // The store is of a version after that.
        #expect(
            titles(
                try plan(
                    ["b", "p", "q"], ["a"], ["b", "p"], ["b", "p", "r"], by: [mapping("M 1", "M 2")]
                ))
                == ["the model in the store to M 3, inferred"])
    }

    @Test func aStoreOfAnotherModelIsRefused() throws {
        var known = try PlanTests.versions([["a"]])
        let other = try model("[\(entity("Other", "a: String"))]", name: "the model in the store")
        var cached = KnownVersion(model: other, hashes: ["Other": [1]])
        cached.isCached = true
        known.take(.success(cached))
        let error = #expect(throws: MigrationError.self) {
            try MigrationPlan(storeHashes: ["Other": [1]], versions: known)
        }
        #expect(error?.code == .missingSourceModel)
        #expect(error?.message.contains("none of its entities is one of M 1") == true)
    }

    @Test func theReasonsOfBothAreNamed() throws {
        let error = #expect(throws: MigrationError.self) { try plan(["a"], ["a#"]) }
        #expect(
            error?.description.contains("the model in the store to M 1: Person.a is of type Float")
                == true, "\(error as Any)")
        // The model that the store has is not that of its data.
        var known = try PlanTests.versions([["a"]])
        var cached = try PlanTests.version("the model in the store", ["b"])
        cached.isCached = true
        known.take(.success(cached))
        let missing = #expect(throws: MigrationError.self) {
            try MigrationPlan(storeHashes: ["Person": [1]], versions: known)
        }
        #expect(
            missing?.reasons.last
                == "the model that the store has of itself is not that of its data")
        known.take(.failure(ModelErrors("s.sqlite", "its model cache is damaged")))
        let unreadable = #expect(throws: MigrationError.self) {
            try MigrationPlan(storeHashes: ["Person": [1]], versions: known)
        }
        #expect(unreadable?.reasons.last == "s.sqlite: its model cache is damaged")
    }
}
