// What observers are told, and how a context follows what others save; on every store.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct NotificationBehaviourTests {
    private final class Told {
        var changes: [ChangedObjectIDs] = []
        var saves: [ChangedObjectIDs] = []
        var merges: [ChangedObjectIDs] = []
        var willSaves = 0

        func receive(_ notification: ContextNotification) {
            switch notification {
            case .objectsDidChange(let it): changes.append(it.identities)
            case .willSave: willSaves += 1
            case .didSave(let it): saves.append(it.identities)
            case .didMergeChanges(let it): merges.append(it)
            }
        }
    }

    private func ground(
        _ kind: StoreKind
    ) throws -> (Fixture, ManagedObjectContext, Told, ContextObservation) {
        let fixture = try Fixture(try makeLeague(), kind)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let told = Told()
        return (fixture, context, told, context.observe { told.receive($0) })
    }

    @Test(arguments: StoreKind.allCases)
    func didChangeTellsWhatCameChangedAndWentSinceTheLastTime(_ kind: StoreKind) throws {
        let (fixture, context, told, observation) = try ground(kind)
        let ids = try fixture.insert("Person", count: 2)
        let team = try fixture.insert("Team")[0]
        let (ann, bo, crew) = (
            try context.get(ids[0]), try context.get(ids[1]), try context.get(team)
        )
        #expect(told.changes.isEmpty)
        let new = try context.insert(try fixture.entity("Person"))
        new["age"] = .int(1)
        ann["age"] = .int(1)
        try new.set("team", crew)
        try context.delete(bo)
        try context.processPendingChanges()
        #expect(
            told.changes == [
                ChangedObjectIDs(
                    inserted: [new.objectID], updated: [ann.objectID, team], deleted: [bo.objectID])
            ])
        ann["age"] = .int(2)
        // A fetch processes what is pending, too.
        _ = try context.fetch(try fixture.request("Person"))
        #expect(told.changes.last == ChangedObjectIDs(updated: [ann.objectID]))
        #expect(told.saves.isEmpty && told.willSaves == 0)
        observation.cancel()
    }

    @Test(arguments: StoreKind.allCases)
    func didSaveTellsPermanentIdentities(_ kind: StoreKind) throws {
        let (fixture, context, told, observation) = try ground(kind)
        let ids = try fixture.insert("Person", count: 2)
        let new = try context.insert(try fixture.entity("Team"))
        try context.get(ids[0])["age"] = .int(1)
        try context.delete(try context.get(ids[1]))
        try context.save()
        #expect(
            told.saves == [
                ChangedObjectIDs(inserted: [new.objectID], updated: [ids[0]], deleted: [ids[1]])
            ])
        #expect(told.willSaves == 1 && !new.objectID.isTemporaryID)
        try context.save()
        #expect(told.saves.count == 1)
        observation.cancel()
    }

    @Test(arguments: StoreKind.allCases)
    func rollbackRefreshAndResetAreTold(_ kind: StoreKind) throws {
        let (fixture, context, told, observation) = try ground(kind)
        let id = try fixture.insert("Person")[0]
        let ann = try context.get(id)
        let new = try context.insert(try fixture.entity("Team"))
        ann["age"] = .int(1)
        try context.processPendingChanges()
        told.changes = []
        context.rollback()
        #expect(told.changes == [ChangedObjectIDs(deleted: [new.objectID], refreshed: [id])])
        try context.refresh(ann, mergeChanges: false)
        #expect(told.changes.last == ChangedObjectIDs(refreshed: [id]))
        context.reset()
        #expect(told.changes.last == ChangedObjectIDs(invalidated: [id]))
        #expect(told.changes.count == 3 && told.saves.isEmpty)
        observation.cancel()
    }

    @Test(arguments: StoreKind.allCases)
    func aMergeTellsWhatItRefreshedAndAllThatWasSaved(_ kind: StoreKind) throws {
        let (fixture, context, told, observation) = try ground(kind)
        let ids = try fixture.insert("Person", count: 3)
        let held = try ids.prefix(2).map { try context.get($0) }
        var new: ObjectID?
        try fixture.change { other in
            for id in ids { try other.get(id)["age"] = .int(8) }
            try other.delete(try other.get(ids[1]))
            let made = try other.insert(try fixture.entity("Person"))
            made["name"] = .string("new")
            new = made.objectID
        }
        let save = try fixture.lastSave()
        let made = try #require(save.changes.first { $0.kind == .insert }?.key)
        try context.mergeChanges(fromContextDidSave: save)
        #expect(new != nil && held[0]["age"] == .int(8) && held[1].isDeleted)
        #expect(
            told.changes == [ChangedObjectIDs(deleted: [ids[1]], refreshed: [ids[0]])])
        let all = ChangedObjectIDs(
            inserted: [ObjectID(root: ids[0].root, key: made)], updated: [ids[0], ids[2]],
            deleted: [ids[1]])
        #expect(told.merges == [all])
        #expect(!context.hasChanges && told.saves.isEmpty)
        // No object is made of what this context did not know.
        #expect(context.registeredObjects.count == 1)
        observation.cancel()
    }

    @Test(arguments: StoreKind.allCases)
    func aMergeKeepsPendingChangesAndADeletionEndsThem(_ kind: StoreKind) throws {
        let (fixture, context, _, observation) = try ground(kind)
        let ids = try fixture.insert("Person", count: 2)
        let team = try fixture.insert("Team")[0]
        let (ann, bo) = (try context.get(ids[0]), try context.get(ids[1]))
        ann["name"] = .string("mine")
        bo["name"] = .string("mine")
        try bo.set("team", try context.get(team))
        try fixture.change { other in
            try other.get(ids[0])["age"] = .int(8)
            try other.delete(try other.get(ids[1]))
        }
        try context.mergeChanges(fromContextDidSave: try fixture.lastSave())
        #expect(ann["name"] == .string("mine") && ann["age"] == .int(8) && ann.isUpdated)
        #expect(bo.isDeleted && bo.managedObjectContext === context)
        #expect(try context.get(team).keys("players") == [])
        try context.save()
        #expect(try fixture.stored("Person", "name", of: ids[0]) == .string("mine"))
        #expect(try fixture.count("Person") == 1)
        observation.cancel()
    }

    /// A write of all that match goes past contexts: who gives them its identities makes them follow.
    @Test(arguments: StoreKind.allCases)
    func aSavePastTheContextIsMergedByIdentities(_ kind: StoreKind) throws {
        let (fixture, context, told, observation) = try ground(kind)
        let ids = try fixture.insert("Person", count: 3)
        let held = try ids.map { try context.get($0) }
        _ = try fixture.store.save(inParts: { parts in
            for id in ids.prefix(2) {
                let reader = try parts.reader()
                defer { reader.close() }
                let part = ManagedObjectContext(fixture.coordinator, reader: reader)
                try part.get(id)["age"] = .int(6)
                if let request = try part.saveRequest() { _ = try parts.save(request) }
            }
        })
        #expect(held.allSatisfy { $0["age"] == .null })
        let save = try fixture.lastSave()
        #expect(save.changes.map(\.key) == ids.prefix(2).map(\.key))
        let identities = save.changedObjectIDs(in: fixture.model)
        try context.mergeChanges(fromRemoteContextSave: identities)
        #expect(held.map { $0["age"] } == [.int(6), .int(6), .null])
        #expect(told.merges == [identities])
        observation.cancel()
    }

    @Test(arguments: StoreKind.allCases)
    func aContextThatFollowsDoesNotMergeItsOwnSaves(_ kind: StoreKind) throws {
        let (fixture, context, told, observation) = try ground(kind)
        let id = try fixture.insert("Person")[0]
        // Not told of the insertion: that would read the object anew, whenever it is told.
        context.automaticallyMergesChangesFromParent = true
        let ann = try context.get(id)
        ann["age"] = .int(1)
        try context.save()
        try fixture.change { try $0.get(id)["name"] = .string("Theirs") }
        try waitUntil {
            try context.processPendingChanges()
            return ann["name"] == .string("Theirs")
        }
        // The other's save, not its own. (A file may be taken to be changed by another program, and
        // all of it is read anew then.)
        if kind == .memory { #expect(told.merges.filter { $0.updated == [id] }.count == 1) }
        #expect(told.saves.count == 1 && ann.version == 3)
        context.automaticallyMergesChangesFromParent = false
        try fixture.change { try $0.get(id)["name"] = .string("Again") }
        try context.processPendingChanges()
        #expect(ann["name"] == .string("Theirs"))
        observation.cancel()
    }

    @Test(arguments: StoreKind.allCases)
    func anObserverThatEndsIsToldNoMore(_ kind: StoreKind) throws {
        let (fixture, context, told, observation) = try ground(kind)
        var order: [Int] = []
        var second: ContextObservation? = context.observe { _ in order.append(2) }
        let third = context.observe { _ in order.append(3) }
        let ann = try context.insert(try fixture.entity("Person"))
        try context.processPendingChanges()
        #expect(order == [2, 3] && told.changes.count == 1)
        second = nil
        observation.cancel()
        ann["age"] = .int(1)
        try context.processPendingChanges()
        #expect(order == [2, 3, 3] && told.changes.count == 1 && second == nil)
        third.cancel()
    }
}
