// Bodies that go into a sink as they come, and files that go out without being held.

import FoundationEssentials
import Glibc
import SteleHTTP
import SteleSystem
import TestSupport
import Testing

/// Keeps what it is given.
private final class TestSink: BodySink {
    let limit: Int
    let pieces = Mutex<[[UInt8]]>([])
    let closed = Atomic<Int>(0)
    private let delay: UInt32

    init(limit: Int, delay: UInt32 = 0) {
        self.limit = limit
        self.delay = delay
    }

    func take(_ bytes: [UInt8]) {
        usleep(delay)
        pieces.withLock { $0.append(bytes) }
    }

    func close() { closed.add(1, ordering: .relaxed) }
    var all: [UInt8] { pieces.withLock { $0.flatMap { $0 } } }
}

@Suite struct SinkTests {
    private func server(
        _ sink: TestSink,
        respond: @escaping @Sendable (Request) -> Response = { request in
            text("\(request.body.count) held")
        }
    ) throws -> HTTPServer {
        var configuration = HTTPServer.Configuration()
        configuration.threads = 2
        configuration.maximumBodyBytes = 1_000
        return try HTTPServer(
            configuration, answer: { request in later(by: .waiting) { respond(request) } },
            refuse: { text("refused: \($0.message)", status: $0.status) },
            sink: { $0.path == "/sink" ? sink : nil })
    }

    private static let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    @Test func aBodyBeyondTheLimitOfHeldOnesIsPassedOnWhole() throws {
        let sink = TestSink(limit: 10 << 20)
        let server = try server(sink)
        let client = try RawClient(port: server.port)
        for _ in 0..<2 {
            try client.send(
                "PUT /sink HTTP/1.1\r\nHost: a\r\nContent-Length: \(Self.body.count)\r\n\r\n")
            try client.send(Self.body)
            #expect(try client.readResponse().text == "0 held")
        }
        #expect(sink.all == Self.body + Self.body)
        // Never more than a piece is held.
        #expect(sink.pieces.withLock { $0.map(\.count).max() ?? 0 } < 512 << 10)
        #expect(sink.closed.load(ordering: .relaxed) == 2)
        server.stop(drain: 1)
    }

