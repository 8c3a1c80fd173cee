// What another program asks of a store's rows: triggers, checks and indexes that the model does not
// have, and counters of keys.

import Foundation
import SteleModel
import SteleSQLite
import TestSupport
import Testing

@testable import SteleService

@Suite struct FileRuleTests {
    private let service: ServiceFixture
    private let raw: RawDatabase

    init() throws {
        let model = try makeModel([
            EntityMaker("Tag").attribute("label", .string).attribute("n", .integer32)
                .toMany("notes", "Note", inverse: "tags"),
            EntityMaker("Note").attribute("text", .string).toMany("tags", "Tag", inverse: "notes"),
        ])
        service = try ServiceFixture(model)
        raw = try RawDatabase(service.path)
        let made = service.post("/Tag", #"[{"label":"a","n":1},{"label":"b","n":2}]"#)
        try #require(made.status == 201, "\(made.text)")
        #expect(service.post("/Note", #"{"text":"x"}"#).status == 201)
    }

    private func expectRefusal(_ answer: Answer, _ words: String..., place: String) {
        #expect(answer.status == 422 && answer.code == "1550", "\(place): \(answer.text)")
        for word in words { #expect(answer.detail.contains(word), "\(place): \(answer.text)") }
    }

    private func many(_ count: Int) -> String {
        "[" + (0..<count).map { #"{"label":"m\#($0)","n":9}"# }.joined(separator: ",") + "]"
    }

    /// RAISE of a trigger refuses the save with its text and the object's name, by every road.
    @Test(arguments: ["ABORT", "FAIL", "ROLLBACK"]) func aTriggerRefuses(_ kind: String) throws {
        for (event, requests) in [
            (
                "UPDATE",
                [
                    ("PATCH", "/Tag/1", #"{"label":"y"}"#), ("PUT", "/Tag/1", #"{"label":"y"}"#),
                    ("PATCH", "/Tag?where=TRUEPREDICATE", #"{"label":"z"}"#),
                    (
                        "POST", "/transactions",
                        #"[{"op":"update","object":"Tag/1","values":{"label":"y"}}]"#
                    ),
                ]
            ),
            (
                "INSERT",
                [
                    ("POST", "/Tag", #"{"label":"y"}"#), ("POST", "/Tag", many(40)),
                    (
                        "POST", "/transactions",
                        #"[{"op":"insert","entity":"Tag","values":{"label":"y"}}]"#
                    ),
                ]
            ),
            ("DELETE", [("DELETE", "/Tag/1", nil)]),
        ] as [(String, [(String, String, String?)])] {
            try raw.run(
                "CREATE TRIGGER app BEFORE \(event) ON ZTAG BEGIN "
                    + "SELECT RAISE(\(kind), 'label is locked'); END")
            let before = service.get("/Tag").text
            for (method, target, body) in requests {
                let answer = service.ask(method, target, body)
                expectRefusal(
                    answer, "Tag", "a trigger of the store's file refuses it: label is locked",
                    place: "\(kind) \(method) \(target)")
                #expect(service.get("/Tag").text == before)
            }
            let editor = try Editor(service)
            switch event {
            case "UPDATE": _ = editor.patch("/Tag/1", #"{"label":"y"}"#)
            case "INSERT": _ = editor.post("/Tag", #"{"label":"y"}"#)
            default: _ = editor.ask("DELETE", "/Tag/1")
            }
            expectRefusal(
                editor.post("/save"), "Tag", "label is locked",
                place: "\(kind) \(event) in a context")
            try raw.run("DROP TRIGGER app")
            #expect(service.patch("/Tag/2", #"{"n":3}"#).status == 200)
            #expect(service.patch("/Tag/2", #"{"n":2}"#).status == 200)
        }
        // The name says which object it is where it is known.
        try raw.run(
            "CREATE TRIGGER app BEFORE UPDATE ON ZTAG BEGIN SELECT RAISE(\(kind), 'no'); END")
        #expect(service.patch("/Tag/2", #"{"n":5}"#).detail.hasPrefix("Tag 2: "))
        try raw.run("DROP TRIGGER app")
    }

    /// A trigger that needs what only its own program has.
    @Test func aTriggerThatCallsWhatIsNotThereRefuses() throws {
        try raw.run(
            "CREATE TRIGGER app AFTER INSERT ON ZTAG BEGIN SELECT app_log(new.Z_PK); END")
        let before = service.get("/Tag").text
        for body in [#"{"label":"y"}"#, many(40)] {
            expectRefusal(
                service.post("/Tag", body), "Tag",
                "a trigger of the store's file refuses it: no such function: app_log (app of ZTAG)",
                place: "function")
        }
        #expect(service.get("/Tag").text == before)
        #expect(service.patch("/Tag/2", #"{"n":5}"#).status == 200)
        try raw.run(
            "DROP TRIGGER app; CREATE TABLE APPLOG (V); CREATE TRIGGER app AFTER UPDATE ON ZTAG "
                + "BEGIN INSERT INTO APPLOG VALUES (new.Z_PK); END; DROP TABLE APPLOG")
        expectRefusal(
            service.patch("/Tag/2", #"{"n":6}"#), "Tag 2: ",
            "no such table: main.APPLOG (app of ZTAG)", place: "table")
        try raw.run("DROP TRIGGER app")
        #expect(service.patch("/Tag/2", #"{"n":6}"#).status == 200)
        #expect(service.post("/Tag", #"{"label":"y"}"#).status == 201)
    }

    private func joinTable() throws -> String {
        try #require(
            try raw.texts(
                "SELECT name FROM sqlite_master WHERE name IN ('Z_1NOTES', 'Z_2NOTES', 'Z_1TAGS', "
                    + "'Z_2TAGS') AND type = 'table'"
            ).first)
    }

    /// A trigger on a join table.
    @Test func aTriggerRefusesALink() throws {
        let join = try joinTable()
        try raw.run(
            "CREATE TRIGGER app BEFORE INSERT ON \(join) BEGIN SELECT RAISE(ABORT, 'no link'); END")
        expectRefusal(
            service.patch("/Note/1", #"{"tags":[1]}"#), "Note 1: ", "no link", place: "link")
        #expect(service.get("/Note/1/tags").text == "[]")
    }

    /// An index of another program, and a trigger that writes to a table with one.
    @Test func uniquenessOfTheFileAloneIsNamed() throws {
        try raw.run("CREATE UNIQUE INDEX app ON ZTAG (ZLABEL)")
        let words = "values that must be unique in the database, and not in the model, are not"
        expectRefusal(
            service.post("/Tag", #"{"label":"a"}"#), "a new Tag: ", words, place: "insert")
        expectRefusal(service.patch("/Tag/2", #"{"label":"a"}"#), "Tag 2: ", words, place: "update")
        try raw.run(
            "DROP INDEX app; CREATE TABLE LOGGED (A UNIQUE); CREATE TRIGGER app AFTER INSERT ON ZTAG "
                + "BEGIN INSERT INTO LOGGED VALUES (new.ZN); END")
        #expect(service.post("/Tag", #"{"n":7}"#).status == 201)
        expectRefusal(service.post("/Tag", #"{"n":7}"#), "a new Tag: ", words, place: "trigger")
        #expect(service.post("/Tag", #"{"n":8}"#).status == 201)
    }

    /// What a rule of the database says may be about what a role does not see.
    @Test func aRoleDoesNotReadTheTextOfARule() throws {
        let service = try RightsFixture(
            rights: RightsModel.rights(
                role: #"{"Tag": {"read": "name == 'red'", "create": true, "update": true}}"#))
        try RawDatabase(service.fixture.path).run(
            "CREATE TRIGGER app BEFORE INSERT ON ZTAG BEGIN SELECT RAISE(ABORT, 'secret'); END")
        for (who, isNamed) in [("ann", false), ("root", true)] {
            let answer = service.ask(who, "POST", "/Tag", #"{"name":"red"}"#)
            #expect(answer.status == 422 && answer.code == "1550", "\(who): \(answer.text)")
            #expect(answer.text.contains("secret") == isNamed, "\(who): \(answer.text)")
        }
    }

    /// RAISE(IGNORE) leaves rows out, alone or among many, without an error of SQLite.
    @Test func aRowThatATriggerLeavesOutIsRefused() throws {
        try raw.run(
            "CREATE TRIGGER app BEFORE INSERT ON ZTAG WHEN new.ZLABEL = 'm7' "
                + "BEGIN SELECT RAISE(IGNORE); END")
        let words = "a trigger of the store's file leaves a row out: app of ZTAG"
        expectRefusal(service.post("/Tag", #"{"label":"m7"}"#), words, place: "one")
        expectRefusal(service.post("/Tag", many(40)), words, place: "many")
        #expect(service.get("/Tag/count").text == #"{"count":2}"#)
        #expect(service.post("/Tag", #"{"label":"m8"}"#).status == 201)
    }

    /// RAISE(IGNORE) of updates, deletions and links: no conflict that trying again resolves, and no
    /// success.
    @Test func aStatementThatATriggerLeavesOutIsRefused() throws {
        let join = try joinTable()
        #expect(service.post("/Tag", many(40)).status == 201)
        #expect(service.patch("/Note/1", #"{"tags":[2]}"#).status == 200)
        func state() throws -> [String] {
            [service.get("/Tag?include=notes").text, service.get("/Note?include=tags").text]
                + (try raw.texts("SELECT COUNT(*) FROM ACHANGE"))
        }
        let requests: [(event: String, asked: [(String, String, String?, name: String)])] = [
            (
                "UPDATE ON ZTAG",
                [
                    ("PATCH", "/Tag/1", #"{"label":"y"}"#, name: "Tag 1: "),
                    ("PATCH", "/Tag/1?mergePolicy=overwrite", #"{"label":"y"}"#, name: "Tag 1: "),
                    ("PUT", "/Tag/1", #"{"label":"y"}"#, name: "Tag 1: "),
                    ("PATCH", "/Tag?where=TRUEPREDICATE", #"{"label":"z"}"#, name: "Z_PK "),
                ]
            ),
            (
                "DELETE ON ZTAG",
                [
                    ("DELETE", "/Tag/1", nil, name: "Tag 1: "),
                    ("DELETE", "/Tag?where=TRUEPREDICATE", nil, name: "Z_PK "),
                ]
            ),
            (
                "INSERT ON \(join)",
                [
                    ("PATCH", "/Tag/1", #"{"notes":[1]}"#, name: "Note 1: "),
                    ("PATCH", "/Note/1", #"{"tags":[1,2]}"#, name: "Note 1: "),
                ]
            ),
            (
                "DELETE ON \(join)",
                [
                    ("PATCH", "/Note/1", #"{"tags":[]}"#, name: "Note 1: "),
                    ("DELETE", "/Note/1", nil, name: "Note 1: "),
                    ("DELETE", "/Tag/2", nil, name: "Tag 2: "),
                ]
            ),
        ]
        for (event, asked) in requests {
            try raw.run("CREATE TRIGGER app BEFORE \(event) BEGIN SELECT RAISE(IGNORE); END")
            // After a save of its own the store knows the versions, and many rows are one statement.
            #expect(service.patch("/Note/1", #"{"text":"\#(event)"}"#).status == 200)
            let before = try state()
            let table = event.split(separator: " ").last.map(String.init) ?? ""
            for (method, target, body, name) in asked {
                expectRefusal(
                    service.ask(method, target, body), name,
                    "a trigger of the store's file leaves a row out: app of \(table)",
                    place: "\(event): \(method) \(target)")
                let isAsBefore = try state() == before
                #expect(isAsBefore, "\(event): \(method) \(target)")
            }
            try raw.run("DROP TRIGGER app")
        }
        let editor = try Editor(service)
        try raw.run("CREATE TRIGGER app BEFORE UPDATE ON ZTAG BEGIN SELECT RAISE(IGNORE); END")
        _ = editor.patch("/Tag/1", #"{"label":"y"}"#)
        expectRefusal(editor.post("/save"), "Tag 1: ", "app of ZTAG", place: "a context")
        try raw.run("DROP TRIGGER app")
    }

    /// A trigger that leaves nothing out refuses nothing, also where a statement finds no row: the
    /// link of a deleted object is deleted with it.
    @Test func otherTriggersRefuseNothing() throws {
        let join = try joinTable()
        for (table, event) in [(join, "INSERT"), (join, "DELETE"), ("ZTAG", "UPDATE")] {
            try raw.run(
                "CREATE TRIGGER app\(table)\(event) BEFORE \(event) ON \(table) BEGIN SELECT 1; END"
            )
        }
        #expect(service.patch("/Note/1", #"{"tags":[1,2]}"#).status == 200)
        #expect(service.patch("/Tag/1", #"{"label":"y"}"#).status == 200)
        #expect(service.patch("/Note/1", #"{"tags":[1]}"#).status == 200)
        #expect(service.ask("DELETE", "/Tag/1").status == 204)
        #expect(service.get("/Note/1/tags").text == "[]")
        #expect(service.ask("DELETE", "/Note/1").status == 204)
        #expect(try raw.texts("SELECT COUNT(*) FROM \(join)") == ["0"])
    }

    /// Where all keys are given out, the answer says which and the way out.
    @Test func keysThatAreUsedUpAreNamed() throws {
        try raw.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_NAME = 'Tag'")
        for answer in [
            service.post("/Tag", #"{"label":"y"}"#), service.post("/Tag", many(40)),
            service.post(
                "/transactions", #"[{"op":"insert","entity":"Tag","values":{"label":"y"}}]"#),
        ] {
            #expect(answer.status == 507 && answer.code == "store.no-room", "\(answer.text)")
            #expect(
                answer.detail.contains("Tag has no keys left: Z_MAX of Z_ENT")
                    && answer.detail.contains("set Z_MAX to the largest Z_PK"), "\(answer.text)")
        }
        let editor = try Editor(service)
        _ = editor.post("/Tag", #"{"label":"y"}"#)
        let saved = editor.post("/save")
        #expect(
            saved.status == 507 && saved.detail.contains("Tag has no keys left"), "\(saved.text)")
        // All else works.
        #expect(service.patch("/Tag/1", #"{"label":"y"}"#).status == 200)
        #expect(service.post("/Note", #"{"text":"y"}"#).status == 201)
        let found = try SQLiteStore.inspect(path: service.path, among: [service.service.model])
        #expect(
            found.differences.contains { $0.contains("Tag has no keys left") },
            "\(found.differences)")
        try raw.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME = 'Tag'")
    }

    /// A whole file has fewer keys, and the same answer.
    @Test func keysOfAWholeFileThatAreUsedUpAreNamed() throws {
        let model = try makeModel([EntityMaker("Tag").attribute("label", .string)])
        let fixture = try ServiceFixture(opening: { path in
            try "Tag|1|label=x\n#next|Tag|4611686018427387904\n".write(
                toFile: path, atomically: true, encoding: .utf8)
            return try StoreKind.text.open(model, at: path)
        })
        let answer = fixture.post("/Tag", #"{"label":"y"}"#)
        #expect(answer.status == 507 && answer.code == "store.no-room", "\(answer.text)")
        #expect(
            answer.detail.contains("Tag has no keys left") && answer.detail.contains("--new-ids"),
            "\(answer.text)")
        #expect(fixture.patch("/Tag/1", #"{"label":"y"}"#).status == 200)
    }
}
