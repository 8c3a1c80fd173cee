// Mapping files in JSON, and what is wrong in them.

import SteleMigration
import SteleModel
import StelePredicates
import TestSupport
import Testing

@Suite struct ReadingJSONTests {
    private static func model(_ name: String, _ text: String) throws -> Model {
        try Model(ManagedObjectModel(json: Array(text.utf8), name: name))
    }

    private static let old = """
        {"entities": [
            {"name": "Person", "attributes": [
                {"name": "firstName", "type": "String"}, {"name": "lastName", "type": "String"},
                {"name": "age", "type": "Integer 16"}, {"name": "code", "type": "String"}],
             "relationships": [{"name": "team", "destination": "Team", "inverse": "people"}]},
            {"name": "Team", "attributes": [{"name": "name", "type": "String"}],
             "relationships": [
                {"name": "people", "destination": "Person", "inverse": "team", "toMany": true}]},
            {"name": "Badge", "attributes": [{"name": "text", "type": "String"}]}]}
        """
    private static let new = """
        {"entities": [
            {"name": "Human", "attributes": [
                {"name": "fullName", "type": "String"}, {"name": "age", "type": "Integer 32"},
                {"name": "code", "type": "Integer 16"}],
             "relationships": [
                {"name": "teams", "destination": "Team", "inverse": "people", "toMany": true}]},
            {"name": "Team", "attributes": [{"name": "name", "type": "String"}],
             "relationships": [
                {"name": "people", "destination": "Human", "inverse": "teams", "toMany": true}]},
            {"name": "Prize", "attributes": [{"name": "text", "type": "String"}]}]}
        """

    private func read(_ text: String) throws(ModelErrors) -> MappingFile {
        try MappingFile(Array(text.utf8), path: "Staff.mapping.json")
    }

    private func mappings(_ text: String) throws -> MappingModel {
        try read(text).mappingModel(
            from: Self.model("Staff 1", Self.old), to: Self.model("Staff 2", Self.new))
    }

    /// The errors of a file with these mappings, with the models above.
    private func errors(_ mappings: String) throws -> [String] {
        do {
            _ = try self.mappings("{\"mappings\": [\(mappings)]}")
            return []
        } catch let error as ModelErrors {
            return error.errors.map(\.description)
        }
    }

