// To-ones whose destination was deleted under the rule No Action: none, whoever asks and however.

import SteleHTTP
import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct NoActionTests {
    /// Three Bs, of which the first two lead to what is to be deleted: A 1 by a to-many's inverse,
    /// and A 2 by a to-one's.
    private func filled(_ inMemory: Bool) throws -> ServiceFixture {
        let fixture = try ServiceFixture(
            try makeModel(
                name: "Links",
                [
                    EntityMaker("A").attribute("name", .string)
                        .toMany("bs", "B", inverse: "a1", rule: .noAction)
                        .toOne("b", "B", inverse: "a2", rule: .noAction),
                    EntityMaker("B").attribute("name", .string)
                        .toOne("a1", "A", inverse: "bs")
                        .toOne("a2", "A", inverse: "b")
                        .toMany("cs", "C", inverse: "b"),
                    EntityMaker("C").attribute("name", .string).toOne("b", "B", inverse: "cs"),
                ]), inMemory: inMemory)
        let made = fixture.post("/A", #"[{"name":"x"},{"name":"y"},{"name":"z"}]"#)
        #expect(made.status == 201)
        let more = fixture.post(
            "/B",
            """
            [{"name":"m","a1":1,"cs":[{"name":"c"}]},{"name":"n","a1":1,"a2":2},
             {"name":"o","a1":3,"a2":3}]
            """)
        #expect(more.status == 201)
        // What is in the row cache now is older than the deletion.
        for key in 1...3 { #expect(fixture.get("/B/\(key)").status == 200) }
        return fixture
    }

    /// What a deletion of A 1 and A 2 leaves, asked for in every way.
    private static let answers: [(target: String, where: String?, text: String)] = [
        (
            "/B?select=name,a1,a2", nil,
            """
            [{"name":"m","a1":null,"a2":null},{"name":"n","a1":null,"a2":null},\
            {"name":"o","a1":3,"a2":3}]
            """
        ),
        ("/B/1/a1", nil, "null"), ("/B/2/a2", nil, "null"),
        ("/B/2?select=a1,a2", nil, #"{"a1":null,"a2":null}"#),
        ("/B?select=name", "a1 == nil", #"[{"name":"m"},{"name":"n"}]"#),
        ("/B?select=name", "a2 == nil", #"[{"name":"m"},{"name":"n"}]"#),
        ("/B?select=name", "a1 != nil", #"[{"name":"o"}]"#),
        ("/B?select=name", "a1 == 1", "[]"), ("/B?select=name", "a2 == 2", "[]"),
        ("/B?select=name", "a1 != 1", #"[{"name":"m"},{"name":"n"},{"name":"o"}]"#),
        ("/B?select=name", "a1 IN {1, 3}", #"[{"name":"o"}]"#),
        ("/B?select=name", "a1._id == 1", "[]"),
        (
            "/B?select=name", "a1 == a2",
            """
            [{"name":"m"},{"name":"n"},{"name":"o"}]
            """
        ),
        ("/B?select=name", "a1.name == nil", #"[{"name":"m"},{"name":"n"}]"#),
        ("/B?select=name", "a1.bs.@count == 0", #"[{"name":"m"},{"name":"n"}]"#),
        (
            "/B?select=name,a1.name&sort=-a1,name", nil,
            """
            [{"name":"o","a1.name":"z"},{"name":"m","a1.name":null},{"name":"n","a1.name":null}]
            """
        ),
        ("/B?select=a1,n:count()&groupBy=a1", nil, #"[{"a1":null,"n":2},{"a1":3,"n":1}]"#),
        ("/B?select=n:count(a1),d:count(distinct%20a1)", nil, #"[{"n":1,"d":1}]"#),
        ("/B?select=a1&distinct=true", nil, #"[{"a1":null},{"a1":3}]"#),
        ("/C?select=b.a1", nil, #"[{"b.a1":null}]"#),
        ("/C?select=name", "b.a1 == nil", #"[{"name":"c"}]"#),
        ("/C?select=name", "ANY b.cs.b.a1 == 1", "[]"),
        ("/B/count", "a1 == nil", #"{"count":2}"#),
    ]

    private func check(_ get: (String) -> Answer, _ way: String) throws {
        for (target, condition, text) in Self.answers {
            let sign = target.contains("?") ? "&" : "?"
            let answer = get(target + (condition.map { "\(sign)where=" + encoded($0) } ?? ""))
            #expect(answer.text == text, "\(way): \(target) \(condition ?? "")")
        }
        for target in ["/B/1", "/B?limit=1", "/B?include=a1&limit=1", "/B/1?include=a1,a2"] {
            let text = get(target).text
            #expect(text.contains(#""a1":null,"a2":null"#), "\(way): \(target) \(text)")
        }
    }

    @Test(arguments: [false, true])
    func aLinkToNothingIsNone(_ inMemory: Bool) throws {
        let service = try filled(inMemory)
        let tag = service.get("/B/1")["ETag"]
        let editor = try Editor(service)
        #expect(editor.get("/B/1").text.contains(#""a1":1"#))
        #expect(editor.ask("DELETE", "/A/1").status == 204)
        #expect(editor.ask("DELETE", "/A/2").status == 204)
        try check({ editor.get($0) }, "context")
        #expect(editor.ask("POST", "/undo").status == 200)
        #expect(editor.ask("POST", "/undo").status == 200)
        #expect(editor.get("/B?select=a1").text == #"[{"a1":1},{"a1":1},{"a1":3}]"#)
        #expect(editor.ask("DELETE", "/A/1").status == 204)
        #expect(editor.ask("DELETE", "/A/2").status == 204)
        #expect(editor.ask("POST", "/save").status == 200)
        try check({ service.get($0) }, "store")
        try check({ editor.get($0) }, "context after its save")
        #expect(service.get("/B/1")["ETag"] != tag)
        let told = service.get("/changes?values=true&limit=1000").text
        #expect(told.contains(#""name":"m","a1":null"#))
        // What was deleted and comes back has its links again.
        #expect(editor.ask("POST", "/undo").status == 200)
        #expect(editor.ask("POST", "/undo").status == 200)
        #expect(editor.ask("POST", "/save").status == 200)
        #expect(
            service.get("/B?select=a1,a2").text.hasPrefix(#"[{"a1":1,"a2":null},{"a1":1,"a2":2}"#))
    }

    @Test(arguments: [false, true])
    func manyAreDeletedSo(_ inMemory: Bool) throws {
        let service = try filled(inMemory)
        #expect(service.ask("DELETE", "/A?where=" + encoded("name < 'z'")).status == 200)
        try check({ service.get($0) }, "store")
    }

    /// What another program has left in the file.
    @Test func whatAnotherProgramLeavesIsNoneToo() throws {
        let service = try filled(false)
        try RawDatabase(service.path).run("DELETE FROM ZA WHERE Z_PK < 3")
        try check({ service.get($0) }, "store")
        let editor = try Editor(service)
        #expect(editor.patch("/C/1", #"{"name":"c"}"#).status == 200)
        try check({ editor.get($0) }, "context")
        #expect(service.patch("/B/1", #"{"a1":3}"#).text.contains(#""a1":3"#))
        #expect(service.get("/A/3?include=bs").text.contains(#""name":"m""#))
    }
}
