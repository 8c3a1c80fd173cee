// Classes of a program's own, over HTTP.

import FoundationEssentials
import SteleGraph
import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleRequests
@testable import SteleService

/// A task that knows whether it is overdue, begins with priority 2, and must not shout.
private final class OwnTask: ManagedObject {
    override func awakeFromInsert() { try? setValue(.int(2), forKey: "priority") }

    override func awakeFromFetch() {
        guard case .date(let due)? = try? value(forKey: "dueDate") else { return }
        try? setValue(
            .bool(due < Date.timeIntervalSinceReferenceDate), forKey: "isOverdue")
    }

    override func validateForInsert() throws {
        try super.validateForInsert()
        try check()
    }

    override func validateForUpdate() throws {
        try super.validateForUpdate()
        try check()
    }

    private func check() throws {
        guard case .string(let text) = try value(forKey: "text"), text.hasSuffix("!") else {
            return
        }
        throw validationError("a task does not shout", property: "text")
    }
}

@Suite struct OwnClassesTests {
    private let service: ServiceFixture
    private static let past = "\"dueDate\":\"2020-01-01T00:00:00Z\""
    private static let future = "\"dueDate\":\"2999-01-01T00:00:00Z\""

    init() throws {
        service = try ServiceFixture(
            try sampleModel("Tasks"), classes: ["Task": OwnTask.self])
    }

    private func fill() throws {
        for (text, due) in [("Late", Self.past), ("Early", Self.future)] {
            let answer = service.post("/Task", "{\"text\":\"\(text)\",\(due)}")
            try #require(answer.status == 201, "\(answer.text)")
        }
        #expect(service.post("/Task", "{\"text\":\"Whenever\"}").status == 201)
    }

    private func list(_ query: String) throws -> [JSONValue?] {
        try service.get("/Task?sort=_id&\(query)").json.elements.map { $0["isOverdue"] }
    }

    private let wanted: [JSONValue?] = [.bool(true), .bool(false), .null]

    @Test func computedValuesAreRead() throws {
        try fill()
        #expect(try service.get("/Task/1").json["isOverdue"] == .bool(true))
        #expect(try service.get("/Task/2").json["isOverdue"] == .bool(false))
        #expect(try service.get("/Task/3").json["isOverdue"] == .null)
        #expect(try list("offset=0") == wanted)
        #expect(try list("limit=100") == wanted)
        // The fast answer to a plain object is the same again.
        #expect(try service.get("/Task/1").json["isOverdue"] == .bool(true))
    }

