// The history after a migration: tokens go on, entities and properties have their new names.

import FoundationEssentials
import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite struct HistoryMigrationTests {
    private let before = [
        EntityMaker("Person").attribute("name", .string).attribute("age", .integer64)
            .attribute("gone", .string).attribute("photo", .binary)
            .toOne("pet", "Pet", inverse: "owners"),
        EntityMaker("Pet").attribute("name", .string).toMany("owners", "Person", inverse: "pet"),
        EntityMaker("Removed").attribute("name", .string),
    ]
    private let after = [
        EntityMaker("Animal").attribute("name", .string)
            .toMany("keepers", "Person", inverse: "animal").renamed(from: "Pet")
            .renamed("keepers", from: "owners"),
        EntityMaker("Ape", parent: "Animal"),
        EntityMaker("Person").attribute("title", .string).attribute("age", .integer64)
            .attribute("name", .string).attribute("photo", .binary)
            .toOne("animal", "Animal", inverse: "keepers")
            .renamed("title", from: "name").renamed("name", from: "none")
            .renamed("animal", from: "pet"),
    ]

    /// Saves that change each kind of property, and one that is no longer there.
    private func fill(_ it: any GraphFixture) throws {
        let person = try it.insert("Person")[0]
        let pet = try it.insert("Pet")[0]
        let removed = try it.insert("Removed")[0]
        try it.change { try $0.get(person)["age"] = .int(1) }
        try it.change { try $0.get(person)["gone"] = .string("x") }
        try it.change { try $0.get(removed)["name"] = .string("y") }
        try it.change { try $0.get(person).set("pet", try $0.get(pet)) }
        try it.change { try $0.get(person)["name"] = .string("last") }
        let second = try it.insert("Person")[0]
        try it.change { try $0.delete(try $0.get(second)) }
    }

    @Test func statesBeforeTheMigrationHaveTheNewNames() throws {
        let it = try migrated(before, to: after, fill)
        try it.change {
            let person = try $0.get(ObjectID(root: try it.entity("Person").root, key: 1))
            person["name"] = .string("new")
        }
        let person = try it.entity("Person").index
        let history = try it.history()
        #expect(history.map(\.number) == Array(1...11))
        let states = history.map { $0.changes.filter { $0.entity == person && $0.key == 1 } }
            .compactMap(\.first)
        #expect(states.map(\.version) == [1, 2, 3, 4, 5, 6])
        func values(_ name: String) -> [Value?] {
            states.map { $0.snapshot?.value(name, in: it.model) }
        }
        let first = Value.string("Person 1")
        let last = Value.string("last")
        #expect(values("title") == [first, first, first, first, last, last])
        #expect(values("age") == [.null, .int(1), .int(1), .int(1), .int(1), .int(1)])
        #expect(values("animal") == [.null, .null, .null, .key(1), .key(1), .key(1)])
        #expect(values("name") == [.null, .null, .null, .null, .null, .string("new")])
        #expect(states.allSatisfy { $0.snapshot?.version == $0.version })
        let changes = history.flatMap(\.changes)
        #expect(!changes.contains { $0.entity >= it.model.entities.count })
        // The changes of the removed entity are gone, their transactions are not.
        #expect(history[2].changes.isEmpty && history[5].changes.isEmpty)
        let deleted = try #require(changes.last { $0.kind == .delete })
        #expect(deleted.snapshot?.value("title", in: it.model) == first)
        let members = history[6].changes.first { $0.entity != person }
        #expect(members.map { it.model.entities[$0.entity].name } == "Animal")
    }

    @Test func tokensGoOn() throws {
        let folder = try TemporaryFolder()
        let source = try makeModel(before)
        try filled(source, in: folder, fill)
        let old = try SQLiteStore.open(path: folder.store, model: source)
        let (token, line, identifier) = (try old.now, old.historyLine, old.identifier)
        old.close()
        let destination = try makeModel(after)
        try SQLiteStore.migrate(
            path: folder.store, from: source, to: destination,
            by: try .inferred(from: source, to: destination))
        let store = try SQLiteStore.open(path: folder.store, model: destination)
        defer { store.close() }
        #expect(try store.now == token)
        #expect(store.identifier == identifier)
        for number in 1...token {
            #expect(store.historyLine.has(line.generation(of: number), number))
        }
        let reader = try store.reader()
        defer { reader.close() }
        #expect(try reader.oldestTransaction() == 1)
        #expect(try reader.history(after: 3, limit: 100, values: true).count == Int(token) - 3)
    }

    @Test func aNewAttributeLeavesTheHistoryAsItIs() throws {
        let folder = try TemporaryFolder()
        let tables = ["ACHANGE", "ATRANSACTION", "STELE_BEFOREIMAGE", "STELE_IMAGEPLACE"]
        func lines(_ path: String) throws -> [String] {
            let raw = try RawDatabase(path)
            return try tables.flatMap { table in
                let columns = try raw.texts("SELECT name FROM pragma_table_info('\(table)')")
                let list = columns.map { "quote(\($0))" }.joined(separator: " || ',' || ")
                return try raw.texts("SELECT \(list) FROM \(table) ORDER BY 1")
            }
        }
        let wider = [before[0].attribute("more", .string), before[1], before[2]]
        var old: [String] = []
        let it = try migrated(before, to: wider, in: folder) {
            try fill($0)
            old = try lines(folder.store)
        }
        #expect(try lines(it.folder.store) == old)
        #expect(!old.isEmpty)
    }

    @Test func anImagesNamesAreRewrittenOnceForEachMigration() throws {
        let it = try migrated(before, to: after, fill)
        let images = try it.lines("SELECT ZVALUES FROM STELE_BEFOREIMAGE ORDER BY Z_PK")
        #expect(images.contains(#"{"-gone":null}"#))
        #expect(images.contains(#"{"title":"Person 1"}"#))
        #expect(images.contains(#"{"animal":null}"#))
        #expect(images.contains { $0.contains(#""keepers":{"added":[1]"#) })
    }
}

