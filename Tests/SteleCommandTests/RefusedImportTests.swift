// An import that is refused leaves the folder as it was.

import Foundation
import TestSupport
import Testing

@Suite struct RefusedImportTests {
    private let folder: TemporaryFolder
    private let league = samplePath("League")

    init() throws { folder = try TemporaryFolder() }

    private var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }

    private func load(_ arguments: String...) throws -> (status: Int32, errors: String) {
        let run = try Program.run(["import", league] + arguments, folder: folder.path)
        return (run.status, run.errors)
    }

    @Test(arguments: ["sqlite", "xml", "binary", "text"], [false, true])
    func itLeavesNoStore(_ type: String, _ isTrial: Bool) throws {
        try folder.write("{\"name\":\"A\"}\n{\"nam\":\"B\"}\n", to: "Team.ndjson")
        let flags = ["--store", "new", "--store-type", type] + (isTrial ? ["--dry-run"] : [])
        let run = try Program.run(
            ["import", league] + flags + ["Team.ndjson"], folder: folder.path)
        #expect(run.status == 1 && run.errors.contains("line 2"), "\(run.errors)")
        #expect(files == ["Team.ndjson"], "\(files)")
        try folder.write("{\"name\":\"A\"}\n{\"name\":\"B\"}\n", to: "Team.ndjson")
        #expect(try load("--store", "new", "--store-type", type, "Team.ndjson").status == 0)
        #expect(files.contains("new"))
    }

    @Test func aStoreThatWasThereStays() throws {
        try folder.write("{\"name\":\"A\"}\n", to: "Team.ndjson")
        #expect(try load("--store", "s.sqlite", "Team.ndjson").status == 0)
        let before = files
        try folder.write("{\"nam\":\"A\"}\n", to: "Team.ndjson")
        #expect(try load("--store", "s.sqlite", "Team.ndjson").status == 1)
        #expect(files == before)
        let list = try Program.run("export", league, "--store", "s.sqlite", folder: folder.path)
        #expect(list.status == 0 && list.output.contains("\"A\""), "\(list.errors)")
        // Also one of which nothing was saved yet, and a file that is empty.
        let program = try Program(
            ["serve", league, "--store", "empty.sqlite", "--port", "0"], folder: folder.path)
        _ = program.lines(3)
        #expect(try load("--store", "empty.sqlite", "Team.ndjson").status == 1)
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
        #expect(files.contains("empty.sqlite"))
        try folder.write("", to: "zero.sqlite")
        #expect(try load("--store", "zero.sqlite", "Team.ndjson").status == 1)
        #expect(files.contains("zero.sqlite"))
    }

    @Test func ofSeveralStoresThoseThatAreNewAreNotThereAfterwards() throws {
        let stash = samplePath("Stash")
        let key = ["STELE_ENCRYPTION_KEY": String(repeating: "5e", count: 32)]
        let stores = "Notes=notes.xml,Passwords=passwords.sqlite"
        func load(_ text: String) throws -> (status: Int32, output: String, errors: String) {
            try folder.write(text, to: "Note.ndjson")
            return try Program.run(
                "import", stash, "--store", stores, "--store-type", "Notes=xml", "Note.ndjson",
                environment: key, folder: folder.path)
        }
        let (good, bad) = ("{\"title\":\"A\",\"body\":\"B\"}\n", "{\"titel\":\"A\"}\n")
        let refused = try load(good + bad)
        #expect(refused.status == 1 && refused.errors.contains("line 2"), "\(refused.errors)")
        #expect(files == ["Note.ndjson"], "\(files)")
        let loaded = try load(good)
        #expect(loaded.status == 0, "\(loaded.errors)")
        let all = files
        #expect(all.contains("notes.xml") && all.contains("passwords.sqlite"))
        try FileManager.default.removeItem(atPath: folder.path + "/notes.xml")
        #expect(try load(bad).status == 1)
        #expect(files == all.filter { $0 != "notes.xml" }, "\(files)")
    }

    /// Each number is an import of its own.
    @Test func seedsLeaveAStoreWhereOneIsLoaded() throws {
        try folder.write("{\"name\":5}\n", to: "seeds/Team.1.ndjson")
        #expect(try load("--store", "s.sqlite", "--seeds", "seeds").status == 1)
        #expect(files == ["seeds"], "\(files)")
        let served = try Program.run(
            "serve", league, "--store", "s.sqlite", "--seeds", "seeds", "--port", "0",
            folder: folder.path)
        #expect(served.status == 1 && served.errors.contains("Team.1.ndjson"))
        #expect(files == ["seeds"], "\(files)")
        try folder.write("{\"name\":\"A\"}\n", to: "seeds/Team.1.ndjson")
        try folder.write("{\"name\":5}\n", to: "seeds/Team.2.ndjson")
        #expect(try load("--store", "s.sqlite", "--seeds", "seeds").status == 1)
        #expect(files.contains("s.sqlite"))
        let list = try Program.run("export", league, "--store", "s.sqlite", folder: folder.path)
        #expect(list.status == 0 && list.output.contains("\"A\""), "\(list.errors)")
    }
}
