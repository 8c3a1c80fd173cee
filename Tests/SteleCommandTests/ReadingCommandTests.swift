// Commands that keep nothing leave a store that is not Stele's, and its folder, as they were.

import Foundation
import SteleModelFiles
import TestSupport
import Testing

@Suite struct ReadingCommandTests {
    private let folder: TemporaryFolder
    /// TMPDIR of the commands.
    private let place: TemporaryFolder
    /// What lies beside the store of an app.
    enum Beside: CaseIterable { case nothing, rollbackJournalMode, log }

    init() throws {
        folder = try TemporaryFolder()
        place = try TemporaryFolder()
        try folder.write(
            #"{"entities":[{"name":"Person","attributes":[{"name":"name","type":"String"},"#
                + #"{"name":"photo","type":"Binary","externalStorage":true}],"#
                + #""uniquenessConstraints":[["name"]]}]}"#, to: "Staff.json")
        let photo = Data(repeating: 7, count: 200_000).base64EncodedString()
        try folder.write(
            #"{"name":"Ann","photo":"\#(photo)"}"# + "\n" + #"{"name":"Bo"}"#, to: "Person.ndjson")
        try folder.write(#"{"name":"Ann"}"# + "\n" + #"{"name":"Cy"}"#, to: "more/Person.ndjson")
    }

    private func run(
        _ arguments: String...
    ) throws -> (status: Int32, output: String, errors: String) {
        let program = try Program(
            arguments, environment: ["TMPDIR": place.path], folder: folder.path)
        let (status, errors) = program.end()
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [])
        return (status, program.text, errors)
    }

    /// A store with two objects as an app leaves it, and a connection that has it open.
    private func makeAppStore(_ beside: Beside) throws -> RawDatabase? {
        let made = try run("import", "Staff.json", "--store", "app.sqlite", "Person.ndjson")
        try #require(made.status == 0, "\(made.errors)")
        let path = folder.path + "/app.sqlite"
        try makeBareStore(try ModelFile.read(folder.path + "/Staff.json").model(), at: path)
        let database = try RawDatabase(path)
        switch beside {
        case .nothing: return nil
        case .rollbackJournalMode:
            try database.run("PRAGMA journal_mode = DELETE")
            return nil
        case .log:
            try database.run("UPDATE ZPERSON SET ZNAME = 'Di' WHERE ZNAME = 'Bo'")
            return database
        }
    }

    @Test(arguments: Beside.allCases)
    func anExportLeavesTheStoreOfAnAppAsItIs(_ beside: Beside) throws {
        let open = try makeAppStore(beside)
        let before = try FolderState(folder.path)
        let all = try run("export", "Staff.json", "--store", "app.sqlite")
        #expect(all.status == 0, "\(all.errors)")
        let lines = all.output.split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.contains("\"name\":") })
        #expect(lines.first?.contains("BwcHBwcH") == true)
        #expect(all.output.contains("Di") == (beside == .log))
        #expect(try FolderState(folder.path) == before)
        withExtendedLifetime(open) {}
    }

