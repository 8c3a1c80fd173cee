// Values that must be unique, on every store.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct UniquenessBehaviourTests {
    private func users(_ kind: StoreKind) throws -> (Fixture, [ObjectID]) {
        let fixture = try Fixture(
            try makeModel([
                EntityMaker("User").attribute("name", .string)
                    .attribute("mail", .string)
                    .unique("mail")
            ]), kind)
        let ids = try fixture.insert("User", count: 2)
        try fixture.change { context in
            for (id, mail) in zip(ids, ["a", "b"]) { try context.get(id)["mail"] = .string(mail) }
        }
        return (fixture, ids)
    }

    /// Neither of two objects that are both stored can go without a loss that nobody asked for.
    @Test(arguments: StoreKind.allCases, MergePolicy.allCases)
    func aStoredObjectCannotTakeAnothersUniqueValue(
        _ kind: StoreKind, _ policy: MergePolicy
    ) throws {
        let (fixture, ids) = try users(kind)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.mergePolicy = policy
        let user = try context.get(ids[1])
        user["mail"] = .string("a")
        let token = try fixture.token()
        #expect { try context.save() } throws: { error in
            guard case StoreError.constraint(let it) = error else { return false }
            return it.constraint == ["mail"] && it.values == [.string("a")]
                && it.databaseKey == ids[0].key
        }
        #expect(try fixture.token() == token && context.hasChanges)
        user["mail"] = .string("c")
        try context.save()
        #expect(try fixture.stored("User", "mail", of: ids[1]) == .string("c"))
    }

    /// Keys that the refused save has given out would name nobody.
    @Test(arguments: StoreKind.allCases)
    func newObjectsOfOneValueAreNamedAsTheContextKnowsThem(_ kind: StoreKind) throws {
        let (fixture, _) = try users(kind)
        let context = fixture.context()
        let new = try (0..<2).map { _ in
            let user = try context.insert(try fixture.entity("User"))
            user["mail"] = .string("n")
            return user.objectID.key
        }
        #expect { try context.save() } throws: { error in
            guard case StoreError.constraint(let it) = error, let holder = it.holder else {
                return false
            }
            return it.key == new[1] && holder.key == new[0] && holder.isNew
                && it.databaseKey == nil
        }
    }

    @Test(arguments: StoreKind.allCases)
    func uniqueValuesMayChangePlacesAndNullIsLikeNoOther(_ kind: StoreKind) throws {
        let (fixture, ids) = try users(kind)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        try context.get(ids[0])["mail"] = .string("b")
        try context.get(ids[1])["mail"] = .string("a")
        for _ in 0..<2 { try context.insert(try fixture.entity("User"))["mail"] = .null }
        try context.save()
        #expect(try fixture.stored("User", "mail", of: ids[0]) == .string("b"))
        #expect(try fixture.count("User") == 4)
    }

    @Test(arguments: StoreKind.allCases)
    func uniqueTextIsComparedByItsBytes(_ kind: StoreKind) throws {
        let fixture = try Fixture(
            try makeModel([
                EntityMaker("User").attribute("name", .string)
                    .unique("name")
            ]), kind)
        let context = fixture.context()
        for name in ["\u{E9}", "e\u{301}"] {
            try context.insert(try fixture.entity("User"))["name"] = .string(name)
        }
        try context.save()
        #expect(try fixture.count("User") == 2)
        try context.insert(try fixture.entity("User"))["name"] = .string("\u{E9}")
        #expect(throws: StoreError.self) { try context.save() }
    }
}
