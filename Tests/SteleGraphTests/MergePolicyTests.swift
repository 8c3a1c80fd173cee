// Merge policies: saves that meet what others have saved, on every store.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct MergePolicyTests {
    static func model() throws -> Model {
        try makeModel([
            EntityMaker("Team").attribute("name", .string)
                .toMany("players", "Person", inverse: "team"),
            EntityMaker("Person").attribute("name", .string)
                .attribute("age", .integer16)
                .attribute("code", .string)
                .unique("code")
                .toOne("team", "Team", inverse: "players")
                .toMany("tags", "Tag", inverse: "people")
                .toOne("favourite", "Tag"),
            EntityMaker("Tag").attribute("name", .string)
                .toMany("people", "Person", inverse: "tags"),
        ])
    }

    /// A person whom another context gives the name "theirs" and the second team, while this one
    /// gives it the name "mine", the age 9 and the third team; then this one saves.
    static func race(
        _ kind: StoreKind, _ policy: MergePolicy
    ) throws -> (Fixture, Result<Void, any Error>) {
        let fixture = try Fixture(model(), kind)
        let teams = try fixture.insert("Team", count: 3)
        let first = fixture.context()
        let new = try first.insert(try fixture.entity("Person"))
        new["name"] = .string("base")
        new["age"] = .int(1)
        try new.set("team", try first.get(teams[0]))
        try first.save()
        let id = new.objectID
        let mine = fixture.context()
        mine.mergePolicy = policy
        let person = try mine.get(id)
        person["name"] = .string("mine")
        person["age"] = .int(9)
        try person.set("team", try mine.get(teams[2]))
        let other = fixture.context()
        let theirs = try other.get(id)
        theirs["name"] = .string("theirs")
        theirs["code"] = .string("c")
        try theirs.set("team", try other.get(teams[1]))
        try other.save()
        return (fixture, Result { try mine.save() }.map { _ in })
    }

    @Test(arguments: StoreKind.allCases)
    func errorTellsWhoWantedWhat(_ kind: StoreKind) throws {
        let (fixture, result) = try Self.race(kind, .error)
        let slot = try #require(try fixture.entity("Person").attribute(named: "name")?.slot)
        do {
            try result.get()
            Issue.record("no conflict")
        } catch StoreError.conflicts(let conflicts) {
            let conflict = try #require(conflicts.first)
            #expect(conflicts.count == 1 && conflict.key == 1)
            #expect(conflict.cached.values[slot] == .string("base"))
            #expect(conflict.persisted?.values[slot] == .string("theirs"))
            #expect(conflict.values[slot] == .string("mine"))
            #expect(conflict.persisted?.version == 2 && conflict.cached.version == 1)
        }
    }

    /// Keys that the refused save has given out would name nobody.
    @Test(arguments: StoreKind.allCases)
    func aConflictTellsNewDestinationsAsTheContextKnowsThem(_ kind: StoreKind) throws {
        let fixture = try Fixture(Self.model(), kind)
        let id = try fixture.insert("Person")[0]
        let mine = fixture.context()
        let team = try mine.insert(try fixture.entity("Team"))
        let person = try mine.get(id)
        try person.set("team", team)
        let other = fixture.context()
        try other.get(id)["name"] = .string("theirs")
        try other.save()
        let slot = try person.link("team").slot
        #expect { try mine.save() } throws: { error in
            guard case StoreError.conflicts(let all) = error else { return false }
            return all.first?.values[slot] == .key(team.objectID.key) && team.objectID.isTemporaryID
        }
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            (MergePolicy.storeTrump, "theirs", 9, "c", 2, 3),
            (.objectTrump, "mine", 9, "c", 3, 3),
            (.overwrite, "mine", 9, nil, 3, 3),
            (.rollback, "theirs", 1, "c", 2, 2),
        ] as [(MergePolicy, String, Int64, String?, Int64, Int64)])
    func eachPolicyHasItsWinner(
        _ kind: StoreKind,
        _ expected: (
            policy: MergePolicy, name: String, age: Int64, code: String?, team: Int64,
            version: Int64
        )
    ) throws {
        let (fixture, result) = try Self.race(kind, expected.policy)
        try result.get()
        let context = fixture.context()
        let person = try context.get(
            ObjectID(root: try fixture.entity("Person").root, key: 1))
        #expect(person["name"] == .string(expected.name))
        #expect(person["age"] == .int(expected.age))
        #expect(person["code"] == expected.code.map(Value.string) ?? .null)
        #expect(person.version == expected.version)
        #expect(try fixture.stored("Person.team", of: 1) == expected.team)
        for team in Int64(1)...3 {
            #expect(
                try fixture.storedMembers("Team.players", of: team)
                    == (team == expected.team ? [1] : []))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aConflictOfOneLeavesTheOthersAlone(_ kind: StoreKind) throws {
        let fixture = try Fixture(Self.model(), kind)
        let people = try fixture.insert("Person", count: 2)
        let mine = fixture.context()
        mine.mergePolicy = .rollback
        for id in people { try mine.get(id)["age"] = .int(5) }
        let other = fixture.context()
        try other.get(people[0])["age"] = .int(7)
        try other.save()
        try mine.save()
        let context = fixture.context()
        #expect(try context.get(people[0])["age"] == .int(7))
        #expect(try context.get(people[1])["age"] == .int(5))
        #expect(!mine.hasChanges)
        #expect(try mine.get(people[0])["age"] == .int(7))
    }

    @Test(
        arguments: StoreKind.allCases,
        [MergePolicy.objectTrump, .overwrite, .storeTrump, .rollback])
    func aDeletionWinsOrIsTakenBack(_ kind: StoreKind, _ policy: MergePolicy) throws {
        let fixture = try Fixture(Self.model(), kind)
        let id = try fixture.insert("Person")[0]
        let mine = fixture.context()
        mine.mergePolicy = policy
        try mine.delete(try mine.get(id))
        let other = fixture.context()
        try other.get(id)["age"] = .int(7)
        try other.save()
        try mine.save()
        #expect(try fixture.version("Person", id.key) == (policy.keepsStored ? 2 : nil))
        // And by error it is a conflict.
        let next = try fixture.insert("Person")[0]
        let late = fixture.context()
        try late.delete(try late.get(next))
        let end = fixture.context()
        try end.get(next)["age"] = .int(8)
        try end.save()
        #expect(throws: StoreError.self) { try late.save() }
        #expect(try fixture.version("Person", next.key) == 2)
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            (MergePolicy.objectTrump, "new", 1), (.overwrite, "new", nil), (.storeTrump, "old", 1),
            (.rollback, "old", 1),
        ] as [(MergePolicy, String, Int64?)])
    func uniqueValuesMeet(
        _ kind: StoreKind, _ expected: (policy: MergePolicy, name: String, age: Int64?)
    ) throws {
        let fixture = try Fixture(Self.model(), kind)
        let tags = try fixture.insert("Tag", count: 2)
        let mine = fixture.context()
        mine.mergePolicy = expected.policy
        _ = try mine.get(tags[0])
        // After the view of `mine`.
        let other = fixture.context()
        let old = try other.insert(try fixture.entity("Person"))
        old["code"] = .string("x")
        old["name"] = .string("old")
        old["age"] = .int(1)
        try other.save()
        for _ in 0..<2 {
            let new = try mine.insert(try fixture.entity("Person"))
            new["code"] = .string("x")
            new["name"] = .string("new")
            try new.add("tags", try mine.get(tags[0]))
        }
        let free = try mine.insert(try fixture.entity("Person"))
        free["code"] = .string("y")
        try mine.save()
        let context = fixture.context()
        let all = try context.fetch(FetchRequest(entity: try fixture.entity("Person")))
        #expect(all.count == 2)
        let there = try context.get(old.objectID)
        #expect(there["name"] == .string(expected.name))
        #expect(there["age"] == expected.age.map(Value.int) ?? .null)
        #expect(
            try fixture.storedMembers("Tag.people", of: tags[0].key)
                == (expected.policy.keepsStored ? [] : [old.objectID.key]))
        // Two alike that nobody has yet.
        let pair = fixture.context()
        pair.mergePolicy = expected.policy
        for age in [Int64(3), 4] {
            let new = try pair.insert(try fixture.entity("Person"))
            new["code"] = .string("z")
            new["age"] = .int(age)
        }
        try pair.save()
        let last = try fixture.context().fetch(FetchRequest(entity: try fixture.entity("Person")))
            .filter { $0["code"] == .string("z") }
        #expect(last.count == 1)
        #expect(last.first?["age"] == .int(expected.policy.keepsStored ? 3 : 4))
    }

    /// A store tells one conflict a save: many new objects must not be as many saves.
    @Test(arguments: StoreKind.allCases, [MergePolicy.objectTrump, .storeTrump])
    func manyUniqueValuesMeetAtOnce(_ kind: StoreKind, _ policy: MergePolicy) throws {
        let fixture = try Fixture(Self.model(), kind, isCounting: true)
        let counter = try #require(fixture.counter)
        let person = try fixture.entity("Person")
        func add(_ code: Int, _ age: Int64, _ context: ManagedObjectContext) throws -> ManagedObject
        {
            let new = try context.insert(person)
            new["code"] = .string("c\(code)")
            new["age"] = .int(age)
            return new
        }
        let first = fixture.context()
        let stored = try (0..<800).map { try add($0, 1, first) }
        try first.save()
        let mine = fixture.context()
        mine.mergePolicy = policy
        // One gives its code up for a new one; all others are met, three new ones also by each other.
        let giver = try mine.get(stored[7].objectID)
        giver["code"] = .string("other")
        let new = try (0..<800).map { try add($0, 2, mine) }
        let alike = try (1...3).map { try add(900, Int64($0), mine) }
        let old = (new + alike).map(\.objectID)
        let before = counter.reads.withLock { $0.saves }
        let result = try mine.save()
        #expect(counter.reads.withLock { $0.saves } - before <= 3)
        for (index, id) in old[..<800].enumerated() where index != 7 {
            #expect(result.replacedKeys[id] == stored[index].objectID.key)
        }
        #expect(result.replacedKeys[old[7]] == nil && result.permanentKeys[old[7]] != nil)
        #expect(result.replacedKeys[old[801]] == result.permanentKeys[old[800]])
        #expect(result.replacedKeys[old[802]] == result.permanentKeys[old[800]])
        let all = try fixture.context().fetch(FetchRequest(entity: person))
        #expect(all.count == 802)
        let met = all.filter { $0.objectID.key <= 800 && $0["code"] != .string("other") }
        #expect(met.allSatisfy { $0["age"] == .int(policy.keepsStored ? 1 : 2) })
        let last = all.filter { $0["code"] == .string("c900") }
        // Of those that are all new the last one's values stand, or the first one's.
        #expect(last.map { $0["age"] } == [.int(policy.keepsStored ? 1 : 3)])
    }
}
