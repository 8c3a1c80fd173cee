// Composite attributes in the stores of apps: a column for each element, named after the element.

import SteleModel
import SteleModelFiles
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite struct AppCompositeTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static func json(_ attributes: String) throws -> ManagedObjectModel {
        let text = """
            {"composites": [
               {"name": "Address", "attributes": [
                  {"name": "city", "type": "String"},
                  {"name": "place", "type": "Composite", "composite": "Place"}]},
               {"name": "Place", "attributes": [
                  {"name": "latitude", "type": "Double"}]}],
             "entities": [{"name": "Trip", "attributes": [\(attributes)
                {"name": "home", "type": "Composite", "composite": "Address"},
                {"name": "tags", "type": "Transformable"}]}]}
            """
        return try ManagedObjectModel(json: Array(text.utf8), name: "Trips")
    }

    /// Makes a store as Core Data would, and names its columns.
    private func make(_ declared: ManagedObjectModel, _ columns: [String: String]) throws {
        try makeBareStore(Model(declared), at: folder.store)
        let file = try RawDatabase(folder.store)
        for (name, other) in columns {
            try file.run("ALTER TABLE ZTRIP RENAME COLUMN \(name) TO \(other)")
        }
        let archive = try compositeArchive(declared, key: "NSElements")
        let cache = try #require(ModelCache.deflate(archive))
        let digits = cache.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try file.run("DELETE FROM Z_MODELCACHE; INSERT INTO Z_MODELCACHE VALUES (X'\(digits)')")
        try file.run("PRAGMA wal_checkpoint(TRUNCATE)")
    }

    private static let names = ["ZHOME_CITY": "ZCITY", "ZHOME_PLACE_LATITUDE": "ZLATITUDE"]

    private func values(_ model: Model) throws -> [Value] {
        let store = try SQLiteStore.open(path: folder.store, model: model)
        defer { store.close() }
        let trip = try #require(model.entity(named: "Trip"))
        let found = try store.snapshot(trip, 1)
        return try #require(found).values
    }

    /// With the store's own model, and with one that names the composites.
    @Test func theColumnsAreNamedAfterTheElements() throws {
        let declared = try Self.json("")
        try make(declared, Self.names)
        try RawDatabase(folder.store).run(
            "INSERT INTO ZTRIP (Z_PK, Z_ENT, Z_OPT, ZCITY, ZLATITUDE) "
                + "VALUES (1, 1, 1, 'Rome', 41.9); UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
        let own = try SQLiteStore.modelFile(path: folder.store).model()
        let given = try Model(declared)
        for model in [own, given] {
            let found = try values(model)
            #expect(found == [.string("Rome"), .double(41.9), .null])
        }
        let store = try SQLiteStore.open(path: folder.store, model: own)
        let trip = try #require(own.entity(named: "Trip"))
        _ = try store.insert(
            trip, ["home.city": .string("Oslo"), "home.place.latitude": .double(60)])
        store.close()
        let file = try RawDatabase(folder.store)
        #expect(try file.texts("SELECT ZCITY FROM ZTRIP ORDER BY Z_PK") == ["Rome", "Oslo"])
        #expect(try file.texts("SELECT ZLATITUDE FROM ZTRIP ORDER BY Z_PK") == ["41.9", "60.0"])
    }

    /// Which property a number belongs to is not known: nothing is guessed.
    @Test(arguments: [
        #"{"name": "away", "type": "Composite", "composite": "Address"},"#,
        #"{"name": "city", "type": "String"}, "#,
    ])
    func columnsOfOneNameAreRefused(_ attribute: String) throws {
        let declared = try Self.json(attribute)
        var names = ["ZHOME_CITY": "ZCITY1", "ZHOME_PLACE_LATITUDE": "ZLATITUDE1"]
        if attribute.contains("away") {
            names["ZAWAY_CITY"] = "ZCITY"
            names["ZAWAY_PLACE_LATITUDE"] = "ZLATITUDE"
        } else {
            names["ZHOME_PLACE_LATITUDE"] = "ZLATITUDE"
        }
        try make(declared, names)
        let model = try Model(declared)
        #expect {
            try SQLiteStore.open(path: folder.store, model: model).close()
        } throws: { error in
            guard case StoreError.incompatible(code: 134080, let text) = error else { return false }
            return text.contains(" of the model Trips: several properties are named as it is")
                && (text.contains("has ZCITY") || text.contains("has ZLATITUDE"))
        }
    }

    /// A new store with the hashes that an app knows has the columns that it looks for.
    @Test func aStoreForAnAppNamesItsColumnsSo() throws {
        let model = try Model(Self.json(#"{"name": "latitude", "type": "Double"},"#))
        let trip = try #require(model.entity(named: "Trip"))
        let hashes = ["Trip": [UInt8](repeating: 7, count: 32)]
        for _ in 0..<2 {
            let store = try SQLiteStore.open(
                path: folder.store, model: model, versionHashes: hashes)
            let city = try store.insert(trip, ["home.city": .string("Rome")])
            #expect(city.values.contains(.string("Rome")))
            store.close()
        }
        let columns = try RawDatabase(folder.store).texts(
            "SELECT name FROM pragma_table_info('ZTRIP') WHERE name GLOB 'Z[A-Z]*' ORDER BY 1")
        #expect(columns == ["ZCITY", "ZHOME_PLACE_LATITUDE", "ZLATITUDE", "ZTAGS"])
        let plain = try TemporaryFolder()
        try SQLiteStore.open(path: plain.store, model: model).close()
        let own = try RawDatabase(plain.store).texts("SELECT ZHOME_CITY FROM ZTRIP")
        #expect(own == [])
    }

    /// The values of a Transformable attribute without a transformer are archives for Core Data.
    @Test func anUnnamedTransformerIsCoreDatasOwn() throws {
        let declared = try Self.json("")
        try make(declared, Self.names)
        func transformer() throws -> String? {
            let model = try SQLiteStore.modelFile(path: folder.store).model()
            let trip = try #require(model.entity(named: "Trip"))
            guard case .attribute(let it) = trip.property(named: "tags") else { return nil }
            return it.declaration.valueTransformerName
        }
        #expect(try transformer() == "NSKeyedUnarchiveFromData")
        let other = try TemporaryFolder()
        try SQLiteStore.open(path: other.store, model: Model(declared)).close()
        let trip = try SQLiteStore.modelFile(path: other.store).current.entities[0]
        let unnamed = trip.properties.contains {
            if case .attribute(let it) = $0, it.name == "tags" {
                it.valueTransformerName == nil
            } else {
                false
            }
        }
        #expect(unnamed)
    }
}
