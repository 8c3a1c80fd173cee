// Predicates that are nested deeply or very long: answered or refused in as much work as they are
// long, and planned beside the connections.

import SteleHTTP
import StelePredicates
import Testing

@testable import SteleRequests
@testable import SteleService

@Suite struct PlanningTests {
    private static func nested(_ open: String, _ core: String, _ close: String, _ count: Int)
        -> String
    {
        String(repeating: open, count: count) + core + String(repeating: close, count: count)
    }

    /// Each level of them doubled the time.
    @Test("conditions within SUBQUERY and TERNARY are answered or refused at once, however deep")
    func deep() throws {
        let league = try ReadingTests.filled()
        for count in [12, 28, 45, 99] {
            for condition in [
                Self.nested("SUBQUERY(team.players, $x, ", "goals == 1", ").@count > 0", count),
                Self.nested("TERNARY(", "goals == 1", ", 1, 2) == 1", count),
                Self.nested("TERNARY(goals == 1, 2, ", "goals", ")", count) + " == 1",
                Self.nested("ANY {1, 2} == TERNARY(", "goals == 1", ", 1, 2)", count),
                Self.nested("goals + CAST(goals / ", "1.5", ", 'NSDecimalNumber')", count)
                    + " == 1",
            ] {
                for query in ["where=", "limit=1&select=_id&sort=goals&where="] {
                    let path = query.hasPrefix("where") ? "/Player/count" : "/Player"
                    let answer = league.get("\(path)?\(query)\(encoded(condition))")
                    #expect(
                        answer.status == 200 || answer.code == "predicate.limit",
                        "\(count): \(condition.prefix(40)) \(answer.text.prefix(300))")
                }
            }
        }
    }

    /// The workers that take a request, one after the other, until it is answered.
    private static func workers(_ fixture: ServiceFixture, _ request: Request) -> [Later.Workers] {
        var step = fixture.service.answer(request, at: .brief)
        var all: [Later.Workers] = []
        while case .later(let next) = step {
            all.append(next.workers)
            if all.count == 3 { break }
            step = next()
        }
        return all
    }

    private static func query(_ condition: String) -> Request {
        Request(
            method: "POST", path: "/Player/query", query: nil,
            headers: HTTPHeaders([("Content-Type", "application/json")]),
            body: Array("{\"where\":\"\(condition)\"}".utf8))
    }

    @Test("what takes long to read or to plan is left to the few workers for long requests")
    func long() throws {
        let condition = Array(repeating: "goals == 1", count: 200).joined(separator: " OR ")
        let list = Array(repeating: "1", count: 40_000).joined(separator: ",")
        for (steps, condition) in [(100_000, "goals IN {\(list)}"), (300, condition)] {
            let league = try ServiceFixture(TestModels.league()) {
                $0.limits.shortPlanningSteps = steps
            }
            let workers = Self.workers(league, Self.query(condition))
            #expect(workers.count == 2 && workers.first == .reading, "\(workers)")
            if case .slow = workers.last {} else { Issue.record("\(workers)") }
        }
    }

    @Test("no more than a short predicate is read and planned on the thread of a connection")
    func beside() throws {
        let league = try ReadingTests.filled()
        let condition = Array(repeating: "goals == 1", count: 200).joined(separator: " OR ")
        let long = Self.query(condition)
        #expect(condition.utf8.count < league.service.options.limits.briefBodyBytes)
        #expect(Self.workers(league, long) == [.reading])
        let short = Self.query("goals == 1")
        #expect(Self.workers(league, short) == [])
    }
}
