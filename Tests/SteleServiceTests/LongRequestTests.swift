// Requests that read for long: they leave the workers to short ones, and end with their client.

import Glibc
import SteleGraph
import SteleHTTP
import SteleModel
import StelePersistence
import StelePredicates
import SteleSystem
import TestSupport
import Testing

@testable import SteleRequests
@testable import SteleSQLite
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

    /// Long reads are pending while the store waits for views, and no thread waits with them. Writes
    /// and short reads go on.
    @Test func longReadsWaitForTheLogWithoutAThread() throws {
        let fixture = try Self.filled()
        let store = try #require(fixture.coordinator.store as? SQLiteStore)
        _ = store.readers.hold(.long)
        let replied = Mutex<Later?>(nil)
        for export in [
            ("/Player", "format=ndjson"), ("/Player/count", "where=\(encoded(Self.long))"),
        ] {
            var step = fixture.service.answer(Self.request(export.0, export.1), at: .brief)
            while case .later(let next) = step { step = next() }
            guard case .pending(let start) = step else {
                Issue.record("\(export) does not wait")
                continue
            }
            start(Reply(answer: { _ in }, later: { next in replied.withLock { $0 = next } }))
            #expect(replied.withLock { $0 == nil })
        }
        #expect(
            Self.workers(fixture, Self.request("/Player", "limit=1000&sort=name")) == [.reading])
        let made = fixture.ask(
            "POST", "/Team", #"{"name":"B"}"#, [(name: "Idempotency-Key", value: "k1")])
        #expect(made.status == 201, "\(made.text)")
        store.readers.release()
        let later = try #require(replied.withLock { $0 })
        #expect(later.workers == .slow(client: ""))
        #expect(later().response().status == 200)
    }

    /// What is left to send needs no view.
    @Test func aStreamLeavesItsViewWithItsLastRow() throws {
        let fixture = try Self.filled()
        let store = try #require(fixture.coordinator.store as? SQLiteStore)
        for row in 0..<4 {
            let players = (0..<200).map { #"{"name":"q\#(row) \#($0)"}"# }
            let made = fixture.post("/Player", "[\(players.joined(separator: ","))]")
            try #require(made.status == 201, "\(made.text)")
        }
        let execution = fixture.service.store.execution
        let call = try Call(
            Self.request("/Player", "format=ndjson"),
            route: fixture.service.routes.match(Self.request("/Player", "format=ndjson")),
            limits: execution.limits, cacheGeneration: "", storeIdentifiers: [], temporaries: nil)
        let plan = try Plan(
            call, model: execution.model, routes: fixture.service.routes, pace: .unhurried,
            rights: Rights())
        guard case .list(let list) = plan.action,
            case .stream(let first, let source?) = try execution.stream(list, call.terms)
        else {
            Issue.record("not a stream")
            return
        }
        #expect(first.rows.count == 500)
        #expect(store.readers.isOpen(oneThrough: .max))
        #expect(try source.next()?.rows.count == 450)
        #expect(!store.readers.isOpen(oneThrough: .max))
        store.readers.end(through: .max)
        try source.check()
        #expect(try source.next() == nil)
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
