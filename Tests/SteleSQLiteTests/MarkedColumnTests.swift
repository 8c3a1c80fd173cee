// Transformable attributes with external storage, as Core Data writes them: a marker byte before the
// value, or the name of a file. No file that any row names is removed.

import Foundation
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct MarkedColumnTests {
    private let folder: TemporaryFolder
    private let model: Model

    init() throws {
        folder = try TemporaryFolder()
        model = try Self.model(allowsFiles: true)
    }

    private static func model(allowsFiles: Bool) throws -> Model {
        try makeModel([
            EntityMaker("Item").attribute("blob", .binary) {
                $0.allowsExternalBinaryDataStorage = true
            }.attribute("tags", .transformable) {
                $0.allowsExternalBinaryDataStorage = allowsFiles
            }
        ])
    }

    private var files: String { folder.path + "/.store_SUPPORT/_EXTERNAL_DATA" }

    /// Writes a file two hours ago.
    /// - Returns: the content of the column that names it, in hexadecimal.
    private func makeFile(_ text: String) throws -> String {
        let name = UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: files, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(filePath: "\(files)/\(name)"))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -7_200)],
            ofItemAtPath: "\(files)/\(name)")
        return "02" + Data(name.utf8).map { String($0, radix: 16) }.joined() + "00"
    }

    private func count() -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: files))?.count ?? 0
    }

    private func sweep(_ store: SQLiteStore) throws {
        let connection = try Connection(path: store.path, creates: false)
        guard try store.external.beginSweep(connection, identifier: store.identifier) else {
            Issue.record("nothing is swept")
            return
        }
        try store.external.sweep(connection, SQLSchema(model: store.model))
    }

    @Test func aTransformableValueIsReadBehindItsMarkerAndFromItsFile() throws {
        var store = try SQLiteStore.open(path: folder.store, model: model)
        let item = try #require(model.entity(named: "Item"))
        let slot = try #require(item.attribute(named: "tags")?.slot)
        let first = try store.insert(item, ["tags": .data(Array(#"["a"]"#.utf8))])
        store.close()
        let raw = try RawDatabase(folder.store)
        #expect(try raw.texts("SELECT hex(ZTAGS) FROM ZITEM") == ["015B2261225D"])
        let named = try makeFile(#"["b"]"#)
        try raw.run(
            "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZTAGS) VALUES "
                + "(7, 1, 1, X'\(named)'), (8, 1, 1, X'5B5D')")
        store = try SQLiteStore.open(path: folder.store, model: model)
        defer { store.close() }
        #expect(try store.snapshot(item, first.key)?.values[slot] == first.values[slot])
        let second = try #require(try store.snapshot(item, 7))
        #expect(second.values[slot] == .data(Array(#"["b"]"#.utf8)))
        // One that an earlier version of Stele wrote has no marker.
        #expect(try store.snapshot(item, 8)?.values[slot] == .data(Array("[]".utf8)))
        try sweep(store)
        #expect(count() == 1)
        _ = try store.update(second, ["tags": .data(Array("[1]".utf8))])
        #expect(try raw.texts("SELECT hex(ZTAGS) FROM ZITEM WHERE Z_PK = 7") == ["015B315D"])
        try sweep(store)
        #expect(count() == 0)
    }

    /// Many alike updates are one statement.
    @Test func manyUpdatesAtOnceWriteTheMarker() throws {
        let it = try GraphStore(model)
        let ids = try it.insert("Item", count: 20)
        let raw = try RawDatabase(it.folder.store)
        try raw.run("UPDATE ZITEM SET Z_OPT = NULL")
        _ = try it.change { context in
            for id in ids {
                let item = try context.get(id)
                item["blob"] = .data([1, 2])
                item["tags"] = .data(Array("[]".utf8))
            }
        }
        #expect(
            try raw.texts(
                "SELECT DISTINCT hex(ZBLOB) || ' ' || hex(ZTAGS) || ' ' || Z_OPT FROM ZITEM")
                == ["010102 015B5D 1"])
    }

    /// Equal values may be in rows and in files.
    @Test func rowsAreNotGroupedByIt() throws {
        let item = try #require(model.entity(named: "Item"))
        for name in ["tags", "blob"] {
            var request = FetchRequest(entity: item)
            request.sortDescriptors = [SortDescriptor(.key(name))]
            #expect(throws: (any Error).self) { try request.checked(in: model) }
        }
    }

    /// The framework keeps files for tables of its own, such as those of CloudKit.
    @Test func aFileThatATableOutsideOfTheModelNamesStays() throws {
        try SQLiteStore.open(path: folder.store, model: model).close()
        let named = try makeFile("record")
        _ = try makeFile("orphan")
        try RawDatabase(folder.store).run(
            "CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY, ZENCODEDRECORD BLOB); "
                + "INSERT INTO ANSCKRECORDMETADATA VALUES (1, X'\(named)')")
        #expect(count() == 2)
        let store = try SQLiteStore.open(path: folder.store, model: model)
        defer { store.close() }
        try sweep(store)
        #expect(count() == 1)
    }

    @Test func aMigrationAddsAndRemovesTheMarkers() throws {
        let plain = try Self.model(allowsFiles: false)
        let item = try #require(plain.entity(named: "Item"))
        let store = try SQLiteStore.open(path: folder.store, model: plain)
        _ = try store.insert(item, ["tags": .data(Array("[]".utf8))])
        store.close()
        func migrate(_ from: Model, _ to: Model) throws -> [String] {
            try SQLiteStore.migrate(
                path: folder.store, from: from, to: to, by: .inferred(from: from, to: to))
            return try RawDatabase(folder.store).texts("SELECT hex(ZTAGS) FROM ZITEM")
        }
        #expect(try migrate(plain, model) == ["015B5D"])
        let named = try makeFile("[2]")
        try RawDatabase(folder.store).run(
            "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZTAGS) VALUES (7, 1, 1, X'\(named)')")
        #expect(try migrate(model, plain) == ["5B5D", "5B325D"])
    }
}
