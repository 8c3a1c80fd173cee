// What objects of subclasses, observers and other contexts are told.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

/// Writes down what it is told.
private final class Told: ManagedObject {
    var log: [String] = []
    var wishes: [() -> Void] = []
    var onFetch: (() -> Void)?
    var observation: ContextObservation?

    override func awakeFromInsert() { log.append("insert") }
    override func awakeFromFetch() {
        log.append("fetch")
        self["age"] = .int(77)
        onFetch?()
        onFetch = nil
    }
    override func awake(fromSnapshotEvents events: SnapshotEventType) {
        log.append("snapshot \(events.rawValue)")
    }
    override func willSave() {
        log.append("willSave")
        if !wishes.isEmpty { wishes.removeFirst()() }
    }
    override func didSave() { log.append("didSave") }
    override func prepareForDeletion() { log.append("prepare") }
    override func willTurnIntoFault() { log.append("willFault") }
    override func didTurnIntoFault() { log.append("didFault") }
    override func validateValue(_ value: inout Value, forKey key: String) throws {
        if key == "name", value == .string("trim me ") { value = .string("trim me") }
        if key == "name", value == .string("bad") {
            throw ValidationError(
                .invalid, entity: entity, key: objectID.key, property: key, value: value,
                message: "no", detail: "no")
        }
    }
    override func validateForInsert() throws { log.append("validateInsert") }
    override func validateForUpdate() throws { log.append("validateUpdate") }
    override func validateForDelete() throws { log.append("validateDelete") }

    func take() -> [String] {
        defer { log = [] }
        return log
    }
}

@Suite struct LifeCycleTests {
    private let fixture: Fixture
    private let coordinator: PersistentStoreCoordinator

    init() throws {
        fixture = try Fixture.league()
        coordinator = PersistentStoreCoordinator(
            store: fixture.store, classes: ["Person": Told.self])
    }

    private func person(_ context: ManagedObjectContext) throws -> Told {
        try #require(try context.insert(try fixture.entity("Employee")) as? Told)
    }

    /// The journal that `willSave` is called again for may be emptied in between.
    @Test func willSaveMayProcessPendingChanges() throws {
        let context = coordinator.newContext()
        let ann = try person(context)
        let observation = context.observe {
            if case .willSave = $0 { ann["age"] = .int(1) }
        }
        ann.wishes = [{ try? context.processPendingChanges() }]
        try context.save()
        #expect(ann.take() == ["insert", "willSave", "validateInsert", "didSave"])
        #expect(try fixture.context().get(ann.objectID)["age"] == .int(1))
        observation.cancel()
    }

    @Test func willSaveIsCalledForChangesThatAreProcessedDuringASave() throws {
        let context = coordinator.newContext()
        let (ann, bo) = (try person(context), try person(context))
        try context.save()
        _ = (ann.take(), bo.take())
        ann["name"] = .string("a")
        ann.wishes = [
            {
                bo["name"] = .string("b")
                try? context.processPendingChanges()
            }
        ]
        try context.save()
        #expect(ann.take() == ["willSave", "validateUpdate", "didSave"])
        #expect(bo.take() == ["willSave", "validateUpdate", "didSave"])
    }

    @Test func anObserverThatIsAddedInAwakeFromFetchIsNotified() throws {
        let first = coordinator.newContext()
        let id = try person(first)
        try first.save()
        let context = coordinator.newContext()
        let object = try #require(try context.get(id.objectID) as? Told)
        object.onFetch = { [unowned context] in
            object.observation = context.observe {
                if case .objectsDidChange = $0 { object.log.append("changed") }
            }
        }
        try context.refresh(object, mergeChanges: false)
        _ = object["name"]
        _ = object.take()
        object["name"] = .string("x")
        try context.processPendingChanges()
        #expect(object.take() == ["changed"])
        object.observation?.cancel()
    }

