// What is done on the thread that carries the connection, and what is left to others.

import Dispatch
import SteleHTTP
import SteleModel
import StelePersistence
import SteleSystem
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct BeginningTests {
    private enum Way { case answered, pending, reader, worker }

    private func way(
        _ league: ServiceFixture, _ method: String, _ path: String, query: String? = nil,
        _ body: String = "", _ headers: [(name: String, value: String)] = []
    ) -> Way {
        let request = Request(
            method: method, path: path, query: query, headers: HTTPHeaders(headers),
            body: Array(body.utf8))
        return switch league.service.answer(request, at: .brief) {
        case .done: .answered
        case .pending: .pending
        case .later(let next): next.workers == .reading ? .reader : .worker
        }
    }

    @Test func whatIsShortIsAnsweredAtOnce() throws {
        let league = try ReadingTests.filled()
        #expect(way(league, "GET", "/Player/1") == .answered)
        #expect(way(league, "GET", "/healthz") == .answered)
        #expect(way(league, "GET", "/Player", query: "sort=name&limit=3") == .answered)
        #expect(way(league, "GET", "/Player/count", query: "where=goals>3") == .answered)
        let folded = "where=name%20==%5Bc%5D%20%22ann%22&sort=name"
        #expect(way(league, "GET", "/Player", query: folded) == .answered)
        #expect(way(league, "GET", "/Player/1", query: "include=team") == .answered)
        #expect(way(league, "GET", "/Team/1/players") == .answered)
        #expect(way(league, "GET", "/Player", query: "where=nonsense+") == .answered, "its error")
        #expect(way(league, "PATCH", "/Player/1", "{\"goals\":\"x\"}") == .answered, "its error")
        #expect(way(league, "PATCH", "/Player/1", "{\"goals\":12}") == .answered, "no change")
    }

    @Test func whatIsLongOrWaitsIsNot() throws {
        let league = try ReadingTests.filled()
        #expect(way(league, "GET", "/Player", query: "limit=5000") == .reader)
        let gzip = [(name: "Accept-Encoding", value: "gzip")]
        #expect(way(league, "GET", "/Player", query: "limit=5", "", gzip) == .reader)
        #expect(way(league, "GET", "/changes") == .reader)
        // One step of SQLite's, however many rows there are.
        #expect(way(league, "GET", "/Player/count") == .reader)
        #expect(way(league, "GET", "/Player", query: "count=true&limit=1") == .reader)
        // Compiled with the plan, whatever it takes.
        for word in ["MATCHES", "mAtChEs", "%4DATCHES", "MATC%68ES"] {
            let query = "where=name+\(word)+'a'"
            #expect(way(league, "GET", "/Player", query: query) == .reader, "\(query)")
        }
        let long = "where=name+==+'\(String(repeating: "x", count: 3_000))'"
        #expect(way(league, "GET", "/Player", query: long) == .reader)
        let objects = "[\(Array(repeating: "{\"name\":\"x\"}", count: 60).joined(separator: ","))]"
        #expect(way(league, "POST", "/Player", objects) == .worker)
        #expect(way(league, "GET", "/readyz") == .answered)
        // Its turn with a context, whatever it asks.
        #expect(way(league, "GET", "/contexts/c1/Player/1") == .worker)
        #expect(way(league, "GET", "/%63ontexts/c1/Player", query: long) == .worker)
        let large = "{\"name\":\"\(String(repeating: "x", count: 20_000))\"}"
        #expect(way(league, "POST", "/Player", large) == .worker)
        #expect(way(league, "POST", "/Player", "{\"name\":\"Gus\"}") == .pending)
        #expect(way(league, "PATCH", "/Player/1", "{\"goals\":99}") == .pending)
        #expect(way(league, "DELETE", "/Player/1") == .pending)
    }

    /// All of the value is read, parsed and written for a change of its part.
    @Test func aPartOfALargeValueIsChangedByAWorker() throws {
        let zoo = try ServiceFixture.zoo()
        let long = String(repeating: "x", count: zoo.service.options.limits.briefBodyBytes)
        let made = zoo.post("/Sample", #"[{"list":{"a":"\#(long)"}},{"list":{"a":"x"}}]"#)
        try #require(made.status == 201)
        for (type, body) in [
            ("application/merge-patch+json", #"{"list":{"b":1}}"#),
            ("application/json-patch+json", #"[{"op":"add","path":"/list/b","value":1}]"#),
            ("application/json-patch+json", #"[{"op":"copy","from":"/list","path":"/list/b"}]"#),
        ] {
            let headers = [(name: "Content-Type", value: type)]
            #expect(way(zoo, "PATCH", "/Sample/1", body, headers) == .worker, "\(body)")
            #expect(way(zoo, "PATCH", "/Sample/2", body, headers) == .pending, "\(body)")
        }
    }

    /// A list of many rows is begun anew by a worker, and answers the same.
    @Test func aQueryBeyondItsBudgetIsAWorkers() throws {
        let league = try ServiceFixture.league()
        let row = "{\"name\":\"Somebody\",\"goals\":1}"
        for _ in 0..<5 {
            let many = "[\(Array(repeating: row, count: 4_000).joined(separator: ","))]"
            #expect(league.post("/Player", many).status == 201)
        }
        let query = "where=name+CONTAINS+'zzz'"
        #expect(way(league, "GET", "/Player", query: query) == .reader)
        #expect(league.get("/Player?\(query)").text == "[]")
        #expect(league.get("/Player/count?\(query)").text == "{\"count\":0}")
    }

    /// Two that change the same object from the same state: both are done, one of them again.
    @Test func aWriteThatLosesItsRaceGoesToAWorker() throws {
        let league = try ReadingTests.filled()
        func begin(_ body: String) throws -> @Sendable (Reply) -> Void {
            let request = Request(method: "PATCH", path: "/Player/1", body: Array(body.utf8))
            guard case .pending(let start) = league.service.answer(request, at: .brief) else {
                throw Problem(.unavailable, "it is not pending")
            }
            return start
        }
        let ways = Mutex<[String]>([])
        let told = DispatchSemaphore(value: 0)
        for start in [try begin("{\"goals\":20}"), try begin("{\"salary\":\"1\"}")] {
            start(
                Reply(
                    answer: { make in
                        let response = make()
                        ways.withLock { $0.append("\(response.status)") }
                        told.signal()
                    },
                    later: { _ in
                        ways.withLock { $0.append("worker") }
                        told.signal()
                    }))
        }
        told.wait()
        told.wait()
        #expect(ways.withLock { $0 } == ["200", "worker"])
        #expect(league.patch("/Player/1", "{\"salary\":\"1\"}").status == 200)
        let text = league.get("/Player/1").text
        #expect(text.contains("\"goals\":20") && text.contains("\"salary\":1,"), "\(text)")
    }

    /// An object that the row cache has is changed without a reader; one that another save has
    /// changed meanwhile is never changed from what it was.
    @Test func theRowCacheIsEnoughForAChange() throws {
        let league = try ReadingTests.filled()
        for goals in 1...200 {
            let answer = league.patch("/Player/2", "{\"goals\":\(goals)}")
            #expect(answer.status == 200)
            #expect(answer.text.contains("\"goals\":\(goals)"))
            #expect(answer["ETag"]?.hasPrefix("\"\(goals + 1)-") ?? false, "\(answer.text)")
        }
        let threads = 8
        let done = Atomic<Int>(0)
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for round in 0..<50 {
                let answer = league.patch(
                    "/Player/\(3 + (thread + round) % 3)", "{\"goals\":\(thread * 100 + round)}")
                if answer.status == 200 { done.add(1, ordering: .relaxed) }
            }
        }
        #expect(done.load(ordering: .relaxed) == threads * 50)
    }
}
