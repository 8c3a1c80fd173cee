import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

/// What attributes get.
@Suite struct MigrationValueTests {
    private func models() throws -> (Model, Model) {
        let old = try makeModel([
            EntityMaker("Person").attribute("first", .string).attribute("age", .integer16)
                .attribute("height", .double).attribute("nick", .string)
                .toOne("team", "Team", inverse: "people"),
            EntityMaker("Team").attribute("name", .string).attribute("size", .integer32)
                .toMany("people", "Person", inverse: "team"),
        ])
        let new = try makeModel([
            EntityMaker("Human").attribute("name", .string).attribute("age", .integer64)
                .attribute("height", .decimal).attribute("teamName", .string)
                .attribute("made", .string) { $0.defaultValue = .string("here") }
                .attribute("nick", .string) {
                    $0.isOptional = false
                    $0.defaultValue = .string("none")
                }
                .attribute("flag", .boolean)
        ])
        return (old, new)
    }

    private func fixture(_ kinds: (StoreKind, StoreKind) = (.sqlite, .sqlite)) throws
        -> MigrationFixture
    {
        let (old, new) = try models()
        let fixture = try MigrationFixture(old, new, kinds)
        try fixture.seed { context in
            let team = try context.insert(fixture.old.entity("Team"))
            team["name"] = .string("Reds")
            for number in 1...3 {
                let person = try context.insert(fixture.old.entity("Person"))
                person["first"] = .string("P\(number)")
                person["age"] = .int(Int64(10 * number))
                person["height"] = .double(1.5)
                if number > 1 {
                    try person.setToOne(fixture.old.relationship("Person.team"), team)
                }
            }
        }
        return fixture
    }

    @Test(arguments: StoreKind.single, StoreKind.single)
    func valuesComeFromSourcesExpressionsAndDefaults(
        _ from: StoreKind, _ to: StoreKind
    ) throws {
        let fixture = try fixture((from, to))
        try fixture.migrate([
            .make(
                "Person", "Human",
                attributes: [
                    ("name", try .text("uppercase:($source.first)")),
                    ("age", try .text("$source.age + 1")), ("height", .source("height")),
                    ("teamName", try .text("$source.team.name")), ("made", nil),
                    ("nick", .source("nick")),
                    ("flag", try .text("TERNARY($source.age > 15, 1, 0)")),
                ])
        ])
        let new = fixture.new
        #expect(try new.values("Human.name") == ["P1", "P2", "P3"].map { .string($0) })
        #expect(try new.values("Human.age") == [.int(11), .int(21), .int(31)])
        #expect(try new.values("Human.height") == Array(repeating: .decimal(1.5), count: 3))
        #expect(try new.values("Human.teamName") == [.null, .string("Reds"), .string("Reds")])
        #expect(try new.values("Human.made") == Array(repeating: .string("here"), count: 3))
        #expect(try new.values("Human.nick") == Array(repeating: .string("none"), count: 3))
        #expect(try new.values("Human.flag") == [.bool(false), .bool(true), .bool(true)])
        #expect(try new.history().isEmpty)
    }

    @Test(arguments: StoreKind.single)
    func metadataOfTheStoresAreConstants(_ kind: StoreKind) throws {
        let fixture = try fixture((kind, kind == .xml ? .sqlite : .xml))
        try fixture.old.store.setMetadata([
            "release": 3, "com.example.place": "Rome", "nested": ["a": ["b": 1.5]],
        ])
        let path = "$manager.sourceStore.metadata"
        try fixture.migrate([
            .make(
                "Person", "Human",
                attributes: [
                    ("name", try .text("uppercase:(\(path).com.example.place)")),
                    ("age", try .text("$source.age + \(path).release")),
                    ("height", try .text("\(path).nested.a.b")),
                    ("teamName", try .text("$manager.destinationStore.metadata.NSStoreType")),
                    ("made", try .text("\(path).NSStoreUUID")),
                    ("nick", try .text("TERNARY(\(path).absent = nil, 'none', 'some')")),
                ])
        ])
        let new = fixture.new
        #expect(try new.values("Human.name").first == .string("ROME"))
        #expect(try new.values("Human.age") == [.int(13), .int(23), .int(33)])
        #expect(try new.values("Human.height").first == .decimal(1.5))
        let type = kind == .xml ? "SQLite" : "XML"
        #expect(try new.values("Human.teamName").first == .string(type))
        #expect(try new.values("Human.made").first == .string(fixture.old.store.identifier))
        #expect(try new.values("Human.nick").first == .string("none"))
    }

    @Test func namesOfTheMappingAreConstants() throws {
        let fixture = try fixture()
        let mapping = PropertyMapping.Value.expression(
            .keyPath(.variable("entityMapping"), ["name"]))
        let property = PropertyMapping.Value.expression(
            .keyPath(.variable("propertyMapping"), ["name"]))
        try fixture.migrate([
            .make("Person", "Human", attributes: [("name", mapping), ("made", property)])
        ])
        #expect(try fixture.new.values("Human.name").first == .string("PersonToHuman"))
        #expect(try fixture.new.values("Human.made").first == .string("made"))
    }

    @Test func filtersLeaveObjectsOut() throws {
        let fixture = try fixture()
        var mapping = EntityMapping.make("Person", "Human", attributes: [("age", .source("age"))])
        mapping.sourceFilter = try Predicate(format: "age > 15")
        try fixture.migrate([mapping])
        #expect(try fixture.new.rows("Human").map(\.key) == [2, 3])
    }

    @Test func aValueThatDoesNotFitNamesMappingPropertyObjectAndValue() throws {
        let fixture = try fixture()
        let error = try fixture.failure([
            .make("Person", "Human", attributes: [("age", try .text("$source.height"))])
        ])
        #expect(error.code == .migration)
        for part in ["PersonToHuman", "age", "Human", "Person 1", "1.5"] {
            #expect(error.message.contains(part), "\(error)")
        }
        let text = try fixture.failure([
            .make("Person", "Human", attributes: [("age", .source("first"))])
        ])
        #expect(text.message.contains("\"P1\""), "\(text)")
    }

    @Test func namesThatTheModelsDoNotHaveAreErrors() throws {
        let fixture = try fixture()
        let mistakes: [(EntityMapping, String)] = [
            (.make("Persn", "Human"), "Persn"), (.make("Person", "Humn"), "Humn"),
            (.make("Person", "Human", attributes: [("nme", .source("first"))]), "nme"),
            (.make("Person", "Human", attributes: [("name", .source("frist"))]), "frist"),
            (.make("Person", "Human", attributes: [("name", try .text("$source.frist"))]), "frist"),
            (.make("Person", "Human", links: [("name", .source("team"))]), "name"),
        ]
        for (mapping, name) in mistakes {
            let error = try fixture.failure([mapping])
            #expect(error.code == .migration)
            #expect(error.description.contains(name), "\(error)")
        }
        let twice = EntityMapping.make("Person", "Human")
        #expect(try fixture.failure([twice, twice]).message.contains("two entity mappings"))
    }
}
