/// `stele migrate` and `stele serve --migrate`, as a user runs them.

import Foundation
import TestSupport
import Testing

@Suite struct MigrateTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The versions of a model, one after the other: an attribute is added, the entity is renamed,
    /// and two attributes become one by a mapping file.
    private static let versions = [
        #"{"entities":[{"name":"Person","attributes":[{"name":"first","type":"String"},"#
            + #"{"name":"last","type":"String"}]}]}"#,
        #"{"entities":[{"name":"Person","attributes":[{"name":"first","type":"String"},"#
            + #"{"name":"last","type":"String"},{"name":"age","type":"Integer 16"}]}]}"#,
        #"{"entities":[{"name":"Human","renamingIdentifier":"Person","attributes":["#
            + #"{"name":"first","type":"String"},{"name":"last","type":"String"},"#
            + #"{"name":"age","type":"Integer 16"}]}]}"#,
        #"{"entities":[{"name":"Human","attributes":[{"name":"name","type":"String"},"#
            + #"{"name":"age","type":"Integer 16"}]}]}"#,
    ]
    private static let mapping =
        #"{"from":"v3","to":"v4","mappings":[{"source":"Human","destination":"Human","#
        + #""attributes":{"name":"$source.first + ' ' + $source.last"}}]}"#

    /// Makes a version the newest.
    private func add(_ version: Int) throws {
        try folder.write(Self.versions[version - 1], to: "Staff/v\(version).json")
    }

    private func serve(_ options: [String], _ ask: (Caller) -> Void) throws -> String {
        let program = try Program(
            ["serve", "Staff", "--port", "0"] + options, folder: folder.path)
        let lines = program.lines(3)
        guard lines.count == 3 else { return program.end().errors }
        ask(try Caller(lines))
        program.signal(SIGTERM)
        let end = program.end()
        #expect(end.status == 0)
        return end.errors
    }

    @Test(arguments: ["s.sqlite", "s.xml", "s.text", "s.binary"])
    func aModelIsChangedInThreeSteps(_ store: String) throws {
        try add(1)
        _ = try serve(["--store", store]) { caller in
            let body = #"[{"first":"Ann","last":"Lee"},{"first":"Bo","last":"Ek"}]"#
            #expect(caller.ask("POST", "/Person", body)?.status == 201)
            _ = caller.ask("POST", "/Person", #"{"first":"Di","last":"To"}"#)
            #expect(caller.ask("DELETE", "/Person/3")?.status == 204)
        }
        let file = "\(folder.path)/\(store)"
        #expect(chmod(file, 0o600) == 0)
        try add(2)
        let refused = try serve(["--store", store]) { _ in Issue.record("it serves") }
        #expect(refused.contains("the store was made with v1, and the current version is v2"))
        #expect(refused.contains("adds Person.age") && refused.contains("--migrate"))
        let log = try serve(["--store", store, "--migrate"]) { caller in
            #expect(caller.ask("PATCH", "/Person/1", #"{"age":40}"#)?.status == 200)
        }
        #expect(log.contains("v1 to v2, inferred"))
        try add(3)
        let (status, plan, errors) = try Program.run(
            "migrate", folder.path + "/Staff", "--store", "\(folder.path)/\(store)", "--plan")
        #expect(status == 0 && errors.isEmpty)
        #expect(plan.contains("the entity Person becomes Human"))
        let done = try Program.run(
            "migrate", folder.path + "/Staff", "--store", "\(folder.path)/\(store)")
        #expect(done.status == 0 && done.output.contains("migrated in"))
        try add(4)
        try Self.mapping.write(
            toFile: folder.path + "/names.mapping.json", atomically: true, encoding: .utf8)
        let mapped = try serve(["--store", store, "--migrate"]) { caller in
            let people = caller.ask("GET", "/Human?select=_id,name,age&sort=_id")
            #expect(
                people?.body == #"[{"_id":1,"name":"Ann Lee","age":40},"#
                    + #"{"_id":2,"name":"Bo Ek","age":null}]"#)
            // Keys of before are not given out again.
            let made = caller.ask("POST", "/Human", #"{"name":"Cy Orr"}"#)
            #expect(made?.body.contains(#""_id":4"#) == true)
        }
        #expect(mapped.contains("v3 to v4, by the mapping model"))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(left.filter { $0.hasSuffix(".migration") || $0.hasSuffix("-wal") }.isEmpty)
    }

    /// An entity is renamed by a mapping file, and a Binary attribute with external storage goes.
    @Test func filesReceiptsAndKeysAreCarried() throws {
        let attribute = #"{"name":"%","type":"Binary","externalStorage":true}"#
        let photo = attribute.replacing("%", with: "photo")
        let scan = attribute.replacing("%", with: "scan")
        let name = #"{"name":"name","type":"String"}"#
        try folder.write(
            #"{"entities":[{"name":"Person","attributes":[\#(name),\#(photo),\#(scan)]}]}"#,
            to: "Staff/v1.json")
        let bytes = Data(repeating: 9, count: 200_000).base64EncodedString()
        let body = #"{"name":"Ann","photo":"\#(bytes)","scan":"\#(bytes)"}"#
        let key = ["Idempotency-Key: one"]
        let store = "\(folder.path)/s.sqlite"
        _ = try serve(["--store", store]) { caller in
            #expect(caller.ask("POST", "/Person", body, headers: key)?.status == 201)
            _ = caller.ask("POST", "/Person", #"{"name":"Bo"}"#)
            #expect(caller.ask("DELETE", "/Person/2")?.status == 204)
        }
        let data = "\(folder.path)/.s_SUPPORT/_EXTERNAL_DATA"
        let before = try FileManager.default.contentsOfDirectory(atPath: data)
        #expect(before.count == 2)
        try folder.write(
            #"{"entities":[{"name":"Human","attributes":[\#(name),\#(photo)]}]}"#,
            to: "Staff/v2.json")
        try folder.write(
            #"{"mappings":[{"source":"Person","destination":"Human"}]}"#,
            to: "names.mapping.json")
        let log = try serve(["--store", store, "--migrate"]) { caller in
            #expect(caller.ask("GET", "/Human/1/photo")?.status == 200)
            #expect(caller.ask("GET", "/Human/count")?.body == #"{"count":1}"#)
            let made = caller.ask("POST", "/Human", #"{"name":"Cy"}"#)
            #expect(made?.body.contains(#""_id":3"#) == true)
        }
        #expect(log.contains("by the mapping model"))
        let after = try FileManager.default.contentsOfDirectory(atPath: data)
        #expect(after.count == 1 && before.contains(after.first ?? ""))
        let receipts = try RawDatabase(store).texts("SELECT ZKEY FROM STELE_IDEMPOTENCY")
        #expect(receipts.count == 1 && receipts.first?.hasSuffix("one") == true)
    }

    @Test func aRequestIsNotRepeatedAfterAMigration() throws {
        try add(1)
        let store = "\(folder.path)/s.sqlite"
        let key = ["Idempotency-Key: one"]
        let body = #"{"first":"Ann","last":"Lee"}"#
        _ = try serve(["--store", store]) { caller in
            #expect(caller.ask("POST", "/Person", body, headers: key)?.status == 201)
        }
        try add(2)
        try folder.write(
            #"{"mappings":[{"source":"Person","destination":"Person"}]}"#,
            to: "same.mapping.json")
        let log = try serve(["--store", store, "--migrate"]) { caller in
            #expect(caller.ask("POST", "/Person", body, headers: key)?.status == 201)
            #expect(caller.ask("GET", "/Person/count")?.body == #"{"count":1}"#)
        }
        #expect(log.contains("by the mapping model"))
    }

    @Test func aModelWithVersionsHasTheNameOfItsFolder() throws {
        try add(1)
        try add(2)
        let program = try Program(["serve", "Staff", "--port", "0"], folder: folder.path)
        let lines = program.lines(3)
        #expect(lines.first == "Staff, version v2, 1 entity, from Staff.sqlite (sqlite, new)")
        let index = try Caller(lines).ask("GET", "/")?.json as? [String: Any]
        #expect(index?["model"] as? String == "Staff")
        #expect(index?["modelVersion"] as? String == "v2")
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    @Test func aMappingModelOfOtherVersionsIsNamed() throws {
        try add(1)
        let store = "\(folder.path)/s.sqlite"
        _ = try serve(["--store", store]) { _ in }
        try Self.mapping.replacing("v3", with: "v2").write(
            toFile: folder.path + "/names.mapping.json", atomically: true, encoding: .utf8)
        try folder.write(
            #"{"entities":[{"name":"Person","attributes":[{"name":"first","type":"Float"}]}]}"#,
            to: "Staff/v5.json")
        let found = try Program.run("migrate", folder.path + "/Staff", "--store", store)
        #expect(found.status == 1)
        #expect(
            found.errors.contains(
                "names.mapping.json is for other versions: its source is the version v2, not v1"),
            "\(found.errors)")
    }

    /// Inference would leave out what the mapping file says, without a word.
    @Test func aMappingFileForNoVersionsIsTold() throws {
        try add(1)
        let store = folder.path + "/s.sqlite"
        _ = try serve(["--store", store]) { _ in }
        try add(2)
        try Self.mapping.replacingOccurrences(of: "v3", with: "version 3").write(
            toFile: folder.path + "/names.mapping.json", atomically: true, encoding: .utf8)
        let found = try Program.run(
            "migrate", folder.path + "/Staff", "--store", store, "--plan")
        #expect(found.status == 0 && found.output.contains("adds Person.age"))
        #expect(
            found.output.contains("names.mapping.json is for other versions, and is not used"),
            "\(found.output)")
    }

    /// A mapping file may lie in the folder of JSON models. The offered command can be pasted.
    @Test func aMappingFileAmongTheModelsIsUsed() throws {
        try add(1)
        let store = folder.path + "/my store.sqlite"
        _ = try serve(["--store", store]) { caller in
            #expect(caller.ask("POST", "/Person", #"{"first":"Ann"}"#)?.status == 201)
        }
        for version in [3, 4] { try add(version) }
        try folder.write(Self.mapping, to: "Staff/names.mapping.json")
        let offer = try Program.run("export", "Staff", "--store", store, folder: folder.path)
        #expect(offer.status == 1)
        #expect(
            offer.errors.contains("by the mapping model Staff/names.mapping.json"), "\(offer)")
        #expect(
            offer.errors.contains("stele migrate Staff --store '\(store)' does this"), "\(offer)")
        try folder.write("{", to: "Staff/v2.json")
        let found = try Program.run("migrate", "Staff", "--store", store, folder: folder.path)
        #expect(found.status == 0, "\(found)")
    }

    @Test func aVersionThatCannotBeReadIsNamedWhereItIsMissed() throws {
        try add(1)
        let store = folder.path + "/s.sqlite"
        _ = try serve(["--store", store]) { _ in }
        try RawDatabase(store).run("DELETE FROM Z_MODELCACHE")
        try add(2)
        try folder.write(#"{"entitys":[]}"#, to: "Staff/v1.json")
        let found = try Program.run("migrate", folder.path + "/Staff", "--store", store)
        #expect(found.status == 1)
        #expect(found.errors.contains("v1") && found.errors.contains("entitys"), "\(found.errors)")
    }

    @Test func aStoreInUseIsNotMigrated() throws {
        try add(1)
        let store = folder.path + "/s.sqlite"
        let program = try Program(
            ["serve", "Staff", "--port", "0", "--store", store], folder: folder.path)
        #expect(program.lines(3).count == 3)
        for version in [2, 4] {
            try add(version)
            if version == 4 {
                try add(3)
                try Self.mapping.write(
                    toFile: folder.path + "/names.mapping.json", atomically: true, encoding: .utf8)
            }
            let found = try Program.run("migrate", folder.path + "/Staff", "--store", store)
            #expect(found.status == 1 && found.errors.contains("is open in another program"))
        }
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    /// A connection of SQLite that has read once and waits has the file open, too.
    @Test func aStoreThatSQLiteAloneHasOpenIsNotReplaced() throws {
        try add(1)
        let store = folder.path + "/s.sqlite"
        _ = try serve(["--store", store]) { caller in
            #expect(caller.ask("POST", "/Person", #"{"first":"Ann"}"#)?.status == 201)
        }
        for version in [3, 4] { try add(version) }
        try Self.mapping.write(
            toFile: folder.path + "/names.mapping.json", atomically: true, encoding: .utf8)
        let rows = "SELECT COUNT(*) FROM sqlite_master"
        func migrate() throws -> (status: Int32, output: String, errors: String) {
            try Program.run("migrate", folder.path + "/Staff", "--store", store)
        }
        do {
            let idle = try RawDatabase(store)
            let before = try idle.texts(rows)
            let found = try migrate()
            #expect(found.status == 1, "\(found.output)")
            #expect(found.errors.contains("s.sqlite is open in another program"), "\(found.errors)")
            // The other program goes on.
            try idle.run("CREATE TABLE other (a)")
            try idle.run("DROP TABLE other")
            #expect(try idle.texts(rows) == before)
        }
        #expect(try migrate().status == 0)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.filter { $0.hasPrefix("s.sqlite") } == ["s.sqlite"])
        #expect(try RawDatabase(store).texts("PRAGMA integrity_check") == ["ok"])
    }

    @Test func aStoreOfNoKnownVersionIsRefused() throws {
        try add(4)
        let store = folder.path + "/s.sqlite"
        _ = try serve(["--store", store]) { _ in }
        try FileManager.default.removeItem(atPath: folder.path + "/Staff/v4.json")
        try add(1)
        try RawDatabase(store).run("DELETE FROM Z_MODELCACHE")
        let found = try Program.run("migrate", folder.path + "/Staff", "--store", store)
        #expect(found.status == 1)
        #expect(found.errors.contains("the store was not made with the only known version (v1)"))
        #expect(found.errors.contains("s.sqlite: the store has no model cache"))
    }

    /// Every command that opens a store says what takes an older one to the current version.
    @Test func anOlderStoreIsToldByEveryCommand() throws {
        try add(1)
        let store = folder.path + "/s.sqlite"
        _ = try serve(["--store", store]) { _ in }
        try add(2)
        try folder.write(#"{"first":"Ann"}"#, to: "seeds/Person.1.ndjson")
        let person = try folder.write(#"{"first":"Ann"}"#, to: "person.ndjson")
        let model = folder.path + "/Staff"
        let commands = [
            ["export", model], ["import", model, person],
            ["import", model, "--seeds", folder.path + "/seeds"],
            ["store", "migrate", model, "--to", folder.path + "/t.xml"],
        ]
        for command in commands {
            let program = try Program(command + ["--store", store], folder: folder.path)
            let (status, errors) = program.end()
            #expect(status == 1 && errors.contains("adds Person.age"), "\(command): \(errors)")
            #expect(
                errors.hasSuffix(
                    "\nstele migrate \(model) --store \(store) does this\n"
                        + "stele serve \(store) serves the store with its own model\n"),
                "\(command): \(errors)")
            #expect(!errors.contains("--migrate"), "\(command): \(errors)")
        }
        let log = try serve(["--store", store, "--migrate"]) { _ in }
        #expect(log.contains("\(store): migrated in "), "\(log)")
        // The other way: the store is newer than the model.
        try FileManager.default.removeItem(atPath: model + "/v2.json")
        for command in commands {
            let (status, errors) = try Program(
                command + ["--store", store], folder: folder.path
            ).end()
            #expect(status == 1, "\(command)")
            #expect(
                errors.hasPrefix(
                    "stele: \(store): the store was made with another version than those that are "
                        + "known") && errors.contains("removes Person.age"),
                "\(command): \(errors)")
        }
    }

    /// An error on the data names the mapping file, too.
    @Test func anErrorOfAMappingNamesItsFile() throws {
        try folder.write(
            #"{"entities":[{"name":"Person","attributes":[{"name":"age","type":"Integer 16"}]}]}"#,
            to: "Staff/v1.json")
        let store = folder.path + "/s.sqlite"
        _ = try serve(["--store", store]) { caller in
            #expect(caller.ask("POST", "/Person", #"{"age":20000}"#)?.status == 201)
        }
        try folder.write(
            #"{"entities":[{"name":"Person","#
                + #""attributes":[{"name":"months","type":"Integer 16"}]}]}"#,
            to: "Staff/v2.json")
        let file = try folder.write(
            #"{"mappings":[{"source":"Person","destination":"Person","#
                + #""attributes":{"months":"$source.age * 12"}}]}"#, to: "ages.mapping.json")
        let found = try Program.run("migrate", folder.path + "/Staff", "--store", store)
        #expect(found.status == 1 && found.output.contains("computes Person.months"))
        #expect(found.errors.hasPrefix("stele: \(file): "), "\(found.errors)")
        #expect(found.errors.contains("months of Person for Person 1"), "\(found.errors)")
        // What the model refuses is told in the same words as over HTTP.
        try folder.write(
            #"{"entities":[{"name":"Person","attributes":[{"name":"months","type":"Integer 32","#
                + #""maximum":1000}]}]}"#,
            to: "Staff/v2.json")
        let refused = try Program.run("migrate", folder.path + "/Staff", "--store", store)
        #expect(refused.status == 1)
        #expect(
            refused.errors.contains(
                "\(file): Person 1: months of Person is too large: 240000, and the model allows "
                    + "at most 1000"), "\(refused.errors)")
    }
}
