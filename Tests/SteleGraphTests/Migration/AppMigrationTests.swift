// Migrations of two apps' models by their own mapping models, compared by plain SQL.

import Foundation
import SteleGraph
import SteleMigration
import SteleModel
import SteleModelFiles
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

/// A store that is taken from version to version, each in a new file of one folder.
private final class AppStore {
    private let folder: TemporaryFolder
    private let package: ModelFile
    private(set) var model: Model
    private(set) var path: String

    init(_ package: String, _ version: String) throws {
        folder = try TemporaryFolder()
        self.package = try ModelFile.read(sharedData(package))
        model = try Self.version(version, of: self.package)
        path = folder.path + "/\(version).sqlite"
    }

    private static func version(_ name: String, of package: ModelFile) throws -> Model {
        try Model(#require(package.versions.first { $0.name == name }))
    }

    func version(_ name: String) throws -> Model { try Self.version(name, of: package) }

    /// Makes objects in the store.
    func fill(_ work: (ManagedObjectContext) throws -> Void) throws {
        let store = try SQLiteStore.open(path: path, model: model)
        defer { store.close() }
        let context = ManagedObjectContext(PersistentStoreCoordinator(store: store))
        defer { context.close() }
        try work(context)
        try context.save()
    }

    /// Carries out a step in place, by the inferred mapping model.
    func migrateInPlace(to name: String) throws {
        let next = try version(name)
        #expect(
            try SQLiteStore.migrate(
                path: path, from: model, to: next, by: .inferred(from: model, to: next)))
        model = next
    }

    /// Makes the store of the next version by a mapping model.
    func migrate(
        to name: String, by mappingModel: MappingModel,
        _ policies: [String: EntityMigrationPolicy.Type] = [:]
    ) throws {
        let (next, file) = (try version(name), folder.path + "/\(name).sqlite")
        let source = try SQLiteStore.open(path: path, model: model)
        defer { source.close() }
        let destination = try SQLiteStore.open(
            path: file, model: next, identifier: source.identifier)
        defer { destination.close() }
        try MigrationManager(
            from: source, to: destination, mappingModel: mappingModel, policies: policies
        ).migrate()
        (model, path) = (next, file)
    }

    /// The first column of a statement's rows, by a connection of its own.
    func lines(_ sql: String) throws -> [String] { try RawDatabase(path).texts(sql) }
}

private func sharedData(_ path: String) throws -> String {
    try #require(sharedFolder).appending(path: "data/coredata/" + path).path
}

extension ManagedObjectContext {
    /// The object of an entity with a value, made where there is none, as the apps' policies do.
    fileprivate func findOrInsert(
        _ name: String, _ attribute: String, _ value: Value
    ) throws -> ManagedObject {
        let entity = try model.named(name)
        var request = FetchRequest(entity: entity)
        request.predicate = try Predicate(
            format: "\(attribute) == %@", arguments: [.value(value)])
        if let found = try fetch(request).first { return found }
        let made = try insert(entity)
        made[attribute] = value
        return made
    }

    fileprivate func insert(_ name: String, _ values: [String: Value]) throws -> ManagedObject {
        let object = try insert(model.named(name))
        for (key, value) in values { object[key] = value }
        return object
    }
}

extension ManagedObject {
    fileprivate func link(_ name: String, to destination: ManagedObject?) throws {
        try setToOne(#require(entity.relationship(named: name)), destination)
    }
}

/// A policy that links each object it makes to the object of another entity that a value of the
/// source names. Both apps have one.
private class LinkingPolicy: EntityMigrationPolicy {
    class var names: (value: String, link: String, entity: String, attribute: String) {
        ("", "", "", "")
    }

    override func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
        let (value, link, entity, attribute) = Self.names
        if source[value].isNull { return }
        let made = try manager.destinationInstances(
            forEntityMappingNamed: mapping.name, sourceInstances: [source])
        let other = try manager.destinationContext.findOrInsert(entity, attribute, source[value])
        try #require(made.first).link(link, to: other)
    }
}

@Suite(.enabled(if: sharedFolder != nil, "the shared data is not here"))
struct AppMigrationTests {
    // MARK: Sample

