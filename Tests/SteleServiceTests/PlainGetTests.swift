// The one answer beside the road: whatever a request's head says, it is the road's answer.

import SteleHTTP
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct PlainGetTests {
    /// A service without `Server-Timing`, the one field that only the road has.
    private static func service(
        token: String? = nil, basePath: String = "", rights: RightsFile? = nil
    ) throws -> ServiceFixture {
        let fixture = try ServiceFixture(TestModels.league()) {
            $0.serverTiming = false
            $0.token = token
            $0.rights = rights
            $0.basePath = basePath
        }
        let head = token.map { [(name: "Authorization", value: "Bearer \($0)")] } ?? []
        for name in ["A", "B", "C"] {
            _ = fixture.ask("POST", "\(basePath)/Team", "{\"name\":\"\(name)\"}", head)
        }
        for index in 1...8 {
            // From the sixth on an answer is long enough to be compressed.
            let name = index < 6 ? "Ann \(index)" : String(repeating: "é", count: 100)
            let country = index < 6 ? "FI" : String(repeating: "x", count: 1_500)
            _ = fixture.ask(
                "POST", "\(basePath)/Player",
                """
                {"name":"\(name)","country":"\(country)","goals":\(index),"salary":"\(index).25",
                 "joinedAt":"2024-05-0\(index)T09:00:00.5Z","team":\(index % 3 + 1)}
                """, head)
        }
        return fixture
    }

    private struct Draw {
        var numbers: SeededNumbers

        mutating func one(of texts: [String]) -> String {
            texts[numbers.below(texts.count)]
        }

        mutating func happens(_ oneIn: Int) -> Bool { numbers.below(oneIn) == 0 }
    }

    /// Mostly the address of an object that is there.
    private static func target(_ draw: inout Draw, _ base: String) -> String {
        let there = draw.one(of: (1...8).map(String.init))
        guard draw.happens(6) else { return "\(base)/Player/\(there)" }
        let key = draw.one(of: [there, "9", "0", "01", "-1", "1x", ""])
        let entity = draw.one(of: ["Player", "Player", "Team", "Nobody", "player"])
        return draw.one(of: [
            "\(base)/\(entity)/\(key)", "/\(entity)/\(key)", "\(base)/\(entity)/\(key)/",
            "\(base)/entities/\(entity)/\(key)",
        ])
    }

    /// A head that may have any of the fields that a plain answer depends on.
    private static func headers(
        _ draw: inout Draw, _ tags: [String], token: String?
    ) -> [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        func add(_ name: String, _ oneIn: Int, _ values: [String]) {
            guard draw.happens(oneIn) else { return }
            fields.append((name: name, value: draw.one(of: values)))
        }
        let tag = draw.one(of: tags)
        add(
            "Host", 4,
            ["localhost:8080", "127.0.0.1", "[::1]:80", "LOCALHOST", "evil.example", "1.2.3"])
        add("Origin", 10, ["http://localhost", "https://evil.example", "null"])
        add(
            "Accept", 5,
            [
                "*/*", "application/json", "text/html", "text/event-stream", "application/*;q=0.5",
                "text/csv, */*;q=0.1", "application/json, text/plain", "",
            ])
        add("Accept", 30, ["application/json;q=0", "*/*"])
        add("Accept-Encoding", 30, ["gzip", "gzip;q=0"])
        add(
            "Accept-Encoding", 3,
            ["gzip", "br", "gzip;q=0", "identity", "deflate, gzip;q=0.5", "*"])
        add(
            "If-None-Match", 4,
            [
                tag, tag, tag, "W/\(tag)", "*", "\(tag), \"x\"", "\"\"", "\"9-x\"", "nonsense",
                String(tag.dropLast()) + ";gz\"", " \(tag)", "\"*\"",
            ])
        add("If-None-Match", 24, [tag, "\"1-zz\""])
        add("If-Match", 20, [tag, "*", "\"99-x\"", "x"])
        add("Prefer", 12, ["return=minimal", "x"])
        add("Idempotency-Key", 20, ["k"])
        add("Range", 20, ["bytes=0-3"])
        if let token {
            let good = "Bearer \(token)"
            add("Authorization", 1, [good, good, good, "bearer \(token)", "Bearer x", "Basic e"])
        }
        return fields
    }

    private static func compare(_ fixture: ServiceFixture, _ rounds: Int, token: String?) throws {
        let seed = UInt64.random(in: 1...999_999)
        var draw = Draw(numbers: SeededNumbers(seed: seed))
        let base = fixture.service.options.basePath
        let known = token.map { [(name: "Authorization", value: "Bearer \($0)")] } ?? []
        var tags = ["\"1-x\""]
        var plain = 0
        for round in 0..<rounds {
            let path = target(&draw, base)
            if draw.happens(8) {
                let body = "{\"goals\":\(round)}"
                _ = fixture.ask("PATCH", "\(base)/Player/\(1 + round % 8)", body, known)
            }
            if draw.happens(50) {
                try RawDatabase(fixture.path).run(
                    "UPDATE ZPLAYER SET ZNUMBER = \(1 + round % 90) WHERE Z_PK = 2")
            }
            let request = Request(
                method: draw.happens(20) ? "PUT" : draw.one(of: ["GET", "GET", "HEAD"]),
                path: path,
                query: draw.happens(20) ? draw.one(of: ["", "select=name", "x=1"]) : nil,
                headers: HTTPHeaders(headers(&draw, tags, token: token)))
            guard let given = fixture.service.plainGet.answer(to: request) else { continue }
            plain += 1
            let road = Answer(response: fixture.service.respond(to: request))
            let one = Answer(response: given)
            let said = "seed \(seed), round \(round): \(request.method) \(path) \(request.headers)"
            #expect(one.status == road.status, "\(said)")
            #expect(one.text == road.text, "\(said)")
            #expect(
                given.headers.map { "\($0.name): \($0.value)" }
                    == road.response.headers.map { "\($0.name): \($0.value)" }, "\(said)")
            if let tag = one["ETag"] { tags = [tag] + tags.prefix(4) }
        }
        print("plain get: seed \(seed), \(rounds) requests, \(plain) answered beside the road")
        #expect(plain > rounds / 6, "too few are plain to say anything")
    }

    @Test func itIsTheRoadsAnswerByteForByte() throws {
        try Self.compare(Self.service(), 12_000, token: nil)
        try Self.compare(Self.service(basePath: "/api"), 4_000, token: nil)
        try Self.compare(Self.service(token: "secret"), 4_000, token: "secret")
    }

    /// A role that sees everything has no rule that the road would weave in. One that does not is
    /// never answered beside it.
    @Test func aRoleThatSeesEverythingIsAnsweredBesideTheRoad() throws {
        let role = #""read": true, "create": true, "update": true"#
        let hash = Secret.hexadecimal(Secret.hash("secret".utf8))
        func rights(_ team: String) throws -> RightsFile {
            try RightsFile(
                """
                {"roles": {"r": {"*": {\(role)}, "Team": {\(team)}}},
                 "tokens": [{"name": "t", "role": "r", "sha256": "\(hash)"}]}
                """)
        }
        try Self.compare(Self.service(token: "root", rights: rights(role)), 4_000, token: "secret")
        let limited = try Self.service(
            token: "root", rights: rights(#""read": "name != 'B'", "create": true"#))
        let request = Request(
            method: "GET", path: "/Player/1",
            headers: HTTPHeaders([(name: "Authorization", value: "Bearer secret")]))
        #expect(limited.service.plainGet.answer(to: request) == nil)
        #expect(limited.service.respond(to: request).status == 200)
    }

    @Test func whatItDoesNotAnswerIsLeftToTheRoad() throws {
        let league = try Self.service()
        func plain(_ target: String, _ headers: [(name: String, value: String)] = []) -> Bool {
            let request = Request(method: "GET", path: target, headers: HTTPHeaders(headers))
            return league.service.plainGet.answer(to: request) != nil
        }
        #expect(plain("/Player/1"))
        #expect(plain("/Player/1", [("Accept-Encoding", "gzip")]), "too short to be compressed")
        #expect(!plain("/Player/7", [("Accept-Encoding", "gzip")]))
        #expect(!plain("/Player/99") && !plain("/Player") && !plain("/Player/1/team"))
        #expect(!plain("/Player/1", [("If-Match", "*")]))
        #expect(!plain("/Player/1", [("Host", "evil.example")]))
        #expect(!plain("/Player/1", [("Accept", "text/csv")]))
    }
}

extension PlainGet {
    /// The answer; nil for a request that takes the road.
    fileprivate func answer(to request: Request) -> Response? {
        object(of: request).flatMap { response(of: $0, to: request) }
    }
}
