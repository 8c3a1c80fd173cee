// What clients see of a server that stops: connections that are closed, and no status that a browser
// takes for the end.

import Glibc
import SteleHTTP
import SteleSystem
import TestSupport
import Testing

@Suite struct StoppingTests {
    private static let events = "Accept: text/event-stream\r\n"

    /// A server that answers a request while it stops, until `release`.
    private final class Stage: Sendable {
        let seen = Seen()
        let server: HTTPServer
        private let stopping = Mutex<SystemThread?>(nil)

        init(_ configure: (inout HTTPServer.Configuration) -> Void = { _ in }) throws {
            server = try startServer(seen: seen, configure)
        }

        func client(_ text: String = "") throws -> RawClient {
            let client = try RawClient(port: server.port, timeout: 20)
            if !text.isEmpty { try client.send(text) }
            return client
        }

        /// A client whose request runs until `release`.
        func running() throws -> RawClient {
            let before = server.workerLoad
            let client = try client("GET /gate HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(seen.eventually { server.workerLoad == before + 1 })
            return client
        }

        /// Begins to stop, and returns when the system refuses connections.
        func stop(drain: Double = 60) {
            let server = server
            stopping.withLock { $0 = SystemThread(name: "stop") { server.stop(drain: drain) } }
            #expect(seen.eventually { (try? RawClient(port: server.port)) == nil })
        }

        func release() {
            seen.gate.store(true, ordering: .releasing)
            stopping.withLock { $0 }?.join()
        }
    }

    @Test func idleConnectionsAreClosedWhileARequestRuns() throws {
        let stage = try Stage()
        let running = try stage.running()
        let idle = try (0..<20).map { _ in try stage.client() }
        for client in idle { #expect(try client.get("/inline").status == 200) }
        stage.stop()
        for client in idle { #expect(try client.read() == nil) }
        stage.release()
        #expect(try running.readResponse().status == 200)
        #expect(try running.read() == nil)
    }

    /// An answer whose head said that the connection stays open.
    @Test func aConnectionIsClosedAfterAnAnswerThatHadBegun() throws {
        let stage = try Stage()
        let running = try stage.running()
        let body = try stage.client("GET /stream?200 HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(stage.seen.eventually { stage.seen.produced.load(ordering: .relaxed) > 0 })
        stage.stop()
        #expect(try body.readResponse().isWhole)
        #expect(try body.read() == nil)
        stage.release()
        #expect(try running.readResponse().status == 200)
    }

    @Test func streamsEndAndTheirConnectionsAreClosedWhileARequestRuns() throws {
        let stage = try Stage()
        let running = try stage.running()
        let streams = try (0..<20).map { _ in
            let client = try stage.client(
                "GET /events HTTP/1.1\r\nHost: h\r\n\(Self.events)\r\n")
            #expect(try client.readHead().status == 200)
            return client
        }
        stage.stop()
        for client in streams {
            #expect(try client.readChunk() == [])
            #expect(try client.read() == nil)
        }
        stage.release()
        #expect(try running.readResponse().status == 200)
    }

    /// On a connection that was not idle, because a part of the request had come.
    @Test(arguments: [
        ("GET /inline", "", nil), ("HEAD /inline", "", nil), ("GET /events", Self.events, nil),
        ("POST /inline", "Content-Length: 1\r\n", 503), ("DELETE /inline", "", 503),
    ])
    func aRequestThatComesLaterIsNotDone(
        _ line: String, _ fields: String, _ status: Int?
    ) throws {
        let stage = try Stage()
        let running = try stage.running()
        let late = try stage.client("\(line) HTTP/1.1\r\nHost: h\r\n\(fields)")
        #expect(stage.seen.eventually { stage.server.requestsInProgress == 2 })
        let before = stage.seen.requests.withLock { $0.count }
        stage.stop()
        try late.send("\r\n")
        let answer = try? late.readResponse(toHead: true)
        #expect(answer?.status == status, "\(String(describing: answer))")
        if let answer { #expect(answer["Connection"]?.lowercased() == "close") }
        stage.release()
        #expect(try running.readResponse().status == 200)
        #expect(stage.seen.requests.withLock { $0.count } == before)
    }

    /// A stream that waits for its beginning when the time is over.
    @Test func aStreamIsNeverRefusedWithAStatus() throws {
        let stage = try Stage()
        let stream = try stage.client("GET /pending HTTP/1.1\r\nHost: h\r\n\(Self.events)\r\n")
        let other = try stage.client("GET /pending HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(stage.seen.eventually { stage.seen.replies.withLock { $0.count } == 2 })
        stage.stop(drain: 0.1)
        #expect(try stream.read() == nil)
        #expect(try other.readResponse().status == 503)
        stage.release()
    }

    /// Requests of all kinds at any moment: an answer is whole, and no stream has another status.
    @Test func clientsThatGoOnSeeNoStatusThatEndsAStream() throws {
        let seed = drawSeed("stopping under load")
        for round in 0..<6 {
            let stage = try Stage()
            let port = stage.server.port
            let wrong = onThreads(9) { number -> [String] in
                var numbers = SeededNumbers(seed: seed &+ UInt64(round * 16 + number))
                if number == 8 {
                    usleep(UInt32(10_000 + numbers.below(40_000)))
                    stage.server.stop(drain: 1)
                    return []
                }
                var wrong: [String] = []
                while let client = try? RawClient(port: port) {
                    while !numbers.one(in: 4) {
                        let isStream = numbers.one(in: 3)
                        let target = isStream ? "/events" : numbers.pick("/inline", "/worker")
                        let head =
                            "GET \(target) HTTP/1.1\r\nHost: h\r\n"
                            + (isStream ? Self.events : "") + "\r\n"
                        let cut = numbers.below(head.utf8.count)
                        guard (try? client.send(String(head.prefix(cut)))) != nil else { break }
                        if numbers.one(in: 3) { usleep(UInt32(numbers.below(2_000))) }
                        guard (try? client.send(String(head.dropFirst(cut)))) != nil else { break }
                        guard let answer = try? isStream ? client.readHead() : client.readResponse()
                        else { break }
                        if answer.status != 200 { wrong.append("\(target) \(answer.status)") }
                        if isStream { break }
                    }
                }
                return wrong
            }.flatMap(\.self)
            #expect(wrong.isEmpty, "seed \(seed), round \(round): \(wrong)")
        }
    }

    /// The thread of its connection cannot be ended.
    @Test func stoppingDoesNotWaitForARequestThatKeepsAThreadOfConnections() throws {
        let gate = Atomic<Bool>(false)
        let isIn = Atomic<Bool>(false)
        let server = try HTTPServer(
            HTTPServer.Configuration(),
            answer: { _ in
                isIn.store(true, ordering: .releasing)
                while !gate.load(ordering: .acquiring) { usleep(1_000) }
                return .done(text("late"))
            },
            refuse: { text("refused", status: $0.status) })
        let client = try RawClient(port: server.port)
        try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
        try waitUntil { isIn.load(ordering: .acquiring) }
        server.stop(drain: 0.1)
        gate.store(true, ordering: .releasing)
        #expect(throws: RawClientError.self) { try RawClient(port: server.port) }
    }
}
