import Stele
import TestSupport
import Testing

/// Conditions that the compiler checks are the same as those of format strings.
@Suite struct TypedPredicateTests {
    private let context: ManagedObjectContext
    private let north: Team
    private let south: Team

    init() throws {
        let container = try PersistentContainer(LeagueModel.self, at: ":memory:")
        context = container.newBackgroundContext()
        north = Team(context: context)
        north.name = "Northgate"
        south = Team(context: context)
        south.name = "Southgate"
        for (name, goals, team) in [
            ("Amara", 17, north), ("Bela", 9, north), ("Chidi", 0, south), ("Đorđe", 9, nil),
            ("Efe", 3, south),
        ] {
            let player = Player(context: context)
            player.name = name
            player.goals = Int32(goals)
            player.country = goals == 3 ? nil : "TR"
            player.team = team
            player.number = goals > 5 ? Int16(goals) : nil
        }
        try context.save()
    }

    typealias Condition = @Sendable (ObjectKeys<Player>) -> Predicate

    static let conditions: [(Condition, String)] = [
        ({ $0.goals > 3 }, "goals > 3"),
        ({ $0.goals >= 9 && $0.goals < 17 }, "goals >= 9 AND goals < 17"),
        ({ $0.goals <= 3 || $0.name == "Bela" }, "goals <= 3 OR name == 'Bela'"),
        ({ !($0.goals == 9) }, "NOT goals == 9"),
        ({ $0.goals != 9 }, "goals != 9"),
        ({ $0.country == nil }, "country == nil"),
        ({ $0.number != nil }, "number != nil"),
        ({ $0.number != 9 }, "number != 9"),
        ({ $0.team == nil }, "team == nil"),
        ({ $0.team != nil }, "team != nil"),
        ({ $0.team.name == "Northgate" }, "team.name == 'Northgate'"),
        ({ $0.name.beginsWith("a", options: .caseInsensitive) }, "name BEGINSWITH[c] 'a'"),
        ({ $0.name.endsWith("la") }, "name ENDSWITH 'la'"),
        ({ $0.name.contains("id") }, "name CONTAINS 'id'"),
        ({ $0.name.isLike("*e?a") }, "name LIKE '*e?a'"),
        ({ $0.name.matches("[A-B].*") }, "name MATCHES '[A-B].*'"),
        (
            { $0.name.isEqual(to: "AMARA", options: [.caseInsensitive, .diacriticInsensitive]) },
            "name ==[cd] 'AMARA'"
        ),
        ({ $0.name.lowercased() == "bela" }, "lowercase:(name) == 'bela'"),
        ({ $0.name.uppercased() == "BELA" }, "uppercase:(name) == 'BELA'"),
        ({ $0.name.length == 5 }, "length:(name) == 5"),
        ({ [0, 17].contains($0.goals) }, "goals IN {0, 17}"),
        ({ (3...9).contains($0.goals) }, "goals BETWEEN {3, 9}"),
        ({ (3..<9).contains($0.goals) }, "goals >= 3 AND goals < 9"),
        ({ $0.goals + 1 == 10 }, "goals + 1 == 10"),
        ({ $0.goals - 1 == 8 }, "goals - 1 == 8"),
        ({ $0.goals * 2 > 20 }, "goals * 2 > 20"),
        ({ $0.goals / 2 > 4 }, "goals / 2 > 4"),
        ({ $0.goals + $0.goals == 18 }, "goals + goals == 18"),
        ({ $0.goals == $0.goals * $0.goals }, "goals == goals * goals"),
        ({ $0.team.name == $0.name }, "team.name == name"),
    ]

    @Test(arguments: conditions.indices)
    func aConditionOfPlayers(_ index: Int) throws {
        let (condition, format) = Self.conditions[index]
        let typed = condition(ObjectKeys())
        #expect(try names(typed) == names(try Predicate(format: format)), "\(format)")
        // What is written is read as the same.
        let read = try Predicate(format: typed.description)
        #expect(try names(read) == names(typed), "\(typed.description)")
    }

    private func names(_ predicate: Predicate) throws -> [String] {
        var request = Player.fetchRequest()
        request.predicate = predicate
        return try context.fetch(request).map { "\($0.name ?? "") \($0.goals)" }.sorted()
    }

    typealias TeamCondition = @Sendable (ObjectKeys<Team>) -> Predicate

    static let teamConditions: [(TeamCondition, String)] = [
        ({ $0.players.count == 2 }, "players.@count == 2"),
        ({ $0.players.isEmpty }, "players.@count == 0"),
        ({ $0.players.contains { $0.goals == 0 } }, "ANY players.goals == 0"),
        (
            { $0.players.contains { $0.goals == 0 && $0.name == "Chidi" } },
            "SUBQUERY(players, $p, $p.goals == 0 AND $p.name == 'Chidi').@count > 0"
        ),
        ({ $0.players.allSatisfy { $0.goals >= 9 } }, "ALL players.goals >= 9"),
        (
            { $0.players.count { $0.goals > 0 } == 1 },
            "SUBQUERY(players, $p, $p.goals > 0).@count == 1"
        ),
        (
            { team in
                team.players.contains { one in
                    team.players.contains { other in other.goals > one.goals }
                }
            },
            "SUBQUERY(players, $p, $p.goals < players.@max.goals).@count > 0"
        ),
        (
            { $0.players.contains { one in one.team.players.contains { $0.goals != one.goals } } },
            "players.@max.goals != players.@min.goals"
        ),
        (
            { $0.players.contains { $0.team.players.contains { $0.goals == 17 } } },
            "ANY players.goals == 17"
        ),
        ({ $0.players.sum(\.goals) > 3 }, "players.@sum.goals > 3"),
        ({ $0.players.max(\.goals) == 17 }, "players.@max.goals == 17"),
        ({ $0.players.min(\.goals) == 0 }, "players.@min.goals == 0"),
        ({ $0.players.average(\.goals) == 13 }, "players.@avg.goals == 13"),
    ]

