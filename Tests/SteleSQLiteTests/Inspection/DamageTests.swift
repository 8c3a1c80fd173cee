// Each check of an inspection finds its damage, and nothing else.

import Foundation
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

/// A change of the shop's store by SQL, and how the differences that it makes begin.
struct Damage: Sendable, CustomStringConvertible {
    let sql: String
    let differences: [String]

    init(_ sql: String, _ differences: String...) {
        self.sql = sql
        self.differences = differences
    }

    var description: String { sql }

    static let all: [Damage] = [
        // The bookkeeping.
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 1",
            "ZITEM: the largest Z_PK is 3, and Z_MAX of Item in Z_PRIMARYKEY is 2"),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 4 WHERE Z_ENT = 16002",
            "ATRANSACTION: the largest Z_PK is 5, and Z_MAX of the row 16002"),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 8 WHERE Z_ENT = 16001",
            "ACHANGE: the largest Z_PK is 9, and Z_MAX of the row 16001"),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_ENT = 16003",
            "ATRANSACTIONSTRING: the largest Z_PK is 1, and Z_MAX of the row 16003"),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_MAX = 9223372036854775807 WHERE Z_ENT = 16002",
            "Z_PRIMARYKEY.Z_MAX: the row 16002 (TRANSACTION) has the number 9223372036854775807"),
        Damage(
            "INSERT INTO ATRANSACTION (Z_PK, Z_ENT) VALUES (-5, 16002)",
            "ATRANSACTION: the smallest Z_PK is -5: no save has a number below 1"),
        Damage(
            "UPDATE ACHANGE SET ZTRANSACTIONID = 7 WHERE Z_PK = 9",
            "ACHANGE.ZTRANSACTIONID: in 1 row (first: Z_PK 9) the number is of no row"),
        Damage(
            "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 4",
            "Z_PRIMARYKEY has no row for the entity Note of the model Shop",
            "ZNOTE: the largest Z_PK is 2, and Z_MAX of Note in Z_PRIMARYKEY is 0"),
        Damage(
            "INSERT INTO Z_PRIMARYKEY VALUES (9, 'Gone', 0, 0)",
            "Z_PRIMARYKEY: the row 9 is of the entity Gone, which the model does not have"),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_SUPER = 5 WHERE Z_ENT = 2",
            "Z_PRIMARYKEY.Z_SUPER: the entity Book has the parent 5, and by the model it is 1"),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_SUPER = 2 WHERE Z_ENT = 2",
            "Z_PRIMARYKEY.Z_SUPER: the entity Book has the parent 2, which leads to no entity",
            "Z_PRIMARYKEY.Z_SUPER: the entity Book has the parent 2, and by the model it is 1"),
        Damage(
            "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Item' WHERE Z_ENT = 4",
            "Z_PRIMARYKEY has the entity Item more than once"),
        Damage(
            "DROP TABLE Z_PRIMARYKEY; CREATE TABLE Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX); "
                + "INSERT INTO Z_PRIMARYKEY VALUES (1, 'Item', 0, 9), (2, 'Book', 1, 0), "
                + "(3, 'Film', 1, 0), (4, 'Note', 0, 9), (5, 'Person', 0, 9), "
                + "(6, 'Writer', 5, 0), (7, 'Shelf', 0, 9), (8, 'Tag', 0, 9), (NULL, 'Other', 0, 0), "
                + "(0, 'Zero', 0, 0)",
            "Z_PRIMARYKEY.Z_ENT: 2 of 10 rows have no number of an entity"),
        Damage("DROP TABLE Z_PRIMARYKEY", "the store has no table Z_PRIMARYKEY"),
        // The first three columns.
        Damage(
            "UPDATE ZITEM SET Z_ENT = 7 WHERE Z_PK = 3",
            "ZITEM.Z_ENT: in 1 row (first: Z_PK 3) it is the number of no entity of this table"),
        Damage(
            "UPDATE ZITEM SET Z_ENT = NULL WHERE Z_PK = 3",
            "ZITEM.Z_ENT: in 1 row (first: Z_PK 3) it is the number of no entity of this table"),
        Damage(
            "UPDATE ZITEM SET Z_ENT = 1 WHERE Z_PK = 3",
            "ZITEM.Z_ENT: in 1 row (first: Z_PK 3) the entity is Item, which is abstract"),
        Damage(
            "UPDATE ZITEM SET Z_OPT = NULL WHERE Z_PK > 1",
            "ZITEM.Z_OPT: in 2 rows (first: Z_PK 2) there is no version"),
        Damage(
            "UPDATE ZITEM SET Z_OPT = 'x' WHERE Z_PK = 3",
            "ZITEM.Z_OPT: in 1 row (first: Z_PK 3) the version is not of the type integer"),
        // Values of attributes.
        Damage(
            "INSERT INTO ZTAG VALUES (0, 8, 1, 'old'), (-5, 8, 1, 'older')",
            "ZTAG.Z_PK: in 2 rows (first: Z_PK -5) the key is below 1"),
        Damage(
            "UPDATE ZITEM SET ZCODE = 'seven' WHERE Z_PK = 3",
            "ZITEM.ZCODE: in 1 row (first: Z_PK 3) the value is not of the type integer: "
                + "Item.code is read as"),
        Damage(
            "UPDATE ZITEM SET ZCODE = 2147483648 WHERE Z_PK = 3",
            "ZITEM.ZCODE: in 1 row (first: Z_PK 3) the value is out of the range of Integer 32"),
        Damage(
            "UPDATE ZITEM SET ZTITLE = X'00' WHERE Z_PK < 3",
            "ZITEM.ZTITLE: in 2 rows (first: Z_PK 1) the value is not of the type text"),
        Damage(
            "UPDATE ZITEM SET ZCOVER = 'abc' WHERE Z_PK = 2",
            "ZITEM.ZCOVER: in 1 row (first: Z_PK 2) the value is not of the type blob"),
        Damage(
            "UPDATE ZITEM SET ZTITLE = CAST(X'61FF' AS TEXT) WHERE Z_PK = 1",
            "ZITEM.ZTITLE: in 1 row (first: Z_PK 1) the text is not UTF-8: Item.title is read"),
        // Keys of relationships.
        Damage(
            "UPDATE ZITEM SET ZSHELF = 99 WHERE Z_PK = 2",
            "ZITEM.ZSHELF: in 1 row (first: Z_PK 2) the key is of no row of ZSHELF: Item.shelf"),
        Damage(
            "UPDATE ZITEM SET ZWRITER = 1 WHERE Z_PK = 1",
            "ZITEM.ZWRITER: in 1 row (first: Z_PK 1) the key is of an object that is no Writer"),
        Damage(
            "UPDATE ZPERSON SET Z1_FAVOURITE = 2 WHERE Z_PK = 1",
            "ZPERSON.Z1_FAVOURITE: in 1 row (first: Z_PK 1) it is not the Z_ENT of the row"),
        Damage(
            "UPDATE ZITEM SET Z_FOK_SHELF = NULL WHERE Z_PK = 2",
            "ZITEM.Z_FOK_SHELF: in 1 row (first: Z_PK 2) there is no order key: the place in "
                + "Shelf.items"),
        Damage(
            "UPDATE ZNOTE SET Z7NOTES = 3 WHERE Z_PK = 1",
            "ZNOTE.Z7NOTES: in 1 row (first: Z_PK 1) the key is of no row of ZSHELF: Shelf.notes"),
        // Join tables.
        Damage(
            "INSERT INTO Z_1TAGS VALUES (77, 1, 2048)",
            "Z_1TAGS.Z_1ITEMS: in 1 row (first: Z_1ITEMS 77, Z_8TAGS 1) the key is of no row"),
        Damage(
            "INSERT INTO Z_1TAGS VALUES (3, 77, 2048)",
            "Z_1TAGS.Z_8TAGS: in 1 row (first: Z_1ITEMS 3, Z_8TAGS 77) the key is of no row"),
        Damage(
            "INSERT INTO Z_1TAGS VALUES (NULL, 1, 2048)",
            "Z_1TAGS.Z_1ITEMS: in 1 row (first: Z_1ITEMS NULL, Z_8TAGS 1) there is no key"),
        Damage(
            "UPDATE Z_1TAGS SET Z_FOK_8TAGS = NULL WHERE Z_1ITEMS = 2",
            "Z_1TAGS.Z_FOK_8TAGS: in 1 row (first: Z_1ITEMS 2, Z_8TAGS 1) there is no order key: "
                + "the place in Item.tags"),
        Damage(
            "DELETE FROM Z_5FRIENDS WHERE REFLEXIVE = 1",
            "Z_5FRIENDS.REFLEXIVE: in 1 row (first: Z_5FRIENDS 1, REFLEXIVE 2) there is no row "
                + "with the two keys exchanged"),
        // Tables and columns.
        Damage(
            "ALTER TABLE ZNOTE DROP COLUMN ZTEXT",
            "the table ZNOTE of the store has no column ZTEXT for Note.text of the model Shop"),
        Damage(
            "ALTER TABLE ZNOTE ADD COLUMN ZMORE VARCHAR",
            "its table ZNOTE has a column ZMORE that no property has"),
        Damage(
            "ALTER TABLE ZSHELF DROP COLUMN Z_OPT",
            "the table ZSHELF of the store has no column Z_OPT"),
        Damage(
            "DROP TABLE ZTAG",
            "the store has no table ZTAG for the entity Tag of the model Shop"),
        Damage(
            "DROP TABLE Z_1TAGS", "the store has no table Z_1TAGS or Z_8ITEMS for Item.tags",
            "the store has no table Z_1TAGS or Z_8ITEMS for Tag.items"),
        Damage(
            "ALTER TABLE Z_1TAGS DROP COLUMN Z_FOK_8TAGS",
            "the table Z_1TAGS of the store has no column Z_FOK_8TAGS for Item.tags",
            "the table Z_1TAGS of the store has no column Z_FOK_8TAGS for Tag.items"),
        Damage(
            "CREATE TABLE Z_9MORE (Z_1ITEMS INTEGER, Z_9MORE INTEGER)",
            "it has a table Z_9MORE that no relationship has"),
        Damage(
            "CREATE TABLE ZGONE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)",
            "ZGONE: the table is of no entity in the model"),
        // Uniqueness.
        Damage(
            "DROP INDEX Z_Item_UNIQUE_code", "ZITEM: there is no unique index on ZCODE for the"),
        Damage(
            "DROP INDEX Z_Item_UNIQUE_code; UPDATE ZITEM SET ZCODE = 2 WHERE Z_PK = 3",
            "ZITEM: there is no unique index on ZCODE for the constraint of Item.code",
            "ZITEM.ZCODE: 1 value is there more than once (first: Z_PK 2): Item.code must be"),
        // Values in files.
        Damage(
            "UPDATE ZITEM SET ZCOVER = \(Shop.reference(file)) WHERE Z_PK = 1",
            "ZITEM.ZCOVER: in 1 row the value is in a file that is not in "),
    ]

    static let file = "6F9619FF-8B86-D011-B42D-00CF4FC964FF"
}

