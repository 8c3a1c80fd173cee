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
        return (it, objects.map(\.id))
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
