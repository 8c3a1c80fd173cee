/// The type of a store: by setting, by name, by first bytes.

import Foundation
import TestSupport
import Testing

@Suite struct StoreTypeTests {
    private let league = samplePath("League")
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Serves a store, inserts a team, and ends; the first line that was printed, and the number of
    /// teams after it.
    @discardableResult
    private func serve(
        _ options: String..., environment: [String: String] = [:]
    ) throws -> (line: String, teams: String) {
        let program = try Program(
            ["serve", league, "--port", "0"] + options, environment: environment,
            folder: folder.path)
        let lines = program.lines(3)
        guard lines.count == 3 else { return (program.end().errors, "") }
        let caller = try Caller(lines)
        _ = caller.ask("POST", "/Team", "{\"name\":\"A|b\"}")
        let teams = caller.ask("GET", "/Team/count")?.body ?? ""
        let index = caller.ask("GET", "/")?.json as? [String: Any]
        let type = index?["store"] as? String ?? ""
        // A store that this service has made is new.
        #expect(lines[0].hasSuffix(teams == "{\"count\":1}" ? "(\(type), new)" : "(\(type))"))
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
        return (lines[0], teams)
    }

    @Test(arguments: [
        ("a.xml", "xml"), ("a.txt", "text"), ("a.binary", "binary"), ("a.sqlite", "sqlite"),
        ("a", "sqlite"),
    ])
    func theNameTellsTheTypeOfANewStore(_ name: String, _ type: String) throws {
        let (line, teams) = try serve("--store", name)
        #expect(line == "League, 2 entities, from \(name) (\(type), new)")
        #expect(teams == "{\"count\":1}")
        #expect(try serve("--store", name).teams == "{\"count\":2}")
        // The first bytes win over the name.
        let other = folder.path + "/other.txt"
        try FileManager.default.moveItem(atPath: folder.path + "/" + name, toPath: other)
        #expect(try serve("--store", other).line.hasSuffix("other.txt (\(type))"))
    }

    @Test func theSettingTellsTheType() throws {
        #expect(try serve("--store-type", "text").line.hasSuffix("from League.txt (text, new)"))
        #expect(try serve("--store", "League.txt").teams == "{\"count\":2}")
        let line = try serve(environment: ["STELE_STORE_TYPE": "XML"]).line
        #expect(line.hasSuffix("from League.xml (xml, new)"))
        #expect(
            try serve("--store", "b.xml", "--store-type", "binary").line.hasSuffix("(binary, new)"))
        #expect(try serve().line.hasSuffix("from League.sqlite (sqlite, new)"))
    }

    @Test func aStoreInMemoryHasNoFile() throws {
        for options in [["--store", ":memory:"], ["--store-type", "memory"]] {
            for _ in 0..<2 {
                let program = try Program(
                    ["serve", league, "--port", "0"] + options, folder: folder.path)
                let lines = program.lines(3)
                #expect(lines.first == "League, 2 entities, from :memory: (memory)")
                let caller = try Caller(lines)
                #expect(
                    caller.ask("POST", "/Team", "{\"name\":\"A\"}")?.body.contains("\"_id\":1")
                        == true)
                program.signal(SIGTERM)
                #expect(program.end().status == 0)
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func contradictionsAreRefusedAndNameBoth() throws {
        try serve("--store", "a.xml")
        let path = folder.path + "/a.xml"
        #expect(
            try serve("--store", path, "--store-type", "text").line
                == "stele: \(path) is a store of the type xml, not text: leave --store-type out, "
                + "or name another file\n")
        #expect(
            try serve("--store", ":memory:", "--store-type", "xml").line
                .contains(":memory: is a store of the type memory, not xml"))
        #expect(
            try serve("--store", "a.xml", "--store-type", "memory").line
                .contains("type memory has no file, and --store names a.xml"))
        #expect(
            try serve("--store-type", "json").line
                == "stele: store-type must be one of sqlite, memory, binary, text, xml, not json\n")
    }

    /// It does not begin as one that a store has written, so its name tells its type.
    @Test func aTextStoreThatWasWrittenByHandIsReadByAllCommands() throws {
        let store = try folder.write("Team|1|name=A\nTeam|2|name=B\n", to: "hand.text")
        for arguments in [
            ["export", league, "--store", store, "--read-only"],
            ["check", store, "--model", league], ["inspect", store, "--model", league],
            ["store", "metadata", league, "--store", store], ["backup", store],
            ["store", "migrate", league, "--store", store, "--to", folder.path + "/c.sqlite"],
        ] {
            let (status, output, errors) = try Program.run(arguments, folder: folder.path)
            #expect(status == 0 && !output.isEmpty, "\(arguments): \(errors)")
        }
        #expect(try serve("--store", "c.sqlite").teams == "{\"count\":3}")
        let other = try folder.write("Team|1|name=A\n", to: "hand.sqlite")
        let refused = try Program.run(["check", other, "--model", league])
        #expect(refused.status == 2 && refused.errors.contains("hand.sqlite is not a store"))
    }

    @Test func anImportWritesEachType() throws {
        let file = try folder.write("{\"name\":\"A\"}\n{\"name\":\"B\"}\n", to: "team.ndjson")
        for type in ["xml", "text", "binary", "sqlite"] {
            let store = folder.path + "/imported." + type
            let (status, _, errors) = try Program.run("import", league, "--store", store, file)
            #expect(status == 0, "\(errors)")
            #expect(try serve("--store", store).teams == "{\"count\":3}")
        }
        let store = folder.path + "/given"
        let given = try Program.run(
            "import", league, "--store", store, "--store-type", "text", file)
        #expect(given.status == 0)
        #expect(try serve("--store", store).line.hasSuffix("(text)"))
    }
}
