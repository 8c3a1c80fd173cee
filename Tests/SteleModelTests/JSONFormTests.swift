// The JSON form, written by hand: what may be left out, and what is refused.

import Foundation
import SteleModel
import TestSupport
import Testing

@Suite("The JSON form of a model")
struct JSONFormTests {
    static let league = """
        {
          "name": "League",
          "entities": [
            {"name": "Player",
             "attributes": [
               {"name": "name", "type": "String", "optional": false, "minimum": 1},
               {"name": "number", "type": "Integer 16", "minimum": 1, "maximum": 99},
               {"name": "salary", "type": "Decimal", "default": 0.10},
               {"name": "bonus", "type": "Decimal", "default": "12345678901234567890.12"},
               {"name": "born", "type": "Date", "minimum": "1900-01-01"},
               {"name": "weight", "type": "Double", "default": 80}
             ],
             "relationships": [{"name": "team", "destination": "Team", "inverse": "players"}],
             "indexes": [{"name": "byName", "elements": ["name", {"property": "born", "ascending": false}]}],
             "uniquenessConstraints": [["team", "number"]]},
            {"name": "Team",
             "attributes": [{"name": "name", "type": "String", "optional": false}],
             "relationships": [
               {"name": "players", "destination": "Player", "inverse": "team", "toMany": true,
                "deleteRule": "Cascade"}]}
          ]
        }
        """

    private func complaints(_ text: String) -> [String] {
        do {
            _ = try ManagedObjectModel(json: Array(text.utf8), name: "M")
            return []
        } catch {
            return error.errors.map(\.description)
        }
    }

    @Test("A short model says all that it needs to")
    func league() throws {
        let declared = try ManagedObjectModel(json: Array(Self.league.utf8), name: "other")
        let model = try Model(declared)
        #expect(model.name == "League")
        #expect(model.notes().isEmpty && model.unsupported().isEmpty)
        let player = try #require(model.entity(named: "Player"))
        #expect(player.attribute(named: "name")?.isOptional == false)
        #expect(player.attribute(named: "number")?.isOptional == true)
        #expect(player.attribute(named: "name")?.declaration.minimum == .int(1))
        guard
            case .decimal(let salary)? = player.attribute(named: "salary")?.declaration
                .defaultValue,
            case .decimal(let bonus)? = player.attribute(named: "bonus")?.declaration.defaultValue
        else {
            Issue.record("the defaults are no decimals")
            return
        }
        #expect(DecimalText.text(salary) == "0.1")
        #expect(DecimalText.text(bonus) == "12345678901234567890.12")
        #expect(player.attribute(named: "born")?.declaration.minimum == .date(-3_187_296_000))
        #expect(player.attribute(named: "weight")?.declaration.defaultValue == .double(80))
        let team = try #require(player.relationship(named: "team"))
        #expect(!team.isToMany && team.isOptional && team.declaration.maximumCount == 1)
        #expect(model.inverse(of: team)?.deleteRule == .cascade)
        #expect(player.declaration.fetchIndexes[0].elements.map(\.isAscending) == [true, false])
        #expect(player.uniquenessConstraints == [["team", "number"]])
    }

    @Test("A text with one byte changed is read or refused, and never harms")
    func changed() throws {
        let seed = drawSeed(#function)
        var generator = SeededNumbers(seed: seed)
        var refused = 0
        for _ in 0..<2000 {
            var bytes = Array(Self.league.utf8)
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[place] = UInt8.random(in: 0...255, using: &generator)
            do {
                let model = try ManagedObjectModel(json: bytes, name: "M")
                _ = try Model(model)
            } catch {
                refused += 1
                #expect(!error.errors.isEmpty && !error.errors.contains { $0.message.isEmpty })
            }
        }
        #expect(refused > 1000)
    }

    @Test("Properties of mixed order keep it")
    func order() throws {
        let text = """
            {"entities": [{"name": "A", "propertyOrder": ["b", "r", "a"],
              "attributes": [{"name": "a", "type": "Date"}, {"name": "b", "type": "Date"}],
              "relationships": [{"name": "r", "destination": "A"}]}]}
            """
        let model = try ManagedObjectModel(json: Array(text.utf8), name: "M")
        #expect(model.entities[0].properties.map(\.name) == ["b", "r", "a"])
        #expect(try ManagedObjectModel(json: Array(model.json().compact.utf8), name: "") == model)
        #expect(
            complaints(text.replacingOccurrences(of: "\"r\", \"a\"]", with: "\"r\"]")).first?
                .contains("propertyOrder does not name each") == true)
    }

