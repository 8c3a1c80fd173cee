// Numeric changes together with the rest of a model, and values of other programs.

import Foundation
import SteleGraph
import SteleMigration
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

@Suite struct NumericDetailTests {
    private func item(
        _ type: AttributeType, _ change: @escaping (inout AttributeDescription) -> Void = { _ in }
    ) -> EntityMaker {
        EntityMaker("Item").attribute("name", .string).attribute("n", type, change)
    }

    private func filling(_ values: Value...) -> (any GraphFixture) throws -> Void {
        { it in
            let ids = try it.insert("Item", count: values.count)
            try it.change { context in
                for (id, value) in zip(ids, values) { try context.get(id)["n"] = value }
            }
        }
    }

    /// The rows that a fetch gives, as keys.
    private func keys(
        _ it: any GraphFixture, _ predicate: String?, sortedBy key: String? = nil
    ) throws -> [Int64] {
        var request = FetchRequest(entity: try it.entity("Item"))
        request.predicate = try predicate.map { try Predicate(format: $0) }
        if let key { request.sortDescriptors = [SortDescriptor(key: key, ascending: true)] }
        return try it.read { try $0.fetch(request.checked(in: it.model)).map(\.key) }
    }

    /// Shipped by an app: its test asserts that 1 becomes 1.0.
    @Test func anIntegerBecomesADouble() throws {
        let it = try migrated(
            [item(.integer64)], to: [item(.double)], filling(.int(1), .null, .int(-3)))
        #expect(
            try it.lines("SELECT typeof(ZN) || ' ' || ifnull(ZN, '-') FROM ZITEM ORDER BY Z_PK")
                == ["real 1.0", "null -", "real -3.0"])
        #expect(try keys(it, "n > 0.5") == [1])
        #expect(try keys(it, nil, sortedBy: "n") == [2, 3, 1])
    }

    /// Shipped by an app, under a renaming identifier.
    @Test func aBooleanBecomesAnIntegerUnderANewName() throws {
        let it = try migrated(
            [item(.boolean)],
            to: [
                EntityMaker("Item").attribute("name", .string).attribute("state", .integer32)
                    .renamed("state", from: "n")
            ], filling(.bool(true), .bool(false), .null))
        #expect(
            try it.lines("SELECT ifnull(ZSTATE, '-') FROM ZITEM ORDER BY Z_PK") == ["1", "0", "-"])
    }

    @Test func anotherProgramsBooleansAreOneBeforeAndAfter() throws {
        let folder = try TemporaryFolder()
        let (source, destination) = (
            try makeModel([item(.boolean)]), try makeModel([item(.integer16)])
        )
        try filled(source, in: folder, filling(.bool(true), .bool(true), .bool(false)))
        try RawDatabase(folder.store).run("UPDATE ZITEM SET ZN = 2 * Z_PK - 3 WHERE Z_PK < 3")
        #expect(
            try RawDatabase(folder.store).texts("SELECT ZN FROM ZITEM ORDER BY Z_PK")
                == ["-1", "1", "0"])
        try SQLiteStore.migrate(
            path: folder.store, from: source, to: destination,
            by: try .inferred(from: source, to: destination))
        #expect(
            try RawDatabase(folder.store).texts("SELECT ZN FROM ZITEM ORDER BY Z_PK")
                == ["1", "1", "0"])
    }

    @Test(arguments: [AttributeType.integer64, .decimal, .boolean])
    func infinityFitsNoExactType(_ type: AttributeType) throws {
        let folder = try TemporaryFolder()
        let (source, destination) = (try makeModel([item(.double)]), try makeModel([item(type)]))
        try filled(source, in: folder, filling(.double(1), .double(1), .double(1)))
        try RawDatabase(folder.store).run("UPDATE ZITEM SET ZN = -9e999 WHERE Z_PK = 2")
        let error = try #require(throws: StoreError.self) {
            try SQLiteStore.migrate(
                path: folder.store, from: source, to: destination,
                by: try .inferred(from: source, to: destination))
        }
        #expect("\(error)".contains("Item 2: -inf"), "\(error)")
    }

    @Test func infinityStaysInAFloat() throws {
        let folder = try TemporaryFolder()
        let (source, destination) = (try makeModel([item(.double)]), try makeModel([item(.float)]))
        try filled(source, in: folder, filling(.double(0.1), .double(1)))
        try RawDatabase(folder.store).run("UPDATE ZITEM SET ZN = 9e999 WHERE Z_PK = 2")
        try SQLiteStore.migrate(
            path: folder.store, from: source, to: destination,
            by: try .inferred(from: source, to: destination))
        #expect(
            try RawDatabase(folder.store).texts(
                "SELECT printf('%!.17g', ZN) FROM ZITEM ORDER BY Z_PK")
                == ["0.10000000149011612", "Inf"])
    }

    @Test func aMandatoryAttributeGetsItsDefaultForNull() throws {
        let it = try migrated(
            [item(.integer32)],
            to: [
                item(.decimal) {
                    $0.isOptional = false
                    $0.defaultValue = .decimal(2.5)
                }
            ], filling(.int(7), .null))
        #expect(try it.lines("SELECT ZN FROM ZITEM ORDER BY Z_PK") == ["7", "2.5"])
        let error = try #require(
            try refusal(
                [item(.integer32)], to: [item(.decimal) { $0.isOptional = false }],
                filling(.int(7), .null)))
        #expect(error.code == 134110 && error.text.contains("without a value of n"))
    }

    @Test func decimalsOfManyDigitsAreComparedExactly() throws {
        let it = try migrated(
            [item(.integer64)], to: [item(.decimal)],
            filling(.int(9_007_199_254_740_993), .int(9_007_199_254_740_992), .int(.max), .int(5)))
        #expect(try keys(it, "n == 9007199254740993") == [1])
        #expect(try keys(it, nil, sortedBy: "n") == [4, 2, 1, 3])
        try it.change {
            try $0.get(ObjectID(root: try it.entity("Item").root, key: 4))["n"] = .decimal(6)
        }
        #expect(try keys(it, "n > 5.5", sortedBy: "n") == [4, 2, 1, 3])
    }

    @Test func valuesThatRoundingMakesEqualBreakAUniquenessConstraint() throws {
        let fill = filling(.double(0.5), .double(0.5 + 0x1p-30), .double(7))
        let error = try #require(
            try refusal([item(.double).unique("n")], to: [item(.float).unique("n")], fill))
        #expect(error.code == 134110 && error.text.contains("must be unique"))
        #expect(error.text.contains("Item 1") && error.text.contains("Item 2"), "\(error.text)")
        let it = try migrated(
            [item(.integer64).unique("n").index("byN", on: "n")],
            to: [item(.integer16).unique("n").index("byN", on: "n")], filling(.int(1), .int(2)))
        #expect(try it.lines("SELECT ZN FROM ZITEM ORDER BY Z_PK") == ["1", "2"])
    }

    @Test func aMigrationThatFailsLaterLeavesTheTypeOfBefore() throws {
        let error = try #require(
            try refusal([item(.integer64)], to: [item(.double).unique("name")]) { it in
                let ids = try it.insert("Item", count: 2)
                try it.change { context in
                    for id in ids { try context.get(id)["name"] = .string("same") }
                }
            })
        #expect(error.text.contains("must be unique"))
    }

    @Test func inheritedAttributesChangeInEverySubentity() throws {
        func tree(_ a: AttributeType, _ b: AttributeType) -> [EntityMaker] {
            [
                item(a), EntityMaker("Box", parent: "Item").attribute("size", b),
                EntityMaker("Crate", parent: "Box"),
            ]
        }
        func fill(_ it: any GraphFixture) throws {
            for (index, name) in ["Item", "Box", "Crate"].enumerated() {
                let id = try it.insert(name)[0]
                try it.change {
                    let object = try $0.get(id)
                    object["n"] = .int(Int64(40_000 + index))
                    if name != "Item" { object["size"] = .double(Double(index)) }
                }
            }
        }
        let it = try migrated(tree(.integer64, .double), to: tree(.float, .integer16), fill)
        #expect(
            try it.lines("SELECT ZN || ' ' || ifnull(ZSIZE, '-') FROM ZITEM ORDER BY Z_PK")
                == ["40000.0 -", "40001.0 1", "40002.0 2"])
        let error = try #require(
            try refusal(
                tree(.integer64, .double), to: tree(.integer16, .double), fill))
        #expect(error.text.contains("Item 1: 40000"), "\(error.text)")
    }

    @Test func elementsOfCompositesChange() throws {
        func made(_ type: AttributeType) throws -> Model {
            try makeModel(
                [
                    EntityMaker("Item").attribute("name", .string)
                        .attribute("place", .composite) { $0.compositeName = "Place" }
                ],
                composites: [CompositeDescription("Place", [.init(optional: "height", type)])])
        }
        let folder = try TemporaryFolder()
        let (source, destination) = (try made(.double), try made(.integer32))
        try filled(source, in: folder) { it in
            let ids = try it.insert("Item", count: 2)
            try it.change {
                try $0.get(ids[0])["place.height"] = .double(12)
            }
        }
        try SQLiteStore.migrate(
            path: folder.store, from: source, to: destination,
            by: try .inferred(from: source, to: destination))
        let it = try GraphStore(destination, in: folder)
        let rows = try it.read {
            try $0.fetch(FetchRequest(entity: destination.named("Item")))
        }
        #expect(rows.map { $0.value("place.height", in: destination) } == [.int(12), .null])
    }

    @Test func derivedAttributesOfAChangedOneAreComputed() throws {
        func made(_ type: AttributeType) -> [EntityMaker] {
            [
                item(type).toOne("box", "Box", inverse: "items"),
                EntityMaker("Box").attribute("name", .string)
                    .attribute("total", type) { $0.derivationExpression = "items.n.@sum" }
                    .toMany("items", "Item", inverse: "box"),
            ]
        }
        let it = try migrated(made(.integer32), to: made(.double)) { it in
            let box = try it.insert("Box")[0]
            let ids = try it.insert("Item", count: 2)
            try it.change { context in
                for id in ids {
                    try context.get(id)["n"] = .int(3)
                    try context.get(id).set("box", context.get(box))
                }
            }
        }
        #expect(try it.lines("SELECT ZTOTAL FROM ZBOX") == ["6.0"])
    }

    @Test(arguments: [
        (AttributeType.integer64, AttributeType.decimal, Value.int(3), Value.decimal(3)),
        (.decimal, .double, .decimal(1.5), .double(1.5)),
        (.double, .integer16, .double(4), .int(4)),
        (.boolean, .integer32, .bool(true), .int(1)), (.integer16, .boolean, .int(1), .bool(true)),
    ])
    func theHistoryKeepsTheValuesOfBefore(
        _ from: AttributeType, _ to: AttributeType, _ old: Value, _ new: Value
    ) throws {
        let it = try migrated([item(from)], to: [item(to)]) { it in
            let id = try it.insert("Item")[0]
            try it.change { try $0.get(id)["n"] = old }
            try it.change { try $0.get(id)["n"] = .null }
            try it.change { try $0.get(id)["n"] = old }
        }
        let changes = try it.history().flatMap(\.changes)
        let states = changes.map { $0.snapshot?.value("n", in: it.model) }
        // The first save made the object and the second named it.
        #expect(states.suffix(3) == [new, .null, new])
    }

    /// SQLite writes the statements of tables that are altered in its own way.
    @Test func aColumnThatWasRenamedOrAddedChangesToo() throws {
        func made(_ name: String, _ type: AttributeType, _ other: AttributeType?) -> EntityMaker {
            let it = EntityMaker("Item").attribute("name", .string).attribute(name, type)
                .renamed(name, from: "n")
            return other.map { it.attribute("other", $0) } ?? it
        }
        let folder = try TemporaryFolder()
        let models = try [
            item(.integer16), made("m", .integer16, .double), made("k", .decimal, .integer64),
            made("k", .float, .float),
        ].map { try makeModel([$0]) }
        try filled(models[0], in: folder, filling(.int(3), .null))
        for (old, new) in zip(models, models.dropFirst()) {
            try SQLiteStore.migrate(
                path: folder.store, from: old, to: new, by: try .inferred(from: old, to: new))
        }
        #expect(
            try RawDatabase(folder.store).texts(
                "SELECT ifnull(ZK, '-') || ' ' || ifnull(ZOTHER, '-') FROM ZITEM ORDER BY Z_PK")
                == ["3.0 -", "- -"])
        let fresh = try TemporaryFolder()
        try SQLiteStore.open(path: fresh.store, model: models[3]).close()
        #expect(try schemaLines(folder.store) == schemaLines(fresh.store))
    }

    @Test func aTableThatAnotherProgramHasDeclaredOtherwiseChangesToo() throws {
        let folder = try TemporaryFolder()
        let (source, destination) = (
            try makeModel([item(.double).index("byN", on: "n")]),
            try makeModel([item(.integer32).index("byN", on: "n")])
        )
        try filled(source, in: folder, filling(.double(3), .double(1e9), .null))
        try RawDatabase(folder.store).run(
            "PRAGMA writable_schema = ON; UPDATE sqlite_master "
                + "SET sql = replace(sql, 'ZN FLOAT', 'ZN  FLOAT') WHERE name = 'ZITEM'")
        try SQLiteStore.migrate(
            path: folder.store, from: source, to: destination,
            by: try .inferred(from: source, to: destination))
        let raw = try RawDatabase(folder.store)
        #expect(
            try raw.texts("SELECT typeof(ZN) || ifnull(ZN, '') FROM ZITEM ORDER BY Z_PK")
                == ["integer3", "integer1000000000", "null"])
        #expect(try raw.texts("PRAGMA integrity_check") == ["ok"])
        #expect(
            try raw.texts("SELECT type FROM pragma_table_info('ZITEM') WHERE name = 'ZN'")
                == ["INTEGER"])
    }

    @Test func versionsAndKeysStay() throws {
        let it = try migrated([item(.integer32)], to: [item(.double)], filling(.int(1), .int(2)))
        #expect(
            try it.lines("SELECT Z_PK || ' ' || Z_OPT FROM ZITEM ORDER BY Z_PK") == ["1 2", "2 2"])
        #expect(try it.insert("Item")[0].key == 3)
    }
}
