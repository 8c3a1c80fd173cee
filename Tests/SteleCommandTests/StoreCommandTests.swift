/// `stele store`, as a user runs it.

import Foundation
import TestSupport
import Testing

@Suite struct StoreCommandTests {
    private let league = samplePath("League")
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func stele(
        _ arguments: String...
    ) throws -> (status: Int32, output: String, errors: String) {
        try Program.run(arguments, folder: folder.path)
    }

    @Test func noPasswordOfAURLIsPrinted() throws {
        let url = "://joe:TOPSECRET@db.invalid/shop"
        for arguments in [
            ["serve", league, "--store", "postgresq" + url], ["serve", "postgresql" + url],
            ["model", "postgresql" + url], ["export", league, "--store", "postgresql" + url],
            ["serve", league, "--store", "postgresql://joe:x/TOPSECRET@db.invalid/shop"],
        ] {
            let (status, output, errors) = try Program.run(arguments, folder: folder.path)
            #expect(status != 0, "\(arguments)")
            #expect(!(output + errors).contains("TOPSECRET"), "\(errors)")
        }
        let (_, _, errors) = try stele("serve", league, "--store", "postgresq" + url)
        #expect(errors.contains("postgresq://…@db.invalid/shop"), "\(errors)")
        #expect(errors.contains("begins with postgresql://"), "\(errors)")
    }

