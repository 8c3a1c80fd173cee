// Clients that send their requests in drops, and addresses with many connections.

import Glibc
import SteleHTTP
import SteleSystem
import Testing

@Suite struct SlowClientTests {
    /// Sends a text a byte at a time until the server closes the connection.
    /// - Returns: seconds until then, or nil where it was still open after ten.
    private func drip(_ client: RawClient, _ text: String) throws -> Double? {
        let start = MonotonicClock.now
        func seconds() -> Double { Double(MonotonicClock.now - start) / 1e9 }
        for byte in text.utf8 {
            if seconds() > 10 { return nil }
            do { try client.send([byte]) } catch { return seconds() }
            usleep(100_000)
        }
        return nil
    }

    private let drops = String(repeating: "x", count: 120)

    @Test func aHeadInDropsIsCutOff() throws {
        let server = try startServer {
            $0.headSeconds = 1
            $0.idleTimeout = 5
        }
        let client = try RawClient(port: server.port)
        try client.send("GET /inline HTTP/1.1\r\nHost: a\r\nX: ")
        let seconds = try #require(try drip(client, drops))
        #expect(seconds >= 0.5 && seconds < 5, "\(seconds)")
        let line = try RawClient(port: server.port)
        try line.send("GET /inline?")
        #expect(try #require(try drip(line, drops)) < 5)
    }

    @Test func aBodyInDropsIsCutOffAndOneThatComesIsNot() throws {
        let server = try startServer {
            $0.headSeconds = 1
            $0.bodyBytesPerSecond = 100
        }
        let client = try RawClient(port: server.port)
        try client.send("POST /inline HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
        #expect(try #require(try drip(client, drops)) < 5)
        let other = try RawClient(port: server.port)
        try other.send("POST /inline HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n")
        for _ in 0..<10 {
            try other.send([UInt8](repeating: 0x61, count: 100))
            usleep(300_000)
        }
        #expect(try other.readResponse().status == 200)
    }

    /// A connection may wait for its next request, and for an answer, longer than for a head.
    @Test func aConnectionThatWaitsIsKept() throws {
        let seen = Seen()
        let server = try startServer(seen: seen) { $0.headSeconds = 1 }
        let client = try RawClient(port: server.port)
        #expect(try client.get("/inline").status == 200)
        sleep(3)
        try client.send("GET /pending HTTP/1.1\r\nHost: a\r\n\r\n")
        sleep(3)
        let replies = seen.replies.withLock { replies in
            defer { replies = [] }
            return replies
        }
        for reply in replies { reply.answer { text("late") } }
        #expect(try client.readResponse().status == 200)
    }

    @Test func anAddressHasSoManyConnections() throws {
        let server = try startServer { $0.connectionsPerAddress = 3 }
        var clients = try (0..<3).map { _ in try RawClient(port: server.port) }
        for client in clients { #expect(try client.get("/inline").status == 200) }
        let refused = try RawClient(port: server.port)
        let answer = try refused.readResponse()
        #expect(answer.status == 429 && answer["Retry-After"] == "1")
        clients[0].close()
        clients.removeFirst()
        var status = 0
        for _ in 0..<200 where status != 200 {
            usleep(10_000)
            status = (try? RawClient(port: server.port).get("/inline").status) ?? 0
        }
        #expect(status == 200)
    }
}
