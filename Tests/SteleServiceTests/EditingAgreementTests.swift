// The same requests to the store itself and to an editing context: at each step both answer alike.

import SteleJSON
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct EditingAgreementTests {
    /// Objects are asked for by their names, for their ids differ.
    private static let questions = [
        "/Person?select=name,age,salary,team.name,team.league.name&sort=name&limit=500",
        "/Team?select=name,league.name,n:people.@count,old:people.@max.age&sort=name&limit=500",
        "/League?select=name,n:teams.@count&sort=name&limit=500",
        "/Person?select=t:team.name,n:count(),s:sum(age),m:max(salary)&groupBy=team.name&sort=t&limit=500",
        "/Person?select=age&distinct=true&sort=-age&limit=500",
        "/Person?sort=-age,name&offset=2&limit=4&select=name",
        "/Person?where=\(encoded("team.league.name BEGINSWITH \"L\" AND age > 20"))&select=name&sort=name",
        "/Team?where=\(encoded("ANY people.age > 50 OR people.@count == 0"))&select=name&sort=name",
        "/Person/count?where=\(encoded("team == nil"))",
        "/Team/count?where=\(encoded("SUBQUERY(people, $p, $p.salary > 3).@count > 0"))",
    ]

    /// What is done next, with names in the place of ids.
    private struct Step {
        var method: String
        var path: String
        var body: String?

        /// As a client writes it that knows the ids: `<name>` stands for one.
        func written(_ ids: [String: String], inPath path: Bool) -> String? {
            let text = path ? self.path : body
            guard var rest = text?[...] else { return nil }
            var made = ""
            while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">")
            {
                made += rest[..<open]
                let id = ids[String(rest[rest.index(after: open)..<close])] ?? "9999999"
                made += !path && id.hasPrefix("t") ? "\"\(id)\"" : id
                rest = rest[rest.index(after: close)...]
            }
            return made + rest
        }
    }

    /// Takes steps that both can take.
    private struct Steps {
        var numbers: SeededNumbers
        var names: [String: [String]] = ["Person": [], "Team": [], "League": []]
        var count = 0

        mutating func new(_ entity: String) -> String {
            count += 1
            let name = "\(entity.prefix(1))\(count)"
            names[entity, default: []].append(name)
            return name
        }

        mutating func some(_ entity: String) -> String {
            let all = names[entity] ?? []
            return all.isEmpty ? "none" : all[numbers.below(all.count)]
        }

        mutating func next() -> Step {
            let (age, person, team) = (numbers.below(90), some("Person"), some("Team"))
            switch numbers.below(16) {
            case 0, 1:
                return Step(
                    method: "POST", path: "/Person",
                    body: #"{"name":"\#(new("Person"))","age":\#(age)}"#)
            case 2:
                return Step(
                    method: "POST", path: "/Team",
                    body:
                        #"{"name":"\#(new("Team"))","people":[{"name":"\#(new("Person"))","age":\#(age)},<\#(person)>]}"#
                )
            case 3:
                return Step(
                    method: "POST", path: "/League",
                    body: #"{"name":"\#(new("League"))","teams":[<\#(team)>]}"#)
            case 4, 5:
                return Step(method: "PATCH", path: "/Person/<\(person)>", body: #"{"age":\#(age)}"#)
            case 6, 7:
                return Step(
                    method: "PATCH", path: "/Person/<\(person)>", body: #"{"team":<\#(team)>}"#)
            case 8: return Step(method: "DELETE", path: "/Person/<\(person)>")
            case 9: return Step(method: "DELETE", path: "/Team/<\(team)>")
            case 10:
                return Step(method: "PUT", path: "/Team/<\(team)>/people", body: "[<\(person)>]")
            case 11:
                return Step(method: "POST", path: "/Team/<\(team)>/people", body: "<\(person)>")
            case 12: return Step(method: "DELETE", path: "/Team/<\(team)>/people/<\(person)>")
            case 13:
                return Step(
                    method: "PATCH", path: "/Person?where=\(encoded("age > \(age)"))",
                    body: #"{"salary":\#(numbers.below(9))}"#)
            case 14:
                return Step(
                    method: "DELETE",
                    path: "/Person?where=\(encoded("age == \(age) OR age == \(age + 1)"))")
            default:
                return Step(
                    method: "PUT", path: "/Team/<\(team)>/league", body: "<\(some("League"))>")
            }
        }
    }

    @Test(arguments: [false, true])
    func bothAnswerAlikeAtEachStep(_ inMemory: Bool) throws {
        let seed = UInt64.random(in: 1...999_999)
        print("EditingAgreementTests: seed \(seed), \(inMemory ? "in memory" : "SQLite")")
        let (plain, edited) = (
            try ServiceFixture(TestModels.people(), inMemory: inMemory),
            try ServiceFixture(TestModels.people(), inMemory: inMemory)
        )
        let editor = try Editor(edited)
        var steps = Steps(numbers: SeededNumbers(seed: seed))
        var log: [String] = []
        for _ in 0..<120 {
            let step = steps.next()
            let ids = try (Self.ids { plain.get($0) }, Self.ids { editor.get($0) })
            let one = plain.ask(
                step.method, step.written(ids.0, inPath: true) ?? "",
                step.written(ids.0, inPath: false))
            // Now and then by a child, and its save.
            let child = steps.numbers.below(6) == 0 ? try editor.child() : editor
            let two = child.ask(
                step.method, step.written(ids.1, inPath: true) ?? "",
                step.written(ids.1, inPath: false))
            log.append(
                "\(step.method) \(step.path) \(step.body ?? "-") \(one.status) \(two.status)")
            #expect(
                one.status == two.status, "\(seed): \(Array(log.suffix(5))) \(one.text) \(two.text)"
            )
            if child.id != editor.id {
                #expect(child.post("/save").status == 200)
                #expect(child.ask("DELETE", "").status == 204)
            }
            switch steps.numbers.below(5) {
            case 0:
                let undone = editor.post("/undo")
                if undone.status == 200 {
                    let redone = editor.post("/redo")
                    #expect(redone.status == 200, "\(redone.text)")
                }
            case 1:
                let saved = editor.post("/save")
                #expect(saved.status == 200, "\(seed): \(saved.text)")
            default: break
            }
            try Self.checkOrder(editor, "\(seed): \(Array(log.suffix(5)))")
            for question in Self.questions {
                let (a, b) = (plain.get(question), editor.get(question))
                #expect(
                    a.status == 200 && a.text == b.text,
                    "\(seed): \(question) after \(Array(log.suffix(5))): \(a.text) \(b.text)")
                if a.text != b.text { return }
            }
        }
        #expect(editor.post("/save").status == 200)
        for question in Self.questions {
            #expect(plain.get(question).text == edited.get(question).text, "\(seed): \(question)")
        }
    }

    /// Each object has one place, in every order by ids and in its least and greatest.
    private static func checkOrder(_ editor: Editor, _ why: String) throws {
        func ids(_ parameters: String) throws -> [String] {
            try JSONDocument(editor.get("/Person?select=_id&limit=1000\(parameters)").bytes).root
                .elements.compactMap { row in
                    row["_id"].flatMap { $0.string ?? $0.integer.map(String.init) }
                }
        }
        let all = try ids("")
        #expect(try ids("&sort=_id") == all, "\(why)")
        #expect(try ids("&sort=-_id") == all.reversed(), "\(why)")
        let ends = try editor.get("/Person?select=a:min(_id),b:max(_id)").json.elements.first
        func text(_ name: String) -> String? {
            switch ends?[name] {
            case .string(let id): id
            case .integer(let id): String(id)
            default: nil
            }
        }
        #expect(text("a") == all.first && text("b") == all.last, "\(why): \(all)")
        for row in try JSONDocument(editor.get("/Person?limit=1000").bytes).root.elements {
            let id = row["_id"].flatMap { $0.string ?? $0.integer.map(String.init) } ?? "?"
            let linked = try editor.get("/Person/\(id)?select=team").json["team"]
            #expect(linked != nil && row["team"].map { JSONValue($0) } == linked, "\(why): \(id)")
        }
    }

    /// The ids by names, as their reader knows them.
    private static func ids(_ get: (String) -> Answer) throws -> [String: String] {
        var found: [String: String] = [:]
        for entity in ["Person", "Team", "League"] {
            for row in try JSONDocument(get("/\(entity)?select=_id,name&limit=1000").bytes).root
                .elements
            {
                let id = row["_id"].flatMap { $0.string ?? $0.integer.map(String.init) }
                if let name = row["name"]?.string { found[name] = id }
            }
        }
        return found
    }
}
