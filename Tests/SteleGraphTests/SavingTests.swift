// Saves: identities, versions, conflicts, what is left out.

import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct SavingTests {
    let fixture: Fixture
    init() throws { fixture = try Fixture.league() }

    @Test func oneObjectAnIdentity() throws {
        let id = try fixture.insert("Person")[0]
        let context = fixture.context()
        let object = try context.get(id)
        #expect(try context.get(id) === object)
        #expect(try context.existingObjects(root: id.root, keys: [id.key])[id.key] === object)
        let fetched = try context.fetch(.init(entity: try fixture.entity("Person")))
        #expect(fetched.count == 1 && fetched[0] === object)
        #expect(try context.existingObject(with: ObjectID(root: id.root, key: 99)) == nil)
    }

    @Test func aSaveGivesPermanentIdentitiesAndVersions() throws {
        let context = fixture.context()
        context.transactionAuthor = "ann"
        context.name = "POST /Person"
        let a = try context.insert(try fixture.entity("Person"))
        let b = try context.insert(try fixture.entity("Person"))
        #expect(a.objectID.isTemporaryID && a.isInserted && a.version == 0)
        try a.set("mentor", b)
        let result = try context.save()
        #expect(a.objectID.key > 0 && b.objectID.key > 0 && a.version == 1 && !a.isInserted)
        #expect(a.value(try a.link("mentor").slot) == .key(b.objectID.key))
        #expect(try context.get(a.objectID) === a)
        #expect(
            SavedObjects(result).snapshot(entity: a.entity.index, key: a.objectID.key) == a.snapshot
        )
        let save = try fixture.lastSave()
        #expect(save.author == "ann" && save.contextName == "POST /Person")
        #expect(save.number == result.token && fixture.coordinator.currentToken == result.token)
    }

    @Test func aContextGoesOnAfterItsSave() throws {
        let context = fixture.context()
        let team = try context.insert(try fixture.entity("Team"))
        let person = try context.insert(try fixture.entity("Person"))
        try person.set("team", team)
        try context.save()
        #expect(try team.keys("players") == [person.objectID.key])
        person["name"] = .string("Ann")
        try person.set("team", nil)
        try context.save()
        #expect(person.version == 2)
        #expect(try team.keys("players") == [])
        try context.delete(person)
        try context.save()
        #expect(try context.existingObject(with: person.objectID) == nil)
    }

    @Test func aChangeThatIsTakenBackIsNone() throws {
        let id = try fixture.insert("Person")[0]
        let context = fixture.context()
        let object = try context.get(id)
        object["name"] = .string("Bo")
        #expect(object.changedSlots.count == 1 && context.hasChanges)
        object["name"] = .string("Person 1")
        #expect(object.changedSlots.isEmpty && !context.hasChanges)
        let token = try context.token()
        #expect(try context.save().token == token)
        #expect(try fixture.version("Person", id.key) == 1)
    }

    @Test func composedAndDecomposedLettersAreAChange() throws {
        let id = try fixture.insert("Person")[0]
        let first = fixture.context()
        try first.get(id)["name"] = .string("\u{E9}")
        try first.save()
        let context = fixture.context()
        try context.get(id)["name"] = .string("e\u{301}")
        #expect(context.hasChanges)
        try context.save()
        #expect(try fixture.version("Person", id.key) == 3)
        guard case .string(let text) = try fixture.context().get(id)["name"] else {
            Issue.record("no text")
            return
        }
        #expect(Array(text.utf8) == [0x65, 0xCC, 0x81])
    }

    @Test func twoChangesOfOneObjectConflict() throws {
        let id = try fixture.insert("Person")[0]
        let (first, second) = (fixture.context(), fixture.context())
        try first.get(id)["age"] = .int(1)
        try second.get(id)["age"] = .int(2)
        try first.save()
        #expect { try second.save() } throws: { error in
            guard case StoreError.conflicts(let conflicts) = error else { return false }
            return conflicts.count == 1 && conflicts[0].key == id.key
                && conflicts[0].cached.version == 1 && conflicts[0].persisted?.version == 2
        }
        #expect(try fixture.context().get(id)["age"] == .int(1))
    }

    @Test func anObjectDeletedMeanwhileConflicts() throws {
        let id = try fixture.insert("Person")[0]
        let (first, second) = (fixture.context(), fixture.context())
        try first.delete(try first.get(id))
        try second.get(id)["age"] = .int(2)
        try first.save()
        #expect { try second.save() } throws: { error in
            guard case StoreError.conflicts(let conflicts) = error else { return false }
            return conflicts.first?.persisted == nil
        }
    }

    @Test func joiningATeamDoesNotConflictWithItsRenaming() throws {
        let team = try fixture.insert("Team")[0]
        let context = fixture.context()
        let person = try context.insert(try fixture.entity("Person"))
        try person.set("team", try context.get(team))
        let other = fixture.context()
        try other.get(team)["name"] = .string("New")
        try other.save()
        try context.save()
        #expect(try fixture.storedMembers("Team.players", of: team.key) == [person.objectID.key])
    }

    @Test func joiningATeamThatIsDeletedMeanwhileMoves() throws {
        let team = try fixture.insert("Team")[0]
        let context = fixture.context()
        let person = try context.insert(try fixture.entity("Person"))
        try person.set("team", try context.get(team))
        let other = fixture.context()
        try other.delete(try other.get(team))
        try other.save()
        #expect { try context.save() } throws: { error in
            if case StoreError.moved = error { true } else { false }
        }
    }

    @Test func aReferenceWithoutInverseToAnObjectDeletedMeanwhileMoves() throws {
        let tag = try fixture.insert("Tag")[0]
        let context = fixture.context()
        let person = try context.insert(try fixture.entity("Person"))
        try person.set("favourite", try context.get(tag))
        let other = fixture.context()
        try other.delete(try other.get(tag))
        try other.save()
        #expect { try context.save() } throws: { error in
            if case StoreError.moved = error { true } else { false }
        }
    }

    @Test func aReferenceWithoutInverseToAnObjectDeletedHereIsCleared() throws {
        let (tag, box, item) = (
            try fixture.insert("Tag")[0], try fixture.insert("Box")[0],
            try fixture.insert("Item")[0]
        )
        let context = fixture.context()
        let person = try context.insert(try fixture.entity("Person"))
        try person.set("favourite", try context.get(tag))
        try context.get(box).add("items", try context.get(item))
        try context.delete(try context.get(tag))
        try context.delete(try context.get(item))
        try context.save()
        #expect(try fixture.stored("Person.favourite", of: person.objectID.key) == nil)
        #expect(try fixture.storedMembers("Box.items", of: box.key) == [])
    }

    @Test func aRequestMadeOnTheWritersThreadIsSavedThere() throws {
        let id = try fixture.insert("Person")[0]
        var made: ManagedObjectContext?
        let result = try fixture.store.save(making: { reader in
            let context = ManagedObjectContext(fixture.coordinator, reader: reader, name: "x")
            made = context
            try context.get(id)["age"] = .int(5)
            #expect(throws: ContextError.onWriter) { try context.save() }
            return try #require(try context.saveRequest())
        })
        made?.didSave(result)
        #expect(try fixture.context().get(id)["age"] == .int(5))
        #expect(try made?.existingObject(with: id)?.version == 2)
    }

    @Test func defaultsAreApplied() throws {
        let fixture = Fixture(
            try makeModel([
                EntityMaker("Thing")
                    .attribute("name", .string) { $0.defaultValue = .string("new") }
                    .attribute("count", .integer32) { $0.defaultValue = .int(7) }
                    .attribute("note", .string) { $0.isTransient = true }
            ]))
        let context = fixture.context()
        let thing = try context.insert(try fixture.entity("Thing"))
        #expect(thing["name"] == .string("new") && thing["count"] == .int(7))
        try context.save()
        thing["note"] = .string("not stored")
        #expect(!context.hasChanges)
        thing["count"] = .int(8)
        try context.save()
        #expect(thing["note"] == .string("not stored"))
        #expect(try fixture.context().get(thing.objectID)["note"] == .null)
    }

    @Test func uniqueValuesAreKeptUnique() throws {
        let user = EntityMaker("User").attribute("name", .string)
            .attribute("mail", .string).unique("mail")
        let fixture = Fixture(try makeModel([user]))
        let context = fixture.context()
        for mail in [Value.string("a"), .null, .null] {
            try context.insert(try fixture.entity("User"))["mail"] = mail
        }
        try context.save()
        let second = fixture.context()
        try second.insert(try fixture.entity("User"))["mail"] = .string("a")
        #expect { try second.save() } throws: { error in
            guard case StoreError.constraint(let conflict) = error else { return false }
            return conflict.constraint == ["mail"] && conflict.databaseKey == 1
        }
    }

    @Test func aClosedContextSaysSo() throws {
        let context = fixture.context()
        context.close()
        #expect(throws: ContextError.closed) { try context.token() }
        #expect(throws: ContextError.closed) { try context.insert(try fixture.entity("Tag")) }
    }

    @Test func objectsOutliveTheirContextQuietly() throws {
        var context: ManagedObjectContext? = fixture.context()
        let person = try #require(try context?.insert(try fixture.entity("Person")))
        context = nil
        person["name"] = .string("x")
        #expect(throws: ContextError.foreignObject) { try person.get("team") }
    }

    @Test func objectsHaveURIs() throws {
        let store = InMemoryStore(model: fixture.model, identifier: "ABC")
        let coordinator = PersistentStoreCoordinator(store: store)
        let person = try fixture.entity("Person")
        let uri = coordinator.objectURI(ObjectID(root: person.root, key: 42), entity: person)
        #expect(uri == "x-coredata://ABC/Person/p42")
    }

    /// A key of a request's own must be one of what it inserts.
    @Test(arguments: StoreKind.allCases)
    func aLinkToWhatIsNotInsertedIsRefused(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let id = try fixture.insert("Person")[0]
        let team = try fixture.relationship("Person.team")
        let before = try #require(try fixture.context().snapshot(id))
        var request = SaveRequest(readToken: fixture.coordinator.currentToken)
        var values = before.values
        values[team.slot] = .key(-9)
        request.changes = [
            ObjectChange(
                .update, entity: before.entity, key: id.key, before: before, values: values,
                changedSlots: [team.slot])
        ]
        let error = #expect(throws: StoreError.self) { _ = try fixture.store.save(request) }
        guard case .invalid? = error else {
            Issue.record("not refused as it should be: \(String(describing: error))")
            return
        }
        #expect(try fixture.stored("Person.team", of: id.key) == nil)
    }
}
