/// A migration beside the store that fails leaves the store as it was.

import Foundation
import SteleModelFiles
import TestSupport
import Testing

@Suite struct FailedMigrationTests {
    private static let failedSync = PreloadedLibrary("FailedSync")

    private let folder: TemporaryFolder

    /// A store of the first of two versions, and a mapping that asks for more than fits.
    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Self.version("age"), to: "Staff/v1.json")
        try folder.write(#"{"age":20000}"#, to: "Person.ndjson")
        try folder.write(
            #"{"mappings":[{"source":"Person","destination":"Person","#
                + #""attributes":{"months":"$source.age * 12"}}]}"#, to: "ages.mapping.json")
        let made = try run("import", "Staff/v1.json", "--store", "s.sqlite", "Person.ndjson")
        try #require(made.status == 0, "\(made.errors)")
    }

    private static func version(_ attribute: String, _ type: String = "Integer 16") -> String {
        #"{"entities":[{"name":"Person","attributes":[{"name":"\#(attribute)","#
            + #""type":"\#(type)"}]}]}"#
    }

    private var store: String { folder.path + "/s.sqlite" }

    private func run(
        _ arguments: String...
    ) throws -> (status: Int32, output: String, errors: String) {
        try Program.run(arguments, folder: folder.path)
    }

    /// The bytes of the files by their names.
    private func files() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return Dictionary(
            uniqueKeysWithValues: names.compactMap { name in
                FileManager.default.contents(atPath: folder.path + "/" + name).map { (name, $0) }
            })
    }

    private func fail() throws {
        try folder.write(Self.version("months"), to: "Staff/v2.json")
        let failed = try run("migrate", "Staff", "--store", "s.sqlite")
        #expect(failed.status == 1 && failed.errors.contains("months of Person"), "\(failed)")
    }

    /// Now the value fits.
    private func succeed() throws {
        try folder.write(Self.version("months", "Integer 32"), to: "Staff/v2.json")
        let done = try run("migrate", "Staff", "--store", "s.sqlite")
        #expect(done.status == 0, "\(done)")
        #expect(try RawDatabase(store).texts("SELECT ZMONTHS FROM ZPERSON") == ["240000"])
    }

    @Test func aStoreKeepsItsSeal() throws {
        let before = try files()
        #expect(before["s.sqlite-seal"] != nil)
        var old = stat()
        var new = stat()
        #expect(stat(store, &old) == 0)
        try fail()
        #expect(try files() == before)
        #expect(stat(store, &new) == 0)
        #expect((old.st_ino, old.st_ctim.tv_nsec) == (new.st_ino, new.st_ctim.tv_nsec))
        try succeed()
    }

    @Test(arguments: [true, false])
    func aStoreOfAnAppIsNotAdopted(_ hasRollbackJournal: Bool) throws {
        try makeBareStore(try ModelFile.read(folder.path + "/Staff/v1.json").model(), at: store)
        if hasRollbackJournal {
            try RawDatabase(store).run("PRAGMA journal_mode = DELETE")
        }
        let before = try files()
        let contents = try RawDatabase(store).texts("SELECT hex(Z_PLIST) FROM Z_METADATA")
        try fail()
        let after = try files()
        #expect(after.keys.sorted() == before.keys.sorted())
        #expect(after == before)
        do {
            let database = try RawDatabase(store)
            let mode = hasRollbackJournal ? "delete" : "wal"
            #expect(try database.texts("PRAGMA journal_mode") == [mode])
            #expect(try database.texts("SELECT hex(Z_PLIST) FROM Z_METADATA") == contents)
            let own = "SELECT name FROM sqlite_master WHERE name LIKE 'STELE%'"
            #expect(try database.texts(own) == [])
        }
        try succeed()
    }

    /// A store of Stele's in the mode that another program has given it, which is migrated in place.
    @Test func aPlanDoesNotChangeAStoreInRollbackJournalMode() throws {
        try RawDatabase(store).run("PRAGMA journal_mode = DELETE")
        try FileManager.default.removeItem(atPath: folder.path + "/ages.mapping.json")
        try folder.write(
            #"{"entities":[{"name":"Person","attributes":[{"name":"age","type":"Integer 16"},"#
                + #"{"name":"name","type":"String","optional":false}]}]}"#, to: "Staff/v2.json")
        let before = try files()
        for command in [
            ["migrate", "Staff"], ["serve", "Staff", "--port", "0"],
            ["serve", "Staff", "--port", "0", "--migrate"],
        ] {
            let refused = try Program(
                command + ["--store", "s.sqlite"], folder: folder.path
            ).end()
            #expect(refused.status == 1, "\(refused.errors)")
            let isSame = try files() == before
            #expect(isSame, "\(command)")
        }
        try folder.write(Self.version("months", "Integer 32"), to: "Staff/v2.json")
        #expect(try run("migrate", "Staff", "--store", "s.sqlite").status == 0)
        #expect(try RawDatabase(store).texts("SELECT COUNT(*) FROM ZPERSON") == ["1"])
    }

    /// The new file is in its place, and no other program has put it there.
    @Test(.enabled(if: PreloadedLibrary.compiler != nil, "there is no C compiler"))
    func aFolderThatCannotBeSyncedIsAnError() throws {
        let place = folder.path + "/stores"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
        try FileManager.default.copyItem(atPath: store, toPath: place + "/s.sqlite")
        try folder.write(Self.version("months", "Integer 32"), to: "Staff/v2.json")
        let failed = try Program.run(
            "migrate", "Staff", "--store", "stores/s.sqlite",
            environment: ["LD_PRELOAD": try Self.failedSync.path.get(), "FAILED_SYNC": place],
            folder: folder.path)
        #expect(failed.status == 1 && !failed.errors.isEmpty, "\(failed)")
        #expect(!failed.output.contains("another program"), "\(failed)")
        let again = try run("migrate", "Staff", "--store", "stores/s.sqlite")
        #expect(again.status == 0 && again.output.contains("nothing is migrated"), "\(again)")
        let months = try RawDatabase(place + "/s.sqlite").texts("SELECT ZMONTHS FROM ZPERSON")
        #expect(months == ["240000"])
    }

    @Test func anAppThatHasItOpenKeepsIt() throws {
        try makeBareStore(try ModelFile.read(folder.path + "/Staff/v1.json").model(), at: store)
        try folder.write(Self.version("months", "Integer 32"), to: "Staff/v2.json")
        do {
            let app = try RawDatabase(store)
            #expect(try app.texts("SELECT COUNT(*) FROM ZPERSON") == ["1"])
            let refused = try run("migrate", "Staff", "--store", "s.sqlite")
            #expect(refused.status == 1, "\(refused)")
            #expect(refused.errors.contains("is open in another program"), "\(refused)")
            try app.run("UPDATE ZPERSON SET ZAGE = 10000")
        }
        #expect(try run("migrate", "Staff", "--store", "s.sqlite").status == 0)
        #expect(try RawDatabase(store).texts("SELECT ZMONTHS FROM ZPERSON") == ["120000"])
    }
}
