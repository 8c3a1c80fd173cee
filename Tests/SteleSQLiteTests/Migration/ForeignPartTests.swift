// What of a store's schema is another program's, which a migration that makes a new store names.

import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite struct ForeignPartTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Makes a store, which another program then changes, and returns what it has added.
    private func parts(after sql: String) throws -> [String] {
        let model = try makeModel([
            EntityMaker("Region").attribute("lat", .double).attribute("lon", .double)
        ])
        try SQLiteStore.open(path: folder.store, model: model).close()
        try RawDatabase(folder.store).run(sql)
        return try SQLiteStore.foreignParts(path: folder.store, model: model, "1")
    }

    /// Core Data makes such a table and triggers for a fetch index and for a location.
    @Test(arguments: ["Z_Region_byPlace", "Z_RT_Region_place"])
    func anIndexOfCoreDataByRTreeIsNotAnotherPrograms(_ name: String) throws {
        let values = "NEW.Z_PK, NEW.ZLAT, NEW.ZLAT, NEW.ZLON, NEW.ZLON"
        let found = try parts(
            after: """
                INSERT INTO ZREGION (Z_PK, Z_ENT, Z_OPT, ZLAT, ZLON) VALUES (1, 1, 1, 2, 3);
                CREATE VIRTUAL TABLE \(name) USING RTREE (Z_PK, a, b, c, d);
                CREATE TRIGGER \(name)_INSERT AFTER INSERT ON ZREGION FOR EACH ROW
                BEGIN INSERT OR REPLACE INTO \(name) VALUES (\(values)); END;
                CREATE TRIGGER \(name)_UPDATE AFTER UPDATE ON ZREGION FOR EACH ROW
                BEGIN INSERT OR REPLACE INTO \(name) VALUES (\(values)); END;
                CREATE TRIGGER \(name)_DELETE AFTER DELETE ON ZREGION FOR EACH ROW
                BEGIN DELETE FROM \(name) WHERE Z_PK = OLD.Z_PK; END;
                INSERT INTO \(name) VALUES (1, 2, 2, 3, 3);
                """)
        #expect(found.isEmpty, "\(found)")
    }

    @Test func anRTreeOfAnotherProgramIsNamed() throws {
        let found = try parts(
            after: """
                CREATE VIRTUAL TABLE places USING rtree (id, a, b);
                INSERT INTO places VALUES (1, 2, 3);
                CREATE TRIGGER places_INSERT AFTER INSERT ON ZREGION
                BEGIN INSERT INTO places VALUES (NEW.Z_PK, NEW.ZLAT, NEW.ZLAT); END;
                """)
        let table = found.filter { $0.hasPrefix("the table places") }
        let trigger = found.filter { $0.hasPrefix("the trigger places_INSERT of ZREGION") }
        #expect(table.count == 1 && trigger.count == 1 && found.count == 2, "\(found)")
    }

    @Test func aTableNamedAfterAVirtualOneIsNamedWhereItIsNotItsOwn() throws {
        let found = try parts(
            after: """
                CREATE VIRTUAL TABLE notes USING fts5 (t);
                INSERT INTO notes VALUES ('a');
                CREATE TABLE notes_archive (t);
                INSERT INTO notes_archive VALUES ('precious');
                """)
        let names = found.map { $0.prefix { $0 != "(" } }
        #expect(names == ["the table notes ", "the table notes_archive "], "\(found)")
    }

    /// The ends of the names are those of other modules, and of Stele's own tables.
    @Test func tablesWithNamesLikeThoseOfAModuleOrOfSteleAreNamed() throws {
        let found = try parts(
            after: """
                CREATE VIRTUAL TABLE places USING rtree (id, a, b);
                CREATE TABLE places_data (t);
                INSERT INTO places_data VALUES ('precious');
                CREATE TABLE stele_notes (t);
                INSERT INTO stele_notes VALUES ('precious');
                """)
        let names = found.map { $0.prefix { $0 != "(" } }
        #expect(names == ["the table places_data ", "the table stele_notes "], "\(found)")
    }
}
