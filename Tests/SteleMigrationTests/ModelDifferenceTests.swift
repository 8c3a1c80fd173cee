import SteleMigration
import SteleModel
import Testing

@Suite struct ModelDifferenceTests {
    private func lines(_ source: Model, _ destination: Model) -> [String] {
        ModelDifference(from: source, to: destination).lines
    }

    private func lines(_ source: String, _ destination: String) throws -> [String] {
        try lines(model(source), model(destination))
    }

    @Test func equalModelsDoNotDiffer() throws {
        let text = "[\(entity("Person", "name: String")), \(entity("Team"))]"
        let difference = try ModelDifference(from: model(text, name: "A"), to: model(text))
        #expect(difference.isEmpty && difference.lines.isEmpty)
        #expect(difference.source == "A" && difference.destination == "M")
    }

    @Test func theOrderInTheFileIsNoDifference() throws {
        let (a, b) = (entity("A", "x: String", "y: Float"), entity("A", "y: Float", "x: String"))
        #expect(try lines("[\(a), \(entity("B"))]", "[\(entity("B")), \(b)]") == [])
    }

    @Test func propertiesAreAddedRemovedRenamedAndChanged() throws {
        let found = try lines(
            "[\(entity("Person", "name: String", "age: Integer 16", "fax: String"))]",
            "["
                + entity(
                    "Person", #"title: String, "renamingIdentifier": "name""#,
                    #"age: Integer 32, "optional": false, "default": 0"#, "email: URI") + "]")
        #expect(
            found == [
                "~ entity Person",
                "    ~ attribute title (name before)",
                "    ~ attribute age",
                "        type: Integer 16 → Integer 32",
                "        optional: true → false",
                "        default: none → 0",
                "    + attribute email: URI, optional",
                "    - attribute fax: String, optional",
            ])
    }

    @Test func entitiesAreAddedRemovedRenamedAndChanged() throws {
        let team = entity("Team", "name: String", more: #""uniquenessConstraints": [["name"]]"#)
        let found = try lines(
            "[\(entity("Person")), \(entity("Old", "a: String")), \(entity("Team"))]",
            "[\(entity("Human", more: #""renamingIdentifier": "Person""#)), "
                + #"\#(entity("New", "b: String", more: #""abstract": true"#)), "#
                + "\(team)]")
        #expect(
            found == [
                "~ entity Human (Person before)",
                "+ entity New: abstract true",
                "    + attribute b: String, optional",
                "~ entity Team",
                #"    uniquenessConstraints: none → [["name"]]"#,
                "    + attribute name: String, optional",
                "- entity Old",
            ])
    }

    @Test func relationshipsDiffer() throws {
        let found = try lines(
            league(players: #""toMany": false"#, team: #""toMany": false"#),
            league(players: #""toMany": true, "ordered": true"#, team: #""deleteRule": "Deny""#))
        #expect(
            found == [
                "~ entity Player",
                "    ~ relationship team",
                "        deleteRule: Nullify → Deny",
                "~ entity Team",
                "    ~ relationship players",
                "        toMany: false → true",
                "        ordered: false → true",
            ])
    }

    @Test func theRestOfAModelDiffers() throws {
        func build(_ more: String) throws -> Model {
            let text = #"{"entities": [\#(entity("A", "x: String"))], \#(more)}"#
            return try Model(ManagedObjectModel(json: Array(text.utf8), name: "M"))
        }
        let old = try build(
            #""versionIdentifier": "1", "fetchRequests": [{"name": "all", "entity": "A"}]"#)
        let new = try build(
            #"""
            "versionIdentifier": "2", "configurations": [{"name": "C", "entities": ["A"]}],
            "fetchRequests": [{"name": "all", "entity": "A", "fetchLimit": 5}],
            "composites": [{"name": "P", "attributes": [{"name": "q", "type": "String"}]}]
            """#)
        #expect(
            lines(old, new) == [
                "versionIdentifier: 1 → 2",
                "+ composite P",
                "    + attribute q: String, optional",
                "~ fetch request all",
                "    fetchLimit: none → 5",
                "+ configuration C: entities A",
            ])
    }

    /// User info has no order, and the editor's attributes, the name of a property's request and
    /// an index's element as an object have no effect.
    @Test func whatHasNoEffectIsNoDifference() throws {
        func build(_ info: String, _ request: String, _ element: String) throws -> Model {
            let more = """
                "userInfo": {\(info)}, "indexes": [{"name": "i", "elements": [\(element)]}], \
                "fetchedProperties": [{"name": "f", "fetchRequest": {"entity": "A"\(request)}}]
                """
            return try model("[\(entity("A", #"x: String, "userInfo": {\#(info)}"#, more: more))]")
        }
        let old = try build(#""a": "1", "b": "2""#, "", #""x""#)
        let new = try build(
            #""b": "2", "a": "1""#,
            #", "name": "r", "toolAttributes": {"includeSubentities": "YES"}"#,
            #"{"property": "x", "toolAttributes": {"y": "1"}}"#)
        #expect(lines(old, new) == [])
        let other = try build(#""b": "1", "a": "2""#, "", #""x""#)
        #expect(
            lines(new, other) == [
                "~ entity A",
                #"    userInfo: {"a":"1","b":"2"} → {"a":"2","b":"1"}"#,
                "    ~ attribute x",
                #"        userInfo: {"a":"1","b":"2"} → {"a":"2","b":"1"}"#,
            ])
    }

    @Test func howADerivationIsWrittenIsNoDifference() throws {
        func build(_ derivation: String) throws -> Model {
            try model(
                "[\(entity("A", "x: String", #"y: String, "derivation": "\#(derivation)""#))]")
        }
        let (old, new) = (try build("canonical:(x)"), try build(" canonical( x )"))
        #expect(lines(old, new) == [])
        #expect(
            ModelDifference.migration(from: old, to: new) == [
                "A store needs no migration: the version hashes are equal."
            ])
        #expect(try lines(new, build("uppercase:(x)")).count == 3)
    }

    @Test func itSaysHowAStoreIsMigrated() throws {
        let old = try model("[\(entity("Person", "age: Float"))]")
        let same = try model(#"[\#(entity("Person", #"age: Float, "default": 1"#))]"#)
        let more = try model(
            #"[\#(entity("Person", "age: Float", #"name: String, "optional": false"#))]"#)
        let other = try model("[\(entity("Person", "age: String"))]")
        #expect(
            ModelDifference.migration(from: old, to: same) == [
                "A store needs no migration: the version hashes are equal."
            ])
        #expect(
            ModelDifference.migration(from: same, to: more) == [
                "A store is migrated by inference (lightweight migration).", "It requires:",
                "  - Person.name is not optional, and nothing gives it a value: there must be no "
                    + "objects of Person",
            ])
        #expect(
            ModelDifference.migration(from: old, to: other) == [
                "A store is migrated only by a mapping model, because nothing can be inferred:",
                "  - Person.age is of type String and was Float",
            ])
    }
}
