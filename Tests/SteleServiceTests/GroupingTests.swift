// Groups, conditions on groups, distinct rows, collection operators, SUBQUERY.

import SteleHTTP
import SteleJSON
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct GroupingTests {
    /// Two leagues, three teams, eight people, one of them without a team.
    static func filled() throws -> ServiceFixture {
        let fixture = try ServiceFixture(TestModels.people())
        let made = fixture.post(
            "/League",
            """
            [{"name":"North","teams":[
               {"name":"Rovers","people":[{"name":"Ann","age":30,"salary":100},
                 {"name":"Bo","age":40,"salary":300},{"name":"Cy","age":50}]},
               {"name":"City","people":[{"name":"Di","age":20,"salary":500},
                 {"name":"Ed","age":40,"salary":100}]}]},
             {"name":"South","teams":[
               {"name":"Athletic","people":[{"name":"Flo","age":60,"salary":700},
                 {"name":"Gus","age":30,"salary":700}]}, {"name":"Empty"}]}]
            """)
        #expect(made.status == 201, "\(made.text)")
        #expect(fixture.post("/Person", #"{"name":"Hal","age":40,"salary":900}"#).status == 201)
        return fixture
    }

    /// A target whose parameters are as a person writes them.
    static func target(_ path: String, _ parameters: String) -> String {
        let pairs = parameters.split(separator: "&").map { pair -> String in
            let sides = pair.split(separator: "=", maxSplits: 1).map(String.init)
            return sides[0] + "=" + encoded(sides[1])
        }
        return path + "?" + pairs.joined(separator: "&")
    }

    static let grouped: [(String, String)] = [
        (
            "select=team,n:count()&groupBy=team",
            """
            [{"team":null,"n":1},{"team":1,"n":3},{"team":2,"n":2},{"team":3,"n":2}]
            """
        ),
        (
            "select=team.league.name,pay:sum(salary)&groupBy=team.league.name&sort=-pay",
            """
            [{"team.league.name":"South","pay":1400},
            {"team.league.name":"North","pay":1000},
            {"team.league.name":null,"pay":900}]
            """
        ),
        (
            "select=team.name,n:count()&groupBy=team.name&having=n > 1&sort=-average(age)",
            """
            [{"team.name":"Athletic","n":2},
            {"team.name":"Rovers","n":3},
            {"team.name":"City","n":2}]
            """
        ),
        (
            "select=team.name&groupBy=team.name"
                + "&having=team.name BEGINSWITH 'R' OR max(salary) >= 900",
            #"[{"team.name":null},{"team.name":"Rovers"}]"#
        ),
        ("select=n:count()&having=count() > 100", "[]"),
        (
            "select=next:age + 1,n:count()&groupBy=age&limit=2&offset=1",
            #"[{"next":31,"n":2},{"next":41,"n":3}]"#
        ),
        (
            "select=age&distinct=true&sort=-age",
            #"[{"age":60},{"age":50},{"age":40},{"age":30},{"age":20}]"#
        ),
        (
            "select=pay:salary,age&distinct=true&where=age > 40",
            #"[{"pay":null,"age":50},{"pay":700,"age":60}]"#
        ),
    ]

    @Test("Rows of groups are as a person counts them", arguments: grouped)
    func rows(_ parameters: String, _ expected: String) throws {
        let people = try Self.filled()
        let answer = people.get(Self.target("/Person", parameters))
        #expect(answer.text == expected.replacing("\n", with: ""))
        let counted = parameters.split(separator: "&")
            .filter { !$0.hasPrefix("limit") && !$0.hasPrefix("offset") }.joined(separator: "&")
        let all = people.get(Self.target("/Person", counted))
        let rows = try all.json.elements
        let total = people.get(
            Self.target("/Person", counted + "&count=true&limit=1"))
        #expect(total["Total-Count"] == String(rows.count))
    }

    /// Statements are kept by what was asked: literals that only their bytes tell apart are two.
    @Test(arguments: [false, true])
    func literalsThatAreWrittenOtherwiseAreTwo(_ inMemory: Bool) throws {
        let people = try ServiceFixture(TestModels.people(), inMemory: inMemory)
        _ = people.post("/Person", #"[{"name":"\u00e1","age":1},{"name":"a\u0301","age":2}]"#)
        for (name, age) in [("\u{E1}", 1), ("a\u{301}", 2), ("\u{E1}", 1)] {
            for (parameters, expected) in [
                ("select=s:sum(age)&groupBy=name&having=name == '\(name)'", "[{\"s\":\(age)}]"),
                (
                    "select=age,is:TERNARY(name == '\(name)', 1, 0)&sort=age",
                    "[{\"age\":1,\"is\":\(2 - age)},{\"age\":2,\"is\":\(age - 1)}]"
                ),
                (
                    "select=age&sort=TERNARY(name == '\(name)', 0, 1)",
                    "[{\"age\":\(age)},{\"age\":\(3 - age)}]"
                ),
            ] {
                let answer = people.get(Self.target("/Person", parameters))
                #expect(answer.text == expected, "\(parameters)")
            }
        }
    }

    @Test(
        "Collections of each object count, add up and are asked",
        arguments: [
            ("people.@count > 2", "[1]"), ("people.@avg.salary > 250", "[2,3]"),
            ("people.@max.age == 40", "[2]"),
            ("SUBQUERY(people, $p, $p.age > 30 AND $p.salary > 200).@count > 0", "[1,3]"),
            ("people.@count == 0", "[4]"), ("league.teams.@count == 2", "[1,2,3,4]"),
        ])
    func collections(_ predicate: String, _ ids: String) throws {
        let people = try Self.filled()
        let answer = people.get(
            Self.target("/Team", "where=\(predicate)&select=_id"))
        let expected = try JSONValue(JSONDocument(ids).root)
        guard case .array(let rows) = try answer.json else {
            Issue.record("\(answer.text)")
            return
        }
        #expect(JSONValue.array(rows.compactMap { $0["_id"] }) == expected, "\(answer.text)")
    }

    @Test func columnsAndOrderOfCollections() throws {
        let people = try Self.filled()
        let answer = people.get(
            Self.target(
                "/Team",
                "select=name,n:people.@count,pay:people.@avg.salary&sort=-pay"
                    + "&where=people.@count > 1&limit=2"))
        #expect(
            answer.text
                == #"[{"name":"Athletic","n":2,"pay":700},{"name":"City","n":2,"pay":300}]"#)
        #expect(answer["Link"]?.contains("after=") ?? false)
    }

    @Test(
        "Pages by cursor cover all once, though rows come and go",
        arguments: [
            "sort=-people.@count", "sort=people.@avg.salary", "sort=-league.name,name",
            "select=name,n:people.@count&sort=-n", "select=name,pay:people.@sum.salary&sort=pay",
            "sort=-SUBQUERY(people, $p, $p.age > 30).@count",
        ])
    func cursors(_ parameters: String) throws {
        let people = try Self.filled()
        let all = try ReadingTests.names(people.get(Self.target("/Team", parameters)))
        #expect(all.count == 4)
        var seen: [String] = []
        var target: String? = Self.target("/Team", parameters + "&limit=1")
        while let next = target, seen.count < 9 {
            let page = people.get(next)
            seen += try ReadingTests.names(page)
            target = page.next
            // Of no team and no league, so that no key of the others moves.
            #expect(people.post("/Person", #"{"age":70}"#).status == 201)
        }
        #expect(seen == all)
    }

    @Test(
        "Aggregates that SQL does not have by itself are right",
        arguments: [
            ("count(distinct age)", "5"), ("count(distinct salary)", "5"),
            ("median(age)", "40"), ("stddev(age)", "11.659223816361019"),
        ])
    func aggregates(_ aggregate: String, _ value: String) throws {
        let answer = try Self.filled().get(Self.target("/Person", "select=x:\(aggregate)"))
        #expect(answer.text == "[{\"x\":\(value)}]", "\(aggregate)")
    }

    @Test func subentitiesAreLeftOutWhereAskedFor() throws {
        let zoo = try ServiceFixture.zoo()
        let made = zoo.post(
            "/Canvas", #"{"shapes":[{"_entity":"Circle"},{"_entity":"Square"}]}"#)
        #expect(made.status == 201, "\(made.text)")
        #expect(zoo.get("/Shape/count").text == #"{"count":2}"#)
        #expect(zoo.get("/Shape/count?subentities=false").text == #"{"count":0}"#)
        #expect(zoo.get("/Circle?subentities=false&select=_id").text == #"[{"_id":1}]"#)
        #expect(zoo.get("/Canvas/1/shapes?subentities=false").text == "[]")
        #expect(zoo.get("/Canvas/1/shapes?select=_id").text == #"[{"_id":1},{"_id":2}]"#)
    }

    static let refusals: [(String, String, String)] = [
        ("having=count() > 1", "request.parameter", "add groupBy"),
        (
            "select=age&distinct=true&having=age > 1",
            "request.parameter", "where"
        ),
        ("distinct=true", "request.parameter", "select"),
        (
            "select=age&distinct=true&sort=name", "request.parameter",
            "add it to select"
        ),
        (
            "select=name,n:count()&groupBy=age", "request.parameter",
            "name in select is neither"
        ),
        (
            "select=n:count()&groupBy=age&sort=name",
            "request.parameter", "name in sort is neither"
        ),
        (
            "select=n:count()&groupBy=age&having=name == 'a'",
            "request.parameter", "name in having is neither"
        ),
        (
            "select=n:count()&groupBy=count()", "request.parameter", "aggregate"
        ),
        ("select=n:age,n:name", "request.parameter", "two columns named n"),
        ("select=_id:name", "request.parameter", "another alias"),
        ("groupBy=age", "request.parameter", "select"),
        ("where=count() > 1", "predicate.type", "count"),
        (
            "select=n:count(),team&groupBy=team&sort=m",
            "predicate.unknown-key", "m"
        ),
        ("distinct=yes&select=age", "request.parameter", "true or false"),
        ("subentities=1", "request.parameter", "true or false"),
        (
            "select=n:count()&include=team", "request.parameter", "aggregates"
        ),
        ("select=age&having=(", "predicate.syntax", "having"),
    ]

    @Test("What cannot be grouped is named, with the way out", arguments: refusals)
    func refused(_ parameters: String, _ code: String, _ names: String) throws {
        let answer = try Self.filled().get(Self.target("/Person", parameters))
        #expect(answer.status == 400, "\(answer.text)")
        #expect(answer.code == code, "\(answer.text)")
        #expect(answer.detail.contains(names) || answer.hint.contains(names), "\(answer.text)")
    }
}
