import Stele
import TestSupport
import Testing

/// Batch requests on every store.
@Suite struct BatchRequestTests {
    private static func stage(
        _ kind: StoreKind
    ) throws -> (TemporaryFolder, PersistentStoreCoordinator, ManagedObjectContext) {
        let folder = try TemporaryFolder()
        let store = try kind.open(try sampleModel("League"), at: folder.store)
        let coordinator = PersistentStoreCoordinator(store: store)
        return (folder, coordinator, coordinator.newContext())
    }

    private static func entity(_ name: String, _ context: ManagedObjectContext) throws -> Entity {
        try #require(context.model.entity(named: name))
    }

    private static func request(
        _ name: String, _ context: ManagedObjectContext, _ format: String? = nil
    ) throws -> FetchRequest {
        var request = FetchRequest(entity: try entity(name, context))
        request.predicate = try format.map { try Predicate(format: $0) }
        return request
    }

    @Test(arguments: StoreKind.allCases)
    func insertsUpdatesAndDeletes(_ kind: StoreKind) throws {
        let (folder, coordinator, context) = try Self.stage(kind)
        defer { coordinator.store.close() }
        _ = folder
        context.transactionAuthor = "ann"
        let teams = try context.execute(
            BatchInsertRequest(
                entity: Self.entity("Team", context), objects: [["name": "A"], ["name": "B"]]))
        #expect(teams.count == 2)
        let before = coordinator.currentToken
        let inserted = try context.execute(
            BatchInsertRequest(entity: Self.entity("Player", context), count: 2_500) { index in
                ["name": "P\(index)", "goals": index % 10, "team": teams.objectIDs[index % 2]]
            })
        #expect(inserted.count == 2_500 && Set(inserted.objectIDs).count == 2_500)
        #expect(try context.count(Self.request("Player", context)) == 2_500)
        let last = try #require(try context.existingObject(with: inserted.objectIDs[2_499]))
        #expect(try last.value(forKey: "name") == .string("P2499"))
        let saves = try coordinator.history(after: before)
        #expect(saves.count == 1 && saves[0].author == "ann")
        #expect(saves[0].changes.count { $0.changeType == .insert } == 2_500)

        let updated = try context.execute(
            BatchUpdateRequest(
                Self.request("Player", context, "goals > 7"),
                propertiesToUpdate: ["goals": 100, "country": "TR", "team": nil]))
        #expect(updated.count == 500)
        let changed = "goals == 100 AND country == 'TR' AND team == nil"
        #expect(try context.count(Self.request("Player", context, changed)) == 500)

        // All expressions see the values before the update, and may lead to other objects.
        let computed = try context.execute(
            BatchUpdateRequest(
                Self.request("Player", context, "goals == 7"),
                propertiesToUpdate: ["country": "XX"],
                expressions: [
                    "goals": try Expression(format: "goals + team.players.@count"),
                    "number": try Expression(format: "goals * 2"),
                    "name": try Expression(format: "team.name"),
                ]))
        #expect(computed.count == 250)
        let sevens = "country == 'XX' AND number == 14 AND goals == 1007 AND name == team.name"
        #expect(try context.count(Self.request("Player", context, sevens)) == 250)
        #expect(throws: PredicateError.self) {
            try context.execute(
                BatchUpdateRequest(
                    Self.request("Player", context),
                    expressions: ["goals": try Expression(format: "nothing + 1")]))
        }

        var few = try Self.request("Player", context, "goals == 100")
        few.sortDescriptors = [SortDescriptor(key: "name")]
        few.fetchLimit = 20
        #expect(try context.execute(BatchDeleteRequest(few)).count == 20)
        #expect(try context.count(Self.request("Player", context, changed)) == 480)
        // Players of a team go with it.
        let gone = try context.execute(
            BatchDeleteRequest(Self.request("Team", context, "name == 'A'")))
        #expect(gone.objectIDs == [teams.objectIDs[0]])
        #expect(try context.count(Self.request("Player", context)) == 480 + 1_000)
        #expect(try context.execute(BatchDeleteRequest(Self.request("Player", context))).count > 1)
        #expect(try context.count(Self.request("Player", context)) == 0)
        let none = try context.execute(BatchDeleteRequest(Self.request("Player", context)))
        #expect(none.objectIDs.isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func aMistakeLeavesTheStoreAsItWas(_ kind: StoreKind) throws {
        let (folder, coordinator, context) = try Self.stage(kind)
        defer { coordinator.store.close() }
        _ = folder
        let players = try Self.entity("Player", context)
        let bad = BatchInsertRequest(entity: players, count: 2_500) { index in
            ["name": "P\(index)", "number": index == 2_400 ? 100 : nil]
        }
        let errors = #expect(throws: ValidationErrors.self) { try context.execute(bad) }
        #expect(errors?.errors.map(\.message) == ["number must be at most 99"])
        #expect(try context.count(Self.request("Player", context)) == 0)

        let good = try context.execute(
            BatchInsertRequest(entity: players, count: 1_500) { ["name": "P\($0)"] })
        #expect(good.count == 1_500)
        #expect(throws: ValidationErrors.self) {
            try context.execute(
                BatchUpdateRequest(
                    Self.request("Player", context), propertiesToUpdate: ["goals": -1]))
        }
        #expect(throws: ContextError.self) {
            try context.execute(
                BatchUpdateRequest(Self.request("Player", context), propertiesToUpdate: ["x": 1]))
        }
        #expect(throws: ContextError.self) {
            try context.execute(BatchInsertRequest(entity: players, objects: [["team": 77]]))
        }
        // A player is no team, whatever its number, and an unsaved object has none.
        let unsaved = try context.insert(Self.entity("Team", context))
        for team in [good.objectIDs[0], unsaved.objectID] {
            #expect(throws: ContextError.self) {
                try context.execute(
                    BatchInsertRequest(entity: players, objects: [["name": "X", "team": team]]))
            }
        }
        context.rollback()
        #expect(try context.count(Self.request("Player", context, "goals == 0")) == 1_500)
    }

    @Test func aContextThatMergesShowsTheResult() throws {
        let (folder, coordinator, context) = try Self.stage(.sqlite)
        defer { coordinator.store.close() }
        _ = folder
        context.automaticallyMergesChangesFromParent = true
        let player = try context.insert(Self.entity("Player", context))
        try player.setValue(.string("Ada"), forKey: "name")
        try context.save()
        try player.setValue(.string("TR"), forKey: "country")
        try context.execute(
            BatchUpdateRequest(
                Self.request("Player", context), propertiesToUpdate: ["goals": 3]))
        try waitUntil {
            try context.processPendingChanges()
            return try player.value(forKey: "goals") == .int(3)
        }
        #expect(try player.value(forKey: "country") == .string("TR"), "its own change stays")
    }

    @Test func aReadOnlyStoreRefuses() throws {
        let (folder, coordinator, context) = try Self.stage(.sqlite)
        try context.execute(
            BatchInsertRequest(entity: Self.entity("Team", context), objects: [["name": "A"]]))
        coordinator.store.close()
        var description = PersistentStoreDescription(path: folder.store)
        description.isReadOnly = true
        let container = try PersistentContainer(
            modelFile: try ModelFile.read(samplePath("League")), stores: [description])
        defer { container.close() }
        let reading = container.newBackgroundContext()
        let error = #expect(throws: StoreError.self) {
            try reading.execute(BatchDeleteRequest(Self.request("Team", reading)))
        }
        guard case .readOnly? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
