import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

/// Value expressions with calls of the manager and of a policy.
@Suite struct MigrationCallTests {
    /// Answers `shout:` with an exclamation mark.
    final class Shouting: EntityMigrationPolicy {
        override func perform(
            _ selector: String, with arguments: [MigrationValue]
        ) throws -> MigrationValue {
            guard case .string(let text) = arguments[0].value else { return .value(.null) }
            return .value(.string(text + "!"))
        }
    }

    private func model() throws -> Model {
        try makeModel([
            EntityMaker("Team").attribute("name", .string)
                .toMany("people", "Person", inverse: "team"),
            EntityMaker("Person").attribute("name", .string)
                .toOne("team", "Team", inverse: "people").toMany("others", "Person"),
        ])
    }

    /// A team of two people, and a person without one.
    private func seeded() throws -> MigrationFixture {
        let fixture = try MigrationFixture(try model(), try model())
        try fixture.seed { context in
            let team = try context.insert(fixture.old.entity("Team"))
            team["name"] = .string("Reds")
            for name in ["Ann", "Bob", "Cy"] {
                let person = try context.insert(fixture.old.entity("Person"))
                person["name"] = .string(name)
                if name == "Cy" { continue }
                try person.setToOne(fixture.old.relationship("Person.team"), team)
            }
        }
        return fixture
    }

    /// `FUNCTION($manager, …)`: what a mapping made of objects of the source.
    private func made(_ mapping: String, of path: [String]) -> Expression {
        .function(
            "destinationInstancesForEntityMappingNamed:sourceInstances:",
            [
                .variable("manager"), .constant(.string(mapping)),
                .keyPath(.variable("source"), path),
            ])
    }

    private let teams = EntityMapping.make("Team", "Team", attributes: [("name", .source("name"))])

    @Test func aKeyPathBehindACallIsFollowed() throws {
        let fixture = try seeded()
        let name = Expression.keyPath(made("TeamToTeam", of: ["team"]), ["name"])
        try fixture.migrate([
            teams, .make("Person", "Person", attributes: [("name", .expression(name))]),
        ])
        #expect(try fixture.new.values("Person.name") == [.string("Reds"), .string("Reds"), .null])
    }

    @Test func aKeyPathBehindACallLeadsToObjects() throws {
        let fixture = try seeded()
        let people = Expression.keyPath(made("TeamToTeam", of: ["team"]), ["people"])
        try fixture.migrate([
            teams,
            .make(
                "Person", "Person",
                links: [("team", .source("team")), ("others", .expression(people))]),
        ])
        #expect(try fixture.new.members("Person.others").values.map(\.count).max() ?? 0 > 0)
    }

    @Test func oneValueOfSeveralObjectsIsAnError() throws {
        let fixture = try seeded()
        let name = Expression.keyPath(made("PersonToPerson", of: ["people"]), ["name"])
        let error = try fixture.failure([
            .make("Person", "Person", attributes: [("name", .source("name"))]),
            .make("Team", "Team", attributes: [("name", .expression(name))]),
        ])
        #expect(error.message.contains("name is asked of 2 objects"), "\(error)")
    }

    @Test func objectsAreNoOperand() throws {
        let fixture = try seeded()
        let joined = Expression.function(
            "add:to:", [.constant(.string("x")), made("TeamToTeam", of: ["team"])])
        let error = try fixture.failure([
            teams, .make("Person", "Person", attributes: [("name", .expression(joined))]),
        ])
        #expect(error.message.contains("an operand is a single value"), "\(error)")
    }

    @Test func textsAreJoinedWithTheResultOfACall() throws {
        let fixture = try seeded()
        let call = Expression.function(
            "shout:", [.variable("entityPolicy"), .keyPath(.variable("source"), ["name"])])
        let joined = Expression.function("add:to:", [.constant(.string("Hi ")), call])
        try fixture.migrate(
            [
                .make(
                    "Person", "Person", policy: "P", attributes: [("name", .expression(joined))])
            ], policies: ["P": Shouting.self])
        #expect(try fixture.new.values("Person.name").first == .string("Hi Ann!"))
    }

    @Test func aBranchOfAConditionMayBeObjects() throws {
        let fixture = try seeded()
        let team = Expression.conditional(
            try Predicate(format: "$source.name == 'Ann'"), made("TeamToTeam", of: ["team"]),
            .constant(.null))
        try fixture.migrate([
            teams, .make("Person", "Person", links: [("team", .expression(team))]),
        ])
        #expect(try fixture.new.values("Person.team") == [.key(1), .null, .null])
    }
}
