// Models out of stores and compiled models, by the command.

import Foundation
import TestSupport
import Testing

@Suite(.enabled(if: sharedFolder != nil, "the shared data is not here"))
struct ModelContentsTests {
    private static func path(_ path: String) throws -> String {
        try #require(sharedFolder).appending(path: "data/coredata/" + path).path
    }

    @Test func aLostModelIsFoundAgain() throws {
        let store = try Self.path("moody/Moody 5.moody")
        try withFolder { folder in
            let source = folder.appending(path: "Moody.xcdatamodeld").path
            let written = try Program.run("model", "contents", store, "--output", source)
            #expect(written.status == 0, "\(written.errors)")
            let printed = try Program.run("model", "contents", store)
            #expect(printed.status == 0)
            let version = "\(source)/Moody 5.xcdatamodel/contents"
            #expect(try String(contentsOfFile: version, encoding: .utf8) == printed.output)
            let original = try Self.path("moody/Moody.xcdatamodeld/Moody 5.xcdatamodel")
            let difference = try Program.run("diff", original, store)
            // Only `syncable` differs, which no archive has.
            #expect(difference.output.hasSuffix("the version hashes are equal.\n"))
            let again = try Program.run("diff", store, source)
            #expect(again.status == 0, "\(again.output)")

            let other = folder.appending(path: "Moody").path
            let refused = try Program.run("model", "contents", store, "-o", other)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("must end in .xcdatamodeld"))
            let blocked = try Program.run("model", "contents", store, "-o", source)
            #expect(blocked.status == 1)
            #expect(blocked.errors.contains("it exists already"))
        }
    }

    @Test func everyCommandTakesCompiledModelsAndStores() throws {
        for path in [
            "swiftgen/Model.momd", "swiftgen/Model.momd/Model 2.mom", "moody/Moody 3.moody",
            "sample2/Fixtures/SampleModel2_V2.sqlite",
        ] {
            let model = try Self.path(path)
            let printed = try Program.run("model", model)
            #expect(printed.status == 0, "\(path): \(printed.errors)")
            let json = try Program.run("model", "print", "--json", model)
            #expect(json.status == 0, "\(path): \(json.errors)")
        }
        let named = try Program.run(
            "predicate", "maker == 'FIAT'", "--model",
            Self.path("sample/Fixtures/SampleModel_V2.sqlite"), "--entity", "Car")
        #expect(named.status == 0, "\(named.errors)")
    }

    @Test func aStoreWithoutAModelSaysWhatToDo() throws {
        try withFolder { folder in
            let path = folder.appending(path: "plain.sqlite").path
            try RawDatabase(path).run("CREATE TABLE T (a)")
            let refused = try Program.run("serve", path)
            #expect(refused.status == 1)
            #expect(refused.errors.contains("is an SQLite database, but not a Core Data store"))
        }
    }
}
