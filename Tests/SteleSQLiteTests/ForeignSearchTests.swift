// What other programs leave in a store is found once, and beside the opening.

import Foundation
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct ForeignSearchTests {
    private let folder: TemporaryFolder
    private let model: Model

    init() throws {
        folder = try TemporaryFolder()
        model = try makeModel([
            EntityMaker("Item").attribute("score", .double).attribute("name", .string)
                .toOne("box", "Box", inverse: "items").index("byScore", on: "score"),
            EntityMaker("Box").attribute("name", .string).toMany("items", "Item", inverse: "box"),
        ])
    }

    private func entity(_ name: String) throws -> Entity {
        try #require(model.entity(named: name))
    }

    /// Opens the store with an observer, by which its closing leaves a seal.
    private func open() throws -> (store: SQLiteStore, coordinator: PersistentStoreCoordinator) {
        let store = try SQLiteStore.open(path: folder.store, model: model)
        return (store, PersistentStoreCoordinator(store: store))
    }

    private func count(_ predicate: String, _ store: SQLiteStore) throws -> Int {
        let reader = try store.reader()
        defer { reader.close() }
        var request = FetchRequest(entity: try entity("Item"))
        request.predicate = try Predicate(format: predicate)
        return try reader.count(request)
    }

    private func fill(_ store: SQLiteStore) throws {
        for number in 1...9 {
            _ = try store.insert(
                try entity("Item"), ["score": .double(Double(number)), "name": .string("a")])
        }
        _ = try store.insert(try entity("Box"), ["name": .string("b")])
    }

    private let damage =
        "UPDATE ZITEM SET ZSCORE = 9e999 WHERE Z_PK = 1; UPDATE ZITEM SET ZBOX = 7 WHERE Z_PK < 4"

    @Test func aStoreOfStelesOwnIsNotSearched() throws {
        for round in 0..<3 {
            let (store, coordinator) = try open()
            if round == 0 { try fill(store) }
            #expect(store.search.found == ForeignValues())
            #expect(try count("score == nil", store) == 0)
            #expect(!store.search.hasBegun)
            withExtendedLifetime(coordinator) { store.close() }
        }
    }

    @Test func aStoreThatAnotherProgramChangedIsSearchedOnce() throws {
        var (store, coordinator) = try open()
        try fill(store)
        store.close()
        try RawDatabase(folder.store).run(damage)
        for round in 0..<3 {
            (store, coordinator) = try open()
            // The seal has them: the first answer knows them.
            #expect((store.search.found == nil) == (round == 0))
            if round == 0 { store.findForeignValues() }
            #expect(try count("score == nil", store) == 1)
            #expect(try count("box == nil", store) == 9)
            #expect(try count("score > 1", store) == 8)
            #expect(store.search.hasBegun == (round == 0))
            withExtendedLifetime(coordinator) { store.close() }
        }
    }

    @Test func nothingIsSearchedBeforeTheFirstRead() throws {
        var (store, coordinator) = try open()
        try fill(store)
        store.close()
        try RawDatabase(folder.store).run(damage)
        (store, coordinator) = try open()
        #expect(!store.search.hasBegun)
        _ = try count("score == nil", store)
        #expect(store.search.hasBegun)
        withExtendedLifetime(coordinator) { store.close() }
    }

    /// The program that has the store open notices the commit, and finds what it left.
    @Test func aCommitOfAnotherProgramIsSearched() throws {
        let (store, coordinator) = try open()
        defer { store.close() }
        try fill(store)
        #expect(try count("score == nil", store) == 0)
        let raw = try RawDatabase(folder.store)
        try raw.run(damage)
        store.findForeignValues()
        #expect(try count("score == nil", store) == 1)
        #expect(try count("box == nil", store) == 9)
        // And that they are gone.
        try raw.run("UPDATE ZITEM SET ZSCORE = 1, ZBOX = 1")
        store.findForeignValues()
        #expect(try count("score == nil", store) == 0)
        #expect(try count("box == nil", store) == 0)
        #expect(store.search.found == ForeignValues())
        withExtendedLifetime(coordinator) {}
    }

    /// A save of what was read before finds no conflict in contents that it has not read.
    @Test func savesGoThroughBesideThem() throws {
        let (store, coordinator) = try open()
        defer { store.close() }
        try fill(store)
        try RawDatabase(folder.store).run(damage)
        store.findForeignValues()
        let item = try #require(try store.snapshot(try entity("Item"), 1))
        #expect(item.values.filter(\.isNull).count == 2)
        // Another commit of another program, after which versions alone are not trusted.
        try RawDatabase(folder.store).run("UPDATE ZBOX SET ZNAME = 'c'")
        #expect(try store.update(item, ["name": .string("x")]).version == 2)
        let raw = try RawDatabase(folder.store)
        #expect(
            try raw.texts("SELECT ZSCORE || ' ' || ZBOX || ' ' || ZNAME FROM ZITEM WHERE Z_PK = 1")
                == ["Inf 7 x"])
        withExtendedLifetime(coordinator) {}
    }

    /// Members are searched by the index on the key also where other keys lead to nothing.
    @Test func membersAreSearchedByTheIndex() throws {
        let (store, coordinator) = try open()
        defer { store.close() }
        let foreign = ForeignValues(["ZITEM": ["ZBOX", "ZSCORE"]])
        let translator = FetchTranslator(schema: store.schema, longDecimals: [], foreign: foreign)
        let items = try #require(try entity("Box").relationship(named: "items"))
        var request = FetchRequest(entity: try entity("Box"))
        request.predicate = try Predicate(format: "items.@count > 2")
        for statement in [
            try translator.members(of: items, owners: [1]),
            try translator.memberSnapshots(of: items, owners: [1]), try translator.count(request),
        ] {
            let connection = try Connection(path: folder.store, creates: false)
            let plan = try connection.rows(
                SQLText("EXPLAIN QUERY PLAN " + statement.sql.string), statement.bindings,
                [.integer, .integer, .integer, .text])
            #expect("\(plan)".contains("ZITEM_ZBOX_INDEX"), "\(plan)")
        }
        withExtendedLifetime(coordinator) {}
    }

    @Test func aStoreThatIsOnlyReadIsSearched() throws {
        let (store, _) = try open()
        try fill(store)
        store.close()
        try RawDatabase(folder.store).run(damage + "; PRAGMA wal_checkpoint(TRUNCATE)")
        let only = try ReadOnlySQLiteStore.open(path: folder.store, model: model)
        defer { only.close() }
        only.findForeignValues()
        let reader = try only.reader()
        defer { reader.close() }
        var request = FetchRequest(entity: try entity("Item"))
        request.predicate = try Predicate(format: "box == nil AND score > 1")
        #expect(try reader.count(request) == 8)
    }
}
