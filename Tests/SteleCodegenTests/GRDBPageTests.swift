// The Swift code of Docs/ComingFromGRDB.md, word for word, between expectations.
// `LibraryDocsTests` checks that each example of the page stands here.

import Stele
import TestSupport
import Testing

@Suite struct GRDBPageTests {
    @Test("The examples of the page run from opening a store to a batch", .timeLimit(.minutes(30)))
    func examples() async throws {
        let folder = try TemporaryFolder()
        let storePath = folder.store

        let container = try PersistentContainer(LeagueModel.self, at: storePath)
        let coordinator = container.persistentStoreCoordinator
        #expect(coordinator.persistentStores.count == 1)

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

        let north = try context.fetch(Player.self) {
            $0.goals > 9 && $0.team.name.beginsWith("north", options: .caseInsensitive)
        } sort: {
            [$0.goals.descending, $0.name.ascending]
        }
        let best = try context.fetch(
            Player.self, where: "goals > %d AND team.name BEGINSWITH[c] %@", 9, "north",
            sort: "-goals,name")
        let again = try context.existingObject(Player.self, with: player.objectID)
        let count = try context.count(Player.self, where: "goals > 9")
        #expect(north == [player] && best == north && again == player && count == 1)

        var squads = Team.fetchRequest(sort: { [$0.name.ascending] })
        squads.prefetch { [$0.players] }
        for team in try context.fetch(squads) {
            print(team.name ?? "", try team.players.map { $0.name ?? "" })
        }

        struct TeamTotal: Decodable {
            var team: String?
            var players: Int
            var goals: Int
        }
        var grouped = FetchRequest(entity: try context.entity(of: Player.self))
        grouped.propertiesToGroupBy = [.keyPath("team.name")]
        grouped.propertiesToFetch = [
            ExpressionDescription(name: "team", expression: .keyPath("team.name")),
            ExpressionDescription(name: "players", expression: try Expression(format: "count()")),
            ExpressionDescription(name: "goals", expression: try Expression(format: "sum(goals)")),
        ]
        grouped.havingPredicate = try Predicate(format: "sum(goals) > 9")
        grouped.sortDescriptors = try SortList("-sum(goals)").descriptors
        let totals = try context.rows(grouped, as: TeamTotal.self)
        #expect(totals.map(\.team) == ["Northgate Rovers"])
        #expect(totals.map(\.players) == [1] && totals.map(\.goals) == [17])

        let id = player.objectID
        let goals = try await container.performBackgroundTask { context in
            let player = try context.existingObject(Player.self, with: id)
            player?.goals += 1
            try context.save()
            return player?.goals
        }
        #expect(goals == 18)
        try context.refreshAllObjects()

        let scorers = try Player.fetchRequest(where: "goals >= 10", sort: "-goals")
        let controller = try FetchedResultsController(
            fetchRequest: scorers, managedObjectContext: context, sectionNameKeyPath: "team.name")
        let changes = try controller.changes()
        let rows = try controller.fetchedObjects(Player.self, in: context)
        #expect(rows == [player])
        player.goals = 3
        try context.save()

        for await change in changes {
            guard case .difference(let difference) = change else { continue }
            print(difference.inserts.count, "new,", difference.deletes.count, "gone")
            if controller.count == 0 { break }
        }

        try context.execute(
            BatchInsertRequest(Player.self, count: 50) {
                ["name": "Player \($0)", "team": team]
            })
        let renamed = try context.execute(
            BatchUpdateRequest(
                Player.fetchRequest { $0.name.beginsWith("Player ") },
                propertiesToUpdate: ["goals": 1]))
        let removed = try context.execute(
            BatchDeleteRequest(Player.fetchRequest(where: \.goals == 1)))
        #expect(renamed.count == 50 && removed.count == 50)
        container.close()
    }

