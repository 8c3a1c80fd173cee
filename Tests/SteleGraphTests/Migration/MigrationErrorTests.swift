import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

/// Data that the destination's model refuses.
@Suite struct MigrationErrorTests {
    private func old() throws -> Model {
        try makeModel([
            EntityMaker("Person").attribute("name", .string).attribute("age", .integer64)
                .toOne("team", "Team", inverse: "people"),
            EntityMaker("Team").attribute("name", .string)
                .toMany("people", "Person", inverse: "team"),
        ])
    }

    private let mappings: [EntityMapping] = [
        .make(
            "Person", "Person", attributes: [("name", .source("name")), ("age", .source("age"))],
            links: [("team", .source("team"))]),
        .make("Team", "Team", attributes: [("name", .source("name"))]),
    ]

    @Test(arguments: StoreKind.single)
    func aBrokenUniquenessConstraintListsTheRows(_ kind: StoreKind) throws {
        let new = try makeModel([
            EntityMaker("Person").attribute("name", .string).attribute("age", .integer64)
                .toOne("team", "Team", inverse: "people").unique("name"),
            EntityMaker("Team").attribute("name", .string)
                .toMany("people", "Person", inverse: "team"),
        ])
        let fixture = try MigrationFixture(try old(), new, (.sqlite, kind))
        try fixture.seed { context in
            for name in ["Ann", "Bob", "Ann", "Cy", "Bob", "Ann"] {
                try context.insert(fixture.old.entity("Person"))["name"] = .string(name)
            }
        }
        let error = try fixture.failure(mappings)
        #expect(error.code == .constraintViolation)
        #expect(
            error.reasons == [
                "Person 3 has the name \"Ann\" of Person 1",
                "Person 5 has the name \"Bob\" of Person 2",
                "Person 6 has the name \"Ann\" of Person 1",
            ])
    }

    @Test(arguments: StoreKind.single)
    func aBrokenUniquenessConstraintNamesDatesAsAnswersDo(_ kind: StoreKind) throws {
        let day = EntityMaker("Day").attribute("at", .date)
        let fixture = try MigrationFixture(
            try makeModel([day]), try makeModel([day.unique("at")]), (.sqlite, kind))
        try fixture.seed { context in
            for _ in 1...2 {
                try context.insert(fixture.old.entity("Day"))["at"] = .date(-29_481_062_400)
            }
        }
        let error = try fixture.failure([.make("Day", "Day", attributes: [("at", .source("at"))])])
        #expect(error.reasons == ["Day 2 has the at 1066-10-14T00:00:00Z of Day 1"])
    }

    @Test(arguments: StoreKind.single)
    func invalidObjectsAreValidationErrors(_ kind: StoreKind) throws {
        let new = try makeModel([
            EntityMaker("Person")
                .attribute("name", .string) {
                    $0.isOptional = false
                    $0.maximum = .int(3)
                }
                .attribute("age", .integer64) { $0.minimum = .int(18) }
                .toOne("team", "Team", inverse: "people", isOptional: false),
            EntityMaker("Team").attribute("name", .string)
                .toMany("people", "Person", inverse: "team", count: 1...2),
        ])
        let fixture = try MigrationFixture(try old(), new, (.sqlite, kind))
        try fixture.seed { context in
            let team = try context.insert(fixture.old.entity("Team"))
            for (name, age) in [("Ann", 20), ("Barbara", 30), ("Cy", 17)] {
                let person = try context.insert(fixture.old.entity("Person"))
                person["name"] = .string(name)
                person["age"] = .int(Int64(age))
                try person.setToOne(fixture.old.relationship("Person.team"), team)
            }
            _ = try context.insert(fixture.old.entity("Person"))
        }
        let errors = try #require(throws: ValidationErrors.self) {
            try fixture.migrate(mappings)
        }
        #expect(
            errors.errors.map { "\($0.entity.name) \($0.key) \($0.property ?? "") \($0.code)" } == [
                "Person 2 name 1660", "Person 3 age 1620", "Person 4 name 1570",
                "Person 4 team 1570", "Team 1 people 1590",
            ])
        #expect(try fixture.new.rows("Person").isEmpty)
    }

    @Test func aMappingToAnotherEntityThanTheRelationshipsIsAnError() throws {
        let model = try old()
        let wrong = PropertyMapping.Value.destinations(mapping: "PersonToPerson", of: "team")
        let unknown = PropertyMapping.Value.destinations(mapping: "TemToTeam", of: "team")
        for (value, text) in [(wrong, "leads to Team"), (unknown, "TemToTeam")] {
            let error = try MigrationFixture(model, model).failure([
                .make("Person", "Person", links: [("team", value)]), .make("Team", "Team"),
            ])
            #expect(error.code == .migration)
            #expect(error.message.contains(text), "\(error)")
        }
    }

    @Test func aMappingOfOtherObjectsThanTheSourcesIsAnError() throws {
        let model = try makeModel([
            EntityMaker("Person").toOne("home", "Place").toOne("team", "Team"),
            EntityMaker("Place"), EntityMaker("Team"),
        ])
        let fixture = try MigrationFixture(model, model)
        let value = PropertyMapping.Value.destinations(mapping: "TeamToPlace", of: "home")
        let error = try fixture.failure([
            .make("Person", "Person", links: [("home", value)]), .make("Team", "Place"),
        ])
        #expect(
            error.message.contains("TeamToPlace maps objects of Team, and home leads to Place"),
            "\(error)")
    }

    @Test func severalObjectsForAToOneAreAnError() throws {
        let model = try makeModel([
            EntityMaker("Person").toOne("team", "Team", inverse: "people"),
            EntityMaker("Team").toMany("people", "Person", inverse: "team")
                .toOne("captain", "Person"),
        ])
        let fixture = try MigrationFixture(model, model)
        try fixture.seed { context in
            let team = try context.insert(fixture.old.entity("Team"))
            for _ in 1...2 {
                try context.insert(fixture.old.entity("Person"))
                    .setToOne(fixture.old.relationship("Person.team"), team)
            }
        }
        let error = try fixture.failure([
            .make("Person", "Person"),
            .make("Team", "Team", links: [("captain", .source("people"))]),
        ])
        #expect(error.message.contains("captain of Team for Team 1: it is a to-one"), "\(error)")
    }
}
