// Back to the store: refresh, rollback, reset; and what has changed by name.

import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct RefreshTests {
    @Test(arguments: StoreKind.allCases)
    func refreshingKeepsOrLosesChanges(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let id = try fixture.insert("Person")[0]
        let context = fixture.coordinator.newContext()
        let person = try context.get(id)
        person["age"] = .int(5)
        let other = fixture.context()
        try other.get(id)["name"] = .string("Theirs")
        try other.save()
        try context.refresh(person, mergeChanges: true)
        #expect(person["name"] == .string("Theirs") && person["age"] == .int(5))
        #expect(person.version == 2)
        try context.save()
        #expect(person.version == 3)
        person["age"] = .int(6)
        try context.refresh(person, mergeChanges: false)
        #expect(person.isFault && !context.hasChanges)
        #expect(person["age"] == .int(5) && person["name"] == .string("Theirs"))
    }

    @Test(arguments: StoreKind.allCases)
    func bothSidesOfALinkFollowTheStore(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let teams = try fixture.insert("Team", count: 3)
        let id = try fixture.insert("Person")[0]
        func move(to team: ObjectID) throws {
            let context = fixture.context()
            try context.get(id).set("team", try context.get(team))
            try context.get(team).set("captain", try context.get(id))
            try context.save()
        }
        try move(to: teams[0])
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let person = try context.get(id)
        let held = try teams.map { try context.get($0) }
        for team in held { _ = try team.keys("players") }
        try move(to: teams[1])
        try context.refresh(person, mergeChanges: true)
        #expect(try held.map { try $0.keys("players") } == [[], [id.key], []])
        #expect(try person.get("captainOf") === held[1])
        #expect(try held[1].get("captain") === person)
        #expect(!context.hasChanges)
        // A link of ours stays on top of theirs.
        try person.set("team", held[2])
        try move(to: teams[0])
        try context.refresh(person, mergeChanges: true)
        #expect(try held.map { try $0.keys("players") } == [[], [], [id.key]])
        try context.save()
        #expect(try fixture.stored("Person.team", of: id.key) == teams[2].key)
        // And is taken back on both sides.
        try person.set("team", held[0])
        try context.refresh(person, mergeChanges: false)
        #expect(try held.map { try $0.keys("players") } == [[], [], [id.key]])
    }

    @Test(arguments: StoreKind.allCases)
    func manyToManyFollowsTheStore(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let tags = try fixture.insert("Tag", count: 3)
        let id = try fixture.insert("Person")[0]
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let person = try context.get(id)
        let held = try tags.map { try context.get($0) }
        for tag in held { _ = try tag.keys("people") }
        try person.add("tags", held[2])
        let other = fixture.context()
        try other.get(id).replace("tags", [try other.get(tags[0]), try other.get(tags[2])])
        try other.save()
        try context.refresh(person, mergeChanges: true)
        #expect(try person.keys("tags") == [tags[0].key, tags[2].key])
        #expect(try held.map { try $0.keys("people") } == [[id.key], [], [id.key]])
        #expect(!context.hasChanges)
        try person.add("tags", held[1])
        try person.remove("tags", held[0])
        try context.refresh(person, mergeChanges: false)
        #expect(try held.map { try $0.keys("people") } == [[id.key], [], [id.key]])
    }

    @Test(arguments: StoreKind.allCases)
    func whatHasDisappearedIsDeletedHere(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let team = try fixture.insert("Team")[0]
        let id = try fixture.insert("Person")[0]
        let setup = fixture.context()
        try setup.get(id).set("team", try setup.get(team))
        try setup.save()
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let (crew, person) = (try context.get(team), try context.get(id))
        let new = try context.insert(try fixture.entity("Person"))
        try new.set("team", crew)
        _ = try crew.keys("players")
        crew["name"] = .string("Mine")
        let other = fixture.context()
        try other.delete(try other.get(team))
        try other.save()
        try context.refreshAllObjects()
        #expect(crew.isDeleted && crew["name"] == .string("Mine"))
        #expect(try person.get("team") == nil && new.get("team") == nil)
        try context.save()
        #expect(try fixture.stored("Person.team", of: new.objectID.key) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func rollbackTakesEverythingBack(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let team = try fixture.insert("Team")[0]
        let ids = try fixture.insert("Person", count: 2)
        let setup = fixture.context()
        try setup.get(ids[0]).set("team", try setup.get(team))
        try setup.save()
        let context = fixture.coordinator.newContext()
        let crew = try context.get(team)
        let people = try ids.map { try context.get($0) }
        let new = try context.insert(try fixture.entity("Person"))
        try new.set("team", crew)
        people[1]["name"] = .string("x")
        try people[1].set("team", crew)
        try context.delete(people[0])
        try context.processPendingChanges()
        #expect(try crew.keys("players") == [ids[1].key, new.objectID.key])
        context.rollback()
        #expect(!context.hasChanges && new.managedObjectContext == nil)
        #expect(people[1]["name"] == .string("Person 2") && !people[0].isDeleted)
        #expect(try crew.keys("players") == [ids[0].key])
        #expect(try people[0].get("team") === crew && people[1].get("team") == nil)
        #expect(try context.save().permanentKeys.isEmpty)
    }

    @Test func resetForgetsAll() throws {
        let fixture = try Fixture.league()
        let id = try fixture.insert("Person")[0]
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let person = try context.get(id)
        person["name"] = .string("x")
        context.reset()
        #expect(context.registeredObjects.isEmpty && !context.hasChanges)
        #expect(person["name"] == .string("x") && person.managedObjectContext == nil)
        #expect(try context.get(id) !== person)
        #expect(throws: ContextError.foreignObject) { try context.delete(person) }
    }

    @Test(arguments: StoreKind.allCases)
    func changesAreToldByName(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let id = try fixture.insert("Person")[0]
        let tag = try fixture.insert("Tag")[0]
        let context = fixture.coordinator.newContext()
        let person = try context.get(id)
        #expect(try person.changedValues().isEmpty)
        let told = person.committedValues()
        #expect(told["name"] == .value(.string("Person 1")) && told["tags"] == nil)
        try person.setValue(.int(9), forKey: "age")
        try person.add("tags", try context.get(tag))
        let changed: [String: PropertyValue] = [
            "age": .value(.int(9)), "tags": .members([tag.key]),
        ]
        #expect(try person.changedValues() == changed)
        #expect(person.committedValues(forKeys: ["age"]) == ["age": .value(.null)])
        #expect(person.hasPersistentChangedValues && person.isUpdated && person.hasChanges)
        try context.save()
        #expect(try person.changedValues().isEmpty && !person.hasChanges)
        #expect(person.committedValues(forKeys: ["age"]) == ["age": .value(.int(9))])
        let missing = ContextError.noSuchProperty(entity: "Person", property: "tagz")
        #expect(throws: missing) { try person.value(forKey: "tagz") }
        let new = try context.insert(try fixture.entity("Person"))
        #expect(new.committedValues().isEmpty && new.hasChanges)
    }

    /// What was read long ago is checked when it is saved: nothing dangles.
    @Test(arguments: StoreKind.allCases)
    func aDestinationDeletedMeanwhileIsNoticed(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let team = try fixture.insert("Team")[0]
        let id = try fixture.insert("Person")[0]
        for context in [fixture.context(), fixture.coordinator.newContext()] {
            let (crew, person) = (try context.get(team), try context.get(id))
            person["age"] = .int(Int64.random(in: 0..<999))
            try context.save()
            let other = fixture.context()
            if let crew = try other.existingObject(with: team) {
                try other.delete(crew)
                try other.save()
            }
            try person.set("team", crew)
            #expect { try context.save() } throws: { error in
                if case StoreError.moved = error { true } else { false }
            }
            try context.refresh(crew, mergeChanges: true)
            #expect(try person.get("team") == nil)
            break
        }
    }
}
