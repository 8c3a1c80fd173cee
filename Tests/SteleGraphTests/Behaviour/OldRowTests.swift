// Contexts that go on from rows that are old by now: what they lead to, and in which order.

import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct OldRowTests {
    /// Nodes with a one-to-one link whose bearer takes the other with him.
    private static func bearers() throws -> Model {
        try makeNodes {
            $0.toOne("pass", "Node", inverse: "bearer", rule: .cascade)
                .toOne("bearer", "Node", inverse: "pass")
        }
    }

    /// What was taken from an object before it was deleted does not go with it, whoever looks again.
    @Test(arguments: StoreKind.allCases, [true, false])
    func whatWasTakenFromADeletedObjectStaysAfterARefresh(
        _ kind: StoreKind, _ isMoved: Bool
    ) throws {
        let fixture = try Fixture(try Self.bearers(), kind)
        let ids = try fixture.insert("Node", count: 3)
        try fixture.change { try $0.get(ids[0]).set("pass", try $0.get(ids[2])) }
        let context = fixture.coordinator.newContext()
        if isMoved {
            try context.get(ids[2]).set("bearer", try context.get(ids[1]))
        } else {
            try context.get(ids[0]).set("pass", nil)
        }
        try context.delete(try context.get(ids[0]))
        try context.refreshAllObjects()
        try context.save()
        #expect(try fixture.count("Node") == 2)
        #expect(try fixture.stored("Node.bearer", of: ids[2].key) == (isMoved ? ids[1].key : nil))
        #expect(try fixture.stored("Node.pass", of: ids[1].key) == (isMoved ? ids[2].key : nil))
    }

    /// What others have given a deleted object meanwhile goes with it.
    @Test(arguments: StoreKind.allCases)
    func whatADeletedObjectWasGivenMeanwhileGoesWithIt(_ kind: StoreKind) throws {
        let fixture = try Fixture(try Self.bearers(), kind)
        let ids = try fixture.insert("Node", count: 3)
        try fixture.change { try $0.get(ids[0]).set("pass", try $0.get(ids[1])) }
        let context = fixture.coordinator.newContext()
        try context.get(ids[0]).set("pass", nil)
        try context.delete(try context.get(ids[0]))
        try fixture.change { try $0.get(ids[0]).set("pass", try $0.get(ids[2])) }
        try context.refreshAllObjects()
        try context.save()
        #expect(try fixture.count("Node") == 1)
        #expect(try fixture.stored("Node", "name", of: ids[1]) != nil)
    }

    /// An undone insertion gives back what it had taken, and does not take it along.
    @Test(arguments: StoreKind.allCases)
    func whatAnUndoneInsertionHadTakenStaysAfterARefresh(_ kind: StoreKind) throws {
        let fixture = try Fixture(try Self.bearers(), kind)
        let id = try fixture.insert("Node")[0]
        let context = fixture.coordinator.newContext()
        context.undoManager = UndoManager()
        try context.insert(try fixture.entity("Node")).set("pass", try context.get(id))
        try context.save()
        try context.undo()
        try context.refreshAllObjects()
        try context.save()
        #expect(try fixture.count("Node") == 1)
        #expect(try fixture.stored("Node.bearer", of: id.key) == nil)
    }

    /// A member that others have added to a list, and this context by an older row of his, is in it
    /// once, and where the context wants him.
    @Test(arguments: StoreKind.allCases, [MergePolicy.objectTrump, .overwrite])
    func aMemberAddedByTwoContextsIsInTheListOnce(_ kind: StoreKind, _ policy: MergePolicy) throws {
        let fixture = try Fixture(try makeNodes(), kind)
        let ids = try fixture.insert("Node", count: 3)
        let context = fixture.coordinator.newContext()
        context.mergePolicy = policy
        try context.get(ids[2])["name"] = .string("q")
        try fixture.change { try $0.get(ids[0]).add("items", try $0.get(ids[2])) }
        let list = try context.get(ids[0])
        #expect(try list.keys("items") == [ids[2].key])
        try list.add("items", try context.get(ids[2]))
        try list.add("items", try context.get(ids[1]))
        let keys = [ids[2].key, ids[1].key]
        #expect(try list.keys("items") == keys)
        try context.save()
        #expect(try fixture.storedMembers("Node.items", of: ids[0].key) == keys)
        // A member more takes a place of its own.
        try fixture.change {
            try $0.get(ids[0]).add("items", try $0.insert(try fixture.entity("Node")))
        }
        #expect(
            try fixture.storedMembers("Node.items", of: ids[0].key).prefix(2).elementsEqual(keys))
    }

    /// The same where the context gave him up, and takes him back when others have done so, too.
    @Test(arguments: StoreKind.allCases)
    func aMemberRestoredByTwoContextsIsInTheListOnce(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeNodes(), kind)
        let ids = try fixture.insert("Node", count: 3)
        try fixture.change {
            try $0.get(ids[0]).replace("items", [try $0.get(ids[1]), try $0.get(ids[2])])
        }
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.mergePolicy = .objectTrump
        let list = try context.get(ids[0])
        _ = try list.keys("items")
        try context.get(ids[1]).set("list", nil)
        try context.save()
        try fixture.change { try $0.get(ids[1]).set("list", try $0.get(ids[0])) }
        _ = try list.keys("items")
        try context.get(ids[1]).set("list", list)
        #expect(try list.keys("items").sorted() == [ids[1].key, ids[2].key])
        try context.save()
        #expect(
            try fixture.storedMembers("Node.items", of: ids[0].key) == [ids[2].key, ids[1].key])
    }

    /// Replaced are all that the list has, also who came by others after his row was read.
    @Test(arguments: StoreKind.allCases, [true, false])
    func replacingAToManyRemovesMembersAddedMeanwhile(_ kind: StoreKind, _ refreshes: Bool) throws {
        let fixture = try Fixture(try makeNodes(), kind)
        let ids = try fixture.insert("Node", count: 3)
        let context = fixture.coordinator.newContext()
        try context.get(ids[1]).set("list", try context.get(ids[0]))
        try fixture.change {
            try $0.get(ids[0]).replace("items", [try $0.get(ids[1]), try $0.get(ids[2])])
        }
        let list = try context.get(ids[0])
        try list.replace("items", [])
        #expect(try list.keys("items").isEmpty)
        if refreshes { try context.refreshAllObjects() }
        #expect(try context.get(ids[0]).keys("items").isEmpty)
        try context.save()
        #expect(try fixture.storedMembers("Node.items", of: ids[0].key).isEmpty)
    }

    /// Who has left a list by another's save stands in the other list where that save has put him.
    @Test(arguments: StoreKind.allCases)
    func aMemberMovedByAnotherSaveKeepsItsPlace(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeNodes(), kind)
        let ids = try fixture.insert("Node", count: 5)
        try fixture.change {
            try $0.get(ids[0]).replace("items", [try $0.get(ids[2]), try $0.get(ids[3])])
            try $0.get(ids[1]).replace("items", [try $0.get(ids[4])])
        }
        let context = fixture.coordinator.newContext()
        context.undoManager = UndoManager()
        try context.get(ids[2]).set("list", nil)
        try fixture.change { try $0.get(ids[3]).set("list", nil) }
        try context.delete(try context.get(ids[0]))
        try fixture.change { try $0.get(ids[3]).set("list", try $0.get(ids[1])) }
        try context.undo()
        try context.save()
        #expect(
            try fixture.storedMembers("Node.items", of: ids[1].key) == [ids[4].key, ids[3].key])
    }

    /// A deletion that is taken back is no change, though who is deleted has become a member of
    /// himself by others meanwhile.
    @Test(arguments: StoreKind.allCases)
    func undoingADeletionOfAnObjectThatIsItsOwnMemberIsNoChange(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeNodes(), kind)
        let ids = try fixture.insert("Node", count: 2)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.undoManager = UndoManager()
        let node = try context.get(ids[1])
        try fixture.change {
            let node = try $0.get(ids[1])
            try node.replace("down", [try $0.get(ids[0]), node])
        }
        try context.delete(node)
        try context.undo()
        #expect(try !context.hasChanges && node.changedValues().isEmpty)
        try context.refreshAllObjects()
        #expect(try node.keys("down") == ids.map(\.key).sorted())
        #expect(try node.get("up") === node)
    }

    /// Nor is it one where others have cut meanwhile what the rows at both ends say.
    @Test(arguments: StoreKind.allCases, ["self", "one", "up"])
    func whatOthersHaveCutDoesNotComeBack(_ kind: StoreKind, _ link: String) throws {
        let fixture = try Fixture(try makeNodes(), kind)
        let ids = try fixture.insert("Node", count: 3)
        try fixture.change {
            try $0.get(ids[2]).set(link, try $0.get(ids[0]))
            try $0.get(ids[2]).set("holder", try $0.get(ids[1]))
        }
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.undoManager = UndoManager()
        let (first, last) = (try context.get(ids[0]), try context.get(ids[2]))
        try fixture.change {
            try $0.get(ids[2]).set(link, nil)
            try $0.get(ids[2]).set("holder", nil)
        }
        for gone in [last, first] {
            try context.delete(gone)
            try context.undo()
            #expect(try !context.hasChanges && gone.changedValues().isEmpty)
            #expect(try first.changedValues().isEmpty && last.changedValues().isEmpty)
        }
        try context.save()
        let fresh = fixture.context()
        #expect(try fresh.get(ids[2]).get(link) == nil && fresh.get(ids[2]).get("holder") == nil)
    }

    /// Nor where others have deleted who comes back: what led to him is old, too.
    @Test(arguments: StoreKind.allCases, ["self", "one", "up"])
    func whatOthersHaveDeletedLeavesNoChange(_ kind: StoreKind, _ link: String) throws {
        let fixture = try Fixture(try makeNodes(), kind)
        let ids = try fixture.insert("Node", count: 3)
        try fixture.change {
            try $0.get(ids[0]).set(link, try $0.get(ids[2]))
            try $0.get(ids[2]).set("holder", try $0.get(ids[1]))
        }
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.undoManager = UndoManager()
        let (first, last) = (try context.get(ids[0]), try context.get(ids[2]))
        try fixture.change { try $0.delete(try $0.get(ids[2])) }
        try context.delete(last)
        try context.undo()
        #expect(try !context.hasChanges && first.changedValues().isEmpty)
        try context.save()
        let fresh = fixture.context()
        #expect(try first.get(link) == nil && fresh.get(ids[0]).get(link) == nil)
    }
}
