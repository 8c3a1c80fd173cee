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

    /// A seal of an earlier version does not know keys below 1. Its marks are those of the store.
    @Test func anOlderSealIsNoAnswer() throws {
        for isOlder in [false, true] {
            var (store, coordinator) = try open()
            if !isOlder { try fill(store) }
            withExtendedLifetime(coordinator) { store.close() }
            let seal = URL(filePath: folder.store + "-seal")
            let text = try String(contentsOf: seal, encoding: .utf8)
            #expect(text.contains("foreign-values"))
            var lines = text.split(separator: "\n").map(String.init)
            let place = try #require(lines.firstIndex(of: "foreign-values"))
            lines.insert("foreign-values ZITEM ZSCORE", at: place + 1)
            lines.insert("m 7", at: place)
            var changed = lines.joined(separator: "\n")
            if isOlder { changed = changed.replacing("foreign-values", with: "foreign") }
            try Data(changed.utf8).write(to: seal)
            (store, coordinator) = try open()
            #expect((store.search.found == nil) == isOlder)
            #expect(store.formerMarks.contains(StoreMark(mark: "m", last: 7)))
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
    @Test func foreignValuesAreNoConflictOfASave() throws {
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

    /// The SELECT in the place of a table keeps the indexes of all other columns, and rows are found
    /// by their keys.
    @Test func otherColumnsKeepTheirIndexes() throws {
        let model = try makeModel([
            EntityMaker("Item").attribute("score", .double).attribute("rank", .integer32)
                .attribute("name", .string).toOne("box", "Box", inverse: "items")
                .index("byRank", on: "rank"),
            EntityMaker("Box").attribute("name", .string).attribute("size", .integer32)
                .toMany("items", "Item", inverse: "box"),
        ])
        let store = try SQLiteStore.open(path: folder.store, model: model)
        defer { store.close() }
        let translator = FetchTranslator(
            schema: store.schema, longDecimals: [],
            foreign: ForeignValues([
                "ZITEM": ["ZBOX", "ZSCORE", "Z_ENT", "Z_OPT"], "ZBOX": ["ZNAME"],
            ]))
        let item = try #require(model.entity(named: "Item"))
        func request(
            _ predicate: String? = nil, sort: String? = nil, limit: Int? = nil
        ) throws -> FetchRequest {
            var request = FetchRequest(entity: item)
            request.predicate = try predicate.map { try Predicate(format: $0) }
            request.sortDescriptors = sort.map { [SortDescriptor(key: $0)] } ?? []
            request.fetchLimit = limit
            return request
        }
        func plan(_ sql: SQLText, _ bindings: [Value]) throws -> String {
            let connection = try Connection(path: folder.store, creates: false)
            return try connection.rows(
                SQLText("EXPLAIN QUERY PLAN " + sql.string), bindings,
                [.integer, .integer, .integer, .text]
            ).map { "\($0[3])" }.joined(separator: "\n")
        }
        let key = "USING INTEGER PRIMARY KEY"
        #expect(try plan(translator.snapshotByKey(root: item.root), [.int(1)]).contains(key))
        #expect(
            try plan(translator.snapshotsByKey(root: item.root), [.string("[1,2]")]).contains(key))
        for (asked, words) in [
            (try request(sort: "rank", limit: 5), "Z_Item_rank"),
            (try request("rank == 3"), "Z_Item_rank"),
            (try request("rank == 3 AND score > 1", sort: "rank"), "Z_Item_rank"),
            (try request("_id == 3"), key),
            (try request("box.name == 'x'"), key), (try request(sort: "box.name", limit: 3), key),
        ] {
            let statement = try translator.snapshots(asked)
            let plan = try plan(statement.sql, statement.bindings)
            #expect(plan.contains(words) && !plan.contains("MATERIALIZE"), "\(plan)")
        }
        for (asked, words) in [
            (try request("rank == 3"), "Z_Item_rank"), (try request("box.name == 'x'"), key),
            (try request("score > 1 AND rank > 3"), "Z_Item_rank"),
        ] {
            let statement = try translator.count(asked)
            let plan = try plan(statement.sql, statement.bindings)
            #expect(plan.contains(words) && !plan.contains("MATERIALIZE"), "\(plan)")
        }
    }

    /// Each content that a column of its kind does not have is found, and nothing else.
    @Test func eachKindOfContentIsFound() throws {
        let model = try makeModel([
            EntityMaker("E").attribute("b", .boolean).attribute("i", .integer64)
                .attribute("d", .double).attribute("f", .float).attribute("t", .date)
                .attribute("p", .decimal).attribute("s", .string).attribute("u", .uuid)
                .attribute("x", .binary).attribute("l", .uri).toOne("o", "E", inverse: "os")
                .toMany("os", "E", inverse: "o").toMany("m", "G", inverse: "es"),
            EntityMaker("G").attribute("s", .string).toMany("es", "E", inverse: "m"),
            EntityMaker("H", parent: "G").attribute("h", .string),
        ])
        let store = try SQLiteStore.open(path: folder.store, model: model)
        defer { store.close() }
        let (e, g) = (model.entity(named: "E"), model.entity(named: "H"))
        for number in 0..<3 {
            _ = try store.insert(
                try #require(e),
                [
                    "b": .bool(true), "i": .int(.max), "d": .double(1), "f": .double(0.5),
                    "t": .date(1), "p": .decimal(Decimal(7)), "s": .string("é\(number)"),
                    "x": .data([1]), "l": .string("a:b"),
                ])
            _ = try store.insert(try #require(g), ["s": .string("a")])
        }
        let raw = try RawDatabase(folder.store)
        let join = try raw.texts("SELECT name FROM sqlite_master WHERE name GLOB 'Z_[0-9]*'")[0]
        let ends = try raw.texts("SELECT name FROM pragma_table_info('\(join)')")
        try raw.run("INSERT INTO \(join) VALUES (1, 1); UPDATE ZE SET ZO = 2")
        store.findForeignValues()
        #expect(store.search.found == ForeignValues())
        for (column, contents) in [
            ("ZB", ["2", "-1", "0.5", "'x'", "X'01'"]), ("ZI", ["0.5", "'x'", "X'01'"]),
            ("ZD", ["9e999", "-9e999", "'x'", "X'01'"]), ("ZF", ["9e999", "1e300", "'x'"]),
            ("ZT", ["-9e999", "1e30", "-4000000000000000000", "'x'"]),
            ("ZP", ["9e999", "'x'", "X'61'"]),
            ("ZS", ["X'61'", "CAST(X'FF' AS TEXT)", "CAST(X'3132333435363738C3' AS TEXT)"]),
            ("ZU", ["'x'", "X'01'", "1"]), ("ZX", ["1", "'x'"]),
            ("ZL", ["X'61'", "CAST(X'FF' AS TEXT)"]), ("ZO", ["9", "-1", "'x'", "0.5", "X'01'"]),
            ("Z_ENT", ["NULL", "2", "'x'"]), ("Z_OPT", ["NULL", "'x'"]),
        ] {
            let before = try raw.texts("SELECT quote(\(column)) FROM ZE WHERE Z_PK = 2")[0]
            for content in contents {
                try raw.run("UPDATE ZE SET \(column) = \(content) WHERE Z_PK = 2")
                store.findForeignValues()
                #expect(
                    store.search.found == ForeignValues(["ZE": [column]]), "\(column) \(content)")
            }
            try raw.run("UPDATE ZE SET \(column) = \(before) WHERE Z_PK = 2")
        }
        for (place, end) in ends.enumerated() {
            for content in ["9", "NULL", "'x'"] {
                let row = place == 0 ? "\(content), 2" : "2, \(content)"
                try raw.run("INSERT INTO \(join) VALUES (\(row))")
                store.findForeignValues()
                #expect(store.search.found == ForeignValues([join: [end]]), "\(end) \(content)")
                try raw.run("DELETE FROM \(join) WHERE rowid > 1")
            }
        }
    }

    /// More rows than are read at once, with the only foreign content in the last one.
    @Test func allRowsAreRead() throws {
        let (store, _) = try open()
        defer { store.close() }
        try fill(store)
        let raw = try RawDatabase(folder.store)
        try raw.run(
            """
            WITH RECURSIVE n(i) AS (SELECT 20 UNION ALL SELECT i + 1 FROM n WHERE i < 12000)
            INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZSCORE, ZNAME, ZBOX) SELECT i, Z_ENT, 1, i, 'x', 1
            FROM n, (SELECT Z_ENT FROM ZITEM LIMIT 1)
            """)
        store.findForeignValues()
        #expect(store.search.found == ForeignValues())
        try raw.run("UPDATE ZITEM SET ZSCORE = 9e999 WHERE Z_PK = 12000")
        store.findForeignValues()
        #expect(store.search.found == ForeignValues(["ZITEM": ["ZSCORE"]]))
        try raw.run("UPDATE ZITEM SET ZBOX = 2 WHERE Z_PK = 12000")
        store.findForeignValues()
        #expect(store.search.found == ForeignValues(["ZITEM": ["ZSCORE", "ZBOX"]]))
    }

    /// Nobody has noticed the commit before the view was opened.
    @Test func aViewWaitsForTheSearch() throws {
        let (store, coordinator) = try open()
        defer { store.close() }
        try fill(store)
        #expect(try count("score == nil", store) == 0)
        try RawDatabase(folder.store).run(damage)
        #expect(try count("score == nil", store) == 1)
        #expect(try count("box == nil", store) == 9)
        withExtendedLifetime(coordinator) {}
    }

    /// Views know what small tables have before large ones are read.
    @Test func theSmallestTablesAreReadFirst() throws {
        let (store, _) = try open()
        defer { store.close() }
        try fill(store)
        try RawDatabase(folder.store).run(
            """
            WITH RECURSIVE n(i) AS (SELECT 20 UNION ALL SELECT i + 1 FROM n WHERE i < 50001)
            INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZSCORE) SELECT i, Z_ENT, 1, 9e999
            FROM n, (SELECT Z_ENT FROM ZITEM LIMIT 1);
            UPDATE ZBOX SET Z_OPT = NULL
            """)
        var first: [ForeignValues] = []
        let found = try ForeignValues.find(
            in: store.schema, Connection(path: folder.store, creates: false),
            smallAreDone: { found, tables in
                #expect(tables == ["ZBOX"])
                first.append(found)
            }, while: { true })
        #expect(first == [ForeignValues(["ZBOX": ["Z_OPT"]])])
        #expect(found == ForeignValues(["ZBOX": ["Z_OPT"], "ZITEM": ["ZSCORE"]]))
    }

    /// A store whose rows cannot be read is damaged, and nothing waits for their search.
    @Test func aSearchThatFailsIsNotHidden() throws {
        var (store, coordinator) = try open()
        try fill(store)
        store.close()
        try RawDatabase(folder.store).run(
            """
            WITH RECURSIVE n(i) AS (SELECT 20 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
            INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME)
            SELECT i, Z_ENT, 1, 'row ' || i || ' of many' FROM n, (SELECT Z_ENT FROM ZITEM LIMIT 1);
            PRAGMA wal_checkpoint(TRUNCATE)
            """)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: folder.store))
        let row = try #require(bytes.range(of: Data("row 2500 of many".utf8)))
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        // The kind of the page and the place of its cells.
        let page = row.lowerBound / size * size
        bytes.replaceSubrange(page..<(page + 8), with: [UInt8](repeating: 0xFF, count: 8))
        try bytes.write(to: URL(fileURLWithPath: folder.store))
        (store, coordinator) = try open()
        store.findForeignValues()
        #expect(store.search.found == nil)
        #expect(throws: StoreError.self) { try store.checkPresence() }
        withExtendedLifetime(coordinator) { store.close() }
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
