import Foundation
import Stele
import TestSupport
import Testing

/// Rows of values as dictionaries and as values of Swift types.
@Suite struct DecodedRowsTests {
    private let context: ManagedObjectContext
    private static let joined = Date(timeIntervalSinceReferenceDate: 700_000_000)

    init() throws {
        let container = try PersistentContainer(LeagueModel.self, at: ":memory:")
        context = container.newBackgroundContext()
        let team = Team(context: context)
        team.name = "North"
        for (name, goals, number) in [("Ada", 70_000, 7), ("Bo", 3, nil)] {
            let player = Player(context: context)
            player.name = name
            player.goals = Int32(goals)
            player.number = number.map { Int16($0) }
            player.joinedAt = Self.joined
            player.salary = Decimal(string: "10.5")
            player.team = team
        }
        try context.save()
    }

    private struct Scorer: Decodable, Equatable {
        var name: String
        var goals: Int
        var number: Int16?
        var joinedAt: Date
        var salary: Decimal
    }

    @Test func aRowIsAStruct() throws {
        let rows = try context.rows(
            Player.fetchRequest(sort: { [$0.name.ascending] }), as: Scorer.self)
        let day = Self.joined
        let salary = try #require(Decimal(string: "10.5"))
        #expect(
            rows == [
                Scorer(name: "Ada", goals: 70_000, number: 7, joinedAt: day, salary: salary),
                Scorer(name: "Bo", goals: 3, number: nil, joinedAt: day, salary: salary),
            ])
    }

    @Test func columnsAreChosen() throws {
        struct Place: Decodable, Equatable {
            var player: String
            var team: String?
        }
        let rows = try context.rows(
            Player.fetchRequest(where: \.goals < 10), as: Place.self
        ) { [$0.name.column("player"), $0.team.name.column("team")] }
        #expect(rows == [Place(player: "Bo", team: "North")])
        let names = try context.rows(
            Player.fetchRequest(sort: { [$0.name.ascending] }), as: String.self
        ) { [$0.name.column("name")] }
        #expect(names == ["Ada", "Bo"])
    }

    @Test func aggregatesAreDecoded() throws {
        struct Total: Decodable, Equatable {
            var team: String
            var goals: Double
            var players: Int8
        }
        var request = FetchRequest(entity: try Player.entity(in: context))
        request.propertiesToGroupBy = [.keyPath("team.name")]
        request.propertiesToFetch = [
            ExpressionDescription(name: "team", expression: .keyPath("team.name")),
            ExpressionDescription(name: "goals", expression: try Expression(format: "sum(goals)")),
            ExpressionDescription(name: "players", expression: try Expression(format: "count()")),
        ]
        #expect(
            try context.rows(request, as: Total.self) == [
                Total(team: "North", goals: 70_003, players: 2)
            ])
        #expect(
            try context.dictionaries(request) == [
                ["team": .string("North"), "goals": .int(70_003), "players": .int(2)]
            ])
    }

    @Test func whatDoesNotFitIsAnError() throws {
        func error<T: Decodable>(_ type: T.Type) throws -> DecodingError? {
            let request = Player.fetchRequest(sort: { [$0.name.ascending] })
            return #expect(throws: DecodingError.self) { try context.rows(request, as: type) }
        }
        struct Small: Decodable { var goals: Int16 }
        struct Text: Decodable { var goals: String }
        struct Missing: Decodable { var nickname: String }
        struct Required: Decodable { var number: Int16 }
        struct Nested: Decodable { var name: [String] }
        guard case .typeMismatch(_, let small)? = try error(Small.self) else {
            Issue.record("70,000 is no Int16")
            return
        }
        #expect(small.codingPath.map(\.stringValue) == ["goals"])
        guard case .typeMismatch? = try error(Text.self),
            case .keyNotFound(_, let missing)? =
                try error(Missing.self), case .valueNotFound? = try error(Required.self),
            case .dataCorrupted? = try error(Nested.self),
            case .dataCorrupted? =
                try error([String].self), case .dataCorrupted? = try error(String.self)
        else {
            Issue.record("another error")
            return
        }
        #expect(missing.debugDescription.contains("no column nickname, but country, goals"))
    }
}
