// Starting and stopping.

import Glibc
import SteleHTTP
import SteleSystem
import TestSupport
import Testing

@Suite struct ServerTests {
    @Test func aPortInUseIsNamed() throws {
        let first = try startServer()
        let port = first.port
        #expect(port > 0)
        #expect(throws: HTTPServerError.portInUse(host: "127.0.0.1", port: port)) {
            try startServer { $0.port = port }
        }
        #expect(
            HTTPServerError.portInUse(host: "127.0.0.1", port: port).description
                .contains("port \(port) of 127.0.0.1"))
        first.stop(drain: 0)
        let second = try startServer { $0.port = port }
        #expect(try RawClient(port: port).get("/inline").status == 200)
        second.stop(drain: 0)
    }

    @Test func anAddressThatCannotBeIsNamed() {
        for host in ["192.0.2.1", "no.such.host.invalid"] {
            #expect {
                try startServer { $0.host = host }
            } throws: { error in
                "\(error)".contains(host)
            }
        }
        #expect(throws: HTTPServerError.self) { try startServer { $0.port = 65536 } }
        #expect(throws: HTTPServerError.self) { try startServer { $0.workers = 0 } }
    }

    @Test(arguments: [1, 2])
    func fewThreadsServeToo(threads: Int) throws {
        let server = try startServer {
            $0.threads = threads
            $0.host = "localhost"
        }
        #expect(try RawClient(port: server.port).get("/worker").status == 200)
        server.stop(drain: 0)
    }

    @Test func stoppingLetsWhatRunsFinish() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let clients = try (0..<8).map { _ in
            let client = try RawClient(port: server.port)
            try client.send("GET /gate HTTP/1.1\r\nHost: h\r\n\r\n")
            return client
        }
        let idle = try RawClient(port: server.port)
        #expect(try idle.get("/inline").status == 200)
        #expect(seen.eventually { server.workerLoad == 8 })
        onThreads(2) { number in
            if number == 0 {
                server.stop(drain: 10)
            } else {
                usleep(100_000)
                seen.gate.store(true, ordering: .releasing)
            }
        }
        for client in clients { #expect(try client.readResponse().text == "GET /gate - ") }
        #expect(try idle.read() == nil)
        #expect(throws: RawClientError.self) { try RawClient(port: server.port) }
        server.stop(drain: 10)
    }

    @Test func stoppingDoesNotWaitForWhatNeverReturns() throws {
        let seen = Seen()
        let server = try startServer(seen: seen) { $0.workers = 2 }
        let clients = try (0..<5).map { _ in
            let client = try RawClient(port: server.port)
            try client.send("GET /gate HTTP/1.1\r\nHost: h\r\n\r\n")
            return client
        }
        #expect(seen.eventually { server.workerLoad == 5 })
        let start = seconds()
        server.stop(drain: 0.2)
        #expect(seconds() - start < 2.2)
        for client in clients { #expect(try client.readResponse().status == 503) }
        seen.gate.store(true, ordering: .releasing)
        #expect(seen.eventually { server.workerLoad == 0 })
    }

    @Test func stoppingEndsStreams() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let parked = try (0..<50).map { _ in
            let client = try RawClient(port: server.port)
            try client.send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = try client.readHead()
            return client
        }
        // One that reads nothing, and one body that nobody takes.
        let deaf = try RawClient(port: server.port, receiveBuffer: 4096)
        try deaf.send("GET /events HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(seen.eventually { seen.streams.withLock { $0.count } == 51 })
        let last = try #require(seen.streams.withLock { $0.last })
        let large = [UInt8](repeating: 1, count: 1 << 19)
        for _ in 0..<40 where !last.send(large) { usleep(10_000) }
        let body = try RawClient(port: server.port, receiveBuffer: 4096)
        try body.send("GET /stream?50000 HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(seen.eventually { seen.produced.load(ordering: .relaxed) > 0 })
        let start = seconds()
        server.stop(drain: 0.3)
        #expect(seconds() - start < 2.3)
        for client in parked { #expect(try client.readChunk() == []) }
        #expect(try !body.readResponse().isWhole)
        #expect(seen.closed.load(ordering: .relaxed) == 51)
        #expect(seen.eventually { seen.errors.withLock { $0 == [.stopping] } })
    }

    @Test func stoppingUnderLoadHangsNeverAndLeavesNothingOpen() throws {
        for round in 0..<10 {
            let seen = Seen()
            let server = try startServer(seen: seen)
            let port = server.port
            onThreads(9) { number in
                if number == 8 {
                    usleep(UInt32(20_000 + round * 3000))
                    return server.stop(drain: round.isMultiple(of: 2) ? 0 : 1)
                }
                let target = ["/inline", "/worker", "/stream?3", "/events"][number % 4]
                for _ in 0..<1000 {
                    guard let client = try? RawClient(port: port) else { return }
                    guard let _ = try? client.send("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n"),
                        (try? client.readHead()) != nil
                    else { return }
                }
            }
            #expect(seen.streams.withLock { $0.count } == seen.closed.load(ordering: .relaxed))
        }
    }

    /// Each stops while its threads look whether they still listen.
    @Test func manyServersStopAtOnce() throws {
        let failures = Atomic<Int>(0)
        onThreads(4) { _ in
            for _ in 0..<50 {
                guard let server = try? startServer(),
                    let client = try? RawClient(port: server.port),
                    (try? client.get("/inline").status) == 200
                else {
                    failures.add(1, ordering: .relaxed)
                    continue
                }
                server.stop(drain: 0)
                // Nobody is taken any longer.
                if (try? RawClient(port: server.port)) != nil {
                    failures.add(1, ordering: .relaxed)
                }
            }
        }
        #expect(failures.load(ordering: .relaxed) == 0)
    }

    @Test func aConnectionOverTheLimitWaitsForAPlace() throws {
        let server = try startServer { $0.connectionLimit = 4 }
        defer { server.stop(drain: 0) }
        var clients = try (0..<4).map { _ in try RawClient(port: server.port) }
        for client in clients { #expect(try client.get("/inline").status == 200) }
        let late = try RawClient(port: server.port, timeout: 1)
        try late.send("GET /inline HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(throws: RawClientError.self) { try late.readResponse() }
        clients.removeFirst().close()
        #expect(try late.readResponse().status == 200)
        for client in clients { #expect(try client.get("/inline").status == 200) }
    }
}

private func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
