// Collections, totals and functions: the file finds and gives what the in-memory store does.

import Foundation
import SteleGraph
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import TestSupport
import Testing

@Suite struct CollectionAgreementTests {
    private static func model() throws -> Model {
        try makeModel([
            EntityMaker("Player").attribute("name", .string)
                .attribute("age", .integer32)
                .attribute("pay", .double)
                .attribute("price", .decimal)
                .attribute("born", .date)
                .attribute("code", .uuid)
                .attribute("active", .boolean)
                .toOne("team", "Team", inverse: "players")
                .toMany("friends", "Player", inverse: "friends"),
            EntityMaker("Team").attribute("name", .string)
                .attribute("places", .integer16)
                .toMany("players", "Player", inverse: "team", ordered: true)
                .toOne("league", "League", inverse: "teams"),
            EntityMaker("League").attribute("name", .string)
                .toMany("teams", "Team", inverse: "league", ordered: true),
        ])
    }

    /// The same objects in any store: 5 leagues, 12 teams, 60 players, nulls everywhere.
    private static func fill(_ store: any PersistentStore) throws {
        let context = ManagedObjectContext(PersistentStoreCoordinator(store: store))
        defer { context.close() }
        let model = context.model
        func make(_ name: String, _ values: [String: Value]) throws -> ManagedObject {
            let entity = try model.named(name)
            let object = try context.insert(entity)
            for (key, value) in values {
                guard let attribute = entity.attribute(named: key) else { throw Missing(key) }
                object.setValue(value, for: attribute)
            }
            return object
        }
        func relate(_ object: ManagedObject, _ key: String, _ members: [ManagedObject]) throws {
            guard let it = object.entity.relationship(named: key) else { throw Missing(key) }
            try object.setMembers(it, members)
        }
        var players: [ManagedObject] = []
        for index in 0..<60 {
            var values: [String: Value] = ["active": .bool(index % 2 == 0)]
            if index % 7 != 3 { values["name"] = .string("P\(index % 11)é") }
            if index % 5 != 4 { values["age"] = .int(Int64(20 + index * 7 % 23)) }
            if index % 6 != 5 { values["pay"] = .double(Double(index % 9) * 1.5 - 3) }
            if index % 4 != 3 { values["price"] = .decimal(Decimal(index % 8) + Decimal(1) / 10) }
            if index % 3 != 0 { values["born"] = .date(Double(index) * 1000.5) }
            let code = "00000000-0000-0000-0000-0000000000\(10 + index)"
            values["code"] = UUID(uuidString: code).map(Value.uuid) ?? .null
            players.append(try make("Player", values))
        }
        var teams: [ManagedObject] = []
        for index in 0..<12 {
            var values: [String: Value] = [:]
            if index != 5 { values["name"] = .string("T\(index % 9)") }
            if index != 7 { values["places"] = .int(Int64(index * 4)) }
            teams.append(try make("Team", values))
        }
        for index in 0..<10 {
            let places = (0..<60).filter { $0 % 13 == index || $0 % 29 == index * 2 }
            try relate(teams[index], "players", places.reversed().map { players[$0] })
        }
        for index in 0..<5 {
            let league = try make("League", ["name": .string("L\(index)")])
            if index == 4 { continue }
            let places = [2, 1, 0].map { (index * 3 + $0) % 11 }
            try relate(league, "teams", places.map { teams[$0] })
        }
        for index in stride(from: 0, to: 60, by: 3) {
            let places = [1, 4, 9, 30].map { (index + $0) % 60 }
            try relate(players[index], "friends", places.map { players[$0] })
        }
        try context.save()
    }

    /// Both stores, filled alike.
    private final class Pair {
        let model: Model
        let memory: InMemoryStore
        let file: SQLiteStore
        private let folder: TemporaryFolder

        init() throws {
            model = try CollectionAgreementTests.model()
            folder = try TemporaryFolder()
            memory = InMemoryStore(model: model)
            file = try SQLiteStore.open(path: folder.store, model: model)
            try CollectionAgreementTests.fill(memory)
            try CollectionAgreementTests.fill(file)
        }

        deinit { file.close() }

        func check(_ entity: String) throws -> PredicateCheck {
            PredicateCheck(model: model, entity: try model.named(entity))
        }

        func both<R>(_ body: (any StoreReader) throws -> R) throws -> (R, R) {
            let (a, b) = (try memory.reader(), try file.reader())
            defer {
                a.close()
                b.close()
            }
            return (try body(a), try body(b))
        }
    }

