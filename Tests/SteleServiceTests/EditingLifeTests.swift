// How long editing contexts live, how many there are, and who may use them at once.

import Dispatch
import SteleHTTP
import SteleJSON
import SteleSystem
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct EditingLifeTests {
    /// A client whose answer was lost finds its save in the history.
    @Test(arguments: [false, true])
    func aSaveIsFoundByTheNameOfItsContext(_ inMemory: Bool) throws {
        let people = try ServiceFixture(TestModels.people(), inMemory: inMemory)
        _ = people.post("/Person", #"{"name":"before"}"#)
        let editor = try Editor(people, #"{"name":"draft 1"}"#)
        #expect(try editor.state("name") == "draft 1")
        _ = editor.post("/Person", #"{"name":"Ann"}"#)
        let since = try #require(JSONDocument(editor.get("").bytes).root["transaction"]?.string)
        #expect(people.get("/changes?since=\(since)").text == "[]")
        let saved = try editor.post("/save").json["transaction"]
        #expect(try editor.state("transaction") == saved)
        let found = people.get("/changes?since=\(since)").text
        #expect(found.contains(#""context":"draft 1""#), "\(found)")
        #expect(found.hasPrefix("[{\"transaction\":\(saved?.compact ?? "")"), "\(found)")
        #expect(try editor.patch("", #"{"name":null}"#).json["name"] == .null)
        _ = editor.post("/Person", #"{"name":"Bo"}"#)
        _ = editor.post("/save")
        let all = people.get("/changes").text
        #expect(all.contains(#""context":"POST /contexts/{context}/save""#), "\(all)")
    }

    @Test func longNumbersOfChangesCanBeStrings() throws {
        let editor = try Editor(try ServiceFixture(TestModels.zoo()))
        _ = editor.post("/Sample", #"{"int64":9007199254740993}"#)
        #expect(editor.get("/changes").text.contains(#""int64":9007199254740993"#))
        #expect(
            editor.get("/changes?numbers=string").text.contains(#""int64":"9007199254740993""#))
        #expect(editor.get("/changes?numbers=7").code == "request.parameter")
    }

    @Test func oneThatIsLeftAloneExpires() throws {
        let clock = TestClock()
        let people = try ServiceFixture(TestModels.people()) { $0.clock = clock.now }
        let editor = try Editor(people)
        #expect(try editor.state("expires") == "2026-05-09T06:28:20Z")
        let child = try editor.child()
        let other = try Editor(people)
        _ = editor.post("/Person", #"{"name":"lost"}"#)
        clock.advance(by: 899)
        // Who uses a child uses its parent.
        #expect(child.get("/Person").status == 200)
        clock.advance(by: 899)
        #expect(editor.get("/Person/t1").status == 200)
        #expect(other.get("").code == "context.gone")
        clock.advance(by: 2)
        #expect(child.get("").code == "context.gone", "the parent's use is not its child's")
        clock.advance(by: 899)
        let gone = editor.post("/save")
        #expect(gone.status == 410 && gone.code == "context.gone", "\(gone.text)")
        #expect(gone.detail.contains("expired") && gone.hint.contains("POST /contexts"))
        #expect(people.get("/Person").text == "[]")
        #expect(people.service.contexts.count == 0)
        let deleted = try Editor(people)
        #expect(deleted.ask("DELETE", "").status == 204)
        #expect(deleted.ask("DELETE", "").detail.contains("deleted"))
    }

    @Test func aSweepForgetsThoseThatNobodyAsksFor() throws {
        let people = try ServiceFixture(TestModels.people()) { $0.limits.contextSeconds = 0.2 }
        for _ in 0..<20 { _ = try Editor(people) }
        #expect(people.service.contexts.count == 20)
        for _ in 0..<100 where people.service.contexts.count > 0 {
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.05)
        }
        #expect(people.service.contexts.count == 0)
    }

    @Test func tenThousandAreNotKept() throws {
        let clock = TestClock()
        let people = try ServiceFixture(TestModels.people()) { $0.clock = clock.now }
        let first = try Editor(people)
        clock.advance(by: 60)
        var (made, refused) = (1, 0)
        for _ in 0..<9_999 {
            let answer = people.ask("POST", "/contexts")
            if answer.status == 201 {
                made += 1
            } else {
                refused += 1
                #expect(answer.status == 429 && answer.code == "context.limit")
                #expect(answer["Retry-After"] == "840")
            }
        }
        #expect(made == 1_000 && refused == 9_000)
        #expect(people.service.contexts.count == 1_000)
        #expect(first.post("/contexts").status == 429)
        // One that ends makes room, and so do those that expire.
        #expect(first.ask("DELETE", "").status == 204)
        #expect(people.ask("POST", "/contexts").status == 201)
        clock.advance(by: 901)
        #expect(people.ask("POST", "/contexts").status == 201)
        #expect(people.service.contexts.count == 1)
        people.service.closeContexts()
        #expect(people.ask("POST", "/contexts").status == 503)
        #expect(people.service.contexts.count == 0)
    }

    @Test func whatAContextHoldsIsBounded() throws {
        let people = try ServiceFixture(TestModels.people()) {
            $0.limits.contextObjects = 5
            $0.limits.contextBytes = 20_000
            $0.limits.allContextsBytes = 30_000
            $0.limits.contextEvaluation = 4
        }
        _ = people.post("/Person", "[{},{},{},{},{}]")
        let editor = try Editor(people)
        #expect(editor.post("/Person", "[{},{},{}]").status == 201)
        let full = editor.post("/Person", "[{},{},{}]")
        #expect(full.status == 422 && full.code == "context.full", "\(full.text)")
        #expect(try editor.state("inserted") == 3)
        #expect(editor.patch("/Person?where=TRUEPREDICATE", #"{"age":1}"#).code == "context.full")
        // Aggregates look at each object where something is unsaved.
        let many = editor.get("/Person?select=n:count()")
        #expect(many.status == 422 && many.code == "context.evaluation", "\(many.text)")
        #expect(
            editor.find("Person", where: "_id IN {1, 2}", "&select=n:count()").text == #"[{"n":2}]"#
        )
        #expect(editor.get("/Person?format=ndjson").code == "context.evaluation")
        #expect(editor.get("/Person?limit=8").status == 200)
        #expect(editor.post("/save").status == 200)
        #expect(editor.get("/Person?select=n:count()").text == #"[{"n":8}]"#)
        let long = String(repeating: "x", count: 9_000)
        #expect(editor.patch("/Person/1", #"{"name":"\#(long)"}"#).status == 200)
        #expect(editor.patch("/Person/1", #"{"name":"\#(long)"}"#).status == 200)
        #expect(editor.patch("/Person/1", #"{"name":"\#(long)"}"#).code == "context.full")
        let other = try Editor(people)
        let all = other.patch("/Person/2", #"{"name":"\#(long)\#(long)"}"#)
        #expect(all.status == 429 && all.code == "context.limit", "\(all.text)")
        #expect(editor.post("/reset").status == 200)
        #expect(other.patch("/Person/2", #"{"name":"\#(long)\#(long)"}"#).status == 200)
        #expect(other.ask("DELETE", "").status == 204)
        #expect(editor.patch("/Person/2", #"{"name":"\#(long)\#(long)"}"#).status == 200)
    }

    @Test func anObjectWithUnsavedChangesCountsOnce() throws {
        let people = try ServiceFixture(TestModels.people()) { $0.limits.contextObjects = 5 }
        _ = people.post("/Person", "[{},{},{},{},{},{}]")
        let editor = try Editor(people)
        for age in 1...3 {
            let again = editor.patch("/Person?where=_id%3C6", #"{"age":\#(age)}"#)
            #expect(again.status == 200, "\(again.text)")
        }
        #expect(editor.patch("/Person/6", #"{"age":1}"#).code == "context.full")
        // What is taken back is no change.
        for _ in 1...3 { #expect(editor.post("/undo").status == 200) }
        #expect(editor.patch("/Person/6", #"{"age":1}"#).status == 200)
        #expect(editor.ask("DELETE", "/Person?where=_id%3C5").status == 200)
        #expect(editor.ask("DELETE", "/Person?where=_id%3C5").status == 200)
        #expect(editor.post("/Person", "{}").code == "context.full")
    }

    /// What a small body changes or deletes counts with what it was.
    @Test func whatWasThereBeforeIsBounded() throws {
        let people = try ServiceFixture(TestModels.people()) { $0.limits.contextBytes = 20_000 }
        let long = String(repeating: "x", count: 9_000)
        let row = #"{"name":"\#(long)"}"#
        _ = people.post("/Person", "[\(row),\(row),\(row)]")
        let editor = try Editor(people)
        let all = "/Person?where=TRUEPREDICATE"
        #expect(editor.patch(all, #"{"name":"short"}"#).code == "context.full")
        #expect(editor.ask("DELETE", all).code == "context.full")
        #expect(try editor.state("hasChanges") == false)
        #expect(editor.ask("DELETE", "/Person/1").status == 204)
        #expect(editor.patch("/Person/2", #"{"name":"short"}"#).status == 200)
        #expect(editor.patch("/Person/3", #"{"name":"short"}"#).code == "context.full")
    }

    @Test func theOldestStepsOfUndoAreForgotten() throws {
        let people = try ServiceFixture(TestModels.people()) { $0.limits.contextBytes = 20_000 }
        _ = people.post("/Person", #"{"name":"0"}"#)
        let editor = try Editor(people)
        func name(_ letter: Int) -> String { String(repeating: "\(letter)", count: 4_000) }
        for letter in 1...6 {
            let changed = editor.patch("/Person/1", #"{"name":"\#(name(letter))"}"#)
            #expect(changed.status == 200, "\(changed.text)")
            #expect(editor.post("/save").status == 200)
        }
        for letter in [5, 4] {
            #expect(editor.post("/undo").status == 200)
            #expect(try editor.get("/Person/1").json["name"] == .string(name(letter)))
        }
        #expect(editor.post("/undo").code == "undo.nothing")
        // A group is one step, and as large as it may be.
        #expect(editor.post("/rollback").status == 200)
        #expect(editor.post("/undo-group").status == 200)
        #expect(editor.patch("/Person/1", #"{"name":"\#(name(7))"}"#).status == 200)
        #expect(editor.patch("/Person/1", #"{"name":"\#(name(8))"}"#).status == 200)
        #expect(editor.patch("/Person/1", #"{"name":"\#(name(9))"}"#).code == "context.full")
        #expect(editor.post("/undo-group/end").status == 200)
        #expect(editor.post("/undo").status == 200)
        #expect(try editor.state("hasChanges") == false)
    }

    @Test func someThreadsAreLeftForAllElse() throws {
        let places = Places(1)
        #expect(places.take() && !places.take())
        places.leave()
        #expect(places.take())
        let people = try ServiceFixture(TestModels.people()) {
            $0.limits.contextTurnPlacesInAll = 0
        }
        let editor = try Editor(people)
        let turn = try people.service.contexts.context(editor.id, of: "").family.turn
        try turn.take(seconds: 1, places: 1)
        let refused = editor.get("")
        turn.leave()
        #expect(refused.status == 503 && refused.code == "service.busy", "\(refused.text)")
        #expect(editor.get("").status == 200)
    }

    @Test(arguments: [false, true])
    func requestsToOneContextTakeTurns(_ inMemory: Bool) throws {
        let people = try ServiceFixture(TestModels.people(), inMemory: inMemory) {
            $0.limits.contextTurnPlaces = 64
        }
        let editor = try Editor(people)
        let child = try editor.child()
        let bad = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 16) { worker in
            for round in 0..<12 {
                let who = worker % 4 == 0 ? child : editor
                let answers = [
                    who.post("/Person", #"{"name":"\#(worker).\#(round)","team":{"name":"T"}}"#),
                    who.get("/Person?sort=name&limit=5&include=team"),
                    who.get("/Person/count"),
                    round % 5 == 4 ? who.post("/undo") : who.get("/changes"),
                    round % 5 == 4 ? who.post("/redo") : who.get(""),
                    round == 7 ? who.post("/save") : who.get("/Team?limit=1"),
                ]
                // Between one's undo and redo another may have done something.
                let wrong = answers.filter { $0.status >= 400 && $0.code != "undo.nothing" }
                bad.withLock { $0 += wrong.map(\.text) }
            }
        }
        let wrong = bad.withLock { $0 }
        #expect(wrong.isEmpty, "\(wrong.prefix(3))")
        #expect(child.post("/save").status == 200)
        #expect(editor.post("/save").status == 200)
        #expect(
            people.get("/Person?format=ndjson").text == editor.get("/Person?format=ndjson").text)
    }

    @Test func aRequestThatWaitsTooLongForAContextIsRefused() throws {
        let people = try ServiceFixture(TestModels.people()) {
            $0.limits.contextTurnSeconds = 0.05
            $0.limits.contextTurnPlaces = 1
        }
        let editor = try Editor(people)
        let turn = try people.service.contexts.context(editor.id, of: "").family.turn
        try turn.take(seconds: 1, places: 1)
        let late = editor.get("")
        turn.leave()
        #expect(late.status == 503 && late.code == "service.busy", "\(late.text)")
        #expect(late["Retry-After"] == "1")
        #expect(editor.get("").status == 200)
        // Nobody saves what was deleted while it waited.
        _ = editor.post("/Person", "{}")
        let started = DispatchSemaphore(value: 0)
        let answer = Mutex<Answer?>(nil)
        let long = try ServiceFixture(TestModels.people())
        let other = try Editor(long)
        _ = other.post("/Person", "{}")
        let queue = DispatchQueue(label: "waiting")
        let context = try long.service.contexts.context(other.id, of: "")
        try context.family.turn.take(seconds: 1, places: 1)
        queue.async {
            started.signal()
            let given = other.post("/save")
            answer.withLock { $0 = given }
        }
        started.wait()
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.2)
        long.service.contexts.remove(context)
        context.family.turn.leave()
        queue.sync {}
        #expect(answer.withLock { $0?.code } == "context.gone")
        #expect(long.get("/Person").text == "[]")
    }

    @Test func anotherReaderIsShownNothing() throws {
        let people = try ServiceFixture(TestModels.people()) { $0.token = "secret" }
        #expect(people.ask("POST", "/contexts").status == 401)
        let asked = people.ask("POST", "/contexts", nil, [("Authorization", "Bearer secret")])
        #expect(asked.status == 201)
        let id = try #require(JSONDocument(asked.bytes).root["context"]?.string)
        #expect(people.get("/contexts/\(id)").status == 401)
        #expect(throws: Problem.self) { try people.service.contexts.context(id, of: "somebody") }
        #expect(people.get("/contexts/\(id)", [("Authorization", "Bearer secret")]).status == 200)
    }

    @Test func manyObjectsAreSearchedAndSaved() throws {
        let people = try ServiceFixture(TestModels.people())
        let rows = (0..<6_000).map { #"{"name":"P\#($0)","age":\#($0)}"# }
        _ = people.post("/Person", "[\(rows.joined(separator: ","))]")
        let editor = try Editor(people)
        #expect(
            editor.patch("/Person?where=age%3C5000", #"{"salary":1.5}"#).text
                == #"{"updated":5000}"#)
        #expect(try editor.get("/Person/count?where=salary==1.5").json["count"] == 5_000)
        #expect(editor.get("/Person?select=s:sum(salary)").text == #"[{"s":7500}]"#)
        #expect(editor.post("/undo").status == 200)
        #expect(try editor.get("/Person/count?where=salary==1.5").json["count"] == 0)
        #expect(editor.post("/redo").status == 200)
        #expect(editor.post("/save").status == 200)
        #expect(try people.get("/Person/count?where=salary==1.5").json["count"] == 5_000)
    }
}
