// Parents and children: one level at a time, with both sides of every link.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct NestingTests {
    @Test(arguments: StoreKind.allCases)
    func aChildSeesWhatItsParentHasNotSaved(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let saved = try fixture.insert("Person", count: 2)
        let parent = fixture.coordinator.newContext()
        let crew = try parent.insert(try fixture.entity("Team"))
        let ann = try parent.get(saved[0])
        ann["name"] = .string("Ann")
        try ann.set("team", crew)
        try parent.delete(try parent.get(saved[1]))

        let child = ManagedObjectContext(parent: parent)
        let theirs = try child.get(crew.objectID)
        #expect(theirs !== crew && theirs.objectID.isTemporaryID && !theirs.isInserted)
        #expect(try theirs.keys("players") == [saved[0].key])
        let people = try child.fetch(FetchRequest(entity: try fixture.entity("Person")))
        #expect(people.map(\.objectID) == [saved[0]] && people[0]["name"] == .string("Ann"))
        #expect(try child.existingObject(with: saved[1]) == nil)
        #expect(try child.count(FetchRequest(entity: try fixture.entity("Team"))) == 1)
        #expect(!child.hasChanges)
        withExtendedLifetime(people) {}
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveMovesChangesOneLevel(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try fixture.insert("Person", count: 3)
        let tag = try fixture.insert("Tag")[0]
        let list = try fixture.insert("Playlist")[0]
        let parent = fixture.coordinator.newContext()
        let child = ManagedObjectContext(parent: parent)
        let grandchild = ManagedObjectContext(parent: child)

        let crew = try grandchild.insert(try fixture.entity("Team"))
        crew["name"] = .string("Crew")
        let people = try ids.map { try grandchild.get($0) }
        try people[0].set("team", crew)
        try crew.set("captain", people[0])
        try people[1].add("tags", try grandchild.get(tag))
        try grandchild.delete(people[2])
        let songs = try (0..<3).map { _ in try grandchild.insert(try fixture.entity("Song")) }
        try grandchild.get(list).replace("songs", [songs[2], songs[0], songs[1]])
        try grandchild.save()
        #expect(!grandchild.hasChanges && child.hasChanges && !parent.hasChanges)
        #expect(crew.objectID.isTemporaryID && !crew.isInserted)
        try child.save()
        #expect(!child.hasChanges && parent.hasChanges)
        #expect(try fixture.context().count(FetchRequest(entity: crew.entity)) == 0)
        let theirs = try parent.get(crew.objectID)
        #expect(theirs.isInserted && theirs["name"] == .string("Crew"))
        #expect(try theirs.keys("players") == [ids[0].key])
        #expect(try parent.get(tag).keys("people") == [ids[1].key])
        try parent.save()
        // Permanent in the whole family.
        #expect(
            !crew.objectID.isTemporaryID && crew.objectID == theirs.objectID && crew.version == 1)
        #expect(try people[0].get("team") === crew)
        #expect(try fixture.stored("Person.team", of: ids[0].key) == crew.objectID.key)
        #expect(try fixture.stored("Team.captain", of: crew.objectID.key) == ids[0].key)
        #expect(try fixture.version("Person", ids[2].key) == nil)
        let order = [songs[2], songs[0], songs[1]].map(\.objectID.key)
        #expect(try fixture.storedMembers("Playlist.songs", of: list.key) == order)
        #expect(try grandchild.get(list).keys("songs") == order)
        // And goes on from there.
        crew["name"] = .string("Crew 2")
        try people[0].set("team", nil)
        try grandchild.save()
        try child.save()
        try parent.save()
        #expect(try fixture.version("Team", crew.objectID.key) == 2)
        #expect(try fixture.storedMembers("Team.players", of: crew.objectID.key) == [])
    }

    @Test(arguments: StoreKind.allCases)
    func linksAreMadeOnWhatTheParentHasByThen(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let teams = try fixture.insert("Team", count: 3)
        let id = try fixture.insert("Person")[0]
        let parent = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let child = ManagedObjectContext(parent: parent)
        let (ours, theirs) = (try child.get(id), try parent.get(id))
        try ours.set("team", try child.get(teams[0]))
        try theirs.set("team", try parent.get(teams[1]))
        try child.save()
        #expect(try theirs.get("team")?.objectID == teams[0])
        #expect(try parent.get(teams[0]).keys("players") == [id.key])
        #expect(try parent.get(teams[1]).keys("players") == [])
        try parent.save()
        #expect(try fixture.storedMembers("Team.players", of: teams[0].key) == [id.key])
    }

    @Test(arguments: StoreKind.allCases)
    func whatTheParentHasDeletedIsAConflict(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try fixture.insert("Person", count: 2)
        let parent = fixture.coordinator.newContext()
        let child = ManagedObjectContext(parent: parent)
        let (a, b) = (try child.get(ids[0]), try child.get(ids[1]))
        a["name"] = .string("a")
        b["name"] = .string("b")
        let made = try child.insert(try fixture.entity("Person"))
        try parent.delete(try parent.get(ids[1]))
        #expect { try child.save() } throws: { error in
            guard case StoreError.conflicts(let all) = error else { return false }
            return all.map(\.key) == [ids[1].key]
        }
        #expect(try parent.get(ids[0])["name"] == .string("Person 1"))
        #expect(parent.changes.inserted.isEmpty && child.hasChanges && made.isInserted)
    }

    @Test(arguments: StoreKind.allCases)
    func aChildsSaveIsOneUndoOfItsParent(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let id = try fixture.insert("Person")[0]
        let parent = fixture.coordinator.newContext()
        parent.undoManager = UndoManager()
        let child = ManagedObjectContext(parent: parent)
        child.undoManager = UndoManager()
        let crew = try child.insert(try fixture.entity("Team"))
        try child.get(id).set("team", crew)
        try child.save()
        let theirs = try parent.get(crew.objectID)
        try parent.undo()
        #expect(theirs.isDeleted && !parent.hasChanges)
        #expect(try parent.get(id).get("team") == nil)
        try parent.redo()
        #expect(try parent.get(id).get("team") === theirs)
        try child.undo()
        #expect(crew.isDeleted)
        try child.save()
        try parent.save()
        #expect(try fixture.context().count(FetchRequest(entity: crew.entity)) == 0)
        #expect(try fixture.stored("Person.team", of: id.key) == nil)
        try child.redo()
        try child.save()
        try parent.save()
        #expect(try fixture.stored("Person.team", of: id.key) == crew.objectID.key)
    }

    @Test(arguments: StoreKind.allCases)
    func identitiesCanBeHadBeforeTheSave(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let context = fixture.coordinator.newContext()
        let child = ManagedObjectContext(parent: context)
        let (crew, ann) = (
            try child.insert(try fixture.entity("Team")),
            try child.insert(try fixture.entity("Employee"))
        )
        try ann.set("team", crew)
        try ann.add("friends", ann)
        try child.obtainPermanentIDs(for: [crew, ann])
        #expect(!crew.objectID.isTemporaryID && !ann.objectID.isTemporaryID && crew.isInserted)
        let (team, person) = (crew.objectID, ann.objectID)
        // What others insert meanwhile gets other keys, after a new start, too.
        #expect(try fixture.insert("Person", count: 3).allSatisfy { $0 != person })
        try child.save()
        try context.save()
        #expect(crew.objectID == team && ann.objectID == person && ann.version == 1)
        #expect(try fixture.stored("Person.team", of: person.key) == team.key)
        #expect(try fixture.storedMembers("Person.friends", of: person.key) == [person.key])
    }

    @Test func savingIsLinear() throws {
        func time(_ count: Int) throws -> Duration {
            let fixture = try Fixture(try makeLeague(), .memory)
            let parent = fixture.coordinator.newContext()
            let child = ManagedObjectContext(parent: parent)
            let crew = try child.insert(try fixture.entity("Team"))
            for _ in 0..<count {
                try child.insert(try fixture.entity("Person")).set("team", crew)
            }
            return try processorTime { try child.save() }
        }
        _ = try time(100)
        let (few, many) = (try time(500), try time(5_000))
        #expect(many < few * 40, "\(few) and \(many)")
    }
}
