// Unsaved objects in an editing context have one place and one id, whatever asks for them.

import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleRequests
@testable import SteleService

@Suite struct EditingIDTests {
    /// Two stored teams, Ann and Bo in the first one, and an editor with two unsaved teams, of which
    /// Ann has joined the first.
    private static func league(_ inMemory: Bool) throws -> (ServiceFixture, Editor) {
        let league = try ServiceFixture(TestModels.people(), inMemory: inMemory)
        _ = league.post(
            "/Team", #"[{"name":"A","people":[{"name":"Ann"},{"name":"Bo"}]},{"name":"B"}]"#)
        let editor = try Editor(league)
        _ = editor.post("/Team", #"{"name":"C"}"#)
        _ = editor.post("/Team", #"{"name":"D"}"#)
        #expect(editor.patch("/Person/1", #"{"team":"t1"}"#).status == 200)
        return (league, editor)
    }

    /// The ids of a list's rows, of all its pages.
    private static func ids(_ editor: Editor, _ target: String) throws -> [String] {
        let pages = editor.service.pages("/contexts/\(editor.id)" + target)
        return try pages.flatMap { page in
            try JSONDocument(page.bytes).root.elements.map { row in
                row["_id"].flatMap { $0.string ?? $0.integer.map(String.init) } ?? "?"
            }
        }
    }

    @Test(
        arguments: [false, true],
        [
            ("", "1 2 t1 t2"), ("&sort=_id", "1 2 t1 t2"), ("&sort=-_id", "t2 t1 2 1"),
            ("&sort=people.@count,_id", "2 t2 1 t1"), ("&sort=-name", "t2 t1 2 1"),
            ("&where=_id>1", "2 t1 t2"), ("&where=_id>=\"t2\"", "t2"), ("&where=_id<\"t1\"", "1 2"),
            ("&where=_id%20BETWEEN%20{2,\"t1\"}", "2 t1"), ("&where=_id<0", ""),
            ("&where=_id>\"t9\"", ""),
        ])
    func unsavedObjectsAreAfterAllOthers(_ inMemory: Bool, _ list: (String, String)) throws {
        let (_, editor) = try Self.league(inMemory)
        for target in ["/Team?select=_id,name\(list.0)", "/Team?limit=1&select=_id,name\(list.0)"] {
            #expect(try Self.ids(editor, target).joined(separator: " ") == list.1, "\(target)")
        }
    }

    @Test(arguments: [false, true])
    func theLeastIDIsNoNegativeNumber(_ inMemory: Bool) throws {
        let (_, editor) = try Self.league(inMemory)
        for (target, expected) in [
            ("/Team?select=a:min(_id),b:max(_id),n:count(_id)", #"[{"a":1,"b":"t2","n":4}]"#),
            (
                "/Team?select=a:min(_id),b:max(_id)&where=name>\"B\"",
                #"[{"a":"t1","b":"t2"}]"#
            ),
            (
                "/Person?select=_id,a:team.people.@max._id,t:team._id&limit=1",
                #"[{"_id":1,"a":1,"t":"t1"}]"#
            ),
            ("/Team?select=_id,n:count()&groupBy=_id&sort=-_id&limit=1", #"[{"_id":"t2","n":1}]"#),
            ("/Person?select=team&distinct=true&sort=team", #"[{"team":1},{"team":"t1"}]"#),
            // It is no number, either.
            ("/Team?select=a:_id%2B1&sort=-_id&limit=1", #"[{"a":null}]"#),
        ] { #expect(editor.get(target).text == expected, "\(target)") }
    }

    @Test(arguments: [false, true])
    func temporaryIDsAreReadInEveryForm(_ inMemory: Bool) throws {
        let (_, editor) = try Self.league(inMemory)
        func check() {
            for (entity, text, expected) in [
                ("League", #"SUBQUERY(teams, $t, $t == "t1").@count == 0"#, 0),
                ("Person", #"SUBQUERY(team.people, $p, $p.team == "t1").@count == 1"#, 1),
                ("Person", #"SUBQUERY(team.people, $p, $p.team._id == "t1").@count == 1"#, 1),
                ("Team", #"TERNARY(SELF == "t1", 1, 0) == 1"#, 1),
                ("Team", #"SELF == TERNARY(name == "C", "t1", "t2")"#, 2),
                ("Team", #"_id == TERNARY(name == "C", "t1", "t2")"#, 2),
                ("Team", #"TERNARY(name == "C", _id, 7) == "t1""#, 1),
                ("Team", #"{"t1", 2} CONTAINS SELF"#, 2),
                ("Team", #"SELF IN {"t1", 2} AND NOT _id IN {"t2", 2}"#, 1),
                ("Person", #"ANY team.people.team IN {"t1", "t2"}"#, 1),
                ("Person", #"ALL team.people.team._id == "t1""#, 1),
                ("Team", #"_id == $T"#, 1), ("Team", #"_id IN $TS"#, 2),
                ("Team", #"SELF IN $TS"#, 2),
                // Another entity's.
                ("Person", #"_id == "t1""#, 0), ("Person", #"SELF == "t1""#, 0),
            ] {
                let variable = ["TS": "&var.TS=t1,t2", "T": "&var.T=t1"]
                    .first { text.hasSuffix("$\($0.key)") }
                let found = editor.get(
                    "/\(entity)/count?where=\(encoded(text))\(variable?.value ?? "")")
                #expect(found.text == #"{"count":\#(expected)}"#, "\(text): \(found.text)")
            }
        }
        check()
        // Columns, orders, groups and their conditions read them, too.
        for (target, expected) in [
            (
                "/Team?select=_id,a:TERNARY(SELF == \"t1\", 1, 0)&where=_id>2",
                #"[{"_id":"t1","a":1},{"_id":"t2","a":0}]"#
            ),
            (
                "/Team?select=_id&sort=TERNARY(_id == \"t2\", 0, 1),_id&limit=2",
                #"[{"_id":"t2"},{"_id":1}]"#
            ),
            (
                "/Team?select=_id,n:count()&groupBy=_id&having=_id == \"t1\"",
                #"[{"_id":"t1","n":1}]"#
            ),
        ] {
            let answer = editor.get(target.split(separator: " ").joined(separator: "%20"))
            #expect(answer.text == expected, "\(target)")
        }
        #expect(editor.post("/save").status == 200)
        // The permanent ids count from now on.
        for (entity, text, expected) in [
            ("Team", #"_id == "t1""#, #"[{"_id":3}]"#),
            ("Person", #"team == "t1""#, #"[{"_id":1}]"#),
            ("Person", #"_id == "t1""#, "[]"),
        ] {
            #expect(editor.find(entity, where: text, "&select=_id").text == expected, "\(text)")
        }
    }

    /// Deny keeps the link until the save refuses the deletion, and no answer shows it meanwhile.
    @Test(arguments: [false, true])
    func aLinkToADeletedObjectIsNullInEveryAnswer(_ inMemory: Bool) throws {
        let model = try makeModel([
            EntityMaker("Tag").attribute("name", .string).toOne("owner", "Owner", inverse: "tags"),
            EntityMaker("Owner").attribute("name", .string)
                .toMany("tags", "Tag", inverse: "owner", rule: .deny),
        ])
        let service = try ServiceFixture(model, inMemory: inMemory)
        _ = service.post("/Owner", #"{"name":"o","tags":[{"name":"a"}]}"#)
        let editor = try Editor(service)
        // One stored tag of a stored owner, one new tag of it, and one of a new owner.
        _ = editor.post("/Tag", #"{"name":"b","owner":1}"#)
        _ = editor.post("/Owner", #"{"name":"p","tags":[{"name":"c"}]}"#)
        #expect(
            editor.get("/Tag?select=owner").text == #"[{"owner":1},{"owner":1},{"owner":"t2"}]"#)
        #expect(editor.ask("DELETE", "/Owner/1").status == 204)
        #expect(editor.ask("DELETE", "/Owner/t2").status == 204)
        #expect(editor.get("/Owner").text == "[]")
        for target in ["/Tag", "/Tag?include=owner", "/Tag?select=owner", "/Tag?sort=owner"] {
            let owners = try editor.get(target).json.elements.map { $0["owner"] }
            #expect(owners == [.null, .null, .null], "\(target)")
        }
        #expect(try editor.get("/Tag/1").json["owner"] == .null)
        #expect(try editor.get("/changes").json["inserted"]?.elements.first?["owner"] == .null)
        #expect(editor.get("/Tag/1/owner").text == "null")
        #expect(editor.get("/Tag/count?where=owner==nil").text == #"{"count":3}"#)
        #expect(editor.post("/save").code == "1600")
        #expect(editor.post("/undo").status == 200 && editor.post("/undo").status == 200)
        #expect(try editor.get("/Tag/1").json["owner"] == 1)
        #expect(editor.post("/save").status == 200)
    }
}
