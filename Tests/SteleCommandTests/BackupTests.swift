/// Backups of a service and of a store, and putting them back, as a user does it.

import Foundation
import TestSupport
import Testing

@Suite struct BackupTests {
    private let league = samplePath("League")
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func stele(
        _ arguments: String...
    ) throws -> (status: Int32, output: String, errors: String) {
        try Program.run(arguments, folder: folder.path)
    }

    private func serve(
        _ model: String, _ options: [String], _ ask: (Caller) throws -> Void
    ) throws {
        let program = try Program(
            ["serve", model] + options + ["--port", "0"], folder: folder.path)
        try ask(Caller(program.lines(3)))
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    private func json(_ text: String?) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data((text ?? "").utf8)) as? [String: Any])
    }

    private func names(_ place: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(place)")) ?? [])
            .sorted()
    }

    private func teams(_ store: String) throws -> String {
        let (status, output, errors) = try stele(
            "export", league, "--store", store, "--entity", "Team")
        #expect(status == 0, "\(errors)")
        return output
    }

    /// Each type of store; the copy is a store with the objects of that moment.
    @Test(arguments: ["s.sqlite", "s.xml", "s.binary", "s.text"])
    func aServiceMakesABackupWhileItServes(_ store: String) throws {
        var token = ""
        try serve(league, ["--store", store]) { caller in
            #expect(caller.ask("POST", "/Team", #"{"name":"Reds"}"#)?.status == 201)
            let made = try #require(caller.ask("POST", "/backup"))
            #expect(made.status == 201, "\(made.body)")
            let told = try json(made.body)
            #expect(told["files"] as? [String] == [store])
            #expect(try #require(told["bytes"] as? Int) > 100)
            token = told["transaction"] as? String ?? ""
            #expect(caller.ask("POST", "/Team", #"{"name":"Blues"}"#)?.status == 201)
            #expect(caller.ask("POST", "/backup", "{}")?.status == 400)
            #expect(caller.ask("GET", "/backup")?.status == 405)
        }
        #expect(store != "s.sqlite" || token.hasSuffix("-1"))
        let backups = names("\(store)-backups")
        try #require(backups.count == 1 && !backups[0].hasSuffix(".unfinished"), "\(backups)")
        #expect(names("\(store)-backups/\(backups[0])") == [store])
        let copy = try teams("\(store)-backups/\(backups[0])/\(store)")
        #expect(copy.contains("Reds") && !copy.contains("Blues"))
        #expect(try teams(store).contains("Blues"))
    }

    @Test func aStoreInMemoryHasNoBackup() throws {
        try serve(league, ["--store", ":memory:"]) { caller in
            let refused = caller.ask("POST", "/backup")
            #expect(refused?.status == 409 && refused?.body.contains("no file") == true)
        }
    }

    /// Saves go on, and the copy has all saves up to one and none after it.
    @Test func aBackupIsOfOneMoment() throws {
        try serve(league, ["--store", "s.sqlite", "--backups", "kept"]) { caller in
            let saves = DispatchQueue.global()
            let group = DispatchGroup()
            for _ in 0..<2 {
                saves.async(group: group) {
                    for _ in 0..<60 {
                        _ = caller.ask(
                            "POST", "/Team", #"{"name":"T","players":[{"name":"A"},{"name":"B"}]}"#)
                    }
                }
            }
            for _ in 0..<6 { #expect(caller.ask("POST", "/backup")?.status == 201) }
            group.wait()
        }
        let backups = names("kept")
        #expect(backups.count == 6)
        for backup in backups {
            let file = "\(folder.path)/kept/\(backup)/s.sqlite"
            let database = try RawDatabase(file)
            #expect(try database.texts("PRAGMA integrity_check") == ["ok"])
            let numbers = try database.texts(
                """
                SELECT (SELECT COUNT(*) FROM ZTEAM) || ' ' || (SELECT COUNT(*) FROM ZPLAYER) || ' '
                    || (SELECT COUNT(*) FROM ATRANSACTION) || ' '
                    || (SELECT IFNULL(MAX(Z_PK), 0) FROM ATRANSACTION)
                """)[0].split(separator: " ").compactMap { Int($0) }
            try #require(numbers.count == 4)
            #expect(numbers[1] == 2 * numbers[0] && numbers[2] == numbers[0], "\(numbers)")
            #expect(numbers[3] == numbers[2], "\(numbers)")
        }
    }

    /// With external files, and over a store that has gone on.
    @Test func aBackupIsRestored() throws {
        let model = folder.path + "/Photos.json"
        try #"""
        {"entities":[{"name":"Photo","attributes":[{"name":"name","type":"String"},
          {"name":"data","type":"Binary","externalStorage":true,"optional":true}]}]}
        """#.write(toFile: model, atomically: true, encoding: .utf8)
        let photo = String(repeating: "x", count: 300_000)
        try serve(model, ["--store", "s.sqlite"]) { caller in
            #expect(caller.ask("POST", "/Photo", #"{"name":"one"}"#)?.status == 201)
            #expect(caller.ask("PUT", "/Photo/1/data", photo)?.status == 204)
        }
        let made = try stele("backup", "s.sqlite")
        #expect(made.status == 0 && made.output.contains("1 external files"), "\(made)")
        let backup = "s.sqlite-backups/" + (names("s.sqlite-backups").first ?? "")
        let (store, elsewhere) = ("\(folder.path)/s.sqlite", "\(folder.path)/elsewhere")
        try FileManager.default.moveItem(atPath: store, toPath: elsewhere)
        let empty = try Program(
            ["serve", model, "--store", "s.sqlite", "--port", "0"], folder: folder.path)
        #expect(try empty.lines(3)[0].contains(", new)"))
        empty.signal(SIGTERM)
        let errors = empty.end().errors
        #expect(errors.contains("a new store was made, and there are backups of one"), "\(errors)")
        for ending in ["", "-seal", "-lock"] {
            try? FileManager.default.removeItem(atPath: store + ending)
        }
        try FileManager.default.moveItem(atPath: elsewhere, toPath: store)
        try serve(model, ["--store", "s.sqlite"]) { caller in
            #expect(caller.ask("PUT", "/Photo/1/data", "other")?.status == 204)
            #expect(caller.ask("POST", "/Photo", #"{"name":"two"}"#)?.status == 201)
            let refused = try stele("restore", backup, "--store", "s.sqlite")
            #expect(refused.status == 1 && refused.errors.contains("open in another program"))
        }
        let restored = try stele("restore", backup, "--store", "s.sqlite")
        #expect(restored.status == 0, "\(restored.errors)")
        #expect(restored.output.contains("s.sqlite-replaced-1"))
        #expect(names(backup).contains("s.sqlite"))
        try serve(model, ["--store", "s.sqlite"]) { caller in
            #expect(caller.ask("GET", "/Photo/1/data")?.body == photo)
            #expect(caller.ask("GET", "/Photo/2")?.status == 404)
        }
        // What was there is whole.
        try serve(model, ["--store", "s.sqlite-replaced-1/s.sqlite"]) { caller in
            #expect(caller.ask("GET", "/Photo/1/data")?.body == "other")
            #expect(caller.ask("GET", "/Photo/2")?.status == 200)
        }
        let inspected = try stele("inspect", "s.sqlite")
        #expect(inspected.status == 0, "\(inspected.output)")
        // In an empty place.
        try FileManager.default.createDirectory(
            atPath: folder.path + "/new", withIntermediateDirectories: false)
        #expect(try stele("restore", backup, "--store", "new/s.sqlite").status == 0)
        try serve(model, ["--store", "new/s.sqlite"]) { caller in
            #expect(caller.ask("GET", "/Photo/1/data")?.body == photo)
        }
    }

    @Test func whatIsNoWholeBackupIsRefusedAndTheStoreStays() throws {
        for store in ["a.sqlite", "b.sqlite"] {
            try serve(league, ["--store", store]) { caller in
                #expect(caller.ask("POST", "/Team", #"{"name":"\#(store)"}"#)?.status == 201)
            }
        }
        #expect(try stele("backup", "a.sqlite", "--to", "kept").status == 0)
        let file = "kept/\(names("kept")[0])/a.sqlite"
        let before = try Data(contentsOf: URL(filePath: folder.path + "/b.sqlite"))
        let other = try stele("restore", file, "--store", "b.sqlite")
        #expect(other.status == 1 && other.errors.contains("is a backup of the store"))
        var bytes = try Data(contentsOf: URL(filePath: "\(folder.path)/\(file)"))
        for place in stride(from: 8_192, to: 20_480, by: 7) { bytes[place] ^= 0x5A }
        try bytes.write(to: URL(filePath: folder.path + "/damaged.sqlite"))
        let damaged = try stele("restore", "damaged.sqlite", "--store", "a.sqlite")
        #expect(damaged.status == 1, "\(damaged)")
        #expect(try stele("restore", "nowhere", "--store", "a.sqlite").status == 1)
        #expect(try stele("backup", "nowhere").status == 1)
        #expect(try Data(contentsOf: URL(filePath: folder.path + "/b.sqlite")) == before)
        #expect(try teams("a.sqlite").contains("a.sqlite"))
        #expect(!names(".").contains { $0.hasSuffix(".restore") || $0.contains("replaced") })
    }

    /// What a killed command has left: the next one goes on with the same folder.
    @Test func aRestoreAfterAKilledOneGoesOn() throws {
        try serve(league, ["--store", "s.sqlite"]) { caller in
            #expect(caller.ask("POST", "/Team", #"{"name":"Reds"}"#)?.status == 201)
        }
        #expect(try stele("backup", "s.sqlite", "--to", "kept").status == 0)
        let backup = "kept/" + names("kept")[0]
        try serve(league, ["--store", "s.sqlite"]) { caller in
            #expect(caller.ask("POST", "/Team", #"{"name":"Blues"}"#)?.status == 201)
        }
        try folder.write("x", to: "s.sqlite-seal")
        try FileManager.default.createDirectory(
            atPath: folder.path + "/s.sqlite-replaced.part", withIntermediateDirectories: false)
        try folder.write("first", to: "s.sqlite-replaced.part/s.sqlite-journal")
        #expect(try stele("restore", backup, "--store", "s.sqlite").status == 0)
        #expect(
            names("s.sqlite-replaced-1") == ["s.sqlite", "s.sqlite-journal", "s.sqlite-seal"])
        let now = try teams("s.sqlite")
        #expect(now.contains("Reds") && !now.contains("Blues"))
        #expect(try teams("s.sqlite-replaced-1/s.sqlite").contains("Blues"))
        #expect(!names(".").contains { $0.contains("restoring") || $0.hasSuffix(".part") })
        // One that was killed after the file was replaced: what it has kept is not lost.
        try FileManager.default.moveItem(
            atPath: folder.path + "/s.sqlite-replaced-1",
            toPath: folder.path + "/s.sqlite-replaced.part")
        #expect(try stele("restore", backup, "--store", "s.sqlite").status == 0)
        #expect(names("s.sqlite-replaced-1").contains("s.sqlite-seal-2"))
        #expect(try teams("s.sqlite-replaced-1/s.sqlite").contains("Blues"))
        #expect(try !teams("s.sqlite").contains("Blues"))
    }

    /// What SQLite would apply to the restored file moves away with the old store.
    @Test func aJournalOfAStoreThatIsGoneStaysOutOfTheRestoredOne() throws {
        try serve(league, ["--store", "s.sqlite"]) { caller in
            #expect(caller.ask("POST", "/Team", #"{"name":"Reds"}"#)?.status == 201)
        }
        #expect(try stele("backup", "s.sqlite", "--to", "kept").status == 0)
        let backup = "kept/\(names("kept")[0])/s.sqlite"
        for file in names(".") where file.hasPrefix("s.sqlite") {
            try FileManager.default.removeItem(atPath: "\(folder.path)/\(file)")
        }
        try folder.write("journal", to: "s.sqlite-journal")
        // By a link: what is beside the file that it leads to counts.
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/link", withDestinationPath: backup)
        let restored = try stele("restore", "link", "--store", "s.sqlite")
        #expect(restored.status == 0, "\(restored.errors)")
        #expect(names("s.sqlite-replaced-1") == ["s.sqlite-journal"])
        #expect(try teams("s.sqlite").contains("Reds"))
    }

    @Test func whatIsNoStoreIsNotReplaced() throws {
        try serve(league, ["--store", "s.sqlite"]) { caller in
            #expect(caller.ask("POST", "/Team", #"{"name":"Reds"}"#)?.status == 201)
        }
        #expect(try stele("backup", "s.sqlite", "--to", "kept").status == 0)
        let backup = "kept/\(names("kept")[0])"
        try folder.write("notes", to: "notes.txt")
        try FileManager.default.createDirectory(
            atPath: folder.path + "/place", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/dangling", withDestinationPath: "nowhere/s.sqlite")
        try RawDatabase(folder.path + "/other.sqlite").run("CREATE TABLE t (a)")
        // A folder and a file of a user with names like those of the command.
        try folder.write("mine", to: "s.sqlite.restore")
        try folder.write("mine", to: "kept/song.unfinished")
        let before = names(".")
        for target in ["notes.txt", "place", "dangling", "other.sqlite"] {
            let refused = try stele("restore", backup, "--store", target)
            #expect(refused.status == 1 && refused.errors.contains(target), "\(refused.errors)")
        }
        #expect(names(".") == before)
        #expect(try stele("restore", backup, "--store", "s.sqlite").status == 0)
        #expect(names(".").contains("s.sqlite.restore"))
        #expect(names("kept").contains("song.unfinished"))
    }

    /// Two stores of one stem share the folder of external files.
    @Test func externalFilesOfAnotherStoreAreNotTaken() throws {
        let model = folder.path + "/Photos.json"
        try Self.photos.write(toFile: model, atomically: true, encoding: .utf8)
        let photo = String(repeating: "x", count: 300_000)
        for store in ["a.sqlite", "a.db"] {
            try serve(model, ["--store", store]) { caller in
                #expect(caller.ask("POST", "/Photo", #"{"name":"one"}"#)?.status == 201)
                #expect(caller.ask("PUT", "/Photo/1/data", photo)?.status == 204)
            }
        }
        #expect(try stele("backup", "a.sqlite", "--to", "kept").status == 0)
        let backup = "kept/\(names("kept")[0])"
        let refused = try stele("restore", backup, "--store", "a.sqlite")
        #expect(refused.status == 1 && refused.errors.contains("a.db"), "\(refused.errors)")
        try serve(model, ["--store", "a.db"]) { caller in
            #expect(caller.ask("GET", "/Photo/1/data")?.body == photo)
        }
        // A backup without its external files is incomplete.
        try FileManager.default.copyItem(
            atPath: "\(folder.path)/\(backup)/a.sqlite", toPath: folder.path + "/alone.sqlite")
        let alone = try stele("restore", "alone.sqlite", "--store", "new.sqlite")
        #expect(alone.status == 1 && alone.errors.contains("1 external files"), "\(alone.errors)")
    }

    /// Stores of one file name are in folders of their own.
    @Test func severalStoresAreBackedUpTogether() throws {
        let model = folder.path + "/Two.json"
        try #"""
        {"entities":[{"name":"Note","attributes":[{"name":"text","type":"String"}]},
          {"name":"Key","attributes":[{"name":"word","type":"String"}]}],
         "configurations":[{"name":"Notes","entities":["Note"]},
              {"name":"Keys","entities":["Key"]}]}
        """#.write(toFile: model, atomically: true, encoding: .utf8)
        for place in ["x", "y"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(place)", withIntermediateDirectories: false)
        }
        let options = ["--store", "Notes=x/s.sqlite", "--store", "Keys=y/s.sqlite"]
        try serve(model, options + ["--backups", "kept"]) { caller in
            #expect(caller.ask("POST", "/Note", #"{"text":"a"}"#)?.status == 201)
            #expect(caller.ask("POST", "/Key", #"{"word":"b"}"#)?.status == 201)
            let made = try #require(caller.ask("POST", "/backup"))
            #expect(made.status == 201, "\(made.body)")
            let metrics = caller.ask("GET", "/metrics")?.body ?? ""
            let series = metrics.split(separator: "\n").filter { $0.hasPrefix("stele_store_file") }
                .map { $0.prefix { $0 != " " } }
            #expect(series.count == 4 && Set(series).count == 4, "\(series)")
        }
        let backup = "kept/\(names("kept")[0])"
        #expect(names(backup) == ["Keys", "Notes"])
        for (place, table) in [("Notes", "ZNOTE"), ("Keys", "ZKEY")] {
            let database = try RawDatabase("\(folder.path)/\(backup)/\(place)/s.sqlite")
            #expect(try database.texts("SELECT COUNT(*) FROM \(table)") == ["1"])
        }
        for place in [backup, "\(backup)/"] {
            let checked = try stele("check", place)
            let lines = checked.output.split(separator: "\n")
            #expect(
                checked.status == 0 && lines.count == 2 && lines[0].contains("/Keys/s.sqlite: "),
                "\(checked)")
        }
        // Each is put back from its own folder.
        let refused = try stele("restore", backup, "--store", "x/s.sqlite")
        #expect(refused.status == 1)
        #expect(
            refused.errors.contains("name one of \(backup)/Keys, \(backup)/Notes"),
            "\(refused.errors)")
        #expect(try stele("restore", "\(backup)/Notes", "--store", "x/s.sqlite").status == 0)
    }

    private static let photos = #"""
        {"entities":[{"name":"Photo","attributes":[{"name":"name","type":"String"},
          {"name":"data","type":"Binary","externalStorage":true,"optional":true}]}]}
        """#
}
