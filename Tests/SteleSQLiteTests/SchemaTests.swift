/// Stores have Core Data's layout, to the letter.

import Foundation
import SteleMigration
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

    /// Models of apps have indexes of every kind, and their stores those that have columns.
    @Test func indexesOfOddKindsAreMadeAsCoreDataMakesThem() throws {
        func index(_ name: String, _ elements: String...) -> FetchIndexDescription {
            var index = FetchIndexDescription(name: name)
            index.elements = elements.map { .init(propertyName: $0) }
            return index
        }
        var byKind = index("byKindIndex", "kind")
        var entity = FetchIndexDescription.Element(propertyName: nil)
        entity.expression = "entity"
        byKind.elements.append(entity)
        let album = EntityMaker("Album").attribute("kind", .integer16).attribute("title", .string)
            .attribute("shown", .string) { $0.isTransient = true }
            .toMany("photos", "Photo", inverse: "albums")
            .toOne("keyPhoto", "Photo", inverse: "keyOf")
            .changing {
                $0.fetchIndexes = [
                    index("byPhotosIndex", "photos"), index("byBothIndex", "kind", "photos"),
                    index("byTitleIndex", "title"), index("byTitleIndex", "title"), byKind,
                    index("byShown", "shown"), index("", "title"),
                ]
                $0.compoundIndexes = [["kind", "entity"], ["self", "title"], ["kind", "photos"]]
                guard case .relationship(var keyPhoto)? = $0.properties.popLast() else { return }
                keyPhoto.isOrdered = true
                $0.properties.append(.relationship(keyPhoto))
            }
        let photo = EntityMaker("Photo").toMany("albums", "Album", inverse: "photos")
            .toMany("keyOf", "Album", inverse: "keyPhoto")
        let schema = SQLSchema(model: try makeModel([album, photo]))
        let made = schema.creation.filter { $0.contains("INDEX") && $0.contains("ON ZALBUM") }
        #expect(
            made == [
                "CREATE INDEX ZALBUM_ZKEYPHOTO_INDEX ON ZALBUM (ZKEYPHOTO)",
                "CREATE INDEX ZALBUM_ZKIND_Z_ENT ON ZALBUM (ZKIND, Z_ENT)",
                "CREATE INDEX ZALBUM_Z_ENT_ZTITLE ON ZALBUM (Z_ENT, ZTITLE)",
                "CREATE INDEX Z_Album_byTitleIndex ON ZALBUM (ZTITLE COLLATE BINARY ASC)",
                "CREATE INDEX Z_Album_byKindIndex ON ZALBUM (ZKIND COLLATE BINARY ASC, "
                    + "Z_ENT COLLATE BINARY ASC)",
                "CREATE INDEX Z_Album_title ON ZALBUM (ZTITLE COLLATE BINARY ASC)",
            ])
        #expect(!schema.creation.contains { $0.contains("Z_FOK_KEYPHOTO") })
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

    /// The subentity, whose name sorts first, has both relationships.
    @Test(arguments: [("to", "of"), ("at", "of")])
    func manyToManyBetweenAnEntityAndItsSubentityIsOneTable(
        _ down: String, _ up: String
    ) throws {
        let schema = SQLSchema(
            model: try makeModel([
                EntityMaker("Order").toMany(down, "Album", inverse: up),
                EntityMaker("Album", parent: "Order").toMany(up, "Order", inverse: down),
            ]))
        let tables = schema.creation.filter { $0.hasPrefix("CREATE TABLE Z_") && $0.contains("OF") }
        #expect(
            tables.map { $0.prefix { $0 != "(" } }
                == [down > up ? "CREATE TABLE Z_1TO " : "CREATE TABLE Z_2OF "])
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

    /// Indexed attributes and those that a fetch index has alone, in each form.
    @Test func attributesHaveTheIndexesOfTheVersion() throws {
        let schema = SQLSchema(
            model: try makeModel([
                EntityMaker("Item").attribute("code", .string) { $0.isIndexed = true }
                    .attribute("name", .string) { $0.isIndexed = true }.attribute(
                        "rank", .integer16
                    )
                    .attribute("title", .string)
                    .toOne("shelf", "Shelf", inverse: "items")
                    .index("byName", on: "name").index("RANK", on: "rank")
                    .index("byShelf", on: "shelf").unique("title"),
                EntityMaker("Book", parent: "Item").attribute("pages", .integer32) {
                    $0.isIndexed = true
                },
                EntityMaker("Shelf").attribute("name", .string)
                    .toMany("items", "Item", inverse: "shelf"),
            ]))
        func indexes(_ version: FrameworkVersion) -> [String] {
            schema.creation(as: version).filter {
                $0.hasPrefix("CREATE ") && $0.contains("INDEX ") && $0.contains(" ON ZITEM ")
            }
        }
        #expect(schema.creation == schema.creation(as: .newest))
        for version in [FrameworkVersion(847), .newest] {
            #expect(
                indexes(version) == [
                    "CREATE INDEX ZITEM_ZSHELF_INDEX ON ZITEM (ZSHELF)",
                    "CREATE INDEX ZITEM_Z_ENT_INDEX ON ZITEM (Z_ENT)",
                    "CREATE INDEX Z_Item_byName ON ZITEM (ZNAME COLLATE BINARY ASC)",
                    "CREATE INDEX Z_Item_RANK ON ZITEM (ZRANK COLLATE BINARY ASC)",
                    "CREATE INDEX Z_Item_byShelf ON ZITEM (ZSHELF COLLATE BINARY ASC)",
                    "CREATE INDEX Z_Item_code ON ZITEM (ZCODE COLLATE BINARY ASC)",
                    "CREATE INDEX Z_Item_name ON ZITEM (ZNAME COLLATE BINARY ASC)",
                    "CREATE UNIQUE INDEX Z_Item_UNIQUE_title ON ZITEM (ZTITLE COLLATE BINARY ASC)",
                    "CREATE INDEX Z_Book_pages ON ZITEM (ZPAGES COLLATE BINARY ASC)",
                ])
        }
        #expect(
            indexes(FrameworkVersion(846)) == [
                "CREATE INDEX ZITEM_ZCODE_INDEX ON ZITEM (ZCODE)",
                "CREATE INDEX ZITEM_ZNAME_INDEX ON ZITEM (ZNAME)",
                "CREATE INDEX ZITEM_ZPAGES_INDEX ON ZITEM (ZPAGES)",
                "CREATE INDEX ZITEM_ZSHELF_INDEX ON ZITEM (ZSHELF)",
                "CREATE INDEX ZITEM_Z_ENT_INDEX ON ZITEM (Z_ENT)",
                "CREATE INDEX Z_Item_byName ON ZITEM (ZNAME COLLATE BINARY ASC)",
                "CREATE INDEX Z_Item_RANK ON ZITEM (ZRANK COLLATE BINARY ASC)",
                "CREATE INDEX Z_Item_byShelf ON ZITEM (ZSHELF COLLATE BINARY ASC)",
            ])
        #expect(
            schema.creation(as: FrameworkVersion(846)).first?.hasSuffix(
                ", ZTITLE VARCHAR, CONSTRAINT ZTITLE UNIQUE (ZTITLE))") == true)
    }

    /// A model may name an index as it likes, and a constraint may be on a part of a composite.
    @Test func indexesOfAnyNameAreMadeAndDropped() throws {
        let composite = CompositeDescription("Place", [.init(optional: "city", .string)])
        func model(hasIndexes: Bool) throws -> Model {
            let trip = EntityMaker("Trip").attribute("label", .string)
                .attribute("home", .composite) { $0.compositeName = "Place" }
                .attribute("more", .string) { $0.isOptional = hasIndexes }
                .changing { entity in
                    guard hasIndexes else { return }
                    entity.fetchIndexes = ["by label", "by-\"label\"", "größe"].map {
                        var index = FetchIndexDescription(name: $0)
                        index.elements = [.init(propertyName: "label")]
                        return index
                    }
                    entity.uniquenessConstraints = [["home.city"]]
                }
            return try makeModel(name: "Trips", [trip], composites: [composite])
        }
        let names = [
            "Z_Trip_UNIQUE_home.city", "Z_Trip_by label", "Z_Trip_by-\"label\"", "Z_Trip_größe",
            "Z_Trip_label",
        ]
        let folder = try TemporaryFolder()
        let (with, without) = (try model(hasIndexes: true), try model(hasIndexes: false))
        try SQLiteStore.open(path: folder.store, model: with).close()
        func made() throws -> [String] {
            try RawDatabase(folder.store).texts(
                "SELECT name FROM sqlite_master WHERE tbl_name = 'ZTRIP' AND type = 'index' "
                    + "ORDER BY name")
        }
        #expect(try made() == names)
        for (from, to, left) in [(with, without, []), (without, with, names)] {
            try SQLiteStore.migrate(
                path: folder.store, from: from, to: to,
                by: try MappingModel.inferred(from: from, to: to)
            ) { _ in }
            #expect(try made() == left)
        }
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
