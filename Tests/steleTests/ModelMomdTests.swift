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
        #expect(written.errors.contains("only Core Data computes them"), "\(written.errors)")
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
}
