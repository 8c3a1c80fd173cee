/// Stores have Core Data's layout, to the letter.

import Foundation
import SteleModel
import SteleModelFiles
import SteleSQL
import SteleSQLite
import TestSupport
import Testing

@Suite struct SchemaTests {
    @Test func orgChartHasTheStatementsOfTheClassicBook() throws {
        let schema = SQLSchema(model: try makeChart())
        #expect(
            Array(schema.creation.prefix(2)) == [
                "CREATE TABLE ZORGANIZATION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, "
                    + "Z_OPT INTEGER, ZID INTEGER, ZLEADER INTEGER, ZNAME VARCHAR )",
                "CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                    + "ZID INTEGER, Z2EMPLOYEES INTEGER, ZNAME VARCHAR )",
            ])
    }

    @Test func neighboursOfCountriesAreAReflexiveJoinTable() throws {
        let schema = SQLSchema(model: try sampleModel("World"))
        let statements = schema.creation.filter { $0.contains("NEIGHBOURS") }
        #expect(
            statements == [
                "CREATE TABLE Z_3NEIGHBOURS ( Z_3NEIGHBOURS INTEGER, REFLEXIVE INTEGER, "
                    + "PRIMARY KEY (Z_3NEIGHBOURS, REFLEXIVE) )",
                "CREATE INDEX Z_3NEIGHBOURS_REFLEXIVE_INDEX ON Z_3NEIGHBOURS "
                    + "(REFLEXIVE, Z_3NEIGHBOURS)",
            ])
    }

    @Test func orderedToManysHaveOrderKeysInTheirMembersRows() throws {
        let schema = SQLSchema(model: try drawingModel())
        let vertex = try #require(schema.creation.first { $0.hasPrefix("CREATE TABLE ZVERTEX") })
        #expect(vertex.contains("Z_FOK_POLYGON INTEGER"))
    }

    /// Columns by type, indexes of to-ones, families and constraints, and the tables of Core Data's
    /// own, as Apple's stores have them.
    @Test func aFamilyIsOneTableWithTheIndexesOfCoreData() throws {
        let model = try makeModel([
            EntityMaker("Item").attribute("barcode", .string).attribute("title", .string)
                .attribute("addedAt", .date).attribute("notes", .transformable)
                .attribute("onLoan", .boolean) { $0.isTransient = true }
                .toOne("reader", "Reader", inverse: "items").unique("barcode"),
            EntityMaker("Book", parent: "Item"),
            EntityMaker("RareBook", parent: "Book").attribute("isInsured", .boolean),
            EntityMaker("Reader").attribute("name", .string).attribute("town", .string)
                .attribute("id", .uuid).attribute("joinedAt", .date)
                .toMany("items", "Item", inverse: "reader").unique("name", "town"),
        ])
        let expected: Set = [
            "CREATE TABLE ZITEM ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                + "ZREADER INTEGER, ZISINSURED INTEGER, ZADDEDAT TIMESTAMP, ZBARCODE VARCHAR, "
                + "ZTITLE VARCHAR, ZNOTES BLOB )",
            "CREATE TABLE ZREADER ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                + "ZJOINEDAT TIMESTAMP, ZNAME VARCHAR, ZTOWN VARCHAR, ZID BLOB )",
            "CREATE INDEX ZITEM_ZREADER_INDEX ON ZITEM (ZREADER)",
            "CREATE INDEX ZITEM_Z_ENT_INDEX ON ZITEM (Z_ENT)",
            "CREATE UNIQUE INDEX Z_Item_UNIQUE_barcode ON ZITEM (ZBARCODE COLLATE BINARY ASC)",
            "CREATE UNIQUE INDEX Z_Reader_UNIQUE_name_town ON ZREADER "
                + "(ZNAME COLLATE BINARY ASC, ZTOWN COLLATE BINARY ASC)",
            "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, "
                + "Z_SUPER INTEGER, Z_MAX INTEGER)",
            "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), "
                + "Z_PLIST BLOB)",
            "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
        ]
        #expect(expected.subtracting(SQLSchema(model: model).creation) == [])
    }

    @Test(.enabled(if: sharedFolder != nil, "the shared data is not here"))
    func tablesAndIndexesAreThoseOfAStoreThatAppleMade() throws {
        let folder = try #require(sharedFolder).path + "/data/coredata/sample/"
        let model = try ModelFile.read(
            folder + "SampleModel.xcdatamodeld/SampleModel.xcdatamodel"
        ).model()
        let copy = try TemporaryFolder()
        try FileManager.default.copyItem(
            atPath: folder + "Fixtures/SampleModel_V1.sqlite", toPath: copy.store)
        let apples = try statements(in: copy.store)
        let ours = Set(SQLSchema(model: model).creation)
        for statement in apples { #expect(ours.contains(statement)) }
        #expect(apples.count == 9)
    }

    /// All statements of a file's schema, by the command-line free way: a second connection.
    private func statements(in path: String) throws -> [String] {
        let database = try RawDatabase(path)
        return try database.texts("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")
    }
}