@Suite struct DamageTests {
    @Test func aStoreWithoutDamageHasNoDifferences() throws {
        let shop = try Shop()
        try shop.run("UPDATE ZITEM SET ZCOVER = \(Shop.reference(Damage.file)) WHERE Z_PK = 1")
        try shop.addFile(Damage.file, age: 7_200)
        let found = try shop.inspect()
        #expect(found.differences == [] && found.unchecked == [])
        #expect(found.isSteles && found.model == .init(name: "Shop", isOwn: false))
        #expect(found.entities.map(\.objects) == [0, 2, 1, 2, 1, 2, 2, 1])
        #expect(found.entities.map(\.depth) == [0, 1, 1, 0, 0, 1, 0, 0])
        let rows = Dictionary(uniqueKeysWithValues: found.tables.map { ($0.name, $0.rows) })
        #expect(rows["Z_1TAGS"] == 2 && rows["Z_5FRIENDS"] == 3 && rows["ZNOTE"] == 2)
        #expect(found.files.map(\.role) == [.store, .external])
        #expect(found.files.last?.count == 1 && found.files.last?.bytes == 3)
        let history = try #require(found.history)
        #expect(history.numbers == 4...5 && history.times == 86_400...172_800)
        #expect(history.transactions == 2 && history.changes == 2 && !history.isBeside)
        #expect(Set(history.authors.map(\.name)) == ["Ann", nil])
        // Without the model SQL tells the same, save for the tables of relationships.
        try shop.run("DELETE FROM Z_MODELCACHE")
        let plain = try shop.inspect([])
        #expect(plain.differences == [] && plain.unchecked.count == 1)
        #expect(plain.entities == found.entities && plain.model == nil)
    }