    /// What the tables of the page name for a concept of GRDB does what they say.
    @Test func callsOfTheTables() throws {
        let folder = try TemporaryFolder()
        let container = try PersistentContainer(LeagueModel.self, at: folder.store)
        defer { container.close() }
        let coordinator = container.persistentStoreCoordinator
        let context = container.newBackgroundContext()
        let team = try context.insert(Team.self)
        let player = try context.insert(Player.self)
        (team.name, player.name, player.goals, player.team) = ("North", "Ada", 17, team)
        try context.obtainPermanentIDs(for: [player])
        let id = player.objectID
        try context.save()
        #expect(player.objectID == id && !id.isTemporaryID)

        player.goals = 3
        #expect(try player.hasChanges && Array(player.changedValues().keys) == ["goals"])
        #expect(player.committedValues(forKeys: ["goals"]) == ["goals": .value(.int(17))])
        context.rollback()
        #expect(player.goals == 17)

        let ids = [id]
        #expect(try context.fetch(Player.self) { ids.contains($0) } == [player])
        #expect(try context.existingObjects(root: id.root, keys: [id.key])[id.key] === player)
        #expect(try context.fetch(Player.self, where: \.team == team) == [player])
        #expect(try context.fetch(Player.self) { $0.team != nil } == [player])
        #expect(try context.fetch(Team.self) { $0.players.contains { $0.goals > 9 } } == [team])
        #expect(try context.fetch(Team.self) { $0.players.isEmpty || $0.players.count > 4 }.isEmpty)
        try context.prefetch(["players"], for: [team])
        let views = try context.inOneView {
            (try context.count(Team.self), try context.count(Player.self))
        }
        #expect(views == (1, 1))
        let wanted = ManagedObjectContext(coordinator, isWanted: { true })
        #expect(try wanted.count(Player.self) == 1)
        wanted.close()

        struct Squad: Decodable, Equatable { let name: String, players: Int }
        let squads = try context.rows(Team.fetchRequest(), as: Squad.self) {
            [$0.name.column("name"), $0.players.count.column("players")]
        }
        #expect(squads == [Squad(name: "North", players: 1)])
        let reader = try coordinator.store.reader()
        let all = FetchRequest(entity: try context.entity(of: Player.self))
        #expect(try reader.cursor(all.checked(in: coordinator.model)).next(500).count == 1)
        reader.close()

        _ = try coordinator.store.save { reader in
            let making = ManagedObjectContext(coordinator, reader: reader, author: "writer")
            defer { making.close() }
            try making.existingObject(Player.self, with: id)?.goals += 1
            return try #require(try making.saveRequest())
        }
        #expect(try coordinator.history().last?.author == "writer")
    }

    /// A controller learns of another program's save when this one looks for it.
    @Test(.timeLimit(.minutes(30))) func anotherProgramIsNoticed() async throws {
        let folder = try TemporaryFolder()
        let container = try PersistentContainer(LeagueModel.self, at: folder.store)
        defer { container.close() }
        let controller = try FetchedResultsController(
            fetchRequest: Team.fetchRequest(),
            managedObjectContext: container.newBackgroundContext())
        let changes = try controller.changes()

        let other = try PersistentContainer(LeagueModel.self, at: folder.store)
        defer { other.close() }
        let context = other.newBackgroundContext()
        try context.insert(Team.self).name = "South"
        try context.save()
        #expect(container.persistentStoreCoordinator.store.noticesForeignChange())
        for await change in changes {
            guard case .refetched = change else { continue }
            break
        }
        #expect(controller.count == 1)
    }

    @Test("The classes of the examples fit the model that the page shows")
    func modelOfThePage() throws {
        let page = try packageText("Docs/ComingFromGRDB.md")
        let start = try #require(page.range(of: "```json\n")).upperBound
        let end = try #require(page[start...].range(of: "\n```")).lowerBound
        let shown = try model(json: String(page[start..<end]), name: "League")
        let coordinator = try LeagueModel.coordinator(store: InMemoryStore(model: shown))
        let context = coordinator.newContext()
        let player = try context.insert(Player.self)
        player.name = "Amara Diallo"
        player.number = 230
        #expect(throws: ValidationErrors.self) { try context.save() }
    }
}
