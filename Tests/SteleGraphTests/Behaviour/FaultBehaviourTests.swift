// Uniquing, faults and what refreshing does to them, with the statements that each takes.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct FaultBehaviourTests {
    /// A counted store without a row cache, and a crew of three with a captain.
    private struct Ground {
        let fixture: Fixture
        let store: CountingStore
        let coordinator: PersistentStoreCoordinator
        let team: ObjectID
        let people: [ObjectID]
        let tag: ObjectID

        init(_ kind: StoreKind, rowCacheBytes: Int = 0) throws {
            fixture = try Fixture(
                try makeLeague(), kind, rowCacheBytes: rowCacheBytes, isCounting: true)
            team = try fixture.insert("Team")[0]
            people = try fixture.insert("Person", count: 3)
            tag = try fixture.insert("Tag")[0]
            let (team, people) = (team, people)
            try fixture.change { context in
                for id in people { try context.get(id).set("team", try context.get(team)) }
                try context.get(team).set("captain", try context.get(people[1]))
                try context.get(people[0]).set("mentor", try context.get(people[2]))
            }
            store = try #require(fixture.counter)
            coordinator = fixture.coordinator
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectIsOneHoweverItIsReached(_ kind: StoreKind) throws {
        let it = try Ground(kind)
        let context = it.coordinator.newContext()
        let team = try context.object(with: it.team)
        #expect(team.isFault)
        let ann = try context.object(with: it.people[1])
        #expect(try context.existingObject(with: it.team) === team && !team.isFault)
        #expect(try context.existingObject(with: it.people[1]) === ann)
        #expect(try context.fetch(try it.fixture.request("Person"))[1] === ann)
        #expect(try team.get("captain") === ann)
        #expect(try team.members(try team.link("players"))[1] === ann)
        #expect(try ann.get("captainOf") === team)
        #expect(context.registeredObject(for: it.people[1]) === ann)
        // Another context has its own.
        #expect(try it.coordinator.newContext().get(it.people[1]) !== ann)
    }

    @Test(arguments: StoreKind.allCases)
    func aToOneComesWithItsRowAndIsReadWhenItIsFollowed(_ kind: StoreKind) throws {
        let it = try Ground(kind)
        let context = it.coordinator.newContext()
        let team = try context.object(with: it.team)
        it.store.expect(queries: 1) { _ = team["name"] }
        let captain = try team.link("captain")
        it.store.expect(queries: 0) { #expect(team.value(captain.slot) == .key(it.people[1].key)) }
        var ann: ManagedObject?
        try it.store.expect(queries: 1) { ann = try team.get("captain") }
        try it.store.expect(queries: 0) { () throws in
            #expect(try team.get("captain") === ann)
        }
        it.store.expect(queries: 0) { #expect(ann?["name"] == .string("Person 2")) }
    }

    @Test(arguments: StoreKind.allCases)
    func aFaultIsNoChangeAndIsReadBeforeItIsChanged(_ kind: StoreKind) throws {
        let it = try Ground(kind)
        let context = it.coordinator.newContext()
        let team = try context.object(with: it.team)
        #expect(!team.hasChanges && !context.hasChanges && team.isFault)
        it.store.expect(queries: 1) { team["name"] = .string("New") }
        #expect(!team.isFault && team.isUpdated)
        #expect(try team.get("captain")?.objectID == it.people[1])
        let tag = try context.object(with: it.tag)
        try it.store.expect(queries: 1) { try context.delete(tag) }
        #expect(!tag.isFault && tag.isDeleted)
        try context.save()
        #expect(try it.fixture.count("Tag") == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectThatIsNotThereIsNilOrADeletedFault(_ kind: StoreKind) throws {
        let it = try Ground(kind)
        let context = it.coordinator.newContext()
        let none = ObjectID(root: it.people[0].root, key: 99)
        #expect(try context.existingObject(with: none) == nil)
        let fault = try context.object(with: ObjectID(root: it.team.root, key: 99))
        #expect(fault.isFault && !fault.isDeleted)
        let team = try context.object(with: it.team)
        try context.fire([fault, team])
        #expect(fault.isDeleted && fault["name"] == .null && !fault.isFault)
        #expect(!team.isDeleted && team["name"] == .string("Team 1"))
        #expect(!context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func valuesStayUntilTheyAreRefreshed(_ kind: StoreKind) throws {
        let it = try Ground(kind)
        let context = it.coordinator.newContext(retainsRegisteredObjects: true)
        let ann = try context.get(it.people[0])
        try it.fixture.change { try $0.get(it.people[0])["name"] = .string("Theirs") }
        #expect(ann["name"] == .string("Person 1"))
        #expect(try context.get(it.people[0])["name"] == .string("Person 1"))
        try context.refresh(ann, mergeChanges: false)
        #expect(ann["name"] == .string("Theirs"))
    }

    @Test(arguments: StoreKind.allCases)
    func refreshAllMakesFaultsOfWhatHasNoChanges(_ kind: StoreKind) throws {
        let it = try Ground(kind)
        let context = it.coordinator.newContext(retainsRegisteredObjects: true)
        let people = try it.people.map { try context.get($0) }
        people[0]["age"] = .int(1)
        let new = try context.insert(try it.fixture.entity("Person"))
        try context.delete(people[1])
        try context.refreshAllObjects()
        #expect(people.map(\.isFault) == [false, false, true])
        #expect(people[0]["age"] == .int(1) && people[1].isDeleted && new.isInserted)
        try context.save()
        #expect(try it.fixture.stored("Person", "age", of: it.people[0]) == .int(1))
        #expect(try it.fixture.count("Person") == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func transientValuesGoWithTheFault(_ kind: StoreKind) throws {
        let fixture = try Fixture(
            try makeModel([
                EntityMaker("Note").attribute("text", .string)
                    .attribute("mood", .string) { $0.isTransient = true }
            ]), kind)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let note = try context.insert(try fixture.entity("Note"))
        note["mood"] = .string("calm")
        try context.save()
        #expect(note["mood"] == .string("calm"))
        note["mood"] = .string("wild")
        #expect(!note.hasPersistentChangedValues && note.hasChanges && !context.hasChanges)
        try context.refresh(note, mergeChanges: true)
        #expect(note["mood"] == .string("wild"))
        try context.refresh(note, mergeChanges: false)
        #expect(note["mood"] == .null)
    }

    @Test(arguments: StoreKind.allCases)
    func faultsAreReadInThePinnedState(_ kind: StoreKind) throws {
        let it = try Ground(kind)
        let context = it.coordinator.newContext()
        context.setQueryGeneration(from: .current)
        let people = try it.people.map { try context.object(with: $0) }
        // Pinned by what is read first.
        #expect(people[0]["name"] == .string("Person 1"))
        try it.fixture.change { other in
            try other.delete(try other.get(it.people[1]))
            try other.get(it.people[2])["name"] = .string("Theirs")
        }
        #expect(people[1]["name"] == .string("Person 2") && !people[1].isDeleted)
        #expect(people[2]["name"] == .string("Person 3"))
        #expect(try context.count(try it.fixture.request("Person")) == 3)
        context.reset()
        #expect(try context.count(try it.fixture.request("Person")) == 2)
        #expect(try context.get(it.people[2])["name"] == .string("Theirs"))
    }

    @Test(arguments: StoreKind.allCases)
    func mergingMovesAPinnedContextOn(_ kind: StoreKind) throws {
        let it = try Ground(kind)
        let context = it.coordinator.newContext(retainsRegisteredObjects: true)
        context.setQueryGeneration(from: .current)
        let child = ManagedObjectContext(parent: context)
        #expect(child.queryGeneration == .current)
        let ann = try context.get(it.people[0])
        try it.fixture.change { try $0.get(it.people[0])["name"] = .string("Theirs") }
        #expect(try context.fetch(try it.fixture.request("Person", "name == 'Theirs'")).isEmpty)
        try context.mergeChanges(fromContextDidSave: try it.fixture.lastSave())
        #expect(ann["name"] == .string("Theirs"))
        #expect(try context.fetch(try it.fixture.request("Person", "name == 'Theirs'")).count == 1)
        #expect(try child.count(try it.fixture.request("Person", "name == 'Theirs'")) == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func theRowCacheAnswersASecondContext(_ kind: StoreKind) throws {
        let it = try Ground(kind, rowCacheBytes: 1 << 20)
        _ = try it.coordinator.newContext().get(it.people[0])
        let context = it.coordinator.newContext()
        let ann = try context.object(with: it.team)
        _ = ann["name"]
        let again = it.coordinator.newContext()
        let queries = try it.store.queries { () throws in
            #expect(try again.get(it.team)["name"] == .string("Team 1"))
        }
        #expect(queries == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func prefetchingFollowsEachPathByAQueryAStep(_ kind: StoreKind) throws {
        let it = try Ground(kind)
        let context = it.coordinator.newContext(retainsRegisteredObjects: true)
        var request = try it.fixture.request("Team")
        request.relationshipKeyPathsForPrefetching = ["players.mentor"]
        var teams: [ManagedObject] = []
        // Teams, their players, the one mentor: who is a player, too, and read already.
        try it.store.expect(queries: 2) { teams = try context.fetch(request) }
        let none = try it.store.queries {
            let players = try teams[0].members(try teams[0].link("players"))
            #expect(try players[0].get("mentor") === players[2])
            #expect(try players[1].get("mentor") == nil)
        }
        #expect(none == 0)
        request.relationshipKeyPathsForPrefetching = ["captain.name"]
        #expect(throws: PredicateError.self) { try context.fetch(request) }
    }

    @Test(arguments: StoreKind.allCases)
    func takenBackChangesAreReadAnew(_ kind: StoreKind) throws {
        let it = try Ground(kind)
        let context = it.coordinator.newContext(retainsRegisteredObjects: true)
        let team = try context.get(it.team)
        let ann = try context.get(it.people[0])
        try team.remove("players", ann)
        try team.set("captain", nil)
        try context.refresh(ann, mergeChanges: false)
        try context.refresh(team, mergeChanges: false)
        #expect(!context.hasChanges)
        #expect(try team.keys("players") == it.people.map(\.key))
        #expect(try team.get("captain")?.objectID == it.people[1] && ann.get("team") === team)
    }
}
