// What other programs leave in a store refuses no migration, and nothing of it is lost.

import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
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
}
