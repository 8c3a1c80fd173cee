/// Several stores behind one service.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct SeveralStoresTests {
    private let stash = samplePath("Stash")
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func serve(_ options: String..., variables: [String: String] = [:]) throws -> (
        program: Program, lines: [String]
    ) {
        let program = try Program(
            ["serve", stash, "--port", "0"] + options,
            environment: ["STELE_ENCRYPTION_KEY": String(repeating: "5e", count: 32)]
                .merging(variables) { $1 }, folder: folder.path)
        return (program, program.lines(3))
    }

    private func objects(_ answer: Answer?) -> [[String: Any]] {
        answer?.json as? [[String: Any]] ?? []
    }

    @Test func aSaveOfTwoStoresIsOneEventWhichARestartKeeps() throws {
        let stores = ["STELE_STORE": "Notes=notes.sqlite,Passwords=passwords.sqlite"]
        var (program, lines) = try serve(variables: stores)
        #expect(
            lines.first == "Stash, 4 entities, from notes.sqlite, passwords.sqlite (sqlite)")
        var caller = try Caller(lines)
        let made = caller.ask(
            "POST", "/transactions",
            """
            [{"op":"insert","entity":"Note","values":{"title":"Router","body":"blue box"}},
             {"op":"insert","entity":"System","as":"s","values":{"name":"Router","userId":"admin"}},
             {"op":"insert","entity":"Category","values":{"name":"House","systems":[{"_ref":"s"}]}}]
            """)
        #expect(made?.status == 200, "\(made?.body ?? "")")
        _ = caller.ask("POST", "/Note", "{\"title\":\"second\"}")
        let all = objects(caller.ask("GET", "/changes"))
        #expect(all.map { ($0["changes"] as? [Any])?.count } == [3, 1])
        let token = (all.first?["transaction"] as? String) ?? ""
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
        for (file, table) in [("notes", "ZNOTE"), ("passwords", "ZSYSTEM")] {
            let database = try RawDatabase("\(folder.path)/\(file).sqlite")
            #expect(
                try database.texts(
                    "SELECT name FROM sqlite_master WHERE name IN ('ZNOTE', 'ZSYSTEM')") == [table])
        }
        (program, lines) = try serve(variables: stores)
        caller = try Caller(lines)
        let later = objects(caller.ask("GET", "/changes?since=\(token)"))
        #expect(later.count == 1)
        _ = caller.ask("PATCH", "/System/1", "{\"name\":\"New router\"}")
        #expect(objects(caller.ask("GET", "/changes?since=\(token)")).count == 2)
        #expect(
            objects(caller.ask("GET", "/System?include=category")).first?["name"] as? String
                == "New router")
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    @Test func aStoreOfAnotherTypeExpiresTheTokensOfEarlierProcesses() throws {
        let options = ["--store", "Notes=notes.sqlite", "--store", "Passwords=passwords.xml"]
        var (program, lines) = try serve(options[0], options[1], options[2], options[3])
        #expect(lines.first?.hasSuffix("(sqlite, xml)") == true)
        var caller = try Caller(lines)
        _ = caller.ask("POST", "/Note", "{\"title\":\"one\"}")
        _ = caller.ask("POST", "/Category", "{\"name\":\"House\"}")
        let token = (objects(caller.ask("GET", "/changes")).last?["transaction"] as? String) ?? ""
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
        (program, lines) = try serve(options[0], options[1], options[2], options[3])
        caller = try Caller(lines)
        #expect(caller.ask("GET", "/changes?since=\(token)")?.status == 410)
        #expect(objects(caller.ask("GET", "/Category")).count == 1)
        #expect(objects(caller.ask("GET", "/Note")).count == 1)
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    @Test func theBodyOfANewObjectNamesItsStore() throws {
        let (program, lines) = try serve("--store", "Default=all.sqlite,Notes=notes.xml")
        let caller = try Caller(lines)
        _ = caller.ask("POST", "/Note", "{\"title\":\"b\"}")
        let there = caller.ask("POST", "/Note", "{\"title\":\"a\",\"_store\":\"Notes\"}")
        let key = ((there?.json as? [String: Any])?["_id"] as? Int) ?? 0
        #expect(key == (1 << 40) + 1)
        #expect(
            objects(caller.ask("GET", "/Note?sort=title")).compactMap { $0["title"] as? String }
                == ["a", "b"])
        #expect(caller.ask("GET", "/Note/count")?.body == "{\"count\":2}")
        #expect(caller.ask("DELETE", "/Note/\(key)")?.status == 204)
        let other = caller.ask("POST", "/Note", "{\"title\":\"a\",\"_store\":\"Passwords\"}")
        #expect(other?.status == 400)
        #expect(other?.body.contains("it can be Default, Notes") == true)
        let unfit = caller.ask("POST", "/Category", "{\"name\":\"a\",\"_store\":\"Notes\"}")
        #expect(unfit?.status == 400, "\(unfit?.body ?? "")")
        #expect(caller.ask("PATCH", "/Note/1", "{\"_store\":\"Notes\"}")?.status == 400)
        #expect(
            caller.ask("PATCH", "/Note/1", "{\"_store\":\"Default\",\"title\":\"c\"}")?.status
                == 200)
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    @Test(arguments: [
        (["--store", "Note=a.sqlite"], "the model has no configuration Note"),
        (["--store", "Notes=a.sqlite"], "no store has the entity Category"),
        (["--store", "Notes=a.sqlite", "--store", "Notes=b.sqlite"], "is given twice"),
        (
            ["--store", "Notes=a.sqlite", "--store", "Passwords=b.xml", "--store-type", "xml"],
            "name the one that is meant"
        ),
        (["--store", "Notes=", "--store", "Passwords=b.xml"], "Notes= has no value"),
    ])
    func aMistakeIsTold(_ options: [String], _ text: String) throws {
        let program = try Program(
            ["serve", stash, "--port", "0"] + options,
            environment: ["STELE_ENCRYPTION_KEY": String(repeating: "5e", count: 32)],
            folder: folder.path)
        let (status, errors) = program.end()
        #expect(status != 0)
        #expect(errors.contains(text), "\(errors)")
    }
}