    static let predicates = [
        "League": """
        teams.@count > 2
        teams.players.@count == 0
        sum(teams.places) > 20
        teams[0].name == "T2"
        teams[FIRST].players[LAST].age > 25
        teams[LAST].players[0].name != nil
        teams[1] == 5
        teams[99] == nil
        teams[SIZE] == 3
        teams[0].players[SIZE] > 5
        median(teams.players.age) > 30
        stddev(teams.players.pay) < 4
        teams.players.pay.@avg > teams.players.@min.pay + 3
        SUBQUERY(teams, $t, SUBQUERY($t.players, $p, $p.age > $t.places).@count > 2).@count >= 1
        SUBQUERY(teams, $t, ANY $t.players.age > 40 AND $t.name != name).@count < 2
        ANY teams.players.friends.age == 30
        ALL teams.players.friends.age > 20
        NONE teams.players.friends.name == nil
        """,
        "Team": """
        players.@count > 4
        players.@count <= 4
        players.@count != 0
        NOT (players.@count > 4)
        4 < players.@count
        players.@count BETWEEN {2, 6}
        NOT (players.@count BETWEEN {2, 6})
        players.@sum.age > 100
        players.age.@sum == 0
        players.@avg.pay == nil
        players.@max.pay != 9
        players.@min.born < CAST(3000, "NSDate")
        players.@sum.price > 12.3
        players.price.@avg < 3.35
        players.@max.name == "P9é"
        players.@unionOfObjects.age.@count > 3
        players.@distinctUnionOfObjects.age.@count > 3
        players.@distinctUnionOfObjects.age.@sum > 90
        count(distinct players.name) > 3
        count(players.friends) > places
        median(players.age) > 30
        median(distinct players.age) == 31
        median(players.price) >= 3.1
        stddev(players.age) > 5
        stddev(distinct players.price) > 1.5
        30 IN mode(players.age)
        ANY mode(players.name) BEGINSWITH "P1"
        count(mode(players.age)) == 1
        mode(players.age)[0] > 25
        SUBQUERY(players, $p, $p.age > 25 AND $p.pay > 0).@count > 1
        SUBQUERY(players, $p, $p.age > 25 AND $p.pay > 0).@count <= 1
        SUBQUERY(players, $p, $p.age > 25).@count < 700
        SUBQUERY(players, $p, $p.age > 25).@count == 3
        SUBQUERY(players, $p, $p.age > places)[0].age > 30
        SUBQUERY(players, $p, $p.name == name OR $p.age == nil).@avg.pay >= 0
        SUBQUERY(players, $p, $p.friends.@count > 2).age.@max > 30
        SUBQUERY(players, $p, $p.team.players.@count > 6).@count > 0
        SUBQUERY(players, $p, SUBQUERY($p.friends, $f, $f.age > $p.age).@count > 1).@count > 0
        players.@max.age > players.@min.age + 15
        (players.@sum.age / players.@count) > 22
        players.@count > league.teams.@count
        ANY players.age > players.@avg.age
        ALL players.age > players.@avg.age
        players[0].age > players[LAST].age
        players[places].age > 20
        players[2].friends.@count > 0
        players[0].team == SELF
        (players.age UNION {1, 2}).@count > 5
        count(players.age INTERSECT {20, 27, 34, 41}) > 1
        count(players MINUS league.teams.players) == 0
        ({3, 1} UNION {2, places})[3] == 8
        (players.age MINUS {20, 27})[0] > 30
        count({places, 3, 3}) == 3
        count(distinct {places, 8, 8}) == 1
        max({places, 9}) > 9
        ANY (players.friends UNION players).age > 40
        {places, 3} == {4, 3}
        {places, 3} != {4, 3}
        ANY players.name IN {"P1é", "P2é"}
        NONE players.friends.team.name == "T1"
        ALL players.friends.team.name == nil
        players.name CONTAINS name
        """,
        "Player": """
        team.players.@count > 5
        NOT (team.players.@count > 5)
        team.players.@avg.age > age
        team.players.@sum.price > 9
        ANY team.players.age > age
        ALL team.players.age >= age
        NONE team.players.age < age
        ANY team.players.pay <= age
        age IN team.players.age
        NOT (name IN team.players.friends.name)
        friends.friends.@count > 5
        friends CONTAINS SELF
        SUBQUERY(friends, $f, $f.friends.@count > 4).@count > 1
        SUBQUERY(friends, $f, $f.age > age AND ANY $f.friends.pay > pay).@count > 0
        SUBQUERY(team.players, $p, $p.age == age).@count > 1
        count(team.league.teams.players) > 10
        team.name == "T3"
        team.name != "T3"
        NOT (team.name != "T3")
        "T3" == team.name
        team.name IN {"T1", "T2", "x"}
        team.league.name BEGINSWITH "L"
        team.league.name == "L1" OR age == 30
        team.name LIKE "T?"
        pay IN {1.5, 3.0, 4.5, 6, 7.5, 9, 100.25, 0.1, 0.30000000000000004, 12}
        price IN {1.1, 2.1, 3.10, 4.1, 5.1, 6.1, 7.1, 8.1, 9.1, 10.1}
        code IN {"00000000-0000-0000-0000-000000000010", "00000000-0000-0000-0000-000000000011"}
        uppercase(name) == "P3É"
        lowercase(name) == "p3é"
        canonical(name) == "p3e"
        length(name) == 4
        length(team.name) == 2
        age ** 2 > 900
        exp(pay) < 2
        sqrt(age) > 5
        log(age) > 1.5
        ln(age) > 3.3
        abs(pay) > 2
        abs(age - 30) < 5
        floor(price) == 3
        ceiling(price) == 4
        trunc(pay) == 1
        trunc(price) == 3
        abs(price - 4) < 1.5
        modulus(age, 7) == 3
        modulus(price, 2) == 1.1
        sqrt(price) > 2
        (age & 3) == 2
        (age | 3) == 31
        (age ^ 5) > 30
        (age << 2) > 120
        (age >> 2) == 7
        CAST(age, "NSString") == "30"
        CAST(price, "NSString") CONTAINS "1"
        CAST(code, "NSString") ENDSWITH "15"
        CAST(pay, "NSDecimalNumber") == 1.5
        CAST(born, "NSNumber") > 5000
        CAST(age, "NSDate") > CAST(25, "NSDate")
        TERNARY(age > 30, team, nil) == nil
        TERNARY(age > 30, 1, 2) == 1
        distanceToLocation:fromLocation:({age, pay}, {30, 0}) < 300000
        random() >= 0
        team.players[0] == SELF
        NOT (age BETWEEN {25, 35})
        """,
    ]

