// What comes in: heads, bodies, and what is wrong with them.

import Glibc
import SteleHTTP
import SteleSystem
import Testing

@Suite struct RequestTests {
    @Test func aConnectionCarriesManyRequests() throws {
        let server = try startServer()
        let client = try RawClient(port: server.port)
        for index in 0..<500 {
            let target = index.isMultiple(of: 2) ? "/inline/\(index)" : "/worker/\(index)"
            let response = try client.get(target)
            #expect(response.status == 200)
            #expect(response.text == "GET \(target) - ")
            #expect(response["Date"] != nil)
        }
        server.stop(drain: 1)
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() throws {
        let server = try startServer()
        let client = try RawClient(port: server.port)
        var all = ""
        for index in 0..<40 {
            let kind = index.isMultiple(of: 3) ? "inline" : "worker"
            all += "POST /\(kind)/\(index) HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
        }
        try client.send(all)
        for index in 0..<40 {
            let kind = index.isMultiple(of: 3) ? "inline" : "worker"
            #expect(try client.readResponse().text == "POST /\(kind)/\(index) - abc")
        }
        server.stop(drain: 1)
    }

    /// RFC 9110, 5.5.
    @Test func whiteSpaceAroundAFieldIsNoPartOfIt() {
        let headers = HTTPHeaders([
            ("A", " \t x y\t "), ("B", ""), ("C", " \t"), ("D", "z"),
        ])
        #expect(headers["a"] == "x y" && headers["B"] == "" && headers["C"] == "")
        #expect(headers["D"] == "z")
    }

    @Test func theTargetComesRaw() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let client = try RawClient(port: server.port)
        let targets = [
            "/inline/a%2Fb%20c%00?where=a%20%3E%2040%26%26&b=1+2&&c", "/inline/%", "/inline/%zz?%",
            "/inline?", "/inline/??a=b?c", "/inline/\u{E9}?\u{E9}", "/inline/a+b#c",
        ]
        for target in targets {
            #expect(try client.get(target).status == 200)
            let request = try #require(seen.requests.withLock { $0.last })
            let query = request.query.map { "?" + $0 } ?? ""
            #expect(request.path + query == target)
        }
        server.stop(drain: 1)
    }

    @Test func aProxysFormOfTheTargetIsTaken() throws {
        let server = try startServer()
        let client = try RawClient(port: server.port)
        #expect(try client.get("http://example.org/inline/a?b").text == "GET /inline/a b ")
        server.stop(drain: 1)
    }

