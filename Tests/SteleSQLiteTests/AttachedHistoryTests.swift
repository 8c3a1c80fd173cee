// A store that came without a history has it in a file beside it.

import Foundation
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import SteleSystem
import TestSupport
import Testing

@Suite struct AttachedHistoryTests {
    private let folder: TemporaryFolder
    private let model: Model
    private var path: String { folder.store }
    private var beside: String { folder.store + "-stele" }

    init() throws {
        folder = try TemporaryFolder()
        model = try makeModel([
            EntityMaker("Tag").attribute("name", .string).toMany("things", "Thing", inverse: "tag"),
            EntityMaker("Thing").attribute("name", .string).attribute("count", .integer32)
                .toOne("tag", "Tag", inverse: "things"),
        ])
        try makeBareStore(model, at: path)
    }

    private func open(_ place: HistoryPlace = .auto) throws -> SQLiteStore {
        try SQLiteStore.open(path: path, model: model, history: place)
    }

    private func thing() throws -> Entity { try #require(model.entity(named: "Thing")) }

    /// Saves that insert an object each.
    private func save(_ store: SQLiteStore, _ count: Int) throws {
        for _ in 0..<count { _ = try store.insert(try thing(), ["name": .string("x")]) }
    }

    /// The kept saves with the values, as texts without times.
    private func history(_ store: SQLiteStore) throws -> [String] {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.history(after: 0, limit: 1_000, values: true).map { save in
            "\(save.number) \(save.author ?? "") \(save.contextName ?? "") "
                + save.changes.map { "\($0)" }.joined(separator: "; ")
        }
    }

    private func numbers(_ store: SQLiteStore) throws -> [Int64] {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.history(after: 0, limit: 1_000, values: false).map(\.number)
    }

    private func lacks(_ store: SQLiteStore, after number: Int64) throws -> Bool {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.lacksHistory(after: number)
    }

    private func copy(_ endings: [String], from: String, to: String) throws {
        for ending in endings {
            try? FileManager.default.removeItem(atPath: to + ending)
            try FileManager.default.copyItem(atPath: from + ending, toPath: to + ending)
        }
    }

    private func bytes(_ file: String) throws -> Data {
        try Data(contentsOf: URL(filePath: file))
    }

    /// The two numbers in the files.
    private func expectEqualNumbers(_ number: Int64) throws {
        let saves = try RawDatabase(path).texts("SELECT ZTRANSACTION FROM STELE_SAVE")
        let counter = try RawDatabase(beside).texts(
            "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 16002")
        #expect(saves == ["\(number)"] && counter == ["\(number)"])
        for file in [path, beside] {
            #expect(try RawDatabase(file).texts("PRAGMA integrity_check") == ["ok"])
        }
    }

    // MARK: Saving

    /// Random saves leave the same history as in a store that has the tables itself, also after a
    /// restart, and the store gets one table.
    @Test func theHistoryIsThatOfAnotherStore() throws {
        let tables = "SELECT sql FROM sqlite_master ORDER BY name"
        let before = try RawDatabase(path).texts(tables)
        let counters = try RawDatabase(path).texts("SELECT Z_ENT FROM Z_PRIMARYKEY")
        let other = folder.path + "/other.sqlite"
        var stores = [try open(), try SQLiteStore.open(path: other, model: model)]
        defer { for store in stores { store.close() } }
        var numbers = SeededNumbers(seed: drawSeed(#function))
        var objects: [[Snapshot]] = [[], []]
        for step in 0..<120 {
            let choice = numbers.below(4)
            let place = objects[0].isEmpty ? 0 : numbers.below(objects[0].count)
            for (index, store) in stores.enumerated() {
                if choice < 2 || objects[index].isEmpty {
                    objects[index].append(
                        try store.insert(
                            try thing(), ["name": .string("n\(step)"), "count": .int(1)]))
                } else if choice == 2 {
                    objects[index][place] = try store.update(
                        objects[index][place], ["count": .int(Int64(step))])
                } else {
                    try store.delete(objects[index].remove(at: place))
                }
            }
            if step == 60 {
                for store in stores { store.close() }
                stores = [try open(), try SQLiteStore.open(path: other, model: model)]
            }
        }
        let (own, wanted) = (try history(stores[0]), try history(stores[1]))
        #expect(own.count == 120 && own == wanted)
        // A part of it is deleted, in both alike.
        for store in stores { #expect(try store.deleteHistory(before: 40, limit: 100) == 39) }
        #expect(try history(stores[0]) == history(stores[1]))
        for store in stores { store.close() }
        let added = Set(try RawDatabase(path).texts(tables)).subtracting(before)
        #expect(
            added == ["CREATE TABLE STELE_SAVE ( Z_PK INTEGER PRIMARY KEY, ZTRANSACTION INTEGER )"])
        #expect(try RawDatabase(path).texts(tables).count == before.count + 1)
        #expect(try RawDatabase(path).texts("SELECT Z_ENT FROM Z_PRIMARYKEY") == counters)
        try expectEqualNumbers(120)
        for ending in ["-wal", "-shm"] {
            #expect(!FileManager.default.fileExists(atPath: beside + ending))
        }
    }

    /// A receipt is in the store, so that it is there whenever its save is.
    @Test func aReceiptIsInTheStore() throws {
        let store = try open()
        var request = SaveRequest(readToken: try store.now)
        request.changes = [
            ObjectChange(.insert, entity: try thing().index, key: -1, values: try thing().row([:]))
        ]
        request.receipt = ReceiptRequest(key: "k", fingerprint: 7) { _ in [1] }
        _ = try store.save(request)
        store.close()
        #expect(try RawDatabase(path).texts("SELECT ZKEY FROM STELE_IDEMPOTENCY") == ["k"])
    }

    /// A view is of one moment in both files, however many saves are made meanwhile.
    @Test func aViewIsOfOneMoment() throws {
        let store = try open()
        defer { store.close() }
        let entity = try thing()
        let isDone = Mutex(false)
        let views = onThreads(5) { number -> [String] in
            var problems: [String] = []
            do {
                if number == 0 {
                    defer { isDone.withLock { $0 = true } }
                    try save(store, 300)
                    return []
                }
                repeat {
                    let reader = try store.reader()
                    defer { reader.close() }
                    let token = try reader.token
                    let count = try reader.count(FetchRequest(entity: entity))
                    let last = try reader.history(
                        after: max(token - 1, 0), limit: 10, values: true)
                    if count != Int(token) || last.map(\.number) != (token > 0 ? [token] : []) {
                        problems.append("\(token): \(count) objects, \(last.map(\.number))")
                    }
                } while !isDone.withLock { $0 }
            } catch { problems.append("\(error)") }
            return problems
        }
        #expect(views.flatMap { $0 } == [])
        #expect(try store.now == 300)
    }

    // MARK: Opening

    /// The process ended after the store's commit and before that of the history.
    @Test func aSaveWithoutItsHistoryEndsTheHistory() throws {
        var store = try open()
        try save(store, 4)
        let kept = try #require(try store.snapshot(try thing(), 4))
        store.close()
        let history = try RawDatabase(beside)
        try history.run(
            """
            DELETE FROM ACHANGE WHERE ZTRANSACTIONID = 4; DELETE FROM ATRANSACTION WHERE Z_PK = 4;
            UPDATE Z_PRIMARYKEY SET Z_MAX = 3 WHERE Z_ENT = 16002
            """)
        store = try open()
        #expect(try store.now == 4 && numbers(store) == [])
        #expect(try lacks(store, after: 3) && !lacks(store, after: 4))
        // The history begins anew.
        _ = try store.update(kept, ["name": .string("y")])
        #expect(try numbers(store) == [5])
        #expect(try !lacks(store, after: 4) && lacks(store, after: 3))
        store.close()
        try expectEqualNumbers(5)
    }

    /// A copy of the store is put back without its history.
    @Test func savesBehindTheStoreAreNoneOfIt() throws {
        var store = try open()
        try save(store, 3)
        store.close()
        try copy([""], from: path, to: folder.path + "/backup")
        store = try open()
        try save(store, 3)
        let gone = (try store.now, store.historyLine.generation(of: 6))
        let known = store.historyLine.generation(of: 3)
        store.close()
        try copy([""], from: folder.path + "/backup", to: path)
        store = try open()
        #expect(try store.now == 3 && numbers(store) == [1, 2, 3])
        #expect(!store.historyLine.has(gone.1, gone.0) && store.historyLine.has(known, 3))
        let first = try #require(try store.snapshot(try thing(), 1))
        _ = try store.update(first, ["name": .string("new")])
        try save(store, 1)
        #expect(try numbers(store) == [1, 2, 3, 4, 5])
        #expect(!store.historyLine.has(gone.1, 5))
        let reader = try store.reader()
        let old = try reader.slots(
            of: ObjectID(root: try thing().root, key: 1), atVersion: 1)
        reader.close()
        #expect(old?.values.contains(Value.string("x")) == true)
        store.close()
        try expectEqualNumbers(5)
    }

    /// The store and the history have the same number, of different saves.
    @Test func aHistoryOfOtherSavesIsDropped() throws {
        let (backup, other) = (folder.path + "/backup", folder.path + "/other")
        var store = try open()
        try save(store, 3)
        store.close()
        try copy(["", "-stele"], from: path, to: backup)
        store = try open()
        try save(store, 2)
        store.close()
        try copy([""], from: path, to: other)
        try copy(["", "-stele"], from: backup, to: path)
        store = try open()
        try save(store, 2)
        #expect(try numbers(store) == [1, 2, 3, 4, 5])
        store.close()
        try copy([""], from: other, to: path)
        store = try open()
        #expect(try store.now == 5 && numbers(store) == [])
        try save(store, 1)
        #expect(try numbers(store) == [6])
        store.close()
        try expectEqualNumbers(6)
    }

    /// Without its file the history begins anew after the last save.
    @Test func aMissingHistoryBeginsAnew() throws {
        var store = try open()
        try save(store, 4)
        store.close()
        try FileManager.default.removeItem(atPath: beside)
        store = try open()
        #expect(try store.now == 4 && lacks(store, after: 3) && !lacks(store, after: 4))
        try save(store, 2)
        #expect(try numbers(store) == [5, 6])
        store.close()
        try expectEqualNumbers(6)
    }

    /// Both files together are a copy of the store.
    @Test func aCopyOfBothFilesIsAWholeStore() throws {
        let store = try open()
        try save(store, 3)
        store.close()
        let other = folder.path + "/other.sqlite"
        try copy(["", "-stele"], from: path, to: other)
        let copied = try SQLiteStore.open(path: other, model: model)
        #expect(try numbers(copied) == [1, 2, 3])
        copied.close()
    }

    // MARK: Refusing

    @Test func theHistoryOfAnotherStoreIsRefused() throws {
        let store = try open()
        let identifier = store.identifier
        store.close()
        let other = folder.path + "/other.sqlite"
        try makeBareStore(model, at: other)
        let second = try SQLiteStore.open(path: other, model: model)
        let owner = second.identifier
        try save(second, 1)
        second.close()
        try copy(["-stele"], from: other, to: path)
        let before = try [bytes(path), bytes(beside)]
        #expect {
            try open()
        } throws: { error in
            guard case StoreError.incompatible(code: 134020, let text) = error else { return false }
            return text.contains(identifier) && text.contains(owner) && text.contains("-stele away")
        }
        #expect(try [bytes(path), bytes(beside)] == before)
        // The way out.
        try FileManager.default.removeItem(atPath: beside)
        try open().close()
    }

    @Test(arguments: ["SQLite", "text"]) func anotherFileInItsPlaceIsRefused(_ kind: String) throws
    {
        if kind == "text" {
            try Data(String(repeating: "not a database ", count: 400).utf8)
                .write(to: URL(filePath: beside))
        } else {
            try RawDatabase(beside).run("CREATE TABLE it (a)")
        }
        let before = try [bytes(path), bytes(beside)]
        #expect {
            try open()
        } throws: { error in
            guard case StoreError.incompatible(_, let text) = error else { return false }
            return text.contains(beside)
        }
        #expect(try [bytes(path), bytes(beside)] == before)
    }

    // MARK: Moving

    /// With the setting the history is in the store from then on, and begins anew.
    @Test func theSettingMovesTheHistoryIntoTheStore() throws {
        var store = try open()
        try save(store, 3)
        let old = store.historyLine.generation(of: 3)
        store.close()
        store = try open(.store)
        #expect(!FileManager.default.fileExists(atPath: beside))
        #expect(!store.historyLine.has(old, 3))
        try save(store, 2)
        #expect(try numbers(store) == [1, 2])
        store.close()
        let tables = try RawDatabase(path).texts("SELECT name FROM sqlite_master")
        #expect(tables.contains("ACHANGE") && !tables.contains("STELE_SAVE"))
        store = try open()
        #expect(try numbers(store) == [1, 2])
        store.close()
        #expect(!FileManager.default.fileExists(atPath: beside))
    }

    /// A store that gets a history of its own while it is open is not written any more.
    @Test func aHistoryThatAppearsStopsTheSaves() throws {
        var store = try open()
        try save(store, 2)
        try RawDatabase(path).run("CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY)")
        #expect(throws: StoreError.self) { try save(store, 1) }
        #expect(throws: StoreError.self) { try save(store, 1) }
        store.close()
        #expect(try RawDatabase(path).texts("SELECT COUNT(*) FROM ZTHING") == ["2"])
        try RawDatabase(path).run("DROP TABLE ATRANSACTION")
        store = try open()
        try save(store, 1)
        #expect(try numbers(store) == [1, 2, 3])
        store.close()
    }
}
