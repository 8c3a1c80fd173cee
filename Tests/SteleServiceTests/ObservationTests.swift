// What a service tells of its requests: metrics, ids, and the request log.

import FoundationEssentials
import Glibc
import Logging
import SteleGraph
import SteleHTTP
import SteleJSON
import StelePersistence
import TestSupport
import Testing

@testable import SteleRequests
@testable import SteleService

@Suite struct ObservationTests {
    // MARK: Metrics

    @Test func requestsAreCountedByRouteMethodAndStatus() throws {
        let league = try ServiceFixture.league()
        _ = league.post("/Team", #"{"name":"Crew"}"#)
        for _ in 0..<3 { _ = league.get("/Team/1") }
        _ = league.get("/Team/99")
        _ = league.get("/nowhere")
        _ = league.service.respond(to: Request(method: "BREW", path: "/Team"))
        let lines = Set(league.get("/metrics").text.split(separator: "\n").map(String.init))
        let name = "stele_http_requests_total"
        for expected in [
            #"{method="POST",route="/{Entity}",status="201"} 1"#,
            #"{method="GET",route="/{Entity}/{id}",status="200"} 3"#,
            #"{method="GET",route="/{Entity}/{id}",status="404"} 1"#,
            #"{method="GET",route="none",status="404"} 1"#,
            #"{method="other",route="none",status="405"} 1"#,
        ] { #expect(lines.contains(name + expected), "\(expected)") }
        let count =
            #"stele_http_request_duration_seconds_count{method="GET",route="/{Entity}/{id}"}"#
        #expect(lines.contains(count + " 4"))
    }

    /// Also the plain get, which is answered beside the road.
    @Test func briefAnswersAreCounted() throws {
        let league = try ServiceFixture.league()
        _ = league.post("/Team", #"{"name":"Crew"}"#)
        let get = Request(method: "GET", path: "/Team/1")
        for _ in 0..<2 { _ = league.service.answer(get, at: .brief).response() }
        let text = league.get("/metrics").text
        #expect(
            text.contains(
                #"stele_http_requests_total{method="GET",route="/{Entity}/{id}",status="200"} 2"#))
    }

    @Test func eachLineHasTheTextFormatAndBucketsAreCumulative() throws {
        let league = try ServiceFixture.league()
        for index in 0..<20 { _ = league.get("/Team?limit=\(index)") }
        _ = league.post("/Team", #"{"name":"Crew"}"#)
        let page = league.get("/metrics")
        #expect(page["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        let sample = /^([a-z_]+)(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? (-?[0-9.e+-]+)$/
        var types: [Substring: Substring] = [:]
        var buckets: [String: [Double]] = [:]
        for line in page.text.split(separator: "\n") {
            if line.hasPrefix("# TYPE ") {
                let words = line.split(separator: " ")
                #expect(types.updateValue(words[3], forKey: words[2]) == nil, "\(line)")
                continue
            }
            if line.hasPrefix("# HELP ") { continue }
            let match = try #require(line.wholeMatch(of: sample), "\(line)")
            let family = ["_bucket", "_sum", "_count"].reduce(match.output.1) {
                types[$0] == nil && $0.hasSuffix($1) ? $0.dropLast($1.count) : $0
            }
            #expect(types[family] != nil, "\(line)")
            guard match.output.1.hasSuffix("_bucket"), let labels = match.output.2 else { continue }
            let series = String(labels.prefix { $0 != "l" })
            buckets[series, default: []].append(try #require(Double(match.output.4)))
        }
        #expect(buckets.count > 1)
        for (series, counts) in buckets {
            #expect(counts == counts.sorted(), "\(series)")
            #expect(counts.count == RequestMeter.bounds.count + 1)
        }
    }

    @Test func theStoreTheCacheAndTheProcessHaveFigures() throws {
        let league = try ServiceFixture.league()
        _ = league.post("/Team", #"{"name":"Crew"}"#)
        for _ in 0..<5 { _ = league.get("/Team/1") }
        let text = league.get("/metrics").text
        func value(_ name: String) throws -> Double {
            let line = try #require(
                text.split(separator: "\n").first { $0.hasPrefix(name + " ") }, "\(name)")
            return try #require(line.split(separator: " ").last.flatMap { Double($0) })
        }
        #expect(try value("stele_store_transaction") == 1)
        #expect(try value("stele_row_cache_hits_total") >= 4)
        #expect(try value("stele_row_cache_rows") == 1)
        #expect(try value(#"stele_store_file_bytes{file="\#(league.path)-wal"}"#) > 4096)
        #expect(try value("process_resident_memory_bytes") > 1_048_576)
        #expect(try value("process_open_fds") > 2)
        let now = Date().timeIntervalSince1970
        #expect((now - 86_400...now + 2).contains(try value("process_start_time_seconds")))
    }

    @Test func eachFamilyIsDescribedAndEachDescribedOneIsThere() throws {
        let path = FileManager.default.temporaryDirectory.path + "/log-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let log = RequestLog(descriptor: open(path, O_CREAT | O_WRONLY, 0o600))
        defer { log.close() }
        let league = try ServiceFixture(TestModels.league(), figures: DatabaseFigures()) {
            $0.requestLog = log
        }
        let server = try HTTPServer(
            HTTPServer.Configuration(), answer: { league.service.answer($0, at: .brief) },
            refuse: { league.service.refuse($0) })
        defer { server.stop(drain: 0) }
        league.service.observe(server)
        _ = league.get("/Team")
        let given = league.get("/metrics").text.split(separator: "\n")
            .filter { $0.hasPrefix("# TYPE ") }.map { String($0.split(separator: " ")[2]) }
        let described = try DocsTests.rows(packageText("Docs/Operations.md"), after: "## Metrics")
            .flatMap { row in
                row.split(separator: "|")[0].matches(of: /`([a-z_]+)`/).map { String($0.output.1) }
            }
        #expect(given.sorted() == described.sorted())
    }

    // MARK: Ids

    @Test func aClientsIdComesBackAndAnUnusableOneDoesNot() throws {
        let league = try ServiceFixture.league()
        #expect(league.get("/Team", [("X-Request-Id", "a-1")])["X-Request-Id"] == "a-1")
        #expect(league.get("/nowhere", [("X-Request-Id", "a-2")])["X-Request-Id"] == "a-2")
        for id in ["a b", "ä", "", String(repeating: "x", count: 129)] {
            #expect(league.get("/Team", [("X-Request-Id", id)])["X-Request-Id"] == nil, "\(id)")
        }
        #expect(league.get("/Team")["X-Request-Id"] == nil)
    }

    @Test func aTraceContextIsTakenWhereItHasItsForm() {
        func parent(_ text: String) -> String? {
            TraceContext.parent(
                of: Request(
                    method: "GET", path: "/", headers: HTTPHeaders([("traceparent", text)])))
        }
        let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        #expect(parent(good) == good)
        for bad in [
            good.uppercased(), "01" + good.dropFirst(2), good + "0", String(good.dropLast()),
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01",
        ] { #expect(parent(bad) == nil, "\(bad)") }
    }

    // MARK: The request log

    /// The lines that requests leave in a log.
    private func logged(_ requests: [Request], secret: String) throws -> [JSONValue] {
        let path = FileManager.default.temporaryDirectory.path + "/log-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let descriptor = open(path, O_CREAT | O_WRONLY, 0o600)
        defer { close(descriptor) }
        let log = RequestLog(descriptor: descriptor)
        let league = try ServiceFixture(TestModels.league(), inMemory: true) { options in
            options.requestLog = log
            options.token = secret
        }
        for request in requests {
            let response = league.service.answer(request, at: .unhurried).response()
            #expect(response.headers.contains { $0.name == "X-Request-Id" })
            // The server does this when the answer is sent.
            var bytes = 0
            if case .bytes(let body) = response.body { bytes = body.count }
            response.onEnd?(Response.Ending(bodyBytes: bytes, isWhole: request.method != "PUT"))
        }
        log.close()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        #expect(!text.contains(secret) && !text.contains("classified"))
        return try text.split(separator: "\n").map {
            JSONValue(try JSONDocument(Array($0.utf8)).root)
        }
    }

    @Test func aRequestWhoseBodyDoesNotComeIsLoggedToo() throws {
        let path = FileManager.default.temporaryDirectory.path + "/log-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let log = RequestLog(descriptor: open(path, O_CREAT | O_WRONLY, 0o600))
        defer { log.close() }
        let league = try ServiceFixture(TestModels.league(), inMemory: true) { $0.requestLog = log }
        var configuration = HTTPServer.Configuration()
        configuration.maximumBodyBytes = 100
        let server = try HTTPServer(
            configuration, answer: { league.service.answer($0, at: .brief) },
            refuse: { league.service.refuse($0) })
        defer { server.stop(drain: 0) }
        let cases =
            [("Content-Length: 50", "0123"), ("Content-Length: 50", "")]
            + [("Transfer-Encoding: chunked", "c8\r\n" + String(repeating: " ", count: 150))]
            + [("Content-Length: 2", "[[")]
        for (field, sent) in cases {
            let socket = try #require(openSocket(port: server.port))
            let text = "POST /Team HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n\(sent)"
            #expect(send(socket, text, text.utf8.count, 0) == text.utf8.count)
            // Else the closed socket may discard what has not been read.
            usleep(50_000)
            close(socket)
        }
        var lines: [Substring] = []
        let deadline = ContinuousClock.now + .seconds(10)
        while lines.count < cases.count, .now < deadline {
            usleep(10_000)
            lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        }
        #expect(lines.count == cases.count, "\(lines)")
        #expect(lines.allSatisfy { $0.contains(#""method":"POST""#) }, "\(lines)")
        let cut = lines.filter { $0.contains(#""cut":true"#) }
        #expect(cut.count == 2, "\(lines)")
        #expect(
            cut.allSatisfy { $0.contains("\"code\":\"\(ErrorCode.malformed.text)\"") }, "\(lines)")
        // A body that is too large is answered before its end.
        let whole = lines.filter { !$0.contains(#""cut":true"#) }
        #expect(whole.allSatisfy { $0.contains(#""client":"127.0.0.1""#) }, "\(lines)")
        for code in [ErrorCode.bodyTooLarge, .json] {
            #expect(
                whole.count { $0.contains("\"code\":\"\(code.text)\"") } == 1, "\(lines)")
        }
    }

    @Test func aRequestIsALineOfJSONWithoutSecrets() throws {
        let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let fields = [
            ("Authorization", "Bearer s3cret"), ("X-Request-Id", "r\"1"), ("traceparent", trace),
        ]
        let lines = try logged(
            [
                Request(
                    method: "GET", path: "/Team", query: "where=name%20%3D%3D%20%22classified%22",
                    headers: HTTPHeaders(fields)),
                Request(
                    method: "POST", path: "/Team", headers: HTTPHeaders(fields),
                    body: Array(#"{"name":"classified"}"#.utf8)),
                Request(method: "PUT", path: "/classified"),
            ], secret: "s3cret")
        try #require(lines.count == 3)
        #expect(lines[0]["method"] == "GET" && lines[0]["route"] == "/{Entity}")
        #expect(lines[0]["status"] == .integer(200) && lines[0]["bytes"] == .integer(2))
        #expect(lines[0]["request"] == "r\"1" && lines[0]["traceparent"] == .string(trace))
        #expect(lines[0]["cut"] == nil)
        #expect(lines[1]["status"] == .integer(201))
        #expect(lines[2]["status"] == .integer(401) && lines[2]["route"] == .null)
        #expect(lines[2]["cut"] == .bool(true) && lines[2]["traceparent"] == nil)
        for line in lines {
            guard case .string(let time)? = line["time"] else {
                Issue.record("no time")
                return
            }
            #expect(
                time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/) != nil, "\(time)")
        }
    }

    /// A reader that has stopped reading must not stop requests.
    @Test func linesThatNobodyReadsAreDroppedAndCounted() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        // The pipe holds 64 KiB, and nobody reads it.
        let log = RequestLog(descriptor: ends[1], capacity: 16 << 10)
        let entry = RequestLog.Entry(
            method: "GET", route: "/", status: 200, nanoseconds: 1_234_567,
            ending: Response.Ending(bodyBytes: 1, isWhole: true), requestID: "x", traceparent: nil)
        for _ in 0..<5_000 { log.write(entry) }
        #expect(log.dropped > 0)
        // The end of the reader ends the waiting write.
        signal(SIGPIPE, SIG_IGN)
        close(ends[0])
        log.close()
        close(ends[1])
        log.write(entry)
        #expect(log.dropped > 100)
    }
}
