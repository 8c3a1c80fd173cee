// How many statements the graph's large operations take, counted by SQLite itself.

import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import StatementTally
import TestSupport
import Testing

@testable import SteleSQLite

@Suite struct StatementCountTests {
    private let players = 5_000
    private let stage: GraphStore
    private let tally: StatementTally
    private let team: ObjectID

    init() throws {
        let folder = try TemporaryFolder()
        tally = StatementTally(path: folder.store)
        stage = try GraphStore(try sampleModel("League"), in: folder)
        let context = stage.context()
        let team = try context.insert(try stage.entity("Team"))
        team["name"] = .string("Crew")
        let toTeam = try stage.relationship("Player.team")
        for index in 0..<players {
            let player = try context.insert(try stage.entity("Player"))
            player["name"] = .string("Player \(index)")
            try player.setToOne(toTeam, team)
        }
        try context.save()
        self.team = team.objectID
    }

    /// A query a thousand; beside them the view is opened and given back.
    @Test func firingFaultsIsAQueryAThousand() throws {
        let coordinator = PersistentStoreCoordinator(store: stage.store, rowCacheBytes: 0)
        let context = coordinator.newContext()
        let all = try context.fetch(FetchRequest(entity: try stage.entity("Player")))
        for player in all { try context.refresh(player, mergeChanges: false) }
        #expect(all.count == players)
        #expect(all.count { $0.isFault } == players)
        let statements = try tally.statements { try context.fire(all) }
        #expect((players / 1_000...players / 1_000 + 4).contains(statements), "\(statements)")
        #expect(all.count { $0.isFault } == 0)
    }

    /// The rows are one statement; their history is 512 rows a statement.
    @Test(arguments: [false, true])
    func deletingATeamWithItsPlayersIsAFewStatements(inTheContextThatMadeThem: Bool) throws {
        let context = stage.coordinator.newContext()
        if inTheContextThatMadeThem {
            // What it has saved itself is known to it as it is.
            let player = try context.insert(try stage.entity("Player"))
            player["name"] = .string("Late")
            try player.setToOne(try stage.relationship("Player.team"), try context.get(team))
            try context.save()
        }
        let statements = try tally.statements {
            try context.delete(try context.get(team))
            try context.save()
        }
        #expect(statements > 0 && statements < 60, "\(statements)")
        let left = try stage.context().count(FetchRequest(entity: try stage.entity("Player")))
        #expect(left == 0)
    }

    @Test func insertingManyIsAFewStatements() throws {
        let context = stage.context()
        for index in 0..<players {
            let player = try context.insert(try stage.entity("Player"))
            player["name"] = .string("Other \(index)")
        }
        let statements = try tally.statements { try context.save() }
        #expect(statements > 0 && statements < 60, "\(statements)")
        let found = try stage.context().count(FetchRequest(entity: try stage.entity("Player")))
        #expect(found == 2 * players)
    }
}
