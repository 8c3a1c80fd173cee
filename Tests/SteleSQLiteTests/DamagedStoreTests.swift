// Stores that another program has damaged: one meaning for each row, and refusals that change
// nothing.

import Foundation
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

@Suite struct DamagedStoreTests {
    private let shop: Shop

    init() throws { shop = try Shop() }

    private func entity(_ name: String) throws -> Entity {
        try #require(shop.model.entity(named: name))
    }

    private func open() throws -> SQLiteStore {
        try SQLiteStore.open(path: shop.path, model: shop.model)
    }

    /// A row of no entity of its table counts as an object of the table's root in every read.
    @Test(arguments: ["77", "NULL", "-9223372036854775808", "7"])
    func aRowOfAForeignEntityIsReadAsOneOfTheRoot(_ number: String) throws {
        try shop.run("UPDATE ZTAG SET Z_ENT = \(number); UPDATE ZITEM SET Z_ENT = \(number)")
        let store = try open()
        defer { store.close() }
        let reader = try store.reader()
        defer { reader.close() }
        for (name, keys) in [("Tag", [1]), ("Item", [1, 2, 3])] as [(String, [Int64])] {
            let request = FetchRequest(entity: try entity(name))
            #expect(try reader.fetch(request).map(\.key).sorted() == keys)
            #expect(try reader.count(request) == keys.count)
            #expect(try reader.fetch(request).allSatisfy { $0.entity == request.entity.index })
            let id = ObjectID(root: request.entity.index, key: 1)
            #expect(try reader.snapshot(id)?.entity == request.entity.index)
            #expect(try store.newest(id)?.key == 1)
        }
        let books = FetchRequest(entity: try entity("Book"))
        #expect(try reader.fetch(books).isEmpty)
        #expect(try reader.count(books) == 0)
    }

    /// A store that is refused is not adopted and keeps its bytes.
    @Test(arguments: [
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_ENT = 16002",
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_ENT = 16001",
    ])
    func aHistoryOutOfRangeIsRefusedWithoutAChange(_ damage: String) throws {
        try shop.run(damage)
        let before = try FolderState(shop.folder.path)
        let error = #expect(throws: StoreError.self) { try open() }
        guard case .incompatible(code: 134080, let text)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("out of range") && text.contains("stele inspect"), "\(text)")
        #expect(text.contains("of the row 1600") && text.contains("set it to the"), "\(text)")
        #expect(try FolderState(shop.folder.path) == before)
        #expect(try !shop.inspect().differences.isEmpty)
    }

    /// A copy takes the keys of objects, and saves nothing in the history.
    @Test(arguments: [16_001, 16_002])
    func aHistoryOutOfRangeIsRead(_ number: Int) throws {
        let store = try ReadOnlySQLiteStore.open(path: shop.path, model: shop.model)
        let keys = try store.highestKeys
        store.close()
        try shop.run(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_ENT = \(number)")
        let again = try ReadOnlySQLiteStore.open(path: shop.path, model: shop.model)
        defer { again.close() }
        #expect(try again.highestKeys == keys)
    }

    /// A counter of the history below a number in use costs numbers, and no save.
    @Test(arguments: [16_001, 16_002, 16_003])
    func aCounterOfTheHistoryThatIsTooLowIsPassed(_ number: Int) throws {
        try shop.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_ENT = \(number)")
        // The texts are in use from 1 on, and the other numbers from 4 and 8 on.
        try shop.run(
            "UPDATE ATRANSACTION SET Z_PK = 1 WHERE Z_PK = 4; "
                + "UPDATE ACHANGE SET Z_PK = 1, ZTRANSACTIONID = 1 WHERE Z_PK = 8")
        let store = try open()
        defer { store.close() }
        for name in ["a", "b"] {
            _ = try store.insert(try entity("Tag"), ["name": .string(name)])
        }
        store.close()
        #expect(
            try !shop.inspect().differences.contains {
                $0.contains("row \(number) in Z_PRIMARYKEY")
            })
    }

    /// A counter of the history below 0 counts as the largest key, and reading needs none.
    @Test(arguments: [16_001, 16_002, 16_003])
    func aCounterOfTheHistoryBelow0IsMended(_ number: Int) throws {
        func differences() throws -> [String] {
            try shop.inspect().differences.filter { $0.contains("the row \(number) ") }
        }
        try shop.run("UPDATE Z_PRIMARYKEY SET Z_MAX = -1 WHERE Z_ENT = \(number)")
        #expect(try !differences().isEmpty)
        let read = try ReadOnlySQLiteStore.open(path: shop.path, model: shop.model)
        let reader = try read.reader()
        #expect(try reader.count(FetchRequest(entity: try entity("Item"))) == 3)
        reader.close()
        read.close()
        let store = try open()
        #expect(try store.now == (number == 16_002 ? 5 : 9))
        _ = try store.insert(try entity("Tag"), ["name": .string("a")])
        #expect(try store.now == (number == 16_002 ? 6 : 10))
        store.close()
        #expect(try differences() == [])
    }

    /// No object has the key 0.
    @Test func aCounterOfAnEmptyTableBelow0GivesKeysFrom1() throws {
        try shop.run(
            "DELETE FROM Z_1TAGS; DELETE FROM ZTAG; "
                + "UPDATE Z_PRIMARYKEY SET Z_MAX = -1 WHERE Z_NAME = 'Tag'")
        let store = try open()
        defer { store.close() }
        #expect(try store.insert(try entity("Tag"), ["name": .string("a")]).key == 1)
    }

    /// A counter of objects that is too low costs keys, and no save.
    @Test func aCounterOfObjectsThatIsTooLowIsPassed() throws {
        try shop.run("UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_ENT = 1")
        let store = try open()
        defer { store.close() }
        let made = try store.insert(try entity("Film"), ["title": .string("new")])
        #expect(made.key > 3)
    }

    /// Metadata that fit the model say that the tables are wrong, and not the model.
    @Test func tablesThatDoNotFitTheStoresOwnModelAreNamed() throws {
        let hashes = Dictionary(
            uniqueKeysWithValues: shop.model.storedEntities.map {
                ($0.name, [UInt8](repeating: UInt8($0.index + 1), count: 32))
            })
        let app = try TemporaryFolder()
        try SQLiteStore.open(path: app.store, model: shop.model, versionHashes: hashes).close()
        for path in [shop.path, app.store] {
            try RawDatabase(path).run("ALTER TABLE ZNOTE DROP COLUMN ZTEXT")
            let error = #expect(throws: StoreError.self) {
                _ = try SQLiteStore.open(path: path, model: shop.model)
            }
            guard case .incompatible(code: 134080, let text)? = error else {
                Issue.record("\(String(describing: error))")
                continue
            }
            #expect(text.hasPrefix("the store was made with this model"), "\(text)")
            #expect(text.contains("no column ZTEXT for Note.text"), "\(text)")
        }
    }

    /// A view of the metadata's name is no store.
    @Test func aViewOfTheMetadataIsNoStore() throws {
        try shop.run(
            "ALTER TABLE Z_METADATA RENAME TO Other; "
                + "CREATE VIEW Z_METADATA AS SELECT * FROM Other")
        #expect(throws: StoreError.self) { try open() }
        #expect(throws: StoreError.self) { try shop.inspect() }
    }
}
