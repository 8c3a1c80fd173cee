// Faults, prefetching, and what a kept context holds: by counting what the store is asked.

import SteleModel
import StelePersistence
import StelePredicates
import Testing

@testable import SteleGraph

@Suite struct FaultTests {
    private let fixture: Fixture
    private let store: CountingStore
    private let coordinator: PersistentStoreCoordinator

    init() throws {
        fixture = try Fixture(try makeLeague(), .sqlite)
        store = CountingStore(fixture.store)
        // A cache that keeps nothing, so that each reading is seen.
        coordinator = PersistentStoreCoordinator(store: store, rowCacheBytes: 0)
    }

    private func team(of people: Int) throws -> (team: ObjectID, people: [ObjectID]) {
        let context = ManagedObjectContext(coordinator)
        let team = try context.insert(try fixture.entity("Team"))
        team["name"] = .string("Crew")
        let people = try (1...people).map { index in
            let person = try context.insert(try fixture.entity("Person"))
            person["name"] = .string("Person \(index)")
            try person.set("team", team)
            return person
        }
        try context.save()
        return (team.objectID, people.map(\.objectID))
    }

    @Test func aFaultIsReadWhenItIsAskedAndOnce() throws {
        let id = try fixture.insert("Tag")[0]
        let context = coordinator.newContext()
        let tag = try context.object(with: id)
        #expect(tag.isFault && store.openViews == 0)
        var queries = store.queries { #expect(tag["name"] == .string("Tag 1")) }
        #expect(queries == 1 && !tag.isFault && store.openViews == 0)
        queries = store.queries { #expect(tag["name"] == .string("Tag 1")) }
        #expect(queries == 0)
        try context.refresh(tag, mergeChanges: false)
        #expect(tag.isFault && tag.version == 1)
        tag["name"] = .string("New")
        #expect(tag.changedSlots.count == 1 && !tag.isFault)
    }

    @Test func aThousandFaultsAreOneQuery() throws {
        let (_, people) = try team(of: 1500)
        let context = coordinator.newContext()
        let all = try context.fetch(FetchRequest(entity: try fixture.entity("Person")))
        for person in all { try context.refresh(person, mergeChanges: false) }
        #expect(all.count == people.count && all.allSatisfy(\.isFault))
        let queries = try store.queries { try context.fire(all) }
        #expect(queries == 2)
        #expect(all.allSatisfy { !$0.isFault && $0["name"] != .null })
    }

    @Test func aFaultWithoutARowIsDeletedAndNull() throws {
        let id = try fixture.insert("Tag")[0]
        let context = coordinator.newContext()
        let tag = try context.object(with: id)
        let other = fixture.context()
        try other.delete(try other.get(id))
        try other.save()
        #expect(tag["name"] == .null && tag.isDeleted)
        #expect(!context.hasChanges)
        #expect(try context.existingObject(with: id) == nil)
        #expect(try context.save().permanentKeys.isEmpty)
    }

    @Test func prefetchingIsOneQueryARelationship() throws {
        let (team, people) = try team(of: 40)
        let context = coordinator.newContext(retainsRegisteredObjects: true)
        var request = FetchRequest(entity: try fixture.entity("Person"))
        request.relationshipKeyPathsForPrefetching = ["team.players", "mentor"]
        var found: [ManagedObject] = []
        // The fetch, the teams, their players; nobody has a mentor.
        let queries = try store.queries { found = try context.fetch(request) }
        #expect(queries == 3)
        let none = try store.queries {
            for person in found {
                let its = try #require(try person.get("team"))
                #expect(its.objectID == team && its["name"] == .string("Crew"))
                #expect(try its.keys("players").count == people.count)
            }
        }
        #expect(none == 0)
        #expect(throws: PredicateError.self) { try context.prefetch(["name"], for: found) }
    }

    @Test func aToManyIsOneQueryAndThenKnown() throws {
        let (id, people) = try team(of: 30)
        let context = coordinator.newContext(retainsRegisteredObjects: true)
        let team = try context.get(id)
        var keys: [Int64] = []
        let queries = try store.queries { keys = try team.keys("players") }
        #expect(keys == people.map(\.key) && queries == 1)
        let again = try store.queries { _ = try team.keys("players") }
        #expect(again == 0)
        let players = team.committedValues(forKeys: ["players"])["players"]
        #expect(players == .members(people.map(\.key)))
    }

    @Test func aKeptContextHoldsNoViewBetweenOperations() throws {
        let (id, people) = try team(of: 3)
        let context = coordinator.newContext()
        let team = try context.get(id)
        _ = try team.members(try team.link("players"))
        _ = try context.fetch(FetchRequest(entity: try fixture.entity("Person")))
        team["name"] = .string("Other")
        try context.delete(try context.get(people[0]))
        try context.processPendingChanges()
        #expect(store.openViews == 0)
        try context.save()
        #expect(store.openViews == 0)
        context.setQueryGeneration(from: .current)
        _ = try context.get(people[1])
        #expect(store.openViews == 1)
        context.setQueryGeneration(from: .unpinned)
        #expect(store.openViews == 0)
    }

    @Test func aPinnedContextSeesOneState() throws {
        let id = try fixture.insert("Tag")[0]
        let pinned = coordinator.newContext()
        pinned.setQueryGeneration(from: .current)
        let tags = FetchRequest(entity: try fixture.entity("Tag"))
        #expect(try pinned.count(tags) == 1)
        let free = coordinator.newContext()
        #expect(try free.count(tags) == 1)
        _ = try fixture.insert("Tag")
        #expect(try pinned.count(tags) == 1)
        #expect(try free.count(tags) == 2)
        try pinned.get(id)["name"] = .string("x")
        try pinned.save()
        #expect(try pinned.count(tags) == 2)
    }

    @Test func unchangedObjectsLiveAsLongAsSomebodyHasThem() throws {
        let ids = try fixture.insert("Person", count: 3)
        let context = coordinator.newContext()
        weak var loose: ManagedObject?
        weak var changed: ManagedObject?
        do {
            let first = try context.get(ids[0])
            let second = try context.get(ids[1])
            #expect(try context.get(ids[0]) === first)
            second["age"] = .int(7)
            (loose, changed) = (first, second)
        }
        #expect(loose == nil && changed != nil)
        #expect(context.registeredObjects.count == 1)
        #expect(try context.get(ids[1])["age"] == .int(7))
        try context.save()
        #expect(changed == nil && context.registeredObjects.isEmpty)
        let keeping = coordinator.newContext(retainsRegisteredObjects: true)
        _ = try keeping.get(ids[0])
        #expect(keeping.registeredObjects.count == 1)
        #expect(keeping.registeredObject(for: ids[0]) != nil)
        #expect(keeping.registeredObject(for: ids[2]) == nil)
    }

    @Test func deleteRulesReachObjectsThatNobodyHolds() throws {
        let (id, people) = try team(of: 5)
        let context = coordinator.newContext()
        try context.delete(try context.get(id))
        try context.save()
        for person in people { #expect(try fixture.stored("Person.team", of: person.key) == nil) }
        #expect(context.toManys.states.isEmpty && context.registeredObjects.isEmpty)
    }
}