    @Test(arguments: Damage.all)
    func aDamageIsFound(_ damage: Damage) throws {
        let shop = try Shop()
        try shop.run(damage.sql)
        let found = try shop.inspect().differences
        #expect(found.count == damage.differences.count, "\(found)")
        for (line, expected) in zip(found, damage.differences) {
            #expect(line.hasPrefix(expected), "\(line)")
        }
    }

    /// What Core Data or a model allows is no difference.
    @Test(arguments: [
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 99 WHERE Z_SUPER = 0",
        "INSERT INTO Z_PRIMARYKEY VALUES (17001, 'NSCKRecordMetadata', 0, 5)",
        "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT > 16000",
        "UPDATE ZPERSON SET ZFAVOURITE = NULL, Z1_FAVOURITE = NULL",
        "UPDATE ZITEM SET ZCODE = NULL",
        "CREATE TABLE ANSCKEVENT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER)",
        "CREATE TABLE OTHER (a); CREATE INDEX other_a ON OTHER (a)",
    ])
    func whatMayBeSoIsNoDifference(_ sql: String) throws {
        let shop = try Shop()
        try shop.run(sql)
        #expect(try shop.inspect().differences == [])
        #expect(try shop.inspect([]).differences == [])
    }

    @Test func aNumberThatIsNoFloatIsFoundInAColumnOfFloats() throws {
        let folder = try TemporaryFolder()
        let model = try makeModel([EntityMaker("Thing").attribute("size", .float)])
        try SQLiteStore.open(path: folder.store, model: model).close()
        try RawDatabase(folder.store).run(
            "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZSIZE) VALUES (1, 1, 1, 0.5), (2, 1, 1, 7), "
                + "(3, 1, 1, NULL), (4, 1, 1, \(Double(Float(0.1)))), (5, 1, 1, 0.1), "
                + "(6, 1, 1, 1e-300); UPDATE Z_PRIMARYKEY SET Z_MAX = 6")
        let found = try SQLiteStore.inspect(path: folder.store, among: [model]).differences
        #expect(found.count == 1, "\(found)")
        let expected = "ZTHING.ZSIZE: in 2 rows (first: Z_PK 5) the number is no Float: Thing.size"
        #expect(found.first?.hasPrefix(expected) == true, "\(found)")
    }

