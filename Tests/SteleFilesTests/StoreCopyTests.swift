// Copying a store of each kind into each other.

import Foundation
import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import TestSupport
import Testing

@Suite struct StoreCopyTests {
    private let folders: [TemporaryFolder]

    init() throws { folders = [try TemporaryFolder(), try TemporaryFolder()] }

    @Test(arguments: StoreKind.single, StoreKind.single)
    func theWholeGraphIsEqual(_ from: StoreKind, _ to: StoreKind) throws {
        let model = try allTypesModel()
        let source = try Stage(from, model, at: folders[0].store)
        defer { source.close() }
        try source.fill(for: from, to)
        // The keys of the last objects are not given again.
        let gone = try source.insert("Note", count: 2) + source.insert("Tag", count: 3)
        try source.change { context in
            for id in gone { try context.delete(context.object(with: id)) }
        }
        let own: [String: PropertyList] = ["release": 3, "names": ["a", "b"]]
        try source.coordinator.store.setMetadata(own)
        let (objects, keys) = (try source.objects(), try source.coordinator.store.highestKeys)
        let before = try source.coordinator.store.metadata

        var copy = try to.open(model, at: folders[1].store)
        var advances = 0
        try MigrationManager.copy(source.coordinator.store, to: copy) { _ in advances += 1 }
        #expect(advances > 0)
        if to != .memory {
            copy.close()
            copy = try to.open(model, at: folders[1].store)
        }
        let stage = Stage(copy)
        defer { stage.close() }
        var wanted = objects
        // The form has no versions.
        if to == .xml { for index in wanted.indices { wanted[index].snapshot.version = 1 } }
        let found = try stage.objects()
        #expect(found.count == wanted.count)
        for (found, wanted) in zip(found, wanted) { #expect(found == wanted) }
        #expect(try copy.highestKeys == keys)
        #expect(try stage.history().isEmpty)
        let metadata = try copy.metadata
        for (key, value) in own { #expect(metadata[key] == value) }
        #expect(metadata["NSStoreModelVersionHashes"] == before["NSStoreModelVersionHashes"])
        let tag = try #require(stage.insert("Tag").first)
        #expect(tag.key == (keys[tag.root] ?? 0) + 1)
        // The source is as it was.
        #expect(try source.objects() == objects)
        #expect(try source.coordinator.store.metadata == before)
    }

    @Test(arguments: StoreKind.files)
    func aDerivedSumOfManyDigitsIsReadAgain(_ kind: StoreKind) throws {
        let model = try makeModel([
            EntityMaker("Item").attribute("name", .string).attribute("price", .decimal)
                .attribute("total", .decimal) { $0.derivationExpression = "parts.price.@sum" }
                .toOne("whole", "Item", inverse: "parts").toMany("parts", "Item", inverse: "whole")
        ])
        let stage = try Stage(kind, model, at: folders[0].store)
        let items = try stage.insert("Item", count: 3)
        let most = try #require(DecimalText.parse(String(repeating: "9", count: 38).utf8))
        try stage.change { context in
            for id in items.dropFirst() {
                let part = try context.object(with: id)
                part["price"] = .decimal(most)
                try context.object(with: items[0]).add("parts", part)
            }
        }
        stage.close()
        if kind != .binary {
            // With 39 digits, as such a sum was once written.
            let text = try String(contentsOfFile: folders[0].store, encoding: .utf8)
            let rounded = "2" + String(repeating: "0", count: 38)
            #expect(text.contains(rounded))
            let former = "1" + String(repeating: "9", count: 37) + "8"
            try folders[0].write(text.replacing(rounded, with: former), to: "store.sqlite")
        }
        let again = try Stage(kind, model, at: folders[0].store)
        defer { again.close() }
        let sum = try #require(DecimalText.parse("2e38".utf8))
        try again.change { context in
            let total = try context.object(with: items[0])["total"]
            #expect(total == .decimal(sum))
        }
    }

    @Test func aStoreWithObjectsIsNoDestination() throws {
        let model = try allTypesModel()
        let source = try Stage(.memory, model, at: "")
        let other = try Stage(.sqlite, model, at: folders[0].store)
        defer { other.close() }
        _ = try other.insert("Tag")
        let error = try #require(throws: MigrationError.self) {
            try MigrationManager.copy(source.coordinator.store, to: other.coordinator.store)
        }
        #expect(error.description.contains("the destination has objects"))
    }

    /// A store in memory or in a whole file has no keys that do not count up, and no negative
    /// versions.
    @Test(arguments: [StoreKind.memory, .xml, .binary, .text])
    func keysAndVersionsOutOfRangeAreNoCrash(_ to: StoreKind) throws {
        let model = try makeModel([
            EntityMaker("Team").attribute("name", .string),
            EntityMaker("Tag").attribute("name", .string),
        ])
        let cases: [(sql: String, words: String?, version: Int64)] = [
            (
                "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) VALUES (9223372036854775807, 1, 1)",
                "Tag has", 1
            ),
            (
                "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_NAME = 'Tag'",
                "Tag has", 1
            ),
            ("UPDATE ZTAG SET Z_OPT = 9223372036854775807 WHERE Z_PK = 1", nil, .max),
            ("UPDATE ZTAG SET Z_OPT = -5 WHERE Z_PK = 1", nil, 1),
        ]
        for (sql, words, version) in cases {
            let folder = try TemporaryFolder()
            let path = folder.path + "/source"
            let made = try Stage(.sqlite, model, at: path)
            _ = try made.insert("Tag")
            made.close()
            try RawDatabase(path).run(sql)
            let source = try StoreKind.sqlite.open(model, at: path)
            defer { source.close() }
            let copy = try to.open(model, at: folder.store)
            guard let words else {
                try MigrationManager.copy(source, to: copy)
                let stage = Stage(copy)
                let tag = try #require(try stage.objects().first).snapshot
                #expect(tag.version == version, "\(sql)")
                stage.close()
                // It can be read again.
                if to != .memory { try to.open(model, at: folder.store).close() }
                continue
            }
            let error = #expect(throws: StoreError.self, "\(sql)") {
                try MigrationManager.copy(source, to: copy)
            }
            #expect(error?.description.contains(words) == true, "\(error as Any)")
            copy.close()
        }
    }
}
