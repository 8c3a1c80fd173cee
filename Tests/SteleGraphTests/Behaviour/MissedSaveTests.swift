// Contexts that have missed a save, or whose store failed them meanwhile: nothing dangles, nothing
// is counted twice, nothing is lost without a word.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct MissedSaveTests {

    @Test(arguments: StoreKind.allCases)
    func aPinnedContextThatSavesGetsTheNewsAllTheSame(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try fixture.insert("Person", count: 2)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.setQueryGeneration(from: .current)
        context.automaticallyMergesChangesFromParent = true
        let people = try ids.map { try context.get($0) }
        try fixture.change { try $0.get(ids[0])["name"] = .string("Theirs") }
        try waitUntil { context.following?.inbox.isEmpty == false }
        people[1]["name"] = .string("Mine")
        try context.save()
        #expect(people[0]["name"] == .string("Theirs"))
        #expect(try fixture.stored("Person", "name", of: ids[1]) == .string("Mine"))
    }

    @Test(arguments: StoreKind.allCases)
    func refreshingAllIsTheWayOutOfAConflictForEveryContext(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let id = try fixture.insert("Person")[0]
        let pinned = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        pinned.setQueryGeneration(from: .current)
        let contexts = [pinned, fixture.context(), fixture.coordinator.newContext()]
        for (number, context) in contexts.enumerated() {
            let ann = try context.get(id)
            ann["age"] = .int(Int64(number))
            try fixture.change { other in
                let theirs = try other.get(id)
                theirs["name"] = .string("\(theirs.version)")
            }
            #expect(throws: StoreError.self) { try context.save() }
            try context.refreshAllObjects()
            try context.save()
            #expect(try fixture.stored("Person", "age", of: id) == ann["age"])
        }
    }

    /// One end of a one-to-one link is read again, the other is held by what can be undone as it was.
    @Test(arguments: StoreKind.allCases)
    func aLinkWhoseOtherEndIsOldIsNotCut(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeNodes(), kind)
        let ids = try fixture.insert("Node", count: 2)
        let context = fixture.coordinator.newContext()
        context.undoManager = UndoManager()
        try context.get(ids[1])["name"] = .string("mine")
        try context.save()
        try fixture.change { try $0.get(ids[0]).set("one", try $0.get(ids[1])) }
        let node = try context.get(ids[0])
        try context.refresh(node, mergeChanges: true)
        #expect(!context.hasChanges)
        let one = try fixture.relationship("Node.one")
        let eno = try fixture.relationship("Node.eno")
        #expect(node.value(one.slot) == .key(ids[1].key))
        #expect(try context.get(ids[1]).value(eno.slot) == .key(ids[0].key))
    }

    /// A link is taken from whom the store has it lead from, not from whom it led from once.
    @Test(arguments: StoreKind.allCases, [MergePolicy.overwrite, .objectTrump])
    func aLinkThatOthersHaveMovedIsTakenFromWhereItIs(
        _ kind: StoreKind, _ policy: MergePolicy
    ) throws {
        let fixture = try Fixture(try makeNodes(), kind)
        let ids = try fixture.insert("Node", count: 3)
        let context = fixture.context()
        context.mergePolicy = policy
        let nodes = try ids.map { try context.get($0) }
        try nodes[0].set("one", nodes[1])
        try fixture.change { try $0.get(ids[2]).set("one", try $0.get(ids[1])) }
        try context.save()
        #expect(try fixture.stored("Node.one", of: ids[0].key) == ids[1].key)
        #expect(try fixture.stored("Node.eno", of: ids[1].key) == ids[0].key)
        #expect(try fixture.stored("Node.one", of: ids[2].key) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func overwritingMakesNoLinkToADeletedObject(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeNodes(), kind)
        let ids = try fixture.insert("Node", count: 2)
        let context = fixture.coordinator.newContext()
        context.mergePolicy = .overwrite
        let node = try context.get(ids[0])
        try node.add("to", try context.get(ids[1]))
        try fixture.change { try $0.delete(try $0.get(ids[1])) }
        #expect(throws: StoreError.self) { try context.save() }
        try context.refreshAllObjects()
        try context.save()
        #expect(!context.hasChanges)
        #expect(try fixture.storedMembers("Node.to", of: ids[0].key).isEmpty)
    }

    /// The save is refused for what a link relies on; the policy holds for all the others.
    @Test(arguments: StoreKind.allCases, MergePolicy.allCases)
    func whatOthersHaveDeletedIsSettledWhereALinkHasMoved(
        _ kind: StoreKind, _ policy: MergePolicy
    ) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let people = try fixture.insert("Person", count: 4)
        let teams = try fixture.insert("Team", count: 2)
        try fixture.change { try $0.get(people[0]).set("team", try $0.get(teams[1])) }
        let context = fixture.coordinator.newContext()
        context.mergePolicy = policy
        try context.get(people[0])["age"] = .int(4)
        try context.get(people[1]).set("team", try context.get(teams[0]))
        try context.get(people[2])["age"] = .int(5)
        try context.delete(try context.get(people[3]))
        try fixture.change { other in
            try other.delete(try other.get(people[0]))
            try other.delete(try other.get(teams[0]))
            try other.get(people[2])["name"] = .string("theirs")
            try other.get(people[3])["name"] = .string("theirs")
        }
        #expect(throws: StoreError.self) { try context.save() }
        try context.settleAllObjects()
        try context.save()
        #expect(!context.hasChanges)
        let isOurs = policy == .objectTrump || policy == .overwrite
        #expect(
            try fixture.stored("Person", "age", of: people[0]) == (isOurs ? .int(4) : nil))
        #expect(
            try fixture.storedMembers("Team.players", of: teams[1].key)
                == (isOurs ? [people[0].key] : []))
        if isOurs { #expect(try fixture.stored("Person.team", of: people[0].key) == teams[1].key) }
        #expect(try fixture.stored("Person.team", of: people[1].key) == nil)
        #expect(
            try fixture.stored("Person", "age", of: people[2])
                == (policy == .rollback ? .null : .int(5)))
        #expect(
            try fixture.stored("Person", "name", of: people[2])
                == .string(policy == .overwrite ? "Person 3" : "theirs"))
        #expect((try fixture.version("Person", people[3].key) == nil) == !policy.keepsStored)
    }

    /// Its row was read before the other save; its link to what is deleted here was not.
    @Test(arguments: StoreKind.allCases)
    func aLinkMadeMeanwhileToADeletedObjectIsCut(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeNodes(), kind)
        let ids = try fixture.insert("Node", count: 2)
        let context = fixture.context()
        let nodes = try ids.map { try context.get($0) }
        try fixture.change { try $0.get(ids[0]).set("up", try $0.get(ids[1])) }
        try context.delete(nodes[1])
        do { try context.save() } catch is StoreError {
            try context.refreshAllObjects()
            try context.save()
        }
        #expect(try fixture.stored("Node.up", of: ids[0].key) == nil)
    }

    /// Deleted in two contexts, and brought back in both by undo: the second has a change of it.
    @Test(arguments: StoreKind.allCases)
    func whatTwoBringBackIsThereOnce(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeNodes(), kind)
        let id = try fixture.insert("Node")[0]
        let contexts = try fixture.contextsThatBringBack(id)
        let back = try contexts.map { try $0.get(id) }
        back[1]["name"] = .string("second")
        try contexts[0].save()
        try contexts[1].mergeChanges(fromContextDidSave: try fixture.lastSave())
        #expect(back[1].isUpdated && !back[1].isInserted)
        try contexts[1].save()
        #expect(try fixture.stored("Node", "name", of: id) == .string("second"))
    }

    /// An order that was taken back is no change: the store's is followed.
    @Test(arguments: StoreKind.allCases)
    func anOrderThatIsNoChangeFollowsTheStores(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeNodes(), kind)
        let ids = try fixture.insert("Node", count: 4)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.undoManager = UndoManager()
        let owner = try context.get(ids[0])
        try owner.add("items", try context.get(ids[1]))
        try context.save()
        try owner.add("items", try context.get(ids[2]))
        try context.undo()
        #expect(!context.hasChanges)
        try fixture.change { other in
            try other.get(ids[0]).replace("items", try [3, 2, 1].map { try other.get(ids[$0]) })
        }
        try context.mergeChanges(fromContextDidSave: try fixture.lastSave())
        #expect(try owner.keys("items") == [ids[3].key, ids[2].key, ids[1].key])
        #expect(!context.hasChanges)
    }

    /// Two that are deleted here and linked elsewhere: both are back, and linked.
    @Test(arguments: StoreKind.allCases, [MergePolicy.storeTrump, .rollback])
    func deletionsThatAreTakenBackAreLinkedAsTheStoreHasThem(
        _ kind: StoreKind, _ policy: MergePolicy
    ) throws {
        let fixture = try Fixture(try makeNodes(), kind)
        let ids = try fixture.insert("Node", count: 2)
        let mine = fixture.context()
        mine.mergePolicy = policy
        for id in ids { try mine.delete(try mine.get(id)) }
        try fixture.change { try $0.get(ids[0]).set("eno", try $0.get(ids[1])) }
        try mine.save()
        let one = try fixture.relationship("Node.one")
        let eno = try fixture.relationship("Node.eno")
        for context in [mine, fixture.context()] {
            #expect(try context.get(ids[0]).value(eno.slot) == .key(ids[1].key))
            #expect(try context.get(ids[1]).value(one.slot) == .key(ids[0].key))
        }
    }

    /// A link that was made or cut here and elsewhere is one link.
    @Test(arguments: StoreKind.allCases)
    func whatBothHaveLinkedIsOneMember(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let (tag, id) = (try fixture.insert("Tag")[0], try fixture.insert("Person")[0])
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let (ours, ann) = (try context.get(tag), try context.get(id))
        // From the side that is not asked, so that the other is not read.
        try ours.add("people", ann)
        try fixture.change { try $0.get(id).add("tags", try $0.get(tag)) }
        #expect(try ann.keys("tags") == [tag.key])
        #expect(try ours.members(try ours.link("people")).count == 1)
        try context.save()
        #expect(try fixture.storedMembers("Person.tags", of: id.key) == [tag.key])
        let again = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let (mine, person) = (try again.get(tag), try again.get(id))
        try mine.remove("people", person)
        try fixture.change { try $0.get(id).replace("tags", []) }
        #expect(try person.keys("tags") == [] && mine.keys("people") == [])
        try again.save()
        #expect(try fixture.storedMembers("Tag.people", of: tag.key) == [])
    }

    /// What a policy leaves nothing of is no save of its own: the other's is still to be merged.
    @Test(arguments: StoreKind.allCases)
    func aSaveOfNothingIsNobodysTransaction(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try fixture.insert("Person", count: 2)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.mergePolicy = .rollback
        let people = try ids.map { try context.get($0) }
        // It follows, and nobody tells it: the news is on its way.
        context.automaticallyMergesChangesFromParent = true
        context.following?.stop()
        people[0]["age"] = .int(1)
        try fixture.change { other in
            for id in ids { try other.get(id)["name"] = .string("Theirs") }
        }
        let token = try fixture.token()
        try context.save()
        #expect(try fixture.token() == token && !context.hasChanges)
        #expect(people[0]["name"] == .string("Theirs") && people[0]["age"] == .null)
        #expect(people[1]["name"] == .string("Person 2"))
        context.following?.inbox.add([try fixture.lastSave()])
        try context.processPendingChanges()
        #expect(people[1]["name"] == .string("Theirs"))
    }

    @Test func anIdleContextKeepsABoundedRecordOfOtherSaves() throws {
        let fixture = try Fixture(try makeLeague(), .memory)
        let ids = try fixture.insert("Person", count: 2)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.automaticallyMergesChangesFromParent = true
        let ann = try context.get(ids[0])
        ann["age"] = .int(4)
        let inbox = try #require(context.following?.inbox)
        try fixture.change { try $0.get(ids[0])["name"] = .string("Theirs") }
        var many = HistoryTransaction(
            number: 99, timestamp: 0, author: nil, contextName: nil, changes: [])
        for key in 1...MergeInbox.most + 1 {
            many.changes.append(
                HistoryChange(
                    kind: .update, entity: try fixture.entity("Person").index, key: Int64(key),
                    version: 1))
        }
        inbox.add([many])
        let news = inbox.take()
        #expect(news.isAnything && news.saves.isEmpty)
        inbox.putBack(news)
        try context.processPendingChanges()
        #expect(ann["name"] == .string("Theirs") && ann["age"] == .int(4))
    }

    @Test(arguments: StoreKind.allCases)
    func newsThatCannotBeReadAreReadLater(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind, rowCacheBytes: 0, isCounting: true)
        let id = try fixture.insert("Person")[0]
        let store = try #require(fixture.counter)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let ann = try context.get(id)
        context.automaticallyMergesChangesFromParent = true
        try fixture.change { try $0.get(id)["name"] = .string("Theirs") }
        try waitUntil { context.following?.inbox.isEmpty == false }
        store.reads.withLock { $0.fails = true }
        #expect(throws: StoreError.self) { try context.processPendingChanges() }
        store.reads.withLock { $0.fails = false }
        try context.processPendingChanges()
        #expect(ann["name"] == .string("Theirs"))
    }

    @Test(arguments: StoreKind.allCases)
    func aValueSetOnAFaultThatCannotBeReadIsNotLostWithoutAWord(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind, rowCacheBytes: 0, isCounting: true)
        let id = try fixture.insert("Tag")[0]
        let store = try #require(fixture.counter)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let tag = try context.object(with: id)
        store.reads.withLock { $0.fails = true }
        tag["name"] = .string("Lost")
        #expect(tag["name"] == .null && tag.isFault)
        store.reads.withLock { $0.fails = false }
        #expect(throws: StoreError.self) { try context.save() }
        try context.refreshAllObjects()
        let lost = ContextError.valueLost(entity: "Tag", key: id.key, property: "name")
        #expect(throws: lost) { try context.save() }
        context.rollback()
        tag["name"] = .string("Found")
        try context.save()
        #expect(try fixture.stored("Tag", "name", of: id) == .string("Found"))
    }

    /// Two contexts that both take the same saved deletion back: one of them is told.
    @Test(arguments: StoreKind.allCases)
    func anObjectThatIsThereAlreadyIsNotInsertedAgain(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let id = try fixture.insert("Person")[0]
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.undoManager = UndoManager()
        try context.delete(try context.get(id))
        try context.save()
        try context.undo()
        let request = try #require(try context.saveRequest())
        try context.save()
        let error = #expect(throws: StoreError.self) { try fixture.store.save(request) }
        guard case .moved? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try fixture.count("Person") == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func transientValuesAreNoChangeAfterASave(_ kind: StoreKind) throws {
        let fixture = try Fixture(
            try makeModel([
                EntityMaker("Note").attribute("name", .string)
                    .attribute("mood", .string) { $0.isTransient = true }
            ]), kind)
        let context = fixture.context()
        let note = try context.insert(try fixture.entity("Note"))
        note["mood"] = .string("calm")
        try context.save()
        note["name"] = .string("x")
        #expect(try note.changedValues().keys.sorted() == ["name"])
        note["mood"] = .string("wild")
        #expect(try note.changedValues().keys.sorted() == ["mood", "name"])
        try context.save()
        #expect(try note.changedValues().isEmpty && note["mood"] == .string("wild"))
    }
}