    /// The maker of a car, a text in version 2, is an object in version 3.
    private final class MakerPolicy: LinkingPolicy {
        override class var names: (value: String, link: String, entity: String, attribute: String) {
            ("maker", "createdBy", "Maker", "name")
        }
    }

    private static let makers = ["FIAT", "Alfa Romeo", "Lamborghini", "McLaren", "Ferrari"]

    /// 40 people, and 120 cars of three entities. Every fifth car has no owner, and every seventh
    /// no maker.
    private func fillSample(_ context: ManagedObjectContext) throws {
        let people = try (0..<40).map { index in
            try context.insert(
                "Person",
                [
                    "id": .uuid(UUID()), "firstName": .string("First \(index % 8)"),
                    "lastName": .string("Last \(index / 8)"),
                    "updatedAt": .date(700_000_000 + Double(index)),
                ])
        }
        for index in 0..<120 {
            let entity = ["Car", "SportCar", "ExpensiveSportCar"][index % 3]
            let car = try context.insert(
                entity,
                [
                    "numberPlate": .string("PLATE \(index)"), "model": .string("M\(index % 11)"),
                    "maker": index % 7 == 0 ? .null : .string(Self.makers[index % 5]),
                    "color": .data([UInt8(index), 1, 2]),
                    "markedForDeletionAsOf": index % 4 == 0 ? .date(Double(index)) : .null,
                ])
            if entity == "ExpensiveSportCar" {
                car["isLimitedEdition"] = .bool(index % 2 == 0)
            }
            if index % 5 != 0 { try car.link("owner", to: people[index % 40]) }
        }
    }

    /// A car in a line: its entity, values, and owner.
    private func cars(_ store: AppStore, maker: String) throws -> [String] {
        try store.lines(
            """
            SELECT e.Z_NAME || '|' || c.ZNUMBERPLATE || '|' || c.ZMODEL || '|'
              || ifnull(\(maker), '-') || '|' || ifnull(c.ZMARKEDFORDELETIONASOF, '-') || '|'
              || ifnull(c.ZISLIMITEDEDITION, '-') || '|'
              || ifnull(p.ZFIRSTNAME || ' ' || p.ZLASTNAME, '-')
            FROM ZCAR c JOIN Z_PRIMARYKEY e ON e.Z_ENT = c.Z_ENT
            LEFT JOIN ZPERSON p ON p.Z_PK = c.ZOWNER ORDER BY c.ZNUMBERPLATE
            """)
    }

    private func people(_ store: AppStore) throws -> [String] {
        try store.lines(
            "SELECT ZFIRSTNAME || '|' || ZLASTNAME || '|' || ZUPDATEDAT FROM ZPERSON ORDER BY 1")
    }

