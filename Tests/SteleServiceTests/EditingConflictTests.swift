// Editing contexts and the saves of others: conflicts, merge policies, versions, the history.

import SteleJSON
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct EditingConflictTests {
    @Test(arguments: [false, true])
    func othersSavesAreSeenAndConflictAtTheSave(_ inMemory: Bool) throws {
        let people = try ServiceFixture(TestModels.people(), inMemory: inMemory)
        _ = people.post("/Person", #"[{"name":"A","age":1},{"name":"B","age":1}]"#)
        let editor = try Editor(people, #"{"undoEnabled":false}"#)
        _ = editor.patch("/Person/1", #"{"age":2}"#)
        _ = people.patch("/Person/1", #"{"name":"A2"}"#)
        _ = people.patch("/Person/2", #"{"name":"B2"}"#)
        // Unchanged objects follow the store at once; changed ones stay as they were read.
        #expect(try editor.get("/Person/2").json["name"] == "B2")
        #expect(try editor.get("/Person/1").json["name"] == "A")
        let refused = editor.post("/save")
        #expect(refused.status == 409 && refused.code == "133020", "\(refused.text)")
        #expect(refused.text.contains(#""object":"/contexts/\#(editor.id)/Person/1""#))
        #expect(editor.post("/refresh").status == 200)
        #expect(try editor.get("/Person/1").json["name"] == "A2")
        #expect(try editor.get("/Person/1").json["age"] == 2)
        #expect(editor.post("/save").status == 200)
        #expect(try people.get("/Person/1").json["age"] == 2)
        // With a merge policy.
        for (policy, age, name) in [
            ("objectTrump", 5, "theirs"), ("storeTrump", 6, "theirs"), ("overwrite", 5, "base"),
            ("rollback", 6, "theirs"),
        ] {
            _ = people.patch("/Person/2", #"{"age":1,"name":"base"}"#)
            let one = try Editor(people, #"{"mergePolicy":"\#(policy)"}"#)
            #expect(one.patch("/Person/2", #"{"age":5}"#).status == 200)
            _ = people.patch("/Person/2", #"{"age":6,"name":"theirs"}"#)
            #expect(one.post("/save").status == 200)
            let stored = try people.get("/Person/2").json
            #expect(
                stored["age"] == .integer(Int64(age)) && stored["name"] == .string(name),
                "\(policy): \(stored)")
        }
        // A refresh can drop the changes of one object, or of all.
        _ = editor.patch("/Person/1", #"{"age":50}"#)
        _ = editor.patch("/Person/2", #"{"age":50}"#)
        let one = editor.post("/refresh", #"{"merge":false,"objects":["Person/1"]}"#)
        #expect(try one.json["updated"] == 1, "\(one.text)")
        #expect(try editor.get("/Person/1").json["age"] == 2)
        #expect(try editor.post("/refresh", #"{"merge":false}"#).json["hasChanges"] == false)
    }

    /// What others have saved is no step: an undo takes back what was done here.
    @Test(arguments: [false, true], ["objectTrump", "storeTrump", "overwrite", "rollback"])
    func anUndoAfterASettledConflictUndoesTheStepBefore(
        _ inMemory: Bool, _ policy: String
    ) throws {
        let people = try ServiceFixture(TestModels.people(), inMemory: inMemory)
        _ = people.post("/Person", #"[{"name":"A","age":1},{"name":"B","age":1}]"#)
        let editor = try Editor(people, #"{"mergePolicy":"\#(policy)"}"#)
        _ = editor.patch("/Person/2", #"{"age":20}"#)
        _ = editor.patch("/Person/1", #"{"age":5}"#)
        _ = people.patch("/Person/1", #"{"age":6,"name":"theirs"}"#)
        #expect(editor.post("/save").status == 200)
        let kept = policy == "objectTrump" || policy == "overwrite" ? 5 : 6
        #expect(try people.get("/Person/1").json["age"] == .integer(Int64(kept)))
        #expect(editor.post("/undo").status == 200)
        let undone = try editor.get("/Person/1").json
        #expect(undone["age"] == 1 && (policy == "overwrite") == (undone["name"] == "A"))
        #expect(try editor.get("/Person/2").json["age"] == 20)
        #expect(try editor.state("hasChanges") == true)
        #expect(editor.post("/redo").status == 200)
        #expect(try editor.get("/Person/1").json["age"] == .integer(Int64(kept)))
        #expect(editor.post("/undo").status == 200 && editor.post("/undo").status == 200)
        #expect(try editor.get("/Person/2").json["age"] == 1)
        #expect(editor.post("/undo").code == "undo.nothing")
    }

    @Test func longNumbersOfAConflictAreExactAsStrings() throws {
        let tallies = try ServiceFixture(
            makeModel(name: "Tallies", [EntityMaker("Tally").attribute("count", .integer64)]))
        _ = tallies.post("/Tally", #"{"count":1}"#)
        let editor = try Editor(tallies, "{}")
        _ = editor.patch("/Tally/1", #"{"count":9007199254740993}"#)
        _ = tallies.patch("/Tally/1", #"{"count":9007199254740995}"#)
        let numbers = editor.post("/save")
        #expect(numbers.text.contains(#""yours":9007199254740993,"stored":9007199254740995"#))
        let strings = editor.post("/save?numbers=string")
        #expect(
            strings.text.contains(#""yours":"9007199254740993","stored":"9007199254740995""#),
            "\(strings.text)")
    }

    /// By policy, a new object whose unique values are taken becomes the object that has them.
    @Test(arguments: [false, true], ["objectTrump", "storeTrump"])
    func temporaryIDsOfUpsertsNameWhatIsStored(_ inMemory: Bool, _ policy: String) throws {
        let shop = try MergePolicyRouteTests.shop(inMemory)
        _ = shop.post("/Kind", #"[{"name":"GB"},{"name":"FR"}]"#)
        let editor = try Editor(shop, #"{"mergePolicy":"\#(policy)"}"#)
        _ = editor.post("/Kind", #"[{"name":"FR"},{"name":"IT"},{"name":"IT"},{"name":"GB"}]"#)
        let saved = try editor.post("/save").json
        let ids = try #require(saved["ids"])
        #expect(ids["t1"]?["_id"] == 2 && ids["t4"]?["_id"] == 1, "\(saved)")
        #expect(ids["t2"]?["_id"] == 3 && ids["t3"]?["_id"] == 3, "\(saved)")
        #expect(ids["t1"]?["_entity"] == "Kind")
        let version = try shop.get("/Kind/2").json["_version"]
        #expect(ids["t1"]?["_version"] == version)
        #expect(try editor.get("/Kind/t1").json["_id"] == 2)
        #expect(try editor.get("/Kind/t3").json["name"] == "IT")
        #expect(try shop.get("/Kind/count").json["count"] == 3)
    }

    @Test(arguments: [false, true])
    func membersThatWereReadAreReadAnew(_ inMemory: Bool) throws {
        let people = try ServiceFixture(TestModels.people(), inMemory: inMemory)
        _ = people.post("/Team", #"{"name":"A","people":[{"name":"Ann"}]}"#)
        let editor = try Editor(people)
        let child = try editor.child()
        for who in [editor, child] {
            #expect(who.get("/Team/1?select=people").text.hasPrefix(#"{"people":[1"#))
        }
        _ = people.post("/Team/1/people", #"{"name":"Bo"}"#)
        for who in [child, editor] {
            #expect(who.get("/Team/1?select=people").text == #"{"people":[1,2]}"#)
            #expect(who.get("/Team?include=people").text.contains("Bo"))
        }
    }

    @Test(arguments: [false, true])
    func whatALinkReliesOnIsLookedAtAgain(_ inMemory: Bool) throws {
        let people = try ServiceFixture(TestModels.people(), inMemory: inMemory)
        _ = people.post("/Team", #"[{"name":"A"},{"name":"B"}]"#)
        _ = people.post("/Person", #"{"name":"Ann"}"#)
        let editor = try Editor(people)
        #expect(editor.patch("/Person/1", #"{"team":1}"#).status == 200)
        #expect(people.ask("DELETE", "/Team/1").status == 204)
        let refused = editor.post("/save")
        #expect(refused.status == 409 && refused.code == "context.stale", "\(refused.text)")
        #expect(refused.hint.contains("refresh"))
        #expect(editor.post("/refresh").status == 200)
        #expect(try editor.get("/Person/1").json["team"] == .null)
        #expect(editor.post("/save").status == 200)
    }

    /// The policy also holds where the context is refreshed during the save: an object that another
    /// save has deleted is restored, and *overwrite* writes all of it.
    @Test(arguments: [false, true], ["objectTrump", "overwrite"])
    func aPolicyHoldsWhereWhatALinkReliesOnIsGone(_ inMemory: Bool, _ policy: String) throws {
        let people = try ServiceFixture(TestModels.people(), inMemory: inMemory)
        _ = people.post("/Team", #"[{"name":"A"},{"name":"B"}]"#)
        _ = people.post(
            "/Person",
            #"[{"name":"Ann","team":2},{"name":"Bo"},{"name":"Cy","age":1}]"#)
        let editor = try Editor(people, #"{"mergePolicy":"\#(policy)"}"#)
        #expect(editor.patch("/Person/1", #"{"age":4}"#).status == 200)
        #expect(editor.patch("/Person/2", #"{"team":1}"#).status == 200)
        #expect(editor.patch("/Person/3", #"{"age":5}"#).status == 200)
        #expect(people.ask("DELETE", "/Person/1").status == 204)
        #expect(people.ask("DELETE", "/Team/1").status == 204)
        #expect(people.patch("/Person/3", #"{"name":"theirs","age":6}"#).status == 200)
        let saved = editor.post("/save")
        #expect(
            saved.status == 200 && !saved.text.contains(#""transaction":null"#), "\(saved.text)")
        let ann = people.get("/Person/1")
        #expect(ann.status == 200, "\(ann.text)")
        #expect(try ann.json["age"] == 4 && ann.json["name"] == "Ann" && ann.json["team"] == 2)
        #expect(people.get("/Team/2?select=people").text == #"{"people":[1]}"#)
        #expect(try people.get("/Person/2").json["team"] == .null)
        let cy = try people.get("/Person/3").json
        #expect(cy["age"] == 5 && cy["name"] == (policy == "overwrite" ? "Cy" : "theirs"))
        #expect(try editor.state("hasChanges") == false)
    }

    @Test(arguments: [false, true])
    func versionsThatAClientNamesAreCompared(_ inMemory: Bool) throws {
        let people = try ServiceFixture(TestModels.people(), inMemory: inMemory)
        _ = people.post("/Person", #"{"name":"A"}"#)
        let tag = try #require(people.get("/Person/1")["ETag"])
        let editor = try Editor(people)
        #expect(editor.ask("PATCH", "/Person/1", #"{"age":1}"#, [("If-Match", tag)]).status == 200)
        #expect(editor.patch("/Person/1", #"{"_version":1,"age":2}"#).status == 200)
        #expect(editor.patch("/Person/1", #"{"_version":2,"age":2}"#).code == "conflict.version")
        #expect(editor.ask("PATCH", "/Person/1", "{}", [("If-Match", "\"9-x\"")]).status == 412)
        #expect(editor.get("/Person/1")["ETag"] == nil)
        #expect(editor.get("/Person/1")["Cache-Control"] == "no-store")
        let patch =
            #"[{"op":"test","path":"/age","value":2},{"op":"replace","path":"/name","value":"Z"}]"#
        let patched = editor.ask(
            "PATCH", "/Person/1", patch, [("Content-Type", "application/json-patch+json")])
        #expect(try patched.json["name"] == "Z", "\(patched.text)")
        #expect(try editor.ask("PUT", "/Person/1", #"{"name":"Q"}"#).json["age"] == .null)
        let brief = editor.ask("POST", "/Person", "{}", [("Prefer", "return=minimal")])
        #expect(brief.status == 201 && brief.text.isEmpty)
        #expect(editor.ask("POST", "/save", nil, [("Prefer", "return=minimal")]).status == 204)
    }

    @Test(arguments: [false, true])
    func theHistoryTellsWhoSavedAndWhat(_ inMemory: Bool) throws {
        let people = try ServiceFixture(TestModels.people(), inMemory: inMemory)
        let editor = try Editor(people, #"{"author":"ann"}"#)
        _ = editor.post("/Person", #"{"name":"A"}"#)
        let saved = try editor.post("/save").json
        let feed = people.get("/changes").text
        #expect(
            feed.contains(#""author":"ann","context":"POST /contexts/{context}/save""#), "\(feed)")
        guard case .string(let token)? = saved["transaction"] else {
            Issue.record("no token")
            return
        }
        #expect(feed.contains(#""transaction":"\#(token)""#))
        #expect(editor.patch("", #"{"author":null}"#).status == 200)
        #expect(try editor.state("author") == .null)
    }
}