    /// A link to a deleted object that the delete rule No Action has left.
    @Test func aDanglingKeyOfNoActionIsNoDifference() throws {
        let folder = try TemporaryFolder()
        let model = try makeModel([
            EntityMaker("Thing").toOne("tag", "Tag", inverse: "things"),
            EntityMaker("Tag").toMany("things", "Thing", inverse: "tag", rule: .noAction),
        ])
        try SQLiteStore.open(path: folder.store, model: model).close()
        try RawDatabase(folder.store).run(
            "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZTAG) VALUES (1, 2, 1, 7); "
                + "UPDATE Z_PRIMARYKEY SET Z_MAX = 7")
        #expect(try SQLiteStore.inspect(path: folder.store, among: [model]).differences == [])
    }

    /// What SQL alone can tell: the bookkeeping, the first columns, and files.
    @Test func aDamageIsFoundWithoutAModel() throws {
        let cases: [Damage] = [
            Damage(
                "UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_ENT = 1",
                "ZITEM: the largest Z_PK is 3, and Z_MAX of Item in Z_PRIMARYKEY is 2"),
            Damage(
                "UPDATE ZITEM SET Z_ENT = 7 WHERE Z_PK = 3",
                "ZITEM.Z_ENT: in 1 row (first: Z_PK 3)"),
            Damage("UPDATE ZITEM SET Z_OPT = NULL", "ZITEM.Z_OPT: in 3 rows (first: Z_PK 1)"),
            Damage("DROP TABLE ZTAG", "ZTAG: there is no table for the entity Tag"),
            Damage("ALTER TABLE ZTAG DROP COLUMN Z_ENT", "ZTAG: the table lacks one of"),
            Damage(
                "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 4",
                "Z_PRIMARYKEY has no row for the entity Note, which has a version hash",
                "ZNOTE: the table is of no entity in Z_PRIMARYKEY"),
            Damage(
                "UPDATE Z_PRIMARYKEY SET Z_SUPER = 2 WHERE Z_ENT = 2",
                "Z_PRIMARYKEY.Z_SUPER: the entity Book has the parent 2, which leads to no",
                "ZITEM.Z_ENT: in 2 rows (first: Z_PK 1)"),
            Damage(
                "INSERT INTO Z_PRIMARYKEY VALUES (9, 'Te\"x''t', 0, 0)",
                "Z_PRIMARYKEY: the entity Te\"x't has no version hash in Z_METADATA",
                "ZTE\"X'T: there is no table for the entity Te\"x't"),
            Damage(
                "UPDATE ZITEM SET ZCOVER = \(Shop.reference(Damage.file)) WHERE Z_PK = 1",
                "ZITEM.ZCOVER: in 1 row the value is in a file that is not in "),
        ]
        for damage in cases {
            let shop = try Shop()
            try shop.run("DELETE FROM Z_MODELCACHE; " + damage.sql)
            let found = try shop.inspect([]).differences
            #expect(found.count == damage.differences.count, "\(found)")
            for (line, expected) in zip(found, damage.differences) {
                #expect(line.hasPrefix(expected), "\(line)")
            }
        }
    }

