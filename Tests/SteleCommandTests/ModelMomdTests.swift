// Compiled models and stores with their model, by the command.

import Foundation
import TestSupport
import Testing

@Suite struct ModelMomdTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func serve(_ arguments: [String], _ ask: (Caller) throws -> Void) throws {
        let program = try Program(["serve"] + arguments + ["--port", "0"], folder: folder.path)
        try ask(Caller(program.lines(3)))
        program.signal(SIGTERM)
        let (status, errors) = program.end()
        #expect(status == 0, "\(errors)")
    }

    @Test func itsOutputIsServed() throws {
        let model = samplePath("Catalog")
        let path = folder.path + "/Catalog.momd"
        let written = try Program.run("model", "momd", model, "-o", path)
        #expect(written.status == 0)
        #expect(
            written.errors.contains(
                "only Core Data computes them (a store that Core Data made with that version has "
                    + "them: stele model momd STORE)"), "\(written.errors)")
        let printed = try Program.run("model", path)
        #expect(printed.status == 0, "\(printed.errors)")
        let difference = try Program.run("diff", model, path)
        #expect(difference.output.hasSuffix("the version hashes are equal.\n"), "\(difference)")
        let store = folder.path + "/catalog.sqlite"
        try serve([path, "--store", store]) { caller in
            #expect(caller.ask("POST", "/Manufacturer", #"{"name":"M"}"#)?.status == 201)
        }
        // The same store with the source, and with the model in its file.
        for model in [[model, "--store", store], [store]] {
            try serve(model) { caller in
                #expect(caller.ask("GET", "/Manufacturer")?.body.contains("\"M\"") == true)
            }
        }
        let found = try Program.run("diff", path, store)
        #expect(found.status == 0, "\(found.output)")
        let again = try Program.run("model", "momd", store, "-o", folder.path + "/Again.momd")
        #expect(again.status == 0, "\(again.errors)")
    }

    @Test func anExistingFolderIsOnlyReplacedWhenAsked() throws {
        let model = samplePath("League")
        let path = folder.path + "/League.momd"
        #expect(try Program.run("model", "momd", model, "-o", path).status == 0)
        let refused = try Program.run("model", "momd", model, "-o", path)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("it exists already"), "\(refused.errors)")
        #expect(try Program.run("model", "momd", model, "-o", path, "--replace").status == 0)
        let other = try Program.run("model", "momd", model, "-o", folder.path + "/League")
        #expect(other.status == 1)
        #expect(other.errors.contains("must end in .momd"), "\(other.errors)")
    }

    @Test(.enabled(if: sharedFolder != nil, "the shared data is not here"))
    func theHashesOfAStoreOfCoreDataAreInItsVersionInfo() throws {
        let shared = try #require(sharedFolder).appending(path: "data/coredata").path
        let path = folder.path + "/Sample.momd"
        let written = try Program.run(
            "model", "momd", "\(shared)/sample/Fixtures/SampleModel_V1.sqlite", "-o", path)
        #expect(written.status == 0)
        #expect(!written.errors.contains("version hashes"), "\(written.errors)")
        let info = try Data(contentsOf: URL(filePath: path + "/VersionInfo.plist"))
        let list = try PropertyListSerialization.propertyList(from: info, format: nil)
        let all = try #require(list as? [String: Any])
        let hashes = try #require(
            all["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]])
        #expect(hashes["SampleModel_V1"]?.count == 4)
        #expect(all["NSManagedObjectModel_CurrentVersionName"] as? String == "SampleModel_V1")
    }

    /// A store that is made with a compiled model has Core Data's own version hashes, and is of its
    /// model with the source too.
    @Test(.enabled(if: sharedFolder != nil, "the shared data is not here"))
    func aNewStoreHasTheHashesOfVersionInfo() throws {
        let shared = try #require(sharedFolder).appending(path: "data/coredata").path
        let compiled = "\(shared)/sample/Fixtures/SampleModel.momd"
        let store = folder.path + "/sample.sqlite"
        try serve([compiled, "--store", store]) { caller in
            let car = #"{"maker":"Fiat","model":"Panda","numberPlate":"1"}"#
            #expect(caller.ask("POST", "/Car", car)?.status == 201)
        }
        func hashes(_ path: String) throws -> [String: Data] {
            let hex = try RawDatabase(path).texts("SELECT hex(Z_PLIST) FROM Z_METADATA")[0]
            let digits = Array(hex.utf8)
            let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
            }
            let list = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
            return try #require(
                (list as? [String: Any])?["NSStoreModelVersionHashes"] as? [String: Data])
        }
        let copy = folder.path + "/apple.sqlite"
        try FileManager.default.copyItem(
            atPath: "\(shared)/sample/Fixtures/SampleModel_V1.sqlite", toPath: copy)
        // Core Data made that store with the same version.
        #expect(try hashes(store) == hashes(copy))
        let source = "\(shared)/sample/SampleModel.xcdatamodeld/SampleModel.xcdatamodel"
        for model in [[compiled, "--store", store], [source, "--store", store], [store]] {
            try serve(model) { caller in
                #expect(caller.ask("GET", "/Car")?.body.contains("Panda") == true)
            }
        }
        #expect(try hashes(store) == hashes(copy))
        // The next version is made beside, with its own hashes.
        let next = folder.path + "/SampleModel.momd"
        try FileManager.default.copyItem(atPath: compiled, toPath: next)
        let info = next + "/VersionInfo.plist"
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: next)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: info)
        var list = try #require(
            try PropertyListSerialization.propertyList(
                from: Data(contentsOf: URL(filePath: info)), format: nil) as? [String: Any])
        list["NSManagedObjectModel_CurrentVersionName"] = "SampleModel2"
        try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
            .write(to: URL(filePath: info))
        let migrated = try Program.run("migrate", next, "--store", store)
        #expect(migrated.status == 0, "\(migrated.errors)")
        #expect(!migrated.output.contains("no longer opens"), "\(migrated.output)")
        let known = try #require(
            list["NSManagedObjectModel_VersionHashes"] as? [String: [String: Data]])
        #expect(try hashes(store) == known["SampleModel2"])
        try serve([store]) { caller in
            #expect(caller.ask("GET", "/Car")?.body.contains("Panda") == true)
        }
    }
}
