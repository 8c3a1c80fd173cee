// What other programs leave in a store refuses no migration, and nothing of it is lost.

import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

private final class FilledStore: GraphFixture {
    let coordinator: PersistentStoreCoordinator

    init(_ store: any PersistentStore) { coordinator = PersistentStoreCoordinator(store: store) }
}

@Suite struct ForeignMigrationTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Makes a store with objects, which another program then changes.
    private func make(
        _ model: Model, _ counts: [(entity: String, count: Int)], _ sql: String
    ) throws {
        let store = try SQLiteStore.open(path: folder.store, model: model)
        let it = FilledStore(store)
        for (entity, count) in counts { _ = try it.insert(entity, count: count) }
        store.close()
        try RawDatabase(folder.store).run(sql)
    }

    /// A table whose rows are copied, and one whose entities get other numbers.
    @Test(arguments: [
        ([EntityMaker("Item")], ["1", "1", "1"]),
        ([EntityMaker("Added"), EntityMaker("Item")], ["2", "2", "2"]),
    ])
    func aRowOfNoEntityStaysOneOfTheRoot(_ entities: [EntityMaker], _ numbers: [String]) throws {
        let source = try makeModel([
            EntityMaker("Item").attribute("a", .string).attribute("b", .string)
                .attribute("c", .string)
        ])
        try make(
            source, [("Item", 3)],
            "UPDATE ZITEM SET Z_ENT = 77 WHERE Z_PK = 2; "
                + "UPDATE ZITEM SET Z_ENT = NULL WHERE Z_PK = 3")
        let destination = try makeModel(entities.map { $0.attribute("a", .string) })
        try SQLiteStore.migrate(
            path: folder.store, from: source, to: destination,
            by: .inferred(from: source, to: destination))
        let database = try RawDatabase(folder.store)
        #expect(try database.texts("SELECT Z_PK FROM ZITEM ORDER BY 1") == ["1", "2", "3"])
        #expect(try database.texts("SELECT Z_ENT FROM ZITEM ORDER BY Z_PK") == numbers)
    }

    /// A default takes the place of NULL in a row of no entity as in those of the root.
    @Test(arguments: [[], [EntityMaker("Part", parent: "Item")]])
    func aRowOfNoEntityGetsTheDefaultOfTheRoot(_ parts: [EntityMaker]) throws {
        func model(_ isOptional: Bool) throws -> Model {
            try makeModel(
                [
                    EntityMaker("Item").attribute("n", .integer32) {
                        $0.isOptional = isOptional
                        $0.defaultValue = .int(7)
                    }
                ] + parts)
        }
        let (source, destination) = (try model(true), try model(false))
        try make(
            source, [("Item", 3)],
            "UPDATE ZITEM SET ZN = NULL; UPDATE ZITEM SET Z_ENT = 77 WHERE Z_PK = 2; "
                + "UPDATE ZITEM SET Z_ENT = NULL WHERE Z_PK = 3")
        try SQLiteStore.migrate(
            path: folder.store, from: source, to: destination,
            by: .inferred(from: source, to: destination))
        let database = try RawDatabase(folder.store)
        #expect(try database.texts("SELECT ZN FROM ZITEM ORDER BY Z_PK") == ["7", "7", "7"])
    }

    /// An entity that is added gets the number that rows of no entity have had.
    @Test func aRowOfNoEntityIsNotOfAnAddedOne() throws {
        let source = try makeModel([EntityMaker("Item").attribute("n", .double)])
        try make(source, [("Item", 2)], "UPDATE ZITEM SET Z_ENT = 2 WHERE Z_PK = 2")
        let destination = try makeModel([
            EntityMaker("Item").attribute("n", .double), EntityMaker("Part", parent: "Item"),
        ])
        try SQLiteStore.migrate(
            path: folder.store, from: source, to: destination,
            by: .inferred(from: source, to: destination))
        let database = try RawDatabase(folder.store)
        #expect(try database.texts("SELECT Z_ENT FROM ZITEM ORDER BY Z_PK") == ["1", "1"])
    }

    /// A value that does not fit refuses the migration also in a row of no entity.
    @Test func aRowOfNoEntityKeepsItsNumber() throws {
        let source = try makeModel([EntityMaker("Item").attribute("n", .double)])
        try make(
            source, [("Item", 2)],
            "UPDATE ZITEM SET ZN = 1; UPDATE ZITEM SET Z_ENT = 77, ZN = 1.5 WHERE Z_PK = 2")
        let destination = try makeModel([EntityMaker("Item").attribute("n", .integer32)])
        #expect(throws: StoreError.self) {
            try SQLiteStore.migrate(
                path: folder.store, from: source, to: destination,
                by: .inferred(from: source, to: destination))
        }
        #expect(
            try RawDatabase(folder.store).texts("SELECT ZN FROM ZITEM ORDER BY Z_PK")
                == ["1.0", "1.5"])
    }

    /// A row with a key below 1 is no object: a value that it lacks, or one that does not fit, refuses
    /// nothing, and it stays.
    @Test func aRowWithAKeyBelowOneRefusesNothing() throws {
        let source = try makeModel([
            EntityMaker("Item").attribute("name", .string).attribute("n", .double)
        ])
        try make(
            source, [("Item", 1)],
            "UPDATE ZITEM SET ZN = 1; "
                + "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZN) VALUES (-1, 1, 1, 1.5), (0, 1, 1, 7)")
        let destination = try makeModel([
            EntityMaker("Item").attribute("name", .string) { $0.isOptional = false }
                .attribute("n", .integer32)
        ])
        try SQLiteStore.migrate(
            path: folder.store, from: source, to: destination,
            by: .inferred(from: source, to: destination))
        #expect(
            try RawDatabase(folder.store).texts("SELECT Z_PK FROM ZITEM ORDER BY 1")
                == ["-1", "0", "1"])
    }

    /// Its value is not converted, whether the table is altered or copied.
    @Test(arguments: [AttributeType.integer16, .decimal, .float], [true, false])
    func aRowWithAKeyBelowOneKeepsItsNumber(_ type: AttributeType, _ isCopied: Bool) throws {
        func item(_ type: AttributeType, _ others: [String]) -> EntityMaker {
            others.reduce(EntityMaker("Item").attribute("n", type)) { $0.attribute($1, .string) }
        }
        let source = try makeModel([item(.double, ["a", "b"])])
        try make(
            source, [("Item", 1)],
            "UPDATE ZITEM SET ZN = 2; INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZN) "
                + "VALUES (-1, 1, 1, 2.5), (0, 1, 1, 1.5e300)")
        let destination = try makeModel([item(type, isCopied ? [] : ["a", "b"])])
        try SQLiteStore.migrate(
            path: folder.store, from: source, to: destination,
            by: .inferred(from: source, to: destination))
        let kept = try RawDatabase(folder.store).texts(
            "SELECT ZN FROM ZITEM WHERE Z_PK < 1 ORDER BY Z_PK")
        #expect(kept == ["2.5", "1.5e+300"])
    }

    /// Nor is a Boolean that is another number, and null gets no default.
    @Test func aRowWithAKeyBelowOneKeepsItsBooleanAndItsNull() throws {
        func model(_ type: AttributeType, isOptional: Bool) throws -> Model {
            try makeModel([
                EntityMaker("Item").attribute("flag", type).attribute("n", .integer32) {
                    $0.isOptional = isOptional
                    $0.defaultValue = .int(7)
                }
            ])
        }
        let source = try model(.boolean, isOptional: true)
        try make(
            source, [("Item", 1)],
            "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZFLAG) VALUES (-1, 1, 1, 5)")
        let destination = try model(.integer16, isOptional: false)
        try SQLiteStore.migrate(
            path: folder.store, from: source, to: destination,
            by: .inferred(from: source, to: destination))
        let kept = try RawDatabase(folder.store).texts(
            "SELECT ZFLAG FROM ZITEM WHERE Z_PK < 1 AND ZN IS NULL")
        #expect(kept == ["5"])
    }

    /// A column of Doubles would round it, although no object has it.
    @Test(arguments: [AttributeType.integer64, .decimal], [AttributeType.double, .float])
    func anIntegerOfARowWithAKeyBelowOneIsNotRounded(
        _ old: AttributeType, _ new: AttributeType
    ) throws {
        let source = try makeModel([EntityMaker("Item").attribute("n", old)])
        try make(
            source, [("Item", 1)],
            "UPDATE ZITEM SET ZN = 1; "
                + "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZN) VALUES (-1, 1, 1, 9007199254740993)")
        let destination = try makeModel([EntityMaker("Item").attribute("n", new)])
        let error = #expect(throws: StoreError.self) {
            try SQLiteStore.migrate(
                path: folder.store, from: source, to: destination,
                by: .inferred(from: source, to: destination))
        }
        let text = error?.description ?? ""
        #expect(text.contains("the row -1 of ZITEM, which is no object"), "\(text)")
        let kept = try RawDatabase(folder.store).texts("SELECT ZN FROM ZITEM WHERE Z_PK = -1")
        #expect(kept == ["9007199254740993"])
    }

    /// An index has the row as well, so the error names it for what it is.
    @Test func aRowWithAKeyBelowOneThatIsNotUniqueIsNamed() throws {
        let source = try makeModel([EntityMaker("Item").attribute("name", .string)])
        try make(
            source, [("Item", 1)],
            "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (-2, 1, 1, 'Item 1')")
        let destination = try makeModel([
            EntityMaker("Item").attribute("name", .string).unique("name")
        ])
        let error = #expect(throws: StoreError.self) {
            try SQLiteStore.migrate(
                path: folder.store, from: source, to: destination,
                by: .inferred(from: source, to: destination))
        }
        let text = error?.description ?? ""
        #expect(
            text.contains(
                """
                name of Item must be unique (133021), and 2 rows share their values:
                  - the row -2 of ZITEM, which is no object: Item 1
                  - Item 1: Item 1
                rows with a Z_PK below 1 are no objects
                """), "\(text)")
    }

    /// Rows of a subentity that is removed go, and those of no entity stay.
    @Test func aRowOfNoEntityIsNotOfARemovedOne() throws {
        let source = try makeModel([
            EntityMaker("Item").attribute("a", .string), EntityMaker("Part", parent: "Item"),
        ])
        try make(
            source, [("Item", 2), ("Part", 1)], "UPDATE ZITEM SET Z_ENT = 77 WHERE Z_PK = 2")
        let destination = try makeModel([EntityMaker("Item").attribute("a", .string)])
        try SQLiteStore.migrate(
            path: folder.store, from: source, to: destination,
            by: .inferred(from: source, to: destination))
        #expect(
            try RawDatabase(folder.store).texts("SELECT Z_PK FROM ZITEM ORDER BY 1") == ["1", "2"])
    }

    /// Required values that are missing, also where there is a default, and a URI that is none stay as in
    /// the store and in a migration in place.
    @Test(arguments: [false, true])
    func missingRequiredValuesAndInvalidURIsAreCopied(_ isChanged: Bool) throws {
        func model(_ change: (EntityMaker) -> EntityMaker = { $0 }) throws -> Model {
            try makeModel([
                change(
                    EntityMaker("Item").attribute("x", .double) { $0.isOptional = false }
                        .attribute("y", .double) {
                            $0.isOptional = false
                            $0.defaultValue = .double(2.5)
                        }
                        .attribute("id", .uuid) { $0.isOptional = false }
                        .attribute("u", .uri)
                        .toOne("box", "Box", isOptional: false)),
                EntityMaker("Box").attribute("name", .string),
            ])
        }
        let source = try model()
        try make(
            source, [("Box", 1)],
            "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZX, ZY, ZID, ZBOX, ZU) "
                + "VALUES (1, 2, NULL, 9e999, 9e999, 'abc', 99, 'a b'), "
                + "(2, 2, 1, 1, 1, zeroblob(16), 1, 'a'); "
                + "UPDATE Z_PRIMARYKEY SET Z_MAX = 2 WHERE Z_NAME = 'Item'")
        let destination = isChanged ? try model { $0.attribute("new", .string) } : source
        let old = try SQLiteStore.open(path: folder.store, model: source)
        defer { old.close() }
        old.findForeignValues()
        let new = InMemoryStore(model: destination)
        try MigrationManager(
            from: old, to: new, mappingModel: .inferred(from: source, to: destination)
        ).migrate()
        let reader = try new.reader()
        let entity = try destination.named("Item")
        let rows = try reader.fetch(FetchRequest(entity: entity))
        let values = rows.map { row in
            ["x", "y", "id", "box"].map { row.value($0, in: destination)?.isNull }
        }
        #expect(values == [[true, true, true, true], [false, false, false, false]])
        #expect(rows.map(\.version) == (isChanged ? [1, 2] : [1, 1]))
        #expect(rows.map { $0.value("u", in: destination) } == [.string("a b"), .string("a")])
    }

    /// The source did not ask for a value.
    @Test func aValueThatIsRequiredFromNowOnIsAskedFor() throws {
        func model(_ isOptional: Bool) throws -> Model {
            try makeModel([
                EntityMaker("Item").attribute("x", .double) { $0.isOptional = isOptional }
            ])
        }
        let source = try model(true)
        try make(source, [("Item", 1)], "UPDATE ZITEM SET ZX = 9e999")
        let old = try SQLiteStore.open(path: folder.store, model: source)
        defer { old.close() }
        old.findForeignValues()
        let destination = try model(false)
        #expect(throws: ValidationErrors.self) {
            try MigrationManager(
                from: old, to: InMemoryStore(model: destination),
                mappingModel: .inferred(from: source, to: destination)
            ).migrate()
        }
    }

    /// No bound, pattern or count is checked, whether it has changed or not, nor that the type has the
    /// number, as in a migration in place.
    @Test(arguments: [false, true])
    func anInferredMappingCarriesValuesOverAsTheyAre(_ isChanged: Bool) throws {
        func model(_ change: (EntityMaker) -> EntityMaker = { $0 }) throws -> Model {
            try makeModel([
                change(
                    EntityMaker("Item")
                        .attribute("s", .string) {
                            $0.maximum = .int(3)
                            $0.regularExpression = "[a-z]+"
                        }
                        .attribute("d", .double) { $0.maximum = .double(1) }
                        .attribute("n", .integer16)
                        .toMany("parts", "Part", inverse: "item", count: 2...3)),
                EntityMaker("Part").toOne("item", "Item", inverse: "parts"),
            ])
        }
        let source = try model()
        try make(
            source, [("Item", 1), ("Part", 1)],
            "UPDATE ZITEM SET ZS = 'Abcdef', ZD = 2, ZN = 70000; UPDATE ZPART SET ZITEM = 1")
        let destination = isChanged ? try model { $0.attribute("new", .string) } : source
        try folder.migrate(source, destination)
        let database = try RawDatabase(folder.made)
        #expect(
            try database.texts("SELECT ZS || ' ' || ZD || ' ' || ZN FROM ZITEM")
                == ["Abcdef 2.0 70000"])
        #expect(try database.texts("SELECT ZITEM FROM ZPART") == ["1"])
    }
}
