// The League sample: a team goes with its players, in a few statements however many they are.

import SteleModel
import StelePersistence
import StelePredicates
import TestSupport
import Testing

@testable import SteleGraph

@Suite struct LeagueTests {
    private func league(_ kind: StoreKind, players: Int) throws -> (Fixture, teams: [ObjectID]) {
        let fixture = try Fixture(
            try sampleModel("League"), kind, rowCacheBytes: 0, isCounting: true)
        let teams = try fixture.insert("Team", count: 2)
        try fixture.change { context in
            for number in 0..<players {
                let player = try context.insert(try fixture.entity("Player"))
                player["name"] = .string("Player \(number)")
                try player.set("team", try context.get(teams[number % 2]))
            }
        }
        return (fixture, teams)
    }

    @Test(arguments: StoreKind.allCases)
    func aTeamTakesItsPlayersAlongAndNobodyElses(_ kind: StoreKind) throws {
        let (fixture, teams) = try league(kind, players: 9)
        let context = fixture.coordinator.newContext(retainsRegisteredObjects: true)
        context.undoManager = UndoManager()
        try context.delete(try context.get(teams[0]))
        try context.save()
        #expect(try fixture.count("Player") == 4 && fixture.count("Team") == 1)
        let save = try fixture.lastSave()
        #expect(save.changes.count == 6 && save.changes.allSatisfy { $0.kind == .delete })
        #expect(try fixture.storedMembers("Team.players", of: teams[1].key).count == 4)
        try context.undo()
        try context.save()
        #expect(try fixture.count("Player") == 9)
        #expect(try fixture.storedMembers("Team.players", of: teams[0].key).count == 5)
        // The other way round nothing goes along.
        let player = try #require(try context.fetch(try fixture.request("Player")).first)
        try context.delete(player)
        try context.save()
        #expect(try fixture.count("Player") == 8 && fixture.count("Team") == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func whatACascadeReadsDoesNotGrowWithTheTeam(_ kind: StoreKind) throws {
        var asked: [Int] = []
        for players in [4, 400] {
            let (fixture, teams) = try league(kind, players: players)
            let store = try #require(fixture.counter)
            let context = fixture.context()
            let team = try context.get(teams[0])
            asked.append(
                try store.queries {
                    try context.delete(team)
                    try context.save()
                })
            #expect(try fixture.count("Player") == players / 2)
        }
        // The members, and their rows.
        #expect(asked == [2, 2])
    }
}
