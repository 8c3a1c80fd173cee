// Links whose two ends a context has read at different times: a link that others have made or moved
// between is never left with one end.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct OldEndTests {
    /// A context that keeps what it reads, and so is never told that it is old.
    private func play(
        _ kind: StoreKind, count: Int
    ) throws -> (Fixture, [ObjectID], ManagedObjectContext) {
        let fixture = try Fixture(try makeNodes(), kind)
        let ids = try fixture.insert("Node", count: count)
        return (fixture, ids, fixture.coordinator.newContext(retainsRegisteredObjects: true))
    }

    /// The store has both ends.
    private func expectLink(
        _ fixture: Fixture, _ from: ObjectID, _ to: ObjectID,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let (one, eno) = (
            try fixture.stored("Node.one", of: from.key), try fixture.stored("Node.eno", of: to.key)
        )
        #expect(one == to.key && eno == from.key, sourceLocation: location)
    }

    /// Who holds the destination was read before he came to hold it.
    @Test(arguments: StoreKind.allCases)
    func aLinkIsTakenFromAHolderThatIsOld(_ kind: StoreKind) throws {
        let (fixture, ids, context) = try play(kind, count: 3)
        let new = try context.get(ids[0])
        _ = try context.get(ids[1])
        try fixture.change { try $0.get(ids[1]).set("one", try $0.get(ids[2])) }
        try new.set("one", try context.get(ids[2]))
        try context.save()
        try expectLink(fixture, ids[0], ids[2])
        #expect(try fixture.stored("Node.one", of: ids[1].key) == nil)
    }

    /// Whom the object led to was read before it came to lead there.
    @Test(arguments: StoreKind.allCases)
    func aLinkIsCutAtADestinationThatIsOld(_ kind: StoreKind) throws {
        let (fixture, ids, context) = try play(kind, count: 3)
        _ = try context.get(ids[1])
        try fixture.change { try $0.get(ids[0]).set("one", try $0.get(ids[1])) }
        try context.get(ids[0]).set("one", try context.get(ids[2]))
        try context.save()
        try expectLink(fixture, ids[0], ids[2])
        #expect(try fixture.stored("Node.eno", of: ids[1].key) == nil)
    }

    /// What has changes is not read again behind their back: the save tells that it is old.
    @Test(arguments: StoreKind.allCases)
    func anOldObjectWithChangesIsAConflict(_ kind: StoreKind) throws {
        let (fixture, ids, context) = try play(kind, count: 3)
        let old = try context.get(ids[1])
        old["name"] = .string("mine")
        try fixture.change {
            try $0.get(ids[1])["name"] = .string("theirs")
            try $0.get(ids[1]).set("one", try $0.get(ids[2]))
        }
        try context.get(ids[0]).set("one", try context.get(ids[2]))
        let error = #expect(throws: StoreError.self) { try context.save() }
        guard case .conflicts(let conflicts)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(conflicts.map(\.key) == [ids[1].key])
        try context.refreshAllObjects()
        try context.save()
        try expectLink(fixture, ids[0], ids[2])
        #expect(try fixture.stored("Node.one", of: ids[1].key) == nil)
        #expect(try fixture.stored("Node", "name", of: ids[1]) == .string("mine"))
    }

    /// Changes that are taken back are none, and no version tells of them.
    @Test(arguments: StoreKind.allCases, ["one", "up", "likes"])
    func anObjectWithRevertedChangesLosesItsLinkToADeletedObject(_ kind: StoreKind, _ link: String)
        throws
    {
        let (fixture, ids, context) = try play(kind, count: 2)
        let old = try context.get(ids[0])
        try fixture.change { try $0.get(ids[0]).set(link, try $0.get(ids[1])) }
        old["name"] = .string("mine")
        try context.delete(try context.get(ids[1]))
        try context.processPendingChanges()
        old["name"] = .string("Node 1")
        try context.save()
        #expect(try fixture.stored("Node.\(link)", of: ids[0].key) == nil)
        #expect(try old.get(link) == nil && !context.hasChanges)
    }

    /// He is read again, alone, after what he has come to lead to was deleted here.
    @Test(arguments: StoreKind.allCases)
    func anObjectWithRevertedChangesLosesItsLinkWhenOthersAreMerged(_ kind: StoreKind) throws {
        let (fixture, ids, context) = try play(kind, count: 2)
        let old = try context.get(ids[0])
        try fixture.change { try $0.get(ids[0]).set("up", try $0.get(ids[1])) }
        old["name"] = .string("mine")
        try context.delete(try context.get(ids[1]))
        try context.processPendingChanges()
        try context.refresh(old, mergeChanges: false)
        try context.mergeChanges(fromContextDidSave: try fixture.lastSave())
        #expect(old.value(try fixture.relationship("Node.up").slot) == .null)
    }

    @Test(arguments: StoreKind.allCases)
    func anObjectWithRevertedChangesLosesALinkMadeByAnother(_ kind: StoreKind) throws {
        let (fixture, ids, context) = try play(kind, count: 3)
        let (new, old) = (try context.get(ids[0]), try context.get(ids[1]))
        try fixture.change { try $0.get(ids[1]).set("one", try $0.get(ids[2])) }
        old["name"] = .string("mine")
        try new.set("one", try context.get(ids[2]))
        old["name"] = .string("Node 2")
        try context.save()
        try expectLink(fixture, ids[0], ids[2])
        #expect(try fixture.stored("Node.one", of: ids[1].key) == nil)
    }

    /// A link that was made here and there is one, whichever of its ends wins.
    @Test(arguments: StoreKind.allCases, MergePolicy.allCases.filter { $0 != .error })
    func whatBothHaveMadeIsSettledAsOneLink(_ kind: StoreKind, _ policy: MergePolicy) throws {
        let (fixture, ids, context) = try play(kind, count: 2)
        context.mergePolicy = policy
        let old = try context.get(ids[0])
        old["name"] = .string("mine")
        try fixture.change { try $0.get(ids[0]).set("one", try $0.get(ids[1])) }
        try old.set("one", try context.get(ids[1]))
        try context.save()
        try expectLink(fixture, ids[0], ids[1])
        #expect(try context.get(ids[1]).get("eno") === old)
    }

    /// A deletion that is taken back links what the store links, not what led there when it was read.
    @Test(arguments: StoreKind.allCases, [MergePolicy.storeTrump, .rollback])
    func undoingADeletionDoesNotRestoreALinkThatOthersHaveCut(
        _ kind: StoreKind, _ policy: MergePolicy
    ) throws {
        let (fixture, ids, context) = try play(kind, count: 3)
        try fixture.change { try $0.get(ids[0]).set("one", try $0.get(ids[1])) }
        context.mergePolicy = policy
        let old = try context.get(ids[0])
        old["name"] = .string("mine")
        try fixture.change { try $0.get(ids[0]).set("one", try $0.get(ids[2])) }
        _ = try context.get(ids[1])
        try context.delete(old)
        try context.save()
        try expectLink(fixture, ids[0], ids[2])
        #expect(try fixture.stored("Node.eno", of: ids[1].key) == nil)
    }

    /// A link that loses gives back what it has taken.
    @Test(arguments: StoreKind.allCases, [MergePolicy.storeTrump, .rollback])
    func whoWasPartedForALinkThatLosesIsLinkedAgain(
        _ kind: StoreKind, _ policy: MergePolicy
    ) throws {
        let (fixture, ids, context) = try play(kind, count: 4)
        try fixture.change { try $0.get(ids[0]).set("one", try $0.get(ids[1])) }
        context.mergePolicy = policy
        let nodes = try ids.map { try context.get($0) }
        try nodes[2].set("one", nodes[1])
        try fixture.change { try $0.get(ids[2]).set("one", try $0.get(ids[3])) }
        try context.save()
        try expectLink(fixture, ids[0], ids[1])
        try expectLink(fixture, ids[2], ids[3])
        #expect(try nodes[0].get("one") === nodes[1] && nodes[2].get("one") === nodes[3])
    }

    /// Without an inverse the store is asked who leads to what is deleted; who is known is older.
    @Test(arguments: StoreKind.allCases)
    func aLinkWithoutAnInverseMadeMeanwhileToADeletedObjectIsCut(_ kind: StoreKind) throws {
        let (fixture, ids, context) = try play(kind, count: 2)
        let old = try context.get(ids[0])
        try fixture.change { try $0.get(ids[0]).set("likes", try $0.get(ids[1])) }
        try context.delete(try context.get(ids[1]))
        try context.save()
        #expect(try fixture.stored("Node.likes", of: ids[0].key) == nil)
        #expect(try old.get("likes") == nil && !context.hasChanges)
    }

    // MARK: Many to many

    private let bothWays = ["near": "near", "to": "from", "from": "to"]

    private func expectMembers(
        _ link: String, _ from: ManagedObject, _ to: ManagedObject, isLinked: Bool,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let inverse = try #require(bothWays[link])
        let (there, back) = (try from.keys(link), try to.keys(inverse))
        #expect(there == (isLinked ? [to.objectID.key] : []), sourceLocation: location)
        #expect(back == (isLinked ? [from.objectID.key] : []), sourceLocation: location)
    }

    /// That a link was no addition is known at both ends when one of them is read for its undo.
    @Test(arguments: StoreKind.allCases, ["near", "to", "from"])
    func aLinkThatOthersHaveMadeTooIsTakenBackAtBothEnds(
        _ kind: StoreKind, _ link: String
    ) throws {
        let (fixture, ids, context) = try play(kind, count: 2)
        context.undoManager = UndoManager()
        let (old, new) = (try context.get(ids[0]), try context.get(ids[1]))
        #expect(try old.keys(link) == [])
        try fixture.change { try $0.get(ids[0]).add(link, try $0.get(ids[1])) }
        try old.add(link, new)
        try context.undo()
        try expectMembers(link, old, new, isLinked: false)
        try context.mergeChanges(fromContextDidSave: try fixture.lastSave())
        try expectMembers(link, old, new, isLinked: false)
        try context.save()
        #expect(try fixture.storedMembers("Node.\(link)", of: ids[0].key) == [])
        try expectMembers(link, old, new, isLinked: false)
    }

    /// One end is read again, and tells the other.
    @Test(arguments: StoreKind.allCases, ["near", "to", "from"])
    func aLinkThatOthersHaveMadeTooIsNoChangeAtEitherEnd(
        _ kind: StoreKind, _ link: String
    ) throws {
        let (fixture, ids, context) = try play(kind, count: 2)
        let (old, new) = (try context.get(ids[0]), try context.get(ids[1]))
        try expectMembers(link, old, new, isLinked: false)
        try fixture.change { try $0.get(ids[0]).add(link, try $0.get(ids[1])) }
        try old.add(link, new)
        try context.refresh(old, mergeChanges: true)
        try expectMembers(link, old, new, isLinked: true)
        #expect(!context.hasChanges)
    }

    /// Where the two ends do not say the same of a link before it changes, the store is asked.
    @Test(arguments: ["near", "to", "from"], [false, true])
    func aLinkIsMadeAndCutAsTheStoreHasIt(_ link: String, _ isCut: Bool) throws {
        for kind in StoreKind.allCases { try makeOrCut(link, isCut, kind) }
    }

    private func makeOrCut(_ link: String, _ isCut: Bool, _ kind: StoreKind) throws {
        let (fixture, ids, context) = try play(kind, count: 2)
        func change(_ context: ManagedObjectContext) throws {
            let (from, to) = (try context.get(ids[0]), try context.get(ids[1]))
            try isCut ? from.remove(link, to) : from.add(link, to)
        }
        if isCut { try fixture.change { try $0.get(ids[0]).add(link, try $0.get(ids[1])) } }
        let (old, new) = (try context.get(ids[0]), try context.get(ids[1]))
        #expect(try old.keys(link).isEmpty == !isCut)
        try fixture.change(change)
        #expect(try new.keys(try #require(bothWays[link])).isEmpty == isCut)
        try change(context)
        try expectMembers(link, old, new, isLinked: !isCut)
        #expect(!context.hasChanges)
    }
}