    @Test func anObjectIsToldOfItsLife() throws {
        let context = coordinator.newContext()
        context.undoManager = UndoManager()
        let ann = try person(context)
        #expect(ann.take() == ["insert"])
        try context.save()
        #expect(ann.take() == ["willSave", "validateInsert", "didSave"])
        try context.save()
        #expect(ann.take().isEmpty)
        ann["name"] = .string("trim me ")
        try context.save()
        #expect(ann.take() == ["willSave", "validateUpdate", "didSave"])
        #expect(ann["name"] == .string("trim me"))
        try context.refresh(ann, mergeChanges: false)
        #expect(ann["name"] == .string("trim me"))
        #expect(ann.take() == ["willFault", "didFault", "snapshot 32", "fetch"])
        #expect(ann["age"] == .int(77) && !context.hasChanges)
        ann["name"] = .string("x")
        context.rollback()
        #expect(ann.take() == ["snapshot 16"])
        try context.delete(ann)
        try context.delete(ann)
        try context.save()
        #expect(ann.take() == ["prepare", "prepare", "willSave", "validateDelete", "didSave"])
        try context.undo()
        #expect(ann.take() == ["snapshot 4"])
        try context.redo()
        #expect(ann.take() == ["prepare"])
    }

    @Test func willSaveIsCalledAgainForWhatItChanges() throws {
        let context = coordinator.newContext()
        let (ann, bo) = (try person(context), try person(context))
        try context.save()
        _ = (ann.take(), bo.take())
        ann["name"] = .string("a")
        ann.wishes = [{ bo["name"] = .string("b") }]
        bo.wishes = [{ bo["age"] = .int(3) }]
        try context.save()
        #expect(ann.take() == ["willSave", "validateUpdate", "didSave"])
        #expect(bo.take() == ["willSave", "willSave", "validateUpdate", "didSave"])
        #expect(try fixture.version("Person", bo.objectID.key) == 2)
        ann["name"] = .string("c")
        ann.wishes = (0..<2000).map { count in { ann["age"] = .int(Int64(count)) } }
        // Those that are left hold her who holds them.
        defer { ann.wishes = [] }
        #expect(throws: ContextError.willSaveDoesNotEnd(entity: "Employee")) {
            try context.save()
        }
        #expect(ann.take().count == 1000)
    }

    @Test func allErrorsAreThrownTogether() throws {
        let context = coordinator.newContext()
        for _ in 0..<2 { try person(context)["name"] = .string("bad") }
        #expect { try context.save() } throws: { error in
            guard let errors = error as? ValidationErrors else { return false }
            return errors.code == 1560 && errors.errors.map(\.code) == [1550, 1550]
        }
    }

    @Test func observersAreToldOfEventsAndSaves() throws {
        let fixture = try Fixture.league()
        let context = fixture.coordinator.newContext()
        let team = try context.get(try fixture.insert("Team")[0])
        var told: [String] = []
        let observation = context.observe { notification in
            switch notification {
            case .objectsDidChange(let it):
                told.append(
                    "change \(it.inserted.count) \(it.updated.count) \(it.deleted.count) "
                        + "\(it.refreshed.count) \(it.invalidated.count)")
            case .willSave: told.append("will")
            case .didSave(let it):
                told.append("did \(it.inserted.count) \(it.updated.count) \(it.deleted.count)")
            case .didMergeChanges: told.append("merged")
            }
        }
        func take() -> [String] {
            defer { told = [] }
            return told
        }
        let ann = try context.insert(try fixture.entity("Person"))
        try ann.set("team", team)
        try context.processPendingChanges()
        #expect(take() == ["change 1 1 0 0 0"])
        try context.processPendingChanges()
        #expect(take().isEmpty)
        try context.save()
        #expect(take() == ["will", "did 1 1 0"])
        ann["name"] = .string("x")
        try context.delete(ann)
        let gone = try context.insert(try fixture.entity("Person"))
        try context.delete(gone)
        try context.save()
        #expect(take() == ["change 0 1 1 0 0", "will", "did 0 1 1"])
        try context.refresh(team, mergeChanges: true)
        #expect(take() == ["change 0 0 0 1 0"])
        context.reset()
        #expect(take() == ["change 0 0 0 0 1"])
        observation.cancel()
        _ = try context.insert(try fixture.entity("Person"))
        try context.save()
        #expect(take().isEmpty && !context.changes.isJournaling)
    }

    @Test func eventsCanBeReadElsewhere() async throws {
        let fixture = try Fixture.league()
        let context = fixture.coordinator.newContext()
        let events = context.events()
        let ann = try context.insert(try fixture.entity("Person"))
        try context.save()
        let id = ann.objectID
        context.close()
        var read: [ContextEvent] = []
        for await event in events { read.append(event) }
        #expect(read.count == 3)
        #expect(read.last == .didSave(ChangedObjectIDs(inserted: [id])))
    }

    /// Who does not read is not waited for, and sees that something is missing.
    @Test func eventsThatNobodyReadsEnd() async throws {
        let fixture = try Fixture.league()
        let context = fixture.coordinator.newContext()
        let events = context.events()
        let ann = try context.insert(try fixture.entity("Person"))
        for age in 0..<1_100 {
            ann["age"] = .int(Int64(age))
            try context.processPendingChanges()
        }
        #expect(!context.isObserved)
        var count = 0
        for await _ in events { count += 1 }
        #expect(count == ContextObservers.mostEvents)
    }
}

