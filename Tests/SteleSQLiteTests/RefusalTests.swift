// A store that is refused stays as it was, bit for bit, with everything beside it.

import Foundation
import SteleMigration
import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleSQLite

struct RefusalTests {
    /// What a file is, that no service of League can open.
    enum Kind: String, CaseIterable {
        case otherProgram, otherModel, noMetadata, flippedByte, garbage, truncated
    }

    /// The files beside it.
    enum Beside: CaseIterable {
        case nothing, log, logAndIndex
    }

    private static func contents(of folder: String) throws -> [String: Data] {
        var all: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            all[name] = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
        }
        return all
    }

    /// Copies a file with what is beside it into a folder.
    private static func copy(_ path: String, _ beside: Beside, to other: String) throws {
        let endings =
            switch beside {
            case .nothing: [""]
            case .log: ["", "-wal"]
            case .logAndIndex: ["", "-wal", "-shm"]
            }
        for ending in endings where FileManager.default.fileExists(atPath: path + ending) {
            try FileManager.default.copyItem(atPath: path + ending, toPath: other + ending)
        }
    }

    private static func change(_ path: String, _ change: (inout Data) throws -> Void) throws {
        let url = URL(fileURLWithPath: path)
        var data = try Data(contentsOf: url)
        try change(&data)
        try data.write(to: url)
    }

    /// Makes a file of that kind in a folder.
    private static func make(_ kind: Kind, _ beside: Beside, at path: String) throws {
        let folder = try TemporaryFolder()
        if kind == .otherProgram || kind == .noMetadata {
            let raw = try RawDatabase(folder.store)
            try raw.run("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
            try raw.run("CREATE TABLE T (A)")
            if kind == .noMetadata { try raw.run("CREATE TABLE Z_METADATA (Z_PLIST BLOB)") }
            try raw.run("PRAGMA wal_checkpoint(TRUNCATE); INSERT INTO T VALUES (1)")
            return try copy(folder.store, beside, to: path)
        }
        let model = try sampleModel(kind == .otherModel ? "Movies" : "League")
        let store = try SQLiteStore.open(path: folder.store, model: model)
        defer { store.close() }
        let raw = try RawDatabase(folder.store)
        try raw.run("PRAGMA wal_checkpoint(TRUNCATE)")
        if kind == .flippedByte {
            try raw.run(
                "UPDATE Z_METADATA SET Z_PLIST = x'FF' || substr(Z_PLIST, 2)")
        } else {
            try raw.run("UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX + 1")
        }
        if beside == .nothing { try raw.run("PRAGMA wal_checkpoint(TRUNCATE)") }
        try copy(folder.store, beside, to: path)
        switch kind {
        case .garbage: try change(path) { $0 = Data((0..<$0.count).map { UInt8($0 % 251) }) }
        case .truncated: try change(path) { $0 = $0.prefix(1_500) }
        default: break
        }
    }

    @Test(arguments: Kind.allCases, Beside.allCases)
    func aRefusedStoreStaysAsItIs(_ kind: Kind, _ beside: Beside) throws {
        let folder = try TemporaryFolder()
        let path = folder.store
        let place = URL(fileURLWithPath: path).deletingLastPathComponent().path
        try Self.make(kind, beside, at: path)
        let before = try Self.contents(of: place)
        #expect(before.count == (beside == .nothing ? 1 : beside == .log ? 2 : 3))
        let league = try sampleModel("League")
        let tries: [(String, () throws -> Void)] = [
            ("open", { try SQLiteStore.open(path: path, model: league).close() }),
            ("metadata", { _ = try SQLiteStore.metadata(path: path) }),
            ("versionHashes", { _ = try SQLiteStore.versionHashes(path: path) }),
            ("versionChecksum", { _ = try SQLiteStore.versionChecksum(path: path) }),
            (
                "changeMetadata",
                { if kind != .otherModel { try SQLiteStore.changeMetadata(path: path) { _ in } } }
            ),
            (
                "migrate",
                {
                    try SQLiteStore.migrate(
                        path: path, from: try sampleModel("Recipes"), to: league,
                        by: MappingModel([]))
                }
            ),
        ]
        for (name, attempt) in tries {
            var refusal: StoreError?
            do { try attempt() } catch let error as StoreError { refusal = error }
            let isRead = kind == .otherModel && !["open", "migrate"].contains(name)
            #expect((refusal == nil) == isRead, "\(name): \(String(describing: refusal))")
            if let refusal {
                #expect(!"\(refusal)".contains("stele-copy-"), "\(name): \(refusal)")
            }
            #expect(try Self.contents(of: place) == before, "\(name)")
        }
    }

    /// A store whose last saves are in its log is served with them.
    @Test(arguments: [Beside.log, .logAndIndex])
    func aCopyWithItsLogIsOpened(_ beside: Beside) throws {
        let (from, to) = (try TemporaryFolder(), try TemporaryFolder())
        let model = try sampleModel("League")
        let store = try SQLiteStore.open(path: from.store, model: model)
        defer { store.close() }
        try store.changeMetadata { $0["note"] = .string("in the log") }
        try Self.copy(from.store, beside, to: to.store)
        let before = try Self.contents(
            of: URL(fileURLWithPath: to.store).deletingLastPathComponent().path)
        #expect(try SQLiteStore.metadata(path: to.store)["note"] == .string("in the log"))
        #expect(
            try Self.contents(of: URL(fileURLWithPath: to.store).deletingLastPathComponent().path)
                == before)
        let copy = try SQLiteStore.open(path: to.store, model: model)
        defer { copy.close() }
        #expect(try copy.metadata["note"] == .string("in the log"))
    }

    /// The stores of Apple's framework, with a model that they do not have.
    @Test(.enabled(if: sharedFolder != nil))
    func anAppsStoreStaysAsItIs() throws {
        let data = try #require(sharedFolder).path + "/data/coredata"
        let all = FileManager.default.enumerator(atPath: data)?.compactMap { $0 as? String } ?? []
        let names = all.filter { $0.hasSuffix(".sqlite") || $0.hasSuffix(".moody") }
        #expect(names.count >= 4)
        let league = try sampleModel("League")
        for name in names.sorted() {
            let folder = try TemporaryFolder()
            try Self.copy("\(data)/\(name)", .logAndIndex, to: folder.store)
            let before = try Self.contents(of: folder.path)
            #expect(throws: StoreError.self, "\(name)") {
                try SQLiteStore.open(path: folder.store, model: league)
            }
            #expect(try SQLiteStore.metadata(path: folder.store)["NSStoreType"] != nil, "\(name)")
            #expect(try Self.contents(of: folder.path) == before, "\(name)")
        }
    }

    @Test func aPathWithSpecialCharactersIsRead() throws {
        let folder = try TemporaryFolder()
        let path =
            URL(fileURLWithPath: folder.store).deletingLastPathComponent().path
            + "/a%20b?c#d.sqlite"
        let model = try sampleModel("League")
        try SQLiteStore.open(path: path, model: model).close()
        try SQLiteStore.open(path: path, model: model).close()
        #expect(try SQLiteStore.versionHashes(path: path)?.count == 2)
    }
}
