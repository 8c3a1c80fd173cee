// Who has come to an object beside a context that deletes it: its delete rules are for him, too,
// also where a merge policy takes his own deletion back.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct LateMemberTests {
    private func model() throws -> Model {
        try makeNodes {
            $0.toOne("crew", "Node", inverse: "hands")
                .toMany("hands", "Node", inverse: "crew", rule: .cascade, ordered: true)
        }
    }

    @Test(arguments: MergePolicy.allCases, ["crew", "holder"])
    func whoHasJoinedWhatIsDeletedGoesWithIt(_ policy: MergePolicy, _ link: String) throws {
        for kind in StoreKind.allCases {
            for isRead in [true, false] {
                let fixture = try Fixture(try model(), kind)
                let ids = try fixture.insert("Node", count: 2)
                let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
                context.undoManager = UndoManager()
                context.mergePolicy = policy
                let (owner, member) = (try context.get(ids[0]), try context.get(ids[1]))
                member["name"] = .string("mine")
                if isRead { #expect(try owner.keys(link == "crew" ? "hands" : "held") == []) }
                try fixture.change { try $0.get(ids[1]).set(link, try $0.get(ids[0])) }
                try context.delete(owner)
                do { try context.save() } catch is StoreError {
                    // What it relied on has moved, or nobody wins.
                    #expect(isRead || policy == .error)
                    try context.refreshAllObjects()
                    try context.save()
                }
                #expect(try fixture.count("Node") == 0)
                #expect(member.isDeleted && !context.hasChanges)
            }
        }
    }

    /// Where the rule is Nullify he stays, and leaves.
    @Test(arguments: MergePolicy.allCases, ["list", "up"])
    func whoHasJoinedWhatIsDeletedLeavesIt(_ policy: MergePolicy, _ link: String) throws {
        for kind in StoreKind.allCases {
            let fixture = try Fixture(try model(), kind)
            let ids = try fixture.insert("Node", count: 2)
            let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
            context.mergePolicy = policy
            let (owner, member) = (try context.get(ids[0]), try context.get(ids[1]))
            member["name"] = .string("mine")
            try fixture.change { try $0.get(ids[1]).set(link, try $0.get(ids[0])) }
            try context.delete(owner)
            do { try context.save() } catch is StoreError {
                #expect(policy == .error)
                try context.refreshAllObjects()
                try context.save()
            }
            #expect(try fixture.count("Node") == 1)
            #expect(try fixture.stored("Node.\(link)", of: ids[1].key) == nil)
            #expect(try member.get(link) == nil && !context.hasChanges)
        }
    }
}
