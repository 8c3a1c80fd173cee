// To-manys with unsaved changes whose members others have saved meanwhile, in a context that is
// asked by one child after the other, as requests do.

import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct MembersMeanwhileTests {
    /// To-manys of a Node: ordered or not, with each kind of inverse.
    private static let toManys = ["items", "down", "to", "from", "near", "owned"]

    private func play(
        _ kind: StoreKind, count: Int, undoes: Bool = true
    ) throws -> (Fixture, [ObjectID], ManagedObjectContext) {
        let fixture = try Fixture(try makeNodes(), kind)
        let context = fixture.coordinator.newContext()
        if undoes { context.undoManager = UndoManager() }
        return (fixture, try fixture.insert("Node", count: count), context)
    }

    /// One request: made in a child, and what it has read is forgotten.
    private func ask<Answer>(
        _ context: ManagedObjectContext, _ work: (ManagedObjectContext) throws -> Answer
    ) throws -> Answer {
        let child = ManagedObjectContext(parent: context)
        defer {
            child.close()
            context.forgetReadMembers()
        }
        return try context.inOneView {
            let answer = try work(child)
            try child.pushToParent()
            return answer
        }
    }

    /// Replaced are all that are members by then, whoever was added here before.
    @Test(arguments: StoreKind.allCases, toManys)
    func replacingAToManyRemovesMembersAddedMeanwhile(_ kind: StoreKind, _ toMany: String) throws {
        for (undoes, isAsked) in [(true, true), (true, false), (false, true), (false, false)] {
            let (fixture, ids, context) = try play(kind, count: 3, undoes: undoes)
            try ask(context) { try $0.get(ids[0]).add(toMany, try $0.get(ids[1])) }
            try fixture.change {
                try $0.get(ids[0]).replace(toMany, [try $0.get(ids[1]), try $0.get(ids[2])])
            }
            if isAsked {
                let keys = try ask(context) { try $0.get(ids[0]).keys(toMany) }
                #expect(keys == [ids[1].key, ids[2].key])
            }
            try ask(context) { try $0.get(ids[0]).replace(toMany, []) }
            #expect(try ask(context) { try $0.get(ids[0]).keys(toMany) }.isEmpty)
            // Whose a member without an inverse was is another thing that others have changed.
            do { try context.save() } catch StoreError.moved where toMany == "owned" {
                try context.refreshAllObjects()
                try context.save()
            }
            #expect(
                try fixture.storedMembers("Node.\(toMany)", of: ids[0].key).isEmpty,
                "undoes \(undoes), asked \(isAsked)")
            #expect(try ask(context) { try $0.get(ids[0]).keys(toMany) }.isEmpty)
        }
    }

    /// Who was taken out here and by others is a member again where the context wants him back.
    @Test(arguments: StoreKind.allCases, toManys)
    func undoingARemovalThatAnotherSaveHasMadeTooRestoresTheMember(
        _ kind: StoreKind, _ toMany: String
    ) throws {
        for undoes in [true, false] {
            let (fixture, ids, context) = try play(kind, count: 4, undoes: undoes)
            try fixture.change { try $0.get(ids[0]).replace(toMany, try ids[1...].map($0.get)) }
            try ask(context) { try $0.get(ids[0]).remove(toMany, try $0.get(ids[1])) }
            try fixture.change { try $0.get(ids[0]).remove(toMany, try $0.get(ids[1])) }
            let wanted = [ids[3], ids[1], ids[2]]
            try ask(context) { try $0.get(ids[0]).replace(toMany, try wanted.map($0.get)) }
            try context.save()
            let isOrdered = try fixture.relationship("Node.\(toMany)").isOrdered
            let keys = wanted.map(\.key)
            #expect(
                try fixture.storedMembers("Node.\(toMany)", of: ids[0].key)
                    == (isOrdered ? keys : keys.sorted()), "undoes \(undoes)")
        }
    }

    /// The link is the member's to-one, which is null again as it was read: that is a change where
    /// others have made the link as well.
    @Test(arguments: StoreKind.allCases, [("list", "items"), ("up", "down")])
    func aLinkThatOthersHaveMadeTooIsCut(_ kind: StoreKind, _ names: (String, String)) throws {
        for undoes in [true, false] {
            let (toOne, toMany) = names
            let (fixture, ids, context) = try play(kind, count: 2, undoes: undoes)
            try ask(context) { try $0.get(ids[1]).set(toOne, try $0.get(ids[0])) }
            try fixture.change { try $0.get(ids[1]).set(toOne, try $0.get(ids[0])) }
            try ask(context) { try $0.get(ids[1]).set(toOne, nil) }
            #expect(try ask(context) { try $0.get(ids[0]).keys(toMany) }.isEmpty)
            try context.save()
            #expect(try fixture.stored("Node.\(toOne)", of: ids[1].key) == nil)
        }
    }

    /// The same where others have cut it as well.
    @Test(arguments: StoreKind.allCases, [("list", "items"), ("up", "down")])
    func aLinkThatOthersHaveCutTooIsMade(_ kind: StoreKind, _ names: (String, String)) throws {
        for undoes in [true, false] {
            let (toOne, toMany) = names
            let (fixture, ids, context) = try play(kind, count: 2, undoes: undoes)
            try fixture.change { try $0.get(ids[1]).set(toOne, try $0.get(ids[0])) }
            try ask(context) { try $0.get(ids[1]).set(toOne, nil) }
            try fixture.change { try $0.get(ids[1]).set(toOne, nil) }
            try ask(context) { try $0.get(ids[1]).set(toOne, try $0.get(ids[0])) }
            #expect(try ask(context) { try $0.get(ids[0]).keys(toMany) } == [ids[1].key])
            try context.save()
            #expect(try fixture.stored("Node.\(toOne)", of: ids[1].key) == ids[0].key)
            #expect(try fixture.storedMembers("Node.\(toMany)", of: ids[0].key) == [ids[1].key])
        }
    }

    /// Undo takes back what was done here, and nothing that others have done.
    @Test(arguments: StoreKind.allCases, ["items", "down", "to", "from", "near"])
    func undoLeavesTheLinkThatOthersHaveMade(_ kind: StoreKind, _ toMany: String) throws {
        let (fixture, ids, context) = try play(kind, count: 2)
        try ask(context) { try $0.get(ids[0]).add(toMany, try $0.get(ids[1])) }
        try fixture.change { try $0.get(ids[0]).add(toMany, try $0.get(ids[1])) }
        try context.undo()
        context.forgetReadMembers()
        #expect(!context.hasChanges)
        #expect(try ask(context) { try $0.get(ids[0]).keys(toMany) } == [ids[1].key])
        try context.save()
        #expect(try fixture.storedMembers("Node.\(toMany)", of: ids[0].key) == [ids[1].key])
    }

    /// The owner's own changes keep him as he was read, but not whom he has.
    @Test(arguments: StoreKind.allCases, toManys)
    func membersOfWhoHasChangesAreReadAgain(_ kind: StoreKind, _ toMany: String) throws {
        let (fixture, ids, context) = try play(kind, count: 2)
        try ask(context) { try $0.get(ids[0])["name"] = .string("mine") }
        #expect(try ask(context) { try $0.get(ids[0]).keys(toMany) }.isEmpty)
        try fixture.change { try $0.get(ids[0]).add(toMany, try $0.get(ids[1])) }
        #expect(try ask(context) { try $0.get(ids[0]).keys(toMany) } == [ids[1].key])
        try ask(context) { try $0.get(ids[0]).replace(toMany, []) }
        try context.save()
        #expect(try fixture.storedMembers("Node.\(toMany)", of: ids[0].key).isEmpty)
    }

    /// Who came meanwhile stands behind those that were put in order here.
    @Test(arguments: StoreKind.allCases, ["items", "from"])
    func membersAddedMeanwhileStandAtTheEnd(_ kind: StoreKind, _ toMany: String) throws {
        let (fixture, ids, context) = try play(kind, count: 4)
        try fixture.change {
            try $0.get(ids[0]).replace(toMany, [try $0.get(ids[1]), try $0.get(ids[2])])
        }
        try ask(context) {
            try $0.get(ids[0]).replace(toMany, [try $0.get(ids[2]), try $0.get(ids[1])])
        }
        try fixture.change { try $0.get(ids[0]).add(toMany, try $0.get(ids[3])) }
        let keys = [2, 1, 3].map { ids[$0].key }
        #expect(try ask(context) { try $0.get(ids[0]).keys(toMany) } == keys)
        try context.save()
        #expect(try fixture.storedMembers("Node.\(toMany)", of: ids[0].key) == keys)
    }

    /// Nobody asks the context but itself: the owner is not held, and his members are cut all the
    /// same, by rows that are older than their links.
    @Test(arguments: StoreKind.allCases, [("list", "items"), ("up", "down")])
    func membersAddedMeanwhileLeaveAnUnregisteredOwner(
        _ kind: StoreKind, _ names: (String, String)
    ) throws {
        let (toOne, toMany) = names
        let (fixture, ids, context) = try play(kind, count: 3, undoes: false)
        try context.get(ids[1]).set(toOne, try context.get(ids[0]))
        try fixture.change {
            try $0.get(ids[0]).replace(toMany, [try $0.get(ids[1]), try $0.get(ids[2])])
        }
        try context.get(ids[0]).replace(toMany, [])
        try context.save()
        #expect(try fixture.storedMembers("Node.\(toMany)", of: ids[0].key).isEmpty)
    }
}
