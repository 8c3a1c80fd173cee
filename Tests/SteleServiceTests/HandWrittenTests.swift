// Collection operators and groups over HTTP against SQL that a person writes, on one store.

import CSQLite
import SteleHTTP
import SteleJSON
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct HandWrittenTests {
    /// 40 teams and 4,000 people: skewed teams, salaries and teams that are missing.
    private static func filled(_ seed: UInt64) throws -> ServiceFixture {
        var state = seed
        func random() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
        let fixture = try ServiceFixture(TestModels.people())
        let leagues = (1...4).map { #"{"name":"League \#($0)"}"# }
        #expect(fixture.post("/League", "[\(leagues.joined(separator: ","))]").status == 201)
        let teams = (1...40).map { number -> String in
            let league = number % 7 == 0 ? "null" : "\(number % 4 + 1)"
            return #"{"name":"Team \#(number)","league":\#(league)}"#
        }
        #expect(fixture.post("/Team", "[\(teams.joined(separator: ","))]").status == 201)
        let people = (1...4_000).map { number in
            let place = Double(random() % 1_000) / 1_000
            let team = random() % 30 == 0 ? "null" : String(1 + Int(place * place * place * 40))
            let salary = random() % 20 == 0 ? "null" : String(20_000 + random() % 90_000)
            return #"{"name":"P\#(number)","age":\#(18 + random() % 80),"salary":\#(salary),"#
                + #""team":\#(team)}"#
        }
        for first in stride(from: 0, to: people.count, by: 1_000) {
            let part = people[first..<min(first + 1_000, people.count)].joined(separator: ",")
            #expect(fixture.post("/Person", "[\(part)]").status == 201)
        }
        return fixture
    }

    /// What SQL gives, as lines of CSV without what would need quotes.
    private static func rows(_ sql: String, in path: String) throws -> [String] {
        var connection: OpaquePointer?
        try #require(sqlite3_open(path, &connection) == SQLITE_OK)
        defer { sqlite3_close(connection) }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        try #require(code == SQLITE_OK, "\(sql)")
        defer { sqlite3_finalize(statement) }
        var rows: [String] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            let cells = (0..<sqlite3_column_count(statement)).map { column -> String in
                switch sqlite3_column_type(statement, column) {
                case SQLITE_NULL: return ""
                case SQLITE_INTEGER: return "\(sqlite3_column_int64(statement, column))"
                case SQLITE_FLOAT:
                    let text = "\(sqlite3_column_double(statement, column))"
                    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
                default: return String(cString: sqlite3_column_text(statement, column))
                }
            }
            rows.append(cells.joined(separator: ","))
        }
        return rows
    }

    private static let cases: [(path: String, query: String, sql: String)] = [
        (
            "/Team",
            "select=name,headcount:people.@count,pay:people.@avg.salary"
                + "&where=people.@count > 100&sort=-pay&limit=5",
            """
            SELECT t.ZNAME, COUNT(p.Z_PK), AVG(p.ZSALARY) FROM ZTEAM t JOIN ZPERSON p
            ON p.ZTEAM = t.Z_PK GROUP BY t.Z_PK HAVING COUNT(*) > 100
            ORDER BY AVG(p.ZSALARY) DESC, t.Z_PK LIMIT 5
            """
        ),
        (
            "/Person",
            "select=team.name,n:count(),oldest:max(age)&groupBy=team.name"
                + "&having=count() > 100 AND team.name != nil&sort=-n,team.name",
            """
            SELECT t.ZNAME, COUNT(*), MAX(p.ZAGE) FROM ZPERSON p LEFT JOIN ZTEAM t
            ON p.ZTEAM = t.Z_PK WHERE t.ZNAME IS NOT NULL GROUP BY t.ZNAME HAVING COUNT(*) > 100
            ORDER BY 2 DESC, 1
            """
        ),
        (
            "/Person",
            "select=team,n:count()&where=age > 60&groupBy=team&having=n > 20&sort=-n",
            """
            SELECT ZTEAM, COUNT(*) FROM ZPERSON WHERE ZAGE > 60 GROUP BY ZTEAM
            HAVING COUNT(*) > 20 ORDER BY 2 DESC, 1
            """
        ),
        (
            "/Person",
            "select=team.league.name,pay:sum(salary),known:count(salary)"
                + "&groupBy=team.league.name&having=known > 10&sort=-pay",
            """
            SELECT l.ZNAME, SUM(p.ZSALARY), COUNT(p.ZSALARY) FROM ZPERSON p
            LEFT JOIN ZTEAM t ON p.ZTEAM = t.Z_PK LEFT JOIN ZLEAGUE l ON t.ZLEAGUE = l.Z_PK
            GROUP BY l.ZNAME HAVING COUNT(p.ZSALARY) > 10 ORDER BY 2 DESC, 1
            """
        ),
        (
            "/Person", "select=age,team&distinct=true&where=salary > 100000&limit=3000",
            """
            SELECT DISTINCT ZAGE, ZTEAM FROM ZPERSON WHERE ZSALARY > 100000 ORDER BY 1, 2
            """
        ),
    ]

    @Test func answersAreThoseOfHandWrittenSQL() throws {
        let seed = UInt64.random(in: 1 ... .max)
        let people = try Self.filled(seed)
        for (path, query, sql) in Self.cases {
            let answer = people.get(GroupingTests.target(path, query + "&format=csv"))
            let expected = try Self.rows(sql, in: people.path)
            let lines = answer.text.split(separator: "\r\n").dropFirst().map(String.init)
            #expect(
                lines == expected,
                "seed \(seed): \(query): \(answer.text.prefix(400)) \(expected.prefix(5))")
            #expect(expected.count > 1, "seed \(seed): \(query)")
        }
    }
}