    /// RFC 9112, 3.2.2.
    @Test func theHostOfAnAbsoluteTargetReplacesHost() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        for (target, version, fields, host, path) in [
            ("http://a.example/inline/x", "1.1", "Host: b\r\n", "a.example", "/inline/x"),
            ("HTTP://a.example:81/inline", "1.1", "X: 1\r\nhost: b\r\n", "a.example:81", "/inline"),
            ("http://a.example/inline", "1.0", "", "a.example", "/inline"),
            ("http://a.example", "1.1", "Host: b\r\n", "a.example", "/"),
            ("http://a.example?inline", "1.1", "Host: b\r\n", "a.example", "/"),
            ("/inline/http://c/", "1.1", "Host: b\r\n", "b", "/inline/http://c/"),
        ] {
            let client = try RawClient(port: server.port)
            try client.send("GET \(target) HTTP/\(version)\r\n\(fields)\r\n")
            #expect(try client.readHead().status == 200)
            let request = try #require(seen.requests.withLock { $0.last })
            #expect(request.headers.values(named: "Host") == [host], "\(target)")
            #expect(request.path == path, "\(target)")
        }
        for (target, fields) in [
            ("http:///inline", "Host: b\r\n"), ("http://:80/inline", "Host: b\r\n"),
            ("http://ann@a.example/inline", "Host: b\r\n"), ("http://a.example/inline", ""),
            ("http://a.example/inline", "Host: b\r\nHost: c\r\n"),
        ] {
            let client = try RawClient(port: server.port)
            try client.send("GET \(target) HTTP/1.1\r\n\(fields)\r\n")
            #expect(try client.readResponse().status == 400, "\(target) \(fields)")
        }
        server.stop(drain: 1)
    }

    @Test func headersAreFoundWithoutCase() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let client = try RawClient(port: server.port)
        try client.send(
            "GET /inline HTTP/1.1\r\nHost: h\r\nX-One: 1\r\nACCEPT: a/b\r\nx-one: 2\r\n"
                + "Empty:\r\nIf-None-Match: \"a\"\r\n\r\n")
        #expect(try client.readResponse().status == 200)
        let headers = try #require(seen.requests.withLock { $0.first?.headers })
        #expect(headers["accept"] == "a/b")
        #expect(headers["If-None-Match"] == "\"a\"")
        #expect(headers["Empty"] == "")
        #expect(headers["Absent"] == nil)
        #expect(headers.values(named: "X-ONE") == ["1", "2"])
        #expect(headers.contains("host") && !headers.contains("hos"))
        #expect(
            headers.map(\.name) == ["Host", "X-One", "ACCEPT", "x-one", "Empty", "If-None-Match"])
        server.stop(drain: 1)
    }

    @Test func aChunkedBodyIsPutTogether() throws {
        let server = try startServer()
        let client = try RawClient(port: server.port)
        try client.send(
            "POST /inline HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n")
        #expect(try client.readResponse().text == "POST /inline - abc0123456789abcdef")
        #expect(try client.get("/inline").status == 200)
        server.stop(drain: 1)
    }

    @Test func aLargeBodyArrivesWhole() throws {
        // What the client does with three megabytes between two requests takes its time where both
        // are checked for races, and a minute's silence would end its connection.
        let server = try startServer { $0.idleTimeout = 0 }
        let client = try RawClient(port: server.port)
        let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            try client.send(
                "\(method) /w HTTP/1.1\r\nHost: h\r\nContent-Length: \(body.count)\r\n\r\n")
            try client.send(body)
            let response = try client.readResponse()
            #expect(response["X-Body-Count"] == "\(body.count)")
            #expect(response.body.suffix(body.count) == body[...])
        }
        server.stop(drain: 1)
    }

    @Test func aBodyCutShortNeverReachesTheHandler() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        for ending in ["10\r\nabc", "abc"] {
            let client = try RawClient(port: server.port)
            let length = ending == "abc" ? "Content-Length: 10" : "Transfer-Encoding: chunked"
            try client.send("POST /inline HTTP/1.1\r\nHost: h\r\n\(length)\r\n\r\n\(ending)")
            client.close()
        }
        let other = try RawClient(port: server.port)
        #expect(try other.get("/inline/other").status == 200)
        server.stop(drain: 1)
        #expect(seen.requests.withLock { $0.map(\.path) } == ["/inline/other"])
    }

    @Test func aHeadCutShortLeavesNothingBehind() throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let line = "GET /inline HTTP/1.1\r\n"
        for start in ["GET /inl", line, line + "Host: h\r\n"] {
            let client = try RawClient(port: server.port)
            try client.send(start)
            usleep(20_000)
            client.close()
        }
        #expect(try RawClient(port: server.port).get("/inline").status == 200)
        #expect(seen.eventually { server.requestsInProgress == 0 })
        server.stop(drain: 1)
        #expect(seen.requests.withLock { $0.count } == 1)
    }

    @Test func aBodyAnnouncedTooLargeIsRefusedAtTheHead() throws {
        let seen = Seen()
        let server = try startServer(seen: seen) { $0.maximumBodyBytes = 1000 }
        for method in ["POST", "PUT", "PATCH", "DELETE", "GET"] {
            let client = try RawClient(port: server.port)
            try client.send(
                "\(method) /inline HTTP/1.1\r\nHost: h\r\nContent-Length: 1001\r\n"
                    + "Expect: 100-continue\r\n\r\n")
            let response = try client.readResponse()
            #expect(response.status == 413)
            #expect(response["Connection"]?.lowercased() == "close")
            #expect(try client.read() == nil)
        }
        #expect(seen.requests.withLock { $0.isEmpty })
        server.stop(drain: 1)
    }

    @Test func chunksThatGrowTooLargeAreRefused() throws {
        let seen = Seen()
        let server = try startServer(seen: seen) { $0.maximumBodyBytes = 1000 }
        let client = try RawClient(port: server.port)
        try client.send(
            "PATCH /inline HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        // All of it is read and thrown away, so that the answer arrives.
        let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 120, count: 65536) + [13, 10]
        for _ in 0..<52 { try client.send(chunk) }
        try client.send("0\r\n\r\n")
        #expect(try client.readResponse().status == 413)
        #expect(seen.requests.withLock { $0.isEmpty })
        let exact = try RawClient(port: server.port)
        try exact.send("PATCH /inline HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n")
        try exact.send([UInt8](repeating: 97, count: 1000))
        #expect(try exact.readResponse()["X-Body-Count"] == "1000")
        server.stop(drain: 1)
    }

    /// Such a client reads when it has sent everything.
    @Test(arguments: [12, 40])
    func chunksFarBeyondTheLimitAreRefusedAsWell(megabytes: Int) throws {
        let seen = Seen()
        let server = try startServer(seen: seen) { $0.maximumBodyBytes = 1000 }
        let client = try RawClient(port: server.port)
        try client.send(
            "PATCH /inline HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = Array("100000\r\n".utf8) + [UInt8](repeating: 120, count: 1 << 20) + [13, 10]
        for _ in 0..<megabytes { try client.send(chunk) }
        try client.send("0\r\n\r\n")
        let response = try client.readResponse()
        #expect(response.status == 413 && response.isWhole)
        #expect(response.text.contains("larger than 1000 bytes"))
        #expect(response["Connection"]?.lowercased() == "close")
        #expect(try client.readToEnd().isEmpty)
        #expect(seen.eventually { server.requestsInProgress == 0 })
        #expect(seen.requests.withLock { $0.isEmpty })
        server.stop(drain: 1)
    }

    /// Else the client is reset while it sends, and a proxy answers 502 (RFC 9112, 9.6).
    @Test(arguments: [
        ("Content-Length: 3000000", 413), ("Content-Length: 3000000\r\nHost: b", 400),
        ("X-Thing: \(String(repeating: "x", count: 29_000))\r\nContent-Length: 3000000", 431),
    ])
    func aRefusedBodyIsReadBeforeTheConnectionIsClosed(fields: String, status: Int) throws {
        let seen = Seen()
        let server = try startServer(seen: seen) { $0.maximumBodyBytes = 1000 }
        let early = try RawClient(port: server.port)
        try early.send("POST /inline HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\r\n")
        // The refusal comes before the body.
        #expect(try early.readResponse().status == status)
        for _ in 0..<3 {
            try early.send([UInt8](repeating: 120, count: 1_000_000))
            usleep(20_000)
        }
        #expect(try early.readToEnd().isEmpty)
        let late = try RawClient(port: server.port)
        try late.send("POST /inline HTTP/1.1\r\nHost: h\r\n\(fields)\r\n\r\n")
        try late.send([UInt8](repeating: 120, count: 3_000_000))
        let response = try late.readResponse()
        #expect(response.status == status && response.isWhole)
        #expect(response["Connection"]?.lowercased() == "close")
        #expect(try late.readToEnd().isEmpty)
        #expect(seen.eventually { server.requestsInProgress == 0 })
        #expect(seen.requests.withLock { $0.isEmpty })
        server.stop(drain: 1)
    }

    @Test func aClientThatNeverEndsItsBodyIsCutOff() throws {
        let server = try startServer { $0.maximumBodyBytes = 1000 }
        let client = try RawClient(port: server.port)
        try client.send("POST /inline HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n")
        let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 120, count: 65536) + [13, 10]
        let end = MonotonicClock.deadline(in: 60)
        #expect(throws: RawClientError.self) {
            while MonotonicClock.now < end { try client.send(chunk) }
        }
        server.stop(drain: 1)
    }

    @Test func expectationsAreMet() throws {
        let server = try startServer()
        let client = try RawClient(port: server.port)
        try client.send(
            "POST /worker HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
        #expect(try client.readHead().status == 100)
        try client.send("ok")
        #expect(try client.readResponse().text == "POST /worker - ok")
        server.stop(drain: 1)
    }

    @Test(arguments: [
        "GET /inline HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "POST /inline HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n",
        "POST /inline HTTP/1.1\r\nHost: h\r\nContent-Length: -3\r\n\r\n",
        "POST /inline HTTP/1.1\r\nHost: h\r\nContent-Length: abc\r\n\r\n",
        "GET /inline/a\0b HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /inline HTTP/1.1\r\n\r\n",
        "GET /inline HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "POST /inline HTTP/1.1\r\nHost: h\r\nTransfer-Encoding : chunked\r\n\r\n",
        "POST /inline HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding\t: chunked\r\n\r\n",
        "GET /inline?where=a > b HTTP/1.1\r\nHost: h\r\n\r\n",
        "GET /inline/a b HTTP/1.1\r\nHost: h\r\n\r\n",
    ])
    func aHeadAgainstTheRulesIsRefused(head: String) throws {
        let seen = Seen()
        let server = try startServer(seen: seen)
        let client = try RawClient(port: server.port)
        try client.send(head)
        #expect(try client.readResponse().status == 400)
        server.stop(drain: 1)
        #expect(seen.requests.withLock { $0.isEmpty })
    }

    @Test func aTargetThatIsNotUTF8IsRefused() throws {
        let server = try startServer()
        for target in ["/inline/\u{1}", "/inline?\u{1}"] {
            let client = try RawClient(port: server.port)
            let head = Array("GET \(target) HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
            try client.send(head.map { $0 == 1 ? 0xFF : $0 })
            #expect(try client.readResponse().status == 400)
        }
        server.stop(drain: 1)
    }

    @Test func anUnknownTransferCodingIsRefused() throws {
        let server = try startServer()
        let client = try RawClient(port: server.port)
        try client.send("POST /inline HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip\r\n\r\n")
        let status = try client.readResponse().status
        #expect(status == 501 || status == 400)
        server.stop(drain: 1)
    }

    @Test func aTargetOfSomeKilobytesFitsAndALongerOneIsRefused() throws {
        let server = try startServer()
        let client = try RawClient(port: server.port)
        let long = "/inline?where=" + String(repeating: "a", count: 6000)
        #expect(try client.get(long).status == 200)
        let refused = try client.get("/inline?" + String(repeating: "a", count: 100_000))
        #expect(refused.status == 414 || refused.status == 431)
        server.stop(drain: 1)
    }

    @Test func anUnknownMethodReachesTheHandler() throws {
        let server = try startServer()
        let client = try RawClient(port: server.port)
        #expect(try client.get("/inline", method: "BREW").text == "BREW /inline - ")
        #expect(try client.get("*", method: "OPTIONS").text == "OPTIONS * - ")
        server.stop(drain: 1)
    }
}
