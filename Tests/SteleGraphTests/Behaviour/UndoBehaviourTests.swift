// Undo in a context as NSUndoManager and Core Data document it, on every store.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct UndoBehaviourTests {
    private func ground(
        _ kind: StoreKind
    ) throws -> (fixture: Fixture, context: ManagedObjectContext, undo: UndoManager) {
        let fixture = try Fixture.watched(kind)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let undo = UndoManager()
        context.undoManager = undo
        return (fixture, context, undo)
    }

    @Test func aContextHasNoUndoManagerUntilItIsGivenOne() throws {
        let fixture = try Fixture.league()
        let context = fixture.coordinator.newContext()
        #expect(context.undoManager == nil)
        let ann = try context.insert(try fixture.entity("Person"))
        try context.undo()
        #expect(ann.isInserted && context.hasChanges)
        context.undoManager = UndoManager()
        ann["age"] = .int(1)
        context.undoManager = nil
        try context.undo()
        #expect(ann["age"] == .int(1))
        #expect(ManagedObjectContext(parent: context).undoManager == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func objectsAreToldWhatWasTakenBack(_ kind: StoreKind) throws {
        let (fixture, context, undo) = try ground(kind)
        let ann = try #require(try context.insert(try fixture.entity("Person")) as? Watched)
        ann["name"] = .string("Ann")
        try context.save()
        undo.removeAllActions()
        _ = ann.take()
        ann["name"] = .string("Bo")
        try context.undo()
        #expect(ann.take() == ["snapshot 8 string(\"Ann\")"])
        try context.delete(ann)
        try context.undo()
        #expect(ann.take() == ["prepare", "snapshot 4 string(\"Ann\")"])
        let bo = try #require(try context.insert(try fixture.entity("Person")) as? Watched)
        _ = bo.take()
        try context.undo()
        #expect(bo.take() == ["prepare", "snapshot 2 null"] && bo.isDeleted)
        #expect(!context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveLeavesTheStackAndAnUndoOfItIsAChange(_ kind: StoreKind) throws {
        let (fixture, context, undo) = try ground(kind)
        let id = try fixture.insert("Person")[0]
        let ann = try context.get(id)
        ann["age"] = .int(1)
        try context.save()
        #expect(undo.canUndo && !undo.canRedo && !context.hasChanges)
        try context.undo()
        #expect(context.hasChanges && ann.isUpdated && undo.canRedo)
        try context.save()
        #expect(try fixture.stored("Person", "age", of: id) == .null)
        #expect(ann.version == 3 && undo.canRedo)
        try context.redo()
        try context.save()
        #expect(try fixture.stored("Person", "age", of: id) == .int(1))
    }

    @Test(arguments: StoreKind.allCases)
    func linksAreTakenBackOnBothSides(_ kind: StoreKind) throws {
        let (fixture, context, undo) = try ground(kind)
        let tags = try fixture.insert("Tag", count: 2).map { try context.get($0) }
        let teams = try fixture.insert("Team", count: 2).map { try context.get($0) }
        let ann = try context.get(try fixture.insert("Person")[0])
        try undo.beginUndoGrouping()
        try ann.replace("tags", tags)
        try ann.set("team", teams[0])
        try ann.set("captainOf", teams[0])
        try undo.endUndoGrouping()
        try undo.beginUndoGrouping()
        try ann.remove("tags", tags[0])
        try ann.set("team", teams[1])
        try teams[1].set("captain", ann)
        try undo.endUndoGrouping()
        try context.undo()
        #expect(
            try ann.keys("tags") == tags.map(\.objectID.key)
                && tags[0].keys("people") == [ann.objectID.key])
        #expect(try teams.map { try $0.keys("players") } == [[ann.objectID.key], []])
        #expect(try teams[0].get("captain") === ann && teams[1].get("captain") == nil)
        try context.undo()
        #expect(try ann.keys("tags") == [] && tags[1].keys("people") == [])
        #expect(try ann.get("team") == nil && teams[0].keys("players") == [])
        #expect(!context.hasChanges)
        try context.redo()
        try context.redo()
        #expect(try teams[1].get("captain") === ann && ann.keys("tags") == [tags[1].objectID.key])
        try context.save()
        #expect(
            try fixture.storedMembers("Team.players", of: teams[1].objectID.key) == [
                ann.objectID.key
            ])
    }

    @Test(arguments: StoreKind.allCases)
    func aCascadeIsOneUndo(_ kind: StoreKind) throws {
        let model = try makeModel([
            EntityMaker("Folder").attribute("name", .string)
                .toMany("files", "File", inverse: "folder", rule: .cascade),
            EntityMaker("File").attribute("name", .string)
                .toOne("folder", "Folder", inverse: "files"),
        ])
        let fixture = try Fixture(model, kind)
        let folder = try fixture.insert("Folder")[0]
        let files = try fixture.insert("File", count: 3)
        try fixture.change { context in
            try context.get(folder).replace("files", try files.map { try context.get($0) })
        }
        let context = fixture.coordinator.newContext()
        context.undoManager = UndoManager()
        let held = try context.get(folder)
        try context.delete(held)
        try context.save()
        #expect(try fixture.count("File") == 0)
        try context.undo()
        #expect(try held.keys("files") == files.map(\.key))
        try context.save()
        #expect(try fixture.count("File") == 3 && fixture.count("Folder") == 1)
        #expect(try fixture.storedMembers("Folder.files", of: folder.key) == files.map(\.key))
    }

    @Test(arguments: StoreKind.allCases)
    func whatTheContextTakesBackItselfIsNotRegistered(_ kind: StoreKind) throws {
        let (fixture, context, undo) = try ground(kind)
        let id = try fixture.insert("Person")[0]
        let ann = try context.get(id)
        ann["age"] = .int(1)
        try context.processPendingChanges()
        try fixture.change { try $0.get(id)["name"] = .string("Theirs") }
        try context.refresh(ann, mergeChanges: true)
        try context.undo()
        #expect(ann["age"] == .null && ann["name"] == .string("Theirs"))
        #expect(!undo.canUndo)
        ann["age"] = .int(2)
        context.rollback()
        #expect(!undo.canUndo && !undo.canRedo && ann["age"] == .null)
    }

    @Test(arguments: StoreKind.allCases)
    func observersAreToldOfAnUndo(_ kind: StoreKind) throws {
        let (fixture, context, _) = try ground(kind)
        let ann = try context.get(try fixture.insert("Person")[0])
        ann["age"] = .int(1)
        try context.delete(ann)
        try context.processPendingChanges()
        var told: [ChangedObjectIDs] = []
        let observation = context.observe { notification in
            if case .objectsDidChange(let it) = notification { told.append(it.identities) }
        }
        try context.undo()
        #expect(told == [ChangedObjectIDs(inserted: [ann.objectID])])
        try context.redo()
        #expect(told.last == ChangedObjectIDs(deleted: [ann.objectID]) && told.count == 2)
        observation.cancel()
    }

    @Test func oneManagerServesTwoContexts() throws {
        let fixture = try Fixture.league()
        let undo = UndoManager()
        let contexts = [fixture.coordinator.newContext(), fixture.coordinator.newContext()]
        for context in contexts { context.undoManager = undo }
        try undo.beginUndoGrouping()
        let people = try contexts.map { try $0.insert(try fixture.entity("Person")) }
        try undo.endUndoGrouping()
        #expect(undo.groupingLevel == 0 && undo.canUndo)
        try undo.undo()
        #expect(people.allSatisfy { $0.isDeleted } && contexts.allSatisfy { !$0.hasChanges })
        try undo.redo()
        #expect(people.allSatisfy { $0.isInserted })
        // A context that resets takes its own actions along, and no others.
        contexts[0].reset()
        try undo.undo()
        #expect(people[1].isDeleted && people[0].managedObjectContext == nil)
    }

    /// What is registered is what was changed since changes were last processed: disabling must be
    /// bracketed by that, as in Core Data.
    @Test func disablingReachesBackToTheLastProcessing() throws {
        let fixture = try Fixture.league()
        let context = fixture.coordinator.newContext()
        let undo = UndoManager()
        context.undoManager = undo
        let ann = try context.insert(try fixture.entity("Person"))
        undo.disableUndoRegistration()
        #expect(!undo.isUndoRegistrationEnabled && !undo.canUndo)
        try context.processPendingChanges()
        undo.enableUndoRegistration()
        undo.enableUndoRegistration()
        #expect(undo.isUndoRegistrationEnabled && !undo.canUndo)
        ann["age"] = .int(1)
        #expect(undo.canUndo)
        #expect(!undo.isUndoing && !undo.isRedoing)
    }

    @Test func forgettingAllActionsRegistersAgain() throws {
        let undo = UndoManager()
        undo.disableUndoRegistration()
        undo.disableUndoRegistration()
        undo.removeAllActions()
        #expect(undo.isUndoRegistrationEnabled)
        undo.registerUndo {}
        #expect(undo.canUndo)
    }

    /// The key that a deleted object leads to may become another before the deletion is undone.
    @Test(arguments: StoreKind.allCases, [false, true])
    func anUndoneDeletionLeadsToPermanentKeys(_ kind: StoreKind, _ isNew: Bool) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let id = try fixture.insert("Person")[0]
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.undoManager = UndoManager()
        let ann = isNew ? try context.insert(try fixture.entity("Person")) : try context.get(id)
        let tag = try context.insert(try fixture.entity("Tag"))
        let team = try context.insert(try fixture.entity("Team"))
        try ann.set("favourite", tag)
        try ann.set("team", team)
        try ann.set("captainOf", team)
        try context.processPendingChanges()
        try context.delete(ann)
        try context.processPendingChanges()
        try context.save()
        #expect(!tag.objectID.isTemporaryID)
        try context.undo()
        #expect(try ann.get("favourite") === tag && ann.get("team") === team)
        try context.save()
        #expect(try fixture.stored("Person.favourite", of: ann.objectID.key) == tag.objectID.key)
        #expect(try fixture.stored("Person.team", of: ann.objectID.key) == team.objectID.key)
        #expect(try fixture.stored("Person.captainOf", of: ann.objectID.key) == team.objectID.key)
        #expect(try fixture.stored("Team.captain", of: team.objectID.key) == ann.objectID.key)
    }

    /// What others save neither takes away what can be done again nor adds anything to undo.
    @Test(arguments: StoreKind.allCases)
    func aMergeRegistersNothingToUndo(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let team = try fixture.insert("Team")[0]
        let ids = try fixture.insert("Person", count: 2)
        try fixture.change { try $0.get(ids[0]).set("team", try $0.get(team)) }
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let undo = UndoManager()
        context.undoManager = undo
        let (ann, bo) = (try context.get(ids[0]), try context.get(ids[1]))
        try context.delete(ann)
        try context.processPendingChanges()
        bo["age"] = .int(1)
        try context.undo()
        #expect(undo.canRedo && bo["age"] == .null)
        for name in ["a", "b", "c"] {
            try fixture.change { try $0.get(team)["name"] = .string(name) }
            try context.mergeChanges(fromContextDidSave: try fixture.lastSave())
            try context.refreshAllObjects()
        }
        #expect(undo.canRedo)
        try context.redo()
        #expect(bo["age"] == .int(1))
        try context.undo()
        try context.undo()
        #expect(!ann.isDeleted && !undo.canUndo)
        #expect(try ann.get("team")?.objectID == team)
        #expect(try context.get(team).keys("players") == [ids[0].key])
        #expect(!context.hasChanges)
    }
}
