// The Swift code of Docs/Library.md, word for word, between expectations.

import Foundation
import Stele
import TestSupport
import Testing

@Suite struct LibraryDocsTests {
    @Test("The examples of the page run from opening a store to testing", .timeLimit(.minutes(30)))
    func examples() async throws {
        let folder = try TemporaryFolder()
        let (modelPath, storePath) = (samplePath("League"), folder.store)

        let container = try PersistentContainer(LeagueModel.self, at: storePath)
        let coordinator = container.persistentStoreCoordinator

        let context = container.newBackgroundContext()
        context.transactionAuthor = "ann"
        let team = Team(context: context)
        team.name = "Northgate Rovers"
        let player = Player(context: context)
        player.name = "Amara Diallo"
        player.goals = 17
        player.team = team
        try context.save()
        #expect(try team.players == [player] && !player.objectID.isTemporaryID)

        let best = try context.fetch(
            Player.self, where: "goals > %d AND team.name BEGINSWITH[c] %@", 9, "north",
            sort: "-goals,name")
        for player in best {
            print(player.name ?? "", player.team?.name ?? "")
        }
        #expect(best == [player])

        var request = try Player.fetchRequest(where: "team == %@", team, sort: "name")
        request.fetchLimit = 10
        let squad = try context.fetch(request)
        let count = try context.count(Player.self, where: "goals > 9")
        let first = try context.fetchOne(Player.self, sort: "-goals")
        let again = try context.existingObject(Player.self, with: player.objectID)
        #expect(squad == [player] && count == 1 && first == player && again == player)

        let north = try context.fetch(Player.self) {
            $0.goals > 9 && $0.team.name.beginsWith("north", options: .caseInsensitive)
        } sort: {
            [$0.goals.descending, $0.name.ascending]
        }
        let rovers = try context.fetch(
            Player.self, where: \.goals > 9 && \.team.name == "Northgate Rovers")
        let strong = try context.fetch(Team.self) { $0.players.sum(\.goals) > 9 }
        #expect(north == [player] && rovers == [player] && strong == [team])
        var typed = Player.fetchRequest(where: \.goals > 9)
        typed.predicate = typed.predicate.map { $0 && !ObjectKeys<Player>().name.contains("x") }
        typed.prefetch { [$0.team, $0.team.players] }
        #expect(try context.count(for: typed) == 1)
        #expect(typed.relationshipKeyPathsForPrefetching == ["team", "team.players"])
        #expect(try context.fetch(typed) == [player])

        var everybody = FetchRequest(entity: try context.entity(of: Player.self))
        everybody.predicate = try Predicate(format: "goals >= %d", arguments: [.value(.int(0))])
        everybody.sortDescriptors = try SortList("name").descriptors
        everybody.relationshipKeyPathsForPrefetching = ["team"]
        let players = try context.fetch(everybody)
        let ids = try context.fetchIDs(everybody)
        #expect(players == [player] && ids == [player.objectID])

        let added = try context.execute(
            BatchInsertRequest(Player.self, count: 5_000) {
                ["name": "Player \($0)", "team": team]
            })
        let renamed = try context.execute(
            BatchUpdateRequest(
                Player.fetchRequest { $0.name.beginsWith("Player ") },
                propertiesToUpdate: ["goals": 1]))
        let raised = try context.execute(
            BatchUpdateRequest(
                Player.fetchRequest(where: \.goals == 1),
                expressions: ["goals": try Expression(format: "goals + 1")]))
        let removed = try context.execute(
            BatchDeleteRequest(Player.fetchRequest(where: \.goals == 2)))
        #expect(added.count == 5_000 && renamed.count == 5_000)
        #expect(raised.count == 5_000 && removed.count == 5_000)
        try context.refreshAllObjects()

        player.number = 230
        do {
            try context.save()
        } catch let errors as ValidationErrors {
            for error in errors.errors {
                print(error.code, error.property ?? "", error.message)
            }
            context.rollback()
        }
        #expect(player.number == nil && !context.hasChanges)
        player.number = 230
        let mistakes = #expect(throws: ValidationErrors.self) { try context.save() }?.errors ?? []
        let printed = mistakes.map { "\($0.code) \($0.property ?? "") \($0.message)" }
        #expect(try packageText("Docs/Library.md").contains("prints `\(printed.joined())`"))
        context.rollback()

        let other = coordinator.newContext()
        let same = try other.existingObject(Player.self, with: player.objectID)
        same?.goals = 18
        player.goals = 19
        try other.save()
        do {
            try context.save()
        } catch StoreError.conflicts(let conflicts) {
            print(conflicts.count, "object was changed by another save")
            try context.refreshAllObjects()
            try context.save()
        }
        #expect(player.goals == 19 && !context.hasChanges && player.version == 3)

        context.mergePolicy = .objectTrump

        let scorers = try Player.fetchRequest(where: "goals >= 10", sort: "-goals")
        let controller = try FetchedResultsController(
            fetchRequest: scorers, managedObjectContext: context, sectionNameKeyPath: "team.name")
        let changes = try controller.changes()
        let rows = try controller.fetchedObjects(Player.self, in: context)
        #expect(rows == [player])
        #expect(controller.fetchedObjectIDs == [player.objectID])

        let home = try FetchedResultsController(
            forKey: "players", of: team, where: "goals > %d", 9, sort: "-goals")
        try home.performFetch { change in
            guard case .difference(let difference) = change else { return }
            print(difference.inserts.map { difference.indexPath(after: $0.index) })
        }
        #expect(home.fetchedObjectIDs == [player.objectID])

        let shown = try ContextResultsController(
            fetchRequest: scorers, managedObjectContext: context, sectionNameKeyPath: "team.name")
        try shown.performFetch { _ in
            print(shown.fetchedObjects.count, "scorers in", shown.sections.count, "teams")
        }
        #expect(shown.fetchedObjects == [player])
        #expect(shown.sections.count == 1)

        context.automaticallyMergesChangesFromParent = true
        var refreshed = 0
        let observation = context.observe { notification in
            if case .objectsDidChange(let changed) = notification {
                refreshed += changed.refreshed.count
            }
        }
        let goalsObservation = try player.observe(\.goals) { change in
            print(change.kind, change.oldValue ?? 0, change.newValue ?? 0)
        }
        defer { goalsObservation.cancel() }
        same?.goals = 30
        try other.refreshAllObjects()
        try other.save()
        for await change in changes {
            guard case .difference(let difference) = change else { continue }
            #expect(difference.updates.map(\.key) == [player.objectID.key])
            break
        }

        for save in try coordinator.history(after: 0) {
            print(save.token, save.author ?? "", save.changes.map(\.entityName))
        }
        let authors = try coordinator.history().map(\.author)
        #expect(authors.first == "ann")

        try waitUntil {
            try context.processPendingChanges()
            return refreshed == 1
        }
        #expect(player.goals == 30)
        observation.cancel()

        let id = player.objectID
        let goals = try await container.performBackgroundTask { context in
            let player = try context.existingObject(Player.self, with: id)
            player?.goals += 1
            try context.save()
            return player?.goals
        }
        #expect(goals == 31)
        try context.refreshAllObjects()

        context.undoManager = UndoManager()
        try context.undoManager?.beginUndoGrouping()
        player.name = "A. Diallo"
        try context.delete(team)
        try context.undoManager?.endUndoGrouping()
        try context.undo()
        try context.redo()
        #expect(team.isDeleted && player.isDeleted)
        try context.undo()
        #expect(try !team.isDeleted && team.players == [player] && player.name == "Amara Diallo")

        let child = ManagedObjectContext(parent: context)
        let copy = try child.existingObject(Player.self, with: player.objectID)
        copy?.goals = 20
        try child.save()
        #expect(player.goals == 20 && context.hasChanges)

        let model = try ModelFile.read(modelPath).model()
        let memory = try LeagueModel.coordinator(store: InMemoryStore(model: model))
        #expect(try memory.newContext().count(Player.self) == 0)

        let object = try model.entity(named: "Player").map { try context.insert($0) }
        try object?.setValue(.string("Ada Okafor"), forKey: "name")
        let name = try object?.value(forKey: "name")
        let total = try team.value(forKeyPath: "players.@sum.goals").value
        #expect(total == .int(Int64(player.goals)))
        #expect(name == .string("Ada Okafor") && object is Player)

        let scoring = PersistentStoreCoordinator(
            store: InMemoryStore(model: model), classes: ["Player": Scorer.self])
        try expectGoals(scoring.newContext())

        let textPath = folder.path + "/league.txt"
        FileFormats.register(TextFormat())
        let format = try #require(FileFormats.named("text"))
        let notes = try AtomicStore.open(path: textPath, model: model, format: format)
        #expect(try LeagueModel.coordinator(store: notes).store.type == "text")
        notes.close()

        let inMemory = try PersistentContainer(LeagueModel.self, at: ":memory:")
        let scratch = inMemory.newBackgroundContext()
        try scratch.insert(Team.self).name = "Test"
        try scratch.save()
        #expect(try scratch.count(Team.fetchRequest()) == 1)
        controller.stop()
        container.close()
        try expectTwoStores(model, storePath)
    }

