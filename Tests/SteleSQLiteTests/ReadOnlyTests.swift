// A store that is only read shows what it has, refuses writes, and leaves its folder as it was.

import Foundation
import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct ReadOnlyTests {
    /// The files beside the store, and whether it is open for writing meanwhile.
    enum Beside: String, CaseIterable {
        case nothing, log, logAndIndex, emptyLogAndIndex, headerAndIndex, journal, open
    }

    private static let model: Result<Model, any Error> = Result {
        try makeModel([
            EntityMaker("Thing").attribute("name", .string).attribute("count", .integer32)
        ])
    }

    private let folder: TemporaryFolder
    private let model: Model
    private var path: String { folder.store }

    init() throws {
        folder = try TemporaryFolder()
        model = try Self.model.get()
    }

    private func thing() throws -> Entity { try #require(model.entity(named: "Thing")) }

    private func names(_ store: any PersistentStore) throws -> [String] {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.fetch(.init(entity: try thing())).compactMap { object in
            object.values.compactMap { if case .string(let text) = $0 { text } else { nil } }.first
        }.sorted()
    }

    private func history(_ store: any PersistentStore) throws -> [String] {
        let reader = try store.reader()
        defer { reader.close() }
        return try reader.history(after: 0, limit: 1_000, values: true).map { "\($0)" }
    }

    /// A store with two objects and an update, and one that is open for writing.
    private func make(_ beside: Beside) throws -> (open: SQLiteStore?, history: [String]) {
        let origin = try TemporaryFolder()
        let place = beside == .open ? folder.store : origin.store
        let store = try SQLiteStore.open(path: place, model: model)
        let first = try store.insert(try thing(), ["name": .string("a")])
        _ = try store.insert(try thing(), ["name": .string("b")])
        _ = try store.update(first, ["count": .int(3)])
        let saves = try history(store)
        if beside == .open { return (store, saves) }
        switch beside {
        case .log, .logAndIndex: try copy(origin, beside == .log ? ["-wal"] : ["-wal", "-shm"])
        case .emptyLogAndIndex:
            try RawDatabase(place).run("PRAGMA wal_checkpoint(TRUNCATE)")
            try copy(origin, ["-wal", "-shm"])
        case .headerAndIndex:
            // The process has ended before it wrote the first frame.
            let log = try Data(contentsOf: URL(fileURLWithPath: place + "-wal")).prefix(32)
            try #require(log.count == 32)
            try RawDatabase(place).run("PRAGMA wal_checkpoint(TRUNCATE)")
            try copy(origin, ["-wal", "-shm"])
            try log.write(to: URL(fileURLWithPath: path + "-wal"))
        default: break
        }
        store.close()
        if beside == .nothing { try copy(origin, []) }
        if beside == .journal { try leaveJournal(origin) }
        return (nil, saves)
    }

    private func copy(_ origin: TemporaryFolder, _ endings: [String]) throws {
        for ending in [""] + endings {
            try FileManager.default.copyItem(
                atPath: origin.store + ending, toPath: path + ending)
        }
    }

    /// Copies a store in the midst of a transaction with a rollback journal, as the end of a
    /// process leaves it: rows are changed in the file, and the journal has the old ones.
    private func leaveJournal(_ origin: TemporaryFolder) throws {
        let other = try RawDatabase(origin.store)
        try other.run("PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; PRAGMA cache_spill = 1")
        try other.run("BEGIN IMMEDIATE; UPDATE ZTHING SET ZNAME = 'wrong'")
        try other.run(
            "CREATE TABLE T (A); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                + "WHERE i < 500) INSERT INTO T SELECT zeroblob(1000) FROM n")
        try copy(origin, ["-journal"])
        try other.run("ROLLBACK")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        try #require(bytes.range(of: Data("wrong".utf8)) != nil, "nothing was written yet")
    }

    @Test(arguments: Beside.allCases)
    func aStoreIsReadAndItsFolderStaysAsItWas(_ beside: Beside) throws {
        let (open, saves) = try make(beside)
        defer { open?.close() }
        // The index of an open store is that of its service, whose checkpoints date it.
        let ending = beside == .open ? "-shm" : nil
        let before = try FolderState(folder.path, except: ending)
        #expect(
            before.names.contains("store.sqlite-wal") == (beside != .nothing && beside != .journal))
        let store = try ReadOnlySQLiteStore.open(path: path, model: model)
        #expect(store.isReadOnly && store.isCopied == (beside != .nothing))
        #expect(try names(store) == ["a", "b"])
        #expect(try history(store) == saves)
        let reader = try store.reader()
        #expect(try reader.token == 3)
        let object = try #require(try reader.snapshot(ObjectID(root: 0, key: 1)))
        #expect(try reader.slots(of: ObjectID(root: 0, key: 1), atVersion: 1)?.count == 1)
        #expect(object.version == 2)
        reader.close()
        #expect(try store.newest(ObjectID(root: 0, key: 1))?.version == 2)
        #expect(try store.metadata["NSStoreUUID"] == .string(store.identifier))
        #expect(try store.highestKeys == [0: 2])
        try expectRefusals(store)
        #expect(try FolderState(folder.path, except: ending) == before)
        store.close()
        #expect(throws: StoreError.self) { try store.reader() }
        // The look before each opening, too.
        #expect(try SQLiteStore.metadata(path: path)["NSStoreUUID"] == .string(store.identifier))
        #expect(try FolderState(folder.path, except: ending) == before)
    }

    /// A counter below the largest key of the history counts as that key, on each way into the store.
    @Test(arguments: [-5, 1])
    func aCounterThatIsTooLowDoesNotEndTheHistory(_ counter: Int) throws {
        let saves = try make(.nothing).history
        try RawDatabase(path).run("UPDATE Z_PRIMARYKEY SET Z_MAX = \(counter) WHERE Z_ENT = 16002")
        func check(_ store: any PersistentStore) throws {
            defer { store.close() }
            let reader = try store.reader()
            defer { reader.close() }
            #expect(try reader.token == 3)
            #expect(try history(store) == saves)
        }
        try check(try ReadOnlySQLiteStore.open(path: path, model: model))
        try check(try SQLiteStore.open(path: path, model: model))
    }

    private func expectRefusals(_ store: any PersistentStore) throws {
        func expectRefusal(_ what: String, _ write: () throws -> Void) {
            do {
                try write()
                Issue.record("\(what) was not refused")
            } catch StoreError.readOnly(let text) {
                #expect(text.contains(path), "\(what)")
            } catch {
                Issue.record("\(what): \(error)")
            }
        }
        var request = SaveRequest(readToken: 3)
        request.changes = [
            ObjectChange(
                .insert, entity: 0, key: -1, values: try thing().row(["name": .string("x")]))
        ]
        expectRefusal("save") { _ = try store.save(request) }
        expectRefusal("saveAndWait") { _ = try store.saveAndWait(request) }
        expectRefusal("making") { _ = try store.save { _ in request } }
        expectRefusal("inParts") { _ = try store.save(inParts: { _ = try $0.save(request) }) }
        expectRefusal("deleteHistory") { _ = try store.deleteHistory(before: 3, limit: 10) }
        expectRefusal("changeMetadata") { try store.changeMetadata { $0["a"] = .string("b") } }
        expectRefusal("externalDataWriter") { _ = try store.externalDataWriter() }
    }

    /// A copy is of the moment of its opening, also while another program saves.
    @Test func aCopyHasOneMomentOfAStoreThatIsWritten() throws {
        let writer = try SQLiteStore.open(path: path, model: model)
        defer { writer.close() }
        for round in 0..<20 {
            _ = try writer.insert(try thing(), ["name": .string("\(round)")])
            let store = try ReadOnlySQLiteStore.open(path: path, model: model)
            _ = try writer.insert(try thing(), ["name": .string("later")])
            #expect(try names(store).count == 2 * round + 1)
            #expect(try history(store).count == 2 * round + 1)
            #expect(!store.noticesForeignChange())
            store.close()
        }
    }

    @Test func aCopyIsRemovedAndSoIsThatOfAKilledProcess() throws {
        // A folder of the test's own: a copy of another test would remove what is left here.
        let place = folder.path + "/copies"
        let left = place + "/stele-copy-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: left, withIntermediateDirectories: true)
        for name in ["lock", "store"] {
            try Data([1]).write(to: URL(fileURLWithPath: left + "/" + name))
        }
        let copy = try PrivateCopy(of: path, in: place)
        #expect(!FileManager.default.fileExists(atPath: left))
        let made = String(copy.file.dropLast("/store".count))
        let other = try PrivateCopy(of: path, in: place)
        #expect(FileManager.default.fileExists(atPath: made), "another copy is in use")
        copy.remove()
        #expect(!FileManager.default.fileExists(atPath: made))
        #expect(FileManager.default.fileExists(atPath: other.file.dropLast(6) + "/lock"))
    }

    @Test func aStoreThatDoesNotExistIsNotMade() throws {
        let before = try FolderState(folder.path)
        for place in [path, folder.path + "/none/store.sqlite"] {
            do {
                _ = try ReadOnlySQLiteStore.open(path: place, model: model)
                Issue.record("opened")
            } catch StoreError.incompatible(let code, let text) {
                #expect(code == 134080 && text.contains(place))
            }
        }
        try RawDatabase(folder.path + "/other").run("CREATE TABLE T (A)")
        do {
            _ = try ReadOnlySQLiteStore.open(path: folder.path + "/other", model: model)
            Issue.record("opened")
        } catch StoreError.incompatible(let code, let text) {
            #expect(code == 134020 && text.contains("not a Core Data store"))
        }
        try FileManager.default.removeItem(atPath: folder.path + "/other")
        #expect(try FolderState(folder.path).names == before.names)
    }

    /// The history beside a store belongs to it, is copied with it, and is left out where it is of
    /// another moment.
    @Test func theHistoryBesideAStoreIsRead() throws {
        try makeBareStore(model, at: path)
        let bare = try FolderState(folder.path)
        let without = try ReadOnlySQLiteStore.open(path: path, model: model)
        #expect(try history(without) == [] && names(without) == [])
        without.close()
        #expect(try FolderState(folder.path) == bare)

        let writer = try SQLiteStore.open(path: path, model: model)
        for name in ["a", "b"] { _ = try writer.insert(try thing(), ["name": .string(name)]) }
        let saves = try history(writer)
        for isOpen in [true, false] {
            if !isOpen { writer.close() }
            let before = try FolderState(folder.path)
            #expect(before.names.contains("store.sqlite-stele"))
            let store = try ReadOnlySQLiteStore.open(path: path, model: model)
            #expect(try history(store) == saves && saves.count == 2)
            #expect(store.generation == writer.historyLine.generation(of: .max))
            store.close()
            #expect(try FolderState(folder.path) == before)
        }

        try RawDatabase(path).run("UPDATE STELE_SAVE SET ZTRANSACTION = 7")
        let before = try FolderState(folder.path)
        let store = try ReadOnlySQLiteStore.open(path: path, model: model)
        #expect(try history(store) == [] && names(store) == ["a", "b"])
        #expect(store.generation != writer.historyLine.generation(of: .max))
        store.close()
        #expect(try FolderState(folder.path) == before)
    }

    /// What a killed program has left of a change of the mode, which SQLite takes for nothing.
    @Test func anOpeningForWritingRemovesAColdJournal() throws {
        let store = try SQLiteStore.open(path: path, model: model)
        _ = try store.insert(try thing(), ["name": .string("a")])
        store.close()
        try Data(count: 4_616).write(to: URL(fileURLWithPath: path + "-journal"))
        let again = try SQLiteStore.open(path: path, model: model)
        #expect(!FileManager.default.fileExists(atPath: path + "-journal"))
        #expect(try names(again) == ["a"])
        again.close()
    }

    @Test func anOpeningForWritingTellsOfTheConversion() throws {
        try SQLiteStore.open(path: path, model: model).close()
        try RawDatabase(path).run("PRAGMA journal_mode = DELETE")
        let before = try FolderState(folder.path)
        try ReadOnlySQLiteStore.open(path: path, model: model).close()
        #expect(try FolderState(folder.path) == before)
        for isFirst in [true, false] {
            let store = try SQLiteStore.open(path: path, model: model)
            #expect(store.isConvertedToWAL == isFirst)
            store.close()
        }
    }
}

extension AppStoreTests {
    /// Every object is what plain SQL finds, and nothing in the folder is changed.
    @Test func aStoreThatIsOnlyReadStaysAsItWas() throws {
        for app in AppStore.all {
            let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
            let path = try app.copy(to: folder)
            let model = try app.readModel()
            let before = try FolderState(folder.path)
            let store = try ReadOnlySQLiteStore.open(path: path, model: model)
            let tally = try AppStoreTally(store, PlainReader(app.copy(to: other), model))
            #expect(tally.differences == [], "\(app.file)")
            #expect(tally.objects > 6, "\(app.file)")
            #expect(try store.reader().history(after: 0, limit: 10, values: true).count >= 0)
            #expect(throws: StoreError.self) { try store.changeMetadata { $0["a"] = .string("b") } }
            store.close()
            #expect(try FolderState(folder.path) == before, "\(app.file)")
        }
    }
}
