// The least and the most members of to-many relationships.

import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct ToManyCountTests {
    private func fixture(
        isOptional: Bool = true, count: ClosedRange<Int> = 0...0
    ) throws -> Fixture {
        Fixture(
            try makeModel([
                EntityMaker("Account").attribute("name", .string).toMany(
                    "parts", "Part", inverse: "account", isOptional: isOptional, count: count),
                EntityMaker("Part").attribute("name", .string)
                    .toOne("account", "Account", inverse: "parts"),
            ]))
    }

    @Test func countsOfToManysAreKept() throws {
        let fixture = try fixture(isOptional: false, count: 2...3)
        let context = fixture.context()
        let account = try context.insert(try fixture.entity("Account"))
        func part() throws -> ManagedObject { try context.insert(try fixture.entity("Part")) }
        try account.add("parts", try part())
        let few = #expect(throws: ValidationErrors.self) { try context.save() }
        #expect(few?.errors.map(\.code) == [1580])
        #expect(few?.errors.first?.message == "parts must have at least 2 members")
        try account.add("parts", try part())
        try context.save()
        // From the other side, unread.
        let second = fixture.context()
        for _ in 0..<2 {
            let part = try second.insert(try fixture.entity("Part"))
            try part.set("account", try second.get(account.objectID))
        }
        let many = #expect(throws: ValidationErrors.self) { try second.save() }
        #expect(many?.errors.map(\.code) == [1590])
        #expect(many?.errors.first?.value == .int(4) && many?.errors.first?.limit == .int(3))
    }

    @Test func aBoundedToManyExpectsTheMembersThatWereCounted() throws {
        let fixture = try fixture(count: 0...3)
        let account = try fixture.insert("Account")[0]
        func request() throws -> SaveRequest {
            let context = fixture.context()
            for _ in 0..<2 {
                let part = try context.insert(try fixture.entity("Part"))
                try part.set("account", try context.get(account))
            }
            return try #require(try context.saveRequest())
        }
        let (first, second) = (try request(), try request())
        _ = try fixture.store.save(first)
        #expect { try fixture.store.save(second) } throws: { error in
            if case StoreError.moved = error { true } else { false }
        }
    }

    /// So it is in the stores of apps: most of these relationships are empty.
    @Test func aToManyWithoutALeastCountMayBeEmpty() throws {
        let fixture = try fixture(isOptional: false)
        let context = fixture.context()
        let account = try context.insert(try fixture.entity("Account"))
        let part = try context.insert(try fixture.entity("Part"))
        try account.add("parts", part)
        try context.save()
        try context.delete(part)
        try context.save()
        let empty = try fixture.insert("Account")[0]
        #expect(try fixture.version("Account", account.objectID.key) == 1)
        #expect(try fixture.version("Account", empty.key) == 1)
        #expect(try fixture.version("Part", part.objectID.key) == nil)
    }

    @Test func anOptionalToManyMayBeEmptyWhateverItsLeastCount() throws {
        let fixture = try fixture(count: 2...3)
        let account = try fixture.insert("Account")[0]
        #expect(try fixture.version("Account", account.key) == 1)
    }
}