    @Test(arguments: teamConditions.indices)
    func aConditionOfTeams(_ index: Int) throws {
        let (condition, format) = Self.teamConditions[index]
        let wanted = try context.fetch(Team.self, where: format, sort: "name").map(\.name)
        let found = try context.fetch(Team.self, where: condition) { [$0.name.ascending] }
        #expect(found.map(\.name) == wanted, "\(format)")
        // Each team has players.
        #expect(found.isEmpty == (format == "players.@count == 0"))
    }

    @Test func keyPathsMakeTheSameConditions() throws {
        let high = try context.fetch(
            Player.self, where: \.goals > 9 && \.team.name == "Northgate")
        #expect(high.map(\.name) == ["Amara"])
        #expect(try context.count(Player.self, where: \.goals == 9 || !(\.goals != 0)) == 3)
        #expect(try context.count(Player.self, where: \.team == nil) == 1)
        #expect(try context.count(Player.self, where: \.team != nil) == 4)
        #expect(try context.count(Player.self, where: \.team == north) == 2)
        #expect(try context.count(Player.self, where: \.team != south.objectID) == 3)
        #expect(try context.count(Player.self, where: \.country == nil) == 1)
        #expect(try context.count(Player.self, where: \.goals >= 9 && \.goals <= 9) == 2)
        let first = try context.fetchOne(Player.self, where: \.goals < 9) {
            [$0.goals.descending]
        }
        #expect(first?.goals == 3)
    }

    @Test func anAggregateOfWhatIsComputedIsRefused() throws {
        #expect(throws: Stele.PredicateError.self) {
            try context.fetch(Team.self) { $0.players.max(\.name.length) > 3 }
        }
    }

    @Test func aConditionInAConditionHasAVariableOfItsOwn() throws {
        let condition = ObjectKeys<Team>().players.contains { one in
            one.team.players.contains { other in
                other.team.players.contains { $0.goals > one.goals && $0.goals > other.goals }
            }
        }
        let text = condition.description
        for variable in ["$member3,", "$member2,", "$member1,"] {
            #expect(text.ranges(of: variable).count == 1, "\(text)")
        }
    }

    @Test func objectsAndTheirIdentitiesAreCompared() throws {
        let team: Team? = north
        #expect(try context.count(Player.self) { $0.team == north } == 2)
        #expect(try context.count(Player.self) { $0.team == team } == 2)
        #expect(try context.count(Player.self) { $0.team != north.objectID } == 3)
        #expect(try context.count(Player.self) { [north, south].contains($0.team) } == 4)
        #expect(try context.count(Player.self) { [south.objectID].contains($0.team) } == 2)
        #expect(try context.count(Team.self) { $0 == north } == 1)
        let amara = try #require(try context.fetchOne(Player.self) { $0.name == "Amara" })
        #expect(
            try context.fetch(Team.self) { $0.players.contains(amara) }.map(\.name) == ["Northgate"]
        )
        // The same as arguments of a format string.
        #expect(try context.count(Player.self, where: "team == %@", north.objectID) == 2)
        #expect(try context.count(Player.self, where: "team IN %@", [north, south]) == 4)
        #expect(try context.count(Player.self, where: "team IN %@", Set([south.objectID])) == 2)
        #expect(try context.count(Player.self, where: "goals IN %@", Set([17, 0])) == 2)
    }

    @Test func ordersAreOfTheSameKeys() throws {
        let sorted = try context.fetch(
            Player.self, sort: { [$0.goals.descending, $0.name.ascending] }, limit: 3)
        #expect(sorted.map(\.name) == ["Amara", "Bela", "Đorđe"])
        var request = Player.fetchRequest(where: \.goals > 0)
        request.sortDescriptors = [
            SortDescriptor(\Player.Keys.team.name, ascending: false),
            SortDescriptor(\Player.Keys.name, options: .caseInsensitive),
        ]
        #expect(try context.fetch(request).map(\.name) == ["Efe", "Amara", "Bela", "Đorđe"])
        let counted = try context.fetch(Team.self, sort: { [$0.players.sum(\.goals).descending] })
        #expect(counted.map(\.name) == ["Northgate", "Southgate"])
        #expect(
            try context.fetchOne(Team.self, sort: { [$0.name.descending] })?.name == "Southgate")
        let requested = Player.fetchRequest {
            $0.goals > 9
        } sort: {
            [$0.name.ascending]
        }
        #expect(try context.fetch(requested).count == 1)
    }

    // MARK: Properties of to-one relationships

    @Test func aPropertyLinksBothSides() throws {
        let player = Player(context: context)
        player.team = south
        #expect(player.team === south)
        #expect(try south.players.contains(player))
        player.team = nil
        #expect(try !south.players.contains(player))
    }

    @Test func whatCannotBeLinkedIsToldByTheSave() throws {
        let elsewhere = context.persistentStoreCoordinator.newContext()
        let foreign = Team(context: elsewhere)
        let player = Player(context: context)
        player.name = "Eve"
        player.team = foreign
        #expect(player.team == nil)
        let error = #expect(throws: ContextError.self) { try context.save() }
        #expect(
            error?.description.contains("team of a new Player") == true
                && error?.description.contains("belongs to another context") == true,
            "\(error?.description ?? "")")
        #expect(throws: ContextError.self) { try context.save() }
        context.rollback()
        player.team = nil
        try context.save()
    }
}
