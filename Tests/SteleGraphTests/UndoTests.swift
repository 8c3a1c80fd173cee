// Undo and redo: what was changed is as it was, saved meanwhile or not.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct UndoTests {
    private func fixture(_ kind: StoreKind) throws -> (Fixture, ManagedObjectContext) {
        let fixture = try Fixture(try makeLeague(), kind)
        let context = fixture.coordinator.newContext()
        context.undoManager = UndoManager()
        return (fixture, context)
    }

    @Test(arguments: StoreKind.allCases)
    func eachEventIsTakenBackByItself(_ kind: StoreKind) throws {
        let (fixture, context) = try fixture(kind)
        let id = try fixture.insert("Person")[0]
        let person = try context.get(id)
        person["name"] = .string("a")
        person["age"] = .int(1)
        try context.processPendingChanges()
        person["name"] = .string("b")
        #expect(context.undoManager?.canUndo == true && context.undoManager?.canRedo == false)
        try context.undo()
        #expect(person["name"] == .string("a") && person["age"] == .int(1))
        try context.undo()
        #expect(person["name"] == .string("Person 1") && person["age"] == .null)
        #expect(!context.hasChanges)
        try context.undo()
        try context.redo()
        #expect(person["name"] == .string("a") && person["age"] == .int(1))
        try context.redo()
        #expect(person["name"] == .string("b"))
        try context.redo()
        try context.undo()
        person["age"] = .int(3)
        #expect(context.undoManager?.canRedo == false)
        try context.redo()
        #expect(person["name"] == .string("a") && person["age"] == .int(3))
    }

    @Test(arguments: StoreKind.allCases)
    func insertionsAndLinksComeAndGo(_ kind: StoreKind) throws {
        let (fixture, context) = try fixture(kind)
        let team = try context.get(try fixture.insert("Team")[0])
        let person = try context.insert(try fixture.entity("Person"))
        person["name"] = .string("Ann")
        try person.set("team", team)
        try team.set("captain", person)
        try context.undo()
        #expect(person.isDeleted && !context.hasChanges)
        #expect(try team.keys("players") == [] && team.get("captain") == nil)
        try context.redo()
        #expect(try team.keys("players") == [person.objectID.key] && team.get("captain") === person)
        #expect(person.isInserted && !person.isDeleted && person["name"] == .string("Ann"))
        try context.save()
        #expect(try fixture.stored("Person.team", of: person.objectID.key) == team.objectID.key)
    }

    @Test(arguments: StoreKind.allCases)
    func aSavedChangeIsUndoneByAnother(_ kind: StoreKind) throws {
        let (fixture, context) = try fixture(kind)
        let person = try context.insert(try fixture.entity("Person"))
        let tag = try context.insert(try fixture.entity("Tag"))
        try context.processPendingChanges()
        person["name"] = .string("Ann")
        try person.add("tags", tag)
        try context.save()
        #expect(context.undoManager?.canUndo == true && !context.hasChanges)
        try context.undo()
        #expect(context.hasChanges && person["name"] == .null)
        #expect(try tag.keys("people") == [])
        try context.save()
        #expect(try fixture.storedMembers("Tag.people", of: tag.objectID.key) == [])
        #expect(person.version == 2)
        try context.undo()
        try context.save()
        let people = FetchRequest(entity: try fixture.entity("Person"))
        #expect(try fixture.context().count(people) == 0)
        try context.redo()
        try context.redo()
        try context.save()
        #expect(try fixture.context().fetchIDs(people) == [person.objectID])
        #expect(
            try fixture.storedMembers("Tag.people", of: tag.objectID.key) == [person.objectID.key])
        // It was there before, so its versions go on.
        #expect(person.version == 3)
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func aDeletionIsUndoneWithAllItsLinks(_ kind: StoreKind, _ isSaved: Bool) throws {
        let (fixture, context) = try fixture(kind)
        let setup = fixture.context()
        let team = try setup.insert(try fixture.entity("Team"))
        let tags = try (0..<2).map { _ in try setup.insert(try fixture.entity("Tag")) }
        let people = try (0..<3).map { _ in try setup.insert(try fixture.entity("Person")) }
        for person in people {
            try person.set("team", team)
            try person.replace("tags", tags)
        }
        try team.set("captain", people[1])
        try people[1].set("spouse", people[2])
        try people[0].set("mentor", people[1])
        try people[1].set("favourite", tags[0])
        try setup.save()
        let keys = people.map(\.objectID.key)

        let (crew, ann) = (try context.get(team.objectID), try context.get(people[1].objectID))
        try context.delete(ann)
        try context.processPendingChanges()
        try context.delete(crew)
        if isSaved { try context.save() }
        #expect(try context.get(people[0].objectID).get("team") == nil)
        try context.undo()
        #expect(try crew.keys("players") == [keys[0], keys[2]])
        try context.undo()
        #expect(try crew.keys("players") == keys && crew.get("captain") === ann)
        #expect(try ann.get("spouse")?.objectID == people[2].objectID)
        #expect(try ann.keys("mentees") == [keys[0]])
        #expect(try ann.keys("tags") == tags.map(\.objectID.key))
        #expect(try ann.get("favourite")?.objectID == tags[0].objectID)
        #expect(context.hasChanges == isSaved)
        try context.save()
        #expect(ann.objectID == people[1].objectID)
        #expect(try fixture.stored("Team.captain", of: crew.objectID.key) == keys[1])
        #expect(try fixture.storedMembers("Team.players", of: crew.objectID.key) == keys)
        #expect(try fixture.storedMembers("Person.tags", of: keys[1]) == tags.map(\.objectID.key))
        #expect(try fixture.stored("Person.spouse", of: keys[2]) == keys[1])
        try context.redo()
        try context.redo()
        try context.save()
        #expect(try fixture.version("Person", keys[1]) == nil)
        #expect(try fixture.stored("Person.mentor", of: keys[0]) == nil)
        #expect(
            try fixture.storedMembers("Tag.people", of: tags[0].objectID.key) == [keys[0], keys[2]])
    }

    @Test(arguments: StoreKind.allCases)
    func anOrderIsRestoredExactly(_ kind: StoreKind) throws {
        let (fixture, context) = try fixture(kind)
        let list = try context.insert(try fixture.entity("Playlist"))
        let songs = try (0..<5).map { _ in try context.insert(try fixture.entity("Song")) }
        try list.replace("songs", songs)
        try context.save()
        let order = songs.map(\.objectID.key)
        let changes: [() throws -> Void] = [
            { try list.remove("songs", songs[1]) },
            { try list.add("songs", songs[4], at: 0) },
            { try list.replace("songs", [songs[3], songs[0]]) },
            { try songs[2].set("playlist", nil) },
            { try context.delete(songs[2]) },
            { try context.delete(list) },
        ]
        for (index, change) in changes.enumerated() {
            try change()
            try context.processPendingChanges()
            let after = list.isDeleted ? [] : try list.keys("songs")
            try context.undo()
            #expect(try list.keys("songs") == order, "\(index)")
            try context.redo()
            if !list.isDeleted { #expect(try list.keys("songs") == after, "\(index)") }
            try context.save()
            try context.undo()
            #expect(try list.keys("songs") == order, "\(index), saved")
            try context.save()
            #expect(try fixture.storedMembers("Playlist.songs", of: list.objectID.key) == order)
        }
    }

    @Test func registrationCanBeDisabled() throws {
        let (fixture, context) = try fixture(.memory)
        let person = try context.get(try fixture.insert("Person")[0])
        person["name"] = .string("a")
        try context.processPendingChanges()
        context.undoManager?.disableUndoRegistration()
        person["name"] = .string("b")
        try context.processPendingChanges()
        context.undoManager?.enableUndoRegistration()
        #expect(context.undoManager?.isUndoRegistrationEnabled == true)
        try context.undo()
        #expect(person["name"] == .string("Person 1"))
        #expect(context.undoManager?.canUndo == false)
        person["name"] = .string("c")
        context.rollback()
        #expect(context.undoManager?.canUndo == false && context.undoManager?.canRedo == false)
        person["name"] = .string("d")
        try context.processPendingChanges()
        context.reset()
        #expect(context.undoManager?.canUndo == false)
    }

    /// A program names an action when it has made it, and the context registers it later.
    @Test func anActionIsNamedBeforeItIsRegistered() throws {
        let (fixture, context) = try fixture(.memory)
        let undo = try #require(context.undoManager)
        let person = try context.get(try fixture.insert("Person")[0])
        person["age"] = .int(1)
        undo.setActionName("First")
        try context.processPendingChanges()
        person["age"] = .int(2)
        #expect(undo.undoActionName.isEmpty)
        undo.setActionName("Second")
        #expect(undo.undoActionName == "Second")
        try context.undo()
        #expect(undo.undoActionName == "First" && undo.redoActionName == "Second")

        // Another context that shares the manager keeps the name.
        let beside = fixture.coordinator.newContext()
        beside.undoManager = undo
        person["age"] = .int(5)
        undo.setActionName("Kept")
        beside.rollback()
        #expect(undo.undoActionName == "Kept")
        undo.disableUndoRegistration()
        try context.processPendingChanges()
        undo.enableUndoRegistration()
        #expect(undo.undoActionName == "First")

        person["age"] = .int(3)
        undo.setActionName("Dropped")
        context.rollback()
        person["age"] = .int(4)
        try context.processPendingChanges()
        #expect(undo.undoActionName.isEmpty)
    }

    @Test func changesFallIntoTheGroupTheyAreMadeIn() throws {
        let (fixture, context) = try fixture(.memory)
        let undo = try #require(context.undoManager)
        let person = try context.get(try fixture.insert("Person")[0])
        person["age"] = .int(1)
        try undo.beginUndoGrouping()
        undo.setActionName("Move")
        person["age"] = .int(2)
        try context.processPendingChanges()
        try undo.beginUndoGrouping()
        person["name"] = .string("inner")
        try undo.endUndoGrouping()
        #expect(undo.groupingLevel == 1)
        person["age"] = .int(3)
        try undo.endUndoGrouping()
        #expect(undo.undoActionName == "Move" && undo.redoActionName.isEmpty)
        person["age"] = .int(4)
        try context.undo()
        #expect(person["age"] == .int(3))
        try context.undo()
        #expect(person["age"] == .int(1) && person["name"] == .string("Person 1"))
        #expect(undo.redoActionName == "Move")
        try context.redo()
        #expect(person["age"] == .int(3) && person["name"] == .string("inner"))
        #expect(throws: UndoError.noGroup) { try undo.endUndoGrouping() }
        try undo.beginUndoGrouping()
        try undo.beginUndoGrouping()
        #expect(throws: UndoError.groupIsOpen) { try undo.undo() }
    }

    /// To take a group back, and to let go of it, walks as deep as it is.
    @Test func groupsNestToABound() throws {
        let undo = UndoManager()
        for _ in 0..<UndoManager.deepest { try undo.beginUndoGrouping() }
        #expect(throws: UndoError.tooDeep) { try undo.beginUndoGrouping() }
        #expect(undo.groupingLevel == UndoManager.deepest)
        try undo.endUndoGrouping()
        try undo.beginUndoGrouping()
    }

    /// Twice as many changes take about twice as long: ten times as many less than forty.
    @Test func undoingTenThousandChangesIsLinear() throws {
        func time(_ count: Int) throws -> Duration {
            let (fixture, context) = try fixture(.memory)
            let team = try context.insert(try fixture.entity("Team"))
            try context.processPendingChanges()
            for index in 0..<count {
                let person = try context.insert(try fixture.entity("Person"))
                person["age"] = .int(Int64(index))
                try person.set("team", team)
                try context.processPendingChanges()
            }
            let taken = try processorTime {
                try context.undoManager?.beginUndoGrouping()
                let people = try team.members(try team.link("players"))
                for person in people { try context.delete(person) }
                try context.undoManager?.endUndoGrouping()
                try context.undo()
            }
            #expect(try team.keys("players").count == count)
            return taken
        }
        _ = try time(100)
        let (few, many) = (try time(1_000), try time(10_000))
        #expect(many < few * 40, "\(few) and \(many)")
    }
}

