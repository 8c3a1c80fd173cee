// Lists, single objects, columns, aggregates, embedding, paging.

import SteleHTTP
import SteleJSON
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct ReadingTests {
    /// Three teams; five players, two of them without a team.
    static func filled() throws -> ServiceFixture {
        let league = try ServiceFixture.league()
        _ = league.post(
            "/Team", #"[{"name":"Rovers","city":"Leeds"},{"name":"City"},{"name":"Empty"}]"#)
        let made = league.post(
            "/Player",
            """
            [{"name":"Ann","goals":12,"salary":"61000.50","joinedAt":"2022-07-01","team":1},
             {"name":"Bo","goals":3,"salary":48000,"team":1},
             {"name":"Cy","goals":3,"joinedAt":"2023-01-15T10:00:00+02:00","team":2},
             {"name":"di","goals":0},{"name":"Ed","goals":7,"salary":0.1}]
            """)
        #expect(made.status == 201, "\(made.text)")
        return league
    }

    @Test func aChoiceOfTwoBooleansIsABooleanInJSON() throws {
        let league = try Self.filled()
        for parameters in [
            "select=name,many:TERNARY(goals > 5, YES, NO)&limit=2",
            "select=name,many:TERNARY(goals > 5, YES, NO)&distinct=true&sort=name&limit=2",
        ] {
            let answer = league.get(GroupingTests.target("/Player", parameters))
            #expect(answer.text.contains(#"{"name":"Ann","many":true"#), "\(answer.text)")
            #expect(answer.text.contains(#"{"name":"Bo","many":false"#), "\(answer.text)")
        }
    }

    @Test func whatIncludeEmbedsIsBoundedByWhatIsWritten() throws {
        let league = try ServiceFixture(TestModels.league()) {
            $0.limits.includedObjects = 1000
        }
        let players = (1...20).map { #"{"name":"P\#($0)"}"# }.joined(separator: ",")
        _ = league.post("/Team", #"{"name":"A","players":[\#(players)]}"#)
        // 20 players, and in each of their teams 20 more: 440 objects.
        #expect(league.get("/Player?include=team.players").status == 200)
        #expect(league.get("/Player?select=name,team&include=team.players").status == 200)
        #expect(league.get("/Team/1?include=players.team.players").status == 200)
        // Eight thousand and more, of 21 objects in the store.
        for target in [
            "/Player?include=team.players.team.players",
            "/Player?select=name,team&include=team.players.team.players",
            "/Team?select=name,players&include=players.team.players.team.players",
            "/Team/1?include=players.team.players.team.players",
            "/Player/1?include=team.players.team.players.team.players.team.players",
            "/Team/1/players?include=team.players.team.players",
        ] {
            let answer = league.get(target)
            #expect(answer.status == 400, "\(target)")
            #expect(answer.detail.contains("more than 1000 objects"), "\(answer.text)")
        }
    }

    static func names(_ answer: Answer) throws -> [String] {
        guard case .array(let rows) = try answer.json else { return ["? \(answer.text)"] }
        return rows.map { row in
            if case .string(let name)? = row["name"] { name } else { "-" }
        }
    }

    @Test func aListIsInOrderOfIdsAndSaysItsType() throws {
        let league = try Self.filled()
        let list = league.get("/Player")
        #expect(list.status == 200)
        #expect(list["Content-Type"] == "application/json")
        #expect(list["Cache-Control"] == "private, no-cache")
        #expect(list["Vary"] == "Accept, Accept-Encoding, Authorization")
        #expect(list["Link"] == nil)
        #expect(try Self.names(list) == ["Ann", "Bo", "Cy", "di", "Ed"])
        #expect(
            list.text.hasPrefix(
                #"[{"_id":1,"_entity":"Player","_version":1,"country":null,"goals":12,"#
                    + #""joinedAt":"2022-07-01T00:00:00Z","name":"Ann","number":null,"salary":61000.5,"team":1},"#
            ))
        #expect(try Self.names(league.get("/entities/Player")) == Self.names(list))
    }

    @Test(arguments: [
        ("goals > 3", ["Ann", "Ed"]),
        ("goals BETWEEN {3, 7}", ["Bo", "Cy", "Ed"]),
        (#"team.name == "Rovers""#, ["Ann", "Bo"]),
        (#"team.name != "Rovers""#, ["Cy", "di", "Ed"]),
        (#"name BEGINSWITH[c] "D""#, ["di"]),
        ("team == 2", ["Cy"]),
        ("team IN {1, 2} AND NOT goals == 12", ["Bo", "Cy"]),
        ("team == nil", ["di", "Ed"]),
        (#"joinedAt >= "2023-01-01""#, ["Cy"]),
        ("_id IN {2, 4, 99}", ["Bo", "di"]),
        ("salary == 0.1", ["Ed"]),
    ])
    func whereChoosesObjects(_ predicate: String, _ names: [String]) throws {
        let league = try Self.filled()
        let list = league.get("/Player?where=\(encoded(predicate))")
        #expect(try Self.names(list) == names, "\(list.text)")
        let count = league.get("/Player/count?where=\(encoded(predicate))")
        #expect(count.text == "{\"count\":\(names.count)}")
    }

    @Test func anyReachesAcrossToManys() throws {
        let league = try Self.filled()
        let list = league.get("/Team?where=\(encoded("ANY players.goals == 3"))")
        #expect(try Self.names(list) == ["Rovers", "City"])
    }

    @Test func sortIsTotalAndTakesOptions() throws {
        let league = try Self.filled()
        #expect(
            try Self.names(league.get("/Player?sort=-goals")) == ["Ann", "Ed", "Bo", "Cy", "di"])
        #expect(
            try Self.names(league.get("/Player?sort=name")) == ["Ann", "Bo", "Cy", "Ed", "di"])
        #expect(
            try Self.names(league.get("/Player?sort=name%5Bc%5D"))
                == ["Ann", "Bo", "Cy", "di", "Ed"])
        #expect(
            try Self.names(league.get("/Player?sort=team.name,-name"))
                == ["di", "Ed", "Cy", "Bo", "Ann"])
    }

    @Test func pagesByCursorCoverAllOnce() throws {
        let league = try Self.filled()
        for order in [
            "", "&sort=-goals", "&sort=joinedAt", "&sort=-salary,name", "&sort=team.name",
            "&sort=name%5Bc%5D", "&select=name,goals", "&select=name&sort=-goals",
        ] {
            let all = try Self.names(league.get("/Player?limit=100\(order)"))
            let seen = try league.pages("/Player?limit=2\(order)").flatMap(Self.names)
            #expect(seen == all, "order \(order)")
        }
    }

    @Test func aCursorOfAnotherQueryIsRefused() throws {
        let league = try Self.filled()
        let link = try #require(league.get("/Player?limit=1&sort=name")["Link"])
        let cursor = try #require(
            link.firstRange(of: "after=").map { range in
                link[range.upperBound...].prefix { $0 != ">" && $0 != "&" }
            })
        #expect(league.get("/Player?sort=name&after=\(cursor)").status == 200)
        for target in [
            "/Player?sort=-name&after=\(cursor)", "/Player?after=\(cursor)",
            "/Team?sort=name&after=\(cursor)", "/Player?sort=name&after=x",
            "/Player?sort=name&after=\(cursor.dropLast(3))", "/Player?sort=name&after=",
        ] {
            let answer = league.get(target)
            #expect(answer.status == 400, "\(target)")
            #expect(answer.code == "request.cursor")
        }
    }

    @Test func limitAndOffsetPageByNumber() throws {
        let league = try Self.filled()
        #expect(try Self.names(league.get("/Player?limit=2&offset=1")) == ["Bo", "Cy"])
        #expect(try Self.names(league.get("/Player?offset=9")) == [])
        #expect(league.get("/Player?limit=2&count=true")["Total-Count"] == "5")
        #expect(league.get("/Player?limit=2")["Total-Count"] == nil)
    }

    @Test func includeEmbedsAtTheModelsPlace() throws {
        let league = try Self.filled()
        #expect(
            league.get("/Player/2?include=team").text
                == #"{"_id":2,"_entity":"Player","_version":1,"country":null,"goals":3,"#
                + #""joinedAt":null,"name":"Bo","number":null,"salary":48000,"team":"#
                + #"{"_id":1,"_entity":"Team","_version":1,"city":"Leeds","founded":null,"name":"Rovers"}}"#
        )
        #expect(try league.get("/Player/4?include=team").json["team"] == JSONValue.null)
        let teams = try league.get("/Team?include=players.team").json
        guard case .array(let rows) = teams, case .array(let players)? = rows[0]["players"] else {
            Issue.record("\(teams)")
            return
        }
        #expect(players.count == 2)
        #expect(players[0]["team"]?["name"] == "Rovers")
        #expect(rows[2]["players"] == JSONValue.array([]))
        #expect(league.get("/Team/1?include=players").text.hasSuffix(#""team":1}]}"#))
    }

    @Test func selectGivesExactlyItsColumns() throws {
        let league = try Self.filled()
        #expect(
            league.get("/Player?select=name,team.name,team&limit=1").text
                == #"[{"name":"Ann","team.name":"Rovers","team":1}]"#)
        #expect(
            league.get("/Player?select=_id,twice:goals*2,_entity&where=goals==7").text
                == #"[{"_id":5,"twice":14,"_entity":"Player"}]"#)
        #expect(
            league.get("/Player?select=\(encoded("goals + 1"))&limit=1").text
                == #"[{"goals+1":13}]"#)
        #expect(
            league.get("/Team?select=name,players&limit=2").text
                == #"[{"name":"Rovers","players":[1,2]},{"name":"City","players":[3]}]"#)
        #expect(
            league.get("/Player/1?select=salary,joinedAt").text
                == #"{"salary":61000.5,"joinedAt":"2022-07-01T00:00:00Z"}"#)
        #expect(
            league.get("/Player?select=name,team&include=team&limit=1").text
                == #"[{"name":"Ann","team":{"_id":1,"_entity":"Team","_version":1,"#
                + #""city":"Leeds","founded":null,"name":"Rovers"}}]"#)
        let twice = league.get("/Player?select=name,name")
        #expect(twice.status == 400)
        #expect(league.get("/Player/99?select=name").status == 404)
    }

    @Test func aggregatesGroupAndSort() throws {
        let league = try Self.filled()
        #expect(
            league.get(
                "/Player?select=team.name,n:count(),goals:sum(goals),most:max(goals)"
                    + "&groupBy=team.name&sort=-n,team.name"
            ).text
                == #"[{"team.name":null,"n":2,"goals":7,"most":7},"#
                + #"{"team.name":"Rovers","n":2,"goals":15,"most":12},"#
                + #"{"team.name":"City","n":1,"goals":3,"most":3}]"#)
        #expect(
            league.get("/Player?select=count(),average(goals)").text
                == #"[{"count()":5,"average(goals)":5}]"#)
        #expect(
            league.get("/Player?select=team,count()&groupBy=team&sort=team&limit=1").text
                == #"[{"team":null,"count()":2}]"#)
        let next = league.get("/Player?select=team,count()&groupBy=team&limit=2")["Link"]
        #expect(next?.contains("after=") ?? false)
        #expect(league.get("/Player?select=name,count()").status == 400)
        #expect(league.get("/Player?groupBy=team").status == 400)
        #expect(league.get("/Player?select=sum(salary)").text == #"[{"sum(salary)":109000.6}]"#)
    }

    @Test func variablesTakeTheTypeTheyMeet() throws {
        let league = try Self.filled()
        let target = "/Player?where=\(encoded("joinedAt > $SINCE AND goals >= $LEAST"))"
        #expect(try Self.names(league.get(target + "&var.SINCE=2022-12-31&var.LEAST=3")) == ["Cy"])
        let missing = league.get(target + "&var.SINCE=2022-12-31")
        #expect(missing.status == 400)
        #expect(missing.code == "predicate.variable")
        let plus = league.get(target + "&var.LEAST=3&var.SINCE=2022-12-31T00:00:00+02:00")
        #expect(plus.status == 400)
        #expect(plus.hint.contains("%2B"))
    }

    @Test func numbersAsStringsKeepEveryDigit() throws {
        let zoo = try ServiceFixture.zoo()
        let body =
            #"{"decimal":"12345678901234567890.123456789","int64":9007199254740993,"int32":5}"#
        #expect(zoo.post("/Sample", body).status == 201)
        let plain = zoo.get("/Sample/1").text
        #expect(plain.contains(#""decimal":1.2345678901234567890123456789e19"#))
        #expect(plain.contains(#""int64":9007199254740993"#))
        let text = zoo.get("/Sample/1?numbers=string").text
        #expect(text.contains(#""decimal":"12345678901234567890.123456789""#))
        #expect(text.contains(#""int64":"9007199254740993""#))
        #expect(text.contains(#""int32":5"#))
    }

    @Test func everyTypeComesBackAsItWentIn() throws {
        let zoo = try ServiceFixture.zoo()
        let body =
            #"{"binary":"AAH/","boolean":true,"date":"2024-02-29T12:00:00.123Z","decimal":0.3,"#
            + #""double":0.1,"float":0.1,"int16":-3,"int32":"7","int64":-9223372036854775808,"#
            + #""list":{"a":[1,null,"x"]},"string":"é\u0001\"","uri":"https://x.org/a?b","#
            + #""uuid":"6F9619FF-8B86-D011-B42D-00CF4FC964FF"}"#
        let made = zoo.post("/Sample", body)
        #expect(made.status == 201, "\(made.text)")
        let expected =
            #"{"_id":1,"_entity":"Sample","_version":1,"#
            + body.dropFirst().replacing(#""7""#, with: "7")
        #expect(made.text == expected)
        #expect(zoo.get("/Sample/1").text == expected)
        #expect(zoo.get("/Sample?limit=1").text == "[\(expected)]")
    }

    @Test func subentitiesAnswerUnderTheirParent() throws {
        let zoo = try ServiceFixture.zoo()
        _ = zoo.post(
            "/Canvas",
            #"{"name":"c","shapes":[{"_entity":"Square","side":1.5},{"_entity":"Circle","radius":2}]}"#
        )
        #expect(zoo.get("/Shape").text.contains(#""_entity":"Square""#))
        #expect(zoo.get("/Shape/2").text.contains(#""radius":2"#))
        #expect(zoo.get("/Square/2").status == 404)
        #expect(zoo.get("/lower").status == 404)
        #expect(zoo.get("/entities/lower").status == 200)
    }

    @Test func largeListsAreStreamedAndWhole() throws {
        let zoo = try ServiceFixture.zoo()
        let long = String(repeating: "x", count: 2000)
        let notes = (0..<800).map { "{\"text\":\"\($0) \(long)\"}" }.joined(separator: ",")
        #expect(zoo.post("/Note", "[\(notes)]").status == 201)
        let answer = zoo.get("/Note?limit=1000")
        guard case .stream = answer.response.body else {
            Issue.record("not streamed")
            return
        }
        guard case .bytes = zoo.get("/Note?limit=100").response.body else {
            Issue.record("streamed")
            return
        }
    }

    @Test func whatSelectShowsOfRelationshipsIsBounded() throws {
        let people = try ServiceFixture(TestModels.people()) { $0.limits.includedObjects = 100 }
        let members = Array(repeating: "{}", count: 30).joined(separator: ",")
        _ = people.post("/Team", #"{"people":[\#(members)]}"#)
        let three = people.get("/Team/1?select=a:people,b:people,c:people")
        #expect(three.status == 200, "\(three.text)")
        #expect(try three.json["a"] == three.json["c"])
        for path in ["/Team/1", "/Team"] {
            let four = people.get("\(path)?select=a:people,b:people,c:people,d:people")
            #expect(four.status == 400 && four.detail.contains("100 objects"), "\(four.text)")
        }
    }

    /// Answers that wait for their clients are in memory, all of them.
    @Test func whatAllAnswersEmbedIsBounded() throws {
        let people = try ServiceFixture(TestModels.people()) {
            $0.limits.includedObjectsInAll = 20
        }
        let members = Array(repeating: "{}", count: 30).joined(separator: ",")
        _ = people.post("/Team", #"{"people":[\#(members)]}"#)
        let refused = people.get("/Team?include=people")
        #expect(refused.status == 503 && refused.code == "service.busy", "\(refused.text)")
        #expect(refused["Retry-After"] == "5" && refused.detail.contains("20 are the most"))
        #expect(people.get("/Team").status == 200)
    }
}
