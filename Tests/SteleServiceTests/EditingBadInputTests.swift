// What clients get wrong with editing contexts: each answer names the thing, and nothing changes.

import SteleGraph
import SteleJSON
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct EditingBadInputTests {
    /// Below the context, unless the path begins with `//`.
    static let refused: [Refused] = [
        Refused("GET", "//contexts", 405, "method.not-allowed", "POST"),
        Refused("POST", "//contexts", "[]", 400, "request.body", "an object"),
        Refused("POST", "//contexts", "{", 400, "json.syntax", ""),
        Refused("POST", "//contexts", #"{"author":""}"#, 400, "request.body", "author"),
        Refused("POST", "//contexts?x=1", 400, "request.unknown-parameter", "x"),
        Refused("GET", "//contexts/c00/Person", 404, "context.unknown", "c00"),
        Refused("PUT", "", "{}", 405, "method.not-allowed", "PATCH"),
        Refused("PATCH", "", "", 400, "json.empty", "body"),
        Refused("PATCH", "", #"{"undolevels":3}"#, 400, "request.unknown-key", "undoLevels"),
        Refused("PATCH", "", #"{"undoLevels":0}"#, 400, "request.body", "from 1 to 1000"),
        Refused("PATCH", "", #"{"undoLevels":"3"}"#, 400, "request.body", "undoLevels"),
        Refused("PATCH", "", #"{"undoLevels":3.5}"#, 400, "request.body", "undoLevels"),
        Refused("PATCH", "", #"{"undoLevels":1e19}"#, 400, "request.body", "undoLevels"),
        Refused("PATCH", "", #"{"undoEnabled":1}"#, 400, "request.body", "undoEnabled"),
        Refused("PATCH", "", #"{"mergePolicy":"objectrump"}"#, 400, "request.body", "objectTrump"),
        Refused("PATCH", "", #"{"author":7}"#, 400, "request.body", "author"),
        Refused("PATCH", "", #"{"name":""}"#, 400, "request.body", "name must be null"),
        Refused("GET", "/undo", 405, "method.not-allowed", "POST"),
        Refused("POST", "/undo", #"{"steps":2}"#, 400, "request.unknown-key", "steps"),
        Refused("POST", "/save", "[1]", 400, "request.body", "an object"),
        Refused(
            "POST", "/save", "{}", 400, "request.header", "Idempotency-Key",
            headers: [("Idempotency-Key", "k")]),
        Refused("POST", "/undo/again", 404, "route.unknown", "/contexts/{context}/undo"),
        Refused("POST", "/undo-group", #"{"name":7}"#, 400, "request.body", "name"),
        Refused("POST", "/undo-group/begin", 404, "route.unknown", "undo-group"),
        Refused("POST", "/undo-group/end", 409, "undo.group", "begin one first"),
        Refused("POST", "/undo", 409, "undo.nothing", "undo"),
        Refused("POST", "/redo", 409, "undo.nothing", "redo"),
        Refused("POST", "/refresh", #"{"merge":"yes"}"#, 400, "request.body", "merge"),
        Refused("POST", "/refresh", #"{"objects":"Person/1"}"#, 400, "request.body", "array"),
        Refused("POST", "/refresh", #"{"objects":["Person"]}"#, 400, "request.body", "Person/42"),
        Refused("POST", "/refresh", #"{"objects":["Persn/1"]}"#, 422, "entity.mismatch", "Person"),
        Refused(
            "POST", "/refresh", #"{"objects":["Person/99"]}"#, 404, "object.unknown", "Person 99"),
        Refused("GET", "/save", 405, "method.not-allowed", "POST"),
        Refused("GET", "/changed", 404, "route.unknown", "changes"),
        Refused("GET", "/healthz", 404, "route.unknown", "/contexts/{context}"),
        Refused("GET", "/Persn", 404, "entity.unknown", "Person"),
        Refused("GET", "/Person/t9", 404, "object.unknown", "Person t9"),
        Refused("GET", "/Person/t0", 404, "route.unknown", "t0"),
        Refused("GET", "/Person/-1", 400, "request.id", "-1"),
        Refused(
            "GET", "/Team/1/people/t9", 404, "object.not-a-member", "t9 is not in people of Team 1"),
        Refused("GET", "/Person?where=nam==1", 400, "predicate.unknown-key", "name"),
        Refused("GET", "/Person?where=team==%22t1x%22", 400, "predicate.type", "t1x"),
        Refused(
            "GET", "/Person?mergePolicy=error", 400, "request.unknown-parameter", "mergePolicy"),
        Refused(
            "POST", "/Person?mergePolicy=objectTrump", "{}", 400, "request.unknown-parameter",
            "mergePolicy"),
        Refused("POST", "/Person", #"{"nam":1}"#, 400, "request.unknown-key", "name"),
        Refused("POST", "/Person", #"{"_id":"t1"}"#, 400, "request.body", "_id"),
        Refused("POST", "/Person", #"{"age":"x"}"#, 422, "value.type", "age"),
        Refused("POST", "/Person", #"{"team":"t7"}"#, 422, "object.missing-destination", "Team t7"),
        Refused("POST", "/Person", #"{"_entity":"Team"}"#, 422, "entity.mismatch", "Team"),
        // An id of another store: what there is not.
        Refused("PATCH", "/Person/9000", "{}", 404, "object.unknown", "Person 9000"),
        Refused("PATCH", "/Person/1", #"{"_id":2}"#, 409, "conflict.identity", "_id"),
        Refused("PATCH", "/Person/1", #"{"team":9000}"#, 422, "object.missing-destination", "9000"),
        Refused("PUT", "/Team/1/people", #"[1,1]"#, 400, "request.body", "twice"),
        Refused("PATCH", "/Person", "{}", 400, "request.parameter", "where"),
        Refused("DELETE", "/Person", 400, "request.parameter", "where"),
        Refused("DELETE", "/Person/77", 404, "object.unknown", "77"),
        Refused("GET", "/Person?after=x", 400, "request.cursor", "cursor"),
        Refused(
            "POST", "/transactions", #"[{"op":"delete","object":"Person/t4"}]"#, 404,
            "object.unknown", "Person t4"),
        Refused(
            "GET", "/Person?where=age%20%3E%20random()", 400, "request.parameter", "random()",
            headers: [("Accept", "text/event-stream")]),
    ]

    @Test(arguments: refused)
    func itIsNamedAndNothingChanges(_ refused: Refused) throws {
        let people = try ServiceFixture(TestModels.people())
        _ = people.post("/Team", #"{"name":"A","people":[{"name":"Ann"}]}"#)
        let editor = try Editor(people)
        let before = people.coordinator.currentToken
        let answer =
            refused.target.hasPrefix("//")
            ? people.ask(
                refused.method, String(refused.target.dropFirst()), refused.body, refused.headers)
            : editor.ask(refused.method, refused.target, refused.body, refused.headers)
        #expect(answer.status == refused.status, "\(answer.text)")
        #expect(answer.code == refused.code, "\(answer.text)")
        #expect(
            refused.names.isEmpty || answer.detail.contains(refused.names)
                || answer.hint.contains(refused.names) || answer.text.contains(refused.names),
            "\(answer.text)")
        #expect(answer["Content-Type"] == "application/problem+json")
        #expect(people.coordinator.currentToken == before)
        #expect(try editor.state("hasChanges") == false && editor.state("canUndo") == false)
        #expect(try editor.state("mergePolicy") == "error" && editor.state("undoLevels") == 100)
    }

    @Test func anOpenGroupStandsInTheWay() throws {
        let people = try ServiceFixture(TestModels.people())
        let editor = try Editor(people)
        _ = editor.post("/Person", "{}")
        _ = editor.post("/undo-group")
        _ = editor.post("/undo-group")
        _ = editor.post("/Person", "{}")
        #expect(editor.post("/undo").code == "undo.group")
        #expect(editor.post("/undo-group/end").status == 200)
        // A single open one is ended by undo.
        #expect(editor.post("/undo").status == 200)
        #expect(try editor.get("/Person/count").json["count"] == 1)
        #expect(try editor.state("openUndoGroups") == 0)
    }

    /// A million groups in one another would be taken back by as many calls, one in another.
    @Test func groupsNestNoDeeperThanTheyMay() throws {
        let people = try ServiceFixture(TestModels.people())
        let editor = try Editor(people)
        for _ in 0..<UndoManager.deepest {
            #expect(editor.post("/undo-group").status == 200)
        }
        let refused = editor.post("/undo-group")
        #expect(refused.status == 409 && refused.code == "undo.group", "\(refused.text)")
        #expect(editor.post("/Person", "{}").status == 201)
        for _ in 0..<UndoManager.deepest {
            #expect(editor.post("/undo-group/end").status == 200)
        }
        #expect(editor.post("/undo").status == 200)
        #expect(try editor.get("/Person/count").json["count"] == 0)
    }

    @Test func aRefreshNamesNoMoreThanMayBeChanged() throws {
        let people = try ServiceFixture(TestModels.people()) { $0.limits.contextObjects = 3 }
        _ = people.post("/Person", "{}")
        let editor = try Editor(people)
        func names(_ count: Int) -> String {
            "{\"objects\":[\(Array(repeating: "\"Person/1\"", count: count).joined(separator: ","))]}"
        }
        #expect(editor.post("/refresh", names(3)).status == 200)
        #expect(editor.post("/refresh", names(4)).code == "context.full")
    }

    @Test func aBasePathIsKeptTo() throws {
        let people = try ServiceFixture(TestModels.people()) { $0.basePath = "/api" }
        let made = people.ask("POST", "/api/contexts", "{}")
        #expect(made.status == 201)
        let path = try #require(made["Location"])
        #expect(path.hasPrefix("/api/contexts/c"))
        #expect(people.post("\(path)/Person", "{}")["Location"] == "\(path)/Person/t1")
        #expect(
            people.post("\(path)/Person?x=1", "{}").text.contains(#""type":"/api/docs/errors#"#))
        #expect(people.ask("OPTIONS", path)["Allow"] == "GET, HEAD, PATCH, DELETE, OPTIONS")
        #expect(people.ask("HEAD", "\(path)/Person/t1").status == 200)
        #expect(people.get("/api/").text.contains("/api/contexts/{context}/undo-group/end"))
    }
}
