// Stores that SwiftData made, and what Docs/SwiftData.md prints of them.

import Foundation
import SteleSQLite
import TestSupport
import Testing

@Suite(.enabled(if: sharedFolder != nil, "the shared data is not here"))
struct SwiftDataTests {
    private let folder: TemporaryFolder
    /// The folder of the stores: beside it is nothing that could be for them.
    private var place: String { folder.path + "/app" }

    init() throws {
        folder = try TemporaryFolder()
        let shared = try #require(sharedFolder).path + "/data/coredata/swiftdata/"
        try FileManager.default.createDirectory(
            atPath: folder.path + "/app", withIntermediateDirectories: true)
        for (file, name) in [("App-1_0_0", "default.store"), ("App-2_0_0", "next.store")] {
            let path = folder.path + "/app/" + name
            try FileManager.default.copyItem(atPath: shared + file + ".sqlite", toPath: path)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        }
    }

    /// What Core Data knows a store's model by.
    private func identity(_ name: String) throws -> [String] {
        let metadata = try SQLiteStore.metadata(path: place + "/" + name)
        return [
            "NSStoreModelVersionHashes", "NSStoreModelVersionHashesDigest",
            "NSStoreModelVersionChecksumKey", "NSStoreModelVersionIdentifiers",
        ].map { key in metadata[key].map { "\($0)" } ?? "" }
    }

    private func serve(_ name: String, _ work: (Caller) throws -> Void) throws {
        let program = try Program(["serve", name, "--port", "0"], folder: place)
        try work(Caller(program.lines(3)))
        program.signal(SIGTERM)
        let (status, errors) = program.end()
        #expect(status == 0, "\(errors)")
    }

    /// Each `sh` block of the page that a block without a language follows.
    @Test func theCommandsOfThePagePrintWhatItSays() throws {
        let blocks = try packageText("Docs/SwiftData.md").components(separatedBy: "```")
        var count = 0
        for (index, block) in blocks.enumerated() where block.hasPrefix("sh\n") {
            let command = block.dropFirst("sh\n".count).trimmingCharacters(in: .newlines)
            let words = command.split(separator: " ").map(String.init)
            #expect(words.first == "stele")
            let end = try Program.run(Array(words.dropFirst()), folder: place)
            #expect(blocks[index + 1] == "\n", "\(command)")
            #expect(end.output == String(blocks[index + 2].dropFirst()), "\(command)")
            count += 1
        }
        #expect(count == 3)
    }

    /// A store that Stele has written is still of the app's version, and one that was migrated to
    /// the model in another of the app's stores is of that one's.
    @Test func theHashesAreThoseOfTheApp() throws {
        let (first, second) = (try identity("default.store"), try identity("next.store"))
        #expect(first != second && !first.contains(""))
        try serve("default.store") { caller in
            let made = try caller.call(
                "POST", "/User", #"{"name":"Ada","createdAt":"2026-11-29T10:00:00Z"}"#)
            #expect(made.hasPrefix("HTTP/1.1 201"), "\(made)")
        }
        #expect(try identity("default.store") == first)
        let end = try Program.run(
            "migrate", "next.store", "--store", "default.store", folder: place)
        #expect(end.status == 0, "\(end)")
        #expect(try identity("default.store") == second)
        for name in ["default.store", "next.store"] {
            #expect(try Program.run("check", name, folder: place).status == 0)
        }
        try serve("default.store") { caller in
            let user = try caller.call("GET", "/User/1")
            #expect(
                user.hasSuffix(#""createdAt":"2026-11-29T10:00:00Z","email":null,"name":"Ada"}"#),
                "\(user)")
        }
    }
}