    /// A file that nothing names may be that of a save which is about to be committed. One that a
    /// before-image names is of an older state.
    @Test func filesThatNothingNamesAreFound() throws {
        let shop = try Shop()
        try shop.addFile(Damage.file, age: 60)
        #expect(try shop.inspect().differences == [])
        try shop.addFile(Damage.file, age: 7_200)
        let found = try shop.inspect().differences
        #expect(found.count == 1 && found[0].contains("1 file is named by no row"), "\(found)")
        #expect(found[0].contains(Damage.file))
        #expect(try shop.inspect([]).differences == found)
        try shop.run(
            "INSERT INTO STELE_BEFOREIMAGE VALUES (8, 1, 1, 2, "
                + "'{\"cover\":{\"external\":\"\(Damage.file)\"}}')")
        #expect(try shop.inspect().differences == [])
    }

    @Test func metadataThatWereChangedAloneAreFound() throws {
        for key in ["NSStoreModelVersionHashesDigest", "NSStoreModelVersionChecksumKey"] {
            let shop = try Shop()
            let bytes = try RawDatabase(shop.path).bytes("SELECT Z_PLIST FROM Z_METADATA")
            guard case .dictionary(var entries) = try BinaryPropertyListReader.read(bytes),
                let place = entries.firstIndex(where: { $0.key == key })
            else {
                Issue.record("no \(key)")
                continue
            }
            entries[place].value = .string("other")
            let changed = BinaryPropertyListWriter.bytes(.dictionary(entries))
            try shop.run(
                "UPDATE Z_METADATA SET Z_PLIST = X'"
                    + changed.map { String(format: "%02X", $0) }.joined() + "'")
            let found = try shop.inspect().differences
            #expect(found.count == 1 && found[0].hasPrefix("Z_METADATA: \(key) is not"))
        }
    }

    @Test func anotherModelIsNamedWithTheFirstDifference() throws {
        let shop = try Shop()
        let found = try shop.inspect([sampleModel("League")])
        // The tables are compared with the model in the store then.
        #expect(found.differences.count == 1 && found.model?.isOwn == true)
        #expect(found.differences[0].contains("the store has an entity Book that the model League"))
        #expect(found.entities.map(\.objects) == [0, 2, 1, 2, 1, 2, 2, 1])
        // The version that fits is chosen.
        #expect(try shop.inspect([sampleModel("League"), shop.model]).differences == [])
    }
}