    /// An entity in two stores.
    private func expectTwoStores(_ model: Model, _ storePath: String) throws {
        var description = PersistentStoreDescription(path: storePath)
        description.isReadOnly = true
        description.shouldMigrateStoreAutomatically = false
        description.shouldInferMappingModelAutomatically = false
        let reading = try PersistentContainer(LeagueModel.self, stores: [description])
        #expect(try reading.newBackgroundContext().count(Team.self) == 1)
        reading.close()

        let inLeague = try #require(model.restricted(to: "Default"))
        let current = try SQLiteStore.open(path: storePath, model: inLeague)
        let archive = InMemoryStore(model: inLeague)
        let both = try LeagueModel.coordinator(store: StoreGroup([current, archive], model: model))
        let editing = both.newContext()
        let former = try editing.insert(Team.self)
        former.name = "Southgate"
        try editing.assign(former, to: archive)
        try editing.save()
        let names = try editing.fetch(Team.self, where: "TRUEPREDICATE", sort: "name").map(\.name)
        #expect(names.contains("Southgate") && names.contains("Northgate Rovers"))
        #expect(former.objectID.key > 1 << 40)
        both.store.close()
    }

    final class Scorer: ManagedObject {
        override func awakeFromInsert() {
            try? setValue(.int(1), forKey: "goals")
        }

