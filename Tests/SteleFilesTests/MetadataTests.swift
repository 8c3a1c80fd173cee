// What a store says of itself, on every kind of store.

import FoundationEssentials
import SteleFiles
import SteleGraph
import SteleModel
import StelePersistence
import SteleSystem
import TestSupport
import Testing

@Suite struct MetadataTests {
    private let folder: TemporaryFolder
    private let model: Model

    init() throws {
        folder = try TemporaryFolder()
        model = try allTypesModel()
    }

    private static let own: [String: PropertyList] = [
        "text": "ü\r\n <&>", "empty": "", "flag": true, "off": false, "one": 1, "half": 0.5,
        "small": .integer(.min), "large": .unsigned(.max), "date": .date(785_412_000),
        "data": .data([0, 255, 1]), "none": .data([]), "list": [1, "2", [], .date(1)],
        "com.example.nested": ["a": ["b": [1, 2]], "c": [:]],
    ]

    private func users(_ store: any PersistentStore) throws -> [String: PropertyList] {
        try store.metadata.filter { !StoreMetadata.isReserved($0.key) }
    }

    @Test(arguments: StoreKind.allCases)
    func itsKeysAreReadAndUsersKeysAreSet(_ kind: StoreKind) throws {
        let store = try kind.open(model, at: folder.store)
        let types = [
            "memory": "InMemory", "sqlite": "SQLite", "xml": "XML", "binary": "Binary",
            "text": "Text", "group": "SQLite", "postgresql": "PostgreSQL",
        ]
        let first = try store.metadata
        #expect(first["NSStoreType"]?.string == types[kind.rawValue])
        #expect(first["NSStoreUUID"]?.string == store.identifier)
        #expect(first["NSStoreModelVersionHashes"]?["Tag"]?.data?.count == 32)
        #expect(first["NSStoreModelVersionChecksumKey"]?.string == model.versionChecksum)
        try store.setMetadata(Self.own)
        #expect(try users(store) == Self.own)
        try store.changeMetadata {
            $0["text"] = nil
            $0["one"] = 2
        }
        var wanted = Self.own
        wanted["text"] = nil
        wanted["one"] = 2
        #expect(try users(store) == wanted)
        // The whole dictionary is accepted as it was read.
        try store.setMetadata(try store.metadata)
        #expect(try users(store) == wanted)
        store.close()
        #expect(throws: StoreError.self) { try store.metadata }
        #expect(throws: StoreError.self) { try store.setMetadata([:]) }
        if kind == .memory { return }
        let again = try kind.open(model, at: folder.store)
        defer { again.close() }
        #expect(try users(again) == wanted)
        #expect(try again.metadata["NSStoreUUID"] == first["NSStoreUUID"])
        try again.setMetadata([:])
        #expect(try users(again).isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveKeepsItAndItIsNoSave(_ kind: StoreKind) throws {
        let stage = try Stage(kind, model, at: folder.store)
        let store = stage.coordinator.store
        try store.setMetadata(["a": 1])
        #expect(try stage.history().isEmpty)
        _ = try stage.insert("Tag", count: 3)
        try store.changeMetadata { $0["b"] = 2 }
        #expect(try stage.read { try $0.token } == 1)
        stage.close()
        if kind == .memory { return }
        let again = try Stage(kind, model, at: folder.store)
        #expect(try users(again.coordinator.store) == ["a": 1, "b": 2])
        #expect(try again.objects().count == 3)
        again.close()
    }

    @Test(arguments: StoreKind.allCases)
    func whatItCannotHaveIsRefusedAndChangesNothing(_ kind: StoreKind) throws {
        let store = try kind.open(model, at: folder.store)
        defer { store.close() }
        try store.setMetadata(["a": 1])
        var deep: PropertyList = 1
        for _ in 0..<64 { deep = [deep] }
        let refused: [(String, PropertyList?, String)] = [
            ("NSStoreUUID", "x", "read-only"), ("NSOther", 1, "read-only"),
            ("_NSAutoVacuumLevel", "0", "read-only"), ("SteleGeneration", nil, "read-only"),
            ("NSStoreModelVersionHashes", [:], "read-only"), ("", 1, "1 to 255 bytes"),
            (String(repeating: "k", count: 256), 1, "1 to 255 bytes"), ("k", deep, "64 deep"),
            ("k", .real(.nan), "finite"), ("k", .date(.infinity), "finite"),
            ("k", "a\u{0}", "U+0000"), ("k", .uid(1), "reference"),
            ("k", .dictionary([.init(key: "a", value: 1), .init(key: "a", value: 2)]), "twice"),
            ("k", .data(Array(repeating: 7, count: 1 << 20)), "the limit is 1048576"),
        ]
        for (key, value, message) in refused {
            let error = try #require(throws: MetadataError.self) {
                try store.changeMetadata {
                    $0["b"] = 2
                    $0[key] = value
                }
            }
            #expect(error.description.contains(message), "\(error)")
            #expect(error.key == key || message.contains("limit"))
        }
        struct Own: Error {}
        #expect(throws: Own.self) {
            try store.changeMetadata {
                $0["b"] = 2
                throw Own()
            }
        }
        #expect(try users(store) == ["a": 1])
        try store.changeMetadata { $0["c"] = .data(Array(repeating: 7, count: 1 << 19)) }
    }

    @Test func anXMLStoreRefusesCharactersThatXMLCannotHold() throws {
        let store = try StoreKind.xml.open(model, at: folder.store)
        defer { store.close() }
        #expect(throws: StoreError.self) { try store.setMetadata(["a": "\u{1}"]) }
        #expect(try users(store).isEmpty)
        try store.setMetadata(["a": "b"])
    }

    /// Each change adds one, so none may be lost.
    @Test(arguments: StoreKind.allCases)
    func changesAtTheSameTimeDoNotLoseEachOther(_ kind: StoreKind) throws {
        let stage = try Stage(kind, model, at: folder.store)
        defer { stage.close() }
        let (coordinator, store) = (stage.coordinator, stage.coordinator.store)
        let tag = try stage.entity("Tag")
        let failures = Mutex(0)
        let threads = (0..<4).compactMap { number in
            SystemThread(name: "metadata") {
                for _ in 0..<5 {
                    do {
                        try store.changeMetadata { values in
                            guard case .integer(let count) = values["count"] ?? 0 else { return }
                            values["count"] = .integer(count + 1)
                        }
                        let context = ManagedObjectContext(coordinator)
                        _ = try context.insert(tag)
                        try context.save()
                    } catch { failures.withLock { $0 += 1 } }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(threads.count == 4 && failures.withLock { $0 } == 0)
        #expect(try users(store) == ["count": 20])
        #expect(try stage.objects().count == 20)
    }

    /// Text and binary files repeat the metadata as it is; a file is not rewritten otherwise.
    @Test(arguments: StoreKind.files)
    func anUnchangedValueWritesNothing(_ kind: StoreKind) throws {
        let store = try kind.open(model, at: folder.store)
        defer { store.close() }
        try store.setMetadata(Self.own)
        let url = URL(filePath: folder.store)
        let before = try Data(contentsOf: url)
        try FileManager.default.removeItem(at: url)
        try store.setMetadata(Self.own)
        #expect(!FileManager.default.fileExists(atPath: folder.store))
        try store.setMetadata([:])
        try store.setMetadata(["text": "other"])
        #expect(try Data(contentsOf: url) != before)
    }
}
