// What a response tells when it has ended.

import Glibc
import SteleHTTP
import SteleSystem
import Testing

@Suite struct EndingTests {
    /// A server whose responses note their endings by path.
    private final class Endings: Sendable {
        let all = Mutex<[String: [Response.Ending]]>([:])

        func server() throws -> HTTPServer {
            try HTTPServer(
                HTTPServer.Configuration(),
                answer: { request in
                    if request.path == "/pending" {
                        return .pending { reply in
                            usleep(300_000)
                            reply.answer { self.response(to: request) }
                        }
                    }
                    return .done(self.response(to: request))
                },
                refuse: { text("refused", status: $0.status) })
        }

        private func response(to request: Request) -> Response {
            var response =
                switch request.path {
                case "/stream", "/broken":
                    Response(
                        status: 200,
                        body: .stream { writer in
                            for index in 0..<20 { try writer.write(pattern(index)) }
                            if request.path == "/broken" { throw RawClientError.closed }
                        })
                default: text("twelve bytes")
                }
            let key = "\(request.method) \(request.path)"
            response.onEnd = { ending in self.all.withLock { $0[key, default: []].append(ending) } }
            return response
        }

        /// The only ending of a request; nil where it does not come.
        func ending(_ key: String) -> Response.Ending? {
            for _ in 0..<2_000 {
                let found = all.withLock { $0[key] ?? [] }
                if let first = found.first, found.count == 1 { return first }
                usleep(2_000)
            }
            return nil
        }
    }

    @Test func bytesAndStreamsTellHowManyBytesWent() throws {
        let endings = Endings()
        let server = try endings.server()
        defer { server.stop(drain: 1) }
        for (line, key, bytes) in [
            ("GET /plain", "GET /plain", 12), ("HEAD /plain", "HEAD /plain", 0),
            ("GET /stream", "GET /stream", 20 * (16 << 10)), ("GET /pending", "GET /pending", 12),
        ] {
            let client = try RawClient(port: server.port)
            try client.send("\(line) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            _ = try client.readToEnd()
            #expect(
                endings.ending(key) == Response.Ending(bodyBytes: bytes, isWhole: true), "\(key)")
        }
    }

    @Test func aBrokenResponseAndAClientThatHasGoneAreNotWhole() throws {
        let endings = Endings()
        let server = try endings.server()
        defer { server.stop(drain: 1) }
        let broken = try RawClient(port: server.port)
        try broken.send("GET /broken HTTP/1.1\r\nHost: localhost\r\n\r\n")
        _ = try? broken.readToEnd()
        #expect(endings.ending("GET /broken")?.isWhole == false)
        do {
            let gone = try RawClient(port: server.port)
            try gone.send("GET /pending HTTP/1.1\r\nHost: localhost\r\n\r\n")
            gone.close()
        }
        #expect(endings.ending("GET /pending")?.isWhole != nil)
    }

    /// The end of what the client sends may come together with its last bytes, before the server
    /// reads either.
    @Test(.timeLimit(.minutes(30)))
    func aConnectionIsClosedAfterTheAnswerWhereTheClientSendsNoMore() throws {
        let server = try Endings().server()
        defer { server.stop(drain: 1) }
        let clients = try (0..<40).map { _ in try RawClient(port: server.port, timeout: 10) }
        for (index, client) in clients.enumerated() {
            if index.isMultiple(of: 2) { #expect(try client.get("/plain").status == 200) }
            try client.send("GET /plain HTTP/1.1\r\nHost: localhost\r\n\r\n")
            client.finishSending()
        }
        for client in clients {
            let answer = String(decoding: try client.readToEnd(), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 200") && answer.hasSuffix("twelve bytes"))
        }
    }
}
