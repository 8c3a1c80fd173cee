// Event streams are carried apart from other requests, which would walk them.

import Glibc
import SteleHTTP
import Testing

@Suite struct PoolTests {
    /// A thread for requests and one for streams, which say who they are.
    private func server(
        _ seen: Seen = Seen(), _ configure: (inout HTTPServer.Configuration) -> Void = { _ in }
    ) throws -> HTTPServer {
        var configuration = HTTPServer.Configuration()
        (configuration.threads, configuration.eventStreamThreads) = (1, 1)
        configure(&configuration)
        return try HTTPServer(
            configuration,
            answer: { request in
                guard request.path == "/events" else { return .done(text("\(pthread_self())")) }
                let stream = EventStream(capacity: 1 << 20) {}
                seen.streams.withLock { $0.append(stream) }
                return .done(
                    Response(
                        status: 200, headers: [("X-Thread", "\(pthread_self())")],
                        body: .events(stream)))
            },
            refuse: { text($0.message, status: $0.status) })
    }

    private func subscribe(_ client: RawClient) throws -> String? {
        try client.send("GET /events HTTP/1.1\r\nHost: h\r\nAccept: text/event-stream\r\n\r\n")
        return try client.readHead()["X-Thread"]
    }

    @Test func streamsHaveThreadsOfTheirOwn() throws {
        let server = try server()
        defer { server.stop(drain: 0) }
        let clients = try (0..<4).map { _ in try RawClient(port: server.port) }
        let streams = try clients.map { try subscribe($0) }
        let requests = try (0..<4).map { _ in
            String(decoding: try RawClient(port: server.port).get("/").body, as: UTF8.self)
        }
        #expect(Set(streams).count == 1 && Set(requests).count == 1)
        #expect(streams.first != requests.first)
    }

    /// A stream on a connection that began with something else, or with nothing for a while, is as
    /// good as any.
    @Test func whatBeginsOtherwiseIsServedAsWell() throws {
        let seen = Seen()
        let server = try server(seen)
        let (used, silent) = (try RawClient(port: server.port), try RawClient(port: server.port))
        let request = String(decoding: try used.get("/").body, as: UTF8.self)
        #expect(try subscribe(used) == request)
        #expect(try subscribe(silent) != request)
        for stream in seen.streams.withLock({ $0 }) {
            #expect(stream.send(Array("one".utf8)))
        }
        for client in [used, silent] { #expect(try client.readChunk() == Array("one".utf8)) }
        server.stop(drain: 1)
    }

    /// Many connect before the first of them speaks.
    @Test func connectionsThatSendLaterGoToTheRightThreads() throws {
        let server = try server()
        defer { server.stop(drain: 0) }
        let clients = try (0..<60).map { _ in try RawClient(port: server.port) }
        usleep(200_000)
        var (streams, requests): (Set<String?>, Set<String?>) = ([], [])
        for (index, client) in clients.enumerated() {
            if index % 2 == 0 {
                streams.insert(try subscribe(client))
            } else {
                requests.insert(String(decoding: try client.get("/").body, as: UTF8.self))
            }
        }
        #expect(streams.count == 1 && requests.count == 1 && streams.isDisjoint(with: requests))
    }

    /// Who has said nothing is told of the end like all others.
    @Test func aSilentConnectionIsClosedWhenTheServerStops() throws {
        let server = try server()
        let (silent, other) = (try RawClient(port: server.port), try RawClient(port: server.port))
        // Whoever came before it has been accepted by then.
        _ = try other.get("/")
        server.stop(drain: 1)
        #expect(try silent.read() == nil)
    }

    /// For as long as any connection may be idle, and no longer.
    @Test func aConnectionThatStaysSilentIsClosed() throws {
        let server = try server { $0.idleTimeout = 1 }
        defer { server.stop(drain: 0) }
        let (silent, late) = (try RawClient(port: server.port), try RawClient(port: server.port))
        usleep(400_000)
        #expect(try late.get("/").status == 200)
        #expect(try silent.read() == nil)
    }

    /// The first bytes may come one by one.
    @Test func aRequestThatComesInPiecesIsServed() throws {
        let server = try server()
        defer { server.stop(drain: 0) }
        let client = try RawClient(port: server.port)
        let request = "GET /events HTTP/1.1\r\nHost: h\r\nAccept: text/event-stream\r\n\r\n"
        for piece in request { try client.send(String(piece)) }
        #expect(try client.readHead()["X-Thread"] != nil)
    }
}