        override func validateForInsert() throws {
            try super.validateForInsert()
            guard try value(forKey: "goals") == .int(0) else { return }
            throw validationError("a scorer has a goal", property: "goals")
        }
    }

    /// The subclass sets a value when it is inserted, and refuses another when it is saved.
    private func expectGoals(_ context: ManagedObjectContext) throws {
        let object = try context.insert(context.model.named("Player"))
        #expect(object is Scorer && object["goals"] == .int(1))
        object["name"] = .string("Ada Okafor")
        object["goals"] = .int(0)
        let errors = #expect(throws: ValidationErrors.self) { try context.save() }
        #expect(errors?.errors.map(\.message) == ["a scorer has a goal"])
    }

    /// The lines of a text without their indentation, but for empty ones.
    private func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { !$0.isEmpty }
    }

    private func blocks(_ page: String) throws -> [[String]] {
        try packageText("Docs/\(page).md").components(separatedBy: "```swift\n").dropFirst()
            .map { lines($0.components(separatedBy: "\n```")[0]).filter { $0 != "import Stele" } }
    }

    /// The first program of the page, which is compiled and not run: it writes into the current folder.
    /// `PersistentContainerTests.fiveLinesToARow` runs the same.
    @MainActor private func firstProgram() throws {
        let container = try PersistentContainer(LeagueModel.self, at: "League.sqlite")
        let team = Team(context: container.viewContext)
        team.name = "Northgate Rovers"
        try container.viewContext.save()
    }

    /// The examples of a page from the first that its test has, and the fewest that there are.
    @Test(
        "Each example of a page stands in its test once",
        arguments: [
            ("Library", "LibraryDocsTests", 1, 18), ("ComingFromGRDB", "GRDBPageTests", 0, 10),
        ])
    func examplesStandInTests(page: String, test: String, first: Int, least: Int) throws {
        let source = lines(try packageText("Tests/SteleCodegenTests/\(test).swift"))
        let blocks = try blocks(page).dropFirst(first)
        #expect(blocks.count >= least)
        for block in blocks {
            let starts = source.indices.filter { source[$0...].starts(with: block) }
            #expect(starts.count == 1, "found \(starts.count) times: \(block)")
        }
    }

    @Test("The manifest and the table of the page name the products of the package")
    func manifest() throws {
        let manifest = try #require(try blocks("Library").first).joined()
        let package = try packageText("Package.swift")
        let named = manifest.matches(of: /\.product\(name: "(\w+)", package: "stele"\)/)
            .map { String($0.1) }
        #expect(named == ["Stele"])
        for name in named { #expect(package.contains(".library(name: \"\(name)\"")) }
        let table = try packageText("Docs/Library.md").matches(of: /(?m)^\| `(Stele\w*)` \|/)
            .map { String($0.1) }
        let libraries = package.matches(of: /\.library\(name: "(\w+)"/).map { String($0.1) }
        #expect(Set(table) == Set(libraries))
    }
}
