/// Several stores behind one service.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct SeveralStoresTests {
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
            lines.first
                == "Stash, 4 entities, from notes.sqlite, passwords.sqlite (sqlite, new)")
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
        #expect(lines.first?.hasSuffix("(sqlite, xml, new)") == true)
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

    /// The files and their folder are as they were.
    @Test(arguments: ["passwords.sqlite", "passwords.xml"])
    func severalStoresAreServedForReadingOnly(_ passwords: String) throws {
        let stores = "Notes=notes.sqlite,Passwords=\(passwords)"
        var (program, lines) = try serve("--store", stores)
        var caller = try Caller(lines)
        _ = caller.ask("POST", "/Note", "{\"title\":\"one\"}")
        _ = caller.ask("POST", "/Category", "{\"name\":\"House\"}")
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
        let before = try FolderState(folder.path)
        (program, lines) = try serve("--store", stores, "--read-only")
        caller = try Caller(lines)
        #expect(objects(caller.ask("GET", "/Note")).count == 1)
        #expect(objects(caller.ask("GET", "/Category")).count == 1)
        #expect(caller.ask("GET", "/changes")?.status == 200)
        for (method, path, body) in [
            ("POST", "/Note", "{\"title\":\"two\"}"), ("DELETE", "/Category/1", "{}"),
            (
                "POST", "/transactions",
                #"[{"op":"insert","entity":"Note","values":{"title":"two"}},"#
                    + #"{"op":"insert","entity":"Category","values":{"name":"Office"}}]"#
            ),
        ] {
            let answer = caller.ask(method, path, body)
            #expect(answer?.status == 403, "\(method) \(path): \(answer?.body ?? "")")
            #expect(answer?.body.contains(#""code":"store.read-only""#) == true)
        }
        program.signal(SIGTERM)
        let (status, log) = program.end()
        #expect(status == 0)
        #expect(log.contains("read-only: no other program may change the file"), "\(log)")
        #expect(!log.contains(" error "), "\(log)")
        #expect(try FolderState(folder.path) == before)
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

    /// The second version adds an attribute, renames an entity so that the numbers of all others
    /// change, and adds an entity.
    private static let versions = [
        #"{"entities":[{"name":"Note","attributes":[{"name":"title","type":"String"}]},"#
            + #"{"name":"System","attributes":[{"name":"name","type":"String"}]}],"#
            + #""configurations":[{"name":"Notes","entities":["Note"]},"#
            + #"{"name":"Secrets","entities":["System"]}]}"#,
        #"{"entities":[{"name":"Note","attributes":[{"name":"title","type":"String"},"#
            + #"{"name":"stars","type":"Integer 16","default":3}]},"#
            + #"{"name":"Apparatus","renamingIdentifier":"System","#
            + #""attributes":[{"name":"name","type":"String"}]},"#
            + #"{"name":"Label","attributes":[{"name":"name","type":"String"}]}],"#
            + #""configurations":[{"name":"Notes","entities":["Note","Label"]},"#
            + #"{"name":"Secrets","entities":["Apparatus"]}]}"#,
    ]

    @Test(arguments: ["secrets.sqlite", "secrets.xml"])
    func eachStoreIsMigrated(_ secrets: String) throws {
        func add(_ version: Int) throws {
            try folder.write(Self.versions[version - 1], to: "Parts/v\(version).json")
        }
        func serve(_ options: String..., ask: (Caller) -> Void) throws -> String {
            let program = try Program(
                [
                    "serve", "Parts", "--port", "0", "--store",
                    "Notes=notes.sqlite,Secrets=\(secrets)",
                ]
                    + options, folder: folder.path)
            let lines = program.lines(3)
            guard lines.count == 3 else { return program.end().errors }
            ask(try Caller(lines))
            program.signal(SIGTERM)
            let end = program.end()
            #expect(end.status == 0)
            return end.errors
        }
        try add(1)
        _ = try serve { caller in
            #expect(caller.ask("POST", "/Note", #"[{"title":"a"},{"title":"b"}]"#)?.status == 201)
            #expect(caller.ask("POST", "/System", #"{"name":"router"}"#)?.status == 201)
        }
        try add(2)
        let refused = try serve { _ in Issue.record("it serves") }
        #expect(
            refused.contains("notes.sqlite") && refused.contains("adds Note.stars"), "\(refused)")
        let plan = try Program.run(
            "migrate", "Parts", "--store", "Secrets=\(secrets)", "--plan", folder: folder.path)
        #expect(plan.output.contains("the entity System becomes Apparatus"), "\(plan)")
        #expect(!plan.output.contains("Note"), "\(plan)")
        let log = try serve("--migrate") { caller in
            #expect(
                caller.ask("GET", "/Note?select=_id,title,stars")?.body
                    == #"[{"_id":1,"title":"a","stars":3},{"_id":2,"title":"b","stars":3}]"#)
            #expect(
                caller.ask("GET", "/Apparatus?select=_id,name")?.body
                    == #"[{"_id":1,"name":"router"}]"#)
            #expect(caller.ask("POST", "/Label", #"{"name":"new"}"#)?.status == 201)
            #expect(objects(caller.ask("GET", "/changes")).isEmpty == false)
        }
        #expect(log.contains("v1 to v2, inferred"))
        // A store of one configuration, of a type that is read by its model.
        let info = try run(["inspect", "Secrets=\(secrets)", "--model", "Parts"])
        #expect(info.contains("Apparatus") && !info.contains("Label"), "\(info)")
        let metadata = try run([
            "store", "metadata", "Parts", "--store", "Secrets=\(secrets)", "--set", "owner=Ann",
        ])
        #expect(metadata.contains(#""owner": "Ann""#), "\(metadata)")
    }

    /// Runs a command to its end, and returns its standard output.
    private func run(_ arguments: [String], status expected: Int32 = 0) throws -> String {
        let program = try Program(
            arguments, environment: ["STELE_ENCRYPTION_KEY": String(repeating: "5e", count: 32)],
            folder: folder.path)
        let (status, errors) = program.end()
        #expect(status == expected, "\(errors)")
        return program.text
    }

    private func rows(_ file: String, _ sql: String) throws -> [String] {
        try RawDatabase("\(folder.path)/\(file)").texts(sql)
    }

    @Test func anImportIntoSeveralStoresKeepsKeysAndLinks() throws {
        try folder.write(
            """
            {"_id":4,"_entity":"System","name":"Router","userId":"admin","category":9}
            {"_id":9,"_entity":"Category","name":"House"}
            {"_id":7,"_entity":"Note","title":"blue box"}
            """, to: "all.ndjson")
        let stores = ["--store", "Notes=notes.sqlite", "--store", "Passwords=passwords.sqlite"]
        _ = try run(["import", stash, "all.ndjson"] + stores)
        #expect(try rows("notes.sqlite", "SELECT Z_PK || ZTITLE FROM ZNOTE") == ["7blue box"])
        #expect(
            try rows("passwords.sqlite", "SELECT Z_PK || '>' || ZCATEGORY FROM ZSYSTEM") == ["4>9"])
        #expect(try rows("passwords.sqlite", "SELECT Z_PK || ZNAME FROM ZCATEGORY") == ["9House"])
        // A second import of the file is refused and changes neither store.
        _ = try run(["import", stash, "all.ndjson"] + stores, status: 1)
        #expect(try rows("notes.sqlite", "SELECT count(*) || '' FROM ZNOTE") == ["1"])
    }

    @Test func anExportOfSeveralStoresIsImportedWithKeysAndLinks() throws {
        let stores = ["--store", "Default=all.sqlite", "--store", "Notes=notes.xml"]
        let (program, lines) = try serve(stores[0], stores[1], stores[2], stores[3])
        let caller = try Caller(lines)
        let bodies = [
            ("/Note", "{\"title\":\"a\",\"body\":\"bread\"}"),
            ("/Note", "{\"title\":\"b\",\"_store\":\"Notes\"}"),
            ("/Note", "{\"title\":\"c\",\"_store\":\"Notes\"}"),
            ("/Category", "{\"name\":\"House\"}"),
            ("/System", "{\"name\":\"Router\",\"password\":\"plum\",\"category\":1}"),
        ]
        for (path, body) in bodies {
            #expect(caller.ask("POST", path, body)?.status == 201)
        }
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
        let exported = try run(["export", stash] + stores)
        #expect(exported.contains("{\"_id\":\((1 << 40) + 2),\"_entity\":\"Note\""))
        try folder.write(exported, to: "all.ndjson")
        let others = ["--store", "Default=b.sqlite,Notes=c.text", "--store-type", "Notes=text"]
        _ = try run(["import", stash, "all.ndjson"] + others)
        #expect(try run(["export", stash] + others) == exported)
        #expect(
            try rows("b.sqlite", "SELECT ZNAME || ZCATEGORY FROM ZSYSTEM") == ["Router1"])
        #expect(try rows("b.sqlite", "SELECT ZTITLE FROM ZNOTE") == ["a"])
    }

    @Test func seedsAreLoadedIntoSeveralStoresOnce() throws {
        for (text, name) in [
            (#"{"name":"Router","category":"House"}"#, "System.1"),
            (#"{"name":"House"}"#, "Category.1"),
            (#"{"title":"first"}"#, "Note.1"), (#"{"title":"second"}"#, "Note.2"),
        ] {
            try folder.write(text, to: "\(name).ndjson")
        }
        let options = [
            "--seeds", folder.path, "--store", "Notes=notes.sqlite", "--store",
            "Passwords=passwords.sqlite",
        ]
        let loaded = try run(["import", stash] + options)
        #expect(loaded.split(separator: "\n").count == 4)
        #expect(try run(["import", stash] + options) == "all seeds are loaded already\n")
        let (program, lines) = try serve(
            options[0], options[1], options[2], options[3], options[4], options[5])
        let caller = try Caller(lines)
        #expect(caller.ask("GET", "/Note/count")?.body == "{\"count\":2}")
        #expect(
            caller.ask("GET", "/System?select=name,category.name")?.body
                == #"[{"name":"Router","category.name":"House"}]"#)
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    @Test(arguments: [
        (["--store", "Note=a.sqlite"], "the model has no configuration Note"),
        (["--store", "Notes=a.sqlite"], "no store has the entity Category"),
        (["--store", "a.sqlite", "--store", "Notes=b.xml"], "a.sqlite names no configuration"),
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
        // No file is made for stores that cannot be served.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
