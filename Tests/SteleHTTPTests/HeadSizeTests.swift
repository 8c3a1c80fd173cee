// Heads of every size are answered: libmicrohttpd's buffer is filled to each of its last bytes.

import Glibc
import SteleHTTP
import Testing

@Suite struct HeadSizeTests {
    /// What makes a head large.
    enum Filling: CaseIterable, CustomTestStringConvertible {
        case target, parameters, field, fields, cookie, cookies

        var testDescription: String { "\(self)" }

        /// A whole request with a head of about so many bytes.
        func request(_ bytes: Int) -> String {
            let host = " HTTP/1.1\r\nHost: h\r\n"
            return switch self {
            case .target: "GET /inline?" + text(bytes - 35) + host + "\r\n"
            case .parameters: "GET /inline?" + repeated("a&", bytes - 35) + host + "\r\n"
            case .field: "GET /inline" + host + "X-Thing: " + text(bytes - 45) + "\r\n\r\n"
            case .fields: "GET /inline" + host + repeated("X-1: 1\r\n", bytes - 34) + "\r\n"
            case .cookie: "GET /inline" + host + "Cookie: a=" + text(bytes - 46) + "\r\n\r\n"
            case .cookies:
                "GET /inline" + host + "Cookie: " + repeated("a=1; ", bytes - 44) + "\r\n\r\n"
            }
        }

        private func text(_ bytes: Int) -> String { String(repeating: "x", count: max(bytes, 1)) }

        private func repeated(_ piece: String, _ bytes: Int) -> String {
            String(repeating: piece, count: max(bytes / piece.utf8.count, 1))
        }

        /// Up to here it is served.
        var served: Int {
            switch self {
            case .target, .parameters, .field: 28_400
            case .fields: 3_100
            case .cookie: 14_100
            case .cookies: 1_900
            }
        }

        /// From here on the service itself refuses it, up to the next, where libmicrohttpd does.
        var refused: ClosedRange<Int> {
            switch self {
            case .target, .parameters, .field: 28_700...32_500
            case .fields: 3_300...3_600
            case .cookie: 14_350...16_200
            case .cookies: 2_100...2_230
            }
        }
    }

    @Test(arguments: Filling.allCases) func everySizeHasOneAnswer(_ filling: Filling) throws {
        let server = try startServer()
        defer { server.stop(drain: 1) }
        let fine = filling == .fields || filling == .cookies ? 8 : 61
        for bytes in stride(from: 200, to: filling.refused.upperBound + 2_000, by: fine)
        where bytes < 1_000 || bytes > filling.served - 500 {
            let answer = try answer(to: filling.request(bytes), server)
            switch bytes {
            case ...filling.served: #expect(answer.status == 200, "\(bytes)")
            case filling.refused:
                #expect([414, 431].contains(answer.status), "\(bytes)")
                #expect(answer.text.hasPrefix("refused: "), "\(bytes): \(answer.text)")
                #expect(answer["Connection"] == "close" && answer["Date"] != nil)
            default: #expect([200, 414, 431].contains(answer.status), "\(bytes)")
            }
        }
    }

    /// Where libmicrohttpd's buffer ends, a byte decides which of its errors it is in.
    @Test func theLastBytesOfTheBufferAreAnsweredOneByOne() throws {
        let server = try startServer()
        defer { server.stop(drain: 1) }
        for bytes in 32_500...32_800 {
            for filling in [Filling.target, .field] {
                let status = try answer(to: filling.request(bytes), server).status
                #expect(status == 414 || status == 431, "\(filling) \(bytes)")
            }
        }
    }

    /// A `Link` to the next page has the whole query in it.
    @Test func anAnswerWhoseOwnHeadDoesNotFitIsRefused() throws {
        let server = try startServer()
        defer { server.stop(drain: 1) }
        let client = try RawClient(port: server.port)
        for bytes in stride(from: 15_000, to: 17_500, by: 7) {
            let query = String(repeating: "x", count: bytes)
            let answer = try client.get("/inline/link?" + query)
            switch bytes {
            case ...15_900: #expect(answer.status == 200 && answer["Link"] == "</\(query)>")
            case 16_200...:
                #expect(answer.status == 414 && answer.text.hasPrefix("refused: "), "\(bytes)")
            default: #expect([200, 414].contains(answer.status), "\(bytes)")
            }
        }
    }

    @Test func aConnectionGoesOnAfterALargeHead() throws {
        let server = try startServer()
        defer { server.stop(drain: 1) }
        let client = try RawClient(port: server.port)
        for bytes in [28_000, 100, 28_000, 1_000] {
            try client.send(Filling.target.request(bytes))
            #expect(try client.readResponse().status == 200)
        }
    }

    @Test func ofManyParametersNoneIsLost() throws {
        let server = try startServer()
        defer { server.stop(drain: 1) }
        let query = (1...400).map { "p\($0)=\($0)" }.joined(separator: "&")
        let answer = try RawClient(port: server.port).get("/inline?" + query)
        #expect(answer.text == "GET /inline \(query) ")
    }

    private func answer(to request: String, _ server: HTTPServer) throws -> RawResponse {
        let client = try RawClient(port: server.port, timeout: 5)
        try client.send(request)
        return try client.readResponse()
    }
}
