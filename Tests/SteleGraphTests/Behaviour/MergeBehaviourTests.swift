// Optimistic locking and merge policies, on every store: who wins, and what is left of it.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct MergeBehaviourTests {
    static let settling: [MergePolicy] = [.storeTrump, .objectTrump, .overwrite, .rollback]

    @Test(arguments: StoreKind.allCases)
    func nobodyWinsByDefaultAndThenOneIsToRefresh(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let id = try fixture.insert("Person")[0]
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        #expect(context.mergePolicy == .error)
        #expect(ManagedObjectContext(parent: context).mergePolicy == .error)
        let ann = try context.get(id)
        ann["name"] = .string("mine")
        try fixture.change { try $0.get(id)["age"] = .int(9) }
        let token = try fixture.token()
        #expect { try context.save() } throws: { error in
            guard case StoreError.conflicts(let all) = error, let it = all.first else {
                return false
            }
            return all.count == 1 && it.key == id.key && it.cached.version == 1
                && it.persisted?.version == 2
        }
        #expect(try fixture.token() == token)
        #expect(ann["name"] == .string("mine") && ann.version == 1 && context.hasChanges)
        try context.refresh(ann, mergeChanges: true)
        try context.save()
        #expect(ann["age"] == .int(9) && ann["name"] == .string("mine") && ann.version == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func aConflictNamesWhatTheStoreDoesNotHaveAnyMore(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let id = try fixture.insert("Person")[0]
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let ann = try context.get(id)
        ann["name"] = .string("mine")
        try fixture.change { try $0.delete(try $0.get(id)) }
        #expect { try context.save() } throws: { error in
            guard case StoreError.conflicts(let all) = error, let it = all.first else {
                return false
            }
            return it.persisted == nil && it.cached.key == id.key
                && it.changedSlots == [ann.entity.attribute(named: "name")?.slot ?? -1]
        }
        #expect(ann["name"] == .string("mine") && ann.isUpdated)
        try context.refreshAllObjects()
        #expect(ann.isDeleted && !context.hasChanges)
        try context.save()
    }

    @Test(arguments: StoreKind.allCases)
    func changesOfOtherObjectsAreNoConflict(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try fixture.insert("Person", count: 2)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let held = try ids.map { try context.get($0) }
        held[0]["age"] = .int(1)
        try fixture.change { try $0.get(ids[1])["age"] = .int(2) }
        try context.save()
        #expect(try fixture.stored("Person", "age", of: ids[0]) == .int(1))
        #expect(try fixture.stored("Person", "age", of: ids[1]) == .int(2))
        #expect(held[1]["age"] == .null)
    }

    /// Somebody's change to what another has deleted: gone by the policies that keep the store's
    /// side, there again by the others, with the links that it had.
    @Test(arguments: StoreKind.allCases, settling)
    func aChangeMeetsADeletion(_ kind: StoreKind, _ policy: MergePolicy) throws {
        let fixture = try Fixture.watched(kind)
        let (team, tag) = (try fixture.insert("Team")[0], try fixture.insert("Tag")[0])
        let ids = try fixture.insert("Person", count: 2)
        try fixture.change { context in
            let ann = try context.get(ids[0])
            try ann.set("team", try context.get(team))
            try ann.set("captainOf", try context.get(team))
            try ann.set("spouse", try context.get(ids[1]))
        }
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.mergePolicy = policy
        let ann = try #require(try context.get(ids[0]) as? Watched)
        let (bo, crew) = (try context.get(ids[1]), try context.get(team))
        ann["name"] = .string("mine")
        try ann.add("tags", try context.get(tag))
        bo["age"] = .int(5)
        try fixture.change { try $0.delete(try $0.get(ids[0])) }
        _ = ann.take()
        try context.save()
        #expect(!context.hasChanges)
        if policy.keepsStored {
            #expect(ann.isDeleted && context.registeredObject(for: ids[0]) == nil)
            #expect(try fixture.stored("Person", "name", of: ids[0]) == nil)
            #expect(try fixture.storedMembers("Tag.people", of: tag.key) == [])
            #expect(ann.take() == ["willSave", "validate update"])
        } else {
            #expect(ann.objectID == ids[0] && !ann.isDeleted && !ann.isInserted)
            #expect(try fixture.stored("Person", "name", of: ids[0]) == .string("mine"))
            #expect(try fixture.version("Person", ids[0].key) == 3)
            #expect(try fixture.stored("Person.team", of: ids[0].key) == team.key)
            #expect(try fixture.storedMembers("Team.players", of: team.key) == [ids[0].key])
            #expect(try fixture.stored("Person.captainOf", of: ids[0].key) == team.key)
            #expect(try fixture.stored("Team.captain", of: team.key) == ids[0].key)
            #expect(try fixture.storedMembers("Tag.people", of: tag.key) == [ids[0].key])
            #expect(try ann.get("captainOf") === crew && crew.get("captain") === ann)
            #expect(
                ann.take() == [
                    "willSave", "validate update", "snapshot 64 string(\"mine\")",
                    "validate insert", "didSave",
                ])
        }
        // The other side's row has lost the link with the deletion, so that it is of a conflict, too.
        #expect(
            try fixture.stored("Person", "age", of: ids[1])
                == (policy == .rollback ? .null : .int(5)))
        let spouse = try fixture.stored("Person.spouse", of: ids[1].key)
        #expect(spouse == (policy.keepsStored ? nil : ids[0].key))
        if !policy.keepsStored {
            #expect(try fixture.stored("Person.spouse", of: ids[0].key) == ids[1].key)
        }
        ann["age"] = .int(9)
        try context.save()
        #expect(
            try fixture.stored("Person", "age", of: ids[0]) == (policy.keepsStored ? nil : .int(9)))
    }

    /// Somebody's deletion of what another has changed: taken back by the policies that keep the
    /// store's side, on both sides of its links.
    @Test(arguments: StoreKind.allCases, settling)
    func aDeletionMeetsAChange(_ kind: StoreKind, _ policy: MergePolicy) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let (teams, tag) = (try fixture.insert("Team", count: 2), try fixture.insert("Tag")[0])
        let ids = try fixture.insert("Person", count: 2)
        try fixture.change { context in
            let ann = try context.get(ids[0])
            try ann.set("team", try context.get(teams[0]))
            try ann.set("captainOf", try context.get(teams[0]))
            try ann.add("tags", try context.get(tag))
            try context.get(ids[1]).set("mentor", ann)
        }
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.mergePolicy = policy
        let (ann, bo) = (try context.get(ids[0]), try context.get(ids[1]))
        let crew = try context.get(teams[0])
        try context.delete(ann)
        bo["age"] = .int(4)
        try fixture.change { try $0.get(ids[0])["name"] = .string("theirs") }
        try context.save()
        #expect(!context.hasChanges)
        let stays = policy.keepsStored
        #expect(ann.isDeleted != stays)
        let there = try fixture.stored("Person", "name", of: ids[0])
        #expect(there == (stays ? .string("theirs") : nil))
        #expect(try fixture.storedMembers("Team.players", of: teams[0].key) == (stays ? [1] : []))
        #expect(try fixture.stored("Team.captain", of: teams[0].key) == (stays ? 1 : nil))
        #expect(try fixture.storedMembers("Tag.people", of: tag.key) == (stays ? [1] : []))
        #expect(try fixture.stored("Person.mentor", of: ids[1].key) == (stays ? 1 : nil))
        #expect(try fixture.stored("Person", "age", of: ids[1]) == .int(4))
        #expect(try crew.keys("players") == (stays ? [1] : []))
        if stays {
            #expect(ann["name"] == .string("theirs") && ann.version == 3)
            #expect(try ann.get("team") === crew && crew.get("captain") === ann)
            ann["age"] = .int(3)
            try context.save()
            #expect(try fixture.stored("Person", "age", of: ids[0]) == .int(3))
        }
    }

    @Test(arguments: StoreKind.allCases, settling)
    func twoDeletionsAreOne(_ kind: StoreKind, _ policy: MergePolicy) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let ids = try fixture.insert("Person", count: 2)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.mergePolicy = policy
        try context.delete(try context.get(ids[0]))
        try context.get(ids[1])["age"] = .int(4)
        try fixture.change { try $0.delete(try $0.get(ids[0])) }
        try context.save()
        #expect(!context.hasChanges)
        #expect(try fixture.count("Person") == 1)
        #expect(try fixture.stored("Person", "age", of: ids[1]) == .int(4))
    }

    @Test(arguments: StoreKind.allCases)
    func aPolicyLeadsToNothingThatIsDeletedHere(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let tag = try fixture.insert("Tag")[0]
        let id = try fixture.insert("Person")[0]
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.mergePolicy = .storeTrump
        try context.get(id)["age"] = .int(4)
        try context.delete(try context.get(tag))
        try fixture.change { try $0.get(id).set("favourite", try $0.get(tag)) }
        // Who has come to lead to it is asked again: the save says so, and then it is settled.
        do { try context.save() } catch StoreError.moved {
            try context.refreshAllObjects()
            try context.save()
        }
        #expect(try fixture.count("Tag") == 0)
        #expect(try fixture.stored("Person.favourite", of: id.key) == nil)
        #expect(try fixture.stored("Person", "age", of: id) == .int(4))
    }

    @Test(arguments: StoreKind.allCases)
    func objectsAreToldOfAPolicyAndOfTheSaveOnce(_ kind: StoreKind) throws {
        let fixture = try Fixture.watched(kind)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.mergePolicy = .objectTrump
        let ids = try fixture.insert("Person", count: 2)
        let people = try ids.map { try #require(try context.get($0) as? Watched) }
        for person in people { person["name"] = .string("mine") }
        try fixture.change { try $0.get(ids[0])["age"] = .int(9) }
        for person in people { _ = person.take() }
        var told: [String] = []
        let observation = context.observe { notification in
            switch notification {
            case .willSave: told.append("will")
            case .didSave(let it): told.append("did \(it.updated.count)")
            default: break
            }
        }
        try context.save()
        #expect(told == ["will", "did 2"])
        #expect(
            people[0].take() == [
                "willSave", "validate update", "snapshot 64 string(\"mine\")", "validate update",
                "didSave",
            ])
        #expect(people[1].take() == ["willSave", "validate update", "validate update", "didSave"])
        observation.cancel()
    }

    @Test(arguments: StoreKind.allCases, settling)
    func transientValuesOutliveAPolicy(_ kind: StoreKind, _ policy: MergePolicy) throws {
        let fixture = try Fixture(
            try makeModel([
                EntityMaker("Note").attribute("name", .string)
                    .attribute("mood", .string) { $0.isTransient = true }
            ]), kind)
        let id = try fixture.insert("Note")[0]
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.mergePolicy = policy
        let note = try context.get(id)
        note["mood"] = .string("calm")
        note["name"] = .string("mine")
        try fixture.change { try $0.get(id)["name"] = .string("theirs") }
        try context.save()
        #expect(note["mood"] == .string("calm"))
        #expect(note["name"] == .string(policy.keepsStored ? "theirs" : "mine"))
    }

    /// Links alone bump no version: who renames a team and who joins it do not meet.
    @Test(arguments: StoreKind.allCases)
    func linksFromTheOtherSideBumpNoVersion(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let team = try fixture.insert("Team")[0]
        let id = try fixture.insert("Person")[0]
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        try context.get(team)["name"] = .string("Mine")
        try fixture.change { try $0.get(id).set("team", try $0.get(team)) }
        try context.save()
        #expect(try fixture.version("Team", team.key) == 2)
        #expect(try fixture.storedMembers("Team.players", of: team.key) == [id.key])
    }
}
