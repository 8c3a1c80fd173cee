// What a whole-file store does with its file.

import FoundationEssentials
import Glibc
import SteleFiles
import SteleGraph
import SteleModel
import StelePersistence
import SteleSystem
import TestSupport
import Testing

@Suite struct AtomicStoreTests {
    private let folder: TemporaryFolder
    private let model: Model

    init() throws {
        folder = try TemporaryFolder()
        model = try allTypesModel()
    }

    private func file() throws -> Data { try Data(contentsOf: URL(filePath: folder.store)) }

    @Test(arguments: StoreKind.files)
    func oneStoreAtATimeUsesAFile(_ kind: StoreKind) throws {
        let stage = try Stage(kind, model, at: folder.store)
        do {
            try kind.open(model, at: folder.store).close()
            Issue.record("opened twice")
        } catch StoreError.busy(let message) {
            #expect(message.contains(folder.store))
        }
        stage.close()
        try kind.open(model, at: folder.store).close()
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store.sqlite"])
    }

    /// A folder stands where the new file is to be made, then a device without room.
    @Test(arguments: StoreKind.files)
    func aFailedWriteLeavesMemoryAndFileAsTheyWere(_ kind: StoreKind) throws {
        let stage = try Stage(kind, model, at: folder.store)
        try stage.insert("Tag", count: 2).forEach { _ in }
        let (objects, bytes) = (try stage.objects(), try file())
        let beside = folder.store + "-new"

        mkdir(beside, 0o755)
        #expect(throws: StoreError.self) { try stage.insert("Tag") }
        rmdir(beside)
        symlink("/dev/full", beside)
        do {
            _ = try stage.insert("Tag")
            Issue.record("saved without room")
        } catch StoreError.noRoom(let message) {
            #expect(message.contains(folder.store))
        }
        #expect(try stage.objects() == objects)
        #expect(try file() == bytes)
        #expect(try stage.history().count == 1)

        #expect(try stage.insert("Tag")[0].key == 3)
        #expect(try stage.objects().count == 3)
        stage.close()
        let again = try Stage(kind, model, at: folder.store)
        defer { again.close() }
        #expect(try again.objects().count == 3)
    }

    @Test func aSaveInPartsIsOneFile() throws {
        let stage = try Stage(.text, model, at: folder.store)
        defer { stage.close() }
        let store = stage.coordinator.store
        let tag = try stage.entity("Tag")
        let row = ObjectChange(
            .insert, entity: tag.index, key: -1, values: [.string("x")],
            toManys: [])
        let before = try file()
        _ = try store.save(inParts: { parts in
            for _ in 0..<3 {
                var request = SaveRequest(readToken: 0)
                request.changes = [row]
                _ = try parts.save(request)
                #expect(try file() == before)
            }
        })
        #expect(String(decoding: try file(), as: UTF8.self).contains("Tag|3|name=x"))
        #expect(try stage.history().count == 1)
    }

    @Test func savesThatWaitShareAFile() throws {
        let stage = try Stage(.binary, model, at: folder.store)
        let store = stage.coordinator.store
        let tag = try stage.entity("Tag")
        let ended = Monitor(0)
        let count = 500
        for index in 0..<count {
            var request = SaveRequest(readToken: 0)
            request.changes = [
                ObjectChange(.insert, entity: tag.index, key: -1, values: [.string("\(index)")])
            ]
            store.save(request) { result in
                if case .success = result { ended.withLock { $0 += 1 } }
                ended.signal()
            }
        }
        ended.withLock(when: { $0 == count }) { _, _ in }
        #expect(try stage.history().count == count)
        stage.close()
        let again = try Stage(.binary, model, at: folder.store)
        defer { again.close() }
        #expect(try again.objects().count == count)
        again.close()
        #expect(throws: StoreError.self) { try again.insert("Tag") }
    }

    @Test func aLinkAndTheModeOfTheFileStay() throws {
        let link = folder.path + "/link.txt"
        try Stage(.text, model, at: folder.store).close()
        chmod(folder.store, 0o600)
        symlink("store.sqlite", link)
        let stage = try Stage(.text, model, at: link)
        try stage.insert("Tag").forEach { _ in }
        stage.close()
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "store.sqlite")
        var found = stat()
        #expect(stat(folder.store, &found) == 0 && found.st_mode & 0o777 == 0o600)
        #expect(String(decoding: try file(), as: UTF8.self).contains("Tag|1|"))
    }

    @Test func whatCannotBeAFileIsRefusedByName() throws {
        for path in [folder.path, folder.path + "/none/store.txt"] {
            let (code, message) = refusal {
                try AtomicStore.open(path: path, model: model, format: TextFormat()).close()
            }
            #expect(code == 134080 && message.contains(path), "\(message)")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aStoreIsCopiedToEachOther(_ last: StoreKind) throws {
        for from in StoreKind.single + [.group] where from == last || last == .postgresql {
            let source = try Stage(from, model, at: "\(folder.path)/\(from)")
            defer { source.close() }
            try source.fill(for: last)
            let graph = try source.objects()
            for to in StoreKind.single + [.group] {
                let path = "\(folder.path)/\(from)-\(to)"
                let target = try Stage(to, model, at: path)
                try target.copy(source)
                #expect(try target.graph() == source.graph(), "\(from) to \(to)")
                target.close()
                if to == .memory { continue }
                let again = try Stage(to, model, at: path)
                defer { again.close() }
                #expect(try again.graph() == source.graph(), "\(from) to \(to)")
            }
            #expect(try source.objects() == graph)
        }
    }
}

extension Stage {
    /// The objects as they are where keys and versions may differ: each key is the place among the
    /// objects of its root entity.
    func graph() throws -> [StoredObject] {
        let objects = try objects()
        var places: [ObjectID: Int64] = [:]
        for (place, object) in objects.enumerated() {
            let root = model.entities[object.snapshot.entity].root
            places[ObjectID(root: root, key: object.snapshot.key)] = Int64(place)
        }
        return objects.map { object in
            var row = object.snapshot
            let entity = model.entities[row.entity]
            for case .relationship(let it) in entity.slots {
                guard case .key(let key) = row.values[it.slot] else { continue }
                let id = ObjectID(root: model.destination(of: it).root, key: key)
                row.values[it.slot] = .key(places[id] ?? -1)
            }
            let toManys = zip(entity.toManys, object.toManys).map { it, keys in
                keys.map { key in
                    places[ObjectID(root: model.destination(of: it).root, key: key)] ?? -1
                }
            }
            let key = places[ObjectID(root: entity.root, key: row.key)] ?? -1
            return StoredObject(
                snapshot: Snapshot(entity: row.entity, key: key, version: 1, values: row.values),
                toManys: toManys)
        }
    }

    /// Inserts all objects of another store in one save, in the order of their keys.
    func copy(_ other: Stage) throws {
        var request = SaveRequest(readToken: 0)
        request.changes = try other.objects().map { object in
            let row = object.snapshot
            let entity = model.entities[row.entity]
            let values = row.values.map { value in
                if case .key(let key) = value { Value.key(-key) } else { value }
            }
            let toManys = zip(entity.toManys, object.toManys).filter { !$1.isEmpty }.map {
                ToManyChange(
                    relationship: $0.index, added: $1.map { -$0 },
                    order: $0.isOrdered ? $1.map { -$0 } : nil)
            }
            return ObjectChange(
                .insert, entity: row.entity, key: -row.key, values: values, toManys: toManys)
        }
        _ = try coordinator.store.save(request)
    }
}