@Suite struct MetadataTests {
    @Test func keysOfOtherProgramsStayInEveryWrite() throws {
        let folder = try TemporaryFolder()
        let source = try makeModel([EntityMaker("A").attribute("price", .decimal)])
        let destination = try makeModel([
            EntityMaker("A").attribute("price", .decimal).attribute("b", .string)
        ])
        try SQLiteStore.open(path: folder.store, model: source).close()
        let raw = try RawDatabase(folder.store)
        func list() throws -> PropertyList {
            try BinaryPropertyListReader.read(try raw.bytes("SELECT Z_PLIST FROM Z_METADATA"))
        }
        let own: [String: PropertyList] = [
            "text": .string("ü"), "flag": .bool(true), "off": .bool(false), "one": .integer(1),
            "large": .unsigned(.max), "small": .integer(.min), "half": .real(0.5),
            "date": .date(1.5), "data": .data([0, 255]), "list": [1, "2"],
            "members": ["a": [], "b": [:]],
        ]
        let all = try #require(list().entries) + own.map { .init(key: $0.key, value: $0.value) }
        let hex = BinaryPropertyListWriter.bytes(.dictionary(all)).map {
            ($0 < 16 ? "0" : "") + String($0, radix: 16)
        }
        try raw.run("UPDATE Z_METADATA SET Z_PLIST = X'\(hex.joined())'")
        func check() throws {
            let now = try list()
            for (key, value) in own { #expect(now[key] == value, "\(key)") }
        }
        try check()
        // The opening writes a generation, and the save of a long decimal its attribute.
        let store = try SQLiteStore.open(path: folder.store, model: source)
        let identifier = store.identifier
        _ = try store.insert(
            source.entities[0],
            ["price": .decimal(Decimal(string: "1.23456789012345678") ?? 0)])
        store.close()
        try check()
        let hashes = try list()["NSStoreModelVersionHashes"]
        try SQLiteStore.migrate(
            path: folder.store, from: source, to: destination,
            by: try .inferred(from: source, to: destination))
        try check()
        #expect(try list()["NSStoreModelVersionHashes"] != hashes)
        #expect(try list()["migrationManagerClass"] == .string("SteleInPlaceMigration"))
        #expect(try list()["SteleLongDecimals"] == .array([.string("A.price")]))
        #expect(try raw.texts("SELECT Z_UUID FROM Z_METADATA") == [identifier])
    }
}
