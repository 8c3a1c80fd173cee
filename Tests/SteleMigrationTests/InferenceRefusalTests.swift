import SteleMigration
import SteleModel
import Testing

/// The changes that lightweight migration refuses, and the conditions on the data.
@Suite struct InferenceRefusalTests {
    private func reasons(_ source: String, _ destination: String) throws -> [String] {
        let models = try (model(source, name: "M 1"), model(destination, name: "M 2"))
        let error = try #require(throws: MigrationError.self) {
            try MappingModel.inferred(from: models.0, to: models.1)
        }
        #expect(error.code == .inferredMappingModel && error.code.rawValue == 134190)
        #expect(error.description.hasPrefix("no mapping can be inferred from M 1 to M 2"))
        return error.reasons
    }

    private func requirements(_ source: String, _ destination: String) throws -> [String] {
        let models = try (model(source), model(destination))
        return try MappingModel.inferred(from: models.0, to: models.1)
            .requirements(from: models.0, to: models.1).map(\.description)
    }

    @Test func aTypeChanges() throws {
        let found = try reasons(
            "[\(entity("Person", "age: Integer 16"))]", "[\(entity("Person", "age: Date"))]")
        #expect(found == ["Person.age is of type Date and was Integer 16"])
    }

    @Test func aTypeChangesWithTheName() throws {
        let found = try reasons(
            "[\(entity("Person", "age: Integer 16"))]",
            #"[\#(entity("Person", #"years: String, "renamingIdentifier": "age""#))]"#)
        #expect(found == ["Person.years (Person.age before) is of type String and was Integer 16"])
    }

    @Test func oneOfSeveralTargetsHasAnotherType() throws {
        let code = #"code: Float, "renamingIdentifier": "name""#
        let found = try reasons(
            "[\(entity("Person", "name: String"))]",
            "[\(entity("Person", "name: String", code))]")
        #expect(found == ["Person.code (Person.name before) is of type Float and was String"])
    }

    @Test func aToManyBecomesToOne() throws {
        let found = try reasons(
            league(players: #""toMany": true"#, team: #""toMany": false"#),
            league(players: #""toMany": false"#, team: #""toMany": false"#))
        #expect(found == ["Team.players is to-one and was to-many"])
    }

    @Test func twoHierarchiesAreMerged() throws {
        let parent = #""parent": "Person""#
        let found = try reasons(
            "[\(entity("Coach")), \(entity("Player"))]",
            "[\(entity("Person")), \(entity("Coach", more: parent)), "
                + "\(entity("Player", more: parent))]")
        #expect(
            found == [
                "Coach and Player had no common parent, and now all belong to the hierarchy of "
                    + "Person"
            ])
    }

    @Test func anEntityMovesUnderAnother() throws {
        let found = try reasons(
            "[\(entity("Person")), \(entity("Player"))]",
            #"[\#(entity("Person")), \#(entity("Player", more: #""parent": "Person""#))]"#)
        #expect(found.count == 1)
    }

    @Test func oneEntityBecomesTwo() throws {
        let renamed = #""renamingIdentifier": "Person""#
        let found = try reasons(
            "[\(entity("Person"))]",
            "[\(entity("Customer", more: renamed)), \(entity("Employee", more: renamed))]")
        #expect(found == ["Customer and Employee come from the one entity Person"])
    }

    @Test func aRelationshipRefersToOtherObjects() throws {
        let old = #""relationships": [{"name": "home", "destination": "Team"}]"#
        let new = #""relationships": [{"name": "home", "destination": "City"}]"#
        let found = try reasons(
            "[\(entity("City")), \(entity("Team")), \(entity("Player", more: old))]",
            "[\(entity("City")), \(entity("Team")), \(entity("Player", more: new))]")
        #expect(found == ["Player.home refers to City and referred to Team"])
    }

    @Test func inversesAreCrossed() throws {
        func teams(_ first: String, _ second: String) -> String {
            func link(_ name: String, _ to: String, _ inverse: String) -> String {
                #"{"name": "\#(name)", "destination": "\#(to)", "inverse": "\#(inverse)"}"#
            }
            let home = #"[\#(link("home", "Game", first)), \#(link("away", "Game", second))]"#
            let back = [(first, "home"), (second, "away")].sorted { $0.0 < $1.0 }
                .map { link($0.0, "Team", $0.1) }.joined(separator: ",")
            return "[\(entity("Team", more: #""relationships": \#(home)"#)), "
                + "\(entity("Game", more: #""relationships": [\#(back)]"#))]"
        }
        let found = try reasons(teams("a", "b"), teams("b", "a"))
        #expect(found.count == 4)
        #expect(
            found.contains(
                "Team.home has the inverse b, which was Game.b and not its inverse"))
    }

    @Test func everyReasonIsListedOnce() throws {
        let child = entity("Player", more: #""parent": "Person""#)
        let found = try reasons(
            "[\(entity("Person", "age: Float", "name: String")), \(child)]",
            "[\(entity("Person", "age: String", "name: Date")), \(child)]")
        #expect(
            found == [
                "Person.age is of type String and was Float",
                "Person.name is of type Date and was String",
            ])
    }

    @Test func aNumericTypeThatChangesNeedsValuesThatFit() throws {
        let old = "[\(entity("Person", "age: Integer 32"))]"
        #expect(
            try requirements(old, "[\(entity("Person", "age: Integer 16"))]") == [
                "Person.age is of type Integer 16 and was Integer 32: all values of Person.age "
                    + "must be whole numbers from -32768 to 32767"
            ])
        #expect(
            try requirements(
                old, #"[\#(entity("Person", #"on: Boolean, "renamingIdentifier": "age""#))]"#)
                == [
                    "Person.on is of type Boolean and was Integer 32: all values of Person.age "
                        + "must be 0 or 1"
                ])
        for wider in ["Integer 64", "Double", "Decimal"] {
            #expect(try requirements(old, "[\(entity("Person", "age: \(wider)"))]") == [])
        }
    }

    @Test func aNewMandatoryAttributeNeedsADefault() throws {
        let old = "[\(entity("Person"))]"
        let text = #"name: String, "optional": false"#
        #expect(
            try requirements(old, "[\(entity("Person", text))]") == [
                "Person.name is not optional, and nothing gives it a value: there must be no "
                    + "objects of Person"
            ])
        #expect(try requirements(old, #"[\#(entity("Person", text + #", "default": """#))]"#) == [])
    }

    @Test func anAttributeThatBecomesMandatoryNeedsADefault() throws {
        let old = "[\(entity("Person", "name: String"))]"
        let text = #"title: String, "optional": false, "renamingIdentifier": "name""#
        #expect(
            try requirements(old, "[\(entity("Person", text))]") == [
                "Person.title is not optional and has no default: all objects of Person must "
                    + "have a value of name"
            ])
        #expect(
            try requirements(old, #"[\#(entity("Person", text + #", "default": "x""#))]"#) == [])
    }

    @Test func aNewMandatoryRelationshipNeedsObjectsWithoutIt() throws {
        let without = "[\(entity("Player")), \(entity("Team"))]"
        let with = league(players: #""toMany": true"#, team: #""optional": false"#)
        #expect(
            try requirements(without, with) == [
                "Player.team is not optional, and nothing gives it a value: there must be no "
                    + "objects of Player"
            ])
    }

    @Test func aMandatoryRelationshipIsFilledByItsInverse() throws {
        let players = #""relationships": [{"name": "players", "destination": "Player"}]"#
        #expect(
            try requirements(
                "[\(entity("Player")), \(entity("Team", more: players))]",
                league(players: #""toMany": false"#, team: #""optional": false"#)) == [])
    }

    @Test func anEntityThatBecomesAbstractMustBeEmpty() throws {
        let requirement = try requirements(
            "[\(entity("Person"))]", #"[\#(entity("Person", more: #""abstract": true"#))]"#)
        #expect(requirement == ["Person becomes abstract: there must be no objects of Person"])
    }

    @Test func aMandatoryCompositeNeedsAValue() throws {
        let types = #"[{"name": "Address", "attributes": [{"name": "city", "type": "String"}]}]"#
        let home = #"home: Composite, "composite": "Address", "optional": false"#
        let models = try (
            model("[\(entity("Person"))]"), model("[\(entity("Person", home))]", composites: types)
        )
        let found = try MappingModel.inferred(from: models.0, to: models.1)
            .requirements(from: models.0, to: models.1)
        #expect(found.map(\.kind) == [.noObjects(property: "home")])
    }

    @Test func theErrorCountsTheObjects() throws {
        let models = try (
            model("[\(entity("Person"))]"),
            model(#"[\#(entity("Person", #"name: String, "optional": false"#))]"#)
        )
        let requirement = try #require(
            try MappingModel.inferred(from: models.0, to: models.1)
                .requirements(from: models.0, to: models.1).first)
        let error = requirement.error(count: 3)
        #expect(error.code.rawValue == 134110)
        #expect(
            error.description
                == "Person.name is not optional, and nothing gives it a value, and the store has 3 "
                + "objects of Person (make name optional or give it a default)")
    }

    /// A relationship has no default that could be given.
    @Test func theErrorOfARelationshipHasAWayOut() throws {
        func error(_ old: String, _ new: String) throws -> String {
            let (source, destination) = try (model(old), model(new))
            let requirement = try #require(
                try MappingModel.inferred(from: source, to: destination)
                    .requirements(from: source, to: destination).first)
            return requirement.error(count: 3).description
        }
        let with = league(players: #""toMany": true"#, team: #""optional": false"#)
        #expect(
            try error("[\(entity("Player")), \(entity("Team"))]", with)
                == "Player.team is not optional, and nothing gives it a value, and the store has 3 "
                + "objects of Player (make team optional, or say with a mapping model what it leads "
                + "to)")
        #expect(
            try error(league(players: #""toMany": true"#, team: #""optional": true"#), with)
                == "Player.team is not optional, and 3 objects of Player without a value of team "
                + "exist (give it to them first, or make team optional)")
    }
}
