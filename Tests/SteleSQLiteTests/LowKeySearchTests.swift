// Rows with keys below 1, and the keys of such rows, are found with all that other programs leave.

import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL
import SteleSystem
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct LowKeySearchTests {
    private let folder: TemporaryFolder
    private let model: Model

    init() throws {
        folder = try TemporaryFolder()
        model = try makeModel([
            EntityMaker("Item").attribute("name", .string).toOne("box", "Box", inverse: "items"),
            EntityMaker("Box").attribute("name", .string).toMany("items", "Item", inverse: "box"),
        ])
    }

    private func count(_ predicate: String, _ store: SQLiteStore) throws -> Int {
        let reader = try store.reader()
        defer { reader.close() }
        var request = FetchRequest(entity: try #require(model.entity(named: "Item")))
        request.predicate = try Predicate(format: predicate)
        return try reader.count(request)
    }

    @Test(arguments: ["0", "-1", "-9223372036854775808"])
    func theyAreFoundAndLeftOut(_ key: String) throws {
        let store = try SQLiteStore.open(path: folder.store, model: model)
        defer { store.close() }
        let item = try #require(model.entity(named: "Item"))
        for _ in 0..<3 { _ = try store.insert(item, ["name": .string("a")]) }
        store.findForeignValues()
        #expect(store.search.found == ForeignValues())
        let raw = try RawDatabase(folder.store)
        try raw.run("INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (\(key), 2, 1, 'b')")
        store.findForeignValues()
        #expect(store.search.found == ForeignValues(["ZITEM": ["Z_PK"]]))
        #expect(try count("name != nil", store) == 3)
        #expect(try count("name == 'b'", store) == 0)
        try raw.run(
            "INSERT INTO ZBOX (Z_PK, Z_ENT, Z_OPT) VALUES (\(key), 1, 1); "
                + "UPDATE ZITEM SET ZBOX = \(key) WHERE Z_PK = 2")
        store.findForeignValues()
        #expect(
            store.search.found == ForeignValues(["ZITEM": ["Z_PK", "ZBOX"], "ZBOX": ["Z_PK"]]))
        #expect(try count("box == nil", store) == 3)
        try raw.run(
            "DELETE FROM ZITEM WHERE Z_PK < 1; DELETE FROM ZBOX; UPDATE ZITEM SET ZBOX = NULL")
        store.findForeignValues()
        #expect(store.search.found == ForeignValues())
    }

    /// Another program may store a number below all integers.
    @Test(arguments: ["-9e999", "-1e19"])
    func aKeyBelowAllIntegersIsFound(_ key: String) throws {
        let store = try SQLiteStore.open(path: folder.store, model: model)
        defer { store.close() }
        let item = try #require(model.entity(named: "Item"))
        for _ in 0..<3 { _ = try store.insert(item, ["name": .string("a")]) }
        let raw = try RawDatabase(folder.store)
        try raw.run(
            "INSERT INTO ZBOX (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1); UPDATE ZITEM SET ZBOX = 1; "
                + "UPDATE ZITEM SET ZBOX = \(key) WHERE Z_PK = 2")
        store.findForeignValues()
        #expect(store.search.found == ForeignValues(["ZITEM": ["ZBOX"]]))
        #expect(try count("box == nil", store) == 1)
    }

    /// Also before the columns with foreign values are known.
    @Test func aKeyBelowOneIsReadAsNull() throws {
        let store = try SQLiteStore.open(path: folder.store, model: model)
        defer { store.close() }
        let connection = try Connection(path: folder.store, creates: false)
        let kinds = [ColumnKind](repeating: .key, count: 5)
        let rows = try connection.rows(SQLText("SELECT 7, 0, -5, -9e999, NULL"), [], kinds)
        let expected: [[Value]] = [[.key(7), .null, .null, .null, .null]]
        #expect(rows == expected)
    }

    /// A search that finds what was known changes nothing: neither while the large tables are not
    /// read, whose keys below 1 are found before all else in them, nor at its end.
    @Test func foreignColumnsAreKeptDuringASearch() throws {
        let store = try SQLiteStore.open(path: folder.store, model: model)
        defer { store.close() }
        let raw = try RawDatabase(folder.store)
        // A table is as large as its last key.
        try raw.run(
            "INSERT INTO ZBOX (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, NULL); "
                + "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZBOX) "
                + "VALUES (-1, 2, 1, 1), (1, 2, 1, 999), (600000, 2, 1, 1)")
        let all = ForeignValues(["ZITEM": ["Z_PK", "ZBOX"], "ZBOX": ["Z_OPT"]])
        let first = ForeignValues(["ZITEM": ["Z_PK"], "ZBOX": ["Z_OPT"]])
        let path = folder.store
        for (known, steps) in [
            (all, []), (ForeignValues(), [first, all]),
            (
                ForeignValues(["ZITEM": ["ZBOX", "ZNAME"], "ZBOX": ["ZNAME"]]),
                [
                    ForeignValues(["ZITEM": ["Z_PK", "ZBOX", "ZNAME"], "ZBOX": ["Z_OPT"]]), all,
                ]
            ),
        ] as [(ForeignValues, [ForeignValues])] {
            let translator = CurrentTranslator(
                FetchTranslator(
                    schema: store.schema, longDecimals: [], foreign: ForeignValues()))
            let seen = Mutex<[ForeignValues]>([])
            let search = ForeignSearch(store.schema, translator, known: known) {
                () throws(StoreError) in
                try Connection(path: path, creates: false)
            } changed: {
                let now = translator.current.foreign
                seen.withLock { $0.append(now) }
            } failed: {
                Issue.record("\($0)")
            }
            search.renew()
            search.finish()
            search.close()
            let states = seen.withLock { $0 }
            #expect(states == steps)
            #expect(search.found == all)
        }
    }
}
