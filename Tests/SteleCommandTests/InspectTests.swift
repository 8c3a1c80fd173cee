/// `stele inspect`, as a user runs it.

import Foundation
import TestSupport
import Testing

@Suite struct InspectTests {
    private let league = samplePath("League")
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func inspect(
        _ arguments: String...
    ) throws -> (status: Int32, output: String, errors: String) {
        let program = try Program(["inspect"] + arguments, folder: folder.path)
        let (status, errors) = program.end()
        return (status, program.text, errors)
    }

    /// Makes a store of two teams and a player.
    private func make(_ store: String) throws {
        try folder.write(#"{"name":"Reds"}"# + "\n" + #"{"name":"Blues"}"#, to: "Team.ndjson")
        try folder.write(#"{"name":"Ann","team":{"name":"Reds"}}"#, to: "Player.ndjson")
        let made = try Program.run(
            "import", league, "--store", store, "--key", "Team.name", "Team.ndjson",
            "Player.ndjson", folder: folder.path)
        #expect(made.status == 0, "\(made.errors)")
        for file in ["Team.ndjson", "Player.ndjson"] {
            try FileManager.default.removeItem(atPath: folder.path + "/" + file)
        }
    }

    private func lines(_ text: String) -> [String] {
        text.components(separatedBy: "\n").map {
            $0.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
        }
    }

    @Test func checkPrintsOnlyWhatDoesNotAgree() throws {
        try make("s.sqlite")
        func check(_ arguments: String...) throws -> (Int32, String) {
            let run = try Program.run(["check"] + arguments, folder: folder.path)
            return (run.status, run.output)
        }
        #expect(try check("s.sqlite") == (0, "s.sqlite: no differences\n"))
        try RawDatabase(folder.path + "/s.sqlite").run("UPDATE ZPLAYER SET ZTEAM = 77")
        let (status, output) = try check("s.sqlite")
        #expect(status == 1 && lines(output)[0] == "s.sqlite: 1 difference", "\(output)")
        #expect(output.contains("- ZPLAYER.ZTEAM: in 1 row"), "\(output)")
        let both = try check("s.sqlite", "nowhere.sqlite")
        #expect(both.0 == 2 && both.1 == output)
        #expect(try check("nowhere.sqlite").0 == 2)
    }

    /// A model with a composite attribute is in no archive, so the metadata have it.
    @Test func aModelInTheMetadataIsThatOfTheStore() throws {
        try folder.write(
            """
            {"composites":[{"name":"Addr","attributes":[{"name":"city","type":"String"}]}],
             "entities":[{"name":"T","attributes":[
               {"name":"home","type":"Composite","composite":"Addr"},
               {"name":"n","type":"Integer 32"}],
              "relationships":[{"name":"up","destination":"T","inverse":"downs"},
               {"name":"downs","destination":"T","inverse":"up","toMany":true}]}]}
            """, to: "m.json")
        try folder.write(#"{"n":1,"home":{"city":"Ulm"}}"#, to: "T.ndjson")
        let made = try Program.run(
            "import", "m.json", "--store", "s.sqlite", "T.ndjson", folder: folder.path)
        #expect(made.status == 0, "\(made.errors)")
        let whole = try inspect("s.sqlite")
        #expect(whole.status == 0 && !whole.output.contains("not checked"), "\(whole.output)")
        #expect(lines(whole.output).contains("model in the store (Z_METADATA)"))
        try RawDatabase(folder.path + "/s.sqlite").run("UPDATE ZT SET ZN = 'abc', ZUP = 77")
        let alone = try Program.run("check", "s.sqlite", folder: folder.path)
        let given = try Program.run(
            "check", "s.sqlite", "--model", "m.json", folder: folder.path)
        #expect(alone.status == 1 && alone.output == given.output, "\(alone)")
        #expect(lines(alone.output)[0] == "s.sqlite: 2 differences", "\(alone.output)")
    }

    @Test func aStoreIsPrinted() throws {
        try make("s.sqlite")
        let before = try FolderState(folder.path)
        let (status, output, errors) = try inspect("s.sqlite", "--model", league)
        #expect(status == 0 && errors == "", "\(output)\(errors)")
        let found = lines(output)
        for line in [
            "type sqlite", "made by Stele", "framework version 1344",
            "model version no identifier", "model League (current)",
            "version hashes those of the model", "Player 1 1 ZPLAYER", "Team 2 2 ZTEAM",
            "no differences",
        ] {
            #expect(found.contains(line), "\(line)")
        }
        #expect(found.contains { $0.hasPrefix("store s.sqlite, ") && $0.hasSuffix(" bytes") })
        #expect(found.contains { $0.hasPrefix("ZTEAM 2 4096 0 Team") }, "\(output)")
        #expect(output.contains("history            in the store, transactions 1 to "))
        #expect(!output.contains("not checked"))
        let alone = try inspect("s.sqlite")
        #expect(alone.status == 0 && !alone.output.contains("not checked"), "\(alone.output)")
        for line in ["model in the store (Z_MODELCACHE)", "version hashes those of the model"] {
            #expect(lines(alone.output).contains(line), "\(alone.output)")
        }
        #expect(try FolderState(folder.path) == before)
        try RawDatabase(folder.path + "/s.sqlite").run("DELETE FROM Z_MODELCACHE")
        let bare = try inspect("s.sqlite")
        #expect(bare.status == 0 && bare.output.contains("not checked\n- the tables with"))
        #expect(lines(bare.output).contains("model not known"))
    }

    /// The example of the documentation.
    @Test func theDocumentationHasWhatIsPrinted() throws {
        let docs = try packageText("Docs/Operations.md").components(separatedBy: "```")
        let example = try #require(docs.first { $0.contains("league.sqlite, 102400 bytes") })
        let seeds = packageRoot.appending(path: "Config/Seeds/League").path
        let made = try Program.run(
            "import", league, "--store", "league.sqlite", "--key", "Team.name",
            seeds + "/Player.ndjson", seeds + "/Team.ndjson", folder: folder.path)
        #expect(made.status == 0, "\(made.errors)")
        func fixed(_ text: String) -> [String] {
            text.components(separatedBy: "\n").filter {
                !$0.isEmpty && !$0.hasPrefix("UUID ") && !$0.hasPrefix("history ")
            }
        }
        let printed = try inspect("league.sqlite", "--model", league)
        #expect(fixed(printed.output) == fixed(example))
        try RawDatabase(folder.path + "/league.sqlite").run(
            "UPDATE ZPLAYER SET ZTEAM = 9 WHERE Z_PK IN (3, 4); "
                + "UPDATE Z_PRIMARYKEY SET Z_MAX = 15 WHERE Z_ENT = 1")
        let differences = try #require(docs.first { $0.contains("2 differences\n") })
        let damaged = try inspect("league.sqlite", "--model", league)
        #expect(damaged.output.hasSuffix(differences))
    }

    @Test func aStoreIsPrintedAsJSON() throws {
        try make("s.sqlite")
        let (status, output, _) = try inspect("s.sqlite", "--model", league, "--json")
        #expect(status == 0)
        let json = try #require(
            JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: Any])
        #expect(json["type"] as? String == "sqlite" && json["madeByStele"] as? Bool == true)
        #expect(json["model"] as? String == "League" && json["frameworkVersion"] != nil)
        let entities = try #require(json["entities"] as? [[String: Any]])
        #expect(entities.map { $0["objects"] as? Int } == [1, 2])
        let history = try #require(json["history"] as? [String: Any])
        #expect(history["first"] as? Int == 1 && history["beside"] as? Bool == false)
        #expect((history["from"] as? String)?.hasPrefix("20") == true)
        #expect((json["differences"] as? [String]) == [])
        #expect((json["unchecked"] as? [String]) == [])
    }

    @Test func differencesAreToldByTheStatus() throws {
        try make("s.sqlite")
        try RawDatabase(folder.path + "/s.sqlite").run("UPDATE ZPLAYER SET ZTEAM = 9")
        let (status, output, errors) = try inspect("s.sqlite", "--model", league)
        #expect(status == 1 && errors == "")
        #expect(output.hasSuffix("Player.team leads to nothing\n"), "\(output)")
        #expect(output.contains("\n1 difference\n- ZPLAYER.ZTEAM: in 1 row (first: Z_PK 1)"))
        let other = try inspect("s.sqlite", "--model", samplePath("Movies"))
        #expect(other.status == 1 && other.output.contains("the model Movies"))
    }

    @Test(arguments: ["s.xml", "s.binary", "s.text"])
    func aWholeFileIsReadByItsModel(_ store: String) throws {
        try make(store)
        let before = try FolderState(folder.path)
        let (status, output, errors) = try inspect(store, "--model", league)
        #expect(status == 0, "\(errors)")
        let type = String(store.dropFirst(2))
        for line in ["type \(type)", "model League (current)", "Player - 1 -", "no differences"] {
            #expect(lines(output).contains(line), "\(output)")
        }
        let own = try inspect(store)
        #expect(own.status == 0 && own.output.contains("no differences"), "\(own)")
        let other = try inspect(store, "--model", samplePath("Movies"))
        #expect(other.status == 2 && other.errors.contains(store))
        #expect(try FolderState(folder.path) == before)
        let path = folder.path + "/" + store
        let bytes = try Data(contentsOf: URL(filePath: path))
        try bytes.prefix(bytes.count / 2).write(to: URL(filePath: path))
        let half = try inspect(store, "--model", league)
        #expect(half.status == 2 && half.errors.contains(store))
    }

    @Test func aDateWithoutATextInAWholeFileIsNamed() throws {
        try folder.write("#stele text 1\nPlayer|7|name=Ann|joinedAt=1e19\n", to: "s.text")
        let (status, output, errors) = try inspect("s.text", "--model", league)
        #expect(status == 1, "\(errors)")
        let line = "Player.joinedAt: in 1 object (first: 7) the date is beyond the years"
        #expect(output.contains(line), "\(output)")
    }

    @Test func whatIsNoStoreIsRefused() throws {
        try folder.write("hello", to: "hello")
        try folder.write("", to: "empty")
        try FileManager.default.createDirectory(
            atPath: folder.path + "/bare", withIntermediateDirectories: false)
        try RawDatabase(folder.path + "/other.sqlite").run("CREATE TABLE t (a)")
        let cases = [
            ("none.sqlite", "none.sqlite: there is no store"), ("hello", "hello is not a store"),
            ("empty", "empty is not a store"), ("bare", "bare is a folder, and a store is a file"),
            ("other.sqlite", "other.sqlite is an SQLite database, but not a Core Data store"),
            (":memory:", "has no file"),
        ]
        for (file, text) in cases {
            let (status, output, errors) = try inspect(file)
            #expect(status == 2 && output == "" && errors.contains(text), "\(file): \(errors)")
        }
        #expect(try inspect().status == 64)
        #expect(try inspect("hello", "--model", "none").status == 2)
    }

    /// The file and its folder may not be written.
    @Test(.enabled(if: geteuid() == 0, "only the superuser can run a program as another user"))
    func aFolderWithoutWritePermissionIsRead() throws {
        try make("s.sqlite")
        let files = FileManager.default
        try files.setAttributes([.posixPermissions: 0o444], ofItemAtPath: folder.path + "/s.sqlite")
        try files.setAttributes([.posixPermissions: 0o555], ofItemAtPath: folder.path)
        defer { try? files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path) }
        let before = try FolderState(folder.path)
        let program = try Program(
            [
                "--reuid", "65534", "--regid", "65534", "--clear-groups", Program.path, "inspect",
                "s.sqlite", "--model", league,
            ], folder: folder.path, file: "/usr/bin/setpriv")
        let (status, errors) = program.end()
        #expect(status == 0 && program.text.contains("no differences"), "\(errors)")
        #expect(try FolderState(folder.path) == before)
    }
}
