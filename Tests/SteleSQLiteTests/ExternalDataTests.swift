// Binary attributes in files: Core Data's layout, nothing lost, nothing left behind.

import Foundation
import SteleModel
import StelePersistence
import SteleSQL
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct ExternalDataTests {
    private static func model() throws -> Model {
        try makeModel([
            EntityMaker("Person").attribute("name", .string)
                .attribute("photo", .binary) { $0.allowsExternalBinaryDataStorage = true }
                .unique("name")
        ])
    }

    private static let large = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    private func files(_ folder: TemporaryFolder) -> [String] {
        let path = folder.path + "/.store_SUPPORT/_EXTERNAL_DATA"
        return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    private func age(_ folder: TemporaryFolder) throws {
        for file in files(folder) {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -7_200)],
                ofItemAtPath: folder.path + "/.store_SUPPORT/_EXTERNAL_DATA/" + file)
        }
    }

    /// Begins a sweep, as each opening does on a connection of its own.
    private func beginSweep(_ store: SQLiteStore) throws -> Connection? {
        let connection = try Connection(path: store.path, creates: false)
        let begins = try store.external.beginSweep(connection, identifier: store.identifier)
        return begins ? connection : nil
    }

    /// Ends a sweep, as the thread of the checkpoints does.
    private func endSweep(
        _ store: SQLiteStore, _ connection: Connection?, isStopped: () -> Bool = { false }
    ) throws {
        guard let connection else { return }
        let schema = SQLSchema(model: store.model)
        try store.external.sweep(connection, schema, isStopped: isStopped)
        #expect(!connection.isInTransaction)
    }

    @Test func theColumnHasCoreDatasMarkersAndTheFileTheBytes() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore.open(path: folder.store, model: Self.model())
        defer { store.close() }
        let person = try #require(store.model.entity(named: "Person"))
        let small = try store.insert(person, ["photo": .data([1, 2, 3])])
        let big = try store.insert(person, ["photo": .data(Self.large)])
        _ = try store.insert(person, ["photo": .null])
        let columns = try RawDatabase(folder.store).texts(
            "SELECT hex(ZPHOTO) FROM ZPERSON ORDER BY Z_PK")
        #expect(columns[0] == "01010203")
        let name = try #require(files(folder).first)
        #expect(name.count == 36 && name == name.uppercased() && files(folder).count == 1)
        let written = "02" + name.utf8.map { String($0, radix: 16).uppercased() }.joined() + "00"
        #expect(columns[1] == written && columns[1].count == 76)
        #expect(columns[2] == "")
        let path = folder.path + "/.store_SUPPORT/_EXTERNAL_DATA/" + name
        #expect(try Data(contentsOf: URL(filePath: path)) == Data(Self.large))

        #expect(try store.snapshot(person, small.key)?.values[1] == .data([1, 2, 3]))
        let read = try #require(try store.snapshot(person, big.key))
        #expect(read == big)
        guard case .external(let data) = read.values[1] else {
            Issue.record("\(read.values[1])")
            return
        }
        #expect(data.count == Self.large.count && data.bytes == Self.large)
    }

    @Test func valuesOfOtherAttributesHaveNoMarker() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore.open(path: folder.store, model: Self.model())
        defer { store.close() }
        let person = try #require(store.model.entity(named: "Person"))
        _ = try store.insert(person, ["name": .string("Ann")])
        #expect(try RawDatabase(folder.store).texts("SELECT ZNAME FROM ZPERSON") == ["Ann"])
    }

    @Test func anOldFileStaysForTheHistoryAndGoesWithIt() throws {
        let folder = try TemporaryFolder()
        let model = try Self.model()
        var store = try SQLiteStore.open(path: folder.store, model: model)
        let person = try #require(model.entity(named: "Person"))
        let first = try store.insert(person, ["photo": .data(Self.large)])
        let second = try store.update(first, ["photo": .data(Self.large.reversed())])
        let third = try store.update(second, ["photo": .data([9])])
        #expect(files(folder).count == 2)
        let reader = try store.reader()
        let saves = try reader.history(after: 0, limit: 9, values: true)
        reader.close()
        let states = saves.map { $0.changes.first?.snapshot?.values[1] }
        #expect(states == [first.values[1], second.values[1], third.values[1]])
        #expect(saves[1].changes.first?.before == [.slot(1, first.values[1])])
        guard case .external(let old)? = states[0] else { throw Missing("the external value") }
        #expect(old.bytes == Self.large)

        // Old or young, what the history names stays. A file that nothing names is removed.
        store.close()
        try Data([1]).write(
            to: URL(
                filePath: "\(folder.path)/.store_SUPPORT/_EXTERNAL_DATA/\(UUID().uuidString)"))
        try age(folder)
        #expect(files(folder).count == 3)
        store = try SQLiteStore.open(path: folder.store, model: model)
        try waitUntil { files(folder).count < 3 }
        try endSweep(store, beginSweep(store))
        #expect(files(folder).count == 2)
        store.close()
        try RawDatabase(folder.store).run("DELETE FROM STELE_BEFOREIMAGE")
        store = try SQLiteStore.open(path: folder.store, model: model)
        try waitUntil { files(folder).isEmpty }
        #expect(try store.snapshot(person, first.key)?.values[1] == .data([9]))
        store.close()
    }

    @Test func whatNobodyNamesIsSweptWhenItIsOldAndNothingElse() throws {
        let folder = try TemporaryFolder()
        let model = try Self.model()
        var store = try SQLiteStore.open(path: folder.store, model: model)
        let person = try #require(model.entity(named: "Person"))
        let kept = try store.insert(person, ["photo": .data(Self.large)])
        let orphan = try store.externalDataWriter()
        orphan.write(Self.large)
        guard case .external = try orphan.finish() else {
            Issue.record("not a file")
            return
        }
        let place = folder.path + "/.store_SUPPORT/_EXTERNAL_DATA/"
        try Data([1]).write(to: URL(filePath: place + "notes.txt"))
        store.close()
        // It may be another process's, about to be committed.
        store = try SQLiteStore.open(path: folder.store, model: model)
        try endSweep(store, beginSweep(store))
        #expect(files(folder).count == 3)
        store.close()
        try age(folder)
        // Another store of the same name shares the folder, and leaves its files alone.
        let twin = try SQLiteStore.open(path: folder.path + "/store.db", model: model)
        #expect(try beginSweep(twin) == nil)
        #expect(files(folder).count == 3)
        twin.close()
        store = try SQLiteStore.open(path: folder.store, model: model)
        try waitUntil { files(folder).count == 2 }
        guard case .external(let data)? = try store.snapshot(person, kept.key)?.values[1] else {
            Issue.record("lost")
            return
        }
        #expect(data.bytes == Self.large)
        store.close()
    }

    /// What is saved after a sweep has begun is kept, whatever is deleted meanwhile.
    @Test func whatIsSavedBesideASweepStays() throws {
        let (folder, old) = (try TemporaryFolder(), try TemporaryFolder())
        let model = try Self.model()
        let other = try SQLiteStore.open(path: old.store, model: model)
        defer { other.close() }
        var store = try SQLiteStore.open(path: folder.store, model: model)
        let person = try #require(model.entity(named: "Person"))
        let first = try store.insert(person, ["photo": .data(Self.large)])
        let source = try other.insert(person, ["photo": .data(Self.large.reversed())]).values[1]
        guard case .external(let foreign) = source else { throw Missing("the external value") }
        // A file of the same name that nothing names, as a copy that was killed leaves it.
        try Data([1]).write(
            to: URL(filePath: ExternalData(foreign.identifier, in: store.external.path).path))
        store.close()
        try age(folder)
        try age(old)
        store = try SQLiteStore.open(path: folder.store, model: model)
        defer { store.close() }
        try waitUntil { files(folder).count == 1 }
        try Data([1]).write(
            to: URL(filePath: ExternalData(foreign.identifier, in: store.external.path).path))
        try age(folder)

        let sweep = try beginSweep(store)
        // The name moves from a row to a before-image, which is deleted, and comes back.
        let second = try store.update(first, ["photo": .null])
        _ = try store.deleteHistory(before: store.now + 1, limit: 100)
        let named = "SELECT ZVALUES FROM STELE_BEFOREIMAGE WHERE instr(ZVALUES, 'external')"
        #expect(try RawDatabase(folder.store).texts(named) == [])
        // The files of another store are old, and one has the name of a file that is removed.
        let copies = try [1, 2].map { _ in try store.insert(person, ["photo": source]) }
        try endSweep(store, sweep)
        _ = try store.update(second, ["photo": first.values[1]])

        #expect(files(folder).count == 3)
        #expect(!files(folder).contains(foreign.identifier.uuidString))
        let reversed = Array(Self.large.reversed())
        let kept = [(first.key, Self.large)] + copies.map { ($0.key, reversed) }
        for (key, bytes) in kept {
            guard case .external(let data)? = try store.snapshot(person, key)?.values[1] else {
                throw Missing("the external value of \(key)")
            }
            #expect(data.bytes == bytes)
        }
        #expect(foreign.bytes == reversed)
    }

    @Test func aSweepThatIsStoppedRemovesNothing() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore.open(path: folder.store, model: Self.model())
        // Its own sweep is over.
        store.close()
        let place = store.external.path
        try Data([1]).write(to: URL(filePath: "\(place)/\(UUID().uuidString)"))
        try age(folder)
        try endSweep(store, beginSweep(store)) { true }
        #expect(files(folder).count == 1)
        try endSweep(store, beginSweep(store))
        #expect(files(folder).isEmpty)
    }

    @Test func aRefusedSaveLeavesNoFile() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore.open(path: folder.store, model: Self.model())
        defer { store.close() }
        let person = try #require(store.model.entity(named: "Person"))
        let ann = try store.insert(person, ["name": .string("Ann")])
        #expect(throws: StoreError.self) {
            _ = try store.insert(person, ["name": .string("Ann"), "photo": .data(Self.large)])
        }
        #expect(files(folder).isEmpty)
        _ = try store.update(ann, ["name": .string("Anna")])
        #expect(throws: StoreError.self) {
            _ = try store.update(ann, ["photo": .data(Self.large)])
        }
        #expect(files(folder).isEmpty)
        #expect(throws: StoreError.self) {
            _ = try store.save(making: { _ in
                var request = SaveRequest(readToken: 0)
                request.changes = [
                    ObjectChange(
                        .insert, entity: person.index, key: -1,
                        values: [.string("Anna"), .data(Self.large)])
                ]
                return request
            })
        }
        #expect(files(folder).isEmpty)
    }

    @Test func aValueInPiecesIsHeldWhileItIsSmallAndDiscardedWhole() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore.open(path: folder.store, model: Self.model())
        defer { store.close() }
        let small = try store.externalDataWriter()
        small.write([1, 2])
        small.write([3])
        #expect(try small.finish() == .data([1, 2, 3]))
        let large = try store.externalDataWriter()
        for start in stride(from: 0, to: Self.large.count, by: 10_000) {
            large.write(Array(Self.large[start..<start + 10_000]))
        }
        #expect(files(folder).count == 1)
        guard case .external(let data) = try large.finish() else {
            Issue.record("not a file")
            return
        }
        #expect(data.bytes == Self.large)
        #expect(try large.finish() == .external(data))
        large.discard()
        #expect(files(folder).isEmpty)
        #expect(throws: StoreError.self) { try large.finish() }
    }

    /// A sparse file of any size takes no memory.
    @Test func aFileThatIsTooLargeForMemoryIsNotReadIntoIt() throws {
        let folder = try TemporaryFolder()
        let data = ExternalData(UUID(), in: folder.path)
        #expect(FileManager.default.createFile(atPath: data.path, contents: Data([1, 2])))
        #expect(data.bytes == [1, 2])
        #expect(truncate(data.path, ExternalData.mostInMemory + 1) == 0)
        #expect(data.bytes == nil && data.count == ExternalData.mostInMemory + 1)
    }

    @Test func aFolderThatCannotBeWrittenIsAnErrorAndNothingIsSaved() throws {
        let folder = try TemporaryFolder()
        let store = try SQLiteStore.open(path: folder.store, model: Self.model())
        defer { store.close() }
        let person = try #require(store.model.entity(named: "Person"))
        // A file in the folder's place: what not even root can write into.
        try FileManager.default.removeItem(atPath: folder.path + "/.store_SUPPORT/_EXTERNAL_DATA")
        try Data().write(to: URL(filePath: folder.path + "/.store_SUPPORT/_EXTERNAL_DATA"))
        #expect(throws: StoreError.self) {
            _ = try store.insert(person, ["photo": .data(Self.large)])
        }
        #expect(try store.now == 0)
    }
}
