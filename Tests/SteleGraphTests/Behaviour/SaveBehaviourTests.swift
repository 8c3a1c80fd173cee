// What a save does, in which order, and what a refused one leaves behind; on every store.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct SaveBehaviourTests {
    private func ground(
        _ kind: StoreKind
    ) throws -> (fixture: Fixture, coordinator: PersistentStoreCoordinator) {
        let fixture = try Fixture.watched(kind)
        return (fixture, fixture.coordinator)
    }

    private func watched(
        _ context: ManagedObjectContext, _ fixture: Fixture
    ) throws -> Watched {
        try #require(try context.insert(try fixture.entity("Person")) as? Watched)
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveIsToldInCoreDatasOrder(_ kind: StoreKind) throws {
        let (fixture, coordinator) = try ground(kind)
        let context = coordinator.newContext()
        let (ann, bo) = (try watched(context, fixture), try watched(context, fixture))
        try context.save()
        #expect(ann.take() == ["insert Person null", "willSave", "validate insert", "didSave"])
        _ = bo.take()
        var order: [String] = []
        let observation = context.observe { notification in
            switch notification {
            case .objectsDidChange: order.append("change")
            case .willSave: order.append("will")
            case .didSave: order.append("did")
            case .didMergeChanges: order.append("merged")
            }
        }
        ann.inWillSave = { _ in order.append("object will") }
        ann.inDidSave = { _ in order.append("object did") }
        ann["age"] = .int(1)
        try context.delete(bo)
        try context.save()
        #expect(ann.take() == ["willSave", "validate update", "didSave"])
        #expect(bo.take() == ["prepare", "willSave", "validate delete", "didSave"])
        #expect(order == ["change", "will", "object will", "object did", "did"])
        observation.cancel()
    }

    @Test(arguments: StoreKind.allCases)
    func changesAreThereInWillSaveAndNoneInDidSave(_ kind: StoreKind) throws {
        let (fixture, coordinator) = try ground(kind)
        let context = coordinator.newContext()
        let ann = try watched(context, fixture)
        var (before, after): ([String], [String]) = ([], ["none yet"])
        var isTemporary = (true, true)
        ann.inWillSave = {
            before = ((try? $0.changedValues()) ?? [:]).keys.sorted()
            isTemporary.0 = $0.objectID.isTemporaryID
        }
        ann.inDidSave = {
            after = ((try? $0.changedValues()) ?? [:]).keys.sorted()
            isTemporary.1 = $0.objectID.isTemporaryID
        }
        ann["name"] = .string("Ann")
        ann["age"] = .int(3)
        try context.save()
        #expect(before == ["age", "name"] && after.isEmpty)
        #expect(isTemporary == (true, false))
        #expect(!ann.hasChanges && !context.hasChanges)
    }

    @Test(arguments: StoreKind.allCases)
    func whatWillSaveInsertsAndDeletesIsSaved(_ kind: StoreKind) throws {
        let (fixture, coordinator) = try ground(kind)
        let context = coordinator.newContext()
        let (ann, bo) = (try watched(context, fixture), try watched(context, fixture))
        try context.save()
        _ = bo.take()
        var made: Watched?
        ann.inWillSave = { ann in
            guard made == nil else { return }
            made = try? watched(context, fixture)
            made?["name"] = .string("made")
            try? context.delete(bo)
        }
        ann["age"] = .int(2)
        try context.save()
        let id = try #require(made?.objectID)
        #expect(!id.isTemporaryID && made?.isInserted == false)
        #expect(try fixture.stored("Person", "name", of: id) == .string("made"))
        #expect(try fixture.stored("Person", "name", of: bo.objectID) == nil)
        #expect(made?.take() == ["insert Person null", "willSave", "validate insert", "didSave"])
        #expect(bo.take() == ["prepare", "willSave", "validate delete", "didSave"])
    }

    @Test(arguments: StoreKind.allCases)
    func aRefusedSaveLeavesEverythingPending(_ kind: StoreKind) throws {
        let (fixture, coordinator) = try ground(kind)
        let context = coordinator.newContext()
        let (ann, bo, cy) = (
            try watched(context, fixture), try watched(context, fixture),
            try watched(context, fixture)
        )
        try context.save()
        let token = try fixture.token()
        var told: [String] = []
        let observation = context.observe { notification in
            switch notification {
            case .willSave: told.append("will")
            case .didSave: told.append("did")
            default: break
            }
        }
        for object in [ann, bo, cy] { _ = object.take() }
        let new = try watched(context, fixture)
        ann["age"] = .int(70_000)
        bo.complaint = "stays"
        cy.complaint = "is wrong"
        new.complaint = "is too new"
        try context.delete(bo)
        cy["age"] = .int(1)
        let errors = #expect(throws: ValidationErrors.self) { try context.save() }
        // The model's rules first, then what objects say: new ones, changed ones, deleted ones.
        #expect(errors?.code == 1560)
        #expect(errors?.errors.map(\.code) == [1610, 1550, 1550, 1550])
        #expect(
            errors?.errors.dropFirst().map(\.message) == ["is too new", "is wrong", "stays"])
        #expect(told == ["will"] && !ann.log.contains("didSave"))
        #expect(try fixture.token() == token)
        #expect(context.hasChanges && ann["age"] == .int(70_000))
        #expect(bo.isDeleted && new.isInserted && new.objectID.isTemporaryID)
        ann["age"] = .int(7)
        for object in [ann, bo, cy, new] { object.complaint = nil }
        try context.save()
        #expect(told == ["will", "will", "did"] && !context.hasChanges)
        #expect(try fixture.token() == token + 1)
        #expect(try fixture.stored("Person", "age", of: ann.objectID) == .int(7))
        #expect(try fixture.count("Person") == 3)
        observation.cancel()
    }

    @Test(arguments: StoreKind.allCases)
    func aSaveIsOneTransactionAndNothingIsNone(_ kind: StoreKind) throws {
        let (fixture, _) = try ground(kind)
        let token = try fixture.token()
        let context = fixture.coordinator.newContext(author: "ann", name: "test")
        try context.save()
        #expect(try fixture.token() == token)
        let ann = try context.insert(try fixture.entity("Person"))
        let team = try context.insert(try fixture.entity("Team"))
        try ann.set("team", team)
        try context.save()
        let save = try fixture.lastSave()
        #expect(save.number == token + 1 && save.author == "ann" && save.contextName == "test")
        #expect(save.changes.map(\.kind) == [.insert, .insert])
        ann["name"] = .string("x")
        ann["name"] = .null
        try context.delete(try context.insert(try fixture.entity("Team")))
        #expect(!context.hasChanges)
        try context.save()
        #expect(try fixture.token() == token + 1)
    }

    @Test(arguments: StoreKind.allCases)
    func versionsCountTheSavesOfARow(_ kind: StoreKind) throws {
        let (fixture, _) = try ground(kind)
        let context = fixture.coordinator.newContext()
        let ann = try context.insert(try fixture.entity("Person"))
        #expect(ann.version == 0)
        for version in Int64(1)...3 {
            ann["age"] = .int(version)
            try context.save()
            #expect(ann.version == version)
            #expect(try fixture.version("Person", ann.objectID.key) == version)
        }
        // Objects stay registered, and are what they were.
        #expect(context.registeredObject(for: ann.objectID) === ann)
        ann["age"] = .int(3)
        try context.save()
        #expect(try fixture.version("Person", ann.objectID.key) == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func rulesAreAppliedWhenPendingChangesAreProcessed(_ kind: StoreKind) throws {
        let (fixture, _) = try ground(kind)
        let team = try fixture.insert("Team")[0]
        let id = try fixture.insert("Person")[0]
        try fixture.change { try $0.get(id).set("team", try $0.get(team)) }
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let (crew, ann) = (try context.get(team), try context.get(id))
        try context.delete(crew)
        let slot = try ann.link("team").slot
        #expect(ann.value(slot) == .key(team.key) && !ann.hasChanges)
        try context.processPendingChanges()
        #expect(ann.value(slot) == .null && ann.isUpdated)
        try context.save()
        #expect(try fixture.stored("Person.team", of: id.key) == nil)
    }

    @Test(arguments: StoreKind.allCases)
    func primitiveValuesAreNoChange(_ kind: StoreKind) throws {
        let (fixture, coordinator) = try ground(kind)
        let context = coordinator.newContext(retainsRegisteredObjects: true)
        context.undoManager = UndoManager()
        let ann = try watched(context, fixture)
        ann["name"] = .string("Ann")
        try context.save()
        context.undoManager?.removeAllActions()
        _ = ann.take()
        let age = try #require(ann.entity.attribute(named: "age"))
        ann.setPrimitiveValue(.int(5), for: age)
        #expect(ann["age"] == .int(5))
        #expect(!ann.hasChanges && !context.hasChanges && context.undoManager?.canUndo == false)
        #expect(try ann.changedValues().isEmpty)
        try context.save()
        #expect(ann.take().isEmpty)
        #expect(try fixture.stored("Person", "age", of: ann.objectID) == .null)
    }

    @Test(arguments: StoreKind.allCases)
    func defaultsAreInPlaceBeforeAwakeFromInsertAndItComesOnce(_ kind: StoreKind) throws {
        let model = try makeModel([
            EntityMaker("Person").attribute("name", .string)
                .attribute("age", .integer16) { $0.defaultValue = .int(18) }
        ])
        let fixture = try Fixture(model, kind, classes: ["Person": Watched.self])
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.undoManager = UndoManager()
        let ann = try watched(context, fixture)
        #expect(ann.log == ["insert Person int(18)"])
        try context.undo()
        try context.redo()
        try context.save()
        try context.refresh(ann, mergeChanges: false)
        _ = ann["age"]
        #expect(ann.log.filter { $0.hasPrefix("insert") }.count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func hooksAreToldWhoeverSavesTheRequest(_ kind: StoreKind) throws {
        let (fixture, coordinator) = try ground(kind)
        let context = ManagedObjectContext(coordinator)
        let ann = try watched(context, fixture)
        var told: [ObjectID] = []
        let observation = context.observe { notification in
            if case .didSave(let objects) = notification {
                told += objects.inserted.map(\.objectID)
            }
        }
        let request = try #require(try context.saveRequest())
        #expect(ann.take() == ["insert Person null", "willSave", "validate insert"])
        context.didSave(try fixture.store.save(request))
        #expect(ann.take() == ["didSave"])
        #expect(told == [ann.objectID] && !ann.objectID.isTemporaryID && !context.hasChanges)
        observation.cancel()
    }

    @Test(arguments: StoreKind.allCases)
    func aDeletedObjectIsKeptForAnUndoAndNothingElse(_ kind: StoreKind) throws {
        let (fixture, _) = try ground(kind)
        let id = try fixture.insert("Person")[0]
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let ann = try context.get(id)
        try context.delete(ann)
        #expect(try context.existingObject(with: id) == nil)
        #expect(context.registeredObject(for: id) === ann)
        try context.save()
        #expect(context.registeredObject(for: id) == nil && ann.isDeleted)
        #expect(!context.hasChanges)
        #expect(throws: ContextError.deleted(entity: "Person", key: id.key)) {
            try ann.set("team", nil)
        }
        try context.delete(ann)
        try context.save()
        #expect(try fixture.count("Person") == 0)
    }
}
