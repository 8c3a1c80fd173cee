// Queries that differ in their literals alone: each has its own answer.

import SteleHTTP
import SteleJSON
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct RepeatedQueryTests {
    private static func filled(inMemory: Bool) throws -> ServiceFixture {
        let league = try ServiceFixture(TestModels.league(), inMemory: inMemory)
        _ = league.post("/Team", #"[{"name":"Rovers","city":"Leeds"},{"name":"City"}]"#)
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

    /// Each line in turn, again and again: the target with a predicate, and the answer's body.
    private static let answers: [(target: String, where: String, body: String)] = [
        ("/Player?select=name&sort=name&where=", "goals > 5", #"[{"name":"Ann"},{"name":"Ed"}]"#),
        ("/Player?select=name&sort=name&where=", "goals > 7", #"[{"name":"Ann"}]"#),
        ("/Player?select=name&sort=-name&where=", "goals > 5", #"[{"name":"Ed"},{"name":"Ann"}]"#),
        ("/Player/count?where=", "goals > 2", #"{"count":4}"#),
        ("/Player/count?where=", "goals > 3", #"{"count":2}"#),
        ("/Player/count?where=", "team.name == \"City\"", #"{"count":1}"#),
        ("/Player/count?where=", "team.name == \"Rovers\"", #"{"count":2}"#),
        ("/Player/count?where=", "joinedAt > \"2022-12-31\"", #"{"count":1}"#),
        ("/Player/count?where=", "joinedAt > \"2021-12-31\"", #"{"count":2}"#),
        ("/Player/count?where=", "salary > 0.05", #"{"count":3}"#),
        ("/Player/count?where=", "salary > 0.15", #"{"count":2}"#),
        ("/Team/count?where=", "players.@count > 1", #"{"count":1}"#),
        ("/Team/count?where=", "players.@count > 0", #"{"count":2}"#),
        ("/Team/1/players/count?where=", "goals > 2", #"{"count":2}"#),
        ("/Team/1/players/count?where=", "goals > 3", #"{"count":1}"#),
        ("/Team/2/players/count?where=", "goals > 2", #"{"count":1}"#),
        (
            "/Player?select=team,n:count()&groupBy=team&sort=team&where=", "goals > 2",
            #"[{"team":null,"n":1},{"team":1,"n":2},{"team":2,"n":1}]"#
        ),
        (
            "/Player?select=team,n:count()&groupBy=team&sort=team&where=", "goals > 5",
            #"[{"team":null,"n":1},{"team":1,"n":1}]"#
        ),
    ]

    @Test(arguments: [false, true])
    func eachHasItsOwnAnswer(inMemory: Bool) throws {
        let league = try Self.filled(inMemory: inMemory)
        for round in 0..<3 {
            for (target, predicate, body) in Self.answers {
                let answer = league.get(target + encoded(predicate))
                #expect(answer.text == body, "\(target) \(predicate), round \(round)")
            }
            if round == 0 { _ = league.patch("/Player/4", "{}") }
        }
    }

    /// A context does not check a plan's request again.
    @Test func plansAreOfRequestsThatAreChecked() throws {
        let league = try Self.filled(inMemory: false)
        for (target, predicate) in Self.answers.map({ ($0.target, $0.where) }) {
            let parts = (target + encoded(predicate)).split(separator: "?", maxSplits: 1)
            var passage = Passage(
                Request(
                    method: "GET", path: String(parts[0]), query: String(parts[1]),
                    headers: HTTPHeaders([]), body: []), at: league.service.store,
                isTimed: false)
            let call = try league.service.call(league.service.route(&passage), &passage)
            switch try league.service.plan(call, at: .brief, &passage).action {
            case .list(let plan): #expect(plan.request.isChecked, "\(target)")
            case .count(let plan): #expect(plan.request.isChecked, "\(target)")
            default: Issue.record("\(target) is no list")
            }
        }
    }

    @Test(arguments: [false, true])
    func aMistakeIsReportedAfterAQueryThatHasNone(inMemory: Bool) throws {
        for (good, bad) in [
            ("joinedAt > \"2022-12-31\"", "joinedAt > \"2022-02-30\""),
            ("goals > 3", "goals > 3x"), ("team == \"/Team/1\"", "team == \"/Teem/1\""),
            ("name == \"a\"", "name == \"\\uD800\""),
        ] {
            let known = try Self.filled(inMemory: inMemory)
            #expect(known.get("/Player?where=" + encoded(good)).status == 200)
            let fresh = try Self.filled(inMemory: inMemory)
            let (a, b) = (
                known.get("/Player?where=" + encoded(bad)),
                fresh.get("/Player?where=" + encoded(bad))
            )
            #expect(a.status == 400 && a.status == b.status && a.text == b.text, "\(a.text)")
        }
    }

    @Test(arguments: [false, true])
    func pagesGoOnWithOtherLiterals(inMemory: Bool) throws {
        let league = try Self.filled(inMemory: inMemory)
        for goals in [2, 1, 2] {
            let texts = league.pages(
                "/Player?select=name&sort=goals&limit=1&where=goals%20%3E%20\(goals)"
            ).map(\.text)
            #expect(texts == ["Bo", "Cy", "Ed", "Ann"].map { #"[{"name":"\#($0)"}]"# })
        }
        let wrong = league.get("/Player?limit=0&where=goals%20%3E%201")
        #expect(wrong.status == 400 && wrong.detail.contains("limit"))
    }

    @Test func variablesAndTheTimeAreReadAnew() throws {
        let league = try Self.filled(inMemory: false)
        for (goals, count) in [(2, 4), (3, 2), (2, 4)] {
            let answer = league.get("/Player/count?where=goals%20%3E%20$g&var.g=\(goals)")
            #expect(answer.text == #"{"count":\#(count)}"#)
        }
        for name in ["Ann", "Bo"] {
            let text = encoded("joinedAt < now() AND name == \"\(name)\"")
            #expect(league.get("/Player/count?where=\(text)")["ETag"] == nil)
        }
    }
}
