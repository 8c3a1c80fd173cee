// Undo in a child and in its parent: what both bring back is there once, with its links.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct NestedUndoTests {
    /// A team's members are ordered and go with it; a person's notes are ordered and stay.
    private static func model() throws -> Model {
        try makeModel([
            EntityMaker("Team").attribute("name", .string)
                .toMany("members", "Person", inverse: "team", rule: .cascade, ordered: true),
            EntityMaker("Person").attribute("name", .string)
                .toOne("team", "Team", inverse: "members")
                .toOne("spouse", "Person", inverse: "spouse")
                .toMany("tags", "Tag", inverse: "people")
                .toMany("notes", "Note", inverse: "person", ordered: true),
            EntityMaker("Tag").attribute("name", .string)
                .toMany("people", "Person", inverse: "tags"),
            EntityMaker("Note").attribute("name", .string)
                .toOne("person", "Person", inverse: "notes"),
        ])
    }

    /// A context with undo and its child; nobody holds their objects.
    private static func family(
        _ fixture: Fixture
    ) -> (parent: ManagedObjectContext, child: ManagedObjectContext) {
        let parent = fixture.coordinator.newContext()
        parent.undoManager = UndoManager()
        let child = ManagedObjectContext(parent: parent)
        child.undoManager = UndoManager()
        return (parent, child)
    }

    @Test(arguments: StoreKind.allCases)
    func whatBothBringBackIsThereOnce(_ kind: StoreKind) throws {
        let fixture = try Fixture(try Self.model(), kind)
        let ids = try fixture.insert("Person", count: 2)
        let (parent, child) = Self.family(fixture)
        try parent.delete(try parent.get(ids[0]))
        try parent.processPendingChanges()
        try child.delete(try child.get(ids[1]))
        try child.save()
        try parent.undo()
        try child.undo()
        try parent.refreshAllObjects()
        try child.save()
        let there = try parent.get(ids[1])
        #expect(!there.isInserted && !there.hasChanges)
        #expect(parent.insertedObjects.isEmpty)
        try child.get(ids[1])["name"] = .string("Bo")
        try child.save()
        try parent.save()
        #expect(try fixture.version("Person", ids[1].key) == 2)
        #expect(try fixture.version("Person", ids[0].key) == nil)
    }

    /// What a child changes of it, too, is a change of what its parent has.
    @Test(arguments: StoreKind.allCases)
    func whatAChildChangesOfItIsAChange(_ kind: StoreKind) throws {
        let fixture = try Fixture(try Self.model(), kind)
        let id = try fixture.insert("Person")[0]
        let tag = try fixture.insert("Tag")[0]
        let (parent, child) = Self.family(fixture)
        try child.delete(try child.get(id))
        try child.save()
        try parent.undo()
        try child.undo()
        try child.get(id)["name"] = .string("Bo")
        try child.get(id).add("tags", try child.get(tag))
        try child.save()
        #expect(!child.hasChanges)
        let theirs = try parent.get(id)
        #expect(theirs.isUpdated && !theirs.isInserted && theirs["name"] == .string("Bo"))
        #expect(try theirs.keys("tags") == [tag.key])
        try parent.undo()
        #expect(theirs["name"] == .string("Person 1") && !parent.hasChanges)
        try parent.redo()
        try parent.save()
        #expect(try fixture.version("Person", id.key) == 2)
        #expect(try fixture.storedMembers("Tag.people", of: tag.key) == [id.key])
    }

    /// Brought back by both, linked by somebody else, and its owner deleted: it goes, too, or
    /// nothing is saved.
    @Test(arguments: StoreKind.allCases, [false, true])
    func whoIsBackInBothGoesWithHisOwner(_ kind: StoreKind, inTheChild: Bool) throws {
        let fixture = try Fixture(try Self.model(), kind)
        let (id, team) = (try fixture.insert("Person")[0], try fixture.insert("Team")[0])
        let (parent, child) = Self.family(fixture)
        try child.delete(try child.get(id))
        try child.save()
        try child.undo()
        try parent.undo()
        try fixture.change { try $0.get(team).replace("members", [try $0.get(id)]) }
        try child.save()
        let deleting = inTheChild ? child : parent
        try deleting.delete(try deleting.get(team))
        if inTheChild { try child.save() }
        do { try parent.save() } catch is StoreError {
            #expect(try fixture.storedMembers("Team.members", of: team.key) == [id.key])
            try parent.refreshAllObjects()
            try parent.save()
        }
        #expect(try fixture.version("Team", team.key) == nil)
        #expect(try fixture.version("Person", id.key) == nil)
    }

    /// The same of two contexts side by side, of which the second has not been told yet.
    @Test(arguments: StoreKind.allCases)
    func aRestoredObjectIsDeletedWithItsOwner(_ kind: StoreKind) throws {
        let fixture = try Fixture(try Self.model(), kind)
        let (id, team) = (try fixture.insert("Person")[0], try fixture.insert("Team")[0])
        let contexts = try fixture.contextsThatBringBack(id)
        try contexts[0].get(id).set("team", try contexts[0].get(team))
        try contexts[0].save()
        try contexts[1].delete(try contexts[1].get(team))
        do { try contexts[1].save() } catch is StoreError {
            #expect(try fixture.storedMembers("Team.members", of: team.key) == [id.key])
            try contexts[1].refreshAllObjects()
            try contexts[1].save()
        }
        #expect(try fixture.version("Team", team.key) == nil)
        #expect(try fixture.version("Person", id.key) == nil)
    }

    /// What a child brings back alone is linked in its parent as it was, on both sides.
    @Test(arguments: StoreKind.allCases)
    func whatAChildBringsBackIsLinkedAsItWas(_ kind: StoreKind) throws {
        let fixture = try Fixture(try Self.model(), kind)
        let ids = try fixture.insert("Person", count: 2)
        let (team, tag) = (try fixture.insert("Team")[0], try fixture.insert("Tag")[0])
        let notes = try fixture.insert("Note", count: 3)
        try fixture.change { context in
            let ann = try context.get(ids[0])
            try ann.set("team", try context.get(team))
            try ann.set("spouse", try context.get(ids[1]))
            try ann.add("tags", try context.get(tag))
            try ann.replace("notes", try [2, 0, 1].map { try context.get(notes[$0]) })
        }
        let (parent, child) = Self.family(fixture)
        func check(_ context: ManagedObjectContext) throws {
            let (ann, bo) = (try context.get(ids[0]), try context.get(ids[1]))
            #expect(try ann.get("team")?.objectID == team && ann.get("spouse") === bo)
            #expect(try bo.get("spouse") === ann)
            #expect(try context.get(team).keys("members") == [ids[0].key])
            #expect(try context.get(tag).keys("people") == [ids[0].key])
            #expect(try ann.keys("notes") == [2, 0, 1].map { notes[$0].key })
            #expect(try context.get(notes[0]).get("person") === ann)
        }
        try child.delete(try child.get(ids[0]))
        try child.save()
        #expect(try parent.get(team).keys("members") == [])
        try child.undo()
        try child.save()
        try check(parent)
        #expect(!parent.hasChanges)
        try child.refreshAllObjects()
        try check(child)
        try parent.undo()
        #expect(try parent.existingObject(with: ids[0]) == nil)
        #expect(try parent.get(team).keys("members") == [])
        #expect(try parent.get(ids[1]).get("spouse") == nil)
        try parent.redo()
        try check(parent)
        try parent.save()
        try check(fixture.context())
    }
}
