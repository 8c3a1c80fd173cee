// Unique values that objects of an entity and of its subentities share, on every store.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct FamilyUniquenessTests {
    /// Animals of unique codes, and dogs, which are such.
    private func animals(_ kind: StoreKind) throws -> Fixture {
        try Fixture(
            try makeModel([
                EntityMaker("Animal").attribute("code", .string)
                    .attribute("name", .string)
                    .attribute("age", .integer16) { $0.defaultValue = .int(1) }
                    .unique("code")
                    .toOne("owner", "Owner", inverse: "animals"),
                EntityMaker("Dog", parent: "Animal").attribute("breed", .string),
                EntityMaker("Owner").attribute("name", .string)
                    .toMany("animals", "Animal", inverse: "owner"),
            ]), kind)
    }

    private func new(
        _ name: String, _ values: [String: Value], _ fixture: Fixture,
        _ context: ManagedObjectContext
    ) throws -> ManagedObject {
        let object = try context.insert(try fixture.entity(name))
        for (key, value) in values { object[key] = value }
        return object
    }

    private func codes(_ fixture: Fixture) throws -> [String] {
        try fixture.context().fetch(FetchRequest(entity: try fixture.entity("Animal")))
            .map { "\($0.entity.name) \($0["code"].text)" }.sorted()
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            (.objectTrump, "new", 7, "pug"), (.overwrite, "new", 1, nil),
            (.storeTrump, "old", 7, "pug"), (.rollback, "old", 7, "pug"),
        ] as [(MergePolicy, String, Int64, String?)])
    func aNewObjectMeetsOneOfASubentity(
        _ kind: StoreKind,
        _ expected: (policy: MergePolicy, name: String, age: Int64, breed: String?)
    ) throws {
        let fixture = try animals(kind)
        let first = fixture.context()
        let old = try new(
            "Dog",
            [
                "code": .string("k"), "name": .string("old"), "age": .int(7),
                "breed": .string("pug"),
            ], fixture, first)
        let owner = try first.insert(try fixture.entity("Owner"))
        try first.save()
        let context = fixture.context()
        context.mergePolicy = expected.policy
        let newcomers = try (0..<2).map { _ in
            let one = try new(
                "Animal", ["code": .string("k"), "name": .string("new")], fixture, context)
            try one.set("owner", try context.get(owner.objectID))
            return one.objectID
        }
        let result = try context.save()
        #expect(newcomers.allSatisfy { result.replacedKeys[$0] == old.objectID.key })
        #expect(try codes(fixture) == ["Dog k"])
        let there = try fixture.context().get(old.objectID)
        #expect(there["name"] == .string(expected.name) && there["age"] == .int(expected.age))
        #expect(there["breed"] == expected.breed.map(Value.string) ?? .null)
        #expect(
            try fixture.storedMembers("Owner.animals", of: owner.objectID.key)
                == (expected.policy.keepsStored ? [] : [old.objectID.key]))
    }

    @Test(
        arguments: StoreKind.allCases,
        [MergePolicy.objectTrump, .overwrite, .storeTrump, .rollback])
    func ofNewOnesTheFirstStaysWhereItIsOfTheOthersEntity(
        _ kind: StoreKind, _ policy: MergePolicy
    ) throws {
        let fixture = try animals(kind)
        let context = fixture.context()
        context.mergePolicy = policy
        let dog = try new(
            "Dog", ["code": .string("k"), "name": .string("first")], fixture, context)
        _ = try new(
            "Animal", ["code": .string("k"), "name": .string("second")], fixture, context)
        try context.save()
        #expect(try codes(fixture) == ["Dog k"])
        let there = try fixture.context().get(dog.objectID)
        #expect(there["name"] == .string(policy.keepsStored ? "first" : "second"))
    }

    /// An animal does not become a dog, be it stored or new.
    @Test(
        arguments: StoreKind.allCases,
        [MergePolicy.objectTrump, .overwrite, .storeTrump, .rollback])
    func nobodyBecomesOneOfASubentity(_ kind: StoreKind, _ policy: MergePolicy) throws {
        for isStored in [false, true] {
            let fixture = try animals(kind)
            let context = fixture.context()
            context.mergePolicy = policy
            let other = fixture.context()
            let animal = try new(
                "Animal", ["code": .string("k")], fixture, isStored ? other : context)
            try other.save()
            let dog = try new("Dog", ["code": .string("k")], fixture, context)
            // What could be settled is left, too: the save is refused as a whole.
            let third = try new("Animal", ["code": .string("k")], fixture, context)
            #expect {
                try context.save()
            } throws: { error in
                guard case StoreError.constraint(let it) = error, let holder = it.holder else {
                    return false
                }
                return it.entity == dog.entity.index && it.key == dog.objectID.key
                    && it.constraint == ["code"] && it.values == [.string("k")]
                    && holder.entity == animal.entity.index && holder.key == animal.objectID.key
                    && holder.isNew == !isStored
            }
            #expect(!dog.isDeleted && !third.isDeleted)
            #expect(try codes(fixture) == (isStored ? ["Animal k"] : []))
            dog["code"] = .string("d")
            try context.save()
            #expect(try codes(fixture) == ["Animal k", "Dog d"])
        }
    }

    /// Of two siblings neither is of the other's entity; what is stored is met before what is new.
    @Test(arguments: StoreKind.allCases)
    func aStoredObjectIsMetBeforeANewOne(_ kind: StoreKind) throws {
        let fixture = try animals(kind)
        let first = fixture.context()
        let old = try new("Dog", ["code": .string("k")], fixture, first)
        try first.save()
        let context = fixture.context()
        context.mergePolicy = .objectTrump
        _ = try new("Animal", ["code": .string("k"), "name": .string("a")], fixture, context)
        _ = try new("Dog", ["code": .string("k"), "breed": .string("pug")], fixture, context)
        try context.save()
        #expect(try codes(fixture) == ["Dog k"])
        let there = try fixture.context().get(old.objectID)
        #expect(there["name"] == .string("a") && there["breed"] == .string("pug"))
    }

    /// What a subentity says of what it inherits holds for its parent's objects, as the unique index
    /// of their table does.
    @Test(arguments: StoreKind.allCases)
    func aSubentitysConstraintHoldsForItsParentsObjects(_ kind: StoreKind) throws {
        let fixture = try Fixture(
            try makeModel([
                EntityMaker("Animal").attribute("code", .string)
                    .attribute("name", .string),
                EntityMaker("Dog", parent: "Animal").attribute("tag", .string)
                    .unique("code")
                    .unique("tag"),
            ]), kind)
        let first = fixture.context()
        let old = try new("Animal", ["code": .string("k")], fixture, first)
        try first.save()
        for name in ["Animal", "Dog"] {
            let context = fixture.context()
            _ = try new(name, ["code": .string("k")], fixture, context)
            #expect {
                try context.save()
            } throws: { error in
                guard case StoreError.constraint(let it) = error else { return false }
                return it.constraint == ["code"] && it.holder?.key == old.objectID.key
            }
        }
        let context = fixture.context()
        context.mergePolicy = .objectTrump
        _ = try new("Animal", ["code": .string("k"), "name": .string("new")], fixture, context)
        try context.save()
        #expect(try codes(fixture) == ["Animal k"])
        #expect(try fixture.context().get(old.objectID)["name"] == .string("new"))
        // What only the subentity has is no other's matter.
        _ = try new("Dog", ["tag": .string("t")], fixture, context)
        _ = try new("Animal", ["name": .string("t")], fixture, context)
        try context.save()
    }
}

extension Value {
    fileprivate var text: String { if case .string(let text) = self { text } else { "-" } }
}