    @Test(arguments: Beside.allCases)
    func aDryRunLeavesTheStoreOfAnAppAsItIs(_ beside: Beside) throws {
        let open = try makeAppStore(beside)
        let before = try FolderState(folder.path)
        func dry(_ options: String...) throws -> (status: Int32, output: String, errors: String) {
            let program = try Program(
                [
                    "import", "Staff.json", "--store", "app.sqlite", "more/Person.ndjson",
                    "--dry-run",
                ]
                    + options, environment: ["TMPDIR": place.path], folder: folder.path)
            let (status, errors) = program.end()
            return (status, program.text, errors)
        }
        let refused = try dry()
        #expect(refused.status == 1 && refused.errors.contains("is already in the store"))
        let updated = try dry("--on-conflict", "update")
        #expect(updated.status == 0, "\(updated.errors)")
        #expect(updated.output.contains("nothing is saved"), "\(updated.output)")
        let inPlace = try dry("--on-conflict", "skip", "--history", "store")
        #expect(inPlace.status == 0, "\(inPlace.errors)")
        #expect(try FolderState(folder.path) == before)
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == [])
        withExtendedLifetime(open) {}
    }

    /// There is no store, or one that is read whole.
    @Test(arguments: ["s.sqlite", "s.xml", "s.binary", "s.text"])
    func aDryRunMakesNoStore(_ store: String) throws {
        let before = try FolderState(folder.path)
        let new = try run(
            "import", "Staff.json", "--store", store, "Person.ndjson", "--dry-run")
        #expect(new.status == 0 && new.output.contains("nothing is saved"), "\(new)")
        #expect(try FolderState(folder.path) == before)
        let nowhere = try run(
            "import", "Staff.json", "--store", "no/\(store)", "Person.ndjson", "--dry-run")
        #expect(nowhere.status == 1 && nowhere.errors.contains("no does not exist"), "\(nowhere)")
        if store == "s.sqlite" { return }
        let made = try run("import", "Staff.json", "--store", store, "Person.ndjson")
        #expect(made.status == 0, "\(made.errors)")
        let whole = try FolderState(folder.path)
        let again = try run(
            "import", "Staff.json", "--store", store, "more/Person.ndjson", "--dry-run",
            "--on-conflict", "update")
        #expect(again.status == 0 && again.output.contains("nothing is saved"), "\(again)")
        let refused = try run(
            "import", "Staff.json", "--store", store, "more/Person.ndjson", "--dry-run")
        #expect(refused.status == 1 && refused.errors.contains("is already in the store"))
        #expect(try FolderState(folder.path) == whole)
    }

    @Test(arguments: Beside.allCases)
    func aCopyLeavesTheStoreOfAnAppAsItIs(_ beside: Beside) throws {
        let open = try makeAppStore(beside)
        func state() throws -> [String: Data] {
            var all: [String: Data] = [:]
            for name in try FolderState(folder.path).names {
                all[name] = try Data(contentsOf: URL(filePath: "\(folder.path)/\(name)"))
            }
            return all
        }
        let before = try state()
        let copies = try TemporaryFolder()
        for type in ["sqlite", "xml"] {
            let copy = "\(copies.path)/copy.\(type)"
            let made = try run(
                "store", "migrate", "Staff.json", "--store", "app.sqlite", "--to", copy)
            #expect(made.status == 0 && made.output.hasPrefix("2 objects in"), "\(made)")
            let all = try run("export", "Staff.json", "--store", copy)
            #expect(all.output.contains(beside == .log ? "Di" : "Bo"), "\(all.output)")
        }
        // External files are shared by links, which change their times.
        #expect(try state() == before)
        withExtendedLifetime(open) {}
    }

    @Test func aStoreOfAnotherVersionIsToldByItsPath() throws {
        _ = try makeAppStore(.nothing)
        try folder.write(
            #"{"entities":[{"name":"Person","attributes":[{"name":"name","type":"String"}]}]}"#,
            to: "Other.json")
        let before = try FolderState(folder.path)
        for command in [["export"], ["import", "more/Person.ndjson", "--dry-run"]] {
            let program = try Program(
                [command[0], "Other.json", "--store", "app.sqlite"] + command.dropFirst(),
                environment: ["TMPDIR": place.path], folder: folder.path)
            let (status, errors) = program.end()
            #expect(status == 1 && errors.hasPrefix("stele: app.sqlite: "), "\(errors)")
            #expect(!errors.contains(place.path), "\(errors)")
        }
        #expect(try FolderState(folder.path) == before)
    }

    @Test func aDryRunTakesNoSeeds() throws {
        let seeds = try run(
            "import", "Staff.json", "--store", "s.sqlite", "--seeds", "more", "--dry-run")
        #expect(seeds.status == 64 && seeds.errors.contains("--dry-run is for files"), "\(seeds)")
    }
}
