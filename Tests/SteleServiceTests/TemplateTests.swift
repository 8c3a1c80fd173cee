// Fetch request templates and fetched properties of the model.

import SteleHTTP
import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct TemplateTests {
    /// Places and tasks, with three templates and two fetched properties.
    static func filled(inMemory: Bool = false) throws -> ServiceFixture {
        func template(_ name: String, _ predicate: String?, limit: Int = 0) -> FetchRequestTemplate
        {
            var it = FetchRequestTemplate(name: name, entityName: "Task")
            it.predicateFormat = predicate
            it.fetchLimit = limit
            if predicate == nil { it.resultType = .objectIDs }
            return it
        }
        let entities = [
            EntityMaker("Place").attribute("name", .string).attribute("urgency", .integer16)
                .toMany("tasks", "Task", inverse: "place")
                .fetched(
                    "urgent", "Task",
                    "priority >= $FETCH_SOURCE.urgency AND place == $FETCH_SOURCE"
                )
                .fetched(
                    "namesakes", "Place",
                    "name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE"
                )
                .fetched("all", "Task", "ANY $FETCH_SOURCE.tasks.priority == priority"),
            EntityMaker("Task").attribute("due", .date).attribute("priority", .integer16)
                .attribute("title", .string).toOne("place", "Place", inverse: "tasks"),
        ]
        let model = try makeModel(
            name: "Tasks", entities,
            templates: [
                template("dueSooner", "due < $DUE"),
                template("top", "priority > $LEAST OR title == $TITLE", limit: 3),
                template("ids", nil),
            ])
        let fixture = try ServiceFixture(model, inMemory: inMemory)
        let made = fixture.post(
            "/Place",
            """
            [{"name":"Home","urgency":3,"tasks":[{"title":"a","priority":1,"due":"2026-01-01"},
               {"title":"b","priority":3,"due":"2026-02-01"},{"title":"c","priority":5}]},
             {"name":"Work","urgency":5,"tasks":[{"title":"d","priority":4},
               {"title":"e","priority":5,"due":"2027-01-01"}]}, {"name":"Home"}]
            """)
        #expect(made.status == 201, "\(made.text)")
        return fixture
    }

    static func titles(_ answer: Answer) throws -> String {
        guard case .array(let rows) = try answer.json else { return answer.text }
        return rows.map { row in
            if case .string(let title)? = row["title"] { title } else { "-" }
        }.joined()
    }

    @Test(
        "A template gives what its predicate says, and parameters narrow and shape it",
        arguments: [
            ("/fetch/dueSooner?var.DUE=2026-06-01", "ab"),
            ("/fetch/dueSooner?var.DUE=2026-06-01&where=priority%3E1", "b"),
            ("/fetch/dueSooner?var.DUE=2030-01-01&sort=-title", "eba"),
            ("/fetch/top?var.LEAST=0&var.TITLE=x", "abc"),
            ("/fetch/top?var.LEAST=3&var.TITLE=a&sort=-priority,title", "ced"),
            ("/fetch/top?var.LEAST=0&var.TITLE=x&limit=2&offset=2", "c"),
            ("/fetch/top?var.LEAST=0&var.TITLE=x&offset=3", ""),
        ])
    func templates(_ target: String, _ titles: String) throws {
        let answer = try Self.filled().get(target)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try Self.titles(answer) == titles)
    }

    @Test func aTemplatesLimitIsTheEndOfItsPages() throws {
        let tasks = try Self.filled()
        let first = tasks.get("/fetch/top?var.LEAST=0&var.TITLE=x&limit=2&count=true")
        #expect(first["Total-Count"] == "3")
        #expect(first["Link"]?.contains("offset=2") ?? false)
        #expect(tasks.get("/fetch/top?var.LEAST=0&var.TITLE=x")["Link"] == nil)
        #expect(tasks.get("/fetch/ids?limit=2").text == #"[{"_id":1},{"_id":2}]"#)
        let next = try #require(tasks.get("/fetch/ids?limit=2").next)
        #expect(next.contains("after="))
        #expect(tasks.get(next).text == #"[{"_id":3},{"_id":4}]"#)
        #expect(
            tasks.get("/fetch/dueSooner?var.DUE=2026-06-01&select=n:count()").text == #"[{"n":2}]"#)
    }

    @Test func theTemplatesAreListedWithTheirVariables() throws {
        let tasks = try Self.filled()
        let list = tasks.get("/fetch")
        guard case .array(let entries) = try list.json else {
            Issue.record("\(list.text)")
            return
        }
        let names: [JSONValue?] = [.string("dueSooner"), .string("top"), .string("ids")]
        #expect(entries.map { $0["name"] } == names)
        #expect(entries[1]["variables"] == .array([.string("LEAST"), .string("TITLE")]))
        #expect(entries[1]["limit"] == .integer(3))
        #expect(entries[0]["href"] == .string("/fetch/dueSooner"))
        #expect(tasks.get("/").text.contains("/fetch/dueSooner"))
        #expect(tasks.get("/").text.contains("/Place/{id}/urgent"))
        #expect(tasks.get("/model").text.contains("dueSooner"))
        #expect(tasks.ask("OPTIONS", "/fetch/top")["Allow"] == "GET, HEAD, OPTIONS")
        #expect(tasks.ask("OPTIONS", "/Place/1/urgent")["Allow"] == "GET, HEAD, OPTIONS")
    }

    @Test(
        "What is wrong with a template's request is named",
        arguments: [
            ("GET", "/fetch/duesoner", 404, "did you mean /fetch/dueSooner?"),
            ("GET", "/fetch/nothing", 404, "GET /fetch lists them"),
            ("GET", "/fetch/top", 400, "var.LEAST and var.TITLE"),
            ("GET", "/fetch/top?var.LEAST=1", 400, "needs var.TITLE"),
            ("GET", "/fetch/dueSooner?var.DUE=soon", 400, "dueSooner"),
            ("GET", "/fetch/dueSooner?var.DUE=2026-01-01&var.DEU=1", 400, "did you mean var.DUE?"),
            ("GET", "/fetch/dueSooner?due=2026-01-01", 400, "template: var.DUE=…"),
            ("GET", "/fetch/top?var.LEAST=1&title=a", 400, "template: var.TITLE=…"),
            ("GET", "/fetch/top?priority=1", 400, "where=priority == …"),
            ("POST", "/fetch/top", 405, "GET"), ("GET", "/fetch/top/1", 404, "no route"),
            ("POST", "/Place/1/urgent", 405, "GET"), ("GET", "/Place/9/urgent", 404, "Place 9"),
            ("GET", "/Place/1/urgent/1", 404, "fetched property"),
            ("GET", "/Place?select=urgent", 400, "include=urgent"),
        ])
    func refused(_ method: String, _ target: String, _ status: Int, _ names: String) throws {
        let answer = try Self.filled().ask(method, target, method == "GET" ? nil : "{}")
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.detail.contains(names) || answer.hint.contains(names), "\(answer.text)")
    }

    @Test(
        "A fetched property is a list of its source's",
        arguments: [
            ("/Place/1/urgent", "bc"), ("/Place/2/urgent", "e"), ("/Place/3/urgent", ""),
            ("/Place/1/urgent?sort=-priority&limit=1", "c"),
            ("/Place/1/urgent?where=priority%3C5", "b"), ("/Place/2/all", "cde"),
        ])
    func fetchedProperties(_ target: String, _ titles: String) throws {
        for inMemory in [false, true] {
            let tasks = try Self.filled(inMemory: inMemory)
            let answer = tasks.get(target)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(try Self.titles(answer) == titles, "in memory: \(inMemory)")
        }
    }

    @Test(arguments: [false, true])
    func aFetchedPropertyIsIncludedWithOneStatementForAll(inMemory: Bool) throws {
        let tasks = try Self.filled(inMemory: inMemory)
        let list = tasks.get("/Place?include=urgent.place,namesakes&sort=-_id")
        guard case .array(let places) = try list.json, places.count == 3 else {
            Issue.record("\(list.text)")
            return
        }
        func names(_ place: JSONValue, _ key: String, _ name: String) -> [JSONValue?] {
            guard case .array(let all)? = place[key] else { return [] }
            return all.map { $0[name] }
        }
        #expect(names(places[2], "urgent", "title") == [.string("b"), .string("c")])
        #expect(names(places[1], "urgent", "title") == [.string("e")])
        #expect(places[0]["urgent"] == .array([]))
        #expect(names(places[2], "namesakes", "_id") == [.integer(3)])
        #expect(places[1]["namesakes"] == .array([]))
        #expect(try places[1]["urgent"]?.elements[0]["place"]?["name"] == .string("Work"))
        let one = tasks.get("/Place/2?select=name,hot:urgent&include=urgent")
        #expect(one.text.hasPrefix(#"{"name":"Work","hot":[{"_id":5,"_entity":"Task""#))
        let rows = tasks.get("/Place?select=name&include=urgent&limit=1")
        #expect(rows.text.hasPrefix(#"[{"name":"Home","urgent":[{"_id":2,"#), "\(rows.text)")
    }
}
