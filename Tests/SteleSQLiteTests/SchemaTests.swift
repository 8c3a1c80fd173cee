/// Stores have Core Data's layout, to the letter.

import Foundation
import SteleModel
import SteleSQL
import SteleSQLite
import Testing

@Suite struct SchemaTests {
    @Test func orgChartHasTheStatementsOfTheClassicBook() throws {
        let schema = SQLSchema(model: try sample("OrgChart"))
        #expect(
            Array(schema.creation.prefix(2)) == [
                "CREATE TABLE ZORGANIZATION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, "
                    + "Z_OPT INTEGER, ZID INTEGER, ZLEADER INTEGER, ZNAME VARCHAR )",
                "CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
                    + "ZID INTEGER, Z2EMPLOYEES INTEGER, ZNAME VARCHAR )",
            ])
    }

    @Test func neighboursOfCountriesAreAReflexiveJoinTable() throws {
        let schema = SQLSchema(model: try sample("World"))
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
        let schema = SQLSchema(model: try sample("Shapes"))
        let vertex = try #require(schema.creation.first { $0.hasPrefix("CREATE TABLE ZVERTEX") })
        #expect(vertex.contains("Z_FOK_POLYGON INTEGER"))
    }

    @Test(.enabled(if: sharedFolder != nil, "shared data is not beside the project"))
    func tablesAndIndexesAreThoseOfAStoreThatAppleMade() throws {
        let folder = try #require(sharedFolder) + "/data/coredata/sample/"
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
