// Uniqueness constraints hold when a save is done, and say what broke them.

import SteleGraph
import SteleModel
import StelePersistence
import SteleSQLite
import TestSupport
import Testing

@Suite struct UniquenessTests {
    private func countries(_ codes: [String]) throws -> (GraphStore, [ObjectID]) {
        let it = try GraphStore(try sampleModel("World"))
        let context = it.context()
        let objects = try codes.map { code in
            let object = try context.insert(try it.entity("Country"))
            object["iso"] = .string(code)
            object["name"] = .string(code)
            return object
        }
        try context.save()
        return (it, objects.map(\.objectID))
    }

    private func codes(_ it: GraphStore, _ ids: [ObjectID]) throws -> [Value?] {
        try ids.map { try it.stored($0)?.value("iso", in: it.model) }
    }

    @Test func valuesCanChangePlacesInOneSave() throws {
        let (it, ids) = try countries(["AA", "BB", "CC"])
        try it.change { context in
            for (index, id) in ids.enumerated() {
                try context.get(id)["iso"] = .string(["BB", "CC", "AA"][index])
            }
        }
        #expect(try codes(it, ids) == [.string("BB"), .string("CC"), .string("AA")])
        let changes = try #require(try it.history().last).changes
        #expect(changes.map(\.version) == [2, 2, 2])
        #expect(
            changes.compactMap(\.snapshot).map { $0.value("iso", in: it.model) }
                == [.string("BB"), .string("CC"), .string("AA")])
    }

    @Test func aDeletedObjectsValueIsFreeInTheSameSave() throws {
        let (it, ids) = try countries(["AA", "BB"])
        try it.change { context in
            try context.delete(try context.get(ids[0]))
            let new = try context.insert(try it.entity("Country"))
            new["iso"] = .string("AA")
            new["name"] = .string("new")
        }
        #expect(try it.stored(ids[0]) == nil)
    }

    @Test func theErrorNamesEntityConstraintValuesAndTheOtherObject() throws {
        let (it, ids) = try countries(["AA", "BB"])
        let entity = try it.entity("Country")
        #expect {
            try it.change { try $0.get(ids[1])["iso"] = .string("AA") }
        } throws: { error in
            guard case StoreError.constraint(let it)? = error as? StoreError else { return false }
            return it.entity == entity.index && it.constraint == ["iso"]
                && it.values == [.string("AA")] && it.databaseKey == ids[0].key
        }
        #expect {
            try it.change { context in
                for _ in 0..<2 {
                    let new = try context.insert(entity)
                    new["iso"] = .string("XX")
                    new["name"] = .string("new")
                }
            }
        } throws: { error in
            guard case StoreError.constraint(let it)? = error as? StoreError else { return false }
            return it.constraint == ["iso"] && it.values == [.string("XX")] && it.databaseKey == nil
        }
        #expect(try codes(it, ids) == [.string("AA"), .string("BB")])
    }

    @Test func aReflexiveRelationshipIsSymmetricAfterEveryOperation() throws {
        let (it, ids) = try countries(["AA", "BB", "CC"])
        func rows() throws -> [String] {
            try RawDatabase(it.folder.store).texts(
                "SELECT Z_3NEIGHBOURS || '-' || REFLEXIVE FROM Z_3NEIGHBOURS ORDER BY 1")
        }
        try it.change { context in
            let objects = try ids.map { try context.get($0) }
            try objects[0].add("neighbours", objects[0])
            try objects[0].add("neighbours", objects[1])
            try objects[2].add("neighbours", objects[1])
        }
        #expect(try rows() == ["1-1", "1-2", "2-1", "2-3", "3-2"])
        try it.change { try $0.get(ids[1]).remove("neighbours", try $0.get(ids[2])) }
        #expect(try rows() == ["1-1", "1-2", "2-1"])
        try it.change { try $0.delete(try $0.get(ids[0])) }
        #expect(try rows() == [])
        let changes = try #require(try it.history().last).changes
        #expect(changes.map(\.key) == [ids[0].key, ids[1].key])
    }

    @Test func aSubentitysConstraintIsNamedWhereItsParentsObjectBreaksIt() throws {
        let it = try GraphStore([
            EntityMaker("Thing").attribute("name", .string),
            EntityMaker("Special", parent: "Thing").unique("name"),
        ])
        let first = try it.insert("Special")[0]
        #expect {
            try it.change {
                try $0.insert(try it.entity("Thing"))["name"] = .string("Special 1")
            }
        } throws: { error in
            guard case StoreError.constraint(let it)? = error as? StoreError else { return false }
            return it.constraint == ["name"] && it.databaseKey == first.key
        }
    }

    private func things() throws -> GraphStore {
        try GraphStore([
            EntityMaker("Base").attribute("name", .string),
            EntityMaker("Special", parent: "Base"),
            EntityMaker("Thing").attribute("name", .string).unique("name").toOne("base", "Base"),
        ])
    }

    /// Rows are inserted 512 at a time; 600 end with statements of fewer.
    @Test(arguments: [0, 511, 512, 599])
    func aDuplicateAmongManyNewObjectsIsNamed(_ place: Int) throws {
        let it = try things()
        let first = try it.insert("Thing")[0]
        func names(_ duplicate: String?) -> [String] {
            (0..<600).map { $0 == place ? duplicate ?? "new" : "name \($0)" }
        }
        func insert(_ names: [String]) throws {
            try it.change { context in
                for name in names {
                    try context.insert(try it.entity("Thing"))["name"] = .string(name)
                }
            }
        }
        #expect {
            try insert(names("Thing 1"))
        } throws: { error in
            guard case StoreError.constraint(let it)? = error as? StoreError else { return false }
            return it.values == [.string("Thing 1")] && it.databaseKey == first.key
        }
        #expect(try it.history().count == 1)
        try insert(names(nil))
        let changes = try #require(try it.history().last).changes
        #expect(changes.map(\.key) == (2...601).map(Int64.init))
        let stored = try RawDatabase(it.folder.store).texts(
            "SELECT ZNAME FROM ZTHING ORDER BY Z_PK")
        #expect(stored == ["Thing 1"] + names(nil))
    }

    @Test func manyNewObjectsHaveTheEntitiesOfTheirDestinations() throws {
        let it = try things()
        let old = try it.insert("Special")[0]
        try it.change { context in
            let new = try context.insert(try it.entity("Base"))
            for number in 0..<40 {
                let thing = try context.insert(try it.entity("Thing"))
                thing["name"] = .string("\(number)")
                if number % 3 > 0 {
                    try thing.set("base", number % 3 == 1 ? new : try context.get(old))
                }
            }
        }
        let rows = try RawDatabase(it.folder.store).texts(
            "SELECT count(*) || ' ' || ifnull(t.Z1_BASE, '-') || ' ' || ifnull(b.Z_ENT, '-') "
                + "FROM ZTHING t LEFT JOIN ZBASE b ON b.Z_PK = t.ZBASE GROUP BY b.Z_ENT")
        #expect(rows == ["14 - -", "13 1 1", "13 2 2"])
    }

    @Test func objectsWithoutAValueDoNotBreakAConstraint() throws {
        let it = try GraphStore(try sampleModel("World"))
        let country = try it.entity("Country")
        let request = { (key: Int64) -> ObjectChange in
            ObjectChange(
                .insert, entity: country.index, key: key,
                values: country.row(["name": .string("no code")]))
        }
        var save = SaveRequest(readToken: 0)
        save.changes = [request(-1), request(-2)]
        #expect(try it.store.save(save).changes.count == 2)
    }
}