    @Test(arguments: ["Fixtures/V2toV3.cdm", "MappingModels/V2toV3.xcmappingmodel"])
    func theSampleGoesFrom1To3(_ file: String) throws {
        let store = try AppStore("sample/SampleModel.xcdatamodeld", "SampleModel")
        try store.fill(fillSample)
        let (first, persons) = (try cars(store, maker: "c.ZMAKER"), try people(store))
        #expect(first.count == 120 && persons.count == 40)

        try store.migrateInPlace(to: "SampleModel2")
        let second = try cars(store, maker: "c.ZMAKER")
        #expect(
            second == first.map { $0.replacing("ExpensiveSportCar|", with: "LuxuryCar|") })
        #expect(try people(store) == persons)
        #expect(
            try store.lines("SELECT name FROM pragma_table_info('ZPERSON') WHERE name = 'ZID'")
                == [])

        let mappingModel = try MappingFile.read(sharedData("sample/" + file)).mappingModel(
            from: store.version("SampleModel2"), to: store.version("SampleModel3"))
        try store.migrate(
            to: "SampleModel3", by: mappingModel,
            ["REPLACE_AT_RUNTIME.V2to3MakerPolicy": MakerPolicy.self])
        let maker = "(SELECT m.ZNAME FROM ZMAKER m WHERE m.Z_PK = c.ZCREATEDBY)"
        #expect(try cars(store, maker: maker) == second)
        #expect(try people(store) == persons)
        #expect(try store.lines("SELECT ZNAME FROM ZMAKER ORDER BY 1") == Self.makers.sorted())
        // The owner of before is a previous owner, too.
        let join = try #require(
            store.lines(
                "SELECT name FROM sqlite_master WHERE name LIKE 'Z\\_%PREVIOUS%' "
                    + "ESCAPE '\\' AND type = 'table'"
            ).first)
        #expect(try store.lines("SELECT count(*) FROM \(join)") == ["96"])
        #expect(try store.lines("SELECT count(*) FROM ZCAR WHERE ZOWNER IS NOT NULL") == ["96"])
        #expect(try store.lines("PRAGMA integrity_check") == ["ok"])
    }

    // MARK: Moody

    /// The continent of a country, a number in version 5, is an object in version 6.
    private final class CountryPolicy: LinkingPolicy {
        override class var names: (value: String, link: String, entity: String, attribute: String) {
            ("isoContinent", "continent", "Continent", "numericISO3166Code")
        }
    }

    /// Four continents, 24 countries, of which every sixth has no continent, and 200 moods, of
    /// which every tenth has no country.
    private func fillMoody(_ context: ManagedObjectContext) throws {
        func region(_ entity: String, _ code: Int, _ values: [String: Value]) throws
            -> ManagedObject
        {
            try context.insert(
                entity,
                [
                    "numericISO3166Code": .int(Int64(code)),
                    "updatedAt": .date(400_000_000 + Double(code)),
                ].merging(values) { $1 })
        }
        let continents = try (1...4).map {
            try region("Continent", 10_000 + $0, ["numberOfCountries": .int(5)])
        }
        let countries = try (0..<24).map { index in
            let country = try region("Country", 100 + index, ["numberOfMoods": .int(8)])
            if index % 6 != 5 { try country.link("continent", to: continents[index % 4]) }
            return country
        }
        for index in 0..<200 {
            let mood = try context.insert(
                "Mood",
                [
                    "colors": .data([UInt8(index), 0xFF, 0]), "date": .date(Double(index) * 1.5),
                    "creatorID": .string("creator \(index % 5)"),
                    "latitude": index % 3 == 0 ? .null : .double(Double(index) / 7),
                    "longitude": .double(-Double(index) / 3),
                    "markedForRemoteDeletion": .bool(index % 9 == 0),
                    "remoteIdentifier": index % 2 == 0 ? .null : .string("remote \(index)"),
                ])
            if index % 10 != 9 { try mood.link("country", to: countries[index % 24]) }
        }
    }

    /// A mood in a line: its values, and the code of its country.
    private func moods(_ store: AppStore, remote: String = "ZREMOTEID") throws -> [String] {
        let number = store.model.name.suffix(1)
        let country = "123".contains(number) || number == "y" ? "ZGEOGRAPHICREGION" : "ZCOUNTRY"
        return try store.lines(
            """
            SELECT m.ZDATE || '|' || hex(m.ZCOLORS) || '|' || m.ZCREATORID || '|'
              || ifnull(m.ZLATITUDE, '-') || '|' || m.ZLONGITUDE || '|'
              || m.ZMARKEDFORREMOTEDELETION || '|' || ifnull(m.\(remote), '-') || '|'
              || ifnull(c.ZNUMERICISO3166CODE, '-')
            FROM ZMOOD m LEFT JOIN \(country) c ON c.Z_PK = m.ZCOUNTRY ORDER BY m.ZDATE
            """)
    }

    /// A country in a line: its values, and the code of its continent, by a join or a column.
    private func countries(
        _ store: AppStore, _ table: String, continent: String
    ) throws -> [String] {
        try store.lines(
            """
            SELECT c.ZNUMERICISO3166CODE || '|' || c.ZNUMBEROFMOODS || '|' || c.ZUPDATEDAT || '|'
              || ifnull(\(continent), '-')
            FROM \(table) c JOIN Z_PRIMARYKEY e ON e.Z_ENT = c.Z_ENT AND e.Z_NAME = 'Country'
            ORDER BY 1
            """)
    }

    private func continent(in table: String) -> String {
        "(SELECT k.ZNUMERICISO3166CODE FROM \(table) k WHERE k.Z_PK = c.ZCONTINENT)"
    }

    @Test func moodyGoesFrom1To6() throws {
        let store = try AppStore("moody/Moody.xcdatamodeld", "Moody")
        try store.fill(fillMoody)
        let region = "ZGEOGRAPHICREGION"
        let before = try moods(store, remote: "ZREMOTEIDENTIFIER")
        let lands = try countries(store, region, continent: continent(in: region))
        #expect(before.count == 200 && lands.count == 24)

        try store.migrateInPlace(to: "Moody 2")
        #expect(try moods(store) == before)
        #expect(try store.lines("SELECT DISTINCT ZRATING FROM ZMOOD") == ["0"])

        for number in 2...5 {
            let (old, new) = ("Moody \(number)", "Moody \(number + 1)")
            let mappingModel = try MappingFile.read(
                sharedData("moody/\(old)-\(new).xcmappingmodel")
            ).mappingModel(from: store.version(old), to: store.version(new))
            try store.migrate(
                to: new, by: mappingModel,
                ["Migrations.Country5ToCountry6Policy": CountryPolicy.self])
            #expect(try moods(store) == before, "\(new)")
            #expect(try store.lines("PRAGMA integrity_check") == ["ok"])
            try check(store, number + 1, lands)
        }
    }

    /// Checks what a version has that the one before it did not.
    private func check(_ store: AppStore, _ number: Int, _ lands: [String]) throws {
        let region = "ZGEOGRAPHICREGION"
        switch number {
        case 3:
            #expect(try countries(store, region, continent: continent(in: region)) == lands)
            // A mood has the continent of its country.
            #expect(
                try store.lines(
                    "SELECT count(*) FROM ZMOOD m LEFT JOIN \(region) c ON c.Z_PK = m.ZCOUNTRY "
                        + "WHERE m.ZCONTINENT IS NOT c.ZCONTINENT") == ["0"])
            #expect(
                try store.lines("SELECT count(*) FROM ZMOOD WHERE ZCONTINENT IS NOT NULL")
                    == ["153"])
        case 4:
            let inTable = continent(in: "ZCONTINENT")
            #expect(try countries(store, "ZCOUNTRY", continent: inTable) == lands)
            #expect(
                try store.lines(
                    "SELECT ZNUMERICISO3166CODE || '|' || ZNUMBEROFCOUNTRIES FROM ZCONTINENT "
                        + "ORDER BY 1") == (1...4).map { "1000\($0)|5" })
        case 5:
            #expect(try countries(store, "ZCOUNTRY", continent: "c.ZISOCONTINENT") == lands)
            #expect(
                try store.lines("SELECT name FROM sqlite_master WHERE name = 'ZCONTINENT'") == [])
        default:
            let inTable = continent(in: "ZCONTINENT")
            #expect(try countries(store, "ZCOUNTRY", continent: inTable) == lands)
            #expect(try store.lines("SELECT count(*) FROM ZCONTINENT") == ["4"])
        }
    }

    /// The plan finds the same steps by the versions' names.
    @Test func thePlanTakesTheMappingModelsOfMoody() throws {
        let package = try ModelFile.read(sharedData("moody/Moody.xcdatamodeld"))
        let versions = try package.versions.map { version in
            // Two versions have the same entities: only their places tell them apart here.
            KnownVersion(
                model: try Model(version), hashes: ["Mood": Array(version.name.utf8)])
        }
        let known = try #require(KnownVersions(versions, current: "Moody 6"))
        let files = try (2...5).map {
            KnownMapping(
                try MappingFile.read(sharedData("moody/Moody \($0)-Moody \($0 + 1).xcmappingmodel"))
            )
        }
        let plan = try MigrationPlan(
            storeHashes: ["Mood": Array("Moody".utf8)], versions: known, mappings: files)
        #expect(
            plan.steps.map(\.destination.name) == (2...6).map { "Moody \($0)" })
        #expect(
            plan.steps.map { if case .mappingModel = $0.kind { true } else { false } }
                == [false, true, true, true, true])
    }
}