    @Test(arguments: predicates.keys.sorted())
    func bothStoresFindTheSame(_ entity: String) throws {
        let pair = try Pair()
        let check = try pair.check(entity)
        var (some, all) = (0, 0)
        for text in (Self.predicates[entity] ?? "").split(separator: "\n") {
            do {
                var request = FetchRequest(entity: check.entity)
                request.predicate = try check.check(Predicate(format: String(text)))
                let (a, b) = try pair.both { try $0.fetch(request).map(\.key) }
                #expect(a == b, "\(entity): \(text)")
                let (x, y) = try pair.both { try $0.count(request) }
                #expect(x == a.count && y == a.count, "\(entity): \(text)")
                all += 1
                some += a.isEmpty ? 0 : 1
            } catch {
                Issue.record("\(entity): \(text): \(error)")
            }
        }
        #expect(some * 3 > all * 2, "\(some) of \(all) find something")
    }

    @Test(arguments: [
        ("Team", "name|players.@count|median(players.age)|stddev(players.pay)", "", ""),
        ("Team", "name|players[0].name|count(distinct players.age)|mode(players.age)[0]", "", ""),
        ("Player", "team.players.@count|median(team.players.price)|age", "", ""),
        ("Player", "count()|median(age)|stddev(pay)|median(price)|count(distinct name)", "", ""),
        (
            "Player", "team|count()|median(age)|stddev(age)|median(price)|count(distinct price)",
            "team", "count() > 3"
        ),
        (
            "Player", "team.name|count()|average(pay)|min(price)|max(age)|sum(age)|count(name)",
            "team.name", "count() > 3 AND median(age) > 25"
        ),
        (
            "Player", "team.name|count()|average(age)|sum(price)|average(price)|max(name)",
            "team.name", "sum(age) > 30"
        ),
        ("Player", "team.league.name|count()|min(pay)|sum(age)", "team.league.name", ""),
        ("Player", "team|count()|team.players.@count", "team", "team.players.@count > 4"),
        ("Player", "team|sum(friends.@count)|median(friends.@count)", "team", ""),
        ("Player", "active|count(distinct team.name)|stddev(price)", "active", ""),
    ])
    func bothStoresGiveTheSameRows(
        _ entity: String, _ select: String, _ groupBy: String, _ having: String
    ) throws {
        let pair = try Pair()
        var check = try pair.check(entity)
        check.allowsRowAggregates = true
        var request = FetchRequest(entity: check.entity)
        request.propertiesToFetch = try select.split(separator: "|").map {
            ExpressionDescription(
                name: String($0), expression: try check.check(Expression(format: String($0))).0)
        }
        if !groupBy.isEmpty {
            request.propertiesToGroupBy = [try check.check(Expression(format: groupBy)).0]
        }
        if !having.isEmpty {
            request.havingPredicate = try check.check(Predicate(format: having))
        }
        let (a, b) = try pair.both { try $0.fetchRows(request) }
        #expect(!a.isEmpty && a.count == b.count)
        for (x, y) in zip(a, b) {
            #expect(zip(x, y).allSatisfy { ValueOrder.equal($0, $1) }, "\(x) and \(y)")
        }
    }
}
