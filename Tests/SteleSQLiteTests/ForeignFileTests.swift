// Files that are not as Stele leaves them: links, parts of copies, counters of other programs.

import Foundation
import SteleModel
import StelePersistence
import SteleSQL
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct ForeignFileTests {
    private let folder: TemporaryFolder
    private let model: Model

    init() throws {
        folder = try TemporaryFolder()
        model = try makeModel([
            EntityMaker("Thing").attribute("blob", .binary) {
                $0.allowsExternalBinaryDataStorage = true
            }.attribute("name", .string)
        ])
    }

    private func open(_ path: String? = nil) throws -> SQLiteStore {
        try SQLiteStore.open(path: path ?? folder.store, model: model)
    }

    private var thing: Entity { get throws { try #require(model.entity(named: "Thing")) } }

    /// All files of a store are beside the file, and none beside a link to it.
    @Test func aStoreThatIsOpenedByALinkHasItsFilesBesideTheFile() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path + "/links", withIntermediateDirectories: true)
        let link = folder.path + "/links/l.sqlite"
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: "../store.sqlite")
        try open().close()
        let store = try open(link)
        let large = [UInt8](repeating: 7, count: 200_000)
        let made = try store.insert(thing, ["blob": .data(large)])
        let other = try open()
        guard case .external(let data)? = try other.snapshot(thing, made.key)?.values[0] else {
            Issue.record("the value is not in a file")
            return
        }
        #expect(data.bytes == large)
        // The second program does not begin a generation: it knows that it is not alone.
        #expect(other.historyLine == store.historyLine)
        other.close()
        store.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/links")
        #expect(names == ["l.sqlite"])
    }

    /// SQLite would remove the log as one of another file.
    @Test(arguments: [true, false])
    func aLogWithoutItsFileIsNotRemoved(_ isEmpty: Bool) throws {
        let store = try open()
        _ = try store.insert(thing, ["name": .string("x")])
        let copy = folder.path + "/copy.sqlite"
        try FileManager.default.copyItem(atPath: folder.store + "-wal", toPath: copy + "-wal")
        store.close()
        if isEmpty { try Data().write(to: URL(filePath: copy)) }
        let before = try Data(contentsOf: URL(filePath: copy + "-wal"))
        let error = #expect(throws: StoreError.self) { try open(copy) }
        guard case .incompatible(code: 134080, let text)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("is missing or empty, and"), "\(text)")
        #expect(try Data(contentsOf: URL(filePath: copy + "-wal")) == before)
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808", "4611686018427387905"])
    func aCounterOutOfRangeLosesNoSave(_ number: String) throws {
        let store = try open()
        _ = try store.insert(thing, ["name": .string("x")])
        let raw = try RawDatabase(folder.store)
        try raw.run("UPDATE Z_PRIMARYKEY SET Z_MAX = \(number) WHERE Z_ENT = 16002")
        if number.hasPrefix("-") {
            // It counts as the largest key.
            _ = try store.insert(thing, ["name": .string("y")])
            store.close()
        } else {
            #expect(throws: StoreError.self) { try store.insert(thing, ["name": .string("y")]) }
            store.close()
            #expect(throws: StoreError.self) { try open() }
        }
        try raw.run(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT = 16002; "
                + "INSERT INTO ATRANSACTION (Z_PK, Z_ENT) VALUES (\(number), 16002); "
                + "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE) VALUES (\(number), 16001, 0)")
        let again = try open()
        defer { again.close() }
        _ = try? again.deleteHistory(before: 1, limit: 10)
        let reader = try again.reader()
        defer { reader.close() }
        _ = try? reader.firstTransactionToKeep(since: nil, bytes: 1)
        _ = try? reader.oldestTransaction()
        _ = try? reader.history(after: 0, limit: 9, values: true)
    }

    @Test(arguments: [0, -5])
    func aSaveWithANumberBelowOneIsLeftOut(_ number: Int) throws {
        let store = try open()
        defer { store.close() }
        _ = try store.insert(thing, ["name": .string("x")])
        try RawDatabase(folder.store).run(
            "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP) VALUES (\(number), 16002, 1e9)")
        let reader = try store.reader()
        defer { reader.close() }
        let oldest = try reader.oldestTransaction()
        #expect(oldest == 1)
        let kept = try reader.firstTransactionToKeep(since: 0, bytes: nil)
        #expect(kept == 1)
        let saves = try reader.history(after: 0, limit: 9, values: true)
        #expect(saves.map(\.number) == [1])
    }

    /// Another program has cleared the history, and saves are numbered from 1 again.
    @Test func aClearedHistoryDoesNotLockTheStoreOut() throws {
        var tokens: [(generation: String, number: Int64)] = []
        for _ in 0..<3 {
            let store = try open()
            for _ in 0..<2 { _ = try store.insert(thing, ["name": .string("x")]) }
            let last = try store.now
            tokens.append((store.historyLine.generation(of: last), last))
            store.close()
        }
        try RawDatabase(folder.store).run(
            "DELETE FROM ACHANGE; DELETE FROM ATRANSACTION; "
                + "UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_ENT IN (16001, 16002)")
        for _ in 0..<2 {
            let store = try open()
            _ = try store.insert(thing, ["name": .string("y")])
            for (generation, number) in tokens {
                #expect(!store.historyLine.has(generation, number), "\(generation)-\(number)")
            }
            store.close()
        }
    }

    /// Before-images have the keys of changes that are no longer there.
    @Test func aClearedHistoryLeavesBeforeImages() throws {
        let store = try open()
        var row = try store.insert(thing, ["name": .string("x")])
        for name in ["y", "z"] { row = try store.update(row, ["name": .string(name)]) }
        store.close()
        try RawDatabase(folder.store).run(
            "DELETE FROM ACHANGE; DELETE FROM ATRANSACTION; "
                + "UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_ENT IN (16001, 16002)")
        let again = try open()
        defer { again.close() }
        for name in ["a", "b", "c"] { row = try again.update(row, ["name": .string(name)]) }
        #expect(row.version == 6)
    }

    /// Closing any descriptor of the file would release the locks that keep others from it.
    @Test func aDamagedPageDoesNotReleaseTheLocks() throws {
        let store = try open()
        _ = try store.insert(thing, ["name": .string("x")])
        try RawDatabase(folder.store).run("CREATE TABLE BAD (V); INSERT INTO BAD VALUES (1)")
        store.close()
        let page = try #require(
            try RawDatabase(folder.store).texts(
                "SELECT rootpage FROM sqlite_master WHERE name = 'BAD'"
            ).first.flatMap { Int($0) })
        let file = try FileHandle(forUpdating: URL(filePath: folder.store))
        try file.seek(toOffset: UInt64((page - 1) * 4_096))
        try file.write(contentsOf: Data(repeating: 0xFF, count: 4_096))
        try file.close()
        let again = try open()
        defer { again.close() }
        let reader = try Connection(path: folder.store, creates: false)
        _ = try reader.integer(SQLText("SELECT COUNT(*) FROM ZTHING"))
        let before = try locks()
        #expect(!before.isEmpty)
        let error = #expect(throws: StoreError.self) {
            try reader.rows(SQLText("SELECT V FROM BAD"), [], [.integer])
        }
        #expect(error?.sentence.contains("is damaged, or an incomplete copy") == true)
        #expect(try locks() == before)
    }

    /// The locks of this process on the store's file.
    private func locks() throws -> [String] {
        var found = stat()
        #expect(stat(folder.store, &found) == 0)
        let all = try String(contentsOfFile: "/proc/locks", encoding: .utf8)
        return all.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ").map(String.init)
            guard words.count > 5, words[4] == "\(getpid())",
                words[5].hasSuffix(":\(found.st_ino)")
            else { return nil }
            return words.dropFirst().joined(separator: " ")
        }.sorted()
    }

    /// Core Data's own rows have a version; a row of another program need not.
    @Test func aRowWithoutAVersionIsChanged() throws {
        let store = try open()
        defer { store.close() }
        let raw = try RawDatabase(folder.store)
        try raw.run("INSERT INTO ZTHING (Z_PK, Z_ENT, ZNAME) VALUES (5, 1, 'a'), (6, 1, 'b')")
        let row = try #require(try store.snapshot(thing, 5))
        #expect(try store.update(row, ["name": .string("c")]).version == 1)
        #expect(try raw.texts("SELECT ZNAME FROM ZTHING WHERE Z_PK = 5") == ["c"])
    }

    @Test func metadataIsSetInTheModeOfTheJournal() throws {
        try open().close()
        let raw = try RawDatabase(folder.store)
        #expect(try raw.texts("PRAGMA journal_mode = DELETE") == ["delete"])
        let before = try Data(contentsOf: URL(filePath: folder.store))
        #expect(throws: (any Error).self) {
            try SQLiteStore.changeMetadata(path: folder.store) { $0["NSStoreType"] = .string("x") }
        }
        #expect(try Data(contentsOf: URL(filePath: folder.store)) == before)
        try SQLiteStore.changeMetadata(path: folder.store) { $0["release"] = .string("3") }
        #expect(try SQLiteStore.metadata(path: folder.store)["release"] == .string("3"))
        #expect(try raw.texts("PRAGMA journal_mode") == ["delete"])
    }
}
