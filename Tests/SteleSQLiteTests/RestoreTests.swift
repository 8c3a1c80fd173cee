// A copy of a store that is put back gives the numbers after its last save once more: tokens of the
// saves that are gone are none of it.

import Foundation
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite struct RestoreTests {
    /// A save as a token names it.
    private struct Place {
        let generation: String
        let number: Int64
    }

    private let folder: TemporaryFolder
    private let model: Model

    init() throws {
        folder = try TemporaryFolder()
        model = try makeModel([EntityMaker("Thing").attribute("name", .string)])
    }

    private func open() throws -> SQLiteStore {
        try SQLiteStore.open(path: folder.store, model: model)
    }

    /// Saves some, and gives their places.
    private func save(_ store: SQLiteStore, _ count: Int) throws -> [Place] {
        let entity = try #require(model.entity(named: "Thing"))
        return try (0..<count).map { _ in
            _ = try store.insert(entity, ["name": .string("x")])
            let number = try store.now
            return Place(generation: store.historyLine.generation(of: number), number: number)
        }
    }

    private func known(_ places: [Place], in store: SQLiteStore) -> [Int64] {
        places.filter { store.historyLine.has($0.generation, $0.number) }.map(\.number)
    }

    private func copy(_ from: String, _ to: String) throws {
        for ending in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: to + ending)
            if FileManager.default.fileExists(atPath: from + ending) {
                try FileManager.default.copyItem(atPath: from + ending, toPath: to + ending)
            }
        }
    }

    @Test func whatWasSavedBehindTheCopyIsUnknown() throws {
        var store = try open()
        var before = try save(store, 3)
        store.close()
        store = try open()
        before += try save(store, 2)
        store.close()
        let backup = folder.path + "/backup"
        try copy(folder.store, backup)
        store = try open()
        let gone = try save(store, 3)
        #expect(known(before + gone, in: store) == Array(1...8))
        store.close()
        store = try open()
        #expect(known(before + gone, in: store) == Array(1...8))
        store.close()
        // Twice: the second time from the same copy.
        for _ in 0..<2 {
            try copy(backup, folder.store)
            store = try open()
            let new = try save(store, 4)
            #expect(known(before, in: store) == Array(1...5) && known(gone, in: store) == [])
            #expect(known(new, in: store) == Array(6...9))
            store.close()
            store = try open()
            #expect(known(before + new, in: store) == Array(1...9))
            #expect(known(gone, in: store) == [])
            store.close()
        }
    }

    /// What was saved by the same program before and after the copy was made.
    @Test func aCopyOfAStoreThatIsInUseIsToldApart() throws {
        var store = try open()
        let before = try save(store, 3)
        let backup = folder.path + "/backup"
        _ = try RawDatabase(folder.store).texts("VACUUM INTO '\(backup)'")
        let gone = try save(store, 3)
        store.close()
        try copy(backup, folder.store)
        store = try open()
        defer { store.close() }
        #expect(known(before + gone, in: store) == [1, 2, 3])
        #expect(known(try save(store, 4), in: store) == [4, 5, 6, 7])
        #expect(known(gone, in: store) == [])
    }

    /// Who comes beside another goes on with it, whoever leaves first.
    @Test func allWhoUseAStoreHaveOneLine() throws {
        let first = try open()
        _ = try save(first, 1)
        let second = try open()
        let places = try save(first, 1) + save(second, 1)
        #expect(second.historyLine == first.historyLine)
        #expect(known(places, in: first) == [2, 3] && known(places, in: second) == [2, 3])
        first.close()
        let third = try open()
        #expect(third.historyLine == second.historyLine)
        second.close()
        #expect(FileManager.default.fileExists(atPath: folder.store + "-lock"))
        third.close()
        #expect(!FileManager.default.fileExists(atPath: folder.store + "-lock"))
        // Left behind by one that was killed.
        #expect(FileManager.default.createFile(atPath: folder.store + "-lock", contents: nil))
        let fourth = try open()
        defer { fourth.close() }
        #expect(fourth.historyLine != third.historyLine && known(places, in: fourth) == [2, 3])
    }

    @Test func aLineIsKeptAsItsTexts() throws {
        var line = HistoryLine("aa")
        #expect(line.generation(of: 0) == "aa" && line.generation(of: 9) == "aa")
        line.begin("bb", after: 0)
        // Nothing was saved in it.
        line.begin("cc", after: 0)
        line.begin("dd", after: 5)
        #expect(line.texts == ["aa-0", "cc-0", "dd-5"])
        #expect(
            [0, 1, 5, 6, 99].map { line.generation(of: $0) } == ["aa", "cc", "cc", "dd", "dd"])
        #expect(line.has("aa", 0) && !line.has("aa", 1) && line.has("cc", 5) && !line.has("cc", 6))
        #expect(line.has("dd", 1) && line.has("dd", 999) && !line.has("bb", 0))
        #expect(HistoryLine(line.texts) == line)
        for texts in [[], ["aa"], ["aa-x"], ["aa-1", "bb-0"], ["aa--1"]] {
            #expect(HistoryLine(texts) == nil, "\(texts)")
        }
        for number in 1...2_000 { line.begin(String(number), after: 5 + Int64(number)) }
        #expect(line.texts.count == 1_000 && line.has("2000", 5_000) && !line.has("dd", 6))
    }
}