@Suite struct MergingTests {
    @Test(arguments: StoreKind.allCases)
    func aSaveElsewhereIsMerged(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let teams = try fixture.insert("Team", count: 2)
        let ids = try fixture.insert("Person", count: 3)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        let held = try teams.map { try context.get($0) }
        let people = try ids.map { try context.get($0) }
        for team in held { _ = try team.keys("players") }
        people[0]["age"] = .int(1)
        people[2]["age"] = .int(2)
        let other = fixture.context()
        try other.get(ids[0])["name"] = .string("Theirs")
        try other.get(ids[0]).set("team", try other.get(teams[1]))
        try other.get(ids[1]).set("team", try other.get(teams[0]))
        try other.delete(try other.get(ids[2]))
        let new = try other.insert(try fixture.entity("Person"))
        try new.set("team", try other.get(teams[1]))
        try other.save()
        try context.mergeChanges(fromContextDidSave: try fixture.lastSave())
        #expect(people[0]["name"] == .string("Theirs") && people[0]["age"] == .int(1))
        #expect(try held[0].keys("players") == [ids[1].key])
        #expect(try held[1].keys("players") == [ids[0].key, new.objectID.key])
        #expect(people[2].isDeleted && people[2].managedObjectContext === context)
        #expect(try context.existingObject(with: ids[2]) == nil)
        try context.save()
        #expect(try fixture.version("Person", ids[0].key) == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func aContextFollowsByItself(_ kind: StoreKind) throws {
        let fixture = try Fixture(try makeLeague(), kind)
        let id = try fixture.insert("Person")[0]
        let context = fixture.coordinator.newContext()
        context.automaticallyMergesChangesFromParent = true
        let child = ManagedObjectContext(parent: context)
        child.automaticallyMergesChangesFromParent = true
        let (person, theirs) = (try context.get(id), try child.get(id))
        person["age"] = .int(4)
        try context.save()
        #expect(person.version == 2)
        let other = fixture.context()
        try other.get(id)["name"] = .string("Theirs")
        try other.save()
        try waitUntil {
            try context.processPendingChanges()
            return person.version == 3
        }
        #expect(person["name"] == .string("Theirs") && theirs["name"] == .string("Theirs"))
        context.automaticallyMergesChangesFromParent = false
        let sibling = ManagedObjectContext(parent: context)
        try sibling.get(id)["age"] = .int(9)
        try sibling.save()
        #expect(theirs["age"] == .int(9) && !child.hasChanges)
    }
}