    private func serve(_ options: [String], _ ask: (Caller) throws -> Void) throws {
        let program = try Program(
            ["serve"] + options + ["--port", "0"], folder: folder.path)
        try ask(Caller(program.lines(3)))
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    /// Makes a store of two teams and a player, whose last team is deleted, with metadata.
    private func make(_ store: String) throws {
        try serve([league, "--store", store]) { caller in
            let teams =
                #"[{"name":"Reds","players":[{"name":"Ann"}]},{"name":"Blues"},{"name":"Greens"}]"#
            #expect(caller.ask("POST", "/Team", teams)?.status == 201)
            #expect(caller.ask("DELETE", "/Team/3")?.status == 204)
            let set = caller.ask("PATCH", "/metadata", #"{"release":3}"#)
            #expect(set?.body.contains(#""release":3"#) == true)
        }
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private static let stores = ["s.sqlite", "s.xml", "s.binary", "s.text"]

    @Test(arguments: stores)
    func metadataIsPrintedAndSet(_ store: String) throws {
        try make(store)
        let model = store == "s.sqlite" ? [] : [league]
        func metadata(_ more: String...) throws -> (Int32, [String: Any], String) {
            let program = try Program(
                ["store", "metadata"] + model + ["--store", store] + more, folder: folder.path)
            let (status, errors) = program.end()
            let json = try? JSONSerialization.jsonObject(with: Data(program.text.utf8))
            return (status, json as? [String: Any] ?? [:], errors)
        }
        let (_, first, _) = try metadata()
        #expect(first["release"] as? Int == 3)
        #expect((first["NSStoreUUID"] as? String)?.utf8.count == 36)
        let (status, set, _) = try metadata(
            "--set", "release=4", "--set", "owner=Ann Lee", "--set", #"list=[1,"2"]"#)
        #expect(status == 0 && set["release"] as? Int == 4)
        #expect(set["owner"] as? String == "Ann Lee" && (set["list"] as? [Any])?.count == 2)
        #expect(try metadata("--remove", "list").1["list"] == nil)
        let (failed, _, told) = try metadata("--remove", "onwer", "--set", "x=1")
        #expect(failed == 1 && told.contains("no key onwer; did you mean owner?"))
        let (refused, _, why) = try metadata("--set", "NSStoreType=x")
        #expect(refused == 1 && why.contains("read-only"))
        for wrong in ["x", "=1", "x=null"] {
            let (status, _, _) = try metadata("--set", wrong)
            #expect(status == 64)
        }
        try serve([league, "--store", store]) { caller in
            let body = caller.ask("GET", "/metadata")?.body ?? ""
            #expect(body.contains(#""owner":"Ann Lee","release":4}"#))
            if store == "s.sqlite" {
                // A running service sees what another program sets.
                let (status, _, _) = try metadata("--set", "live=true")
                #expect(status == 0)
                #expect(caller.ask("GET", "/metadata")?.body.contains(#""live":true"#) == true)
            } else {
                let (_, _, errors) = try metadata("--set", "live=true")
                #expect(errors.contains("is open already"))
            }
        }
    }

    @Test(arguments: stores)
    func metadataSurvivesAMigration(_ store: String) throws {
        let first = #"{"entities":[{"name":"A","attributes":[{"name":"a","type":"String"}]}]}"#
        let second =
            #"{"entities":[{"name":"A","attributes":[{"name":"a","type":"String"},"#
            + #"{"name":"b","type":"String"}]}]}"#
        try folder.write(first, to: "M/v1.json")
        try serve(["M", "--store", store]) { caller in
            #expect(caller.ask("POST", "/A", #"{"a":"x"}"#)?.status == 201)
            #expect(caller.ask("PATCH", "/metadata", #"{"release":3}"#)?.status == 200)
        }
        try folder.write(second, to: "M/v2.json")
        // Before it is migrated: the model is not current.
        let old = try stele("store", "metadata", "M", "--store", store, "--set", "old=1")
        #expect(old.status == 0 && old.output.contains(#""old": 1"#))
        let info = try stele("inspect", store, "--model", "M")
        #expect(info.output.contains("model              v1\n"))
        #expect(try stele("migrate", "M", "--store", store).status == 0)
        let now = try stele("store", "metadata", "M", "--store", store)
        #expect(now.output.contains(#""old": 1"#) && now.output.contains(#""release": 3"#))
        #expect(try stele("inspect", store, "--model", "M").output.contains("v2 (current)"))
    }

    @Test(arguments: stores, stores)
    func aStoreIsCopied(_ from: String, _ to: String) throws {
        try make(from)
        let new = "new-" + to
        let copied = try stele("store", "migrate", league, "--store", from, "--to", new)
        #expect(copied.status == 0, "\(copied.errors)")
        #expect(copied.output.hasPrefix("3 objects in \(new) ("))
        #expect(try files() == [from, new].sorted())
        func content(_ store: String) throws -> [String] {
            var bodies: [String] = []
            try serve([league, "--store", store]) { caller in
                let list = "/Team?select=_id,name,players&sort=_id"
                bodies.append(caller.ask("GET", list)?.body ?? "")
                bodies.append(caller.ask("GET", "/Player?select=_id,name,team")?.body ?? "")
                let metadata = caller.ask("GET", "/metadata")?.json as? [String: Any]
                bodies.append("\(metadata?["release"] ?? "")\(metadata?["NSStoreUUID"] ?? "")")
                bodies.append(
                    caller.ask("POST", "/Team", #"{"name":"Golds"}"#)?.body.prefix(8).description
                        ?? "")
            }
            return bodies
        }
        let made = try content(new)
        #expect(made == (try content(from)))
        #expect(made.last == #"{"_id":4"#)
        let again = try stele("store", "migrate", league, "--store", from, "--to", new)
        #expect(again.status == 1 && again.errors.contains("\(new) exists"))
    }

    @Test(.enabled(if: PostgreSQLServer.shared != nil))
    func aStoreMovesToADatabaseAndBack() throws {
        let server = try #require(PostgreSQLServer.shared)
        let url = try server.url(path: UUID().uuidString)
        let other = try server.url(path: UUID().uuidString)
        try make("s.sqlite")
        func move(_ from: String, _ to: String) throws -> (Int32, String, String) {
            let it = try stele("store", "migrate", league, "--store", from, "--to", to)
            return (it.status, it.output, it.errors)
        }
        let (status, told, errors) = try move("s.sqlite", url)
        #expect(status == 0 && told.hasPrefix("3 objects in postgresql://"), "\(errors)")
        #expect(try move(url, other).0 == 0 && move(other, "back.sqlite").0 == 0)
        let exports = try ["s.sqlite", "back.sqlite"].map {
            try stele("export", league, "--store", $0).output
        }
        #expect(exports[0] == exports[1] && exports[0].utf8.count > 100)
        func metadata(_ store: String) throws -> String {
            let all = try stele("store", "metadata", league, "--store", store).output
            return all.split(separator: "\n").filter {
                $0.contains("UUID") || $0.contains("release")
            }
            .joined()
        }
        #expect(try metadata("s.sqlite") == metadata("back.sqlite"))
        let (again, _, why) = try move("s.sqlite", url)
        #expect(again == 1 && why.contains("has a store already: name an empty schema"))
        // A schema that is read is not made a store.
        let empty = try move(server.url(path: UUID().uuidString), "none.sqlite")
        #expect(empty.0 == 1 && empty.2.contains("has no store in its schema"))
        // The key of the deleted team is not given again.
        try serve([league, "--store", url]) { caller in
            let body = caller.ask("POST", "/Team", #"{"name":"Golds"}"#)?.body ?? ""
            #expect(body.hasPrefix(#"{"_id":4"#))
        }
    }

    private static let items =
        #"{"entities":[{"name":"Item","attributes":[{"name":"name","type":"String"},"#
        + #"{"name":"photo","type":"Binary","externalStorage":true}]}]}"#

    /// Makes a store of items with photos in external files.
    private func makeItems(_ count: Int) throws {
        try folder.write(Self.items, to: "M.json")
        let lines = (1...count).map { number in
            let photo = Data(repeating: UInt8(truncatingIfNeeded: number), count: 150_000)
            return #"{"name":"Item \#(number)","photo":"\#(photo.base64EncodedString())"}"#
        }
        try folder.write(lines.joined(separator: "\n"), to: "Item.ndjson")
        let made = try stele("import", "M.json", "Item.ndjson", "--store", "s.sqlite")
        #expect(made.status == 0, "\(made.errors)")
        try FileManager.default.removeItem(atPath: folder.path + "/Item.ndjson")
    }

    private func export(_ store: String) throws -> String {
        try stele("export", "M.json", "--store", store).output
    }

    @Test(arguments: stores)
    func externalFilesAreCopied(_ to: String) throws {
        try makeItems(3)
        let before = try export("s.sqlite")
        #expect(before.utf8.count > 600_000)
        let new = "new-" + to
        let copied = try stele("store", "migrate", "M.json", "--store", "s.sqlite", "--to", new)
        #expect(copied.status == 0, "\(copied.errors)")
        #expect(try export(new) == before)
        let folders = try files().filter { $0.hasSuffix("_SUPPORT") }
        #expect(folders == (to == "s.sqlite" ? [".new-s_SUPPORT", ".s_SUPPORT"] : [".s_SUPPORT"]))
        for folder in folders {
            let path = "\(self.folder.path)/\(folder)"
            #expect(!FileManager.default.fileExists(atPath: path + "/STELE_MOVING"))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: path + "/_EXTERNAL_DATA").count
                    == 3)
        }
        // Stores of the same name would share the folder.
        if to == "s.sqlite" {
            let shared = try stele(
                "store", "migrate", "M.json", "--store", "s.sqlite", "--to", "s.db")
            #expect(shared.status == 1 && shared.errors.contains("of another store"))
            #expect(try export("s.sqlite") == before)
            #expect(try !files().contains { $0.hasSuffix(".migration") || $0 == "s.db" })
        }
    }

    @Test func aKilledCopyLeavesNothingAndStartingAgainFinishes() throws {
        try makeItems(40)
        let before = try export("s.sqlite")
        var kills = 0
        // The moments are spread over the time that the copy takes here.
        let start = ContinuousClock.now
        #expect(
            try stele("store", "migrate", "M.json", "--store", "s.sqlite", "--to", "first.sqlite")
                .status == 0)
        let time = (ContinuousClock.now - start) / .microseconds(1)
        for _ in 0..<12 {
            let program = try Program(
                ["store", "migrate", "M.json", "--store", "s.sqlite", "--to", "new.sqlite"],
                folder: folder.path)
            usleep(.random(in: 1_000...max(2_000, UInt32(time))))
            program.signal(SIGKILL)
            if program.end().status != 0 { kills += 1 }
            guard try files().contains("new.sqlite") else { continue }
            #expect(try export("new.sqlite") == before)
            for name in ["new.sqlite", ".new_SUPPORT"] {
                try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)")
            }
        }
        #expect(kills > 0)
        let last = try stele(
            "store", "migrate", "M.json", "--store", "s.sqlite", "--to", "new.sqlite")
        #expect(last.status == 0, "\(last.errors)")
        #expect(try export("new.sqlite") == before)
        #expect(try export("s.sqlite") == before)
        #expect(try !files().contains { $0.hasSuffix(".migration") })
    }

    @Test func aMoveThatDidNotFinishIsTakenUp() throws {
        try makeItems(2)
        let before = try export("s.sqlite")
        let left = folder.path + "/.new_SUPPORT"
        try FileManager.default.createDirectory(
            atPath: left + "/_EXTERNAL_DATA", withIntermediateDirectories: true)
        let copy = { try stele("store", "migrate", "M.json", "--store", "s.sqlite", "--to", $0) }
        #expect(try copy("new.sqlite").errors.contains("of another store"))
        try "new.sqlite".write(toFile: left + "/STELE_MOVING", atomically: true, encoding: .utf8)
        #expect(try copy("new.db").errors.contains("of another store"))
        #expect(try copy("new.sqlite").status == 0)
        #expect(try export("new.sqlite") == before)
    }

    @Test func whatCannotBeCopiedIsRefused() throws {
        try make("s.sqlite")
        func refused(_ more: String...) throws -> String {
            let program = try Program(["store", "migrate", league] + more, folder: folder.path)
            let (status, errors) = program.end()
            #expect(status == 1)
            return errors
        }
        let from = ["--store", "s.sqlite", "--to"]
        #expect(try refused(from[0], "no.sqlite", from[2], "x.xml").contains("there is no store"))
        #expect(try refused(from[0], from[1], from[2], ":memory:").contains("in memory"))
        #expect(try refused(from[0], from[1], from[2], "s.sqlite").contains("s.sqlite exists"))
        #expect(try refused(from[0], from[1], from[2], "no/x.xml").contains("No such file"))
        #expect(
            try refused(from[0], from[1], from[2], "x", "--to-type", "ods").contains("must be one"))
        let left = try files()
        #expect(left == ["s.sqlite"])
    }
}
