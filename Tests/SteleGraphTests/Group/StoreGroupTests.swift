// Stores of several configurations as one.

import SteleModel
import StelePredicates
import SteleSystem
import TestSupport
import Testing

@testable import SteleGraph
@testable import StelePersistence

@Suite struct StoreGroupTests {
    private let two = ["Notes", "Passwords"]

    @Test(arguments: StoreKind.allCases)
    func aSaveOfBothStoresIsOneTransaction(_ kind: StoreKind) throws {
        if kind == .group { return }
        let stage = try GroupStage(two, kind)
        let told = Mutex<[HistoryTransaction]>([])
        let subscription = stage.coordinator.broadcast.subscribe(
            { saves in told.withLock { $0 += saves } }, changedElsewhere: {})
        defer { subscription.cancel() }
        let result = try stage.change { context in
            try GroupStage.insert("Note", "router", in: context)
            let system = try GroupStage.insert("System", "router", in: context)
            let category = try GroupStage.insert("Category", "house", in: context)
            try system.setDestination(category, forKey: "category")
        }
        let history = try stage.history()
        #expect(history.map(\.number) == [result.token])
        #expect(
            history[0].changes.map { stage.model.entities[$0.entity].name }.sorted()
                == ["Category", "Note", "System"])
        try stage.change { try GroupStage.insert("Note", "second", in: $0) }
        try stage.change { try GroupStage.insert("System", "third", in: $0) }
        #expect(try stage.history().map(\.number) == [1, 2, 3])
        #expect(stage.coordinator.currentToken == 3)
        // Each object is in its own store alone.
        for (name, entity) in [("Notes", "Note"), ("Passwords", "System")] {
            let store = try #require(stage.coordinator.persistentStore(forConfiguration: name))
            let reader = try store.reader()
            defer { reader.close() }
            #expect(try reader.count(FetchRequest(entity: try stage.entity(entity))) == 2)
            #expect(store.model.storedEntities.contains { $0.name == entity })
        }
        try waitUntil { told.withLock { $0.count } >= 3 }
        #expect(told.withLock { $0.map(\.number) } == [1, 2, 3])
        #expect(told.withLock { $0[0].changes.count } == 3)
    }

    /// A view without a wait is possible after a save in parts that leaves one store as it was.
    @Test func aStoreWithoutAPartKeepsItsNumber() throws {
        let stage = try GroupStage(two)
        _ = try stage.coordinator.store.save(inParts: { save in
            let context = stage.context()
            try GroupStage.insert("Note", "n", in: context)
            if let request = try context.saveRequest() { _ = try save.save(request) }
        })
        let group = try #require(stage.coordinator.store as? StoreGroup)
        #expect(group.state.withLock { $0.tokens } == [1, 0])
    }

    /// The last store is committed first.
    @Test(arguments: [StoreKind.sqlite, .memory, .xml])
    func aFailureBetweenTwoCommitsTellsWhatIsKept(_ kind: StoreKind) throws {
        let stage = try GroupStage(two, kind, wrapping: { [FailingStore($0[0]), $0[1]] })
        let told = Mutex<[HistoryTransaction]>([])
        let subscription = stage.coordinator.broadcast.subscribe(
            { saves in told.withLock { $0 += saves } }, changedElsewhere: {})
        defer { subscription.cancel() }
        let error = #expect(throws: StoreError.self) {
            try stage.change { context in
                try GroupStage.insert("Note", "lost", in: context)
                try GroupStage.insert("System", "kept", in: context)
            }
        }
        guard case .incompleteSave(let text)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(text.contains("of Passwords and not in"))
        #expect(text.contains("of Notes: the disk is on fire"))
        #expect(
            try stage.read { try $0.count(FetchRequest(entity: try stage.entity("Note"))) } == 0)
        #expect(
            try stage.read { try $0.count(FetchRequest(entity: try stage.entity("System"))) } == 1)
        let failing = try #require(stage.coordinator.persistentStores[0] as? FailingStore)
        failing.fails.withLock { $0 = false }
        try stage.change { context in
            try GroupStage.insert("Note", "later", in: context)
            try GroupStage.insert("System", "later", in: context)
        }
        #expect(try stage.history().map(\.number) == [1, 2])
        #expect(try stage.history().map(\.changes.count) == [1, 2])
        while told.withLock({ $0.count }) < 2 {}
        #expect(told.withLock { $0.map(\.changes.count) } == [1, 2])
    }

    @Test(arguments: [StoreKind.sqlite, .memory])
    func aFailureBeforeTheFirstCommitSavesNothing(_ kind: StoreKind) throws {
        let stage = try GroupStage(two, kind, wrapping: { [$0[0], FailingStore($0[1])] })
        let error = #expect(throws: StoreError.self) {
            try stage.change { context in
                try GroupStage.insert("Note", "lost", in: context)
                try GroupStage.insert("System", "lost", in: context)
            }
        }
        guard case .failed("the disk is on fire")? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try stage.history().isEmpty)
        try stage.change { try GroupStage.insert("Note", "later", in: $0) }
        #expect(try stage.history().map(\.number) == [1])
    }

    /// The store repeats the save to roll it back. The parts of the others must not be made twice,
    /// which would be a conflict.
    @Test func aRejectionOfTheLastPartIsTheErrorOfTheSave() throws {
        let stage = try GroupStage(two, wrapping: { $0.map(RejectingStore.init) })
        try stage.change { try GroupStage.insert("Note", "n", in: $0) }
        let stores = stage.coordinator.persistentStores.compactMap { $0 as? RejectingStore }
        func change(_ context: ManagedObjectContext) throws {
            let note = try context.fetch(FetchRequest(entity: try stage.entity("Note"))).first
            note?["mark"] = .int(7)
            try GroupStage.insert("Note", "second", in: context)
            try GroupStage.insert("System", "s", in: context)
        }
        // After the first rejection the first store does not repeat saves for a while.
        for store in stores {
            store.rejects.withLock { $0 = true }
            let error = #expect(throws: StoreError.self) { try stage.change(change) }
            if case .invalid("rejected")? = error {
                store.rejects.withLock { $0 = false }
                continue
            }
            Issue.record("\(String(describing: error))")
        }
        #expect(try stage.history().count == 1)
        try stage.change(change)
        #expect(try stage.history().map(\.changes.count) == [1, 3])
    }

    @Test func aFetchedPropertyLeadsToAnotherStore() throws {
        let stage = try GroupStage(["Notes", "Archive", "Passwords"])
        try stage.change { context in
            for (index, name) in ["my router", "router", "printer", "house"].enumerated() {
                let note = try GroupStage.insert("Note", name, in: context)
                if index % 2 == 1 { try GroupStage.assign(note, to: "Archive") }
            }
            let system = try GroupStage.insert("System", "router", in: context)
            let category = try GroupStage.insert("Category", "house", in: context)
            try system.setDestination(category, forKey: "category")
            try GroupStage.insert("System", "unnamed", in: context)["name"] = .null
        }
        let context = stage.context()
        let systems = try context.fetch(FetchRequest(entity: try stage.entity("System")))
        let mentions: [ManagedObject] = try systems[0].fetched(forKey: "mentions")
        #expect(mentions.map { $0["name"] } == [.string("my router"), .string("router")])
        let kin: [ManagedObject] = try systems[0].fetched(forKey: "kin")
        #expect(kin.map { $0["name"] } == [.string("house")])
        let none: [ManagedObject] = try systems[1].fetched(forKey: "kin")
        #expect(none.isEmpty)
    }

    /// Page by page, by values that the store computes.
    @Test(arguments: ["-length(name)", "name", "length(name) - 3,-name", "_id"])
    func aFetchedPropertyOfAnotherStoreIsReadInPages(_ sort: String) throws {
        let stage = try GroupStage(["Notes", "Archive", "Passwords"])
        try stage.change { context in
            for (index, name) in ["my router", "router", "a router", "router 2"].enumerated() {
                let note = try GroupStage.insert("Note", name, in: context)
                if index % 2 == 1 { try GroupStage.assign(note, to: "Archive") }
            }
            try GroupStage.insert("System", "router", in: context)
        }
        let system = try stage.entity("System")
        guard case .fetchedProperty(let property)? = system.property(named: "mentions") else {
            Issue.record("the model has no fetched property")
            return
        }
        try stage.read { reader in
            var request = FetchRequest(entity: try stage.entity("Note"))
            let check = PredicateCheck(model: stage.model, entity: request.entity)
            request.predicate = try check.check(
                Predicate(format: property.request.predicateFormat ?? ""), source: system.index)
            request.source = FetchSource(entity: system.index, keys: [1])
            request.sortDescriptors = try SortList(sort).checked(by: check)
            request.isChecked = true
            let all = try reader.fetch(request).map(\.key)
            #expect(all.count == 4)
            var pages: [Int64] = []
            request.fetchLimit = 1
            while let row = try reader.fetch(request).first, pages.count < 9 {
                pages.append(row.key)
                request.after = try reader.position(of: row.key, in: request)
            }
            #expect(pages == all)
        }
    }

    @Test func objectsOfOneEntityAreInSeveralStores() throws {
        let folder = try TemporaryFolder()
        let names = ["Notes", "Archive", "Passwords"]
        var stage: GroupStage? = try GroupStage(names, in: folder)
        var ids: [ObjectID] = []
        try stage?.change { context in
            let notes = try (1...6).map { number in
                let note = try GroupStage.insert("Note", "\(number)", in: context)
                if number % 3 == 0 { try GroupStage.assign(note, to: "Archive") }
                return note
            }
            try context.save()
            ids = notes.map(\.objectID)
        }
        #expect(ids.map { $0.key >> 40 } == [0, 0, 1, 0, 0, 1])
        #expect(Set(ids).count == 6)
        let first = try #require(stage)
        let uri = first.coordinator.objectURI(ids[2], entity: try first.entity("Note"))
        #expect(uri.contains(first.coordinator.persistentStores[1].identifier))
        #expect(try first.coordinator.objectID(forURI: uri) == ids[2])
        // A saved object stays where it is.
        let context = first.context()
        let saved = try #require(try context.existingObject(with: ids[2]))
        #expect(throws: ContextError.self) { try GroupStage.assign(saved, to: "Notes") }
        #expect(throws: ContextError.self) {
            try GroupStage.assign(
                try GroupStage.insert("Category", "x", in: context), to: "Archive")
        }
        stage = nil
        first.coordinator.store.close()
        // The keys tell the place, so the stores keep theirs.
        let stores = try GroupStage.stores(["Archive", "Notes", "Passwords"], in: folder)
        defer { for store in stores { store.close() } }
        let error = #expect(throws: StoreError.self) {
            try StoreGroup(stores, model: try GroupStage.model())
        }
        #expect("\(String(describing: error))".contains("whose key belongs to another place"))
    }

    @Test func aLinkDoesNotLeadToAnotherStore() throws {
        let stage = try GroupStage(["Notes", "Archive", "Passwords"])
        let error = #expect(throws: StoreError.self) {
            try stage.change { context in
                let note = try GroupStage.insert("Note", "n", in: context)
                let tag = try GroupStage.insert("Tag", "t", in: context)
                try GroupStage.assign(tag, to: "Archive")
                try note.setMembers(try stage.relationship("Note.tags"), [tag])
            }
        }
        #expect("\(String(describing: error))".contains("cannot lead from one store to another"))
        #expect(try stage.history().isEmpty)
    }

    @Test func modelsThatDoNotFitAreRefused() throws {
        func text(
            _ entities: [EntityMaker], _ configurations: [String: [String]],
            _ composites: [CompositeDescription] = []
        ) throws -> String {
            var declaration = ManagedObjectModel(name: "Odd")
            declaration.entities = entities.map(\.entity)
            declaration.composites = composites
            declaration.configurations = configurations.sorted { $0.key < $1.key }.map {
                var it = ConfigurationDescription(name: $0.key)
                it.entityNames = $0.value
                return it
            }
            let model = try Model(declaration)
            let stores = configurations.keys.sorted().compactMap { model.restricted(to: $0) }
                .map { InMemoryStore(model: $0) }
            do { _ = try StoreGroup(stores, model: model) } catch { return "\(error)" }
            return ""
        }
        let a = EntityMaker("A").attribute("name", .string)
        let b = EntityMaker("B").attribute("name", .string)
        #expect(try text([a, b], ["One": ["A"]]).contains("no store has the entity B"))
        #expect(
            try text(
                [a.toOne("b", "B", inverse: "a"), b.toMany("a", "A", inverse: "b")],
                ["One": ["A"], "Two": ["B"]]
            ).contains("A.b leads to B, which is in another store"))
        #expect(
            try text(
                [
                    a.toMany("tags", "A").fetched("others", "B", "name IN $FETCH_SOURCE.tags.name"),
                    b,
                ],
                ["One": ["A"], "Two": ["B"]]
            ).contains("$FETCH_SOURCE.tags.name in the fetched property A.others"))
        // Of a composite attribute only its values.
        let home = CompositeDescription("Place", [.init(optional: "city", .string)])
        func homed(_ path: String) -> EntityMaker {
            a.attribute("home", .composite) { $0.compositeName = "Place" }
                .fetched("others", "B", "name == $FETCH_SOURCE.\(path)")
        }
        #expect(
            try text([homed("home"), b], ["One": ["A"], "Two": ["B"]], [home])
                .contains("$FETCH_SOURCE.home in the fetched property A.others"))
        #expect(try text([homed("home.city"), b], ["One": ["A"], "Two": ["B"]], [home]) == "")
        #expect(try GroupStage.model().restricted(to: "Nothing") == nil)
    }

    /// Each save gives a note and a system the same mark. No reader sees one without the other.
    @Test func readersSeeWholeSaves() throws {
        let stage = try GroupStage(two)
        try stage.change { context in
            try GroupStage.insert("Note", "n", in: context)
            try GroupStage.insert("System", "s", in: context)
        }
        let isOver = Mutex(false)
        let coordinator = stage.coordinator
        let reads = onThreads(4) { thread -> (seen: Int, torn: Int) in
            var (seen, torn) = (0, 0)
            if thread == 0 {
                for mark in 1...200 {
                    let context = ManagedObjectContext(coordinator)
                    for name in ["Note", "System"] {
                        guard let entity = context.model.entity(named: name),
                            let object = try? context.fetch(FetchRequest(entity: entity)).first
                        else { return (0, 1) }
                        object["mark"] = .int(Int64(mark))
                    }
                    guard (try? context.save()) != nil else { return (0, 1) }
                    if mark % 3 == 0 {
                        _ = try? GroupStage.insert("Note", "other", in: context)
                        guard (try? context.save()) != nil else { return (0, 1) }
                    }
                }
                isOver.withLock { $0 = true }
                return (0, 0)
            }
            while !isOver.withLock({ $0 }) {
                let context = ManagedObjectContext(coordinator)
                defer { context.close() }
                let marks = ["Note", "System"].map { name -> Value? in
                    guard let entity = context.model.entity(named: name) else { return nil }
                    return try? context.fetch(FetchRequest(entity: entity)).first?["mark"]
                }
                seen += 1
                if marks[0] == nil || marks[0] != marks[1] { torn += 1 }
            }
            return (seen, torn)
        }
        #expect(reads.map(\.torn) == [0, 0, 0, 0])
        #expect(reads.map(\.seen).reduce(0, +) > 3)
        #expect(try stage.history().map(\.number) == Array(1...267))
    }

    @Test func anotherProgramCannotOpenAStoreOfTheGroup() throws {
        let folder = try TemporaryFolder()
        let stage = try GroupStage(two, in: folder)
        let error = #expect(throws: StoreError.self) {
            try GroupStage.stores(["Notes"], in: folder)
        }
        #expect("\(String(describing: error))".contains("a service of several stores"))
        withExtendedLifetime(stage) {}
    }
}
