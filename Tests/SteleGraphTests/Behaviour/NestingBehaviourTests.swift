// Parents and children as Core Data documents them, on every store.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct NestingBehaviourTests {
    private func ground(
        _ kind: StoreKind
    ) throws -> (fixture: Fixture, parent: ManagedObjectContext, child: ManagedObjectContext) {
        let fixture = try Fixture.watched(kind)
        let parent = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        return (fixture, parent, ManagedObjectContext(parent: parent))
    }

    @Test(arguments: StoreKind.allCases)
    func aChildInheritsWhereItReadsAndNothingElse(_ kind: StoreKind) throws {
        let (_, parent, _) = try ground(kind)
        parent.mergePolicy = .overwrite
        parent.undoManager = UndoManager()
        parent.automaticallyMergesChangesFromParent = true
        parent.transactionAuthor = "ann"
        let child = ManagedObjectContext(parent: parent)
        #expect(
            child.parent === parent
                && child.persistentStoreCoordinator === parent.persistentStoreCoordinator)
        #expect(child.mergePolicy == .error && child.undoManager == nil)
        #expect(!child.automaticallyMergesChangesFromParent && child.transactionAuthor == "ann")
    }

    @Test(arguments: StoreKind.allCases)
    func changesOfAChildAreItsOwnUntilItSaves(_ kind: StoreKind) throws {
        let (fixture, parent, child) = try ground(kind)
        let id = try fixture.insert("Person")[0]
        let (ours, theirs) = (try child.get(id), try parent.get(id))
        #expect(ours !== theirs && ours.objectID == theirs.objectID)
        ours["name"] = .string("child")
        let new = try child.insert(try fixture.entity("Person"))
        #expect(theirs["name"] == .string("Person 1") && !parent.hasChanges)
        #expect(try parent.count(try fixture.request("Person")) == 1)
        child.rollback()
        #expect(!child.hasChanges && new.managedObjectContext == nil)
        try child.save()
        #expect(!parent.hasChanges && theirs["name"] == .string("Person 1"))
        ours["name"] = .string("child")
        try child.save()
        #expect(theirs["name"] == .string("child") && theirs.isUpdated && !child.hasChanges)
        #expect(try fixture.stored("Person", "name", of: id) == .string("Person 1"))
        try parent.save()
        #expect(try fixture.stored("Person", "name", of: id) == .string("child"))
    }

    @Test(arguments: StoreKind.allCases)
    func aChildKeepsItsValuesWhenItsParentChanges(_ kind: StoreKind) throws {
        let (fixture, parent, child) = try ground(kind)
        let id = try fixture.insert("Person")[0]
        let (ours, theirs) = (try child.get(id), try parent.get(id))
        theirs["name"] = .string("parent")
        #expect(ours["name"] == .string("Person 1"))
        #expect(try child.fetch(try fixture.request("Person", "name == 'parent'")).first === ours)
        #expect(ours["name"] == .string("Person 1"))
        try child.refresh(ours, mergeChanges: true)
        #expect(ours["name"] == .string("parent") && !child.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func aChildsSaveGoesOverWhatItsParentHasNotSaved(_ kind: StoreKind) throws {
        let (fixture, parent, child) = try ground(kind)
        let id = try fixture.insert("Person")[0]
        let (ours, theirs) = (try child.get(id), try parent.get(id))
        ours["name"] = .string("child")
        theirs["name"] = .string("parent")
        theirs["age"] = .int(5)
        try child.save()
        #expect(theirs["name"] == .string("child") && theirs["age"] == .int(5))
        try parent.save()
        #expect(try fixture.version("Person", id.key) == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func aChildValidatesWhatItSaves(_ kind: StoreKind) throws {
        let (fixture, parent, child) = try ground(kind)
        let new = try #require(try child.insert(try fixture.entity("Person")) as? Watched)
        new["age"] = .int(70_000)
        new.complaint = "never"
        #expect(try codes { try child.save() } == [1610, 1550])
        #expect(!parent.hasChanges && new.isInserted && child.hasChanges)
        new["age"] = .int(7)
        new.complaint = nil
        _ = new.take()
        try child.save()
        #expect(new.take() == ["willSave", "validate insert", "didSave"])
        // The parent's own object is not of its hand: it was awakened once, in the child.
        let theirs = try #require(try parent.get(new.objectID) as? Watched)
        #expect(theirs.isInserted && theirs.take().isEmpty)
        try parent.save()
        #expect(theirs.take() == ["willSave", "validate insert", "didSave"])
    }

    @Test(arguments: StoreKind.allCases)
    func identitiesAreTemporaryUntilTheRootSaves(_ kind: StoreKind) throws {
        let (fixture, parent, child) = try ground(kind)
        let new = try child.insert(try fixture.entity("Person"))
        let first = new.objectID
        try child.save()
        #expect(new.objectID == first && new.objectID.isTemporaryID && new.version == 0)
        let theirs = try parent.get(first)
        #expect(theirs.objectID == first && theirs.isInserted && !new.isInserted)
        try parent.save()
        #expect(new.objectID == theirs.objectID && !new.objectID.isTemporaryID && new.version == 1)
        #expect(child.registeredObject(for: new.objectID) === new)
        #expect(try child.existingObject(with: first) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func aChildMayDeleteWhatItsParentHasInserted(_ kind: StoreKind) throws {
        let (fixture, parent, child) = try ground(kind)
        let team = try parent.insert(try fixture.entity("Team"))
        let ann = try parent.insert(try fixture.entity("Person"))
        try ann.set("team", team)
        try child.delete(try child.get(team.objectID))
        try child.save()
        #expect(team.isDeleted && parent.changes.inserted.count == 1)
        #expect(try ann.get("team") == nil)
        try parent.save()
        #expect(try fixture.count("Team") == 0 && fixture.count("Person") == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func bothAreToldOfAChildsSave(_ kind: StoreKind) throws {
        let (fixture, parent, child) = try ground(kind)
        let id = try fixture.insert("Person")[0]
        let ours = try child.get(id)
        let theirs = try parent.get(id)
        var told: [String] = []
        func tell(_ name: String) -> (ContextNotification) -> Void {
            { notification in
                switch notification {
                case .objectsDidChange(let it):
                    told.append("\(name) change \(it.inserted.count) \(it.updated.count)")
                case .willSave: told.append("\(name) will")
                case .didSave(let it):
                    told.append("\(name) did \(it.inserted.count) \(it.updated.count)")
                case .didMergeChanges: told.append("\(name) merged")
                }
            }
        }
        let observations = [parent.observe(tell("parent")), child.observe(tell("child"))]
        ours["age"] = .int(1)
        _ = try child.insert(try fixture.entity("Team"))
        try child.save()
        #expect(
            told == ["child change 1 1", "child will", "parent change 1 1", "child did 1 1"])
        told = []
        try parent.save()
        #expect(told == ["parent will", "parent did 1 1"])
        #expect(theirs["age"] == .int(1))
        for observation in observations { observation.cancel() }
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveOfTheRootThatIsRefusedLeavesAllOfTheFamilyAsItWas(_ kind: StoreKind) throws {
        let (fixture, parent, child) = try ground(kind)
        let id = try fixture.insert("Person")[0]
        let ours = try child.get(id)
        ours["name"] = .string("child")
        let new = try child.insert(try fixture.entity("Team"))
        try child.save()
        try fixture.change { try $0.get(id)["name"] = .string("theirs") }
        #expect(throws: StoreError.self) { try parent.save() }
        #expect(parent.hasChanges && new.objectID.isTemporaryID)
        try parent.refreshAllObjects()
        try parent.save()
        #expect(try fixture.stored("Person", "name", of: id) == .string("child"))
        #expect(!new.objectID.isTemporaryID && ours.version == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func aChildOfAClosedParentSaysSo(_ kind: StoreKind) throws {
        let (fixture, parent, child) = try ground(kind)
        let id = try fixture.insert("Person")[0]
        parent.close()
        #expect(throws: ContextError.closed) { try child.existingObject(with: id) }
        #expect(throws: ContextError.closed) { try child.fetch(try fixture.request("Person")) }
    }

    /// A child that links to what its parent has deleted meanwhile: its save says so.
    @Test(arguments: StoreKind.allCases)
    func aChildLinksToNothingThatItsParentHasDeleted(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let team = try fixture.insert("Team")[0]
        let tag = try fixture.insert("Tag")[0]
        let ids = try fixture.insert("Person", count: 2)
        let links: [(ManagedObjectContext) throws -> Void] = [
            { try $0.get(ids[0]).set("team", try $0.get(team)) },
            { try $0.get(team).set("captain", try $0.get(ids[0])) },
            { try $0.get(ids[0]).add("tags", try $0.get(tag)) },
            { try $0.get(tag).add("people", try $0.get(ids[0])) },
            { try $0.insert(try fixture.entity("Person")).set("favourite", try $0.get(tag)) },
            { try $0.insert(try fixture.entity("Person")).set("team", try $0.get(team)) },
        ]
        for (index, link) in links.enumerated() {
            let parent = fixture.coordinator.newContext(retainsRegisteredObjects: true)
            let child = ManagedObjectContext(parent: parent)
            try link(child)
            for id in [team, tag] { try parent.delete(try parent.get(id)) }
            try parent.processPendingChanges()
            let pending = parent.changes.inserted.count
            #expect("\(index)") { try child.save() } throws: { error in
                guard case StoreError.conflicts(let all) = error else { return false }
                return all.allSatisfy { $0.persisted == nil } && !all.isEmpty
            }
            #expect(parent.changes.inserted.count == pending && child.hasChanges)
            parent.rollback()
            try child.save()
            try parent.save()
            #expect(!child.hasChanges)
            try fixture.change { context in
                let ann = try context.get(ids[0])
                try ann.set("team", nil)
                try ann.set("captainOf", nil)
                try ann.replace("tags", [])
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aChildThatFollowsTakesItsParentsSaves(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try fixture.insert("Person", count: 2)
        let parent = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let child = ManagedObjectContext(parent: parent)
        child.automaticallyMergesChangesFromParent = true
        let (ann, bo) = (try child.get(ids[0]), try child.get(ids[1]))
        ann["name"] = .string("child")
        let theirs = try parent.get(ids[0])
        theirs["age"] = .int(5)
        try parent.delete(try parent.get(ids[1]))
        #expect(ann["age"] == .null)
        try parent.save()
        try child.processPendingChanges()
        #expect(ann["age"] == .int(5) && ann["name"] == .string("child") && ann.version == 2)
        #expect(bo.isDeleted)
        try child.save()
        try parent.save()
        #expect(try fixture.stored("Person", "name", of: ids[0]) == .string("child"))
    }
}
