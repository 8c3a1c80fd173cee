// What cannot be saved is refused with an error that names it, and the store stays as it was.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct BadInputTests {
    // MARK: Relationships

    /// Two that need each other, and a third kind that needs one of its own.
    private func pairs(_ kind: StoreKind) throws -> Fixture {
        try Fixture(
            try makeModel([
                EntityMaker("Lock").attribute("name", .string)
                    .toOne("key", "Key", inverse: "lock", isOptional: false),
                EntityMaker("Key").attribute("name", .string)
                    .toOne("lock", "Lock", inverse: "key", isOptional: false),
                EntityMaker("Dancer").attribute("name", .string)
                    .toOne("next", "Dancer", inverse: "previous", isOptional: false)
                    .toOne("previous", "Dancer", inverse: "next", isOptional: false),
            ]), kind)
    }

    @Test(arguments: StoreKind.allCases)
    func aCycleOfRequiredRelationshipsIsSavedAndDeletedWhole(_ kind: StoreKind) throws {
        let fixture = try pairs(kind)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let lock = try context.insert(try fixture.entity("Lock"))
        let alone = try fixture.refused(ValidationErrors.self) { try context.save() }
        #expect(alone?.errors.map(\.code) == [1570])
        #expect(alone?.errors.first?.detail.contains("key of Lock") == true)
        let key = try context.insert(try fixture.entity("Key"))
        try lock.set("key", key)
        let dancers = try (0..<3).map { _ in try context.insert(try fixture.entity("Dancer")) }
        for (index, dancer) in dancers.enumerated() {
            try dancer.set("next", dancers[(index + 1) % 3])
        }
        try context.save()
        #expect(
            try fixture.stored("Dancer.previous", of: dancers[0].objectID.key)
                == dancers[2].objectID.key)

        try context.delete(lock)
        let half = try fixture.refused(ValidationErrors.self) { try context.save() }
        #expect(half?.errors.map(\.property) == ["lock"] && half?.errors.first?.code == 1570)
        try context.delete(key)
        try context.delete(dancers[1])
        let gap = try fixture.refused(ValidationErrors.self) { try context.save() }
        #expect(Set(gap?.errors.compactMap(\.property) ?? []) == ["next", "previous"])
        // Closing the ring mends it.
        try dancers[0].set("next", dancers[2])
        try context.save()
        #expect(try fixture.count("Lock") == 0 && fixture.count("Key") == 0)
        #expect(try fixture.count("Dancer") == 2)
        #expect(
            try fixture.stored("Dancer.next", of: dancers[0].objectID.key)
                == dancers[2].objectID.key)
    }

    @Test(arguments: StoreKind.allCases)
    func aDenyInTheMiddleOfACascadeStopsAllOfIt(_ kind: StoreKind) throws {
        let fixture = try Fixture(
            try makeModel([
                EntityMaker("Firm").attribute("name", .string)
                    .toMany("sites", "Site", inverse: "firm", rule: .cascade),
                EntityMaker("Site").attribute("name", .string)
                    .toOne("firm", "Firm", inverse: "sites")
                    .toMany("machines", "Machine", inverse: "site", rule: .deny)
                    .toMany("rooms", "Room", inverse: "site", rule: .cascade),
                EntityMaker("Machine").attribute("name", .string)
                    .toOne("site", "Site", inverse: "machines"),
                EntityMaker("Room").attribute("name", .string)
                    .toOne("site", "Site", inverse: "rooms"),
            ]), kind)
        let firm = try fixture.insert("Firm")[0]
        let sites = try fixture.insert("Site", count: 2)
        let (machine, rooms) = (
            try fixture.insert("Machine")[0], try fixture.insert("Room", count: 4)
        )
        try fixture.change { context in
            for site in sites { try context.get(site).set("firm", try context.get(firm)) }
            for (index, room) in rooms.enumerated() {
                try context.get(room).set("site", try context.get(sites[index % 2]))
            }
            try context.get(machine).set("site", try context.get(sites[1]))
        }
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        try context.delete(try context.get(firm))
        let errors = try fixture.refused(ValidationErrors.self) { try context.save() }
        let error = try #require(errors?.errors.first)
        #expect(errors?.code == 1600 && error.property == "machines" && error.key == sites[1].key)
        #expect(error.value == .key(machine.key))
        #expect(try fixture.count("Room") == 4 && fixture.count("Site") == 2)
        // The way out: what is in the way goes along.
        try context.delete(try context.get(machine))
        try context.save()
        for name in ["Firm", "Site", "Room", "Machine"] { #expect(try fixture.count(name) == 0) }
    }

    @Test(arguments: StoreKind.allCases)
    func aToOneIsSetByKeyAndWhatCannotBeSetByKeySaysWhy(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let teams = try fixture.insert("Team", count: 2)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let ann = try context.insert(try fixture.entity("Person"))
        try ann.setValue(.key(teams[0].key), forKey: "team")
        #expect(try ann.value(forKey: "team") == .key(teams[0].key))
        #expect(try context.get(teams[0]).keys("players") == [ann.objectID.key])
        let new = try context.insert(try fixture.entity("Team"))
        try ann.setValue(.key(new.objectID.key), forKey: "team")
        #expect(try ann.get("team") === new)
        try ann.setValue(.null, forKey: "team")
        #expect(try ann.get("team") == nil && new.keys("players").isEmpty)
        func refusal(_ key: String, _ value: Value) -> String {
            do {
                try ann.setValue(value, forKey: key)
                return ""
            } catch { return "\(error)" }
        }
        for (key, value, says) in [
            ("team", Value.string("Crew"), ["team", "Team", "text"]),
            ("team", .int(1), ["team", "setDestination"]), ("team", .key(99), ["Team 99"]),
            ("friends", .key(1), ["friends", "to-many", "setMembers"]),
            ("colour", .null, ["Person", "colour"]),
        ] {
            let said = refusal(key, value)
            for word in says { #expect(said.contains(word), "\(key): \(said)") }
            #expect(!said.contains("has no attribute or to-one relationship team"))
        }
        let many = #expect(throws: ContextError.self) { try ann.value(forKey: "friends") }
        #expect("\(many as Any)".contains("members"))
        #expect(try ann.get("team") == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func aDestinationOfTheWrongEntityIsRefusedAtOnce(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let (team, tag) = (try fixture.insert("Team")[0], try fixture.insert("Tag")[0])
        let id = try fixture.insert("Person")[0]
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let (ann, wrong) = (try context.get(id), try context.get(tag))
        let expected = ContextError.wrongDestination(
            relationship: "team", asked: "Team", given: "Tag")
        #expect(expected.description == "team leads to Team, but the object is of Tag")
        #expect(throws: expected) { try ann.set("team", wrong) }
        #expect(throws: ContextError.self) {
            try context.get(team).replace("players", [ann, wrong])
        }
        #expect(throws: ContextError.self) { try context.get(team).add("players", wrong) }
        #expect(throws: ContextError.noSuchRelationship(entity: "Tag", relationship: "team")) {
            try wrong.setToOne(try fixture.relationship("Person.team"), nil)
        }
        #expect(!context.hasChanges)
        #expect(try context.get(team).keys("players") == [])
    }

    @Test(arguments: StoreKind.allCases)
    func whatLeadsToAnObjectDeletedElsewhereIsAskedAgain(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let team = try fixture.insert("Team")[0]
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let ann = try context.insert(try fixture.entity("Person"))
        try ann.set("team", try context.get(team))
        try fixture.change { try $0.delete(try $0.get(team)) }
        let error = try fixture.refused(StoreError.self) { try context.save() }
        guard case .moved(let what)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(what.contains("Team \(team.key)"))
        try context.refreshAllObjects()
        try context.save()
        #expect(try fixture.stored("Person.team", of: ann.objectID.key) == nil)
    }

    // MARK: Identities

    @Test(arguments: StoreKind.allCases)
    func anIdentityOfAnotherStoreIsRefused(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let id = try fixture.insert("Person")[0]
        let coordinator = fixture.coordinator
        let uri = coordinator.objectURI(id, entity: try fixture.entity("Person"))
        #expect(try coordinator.objectID(forURI: uri) == id)
        // A parent's name is as good as that of a subentity: one family, one number.
        #expect(
            try coordinator.objectID(
                forURI: coordinator.objectURI(id, entity: try fixture.entity("Employee"))) == id)

        let other = try Fixture(try makeLeague(), kind)
        let foreign = other.coordinator.objectURI(id, entity: try fixture.entity("Person"))
        let error = #expect(throws: ContextError.self) {
            try coordinator.objectID(forURI: foreign)
        }
        #expect(error?.description.contains(other.store.identifier) == true)
        #expect(error?.description.contains(fixture.store.identifier) == true)
        let store = fixture.store.identifier
        for text in [
            "", "p42", "http://\(store)/Person/p1", "x-coredata://\(store)/Person",
            "x-coredata://\(store)/Persona/p1", "x-coredata://\(store)/Person/t1",
            "x-coredata://\(store)/Person/p0", "x-coredata://\(store)/Person/p-1",
            "x-coredata://\(store)/Person/p99999999999999999999",
            "x-coredata://\(store)/Person/p1/p2", "x-coredata://\(store)/Person/p+1",
        ] {
            #expect(throws: ContextError.self, "\(text)") { try coordinator.objectID(forURI: text) }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anIdentityThatNoEntityHasIsRefusedAndNoCrash(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let context = fixture.coordinator.newContext()
        let employee = try fixture.entity("Employee")
        // No entity has that number; that of a subentity is no family's.
        for root in [-1, 999, Int.max, employee.index] {
            let id = ObjectID(root: root, key: 1)
            let error = ContextError.foreignIdentity(root: root, key: 1)
            #expect(throws: error) { try context.object(with: id) }
            #expect(throws: error) { try context.existingObject(with: id) }
            #expect(throws: error) {
                try context.mergeChanges(fromRemoteContextSave: ChangedObjectIDs(updated: [id]))
            }
            #expect(context.registeredObject(for: id) == nil)
        }
        #expect(context.registeredObjects.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveOfAnEntityThatTheModelLacksIsRefusedAndNoCrash(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let token = try fixture.store.reader().token
        for (index, key) in [(-1, -1), (999, -1), (999, 1), (Int.max, 1)] as [(Int, Int64)] {
            for change in [ObjectChange.Kind.insert, .update, .delete] {
                var request = SaveRequest(readToken: token)
                request.changes = [ObjectChange(change, entity: index, key: key)]
                #expect {
                    try fixture.store.save(request)
                } throws: { error in
                    if case StoreError.invalid? = error as? StoreError { true } else { false }
                }
            }
        }
        let expectations: [StelePersistence.Expectation] = [
            .exists(entity: 999, key: 1), .members(relationship: -1, owner: 1, keys: []),
            .owners(relationship: 999, member: 1, keys: []),
        ]
        for expectation in expectations {
            var request = SaveRequest(readToken: token)
            request.expectations = [expectation]
            let team = try fixture.entity("Team")
            request.changes = [
                ObjectChange(
                    .insert, entity: team.index, key: -1,
                    values: Array(repeating: .null, count: team.slots.count))
            ]
            #expect(throws: StoreError.self) { try fixture.store.save(request) }
        }
        #expect(try fixture.store.reader().token == token)
    }

    @Test(arguments: StoreKind.allCases)
    func objectsOfAnotherContextAreRefused(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let (team, id) = (try fixture.insert("Team")[0], try fixture.insert("Person")[0])
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let other = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let (ann, theirs) = (try context.get(id), try other.get(team))
        let error = ContextError.foreignObject
        #expect(error.description == "the object belongs to another context")
        #expect(throws: error) { try ann.set("team", theirs) }
        #expect(throws: error) { try context.delete(theirs) }
        #expect(throws: error) { try context.refresh(theirs, mergeChanges: true) }
        #expect(throws: error) { try context.obtainPermanentIDs(for: [theirs]) }
        #expect(!context.hasChanges && !other.hasChanges)
    }
}
