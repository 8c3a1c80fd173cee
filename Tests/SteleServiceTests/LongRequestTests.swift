// Requests that read for long: they leave the workers to short ones, and end with their client.

import Glibc
import SteleGraph
import SteleHTTP
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQLite
import SteleSystem
import TestSupport
import Testing

@testable import SteleRequests
@testable import SteleService

@Suite struct LongRequestTests {
    /// A predicate whose cost is the product of all players of three levels.
    private static let long =
        "SUBQUERY(team.players, $a, SUBQUERY($a.team.players, $b, "
        + "SUBQUERY($b.team.players, $c, $c.goals > $a.goals + $b.goals).@count > 900).@count > 900)"
        + ".@count > 900"

    private static func filled() throws -> ServiceFixture {
        let fixture = try ServiceFixture.league()
        let players = (0..<150).map { #"{"name":"p\#($0)","goals":\#($0 % 7)}"# }
        let made = fixture.post(
            "/Team", #"{"name":"A","players":[\#(players.joined(separator: ","))]}"#)
        try #require(made.status == 201, "\(made.text)")
        return fixture
    }

    private static func request(_ path: String, _ query: String?) -> Request {
        Request(method: "GET", path: path, query: query, headers: HTTPHeaders([]), body: [])
    }

    /// The workers that take a request, one after the other, until it is answered.
    private static func workers(
        _ fixture: ServiceFixture, _ request: Request, most: Int = 3
    ) -> [Later.Workers] {
        var step = fixture.service.answer(request, at: .brief)
        var all: [Later.Workers] = []
        while case .later(let next) = step {
            all.append(next.workers)
            if all.count == most { break }
            step = next()
        }
        return all
    }

    @Test func aLongReadLeavesTheWorkersThatRead() throws {
        let fixture = try Self.filled()
        let long = Self.request("/Player/count", "where=\(encoded(Self.long))")
        #expect(Self.workers(fixture, long, most: 2) == [.reading, .slow(client: "")])
        // One that is too long for the connection's thread stays with the workers that read.
        let short = Self.request("/Player", "limit=1000&sort=name")
        #expect(Self.workers(fixture, short) == [.reading])
        #expect(Self.workers(fixture, Self.request("/readyz", nil)) == [])
        // What is read while the client takes it does not hold them either.
        let export = Self.request("/Player", "format=ndjson")
        #expect(Self.workers(fixture, export) == [.reading, .slow(client: "")])
    }

    @Test func aStoreInMemoryAnswersWithoutALane() throws {
        let fixture = try ServiceFixture(TestModels.league(), inMemory: true)
        #expect(fixture.post("/Team", #"{"name":"A"}"#).status == 201)
        let list = Self.request("/Team", "sort=name")
        #expect(Self.workers(fixture, list) == [.reading])
    }

    /// A statement ends soon after nobody wants its result.
    @Test func aReadWithoutAClientEnds() throws {
        let fixture = try Self.filled()
        let entity = try #require(fixture.coordinator.model.entity(named: "Player"))
        var request = FetchRequest(entity: entity)
        request.predicate = try Predicate(format: Self.long)
        let start = MonotonicClock.now
        let context = ManagedObjectContext(
            fixture.coordinator, isWanted: { MonotonicClock.now < start + 200_000_000 })
        defer { context.close() }
        let error = #expect(throws: StoreError.self) { try context.count(request) }
        guard case .deadline? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(MonotonicClock.now < start + 10_000_000_000)
    }
}
