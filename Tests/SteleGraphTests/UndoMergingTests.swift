// Undo of deletions that others' saves have been merged into meanwhile.

import SteleModel
import StelePersistence
import StelePredicates
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
        #expect(try ann.get("team") === crew && crew.keys("players") == [ann.id.key])
        try context.save()
        #expect(try fixture.stored("Person.spouse", of: bo.id.key) == ann.id.key)
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
}