    @Test(
        "What is wrong is named, and so is what was probably meant",
        arguments: [
            (#"[]"#, "a model must be a JSON object, and this is an array"),
            (#"{"entitys": []}"#, #"the key "entitys" is not known (did you mean entities?)"#),
            (#"{"entities": {}}"#, "its entities must be a list, and is an object"),
            (#"{"entities": [{}]}"#, "an entity has no name"),
            (#"{"entities": ["A"]}"#, "an entity must be an object, and this is a text"),
            (#"{"entities": [], "entities": []}"#, "entities"),
            (#"{"entities": ["#, "line 1"),
            (#"{"toolAttributes": {"a": 1}}"#, "\"a\" must be a text, and is a number"),
            (#"{"configurations": [{"name": "c", "entities": [1]}]}"#, "a list of names"),
            (#"{"fetchRequests": [{"name": "f"}]}"#, "names no entity"),
            (
                #"{"fetchRequests": [{"name": "f", "entity": "A", "resultType": "object"}]}"#,
                "did you mean objects?"
            ),
        ])
    func refused(_ text: String, _ part: String) {
        let found = complaints(text)
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.contains(part) == true, "\(found)")
    }

    @Test(
        "A wrong attribute is named",
        arguments: [
            (#""type": "string""#, "A.p: its type \"string\" is not known (did you mean String?)"),
            (#""default": 1"#, "A.p: it has no type"),
            (#""type": "Date", "optional": 1"#, "its optional must be true or false"),
            (#""type": "Date", "optinal": true"#, "(did you mean optional?)"),
            (#""type": "Integer 16", "default": 40000"#, "default \"40000\" is not an Integer 16"),
            (#""type": "Integer 16", "default": 1.5"#, "default \"1.5\" is not an Integer 16"),
            (#""type": "Boolean", "default": 1"#, "default \"1\" is not a Boolean"),
            (#""type": "Date", "default": "noon""#, "its default \"noon\" is not a Date"),
            (#""type": "Date", "minimum": "noon""#, "its minimum \"noon\" is not a Date"),
            (#""type": "Date", "default": {}"#, "its default \"{}\" is not a Date"),
            (#""type": "UUID", "default": "1""#, "is not a UUID"),
            (#""type": "Boolean", "minimum": 1"#, "a Boolean has no minimum"),
            (#""type": "String", "minimum": -1"#, "minimum \"-1\" is not a length"),
            (#""type": "Date", "userInfo": {"a": "\u0001"}"#, "\"a\" must be a text"),
            (#""type": "Date", "class": "\u0001""#, "has a control character"),
        ])
    func wrongAttribute(_ members: String, _ part: String) {
        let found = complaints(
            #"{"entities": [{"name": "A", "attributes": [{"name": "p", \#(members)}]}]}"#)
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.contains(part) == true, "\(found)")
    }
}

@Suite("The page on models")
struct ModelsPageTests {
    @Test("Its example is a model without a mistake or a note")
    func example() throws {
        let text = try packageText("Docs/Models.md")
        let start = try #require(text.range(of: "```json\n")).upperBound
        let end = try #require(text.range(of: "\n```", range: start..<text.endIndex)).lowerBound
        let json = Array(text[start..<end].utf8)
        let model = try Model(try ManagedObjectModel(json: json, name: ""))
        #expect(model.notes().isEmpty && model.unsupported().isEmpty)
        #expect(model.entities.map(\.name) == ["Player", "Goalkeeper", "Team"])
    }

    @Test("Its table names the keys that each object of the JSON form can have")
    func keys() throws {
        let text = try packageText("Docs/Models.md")
        let objects = [
            ("model", #"{"?": 1}"#), ("entity", #"{"entities": [{"name": "A", "?": 1}]}"#),
            (
                "attribute",
                #"{"entities": [{"name": "A", "attributes": [{"name": "a", "type": "Date", "?": 1}]}]}"#
            ),
            (
                "relationship",
                #"{"entities": [{"name": "A", "relationships": [{"name": "r", "destination": "A", "?": 1}]}]}"#
            ),
            ("fetch request", #"{"fetchRequests": [{"name": "f", "entity": "A", "?": 1}]}"#),
            ("configuration", #"{"configurations": [{"name": "c", "?": 1}]}"#),
            ("composite", #"{"composites": [{"name": "c", "?": 1}]}"#),
            ("index", #"{"entities": [{"name": "A", "indexes": [{"name": "i", "?": 1}]}]}"#),
            (
                "fetched property",
                #"{"entities": [{"name": "A", "fetchedProperties": [{"name": "f", "fetchRequest": {"entity": "A"}, "?": 1}]}]}"#
            ),
        ]
        // Keys of entities and properties stand below the table.
        let common = [
            "renamingIdentifier", "versionHashModifier", "userInfo", "syncable", "codeGeneration",
            "toolAttributes", "toolElements",
        ]
        let below = text.split(separator: "\n").filter { !$0.hasPrefix("| ") }.joined()
        for key in common { #expect(below.contains("`\(key)`"), "\(key)") }
        for (what, json) in objects {
            let row = try #require(
                text.split(separator: "\n").first { $0.hasPrefix("| \(what) |") }, "\(what)")
            let named = Set(row.matches(of: /`(\w+)`/).map { String($0.1) })
            let error = try #require(throws: ModelErrors.self) {
                _ = try ManagedObjectModel(json: Array(json.utf8), name: "")
            }
            let hint = try #require(error.errors.last?.hint, "\(what)")
            let keys = Set(
                hint.dropFirst("the known keys are ".count).split(separator: ", ").map(String.init))
            let missing = keys.subtracting(named).subtracting(common)
            #expect(keys.count >= 2 && missing.isEmpty, "\(what): \(missing)")
            // The row of an index has the keys of its elements, too.
            #expect(named.isSubset(of: keys) || what == "index", "\(what): \(named)")
        }
    }
}
