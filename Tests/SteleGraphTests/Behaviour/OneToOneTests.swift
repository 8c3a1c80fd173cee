// One-to-one links that others change while a context has an end of them as it was: what it takes
// back is no change, and what it saves has both ends.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct OneToOneTests {
    /// Every kind of one-to-one link, from both its ends, and its inverse.
    private static let inverses = ["one": "eno", "eno": "one", "self": "self"]
    private static let links = inverses.keys.sorted()

    /// Nodes of which the first leads to the second, and a context that has nothing but the first.
    private struct Play {
        let fixture: Fixture
        let link: String
        let inverse: String
        let ids: [ObjectID]
        let context: ManagedObjectContext
        let first: ManagedObject

        init(_ kind: StoreKind, _ link: String, count: Int) throws {
            fixture = try Fixture(try makeNodes(), kind)
            self.link = link
            inverse = try #require(OneToOneTests.inverses[link])
            let ids = try fixture.insert("Node", count: count)
            self.ids = ids
            try fixture.change { try $0.get(ids[0]).set(link, try $0.get(ids[1])) }
            context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
            context.undoManager = UndoManager()
            first = try context.get(ids[0])
        }

        func key(_ link: String, _ index: Int) throws -> Int64? {
            try fixture.stored("Node.\(link)", of: ids[index].key)
        }

        /// The store has this link, with both its ends, and whoever else was in it has none.
        func expectLink(
            _ from: Int, _ to: Int, without rest: [Int],
            _ location: SourceLocation = #_sourceLocation
        ) throws {
            let (there, back) = (try key(link, from), try key(inverse, to))
            #expect(there == ids[to].key, sourceLocation: location)
            #expect(back == ids[from].key, sourceLocation: location)
            for index in rest {
                let (its, back) = (try key(link, index), try key(inverse, index))
                #expect(its == nil && back == nil, "node \(index)", sourceLocation: location)
            }
        }

        func mayConflict(_ work: () throws -> Void) throws {
            do { try work() } catch StoreError.conflicts {
                #expect(context.mergePolicy == .error)
                try context.refreshAllObjects()
                try context.save()
            }
        }
    }

    // MARK: Undo

    /// Deleted and brought back is no change, whomever others have linked with him meanwhile.
    @Test(arguments: StoreKind.allCases, links)
    func aDeletionThatIsTakenBackMakesNoLink(_ kind: StoreKind, _ link: String) throws {
        let play = try Play(kind, link, count: 3)
        try play.fixture.change { try $0.get(play.ids[0]).set(link, try $0.get(play.ids[2])) }
        try play.context.delete(play.first)
        try play.context.undo()
        #expect(!play.context.hasChanges)
        try play.context.save()
        try play.expectLink(0, 2, without: [1])
        #expect(try play.first.get(link)?.objectID == play.ids[2])
    }

    /// Nor is it where a rule had deleted him along with another.
    @Test(arguments: StoreKind.allCases, links)
    func aCascadeThatIsTakenBackMakesNoLink(_ kind: StoreKind, _ link: String) throws {
        let play = try Play(kind, link, count: 4)
        try play.fixture.change { try $0.get(play.ids[0]).set("holder", try $0.get(play.ids[3])) }
        try play.context.refreshAllObjects()
        _ = play.first["name"]
        try play.fixture.change {
            try $0.get(play.ids[2]).set(play.inverse, try $0.get(play.ids[0]))
        }
        try play.context.delete(try play.context.get(play.ids[3]))
        try play.context.undo()
        #expect(!play.context.hasChanges)
        try play.context.save()
        try play.expectLink(0, 2, without: [1, 3])
    }

    /// Nor where what he led to has been left for what nobody has read here.
    @Test(arguments: StoreKind.allCases, ["up", "list", "likes"])
    func whoIsBackLeadsWhereTheStoreHasHim(_ kind: StoreKind, _ link: String) throws {
        let play = try Play(kind, "one", count: 4)
        try play.fixture.change { try $0.get(play.ids[0]).set(link, try $0.get(play.ids[2])) }
        try play.context.refresh(play.first, mergeChanges: true)
        try play.fixture.change { context in
            let first = try context.get(play.ids[0])
            try first.set(link, try context.get(play.ids[3]))
            try first.set("one", nil)
        }
        try play.context.delete(play.first)
        try play.context.undo()
        #expect(!play.context.hasChanges)
        #expect(try play.first.get(link)?.objectID == play.ids[3])
    }

    /// Who has changes is not read again when he is back, and links nobody by his old row.
    @Test(arguments: MergePolicy.allCases, links)
    func whoIsBackWithChangesMakesNoLink(_ policy: MergePolicy, _ link: String) throws {
        for kind in StoreKind.allCases {
            let play = try Play(kind, link, count: 3)
            play.context.mergePolicy = policy
            play.first["name"] = .string("mine")
            try play.context.processPendingChanges()
            try play.fixture.change { try $0.get(play.ids[0]).set(link, try $0.get(play.ids[2])) }
            try play.context.delete(play.first)
            try play.context.undo()
            try play.mayConflict { try play.context.save() }
            // Who saves the whole object saves the link that it had.
            let there = policy == .overwrite ? 1 : 2
            try play.expectLink(0, there, without: [3 - there])
            #expect(!play.context.hasChanges)
        }
    }

    // MARK: Links that are made where an old row has them already

    enum Step: CaseIterable {
        case save, refresh, merge, takeBackName
    }

    /// Others have moved the first's link to the third; here it is made again, while the first has
    /// changes and says that it is there.
    @Test(arguments: MergePolicy.allCases, links)
    func aLinkThatOthersHaveMovedIsMadeWithBothEnds(_ policy: MergePolicy, _ link: String) throws {
        for step in Step.allCases {
            for kind in StoreKind.allCases { try make(kind, policy, link, step) }
        }
    }

    private func make(
        _ kind: StoreKind, _ policy: MergePolicy, _ link: String, _ step: Step
    ) throws {
        let play = try Play(kind, link, count: 3)
        let context = play.context
        context.mergePolicy = policy
        play.first["name"] = .string("mine")
        try play.fixture.change { try $0.get(play.ids[2]).set(link, try $0.get(play.ids[1])) }
        try context.get(play.ids[1]).set(play.inverse, play.first)
        switch step {
        case .save: break
        case .refresh: try context.refreshAllObjects()
        case .merge: try context.mergeChanges(fromContextDidSave: try play.fixture.lastSave())
        case .takeBackName: play.first["name"] = .string("Node 1")
        }
        if step == .save && policy == .error {
            #expect(throws: StoreError.self) { try context.save() }
        }
        try play.mayConflict { try context.save() }
        // What the store has by now wins where the link was met by the save.
        if step == .save && policy.keepsStored {
            try play.expectLink(2, 1, without: [0])
        } else {
            try play.expectLink(0, 1, without: [2])
        }
        let (there, back) = (
            try play.first.get(link)?.objectID.key,
            try context.get(play.ids[1]).get(play.inverse)?.objectID.key
        )
        #expect(try there == play.key(link, 0))
        #expect(try back == play.key(play.inverse, 1))
        #expect(!context.hasChanges)
    }

    // MARK: Refreshing without merging

    /// What is dropped is dropped at both ends: a link that others have cut does not come back.
    @Test(arguments: StoreKind.allCases, links)
    func changesThatAreDroppedMakeNoLink(_ kind: StoreKind, _ link: String) throws {
        for isFirst in [true, false] {
            let play = try Play(kind, link, count: 2)
            play.first["name"] = .string("mine")
            try play.fixture.change { try $0.get(play.ids[0]).set(link, nil) }
            let other = try play.context.get(play.ids[1])
            try play.first.set(link, nil)
            for object in isFirst ? [play.first, other] : [other, play.first] {
                try play.context.refresh(object, mergeChanges: false)
            }
            #expect(!play.context.hasChanges)
            try play.context.save()
            let (there, back) = (try play.key(link, 0), try play.key(play.inverse, 1))
            #expect(there == nil && back == nil)
            let (ours, its) = (try play.first.get(link), try other.get(play.inverse))
            #expect(ours == nil && its == nil)
        }
    }

    /// Of a link that was made here both ends go back, and who was parted for it is linked again.
    @Test(arguments: StoreKind.allCases, links)
    func aLinkThatIsDroppedGivesBackWhatItTook(_ kind: StoreKind, _ link: String) throws {
        let play = try Play(kind, link, count: 3)
        let new = try play.context.get(play.ids[2])
        try new.set(link, try play.context.get(play.ids[1]))
        #expect(try play.first.get(link) == nil)
        try play.context.refresh(new, mergeChanges: false)
        #expect(!play.context.hasChanges)
        #expect(try play.first.get(link)?.objectID == play.ids[1])
    }

    /// Who is back in an ordered to-many stands where the store has him.
    @Test(arguments: StoreKind.allCases)
    func whoIsBackInAListLeavesItsOrderAlone(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeNodes(), kind)
        let ids = try fixture.insert("Node", count: 3)
        try fixture.change { context in
            try context.get(ids[0]).replace("items", try ids[1...].map { try context.get($0) })
        }
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let (list, item) = (try context.get(ids[0]), try context.get(ids[1]))
        #expect(try list.keys("items") == [ids[1].key, ids[2].key])
        try item.set("list", nil)
        for object in [list, item] { try context.refresh(object, mergeChanges: false) }
        #expect(!context.hasChanges)
        #expect(try list.keys("items") == [ids[1].key, ids[2].key])
    }
}
