// Files that are damaged, cut off or in use are inspected without a crash and without a change.

import Foundation
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite struct DamagedFileTests {
    private func page(_ shop: Shop, _ table: String) throws -> Int {
        let numbers = try RawDatabase(shop.path).texts(
            "SELECT rootpage FROM sqlite_master WHERE name = '\(table)'")
        return try #require(numbers.first.flatMap { Int($0) })
    }

    private func write(_ bytes: Data, _ shop: Shop) throws {
        try bytes.write(to: URL(filePath: shop.path))
    }

    @Test func aDamagedPageIsFound() throws {
        let shop = try Shop()
        let page = try page(shop, "ZTAG")
        var bytes = try Data(contentsOf: URL(filePath: shop.path))
        bytes.replaceSubrange((page - 1) * 4096..<page * 4096, with: Data(count: 4096))
        try write(bytes, shop)
        let before = try FolderState(shop.folder.path)
        let found = try shop.inspect().differences
        #expect(found.contains { $0.hasPrefix("quick_check: ") }, "\(found)")
        #expect(found.contains { $0.hasPrefix("ZTAG cannot be read: ") }, "\(found)")
        #expect(try FolderState(shop.folder.path) == before)
    }

    /// An index that lacks a row is found by no other check.
    @Test func aDamagedIndexIsFound() throws {
        let shop = try Shop()
        let page = try page(shop, "ZITEM_ZSHELF_INDEX")
        var bytes = try Data(contentsOf: URL(filePath: shop.path))
        // The number of cells on the page.
        bytes[(page - 1) * 4096 + 4] = 1
        try write(bytes, shop)
        #expect(try shop.inspect().differences.contains { $0.hasPrefix("quick_check: ") })
    }

    /// At each length the file is refused with a sentence, or its differences are told.
    @Test func aTruncatedFileIsTold() throws {
        let shop = try Shop()
        let whole = try Data(contentsOf: URL(filePath: shop.path))
        for count in stride(from: 100, to: whole.count, by: 3_001) {
            try write(whole.prefix(count), shop)
            let before = try FolderState(shop.folder.path)
            do {
                #expect(try !shop.inspect().differences.isEmpty, "\(count) bytes")
            } catch let error as StoreError {
                #expect(!error.sentence.isEmpty)
            }
            #expect(try FolderState(shop.folder.path) == before)
        }
    }

    @Test func flippedBytesNeverCrash() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("seed \(seed)")
        var numbers = SeededNumbers(seed: seed)
        let shop = try Shop()
        let whole = try Data(contentsOf: URL(filePath: shop.path))
        var told = 0
        for _ in 0..<300 {
            var bytes = whole
            for _ in 0...numbers.below(20) {
                bytes[numbers.below(bytes.count)] = UInt8(numbers.below(256))
            }
            try write(bytes, shop)
            do { told += try shop.inspect().differences.isEmpty ? 0 : 1 } catch is StoreError {
                told += 1
            }
        }
        #expect(told > 0)
    }

    /// A table of numbers that is no key any more has each number as often as it likes.
    @Test func numbersThatLeadToThemselvesEnd() throws {
        let shop = try Shop()
        try shop.run(
            "DROP TABLE Z_PRIMARYKEY; CREATE TABLE Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX); "
                + "INSERT INTO Z_PRIMARYKEY VALUES (NULL, 'Item', 0, 9), (0, 'Book', 0, 9), "
                + "(1, 'Film', 0, 9), (1, 'Note', 1, 9), (2, 'Tag', 1, 9), (2, 'Shelf', 2, 9), "
                + "('x', 'Person', 'y', 'z')")
        for models in [[], [shop.model]] {
            #expect(try !shop.inspect(models).differences.isEmpty)
        }
    }

    @Test func aFileOfAnotherProgramIsRefused() throws {
        let folder = try TemporaryFolder()
        try RawDatabase(folder.store).run("CREATE TABLE t (a)")
        let before = try FolderState(folder.path)
        #expect {
            try SQLiteStore.inspect(path: folder.store, among: [])
        } throws: { error in
            (error as? StoreError)?.sentence.contains("not a Core Data store") == true
        }
        #expect(try FolderState(folder.path) == before)
    }

    /// A copy of a store in use, with its latest saves in the log beside it.
    @Test(arguments: [["-wal"], ["-wal", "-shm"]])
    func aStoreWithALogIsInspected(_ endings: [String]) throws {
        let shop = try Shop()
        let store = try SQLiteStore.open(path: shop.path, model: shop.model)
        _ = try store.insert(
            try #require(shop.model.entity(named: "Tag")), ["name": .string("old")])
        let copy = try TemporaryFolder()
        for ending in [""] + endings {
            try FileManager.default.copyItem(
                atPath: shop.path + ending, toPath: copy.store + ending)
        }
        store.close()
        let before = try FolderState(copy.path)
        let found = try SQLiteStore.inspect(path: copy.store, among: [shop.model])
        #expect(found.differences == [] && found.entities.last?.objects == 2)
        #expect(found.files.map(\.role) == [.store, .log])
        #expect(try FolderState(copy.path) == before)
    }

    /// The latest saves are in the log of a process that has the store open.
    @Test func aStoreInUseIsInspected() throws {
        let shop = try Shop()
        let store = try SQLiteStore.open(path: shop.path, model: shop.model)
        defer { store.close() }
        _ = try store.insert(
            try #require(shop.model.entity(named: "Tag")), ["name": .string("old")])
        // The store's own threads read and date the index of the log at any moment.
        let before = try FolderState(shop.folder.path, except: "-shm")
        let found = try shop.inspect()
        #expect(found.differences == [] && found.entities.last?.objects == 2)
        #expect(found.files.map(\.role) == [.store, .log])
        #expect(try FolderState(shop.folder.path, except: "-shm") == before)
    }
}
