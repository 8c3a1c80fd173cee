// What commands say of files that they cannot use, and of what they ignore.

import Foundation
import TestSupport
import Testing

@Suite struct MessageTests {
    private let league = samplePath("League")
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs the program for ten seconds at most; then the status is 124, or 137.
    private func run(_ arguments: String...) throws -> (
        status: Int32, output: String, errors: String
    ) {
        let program = try Program(
            ["-k", "1", "10", Program.path] + arguments, folder: folder.path,
            file: "/usr/bin/timeout")
        let (status, errors) = program.end()
        return (status, program.text, errors)
    }

    /// Serves, and returns the first line and what stands on standard error.
    private func serve(_ arguments: String...) throws -> (line: String, errors: String) {
        let program = try Program(["serve"] + arguments + ["--port", "0"], folder: folder.path)
        let lines = program.lines(3)
        program.signal(SIGTERM)
        let (status, errors) = program.end()
        #expect(status == 0, "\(errors)")
        return (lines.first ?? "", errors)
    }

    private func make(_ store: String) throws {
        let seeds = league.replacing("Models/League.xcdatamodeld", with: "Seeds/League")
        let made = try run(
            "import", league, "--store", store, "--key", "Team.name", "\(seeds)/Team.ndjson",
            "\(seeds)/Player.ndjson")
        #expect(made.status == 0, "\(made.errors)")
    }

    @Test func whatAModelHasWithoutEffectIsLogged() throws {
        let text = """
            <model><entity name="A" allowsMagic="YES"><attribute name="a" attributeType="String" \
            optional="YES" colour="red"/></entity></model>
            """
        try folder.write(text, to: "M.xcdatamodel/contents")
        let (_, errors) = try serve("M.xcdatamodel", "--store", "s.sqlite")
        let warnings = errors.split(separator: "\n").filter { $0.contains(" warning ") }
        #expect(warnings.count == 2, "\(errors)")
        #expect(errors.contains("A.a: the attribute colour"), "\(errors)")
        #expect(try !serve(league, "--store", "l.sqlite").errors.contains(" warning "))
    }