@Suite struct UndoManagerTests {
    /// A number whose changes are registered.
    private final class Counter {
        let undo = UndoManager()
        var value = 0

        func set(_ new: Int) {
            let old = value
            undo.registerUndo { [unowned self] in set(old) }
            value = new
        }
    }

    @Test func levelsAreKeptUpToTheBound() throws {
        let counter = Counter()
        for value in 1...5 { counter.set(value) }
        counter.undo.levelsOfUndo = 2
        for _ in 0..<5 { try counter.undo.undo() }
        #expect(counter.value == 3 && !counter.undo.canUndo)
        for _ in 0..<5 { try counter.undo.redo() }
        #expect(counter.value == 5)
        counter.undo.levelsOfUndo = 0
        for value in 6...40 { counter.set(value) }
        for _ in 0..<35 { try counter.undo.undo() }
        #expect(counter.value == 5)
        counter.undo.removeAllActions()
        #expect(!counter.undo.canUndo && !counter.undo.canRedo)
    }

    @Test func anUndoThatFailsLeavesThingsAsTheyWere() throws {
        struct Failure: Error {}
        let counter = Counter()
        var fails = true
        try counter.undo.beginUndoGrouping()
        counter.undo.registerUndo { if fails { throw Failure() } }
        counter.set(1)
        counter.set(2)
        try counter.undo.endUndoGrouping()
        #expect(throws: Failure.self) { try counter.undo.undo() }
        #expect(counter.value == 2 && counter.undo.canUndo && !counter.undo.canRedo)
        fails = false
        try counter.undo.undo()
        #expect(counter.value == 0)
        try counter.undo.redo()
        #expect(counter.value == 2)
    }
}
