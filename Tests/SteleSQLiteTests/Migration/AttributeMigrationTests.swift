// Changes of attributes: their values, and what is refused.

import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

@Suite struct AttributeMigrationTests {
    private let person = EntityMaker("Person").attribute("name", .string)

    private func two(_ it: any GraphFixture) throws { _ = try it.insert("Person", count: 2) }

    @Test func aNewAttributeIsNullOrItsDefaultAndVersionsStay() throws {
        let it = try migrated(
            [person],
            to: [
                person.attribute("nick", .string)
                    .attribute("age", .integer16) { $0.defaultValue = .int(7) }
                    .attribute("motto", .string) {
                        $0.defaultValue = .string("it's \"so\" — ü")
                        $0.isOptional = false
                    }
                    .attribute("price", .decimal) {
                        $0.defaultValue = .decimal(Decimal(string: "12345678901234567890.5") ?? 0)
                    }
                    .attribute("ratio", .double) { $0.defaultValue = .double(1.5) }
                    .attribute("isNew", .boolean) { $0.defaultValue = .bool(true) }
            ], two)
        for key: Int64 in [1, 2] {
            let entity = try it.entity("Person")
            let found = try #require(try it.stored(ObjectID(root: entity.root, key: key)))
            #expect(found.version == 1)
            #expect(found.value("name", in: it.model) == .string("Person \(key)"))
            #expect(found.value("nick", in: it.model) == .null)
            #expect(found.value("age", in: it.model) == .int(7))
            #expect(found.value("motto", in: it.model) == .string("it's \"so\" — ü"))
            #expect(
                found.value("price", in: it.model)
                    == .decimal(Decimal(string: "12345678901234567890.5") ?? 0))
            #expect(found.value("ratio", in: it.model) == .double(1.5))
            #expect(found.value("isNew", in: it.model) == .bool(true))
        }
        #expect(try it.insert("Person")[0].key == 3)
    }

    @Test func aMandatoryAttributeWithoutADefaultFailsOnObjectsAndNotWithoutThem() throws {
        let mandatory = person.attribute("email", .string) { $0.isOptional = false }
        let error = try #require(try refusal([person], to: [mandatory], two))
        #expect(error.code == 134110)
        #expect(error.text.contains("Person.email"))
        #expect(error.text.contains("2"))
        _ = try migrated([person], to: [mandatory]) { _ in }
    }

    @Test func anAttributeThatBecomesMandatoryGetsItsDefaultForNull() throws {
        func made(_ change: @escaping (inout AttributeDescription) -> Void) -> EntityMaker {
            EntityMaker("Person").attribute("name", .string).attribute("age", .integer64, change)
        }
        func fill(_ it: any GraphFixture) throws {
            let ids = try it.insert("Person", count: 3)
            try it.change { try $0.get(ids[1])["age"] = .int(5) }
        }
        let it = try migrated(
            [made { _ in }],
            to: [
                made {
                    $0.isOptional = false
                    $0.defaultValue = .int(9)
                }
            ], fill)
        #expect(try it.lines("SELECT ZAGE FROM ZPERSON ORDER BY Z_PK") == ["9", "5", "9"])
        let error = try #require(
            try refusal([made { _ in }], to: [made { $0.isOptional = false }], fill))
        #expect(error.code == 134110)
        #expect(error.text.contains("Person.age"))
    }

    @Test func oneOrSeveralAttributesAreRemoved() throws {
        let wide = EntityMaker("Person").attribute("a", .string).attribute("b", .integer64)
            .attribute("name", .string).index("byA", on: "a").index("byName", on: "name")
        let one = EntityMaker("Person").attribute("b", .integer64).attribute("name", .string)
            .index("byName", on: "name")
        for after in [one, EntityMaker("Person").attribute("name", .string)] {
            let it = try migrated([wide], to: [after], two)
            #expect(
                try it.lines("SELECT ZNAME || Z_OPT FROM ZPERSON ORDER BY Z_PK")
                    == ["Person 11", "Person 21"])
        }
    }

    @Test func renamedAttributesKeepTheirValuesEvenIfTheySwapNames() throws {
        let it = try migrated(
            [
                EntityMaker("Person").attribute("name", .string).attribute("a", .string)
                    .attribute("b", .string).index("by", on: "a")
            ],
            to: [
                EntityMaker("Person").attribute("title", .string).renamed("title", from: "name")
                    .attribute("a", .string).renamed("a", from: "b").attribute("b", .string)
                    .renamed("b", from: "a").index("by", on: "a")
            ]
        ) { it in
            let id = try it.insert("Person")[0]
            try it.change {
                try $0.get(id)["a"] = .string("was a")
                try $0.get(id)["b"] = .string("was b")
            }
        }
        #expect(
            try it.lines("SELECT ZTITLE || ', ' || ZA || ', ' || ZB FROM ZPERSON")
                == ["Person 1, was b, was a"])
    }

    /// The store of an earlier version, whose indexes of attributes have other names, gets those of
    /// a new one.
    @Test func oldIndexesOfAttributesBecomeNewOnes() throws {
        let before = EntityMaker("Person").attribute("name", .string) { $0.isIndexed = true }
            .attribute("code", .string) { $0.isIndexed = true }.attribute("nick", .string)
            .index("byNick", on: "nick")
        let after = EntityMaker("Person").attribute("title", .string) { $0.isIndexed = true }
            .renamed("title", from: "name").attribute("code", .string) { $0.isIndexed = true }
            .attribute("nick", .string).index("byNick", on: "nick").attribute("age", .integer16)
        let gone = EntityMaker("Person").attribute("nick", .string)
        for last in [after, before.attribute("age", .integer16), gone] {
            // The schema of the file is compared with that of a new store.
            _ = try migrated([before], to: [last]) { it in
                try two(it)
                // No version made such indexes in a database.
                guard let it = it as? GraphStore else { return }
                try RawDatabase(it.folder.store).run(
                    "DROP INDEX Z_Person_name; DROP INDEX Z_Person_code; DROP INDEX Z_Person_nick; "
                        + "CREATE INDEX ZPERSON_ZNAME_INDEX ON ZPERSON (ZNAME); "
                        + "CREATE INDEX ZPERSON_ZCODE_INDEX ON ZPERSON (ZCODE)")
            }
        }
    }

    @Test func longDecimalsKeepTheirNote() throws {
        let long = Decimal(string: "1234567890.1234567890123") ?? 0
        let it = try migrated(
            [person.attribute("pay", .decimal)],
            to: [person.attribute("salary", .decimal).renamed("salary", from: "pay")]
        ) { it in
            let ids = try it.insert("Person", count: 2)
            try it.change {
                try $0.get(ids[0])["pay"] = .decimal(long)
                try $0.get(ids[1])["pay"] = .decimal(long + 1)
            }
        }
        let row = try #require(
            try it.stored(ObjectID(root: try it.entity("Person").root, key: 1)))
        #expect(row.value("salary", in: it.model) == .decimal(long))
        let list = try RawDatabase(it.folder.store).bytes("SELECT Z_PLIST FROM Z_METADATA")
        let metadata = try StoreMetadata(propertyList: list)
        #expect(metadata.longDecimals == ["Person.salary"])
    }

    @Test func derivedLongDecimalsAreNoted() throws {
        let long = Decimal(string: "1234567890.1234567890123") ?? 0
        let order = EntityMaker("Order").attribute("name", .string)
            .toMany("items", "Item", inverse: "order")
        let item = EntityMaker("Item").attribute("price", .decimal)
            .toOne("order", "Order", inverse: "items")
        let it = try migrated(
            [order, item],
            to: [
                order.attribute("total", .decimal) { $0.derivationExpression = "items.price.@sum" },
                item,
            ]
        ) { it in
            let owner = try it.insert("Order")[0]
            try it.change { context in
                let made = try context.insert(it.entity("Item"))
                made["price"] = .decimal(long)
                try made.setToOne(it.relationship("Item.order"), try context.get(owner))
            }
        }
        let more = Decimal(string: "1234567890.1234567890124") ?? 0
        let list = try RawDatabase(it.folder.store).bytes("SELECT Z_PLIST FROM Z_METADATA")
        let noted = try StoreMetadata(propertyList: list).longDecimals
        #expect(noted == ["Item.price", "Order.total"])
        var request = FetchRequest(entity: try it.entity("Order"))
        request.predicate = try Predicate(
            format: "total < %@", arguments: [.value(.decimal(more))])
        #expect(try it.read { try $0.count(request.checked(in: it.model)) } == 1)
    }

    @Test func aUniquenessConstraintListsTheRowsThatBreakIt() throws {
        let made = { (it: any GraphFixture) in
            let ids = try it.insert("Person", count: 5)
            try it.change { context in
                for id in ids.prefix(3) { try context.get(id)["name"] = .string("Ana") }
            }
        }
        let error = try #require(
            try refusal([person], to: [person.unique("name")], made))
        #expect(error.code == 134110)
        #expect(error.text.contains("name of Person must be unique (133021), and 3 objects"))
        for key in 1...3 { #expect(error.text.contains("Person \(key): Ana")) }
        #expect(!error.text.contains("Person 4"))
        _ = try migrated([person], to: [person.unique("name")], two)
    }

    @Test func derivedAttributesAreFilled() throws {
        let team = EntityMaker("Team").attribute("name", .string)
            .toMany("players", "Person", inverse: "team")
        let player = person.toOne("team", "Team", inverse: "players")
        let it = try migrated(
            [team, player],
            to: [
                team.attribute("count", .integer64) { $0.derivationExpression = "players.@count" },
                player.attribute("folded", .string) {
                    $0.derivationExpression = "uppercase:(name)"
                },
            ]
        ) { it in
            try it.change { context in
                let team = try context.insert(try it.entity("Team"))
                for name in ["a", "b"] {
                    let player = try context.insert(try it.entity("Person"))
                    player["name"] = .string(name)
                    try player.set("team", team)
                }
            }
        }
        #expect(try it.lines("SELECT ZCOUNT || ' ' || Z_OPT FROM ZTEAM") == ["2 1"])
        #expect(try it.lines("SELECT ZFOLDED FROM ZPERSON ORDER BY Z_PK") == ["A", "B"])
    }

    @Test func valuesMoveIntoFilesAndOutOfThem() throws {
        let large = [UInt8](repeating: 2, count: 200_000)
        func made(_ isExternal: Bool) -> EntityMaker {
            person.attribute("photo", .binary) { $0.allowsExternalBinaryDataStorage = isExternal }
        }
        func fill(_ it: any GraphFixture) throws {
            let ids = try it.insert("Person", count: 3)
            try it.change {
                try $0.get(ids[0])["photo"] = .data(large)
                try $0.get(ids[1])["photo"] = .data([1, 0, 2])
            }
        }
        for isExternal in [true, false] {
            let it = try migrated([made(!isExternal)], to: [made(isExternal)], fill)
            let root = try it.entity("Person").root
            let values = try (1...3).map {
                try it.stored(ObjectID(root: root, key: $0))?.value("photo", in: it.model)
            }
            #expect(values == [.data(large), .data([1, 0, 2]), .null])
        }
    }
}
