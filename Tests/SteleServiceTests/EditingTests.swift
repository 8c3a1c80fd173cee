// Editing contexts: what is unsaved is seen there and nowhere else, saved, taken back.

import SteleJSON
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct EditingTests {
    private static func shapes(_ inMemory: Bool) throws -> ServiceFixture {
        try ServiceFixture(drawingModel(), inMemory: inMemory)
    }

    @Test(arguments: [false, true])
    func nothingIsSavedUntilSave(_ inMemory: Bool) throws {
        let shapes = try Self.shapes(inMemory)
        let editor = try Editor(shapes)
        let made = editor.post("/Circle", #"{"radius":5,"x":1,"canvas":{"name":"Page"}}"#)
        #expect(made.status == 201, "\(made.text)")
        #expect(made["Location"] == "/contexts/\(editor.id)/Circle/t1")
        #expect(made["ETag"] == nil && made["Cache-Control"] == nil)
        let circle = try made.json
        #expect(circle["_id"] == "t1" && circle["_version"] == 0 && circle["canvas"] == "t2")
        #expect(circle["color"] == "black", "defaults are there at once")
        // Seen here, in lists, counts and across relationships; and nowhere else.
        #expect(editor.get("/Circle/t1").text == made.text)
        #expect(try editor.get("/Shape/count").json["count"] == 1)
        let drawn = editor.get("/Canvas/t2/shapes?select=_id,color")
        #expect(drawn.text == #"[{"_id":"t1","color":"black"}]"#)
        #expect(editor.get("/Circle/t1/canvas").text.contains(#""name":"Page""#))
        #expect(editor.get("/Circle?include=canvas").text.contains(#""canvas":{"_id":"t2""#))
        #expect(editor.get("/Circle?format=csv").text.contains("t1,Circle,0"))
        #expect(shapes.get("/Circle").text == "[]")
        let hint = shapes.get("/Circle/t1")
        #expect(hint.status == 404 && hint.hint.contains("temporary id"), "\(hint.text)")
        let saved = editor.post("/save")
        #expect(saved.status == 200, "\(saved.text)")
        let ids = try saved.json["ids"]
        #expect(ids?["t1"]?["_id"] == 1 && ids?["t1"]?["_entity"] == "Circle", "\(saved.text)")
        #expect(ids?["t2"]?["_entity"] == "Canvas")
        #expect(shapes.get("/Circle/1").text.contains(#""canvas":1"#))
        // The temporary id goes on to name it, in addresses, bodies and predicates.
        #expect(try editor.get("/Circle/t1").json["_id"] == 1)
        #expect(editor.patch("/Circle/t1", #"{"canvas":"t2","x":2}"#).status == 200)
        #expect(
            editor.find("Circle", where: #"canvas == "t2""#, "&select=_id").text
                == #"[{"_id":1}]"#)
        #expect(editor.get("/Canvas/t1").status == 404, "another entity's id")
        #expect(try shapes.get("/Circle/1").json["x"] == 1)
        #expect(editor.post("/save").text.contains(#""ids":{}"#))
        #expect(try shapes.get("/Circle/1").json["x"] == 2)
        #expect(try editor.state("hasChanges") == false)
        #expect(editor.post("/save").text.contains(#""transaction":null"#))
    }

    @Test(arguments: [false, true])
    func temporaryIDsStandWhereverIDsDo(_ inMemory: Bool) throws {
        let league = try ServiceFixture(TestModels.people(), inMemory: inMemory)
        _ = league.post("/Team", #"[{"name":"Old","people":[{"name":"Ann"},{"name":"Bo"}]}]"#)
        let editor = try Editor(league)
        _ = editor.post("/Team", #"{"name":"New"}"#)
        #expect(editor.patch("/Person/1", #"{"team":"t1"}"#).text.contains(#""team":"t1""#))
        #expect(editor.ask("PUT", "/Person/2/team", #""t1""#).text == #""t1""#)
        #expect(editor.get("/Team/t1/people?select=_id").text == #"[{"_id":1},{"_id":2}]"#)
        #expect(editor.get("/Team/1/people").text == "[]")
        for text in [
            #"team == "t1""#, #"team IN {"t1", 7}"#, #"team._id == "t1""#,
            #"SUBQUERY(team.people, $p, $p.team == "t1").@count == 2"#,
        ] {
            let found = editor.find("Person", where: text, "&select=name")
            #expect(found.text == #"[{"name":"Ann"},{"name":"Bo"}]"#, "\(text): \(found.text)")
        }
        #expect(
            editor.find("Team", where: #"_id == "t1""#, "&select=name").text == #"[{"name":"New"}]"#
        )
        #expect(
            editor.find("Team", where: #"ANY people.name == "Ann""#, "&select=_id").text
                == #"[{"_id":"t1"}]"#)
        #expect(
            editor.get("/Person?where=team==%24T&var.T=t1&select=_id").text
                == #"[{"_id":1},{"_id":2}]"#)
        #expect(editor.find("Team", where: #"name == "t1""#).text == "[]", "text stays text")
        #expect(editor.ask("PUT", "/Team/1/people", #"["t9"]"#).status == 422)
        #expect(editor.ask("DELETE", "/Team/t1/people/2").status == 204)
        #expect(
            editor.post("/Team/t1/people", #"[2,{"name":"Cy"}]"#).text == #"["t2",1,2]"#
                || editor.get("/Team/t1/people/count").text == #"{"count":3}"#)
        let operations = """
            [{"op":"insert","entity":"Person","as":"p","values":{"name":"Di","team":"t1"}},
             {"op":"update","object":"Person/t2","values":{"age":7}},
             {"op":"delete","object":"/contexts/\(editor.id)/Person/1"}]
            """
        let done = editor.post("/transactions", operations)
        #expect(done.status == 200 && done.text.contains(#""team":"t1""#), "\(done.text)")
        #expect(try editor.get("/Team/t1/people/count").json["count"] == 3)
        #expect(editor.post("/save").status == 200)
        #expect(
            league.get("/Team/2/people?select=name").text
                == #"[{"name":"Bo"},{"name":"Cy"},{"name":"Di"}]"#)
    }

    @Test(arguments: [false, true])
    func listsSeeWhatIsUnsavedWithEveryParameter(_ inMemory: Bool) throws {
        let people = try ServiceFixture(TestModels.people(), inMemory: inMemory)
        let rows = (1...9).map { #"{"name":"P\#($0)","age":\#($0 * 10),"salary":\#($0)}"# }
        _ = people.post("/Person", "[\(rows.joined(separator: ","))]")
        let editor = try Editor(people)
        #expect(editor.patch("/Person/1", #"{"age":95}"#).status == 200)
        #expect(editor.ask("DELETE", "/Person/2").status == 204)
        #expect(
            editor.post("/Person", #"[{"name":"N1","age":35},{"name":"N2","age":5}]"#).status == 201
        )
        #expect(
            editor.find("Person", where: "age > 80", "&sort=-age&select=name,age").text
                == #"[{"name":"P1","age":95},{"name":"P9","age":90}]"#)
        #expect(
            editor.find("Person", where: "age < 40", "&sort=age&select=_id,name").text
                == #"[{"_id":"t2","name":"N2"},{"_id":3,"name":"P3"},{"_id":"t1","name":"N1"}]"#)
        #expect(
            editor.get("/Person?sort=age&offset=1&limit=2&select=name").text
                == #"[{"name":"P3"},{"name":"N1"}]"#)
        let counted = editor.get("/Person?limit=1&count=true")
        #expect(counted["Total-Count"] == "10", "\(counted.text)")
        // Page by page, with new objects in the middle and at the end.
        for sort in ["age", "_id", "-name"] {
            let list = "/contexts/\(editor.id)/Person?sort=\(sort)&limit=3&select=name"
            let names = try people.pages(list).flatMap { page in
                try JSONDocument(page.bytes).root.elements.map { $0["name"]?.string ?? "-" }
            }
            let all = editor.get("/Person?sort=\(sort)&select=name&limit=100")
            let expected = try JSONDocument(all.bytes).root.elements.map {
                $0["name"]?.string ?? ""
            }
            #expect(names == expected && names.count == 10, "\(sort): \(names)")
        }
        #expect(
            editor.get("/Person?select=n:count(),total:sum(age)").text == #"[{"n":10,"total":555}]"#
        )
        #expect(
            editor.get("/Person?select=team,n:count(),oldest:max(age)&groupBy=team").text
                == #"[{"team":null,"n":10,"oldest":95}]"#)
        #expect(
            editor.get(
                "/Person?select=big:TERNARY(age%20%3E%2050,1,0),n:count()&groupBy=TERNARY(age%20%3E%2050,1,0)&sort=n"
            ).status == 200)
        #expect(people.get("/Person?select=total:sum(age)").text == #"[{"total":450}]"#)
        #expect(
            editor.post("/Person/query", #"{"where":"age > 80","select":["name"],"sort":"age"}"#)
                .text
                == #"[{"name":"P9"},{"name":"P1"}]"#)
        #expect(
            editor.get("/Person?format=ndjson&select=name").text.split(separator: "\n").count == 10)
        let all = editor.patch("/Person?where=age%3E80", #"{"name":"Old"}"#)
        #expect(all.text == #"{"updated":2}"#, "\(all.text)")
        #expect(editor.ask("DELETE", "/Person?where=age%3C50").text == #"{"deleted":4}"#)
        #expect(try people.get("/Person/count").json["count"] == 9)
        #expect(editor.post("/save").status == 200)
        #expect(people.find("Person", "name == \"Old\"").text == #"[{"_id":1},{"_id":9}]"#)
        #expect(try people.get("/Person/count").json["count"] == 6)
    }

    @Test(arguments: [false, true])
    func oneRequestIsMadeWhollyOrNotAtAll(_ inMemory: Bool) throws {
        let people = try ServiceFixture(TestModels.people(), inMemory: inMemory)
        let editor = try Editor(people)
        #expect(editor.post("/Person", #"[{"name":"A"},{"nam":"B"}]"#).status == 400)
        #expect(
            editor.post("/Person", #"{"name":"A","team":{"name":"T","league":99}}"#).status == 422)
        #expect(try editor.get("/Person/count").json["count"] == 0)
        #expect(try editor.state("hasChanges") == false)
        #expect(try editor.state("canUndo") == false)
    }

    @Test(arguments: [false, true])
    func validationComesWithTheSave(_ inMemory: Bool) throws {
        let league = try ServiceFixture(TestModels.league(), inMemory: inMemory)
        let editor = try Editor(league)
        #expect(editor.post("/Player", #"{"name":"","number":100}"#).status == 201)
        #expect(editor.post("/Team", "{}").status == 201)
        let refused = editor.post("/save")
        #expect(refused.status == 422 && refused.code == "1560", "\(refused.text)")
        for code in ["1670", "1610", "1570"] {
            #expect(refused.text.contains(code), "\(refused.text)")
        }
        #expect(refused.text.contains(#""object":"/contexts/\#(editor.id)/Player/t1""#))
        #expect(try refused.json["type"] == "/docs/errors#1560")
        #expect(league.get("/Player").text == "[]")
        #expect(editor.patch("/Player/t1", #"{"name":"Ann","number":9}"#).status == 200)
        #expect(editor.patch("/Team/t2", #"{"name":"Crew"}"#).status == 200)
        #expect(editor.post("/save").status == 200)
        // A rule that denies is judged at the save, too.
        let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory)
        _ = zoo.post("/Page", #"{"blocks":[{}]}"#)
        let other = try Editor(zoo)
        #expect(other.ask("DELETE", "/Page/1").status == 204)
        #expect(other.get("/Page").text == "[]")
        let denied = other.post("/save")
        #expect(denied.status == 409 && denied.code == "1600", "\(denied.text)")
        #expect(other.post("/rollback").status == 200)
        #expect(other.get("/Page?select=_id").text == #"[{"_id":1}]"#)
    }

    @Test(arguments: [false, true])
    func undoAndRedo(_ inMemory: Bool) throws {
        let shapes = try Self.shapes(inMemory)
        _ = shapes.post(
            "/Canvas",
            #"{"name":"Page","shapes":[{"_entity":"Circle","x":1},{"_entity":"Rectangle"}]}"#)
        let editor = try Editor(shapes)
        #expect(editor.post("/undo").code == "undo.nothing")
        _ = editor.post("/undo-group", #"{"name":"Move"}"#)
        #expect(try editor.state("openUndoGroups") == 1)
        _ = editor.patch("/Circle/1", #"{"x":10}"#)
        _ = editor.patch("/Circle/1", #"{"y":20}"#)
        #expect(editor.post("/redo").code == "undo.nothing")
        #expect(try editor.post("/undo-group/end").json["undoActionName"] == "Move")
        #expect(editor.post("/undo-group/end").code == "undo.group")
        #expect(editor.ask("DELETE", "/Canvas/1").status == 204)
        #expect(editor.get("/Shape").text == "[]", "the cascade is seen at once")
        #expect(editor.post("/undo").status == 200)
        #expect(editor.get("/Canvas/1/shapes?select=_id").text == #"[{"_id":1},{"_id":2}]"#)
        #expect(try editor.get("/Circle/1").json["x"] == 10)
        #expect(try editor.post("/undo").json["redoActionName"] == "Move")
        #expect(try editor.get("/Circle/1").json["x"] == 1)
        #expect(try editor.get("/Circle/1").json["y"] == 0)
        #expect(try editor.state("hasChanges") == false)
        #expect(editor.post("/undo").status == 409)
        #expect(editor.post("/redo").status == 200 && editor.post("/redo").status == 200)
        #expect(editor.get("/Canvas").text == "[]")
        // What is saved can be taken back, as a change.
        #expect(editor.post("/save").status == 200)
        #expect(shapes.get("/Shape").text == "[]")
        #expect(editor.post("/undo").status == 200)
        #expect(editor.post("/save").status == 200)
        #expect(try shapes.get("/Circle/1").json["x"] == 10)
        #expect(shapes.get("/Canvas/1/shapes?select=_id").text == #"[{"_id":1},{"_id":2}]"#)
        // Without undo there is none; with levels, so many.
        #expect(try editor.patch("", #"{"undoEnabled":false}"#).json["canUndo"] == false)
        _ = editor.patch("/Circle/1", #"{"x":11}"#)
        #expect(editor.post("/undo").code == "undo.nothing")
        #expect(editor.patch("", #"{"undoEnabled":true,"undoLevels":2}"#).status == 200)
        for x in 1...5 { _ = editor.patch("/Circle/1", #"{"x":\#(x)}"#) }
        #expect(editor.post("/undo").status == 200 && editor.post("/undo").status == 200)
        #expect(editor.post("/undo").status == 409)
        #expect(try editor.get("/Circle/1").json["x"] == 3)
        #expect(try editor.post("/rollback").json["canRedo"] == false)
        #expect(try editor.get("/Circle/1").json["x"] == 10)
    }

    @Test(arguments: [false, true])
    func changesTellWhatIsUnsaved(_ inMemory: Bool) throws {
        let people = try ServiceFixture(TestModels.people(), inMemory: inMemory)
        _ = people.post("/Team", #"{"name":"Old","people":[{"name":"Ann"},{"name":"Bo"}]}"#)
        let editor = try Editor(people)
        #expect(editor.get("/changes").text == #"{"inserted":[],"updated":[],"deleted":[]}"#)
        _ = editor.post("/Team", #"{"name":"New","people":[1]}"#)
        _ = editor.ask("DELETE", "/Person/2")
        let changes = try editor.get("/changes").json
        let text = editor.get("/changes").text
        #expect(
            text.contains(
                #""inserted":[{"_id":"t1","_entity":"Team","_version":0,"name":"New","league":null}]"#
            ), "\(text)")
        #expect(text.contains(#""changed":{"team":"t1"},"committed":{"team":1}"#), "\(text)")
        #expect(text.contains(#""changed":{"people":[]},"committed":{"people":[1,2]}"#), "\(text)")
        #expect(
            changes["deleted"]
                == .array([.object([("_id", 2), ("_entity", "Person"), ("_version", 1)])]),
            "\(text)")
        #expect(try editor.state("inserted") == 1 && editor.state("updated") == 2)
        #expect(try editor.state("deleted") == 1)
        #expect(try editor.post("/reset").json["hasChanges"] == false)
        #expect(editor.get("/Team/t1").status == 404)
    }

    @Test(arguments: [false, true])
    func aChildSavesIntoItsParent(_ inMemory: Bool) throws {
        let people = try ServiceFixture(TestModels.people(), inMemory: inMemory)
        let parent = try Editor(people, #"{"author":"ann"}"#)
        _ = parent.post("/Team", #"{"name":"Crew"}"#)
        let child = try parent.child()
        #expect(try child.state("parent") == .string(parent.id) && child.state("author") == "ann")
        #expect(child.get("/Team/t1").status == 200)
        #expect(child.post("/Person", #"{"name":"Ann","team":"t1"}"#).text.contains(#""_id":"t2""#))
        #expect(parent.get("/Person").text == "[]")
        #expect(child.get("/Team/t1/people?select=name").text == #"[{"name":"Ann"}]"#)
        let pushed = child.post("/save")
        #expect(pushed.text.contains(#""transaction":null"#) && pushed.text.contains(#""ids":{}"#))
        #expect(parent.get("/Team/t1/people?select=name").text == #"[{"name":"Ann"}]"#)
        #expect(people.get("/Person").text == "[]")
        #expect(parent.post("/undo").status == 200)
        #expect(parent.get("/Person").text == "[]")
        #expect(parent.post("/redo").status == 200)
        #expect(try parent.post("/save").json["ids"]?["t2"]?["_id"] == 1)
        #expect(try child.get("/Person/t2").json["_id"] == 1, "the family's ids")
        _ = child.patch("/Person/1", #"{"age":3}"#)
        #expect(parent.ask("DELETE", "/Person/1").status == 204)
        let lost = child.post("/save")
        #expect(lost.status == 409 && lost.code == "133020", "\(lost.text)")
        // Children go with their parents.
        #expect(parent.ask("DELETE", "").status == 204)
        #expect(child.get("").code == "context.gone")
        var deep = try Editor(people)
        for _ in 1..<8 { deep = try deep.child() }
        #expect(deep.post("/contexts").code == "context.full")
    }

    @Test(arguments: [false, true])
    func newObjectsAreDeletedWithoutATrace(_ inMemory: Bool) throws {
        let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory)
        let editor = try Editor(zoo)
        _ = editor.post("/Page", #"{"title":"P","blocks":[{}],"tags":[{"name":"a"}],"notes":[{}]}"#)
        #expect(editor.ask("DELETE", "/Page/t1").status == 204)
        #expect(try editor.get("/Page/count").json["count"] == 0)
        #expect(editor.get("/Block?select=page").text == #"[{"page":null}]"#)
        #expect(editor.post("/undo").status == 200)
        #expect(
            editor.get("/Page/t1?select=blocks,tags,notes").text
                == #"{"blocks":["t2"],"tags":["t3"],"notes":["t4"]}"#)
        #expect(editor.ask("DELETE", "/Page/t1").status == 204)
        #expect(editor.post("/save").status == 200)
        #expect(zoo.get("/Page").text == "[]")
        #expect(try zoo.get("/Block/count").json["count"] == 1)
    }

    @Test(arguments: [false, true])
    func bytesAndFetchedPropertiesAreOfWhatIsUnsaved(_ inMemory: Bool) throws {
        let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory)
        _ = zoo.post("/Note", #"{"text":"saved"}"#)
        let editor = try Editor(zoo)
        _ = editor.post("/Sample", #"{"binary":"AAEC"}"#)
        #expect(editor.get("/Sample/t1/binary").bytes == [0, 1, 2])
        #expect(editor.ask("PUT", "/Sample/t1/binary", "xyz").status == 204)
        #expect(editor.get("/Sample/t1/binary").text == "xyz")
        _ = editor.post("/Page", #"{"title":"P","notes":[{"text":"new"}]}"#)
        #expect(
            editor.get("/Page/t2/drafts?select=text&sort=text").text
                == #"[{"text":"new"},{"text":"saved"}]"#)
        #expect(editor.get("/Page?include=drafts").text.contains(#""text":"new""#))
        // Order, and places in it.
        let canvas = editor.post(
            "/Canvas",
            #"{"shapes":[{"_entity":"Circle"},{"_entity":"Square"},{"_entity":"Circle"}]}"#)
        #expect(canvas.status == 201, "\(canvas.text)")
        let before = try JSONDocument(editor.get("/Canvas/t4?select=shapes").bytes)
        let keys = before.root["shapes"]?.elements.compactMap(\.string) ?? []
        try #require(keys.count == 3)
        let move = #"[{"op":"move","from":"/shapes/2","path":"/shapes/0"}]"#
        let moved = editor.ask(
            "PATCH", "/Canvas/t4", move, [("Content-Type", "application/json-patch+json")])
        #expect(moved.status == 200, "\(moved.text)")
        #expect(
            editor.get("/Canvas/t4?select=shapes").text
                == #"{"shapes":["\#(keys[2])","\#(keys[0])","\#(keys[1])"]}"#)
        #expect(
            editor.get("/Canvas/t4/shapes?select=_id&limit=1&offset=1").text
                == #"[{"_id":"\#(keys[0])"}]"#)
    }
}

extension ServiceFixture {
    /// The ids of what a predicate finds.
    func find(_ entity: String, _ text: String) -> Answer {
        get("/\(entity)?where=\(encoded(text))&select=_id")
    }
}

extension JSONNode {
    var elements: [JSONNode] {
        var found: [JSONNode] = []
        forEachElement { found.append($0) }
        return found
    }
}