    @Test func chunksAndSmallBodiesGoThereToo() throws {
        let sink = TestSink(limit: 10 << 20)
        let server = try server(sink)
        let client = try RawClient(port: server.port)
        try client.send("PUT /sink HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        var start = 0
        while start < Self.body.count {
            let end = min(start + 77_777, Self.body.count)
            try client.send(String(end - start, radix: 16) + "\r\n")
            try client.send(Array(Self.body[start..<end]))
            try client.send("\r\n")
            start = end
        }
        try client.send("0\r\n\r\n")
        #expect(try client.readResponse().text == "0 held")
        #expect(sink.all == Self.body)
        try client.send("PUT /sink HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
        #expect(try client.readResponse().text == "0 held")
        #expect(sink.all.suffix(3) == [97, 98, 99])
        try client.send("PUT /sink HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
        #expect(try client.readResponse().text == "0 held")
        server.stop(drain: 1)
    }

    @Test func otherRequestsOfTheConnectionAreHeld() throws {
        let sink = TestSink(limit: 100)
        let server = try server(sink)
        let client = try RawClient(port: server.port)
        try client.send("PUT /other HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde")
        #expect(try client.readResponse().text == "5 held")
        #expect(sink.all.isEmpty)
        server.stop(drain: 1)
    }

    @Test func beyondTheSinksLimitIs413() throws {
        let sink = TestSink(limit: 1_000_000)
        let server = try server(sink)
        let client = try RawClient(port: server.port)
        try client.send(
            "PUT /sink HTTP/1.1\r\nHost: a\r\nContent-Length: \(Self.body.count)\r\n\r\n")
        #expect(try client.readResponse().status == 413)
        let second = try RawClient(port: server.port)
        try second.send("PUT /sink HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        try second.send(String(Self.body.count, radix: 16) + "\r\n")
        try second.send(Self.body)
        try second.send("\r\n0\r\n\r\n")
        #expect(try second.readResponse().status == 413)
        #expect(sink.closed.load(ordering: .relaxed) >= 2)
        server.stop(drain: 1)
    }

    @Test func aClientThatLeavesClosesTheSink() throws {
        let sink = TestSink(limit: 10 << 20)
        let server = try server(sink)
        let client = try RawClient(port: server.port)
        try client.send(
            "PUT /sink HTTP/1.1\r\nHost: a\r\nContent-Length: \(Self.body.count)\r\n\r\n")
        try client.send(Array(Self.body.prefix(1_000_000)))
        // A reset that the server sees before it has read anything is of no request.
        let seen = Seen()
        #expect(seen.eventually { sink.pieces.withLock { !$0.isEmpty } })
        client.reset()
        #expect(seen.eventually { sink.closed.load(ordering: .relaxed) > 0 })
        server.stop(drain: 1)
    }

    @Test func theServerStopsInTheMiddleOfABody() throws {
        let sink = TestSink(limit: 10 << 20, delay: 200_000)
        let server = try server(sink)
        let client = try RawClient(port: server.port)
        try client.send(
            "PUT /sink HTTP/1.1\r\nHost: a\r\nContent-Length: \(Self.body.count)\r\n\r\n")
        try client.send(Array(Self.body.prefix(1_500_000)))
        let seen = Seen()
        #expect(seen.eventually { !sink.pieces.withLock { $0.isEmpty } })
        server.stop(drain: 0.1)
        #expect(sink.closed.load(ordering: .relaxed) > 0)
    }

    @Test func manyUploadAtOnceAndAreNotMixed() throws {
        let sinks = Mutex<[String: TestSink]>([:])
        var configuration = HTTPServer.Configuration()
        configuration.threads = 2
        let server = try HTTPServer(
            configuration, answer: { request in later(by: .waiting) { text(request.path) } },
            refuse: { text("refused: \($0.message)", status: $0.status) },
            sink: { request in
                let sink = TestSink(limit: 10 << 20, delay: 1_000)
                sinks.withLock { $0[request.path] = sink }
                return sink
            })
        let port = server.port
        onThreads(12) { number in
            let own = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* (number + 3)) }
            do {
                let client = try RawClient(port: port)
                try client.send(
                    "PUT /\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: \(own.count)\r\n\r\n")
                try client.send(own)
                #expect(try client.readResponse().text == "/\(number)")
                #expect(sinks.withLock { $0["/\(number)"]?.all } == own)
            } catch { Issue.record("\(error)") }
        }
        server.stop(drain: 1)
    }

    @Test func aFileGoesOutWholeInPartAndAsAHead() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/body"
        try Data(Self.body).write(to: URL(filePath: path))
        let server = try server(TestSink(limit: 0)) { request in
            guard let file = FileBody(path: path) else { return text("gone", status: 500) }
            let range = request.query == "part" ? 1_000_000..<2_500_001 : 0..<file.size
            return Response(status: 200, body: .file(file, range))
        }
        let client = try RawClient(port: server.port)
        for _ in 0..<3 {
            let whole = try client.get("/file")
            #expect(whole.isWhole && whole.body == Self.body)
            #expect(try client.get("/file?part").body == Array(Self.body[1_000_000..<2_500_001]))
            let head = try client.get("/file", method: "HEAD")
            #expect(head["Content-Length"] == "\(Self.body.count)" && head.body.isEmpty)
        }
        // None is left open: what was unlinked is gone.
        let seen = Seen()
        let open = { () -> Int in
            let names =
                (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            return names.count {
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?
                    .contains(path) ?? false
            }
        }
        #expect(seen.eventually { open() == 0 })
        server.stop(drain: 1)
    }
}
