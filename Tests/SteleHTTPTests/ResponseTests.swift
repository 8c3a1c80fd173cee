// What goes out: heads, bytes, streams, and the hand-over to workers.

import CZlib
import Glibc
import SteleHTTP
import SteleSystem
import TestSupport
import Testing

@Suite struct ResponseTests {
    @Test(arguments: ["/inline", "/worker", "/stream?3", "/events"])
    func headHasTheFieldsAndNoBody(target: String) throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        for _ in 0..<3 {
            let client = try RawClient(port: server.port)
            let head = try client.get(target, method: "HEAD")
            #expect(head.status == 200)
            if target == "/inline" { #expect(head["Content-Length"] == "15") }
            if head["Connection"] == "close" {
                #expect(try client.read() == nil)
            } else {
                #expect(try client.get("/inline").text == "GET /inline - ")
            }
        }
        #expect(seen.produced.load(ordering: .relaxed) == 0)
        if target == "/events" { #expect(seen.closed.load(ordering: .relaxed) == 3) }
        server.stop(drain: 1)
    }

    @Test func statusesWithoutABodyHaveNone() throws {
        let server = try HTTPServer(
            HTTPServer.Configuration(),
            answer: { request in
                .done(
                    Response(
                        status: Int(request.path.dropFirst()) ?? 0,
                        headers: [
                            ("ETag", "\"7\""), ("Bad\r\nName", "x"), ("X-Bad", "a\r\nb: c"),
                        ]))
            }, refuse: { text("", status: $0.status) })
        let client = try RawClient(port: server.port)
        for status in [204, 304, 200, 404, 201] {
            let response = try client.get("/\(status)")
            #expect(response.status == status && response.isWhole && response.body.isEmpty)
            #expect(response["ETag"] == "\"7\"")
            #expect(response["X-Bad"] == nil && response["b"] == nil)
        }
        #expect(try client.get("/7").status == 500)
        server.stop(drain: 1)
    }

    @Test func sixtyFourClientsAtOnceGetTheirOwnAnswers() throws {
        let server = try startServer()
        let port = server.port
        let failures = Atomic<Int>(0)
        onThreads(64) { number in
            do {
                let client = try RawClient(port: port)
                for index in 0..<100 {
                    let target = "/worker/\(number)?\(index)"
                    let body = String(repeating: "b", count: index)
                    try client.send(
                        "POST \(target) HTTP/1.1\r\nHost: h\r\nContent-Length: \(index)\r\n\r\n"
                            + body)
                    let wanted = "POST /worker/\(number) \(index) \(body)"
                    if try client.readResponse().text != wanted {
                        failures.add(1, ordering: .relaxed)
                    }
                }
            } catch { failures.add(1, ordering: .relaxed) }
        }
        #expect(failures.load(ordering: .relaxed) == 0)
        server.stop(drain: 1)
    }

    @Test func aFullQueueIsAnsweredAtOnce() throws {
        let seen = Seen()
        let server = try startServer(seen: seen) {
            $0.readers = 2
            $0.workerQueue = 3
        }
        let waiting = try (0..<5).map { index in
            let client = try RawClient(port: server.port)
            try client.send("GET /gate HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(seen.eventually { server.workerLoad == index + 1 })
            return client
        }
        let late = try RawClient(port: server.port)
        let refused = try late.get("/gate")
        #expect(refused.status == 503)
        #expect(refused["Retry-After"] == "1")
        #expect(try late.get("/inline").status == 200)
        seen.gate.store(true, ordering: .releasing)
        for client in waiting { #expect(try client.readResponse().status == 200) }
        #expect(try late.get("/gate").status == 200)
        server.stop(drain: 1)
    }

    @Test func aWaitingAnswerHoldsNoReader() throws {
        let seen = Seen()
        let server = try startServer(seen: seen) { $0.readers = 1 }
        let waiting = try (0..<3).map { index in
            let client = try RawClient(port: server.port)
            try client.send("GET /turn HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(seen.eventually { server.workerLoad == index + 1 })
            return client
        }
        #expect(try RawClient(port: server.port).get("/worker").status == 200)
        seen.gate.store(true, ordering: .releasing)
        for client in waiting { #expect(try client.readResponse().status == 200) }
        server.stop(drain: 1)
    }

    @Test func aClientThatLeavesWhileAWorkerThinksHarmsNobody() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        for _ in 0..<20 {
            let client = try RawClient(port: server.port)
            try client.send("GET /gate HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(seen.eventually { server.workerLoad > 0 })
            client.reset()
        }
        seen.gate.store(true, ordering: .releasing)
        #expect(try RawClient(port: server.port).get("/worker").status == 200)
        #expect(seen.eventually { server.workerLoad == 0 })
        server.stop(drain: 1)
    }

    @Test func aStreamArrivesWholeAndInOrder() throws {
        let server = try startServer()
        let client = try RawClient(port: server.port)
        for pieces in [0, 1, 200] {
            let response = try client.get("/stream?\(pieces)")
            #expect(response.isWhole)
            #expect(response["Transfer-Encoding"] == "chunked")
            #expect(response.body == (0..<pieces).flatMap(pattern))
        }
        server.stop(drain: 1)
    }

    @Test func aProducerWaitsForASlowClientAndThenFinishes() throws {
        let seen = Seen()
        let server = try startServer(seen: seen) { $0.streamBufferBytes = 64 << 10 }
        let client = try RawClient(port: server.port, receiveBuffer: 16 << 10)
        try client.send("GET /stream?2000 HTTP/1.1\r\nHost: h\r\n\r\n")
        var before = -1
        while before != seen.produced.load(ordering: .relaxed) {
            before = seen.produced.load(ordering: .relaxed)
            usleep(200_000)
        }
        #expect(before < 1000)
        let response = try client.readResponse()
        #expect(response.isWhole)
        #expect(response.body.count == 2000 * (16 << 10))
        server.stop(drain: 1)
    }

    @Test func aClientThatTakesNothingIsGivenUp() throws {
        let seen = Seen()
        let server = try startServer(seen: seen) { $0.stallLimit = 0.3 }
        let client = try RawClient(port: server.port, receiveBuffer: 16 << 10)
        try client.send("GET /stream?5000 HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(seen.eventually { seen.errors.withLock { $0 == [.stalled] } })
        #expect(try !client.readResponse().isWhole)
        server.stop(drain: 1)
    }

    /// What it takes of what the system holds for it counts, though nothing more is asked for.
    @Test func aClientThatReadsSlowlyAndSteadilyIsNotGivenUp() throws {
        let seen = Seen()
        let server = try startServer(seen: seen) { $0.stallLimit = 0.8 }
        let client = try RawClient(port: server.port)
        try client.send("GET /stream?1000 HTTP/1.1\r\nHost: h\r\n\r\n")
        _ = try client.readHead()
        var taken = 0
        while let chunk = try client.readChunk(), !chunk.isEmpty {
            taken += chunk.count
            if taken < 2 << 20 { usleep(70_000) }
        }
        #expect(seen.errors.withLock { $0 }.isEmpty)
        #expect(taken == 1000 * (16 << 10))
        server.stop(drain: 1)
    }

    /// The same of a body in one piece, which libmicrohttpd breaks off where nothing moves.
    @Test func aSlowReaderGetsAllOfAnAnswerInOnePiece() throws {
        let server = try startServer { $0.idleTimeout = 1 }
        let client = try RawClient(port: server.port)
        try client.send("GET /large?1000 HTTP/1.1\r\nHost: h\r\n\r\n")
        let head = try client.readHead()
        var taken = 0
        for _ in 0..<20 {
            taken += try #require(try client.readExactly(48 << 10)).count
            usleep(200_000)
        }
        let rest = try client.readExactly(1000 * (16 << 10) - taken)
        #expect(head.status == 200 && rest?.last == pattern(999).last)
        server.stop(drain: 1)
    }

    @Test func noAnswerWaitsBehindThoseThatNobodyTakes() throws {
        let server = try startServer()
        let stalled = try (0..<40).map { _ in
            let client = try RawClient(port: server.port, receiveBuffer: 16 << 10)
            try client.send("GET /stream?5000 HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = try client.readHead()
            return client
        }
        let quick = try RawClient(port: server.port, timeout: 5)
        let answer = try quick.get("/stream?100")
        #expect(answer.isWhole && answer.body.count == 100 * (16 << 10))
        stalled.forEach { $0.reset() }
        server.stop(drain: 0.1)
    }

    @Test func oneStreamTooManyIsRefusedAtOnce() throws {
        let seen = Seen()
        let server = try startServer(seen: seen) { $0.streamWorkers = 2 }
        let stalled = try (0..<2).map { _ in
            let client = try RawClient(port: server.port, receiveBuffer: 16 << 10)
            try client.send("GET /stream?5000 HTTP/1.1\r\nHost: h\r\n\r\n")
            _ = try client.readHead()
            return client
        }
        let refused = try RawClient(port: server.port, timeout: 5).get("/stream?1")
        #expect(refused.status == 503 && refused["Retry-After"] == "1")
        stalled[0].reset()
        #expect(seen.eventually { seen.errors.withLock { $0 == [.clientGone] } })
        usleep(50_000)
        #expect(try RawClient(port: server.port, timeout: 5).get("/stream?1").isWhole)
        stalled[1].reset()
        server.stop(drain: 0.1)
    }

    @Test func anAnswerHasALongestLife() throws {
        let seen = Seen()
        let server = try startServer(seen: seen) { $0.longestStream = 0.3 }
        let client = try RawClient(port: server.port, receiveBuffer: 16 << 10)
        try client.send("GET /stream?50000 HTTP/1.1\r\nHost: h\r\n\r\n")
        #expect(seen.eventually { seen.errors.withLock { $0 == [.tooLong] } })
        server.stop(drain: 1)
    }

    @Test func aProducerLearnsThatItsClientHasGone() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let client = try RawClient(port: server.port)
        try client.send("GET /stream?50000 HTTP/1.1\r\nHost: h\r\n\r\n")
        _ = try client.readHead()
        client.reset()
        #expect(seen.eventually { seen.errors.withLock { $0 == [.clientGone] } })
        server.stop(drain: 1)
    }

    @Test func aProducersErrorBreaksTheAnswerOff() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let client = try RawClient(port: server.port)
        try client.send("GET /broken HTTP/1.1\r\nHost: h\r\n\r\n")
        let head = try client.readHead()
        #expect(head.status == 200)
        #expect(try client.readChunk() == Array("half of it".utf8))
        seen.gate.store(true, ordering: .releasing)
        #expect(try client.readChunk() == nil)
        server.stop(drain: 1)
    }

    @Test func aBrokenAnswerDoesNotLookWholeWithoutChunksEither() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let whole = try RawClient(port: server.port)
        try whole.send("GET /stream?3 HTTP/1.0\r\n\r\n")
        #expect(try whole.readHead()["Transfer-Encoding"] == nil)
        #expect(try whole.readToEnd() == (0..<3).flatMap(pattern))
        let broken = try RawClient(port: server.port)
        try broken.send("GET /broken HTTP/1.0\r\n\r\n")
        #expect(try broken.readHead().status == 200)
        seen.gate.store(true, ordering: .releasing)
        #expect(throws: RawClientError.self) { try broken.readToEnd() }
        server.stop(drain: 1)
    }

    @Test func gzipRoundTrips() throws {
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7 ^ $0) }
        for input in [[], [7], bytes] {
            let packed = try #require(gzip(input))
            #expect(try #require(gunzip(packed, capacity: input.count + 1)) == input)
        }
        #expect(try #require(gzip(bytes)).count < bytes.count / 2)
        let stream = try #require(GzipStream(level: 1))
        var out: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 1000) {
            #expect(stream.add(Array(bytes[start..<start + 1000]), to: &out))
            if start == 50_000 { #expect(stream.add([], to: &out)) }
        }
        #expect(stream.finish(to: &out))
        #expect(gunzip(out, capacity: bytes.count + 1) == bytes)
    }
}

private func gunzip(_ bytes: [UInt8], capacity: Int) -> [UInt8]? {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, size) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: capacity)
    return input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output -> [UInt8]? in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            stream.next_out = output.baseAddress
            stream.avail_out = UInt32(output.count)
            guard inflate(&stream, Z_FINISH) == Z_STREAM_END else { return nil }
            return Array(output[..<(output.count - Int(stream.avail_out))])
        }
    }
}
