// Undo of deletions that others' saves have been merged into meanwhile.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct UndoMergingTests {
    private func fixture(_ kind: StoreKind) throws -> (Fixture, ManagedObjectContext) {
        let fixture = try Fixture(try makeLeague(), kind)
        let context = fixture.coordinator.newContext()
        context.undoManager = UndoManager()
        return (fixture, context)
    }

    private func undoAll(_ context: ManagedObjectContext) throws {
        while context.undoManager?.canUndo == true { try context.undo() }
    }

    @Test(arguments: StoreKind.allCases)
    func whatComesBackIsLinkedAsOthersHaveLinkedIt(_ kind: StoreKind) throws {
        let (fixture, context) = try fixture(kind)
        let people = try fixture.insert("Person", count: 2)
        let team = try fixture.insert("Team")[0]
        let (ann, bo, crew) = (
            try context.get(people[0]), try context.get(people[1]), try context.get(team)
        )
        try context.delete(ann)
        try context.processPendingChanges()

        let other = fixture.context()
        let theirs = try other.get(people[0])
        try theirs.set("spouse", try other.get(people[1]))
        try theirs.set("team", try other.get(team))
        try other.save()
        try context.mergeChanges(fromContextDidSave: try fixture.lastSave())
        #expect(try bo.get("spouse") == nil && crew.keys("players") == [])

        try undoAll(context)
        #expect(try ann.get("spouse") === bo && bo.get("spouse") === ann)
        #expect(try ann.get("team") === crew && crew.keys("players") == [ann.objectID.key])
        try context.save()
        #expect(try fixture.stored("Person.spouse", of: bo.objectID.key) == ann.objectID.key)
    }

    @Test(arguments: StoreKind.allCases, [false, true])
    func whatOthersHaveDeletedTooIsInsertedAgain(_ kind: StoreKind, isRefreshed: Bool) throws {
        let (fixture, context) = try fixture(kind)
        let id = try fixture.insert("Person")[0]
        let ann = try context.get(id)
        ann["age"] = .int(3)
        try context.processPendingChanges()
        try context.delete(ann)
        try context.processPendingChanges()

        let other = fixture.context()
        try other.delete(try other.get(id))
        try other.save()
        if isRefreshed {
            try context.refreshAllObjects()
        } else {
            try context.mergeChanges(fromContextDidSave: try fixture.lastSave())
        }
        try context.undo()
        #expect(ann.isInserted && !ann.isDeleted && ann["name"] == .string("Person 1"))
        try context.save()
        let fresh = fixture.context()
        #expect(try fresh.get(id)["name"] == .string("Person 1"))
    }

    // MARK: Deleted, saved, and inserted again by others

    private static let links = ["spouse", "mentor"]

    /// The first of two people, whose deletion is saved, and whom another context has brought back
    /// and linked to the second.
    private func broughtBack(
        _ fixture: Fixture, _ context: ManagedObjectContext, _ link: String, isTold: Bool
    ) throws -> (ann: ManagedObject, bo: ManagedObject) {
        let ids = try fixture.insert("Person", count: 2)
        let (ann, bo) = (try context.get(ids[0]), try context.get(ids[1]))
        let other = fixture.coordinator.newContext()
        other.undoManager = UndoManager()
        let theirs = try other.get(ids[0])
        try other.delete(theirs)
        try context.delete(ann)
        try context.save()
        try other.mergeChanges(fromContextDidSave: try fixture.lastSave())
        try other.undo()
        theirs["age"] = .int(3)
        try theirs.set(link, try other.get(ids[1]))
        try other.save()
        if isTold { try context.mergeChanges(fromContextDidSave: try fixture.lastSave()) }
        return (ann, bo)
    }

    /// Whether the link is there, at both ends.
    private func isLinked(
        _ ann: ManagedObject, _ link: String, _ bo: ManagedObject,
        _ location: SourceLocation = #_sourceLocation
    ) throws -> Bool {
        let there = try ann.get(link) === bo
        let back =
            try link == "mentor"
            ? bo.keys("mentees") == [ann.objectID.key] : bo.get("spouse") === ann
        #expect(there == back, "the two ends disagree", sourceLocation: location)
        return there && back
    }

    /// An undo of the deletion does not insert it once more, and doing it again deletes theirs.
    @Test(arguments: StoreKind.allCases, links)
    func whatOthersHaveInsertedAgainIsAsTheyHaveIt(_ kind: StoreKind, _ link: String) throws {
        for isTold in [true, false] {
            let (fixture, context) = try fixture(kind)
            let (ann, bo) = try broughtBack(fixture, context, link, isTold: isTold)
            try context.undo()
            #expect(!ann.isDeleted && !ann.isInserted && ann["age"] == .int(3))
            #expect(try isLinked(ann, link, bo))
            #expect(!context.hasChanges)
            try context.redo()
            try context.save()
            #expect(try fixture.version("Person", ann.objectID.key) == nil)
            #expect(try bo.get("spouse") == nil && bo.keys("mentees") == [])
            #expect(try fixture.stored("Person.spouse", of: bo.objectID.key) == nil)
        }
    }

    /// Read since, it is another object that has the identity: an undo leaves it alone.
    @Test(arguments: StoreKind.allCases, links)
    func whatWasReadSinceKeepsItsIdentity(_ kind: StoreKind, _ link: String) throws {
        let (fixture, context) = try fixture(kind)
        let (ann, bo) = try broughtBack(fixture, context, link, isTold: true)
        let there = try context.get(ann.objectID)
        there["age"] = .int(5)
        try undoAll(context)
        #expect(there !== ann && ann.isDeleted && there["age"] == .int(3))
        #expect(try context.get(ann.objectID) === there && isLinked(there, link, bo))
        #expect(!context.hasChanges)
    }

    /// Brought back here, too, and not saved: a deletion that is done again deletes theirs.
    @Test(arguments: StoreKind.allCases, links)
    func aDeletionDoneAgainDeletesWhatOthersHaveInserted(
        _ kind: StoreKind, _ link: String
    ) throws {
        for isTold in [true, false] {
            let fixture = try Fixture(try makeLeague(), kind)
            let ids = try fixture.insert("Person", count: 2)
            let contexts = try fixture.contextsThatBringBack(ids[0])
            let bo = try contexts[1].get(ids[1])
            try contexts[0].get(ids[0]).set(link, try contexts[0].get(ids[1]))
            try contexts[0].save()
            if isTold { try contexts[1].mergeChanges(fromContextDidSave: try fixture.lastSave()) }
            try contexts[1].redo()
            try contexts[1].save()
            #expect(try fixture.version("Person", ids[0].key) == nil)
            #expect(try bo.get("spouse") == nil && bo.keys("mentees") == [])
            #expect(try fixture.stored("Person.spouse", of: ids[1].key) == nil)
        }
    }
}