    @Test func computedValuesAreSelected() throws {
        try fill()
        #expect(try list("select=text,isOverdue") == wanted)
        #expect(try list("select=isOverdue&where=\(encoded("text == 'Late'"))") == [.bool(true)])
        #expect(try service.get("/Task/1?select=isOverdue").text == "{\"isOverdue\":true}")
        let named = service.get("/Task?sort=_id&select=late:isOverdue,text")
        #expect(try named.json.elements[0]["late"] == .bool(true), "\(named.text)")
        let lines = service.get("/Task?sort=_id&select=text,isOverdue&format=csv").text
        #expect(lines == "text,isOverdue\r\nLate,true\r\nEarly,false\r\nWhenever,\r\n")
        let whole = service.get("/Task?sort=_id&format=csv").text.split(separator: "\r\n")
        #expect(
            whole.map { $0.split(separator: ",").contains("true") } == [false, true, false, false])
    }

    @Test func computedValuesAreEmbedded() throws {
        let body = "{\"name\":\"Home\",\"tasks\":[{\"text\":\"Late\",\(Self.past)}]}"
        let made = service.post("/Location", body)
        #expect(made.status == 201, "\(made.text)")
        let read = service.get("/Location/1?include=tasks")
        guard case .array(let tasks)? = try read.json["tasks"] else {
            Issue.record("\(read.text)")
            return
        }
        #expect(tasks.map { $0["isOverdue"] } == [.bool(true)])
        // Without a tag that tells the client that nothing has changed.
        #expect(
            read["ETag"] == nil
                || service.get(
                    "/Location/1?include=tasks", [("If-None-Match", read["ETag"] ?? "")]
                ).status == 200)
    }

    @Test func answersToWritesHaveThem() throws {
        let made = service.post("/Task", "{\"text\":\"Late\",\(Self.past)}")
        #expect(try made.json["isOverdue"] == .bool(true), "\(made.text)")
        let changed = service.patch("/Task/1", "{\(Self.future)}")
        #expect(try changed.json["isOverdue"] == .bool(false), "\(changed.text)")
        // What was read may be written back; another value may not.
        let read = service.get("/Task/1")
        let put = service.ask("PUT", "/Task/1", read.text)
        #expect(put.status == 200, "\(put.text)")
        // And so with another value that it is computed of.
        let moved = service.ask(
            "PUT", "/Task/1", read.text.replacing("2999-01-01", with: "2020-01-01"))
        #expect(moved.status == 200, "\(moved.text)")
        #expect(try moved.json["isOverdue"] == .bool(true))
        let other = service.patch("/Task/1", "{\"isOverdue\":false}")
        #expect(other.code == "value.read-only")
    }

    @Test func noClientIsToldThatNothingHasChanged() throws {
        try fill()
        let tag = try #require(service.get("/Task/1")["ETag"])
        #expect(service.get("/Task/1", [("If-None-Match", tag)]).status == 200)
        #expect(service.get("/Task?limit=2")["ETag"] == nil)
        // The tag is that of the object's version, for writes.
        let body = "{\"text\":\"Later\"}"
        #expect(service.ask("PATCH", "/Task/1", body, [("If-Match", tag)]).status == 200)
        #expect(service.ask("PATCH", "/Task/1", body + " ", [("If-Match", tag)]).status == 412)
    }

    @Test func predicatesRefuseThemWithTheReason() throws {
        for query in [
            "where=\(encoded("isOverdue == YES"))", "sort=isOverdue",
            "select=n:count()&groupBy=isOverdue",
        ] {
            let answer = service.get("/Task?\(query)")
            #expect(answer.status == 400)
            #expect(answer.detail.contains("isOverdue is transient"), "\(answer.text)")
        }
        let distinct = service.get("/Task?select=isOverdue&distinct=true")
        #expect(distinct.status == 400 && distinct.detail.contains("transient"), "\(distinct.text)")
    }

    // MARK: Defaults and validation

    @Test func defaultsAndValidationHoldForEachWrite() throws {
        #expect(try service.post("/Task", "{}").json["priority"] == .integer(2))
        #expect(try service.post("/Task", "{\"priority\":1}").json["priority"] == .integer(1))
        let shout = "{\"text\":\"Hurry!\"}"
        for answer in [
            service.post("/Task", shout), service.patch("/Task/1", shout),
            service.ask("PUT", "/Task/1", shout),
            service.patch("/Task?where=\(encoded("_id == 1"))", shout),
            service.post("/Location", "{\"name\":\"Home\",\"tasks\":[\(shout)]}"),
        ] {
            #expect(answer.status == 422, "\(answer.text)")
            #expect(answer.text.contains("a task does not shout"), "\(answer.text)")
        }
        #expect(try service.get("/Task/count").json["count"] == .integer(2))
    }

    @Test func anEditingContextHasThem() throws {
        try fill()
        let editor = try Editor(service)
        let made = editor.post("/Task", "{\"text\":\"Draft\",\(Self.past)}")
        #expect(try made.json["priority"] == .integer(2), "\(made.text)")
        #expect(try made.json["isOverdue"] == .bool(true), "\(made.text)")
        #expect(try editor.get("/Task/1").json["isOverdue"] == .bool(true))
        // What an unsaved value gives may be written back, too.
        #expect(editor.patch("/Task/2", "{\(Self.past)}").status == 200)
        let read = editor.get("/Task/2")
        #expect(try read.json["isOverdue"] == .bool(true))
        #expect(editor.ask("PUT", "/Task/2", read.text).status == 200)
        #expect(editor.patch("/Task/1", "{\"text\":\"Hurry!\"}").status == 200)
        let save = editor.post("/save")
        #expect(save.status == 422 && save.text.contains("a task does not shout"), "\(save.text)")
    }

    @Test func anImportAndAnExportHaveThem() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "{\"text\":\"Late\",\(Self.past)}\n{\"text\":\"Any\"}\n", to: "Task.ndjson")
        let plan = try ImportPlan(
            model: service.coordinator.model, files: [(file, nil)])
        try Import(service.coordinator, plan).run()
        #expect(try service.get("/Task/1").json["priority"] == .integer(2))
        #expect(try service.get("/Task/1").json["isOverdue"] == .bool(true))
        let bad = try folder.write("{\"text\":\"Hurry!\"}\n", to: "Task2.ndjson")
        let other = try ImportPlan(
            model: service.coordinator.model, files: [(bad, "Task")])
        #expect(throws: (any Error).self) { try Import(service.coordinator, other).run() }
        #expect(try service.get("/Task/count").json["count"] == .integer(2))
    }
}