    @Test func aMappingOfOtherObjectsThanTheRelationshipLeadsTo() throws {
        let found = try errors(
            #"""
            {"source": "Badge", "destination": "Team"},
            {"source": "Person", "destination": "Human", "attributes": {"code": 1},
             "relationships": {"teams": {"of": "$source.team", "mapping": "BadgeToTeam"}}}
            """#)
        #expect(
            found.contains { $0.contains("BadgeToTeam maps objects of Badge, and $source.team") },
            "\(found)")
    }

    /// What another mapping, or any, makes of the same object.
    @Test func theSourceAloneIsAKeyPath() throws {
        let model = try mappings(
            #"""
            {"mappings": [
              {"source": "Team", "destination": "Team",
               "relationships": {"people": {"of": "$source", "mapping": "TeamToHuman"}}},
              {"source": "Team", "destination": "Human", "attributes": {"age": 1, "code": 1},
               "relationships": {"teams": "$source"}}]}
            """#)
        #expect(
            model.mapping(named: "TeamToTeam")?.relationshipMappings.map(\.value)
                == [.destinations(mapping: "TeamToHuman", of: "")])
        #expect(
            model.mapping(named: "TeamToHuman")?.relationshipMappings.map(\.value)
                == [.destinations(mapping: nil, of: "")])
    }

    @Test func aFileIsRead() throws {
        let text = #"""
            {"from": "Staff 1", "to": "Staff 2", "mappings": [
                {"source": "Person", "destination": "Human", "filter": "age > 3",
                 "attributes": {
                    "fullName": "$source.firstName + ' ' + $source.lastName", "code": 7},
                 "relationships": {"teams": "$source.team"}},
                {"source": "Badge", "destination": "Prize", "policy": "Prizes",
                 "attributes": {"text": null}, "userInfo": {"note": "x"}}]}
            """#
        let file = try read(text)
        #expect(file.sourceVersion == "Staff 1" && file.destinationVersion == "Staff 2")
        let model = try mappings(text)
        #expect(
            model.entityMappings.map(\.name)
                == ["PersonToHuman", "BadgeToPrize", "TeamToTeam"])
        let human = model.entityMappings[0]
        #expect(human.mappingType == .custom)
        #expect(human.sourceFilter == (try Predicate(format: "age > 3")))
        let full = try Expression(format: "$source.firstName + ' ' + $source.lastName")
        #expect(
            human.attributeMappings == [
                .init(name: "fullName", value: .expression(full)),
                .init(name: "code", value: .expression(.constant(.int(7)))),
                // It is not named in the file, and both models have it.
                .init(name: "age", value: .source("age")),
            ])
        #expect(human.relationshipMappings == [.init(name: "teams", value: .source("team"))])
        let prize = model.entityMappings[1]
        #expect(prize.entityMigrationPolicyClassName == "Prizes")
        #expect(prize.attributeMappings == [.init(name: "text", value: nil)])
        #expect(prize.userInfo == [UserInfoEntry(key: "note", value: "x")])
        let team = model.entityMappings[2]
        #expect(team.mappingType == .transform)
        #expect(team.relationshipMappings == [.init(name: "people", value: .source("people"))])
    }

    @Test func entitiesThatTheFileDoesNotNameAreCarriedOverAddedOrRemoved() throws {
        let model = try mappings(
            #"{"mappings": [{"source": "Person", "destination": "Human", "#
                + #""attributes": {"code": null}}]}"#)
        #expect(
            model.entityMappings.map { "\($0.name) \($0.mappingType)" } == [
                "PersonToHuman custom", "Prize add", "TeamToTeam transform", "Badge remove",
            ])
    }

    /// The objects of a relationship by a mapping of their own, and through another relationship.
    @Test func relationshipsNameMappings() throws {
        let model = try mappings(
            #"""
            {"mappings": [
                {"source": "Person", "destination": "Human", "attributes": {"code": null},
                 "relationships": {
                    "teams": {"of": "$source.team", "mapping": "Clubs"}}},
                {"name": "Clubs", "source": "Team", "destination": "Team",
                 "relationships": {"people": "$source.people.team.people"}}]}
            """#)
        #expect(
            model.entityMappings[0].relationshipMappings
                == [.init(name: "teams", value: .destinations(mapping: "Clubs", of: "team"))])
        #expect(
            model.entityMappings[1].relationshipMappings.first?.value
                == .destinations(mapping: nil, of: "people.team.people"))
    }

    @Test(arguments: [
        ("[]", "a mapping file must be a JSON object"),
        ("{\"mappings\": [}", "at line 1, column 15"),
        ("{\"mapping\": []}", "the key \"mapping\" is not known (did you mean mappings?)"),
        ("{\"mappings\": [1]}", "mapping 1: it must be an object, and is a number"),
        ("{\"mappings\": [{}]}", "mapping 1: it names no entity"),
        (
            "{\"mappings\": [{\"source\": \"A\", \"sorce\": \"B\"}]}",
            "A: the key \"sorce\" is not known (did you mean source?)"
        ),
        (
            "{\"mappings\": [{\"source\": \"A\", \"destination\": \"B\", \"filter\": \"a >\"}]}",
            "AToB.filter: "
        ),
        (
            "{\"mappings\": [{\"destination\": \"B\", \"attributes\": {\"a\": \"1 +\"}}]}",
            "B.a: \"1 +\": "
        ),
        (
            "{\"mappings\": [{\"destination\": \"B\", \"attributes\": {\"a\": []}}]}",
            "B.a: it must be an expression, and is an array"
        ),
        (
            "{\"mappings\": [{\"destination\": \"B\", \"relationships\": {\"a\": \"team\"}}]}",
            "B.a: \"team\" is not a key path of the source object"
        ),
        (
            "{\"mappings\": [{\"destination\": \"B\", \"relationships\": {\"a\": {\"off\": 1}}}]}",
            "B.a: the key \"off\" is not known (did you mean of?)"
        ),
    ])
    func aFaultOfTheFileIsToldWithItsPlace(_ text: String, _ message: String) {
        let error = #expect(throws: ModelErrors.self) { try read(text) }
        let all = error?.errors.map(\.description).joined(separator: "\n") ?? ""
        #expect(all.contains(message), "\(all)")
    }

    @Test func everyFaultAgainstTheModelsIsListed() throws {
        let found = try errors(
            #"""
            {"source": "Persn", "destination": "Human"},
            {"source": "Person", "destination": "Human", "filter": "salary > 3",
             "attributes": {
                "fulName": "$source.firstName", "fullName": "$source.fistName", "teams": "1",
                "age": "$source.firstName", "code": "$sorce.age"},
             "relationships": {"team": "$source.team", "teams": "$source.age"}},
            {"source": "Team", "destination": "Team",
             "relationships": {"people": {"of": "$source.people", "mapping": "PersonToHumans"}}}
            """#)
        #expect(
            found == [
                "PersnToHuman: Staff 1 has no entity Persn, which is its source "
                    + "(did you mean Person?)",
                "PersonToHuman.filter: Person has no property salary "
                    + "(its keys are firstName, lastName, age, code, team)",
                "PersonToHuman.fulName: Human of Staff 2 has no attribute fulName "
                    + "(did you mean fullName?)",
                "PersonToHuman.fullName: Person of Staff 1 has no fistName "
                    + "(did you mean firstName?)",
                "PersonToHuman.teams: Human.teams is a relationship",
                "PersonToHuman.age: Person.firstName is String, and age is Integer 32 "
                    + "(give it an expression, or null for its default)",
                "PersonToHuman.code: the variable $sorce is not known (did you mean source?)",
                "PersonToHuman.team: Human of Staff 2 has no relationship team "
                    + "(did you mean teams?)",
                "PersonToHuman.teams: $source.age is a number, not a relationship",
                "TeamToTeam.people: there is no mapping PersonToHumans "
                    + "(did you mean PersonToHuman?)",
            ])
    }

    /// A property that both models have by the same name and another type is told, not lost.
    @Test func aTypeThatChangedIsTold() throws {
        #expect(
            try errors(#"{"source": "Person", "destination": "Human"}"#) == [
                "PersonToHuman.code: Person.code is String, and code is Integer 16 "
                    + "(give it an expression, or null for its default)"
            ])
    }

    @Test func expressionsMustFitTheirAttribute() throws {
        #expect(
            try errors(
                #"""
                {"source": "Person", "destination": "Human", "attributes": {
                    "code": "length($source.code)", "fullName": "$source.age + 1",
                    "age": "length($source.firstName + $source.lastName)"}}
                """#) == [
                    "PersonToHuman.fullName: $source.age + 1 is a number, and fullName is String"
                ])
    }

    /// Only one object fits into a to-one relationship.
    @Test func aToManyDoesNotFitIntoAToOne() throws {
        let file = try read(
            #"{"mappings": [{"source": "Team", "destination": "Club"}]}"#)
        let club = try Self.model(
            "Staff 3",
            """
            {"entities": [
                {"name": "Club", "relationships": [
                    {"name": "people", "destination": "Person", "inverse": "team"}]},
                {"name": "Person", "relationships": [
                    {"name": "team", "destination": "Club", "inverse": "people"}]}]}
            """)
        let error = #expect(throws: ModelErrors.self) {
            try file.mappingModel(from: Self.model("Staff 1", Self.old), to: club)
        }
        #expect(
            error?.errors.map(\.description) == [
                "TeamToClub.people: $source.people has many objects, and people holds one "
                    + "(choose one by a policy, or make people a to-many)"
            ])
    }

    /// The example of the documentation.
    @Test func theDocumentedExampleIsRead() throws {
        let page = try packageText("Docs/Migration.md")
        let block = try #require(page.split(separator: "```json\n").dropFirst().first)
        let text = try #require(block.split(separator: "```").first)
        let file = try read(String(text))
        #expect(file.sourceVersion == "Staff 1" && file.destinationVersion == "Staff 2")
    }

    @Test(arguments: ["\0\u{1}garbage", "junk", ""])
    func aFileThatIsNoMappingModelIsNamed(_ text: String) {
        let error = #expect(throws: ModelErrors.self) {
            try MappingFile(Array(text.utf8), path: "x.cdm")
        }
        let said = error?.description ?? ""
        #expect(said.hasPrefix("x.cdm: it is no mapping model: "), "\(said)")
    }

    @Test func aMissingFileIsTold() {
        let error = #expect(throws: ModelErrors.self) { try MappingFile.read("/nowhere.cdm") }
        #expect(error?.description.hasPrefix("/nowhere.cdm: there is no mapping model") == true)
    }
}