    @Test func anIncompleteCopyIsNamedWithItsSize() throws {
        try make("s.sqlite")
        let path = folder.path + "/s.sqlite"
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(bytes.count > 20_000)
        try bytes.prefix(20_000).write(to: URL(fileURLWithPath: path))
        for arguments in [["serve", league, "--store"], ["inspect"], ["serve"]] {
            let program = try Program(
                ["-k", "1", "10", Program.path] + arguments + ["s.sqlite"], folder: folder.path,
                file: "/usr/bin/timeout")
            let (status, errors) = program.end()
            let said = errors + program.text
            #expect(status == 1 || status == 2)
            #expect(said.contains("is damaged, or an incomplete copy"), "\(arguments) \(said)")
            #expect(
                said.contains("it has 20000 bytes, and its header says \(bytes.count)"), "\(said)")
            #expect(said.contains("use another copy"), "\(said)")
        }
    }

    @Test func aFileThatIsNoModelIsNamed() throws {
        try folder.write("", to: "empty.sqlite")
        let empty = try run("serve", "empty.sqlite", "--read-only")
        #expect(empty.status == 1)
        #expect(empty.errors.contains("empty.sqlite: the file is empty"), "\(empty.errors)")
        // A store that was written by hand.
        try folder.write("#stele text 1\nTeam|1|name=Leeds\n", to: "s.text")
        for command in ["serve", "model"] {
            let found = try run(command, "s.text")
            #expect(found.status == 1)
            #expect(
                found.errors.contains("s.text: the store does not have its model")
                    && found.errors.contains("--store"), "\(found.errors)")
        }
    }

    @Test func aNewStoreIsCalledNew() throws {
        #expect(try serve(league, "--store", "s.sqlite").line.hasSuffix("(sqlite, new)"))
        #expect(try serve(league, "--store", "s.sqlite").line.hasSuffix("(sqlite)"))
        let stash = samplePath("Stash")
        let stores = ["Notes=notes.sqlite", "Passwords=passwords.sqlite"]
        for (given, ending) in [
            (stores[0] + "," + stores[1], "(sqlite, new)"),
            (stores[0] + ",Passwords=p.sqlite", "(sqlite, new: p.sqlite)"),
        ] {
            let program = try Program(
                ["serve", stash, "--port", "0", "--store", given],
                environment: ["STELE_ENCRYPTION_KEY": String(repeating: "5e", count: 32)],
                folder: folder.path)
            let line = program.lines(3).first ?? ""
            #expect(line.hasSuffix(ending), "\(line)")
            program.signal(SIGTERM)
            _ = program.end()
        }
    }

    /// A store of another model is served with its own.
    @Test func aStoreOfAnotherModelNamesItsOwn() throws {
        try make("s.sqlite")
        let hint = "stele serve s.sqlite serves the store with its own model"
        for model in [samplePath("Tasks"), samplePath("LeagueManager")] {
            let found = try run("serve", model, "--store", "s.sqlite")
            #expect(found.status == 1 && found.errors.contains(hint), "\(found.errors)")
        }
        // One whose version is known is migrated, or served so.
        let text = try String(
            contentsOfFile: league + "/League.xcdatamodel/contents", encoding: .utf8)
        try folder.write(text, to: "L.xcdatamodeld/L.xcdatamodel/contents")
        try folder.write(
            text.replacing(
                "<entity name=\"Team\"", with: "<entity name=\"Fan\"/><entity name=\"Team\""),
            to: "L.xcdatamodeld/L 2.xcdatamodel/contents")
        let offered = try run("serve", "L.xcdatamodeld", "--store", "s.sqlite")
        #expect(offered.status == 1 && offered.errors.contains("--migrate"), "\(offered.errors)")
        #expect(offered.errors.contains(hint), "\(offered.errors)")
    }

    /// Opening a named pipe would wait for a writer.
    @Test func whatIsNoFileIsRefused() throws {
        try #require(mkfifo(folder.path + "/f.sqlite", 0o600) == 0)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link", withDestinationPath: "f.sqlite")
        let places = [
            ("f.sqlite", "a named pipe"), ("link", "a named pipe"), ("/dev/zero", "a device"),
        ]
        for (place, words) in places {
            for arguments in [
                ["inspect", place], ["serve", place], ["model", place], ["diff", league, place],
                ["serve", league, "--store", place], ["export", league, "--store", place],
                ["store", "metadata", "--store", place], ["migrate", league, "--store", place],
            ] {
                let program = try Program(
                    ["-k", "1", "10", Program.path] + arguments, folder: folder.path,
                    file: "/usr/bin/timeout")
                let (status, errors) = program.end()
                #expect(status == 1 || status == 2, "\(arguments): \(status) \(errors)")
                #expect(errors.contains("is \(words)"), "\(arguments): \(errors)")
            }
        }
    }

    @Test func severalStoresAreInspected() throws {
        for store in ["a.sqlite", "b.sqlite"] { try make(store) }
        let both = try run("inspect", "a.sqlite", "b.sqlite")
        #expect(both.status == 0 && both.errors.isEmpty)
        #expect(both.output.hasPrefix("a.sqlite\nstore "))
        #expect(both.output.contains("\n\nb.sqlite\nstore "), "\(both.output)")
        let json = try run("inspect", "--json", "a.sqlite", "b.sqlite")
        let list =
            try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]]
        #expect(list?.count == 2)
        let more = try run("inspect", "a.sqlite", "none.sqlite", "b.sqlite")
        #expect(more.status == 2 && more.errors.contains("none.sqlite: there is no store"))
        #expect(more.output == both.output)
        try RawDatabase(folder.path + "/b.sqlite").run("UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
        #expect(try run("inspect", "a.sqlite", "b.sqlite").status == 1)
    }
}
