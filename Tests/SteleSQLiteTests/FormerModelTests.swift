// Stores of other programs with the model of a former version in Z_MODELCACHE, or of a later one.

import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite struct FormerModelTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/s.sqlite" }

    init() throws { folder = try TemporaryFolder() }

    /// A version: the second has `n`, and the third `d`.
    private static func model(
        _ version: Int, name: String = "Test", n type: AttributeType = .integer32,
        isOptional: Bool = true
    ) throws -> Model {
        var item = EntityMaker("Item").attribute("code", .string) { $0.isOptional = isOptional }
        if version > 1 { item = item.attribute("n", type) }
        if version > 2 { item = item.attribute("d", .date) }
        return try makeModel(name: name, [item])
    }

    /// Makes a store with the tables of one model, and with another one in Z_MODELCACHE.
    private func make(_ tables: Model, cache: Model) throws {
        let other = folder.path + "/other.sqlite"
        try makeBareStore(tables, at: path)
        try SQLiteStore.open(path: other, model: cache).close()
        try RawDatabase(path).run(
            "ATTACH '\(other)' AS o; "
                + "UPDATE Z_MODELCACHE SET Z_CONTENT = (SELECT Z_CONTENT FROM o.Z_MODELCACHE)")
    }

    private func fill() throws {
        try RawDatabase(path).run(
            "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZN) VALUES (1, 1, 1, 42); "
                + "UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
    }

    /// The text of the error that a body throws.
    private func refusal(_ code: Int, _ body: () throws -> Void) -> String {
        do { try body() } catch StoreError.incompatible(code: let found, let text) {
            #expect(found == code, "\(text)")
            return text
        } catch {
            Issue.record("\(error)")
            return ""
        }
        Issue.record("nothing was refused")
        return ""
    }

    /// A version that has all columns of the tables is that of the store, and keeps their values.
    @Test func aFormerModelIsNotThatOfTheTables() throws {
        let (v1, v2, v3) = (try Self.model(1), try Self.model(2), try Self.model(3))
        try make(v2, cache: v1)
        try fill()
        for versions in [[v3, v1, v2], [v3, v2, v1], [v2, v1]] {
            let found = try SQLiteStore.adoptableModel(path: path, among: versions)
            #expect(found === v2)
        }
        let double = try Self.model(2, n: .double)
        for model in [v3, double] {
            _ = refusal(134100) { try ReadOnlySQLiteStore.open(path: path, model: model).close() }
        }
        let inspected = try SQLiteStore.inspect(path: path, among: [v2])
        #expect(inspected.model?.isOwn == false)
        #expect(inspected.differences == [])
        let store = try SQLiteStore.open(path: path, model: v2)
        defer { store.close() }
        let item = try #require(v2.entity(named: "Item"))
        let found = try store.snapshot(item, 1)
        let values = try #require(found).values
        #expect(values.contains(.int(42)))
    }

    /// The column may be what another program has added: the store opens with its own model.
    @Test func theModelInTheStoreOpensIt() throws {
        let (v1, v2) = (try Self.model(1), try Self.model(2))
        try make(v2, cache: v1)
        try fill()
        let found = try SQLiteStore.adoptableModel(path: path, among: [v1, v2])
        #expect(found === v1)
        try ReadOnlySQLiteStore.open(path: path, model: v1).close()
        try SQLiteStore.open(path: path, model: v1).close()
        #expect(try RawDatabase(path).texts("SELECT ZN FROM ZITEM") == ["42"])
    }

    /// A column that no version has says nothing against the model in the store.
    @Test func aColumnThatNoVersionHasLeavesTheModelInTheStore() throws {
        let (v1, other) = (try Self.model(1), try Self.model(1, isOptional: false))
        try make(v1, cache: v1)
        try RawDatabase(path).run("ALTER TABLE ZITEM ADD COLUMN EXTRA INTEGER DEFAULT 7")
        let text = refusal(134100) {
            try ReadOnlySQLiteStore.open(path: path, model: other).close()
        }
        #expect(text.contains("Item.code is not as in the model that the store has"), "\(text)")
        let found = try SQLiteStore.adoptableModel(path: path, among: [other, v1])
        #expect(found === v1)
    }

    /// A migration would make the column again, without its values.
    @Test func aVersionWithoutAFilledColumnIsNotTakenOn() throws {
        let (v1, v2, v3) = (try Self.model(1), try Self.model(2), try Self.model(3))
        try make(v2, cache: v1)
        let found = try SQLiteStore.adoptableModel(path: path, among: [v3, v1])
        #expect(found === v1)
        try fill()
        let text = refusal(134100) {
            _ = try SQLiteStore.adoptableModel(path: path, among: [v3, v1])
        }
        #expect(
            text.hasPrefix(
                "Item.n of Test would not get the values of the column ZITEM.ZN (first: Z_PK 1)"),
            "\(text)")
        #expect(
            try SQLiteStore.valuesWithoutProperty(path: path, model: v1)
                == ["the values of the column ZITEM.ZN"])
        #expect(try SQLiteStore.valuesWithoutProperty(path: path, model: v2) == [])
    }

    /// A version of two entities: the second has links between them, and the third an order of these.
    private static func linked(_ version: Int, _ more: [EntityMaker] = []) throws -> Model {
        var (item, tag) = (EntityMaker("Item"), EntityMaker("Tag"))
        if version > 1 {
            item = item.toMany("tags", "Tag", inverse: "items", ordered: version > 2)
            tag = tag.toMany("items", "Item", inverse: "tags")
        }
        return try makeModel([item, tag] + more)
    }

    /// A version without a join table is not that of the store, nor one without the order in it.
    @Test(arguments: [
        (2, 1, "Item.tags of Test would not get the links of the table Z_1TAGS: "),
        (3, 1, "Item.tags of Test would not get the links of the table Z_1TAGS: "),
        (3, 2, "Item.tags of Test would not get the values of the column Z_1TAGS.Z_FOK_2TAGS: "),
    ])
    func aVersionWithoutLinksIsNotTakenOn(_ version: Int, _ former: Int, _ start: String) throws {
        let (own, cached) = (try Self.linked(version), try Self.linked(former))
        // Another entity gives the others other numbers.
        let wanted = try Self.linked(version, [EntityMaker("Added")])
        try make(own, cache: cached)
        let empty = try SQLiteStore.adoptableModel(path: path, among: [wanted, cached])
        #expect(empty === cached)
        try RawDatabase(path).run(
            "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1); "
                + "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1); "
                + "INSERT INTO Z_1TAGS VALUES (1, 1\(version > 2 ? ", 2048" : ""))")
        let text = refusal(134100) {
            _ = try SQLiteStore.adoptableModel(path: path, among: [wanted, cached])
        }
        #expect(text.hasPrefix(start), "\(text)")
        #expect(try SQLiteStore.valuesWithoutProperty(path: path, model: cached).count == 1)
        let found = try SQLiteStore.adoptableModel(path: path, among: [wanted, cached, own])
        #expect(found === own)
    }

    /// Version hashes that are known and equal need no other evidence, on any way into the store.
    @Test func equalHashesDecide() throws {
        let (own, other) = (
            try Self.model(2, name: "V2"), try Self.model(2, name: "V1", n: .integer16)
        )
        try make(own, cache: other)
        let hashes = try #require(try SQLiteStore.versionHashes(path: path))
        _ = refusal(134100) { try ReadOnlySQLiteStore.open(path: path, model: own).close() }
        let found = try SQLiteStore.adoptableModel(
            path: path, among: [other, own], ["V2": hashes])
        #expect(found === own)
        let inspected = try SQLiteStore.inspect(
            path: path, among: [other, own], published: ["V2": hashes])
        #expect(inspected.model?.name == "V2" && inspected.hashes == "those of the model")
        try ReadOnlySQLiteStore.open(path: path, model: own, versionHashes: hashes).close()
        try HeldStore.take(path: path, model: own, versionHashes: hashes).release()
        let adopts = try SQLiteStore.isToBeAdopted(path: path, model: own, versionHashes: hashes)
        #expect(adopts)
        try SQLiteStore.open(path: path, model: own, versionHashes: hashes).close()
        // The answer is kept.
        try SQLiteStore.open(path: path, model: own).close()
    }

    /// What is said is of the model that was given.
    @Test func aLaterModelInTheStoreIsNotTheGivenOne() throws {
        let (v1, v2, v3) = (try Self.model(1), try Self.model(2), try Self.model(3))
        try make(v2, cache: v3)
        let none = try SQLiteStore.adoptableModel(path: path, among: [v1, v3])
        #expect(none == nil)
        let misfit = try #require(try SQLiteStore.misfit(path: path, v1))
        #expect(misfit.contains("its table ZITEM has a column ZN that no property has"))
        let found = try SQLiteStore.adoptableModel(path: path, among: [v3, v2])
        #expect(found === v2)
        for body in [
            { _ = try SQLiteStore.adoptableModel(path: path, among: [v3]) },
            { try SQLiteStore.open(path: path, model: v3).close() },
        ] {
            let text = refusal(134080, body)
            #expect(
                text.hasPrefix("the model is the one that the store has in Z_MODELCACHE")
                    && text.contains("has no column ZD for Item.d"), "\(text)")
        }
    }

    /// Without Z_PRIMARYKEY no table is found, and no model is taken for the store's.
    @Test func anInspectionWithoutTablesNamesWhatIsNotCompared() throws {
        let v2 = try Self.model(2, name: "V2")
        try make(v2, cache: v2)
        try RawDatabase(path).run("DROP TABLE Z_PRIMARYKEY")
        for version in [1, 3] {
            let found = try SQLiteStore.inspect(path: path, among: [Self.model(version)])
            #expect(found.hashes.hasSuffix("the names of the entities are those of the model"))
            let isSaid = found.unchecked.contains {
                $0.hasPrefix(
                    "whether the store is of Test: the tables that show it are found by "
                        + "Z_PRIMARYKEY, and Item")
            }
            #expect(isSaid, "\(found.unchecked)")
        }
        let found = try SQLiteStore.inspect(path: path, among: [Self.model(3), v2])
        #expect(found.model?.name == "V2")
    }
}
