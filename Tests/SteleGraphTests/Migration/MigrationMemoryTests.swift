import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

/// What many objects take.
@Suite struct MigrationMemoryTests {
    final class Plain: EntityMigrationPolicy {}

    /// Migrates objects, and returns the most that the contexts had at the end of a batch.
    private func mostObjects(_ count: Int, policy: String?) throws -> Int {
        let model = try makeModel([
            EntityMaker("Person").attribute("name", .string).attribute("age", .integer64)
                .toOne("mentor", "Person", inverse: "mentees")
                .toMany("mentees", "Person", inverse: "mentor")
        ])
        let fixture = try MigrationFixture(model, model)
        let mentor = try fixture.old.relationship("Person.mentor")
        for start in stride(from: 0, to: count, by: 10_000) {
            try fixture.seed { context in
                var last: ManagedObject?
                for number in start..<start + 10_000 {
                    let person = try context.insert(fixture.old.entity("Person"))
                    person["name"] = .string("the person with the number \(number)")
                    try person.setToOne(mentor, last)
                    last = person
                }
            }
        }
        let manager = fixture.manager(
            [
                .make(
                    "Person", "Person", policy: policy,
                    attributes: [
                        ("name", .source("name")), ("age", try .text("length($source.name) + 1")),
                    ], links: [("mentor", .source("mentor"))])
            ], policies: ["P": Plain.self])
        var most = 0
        var done = 0
        manager.didAdvance = { [unowned manager] progress in
            #expect(progress.done - done <= 2_000)
            done = progress.done
            if policy == nil { return }
            let contexts = [try? manager.sourceContext, try? manager.destinationContext]
            most = max(most, contexts.reduce(0) { $0 + ($1?.registeredObjects.count ?? 0) })
        }
        try manager.migrate()
        #expect(
            try fixture.new.read { try $0.count(FetchRequest(entity: model.entities[0])) } == count)
        #expect(try fixture.new.values("Person.mentor") == fixture.old.values("Person.mentor"))
        return most
    }

    @Test(arguments: [nil, "P"])
    func objectsAreReleasedAfterEachBatch(_ policy: String?) throws {
        #expect(try mostObjects(100_000, policy: policy) <= 2_000)
    }
}
