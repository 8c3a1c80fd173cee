// Infinite numbers, which Core Data stores, and dates without a text, in a migration that makes a
// new store.

import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

@Suite struct InfiniteMigrationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Makes a store, and fills it as another program does.
    private func make(_ model: Model, _ sql: String) throws {
        try SQLiteStore.open(path: folder.store, model: model).close()
        try RawDatabase(folder.store).run(
            sql + "; UPDATE Z_PRIMARYKEY SET Z_MAX = 4 WHERE Z_NAME = 'Item'")
    }

    /// Also one that is infinite as a Float alone, one that must not be null, and one out of the bounds.
    /// The new store reads them as null, as the old one does.
    @Test(arguments: ["copied", "inferred", "mapped"])
    func infiniteNumbersStayAsTheyAre(_ way: String) throws {
        func model(_ change: (EntityMaker) -> EntityMaker = { $0 }) throws -> Model {
            try makeModel([
                change(
                    EntityMaker("Item")
                        .attribute("d", .double) {
                            $0.isOptional = false
                            $0.defaultValue = .double(2.5)
                        }
                        .attribute("f", .float).attribute("t", .date)
                        .attribute("b", .double) { $0.maximum = .double(1) })
            ])
        }
        let source = try model()
        try make(
            source,
            "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZD, ZF, ZT, ZB) "
                + "VALUES (1, 1, 1, 9e999, -9e999, 9e999, 9e999), (2, 1, 1, 1, 1e300, 1, NULL), "
                + "(3, 1, 1, 1, 1, 1e19, NULL), (4, 1, 1, 1, 1, -4000000000000000000, NULL)")
        let destination = way == "inferred" ? try model { $0.attribute("new", .string) } : source
        var mapping = EntityMapping(
            name: "ItemToItem", mappingType: .custom, source: "Item", destination: "Item")
        mapping.attributeMappings = ["d", "f", "t", "b"].map {
            PropertyMapping(name: $0, value: .source($0))
        }
        try folder.migrate(source, destination, way == "mapped" ? MappingModel([mapping]) : nil)
        let rows = try RawDatabase(folder.made).texts(
            "SELECT ZD || ' ' || ZF || ' ' || CAST(ZT AS REAL) || ' ' || ifnull(ZB, '-') "
                + "FROM ZITEM ORDER BY Z_PK")
        #expect(
            rows == [
                "Inf -Inf Inf Inf", "1.0 1.0e+300 1.0 -", "1.0 1.0 1.0e+19 -",
                "1.0 1.0 -4.0e+18 -",
            ])

        let store = try SQLiteStore.open(path: folder.made, model: destination)
        defer { store.close() }
        store.findForeignValues()
        let reader = try store.reader()
        defer { reader.close() }
        for (name, count) in [("d", 1), ("f", 2), ("t", 3), ("b", 4)] {
            var request = FetchRequest(entity: try destination.named("Item"))
            request.predicate = try Predicate(format: "\(name) == nil")
            #expect(try reader.count(request.checked(in: destination)) == count, "\(name)")
        }
    }

    /// As in place.
    @Test(arguments: [AttributeType.integer64, .decimal, .boolean])
    func anInfiniteNumberThatDoesNotFitRefusesTheMigration(_ type: AttributeType) throws {
        let source = try makeModel([EntityMaker("Item").attribute("n", .double)])
        try make(
            source,
            "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZN) VALUES (1, 1, 1, 1), (2, 1, 1, -9e999)")
        let destination = try makeModel([EntityMaker("Item").attribute("n", type)])
        let error = #expect(throws: MigrationError.self) {
            try folder.migrate(source, destination)
        }
        #expect(error?.description.contains("Item 2: -inf") == true, "\(error as Any)")
    }

    @Test func anInfiniteDoubleStaysInfiniteAsAFloat() throws {
        let source = try makeModel([EntityMaker("Item").attribute("n", .double)])
        try make(
            source, "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZN) VALUES (1, 1, 1, -9e999)")
        try folder.migrate(source, makeModel([EntityMaker("Item").attribute("n", .float)]))
        #expect(try RawDatabase(folder.made).texts("SELECT ZN FROM ZITEM") == ["-Inf"])
    }
}
