// What clients get wrong: each answer names the thing and the way out, and nothing is saved.

import SteleHTTP
import SteleJSON
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

/// A request that is refused, and how.
struct Refused: Sendable, CustomTestStringConvertible {
    var method = "GET"
    var target: String
    var body: String?
    var headers: [(name: String, value: String)] = []
    var status: Int
    var code: String
    /// What detail or hint must name.
    var names: String

    init(
        _ method: String, _ target: String, _ status: Int, _ code: String, _ names: String,
        headers: [(name: String, value: String)] = []
    ) {
        self.init(method, target, nil, status, code, names, headers: headers)
    }

    init(
        _ method: String, _ target: String, _ body: String?, _ status: Int, _ code: String,
        _ names: String, headers: [(name: String, value: String)] = []
    ) {
        self.method = method
        self.target = target
        self.body = body
        self.status = status
        self.code = code
        self.names = names
        self.headers = headers
    }

    var testDescription: String { "\(method) \(target.prefix(60)) \(body?.prefix(60) ?? "")" }
}

@Suite struct BadInputTests {
    private static func check(_ refused: Refused, _ fixture: ServiceFixture) throws {
        let before = fixture.coordinator.currentToken
        let answer = fixture.ask(refused.method, refused.target, refused.body, refused.headers)
        #expect(answer.status == refused.status, "\(answer.text)")
        #expect(answer.code == refused.code, "\(answer.text)")
        #expect(
            answer.detail.contains(refused.names) || answer.hint.contains(refused.names),
            "\(answer.text)")
        #expect(answer["Content-Type"] == "application/problem+json")
        #expect(try answer.json["status"] == .integer(Int64(refused.status)))
        #expect(try answer.json["type"] == .string("/docs/errors#\(refused.code)"))
        #expect(fixture.coordinator.currentToken == before, "something was saved")
    }

    static let addresses: [Refused] = [
        Refused("GET", "/Playr", 404, "entity.unknown", "did you mean /Player?"),
        Refused("GET", "/player", 404, "route.unknown", "did you mean /Player?"),
        Refused("GET", "/helthz", 404, "route.unknown", "/healthz"),
        Refused("GET", "/Player/", 404, "route.unknown", "last slash"),
        Refused("GET", "/Player/abc", 404, "route.unknown", "an id"),
        Refused("GET", "/Player/0", 400, "request.id", "from 1"),
        Refused("GET", "/Player/-3", 400, "request.id", "from 1"),
        Refused("GET", "/Player/007", 400, "request.id", "007"),
        Refused("GET", "/Player/99999999999999999999", 400, "request.id", "9223372036854775807"),
        Refused("GET", "/Player/9223372036854775807", 404, "object.unknown", "9223372036854775807"),
        Refused("GET", "/Player/1/teem", 404, "route.unknown", "did you mean team?"),
        Refused("GET", "/Player/1/name", 404, "route.unknown", "select=name"),
        Refused("GET", "/Player/1/team/2", 404, "route.unknown", "to-one"),
        Refused("GET", "/Team/1/players/1/team", 404, "route.unknown", "players"),
        Refused("GET", "/Player%2", 400, "request.target", "%"),
        Refused("GET", "/Player%GG", 400, "request.target", "hexadecimal"),
        Refused("GET", "/Player%ff", 400, "request.target", "UTF-8"),
        Refused("GET", "/Player%00", 400, "request.target", "U+0000"),
        Refused("GET", "/changes/1", 404, "route.unknown", "no route /changes/1"),
        Refused("BREW", "/Player", 405, "method.not-allowed", "BREW"),
        Refused("TRACE", "/healthz", 405, "method.not-allowed", "takes GET, HEAD, OPTIONS"),
        Refused("get", "/Player/1", 405, "method.not-allowed", "GET, HEAD, PUT, PATCH, DELETE"),
        Refused("BREW", "/Coffee", 404, "entity.unknown", "Coffee"),
        Refused(
            "PUT", "/Player", 405, "method.not-allowed", "GET, HEAD, POST, PATCH, DELETE, OPTIONS"),
        Refused("POST", "/healthz", 405, "method.not-allowed", "GET"),
        Refused("POST", "/Player/1", 405, "method.not-allowed", "PATCH"),
    ]

    @Test(arguments: addresses) func addressesThatLeadNowhere(_ refused: Refused) throws {
        try Self.check(refused, ReadingTests.filled())
    }

    static let parameters: [Refused] = [
        Refused("GET", "/Player?wher=x", 400, "request.unknown-parameter", "did you mean where?"),
        Refused("GET", "/Player/1?limit=3", 400, "request.unknown-parameter", "limit"),
        Refused("GET", "/Player?limit=1&limit=2", 400, "request.duplicate-parameter", "limit"),
        Refused(
            "GET", "/Player?where=goals%3E1&&name=='x'", 400, "request.target", "%26%26"),
        Refused(
            "GET", "/Player?where=goals%3E1&%20name%20==%20'x'", 400,
            "request.unknown-parameter", "tail of a predicate"),
        Refused("GET", "/Player?var.MIN=1", 400, "request.unknown-parameter", "var.MIN"),
        Refused("GET", "/Player?var.=1", 400, "request.unknown-parameter", "var."),
        Refused(
            "GET", "/Player/count?where=goals%3E$MIN&var.MIN=1&var.MAX=2", 400,
            "request.unknown-parameter", "nothing reads $MAX"),
        Refused(
            "GET", "/Player?where=FUNCTION(name,'exec')==1", 400, "predicate.unsupported", "exec"),
        Refused(
            "GET", "/Player?where=name%20MATCHES%20'x(y'", 400, "predicate.pattern",
            "a parenthesis is unbalanced, after 3"),
        Refused(
            "GET", "/Player?where=name%20MATCHES%20TERNARY(goals%3E3,'[a','b')", 400,
            "predicate.pattern", "\"[a\" is not a valid regular expression: a set opened by ["),
        Refused(
            "GET", "/Player?where='\(String(repeating: "a", count: 40))!'%20MATCHES%20'(a%2B)%2B$'",
            400, "predicate.limit", "200 ms on a text of 41 characters"),
        Refused(
            "GET", "/Player?where=uppercse(name)==1", 400, "predicate.unsupported", "uppercase"),
        Refused(
            "GET", "/Player?where=CAST(name,'NSDaet')==1", 400, "predicate.unsupported", "NSDate"),
        Refused("GET", "/Player?limit=0", 400, "request.parameter", "1 to 10000"),
        Refused("GET", "/Player?limit=10001", 400, "request.parameter", "10000"),
        Refused("GET", "/Player?limit=ten", 400, "request.parameter", "ten"),
        Refused("GET", "/Player?offset=-1", 400, "request.parameter", "offset"),
        Refused("GET", "/Player?count=yes", 400, "request.parameter", "true or false"),
        Refused("GET", "/Player?format=xml", 400, "request.parameter", "json"),
        Refused("GET", "/Player?numbers=text", 400, "request.parameter", "string"),
        Refused("GET", "/Player?where=", 400, "predicate.syntax", "empty"),
        Refused("GET", "/Player?where=goals%20%3E", 400, "predicate.syntax", "where"),
        Refused("GET", "/Player?where=goals%3E1%20AND", 400, "predicate.syntax", "where"),
        Refused(
            "GET", "/Player?where=goals%3E1e9223372036854775807", 400, "predicate.syntax", "range"),
        Refused(
            "GET", "/Player?sort=goals*10e9223372036854775807", 400, "predicate.syntax", "range"),
        Refused(
            "GET", "/Player?select=n:goals%2B10e9223372036854775807", 400, "predicate.syntax",
            "range"),
        Refused("GET", "/Player?where=gaols%3E1", 400, "predicate.unknown-key", "goals"),
        Refused("GET", "/Player?where=goals%3E'x'", 400, "predicate.type", "goals"),
        Refused("GET", "/Player?where=team.nme=='x'", 400, "predicate.unknown-key", "name"),
        Refused(
            "GET", "/Player?where=name%20BEGNSWITH%20'x'", 400, "predicate.syntax", "BEGINSWITH"),
        Refused(
            "GET", "/Player?where=joinedAt%3E'2023-02-30'", 400, "predicate.type", "2023-02-30"),
        Refused("GET", "/Player?sort=agee", 400, "predicate.unknown-key", "agee"),
        Refused("GET", "/Player?sort=name,,goals", 400, "request.parameter", "comma"),
        Refused("GET", "/Player?select=nme", 400, "predicate.unknown-key", "name"),
        Refused("GET", "/Player?include=teem", 400, "request.parameter", "team"),
        Refused("GET", "/Player?include=name", 400, "request.parameter", "attribute"),
        Refused("GET", "/Player?after=x&offset=1", 400, "request.parameter", "used together"),
        Refused("GET", "/Player?where=%zz", 400, "request.target", "%"),
        Refused(
            "GET", "/Player?where=name%20==%20'" + String(repeating: "x", count: 70_000) + "'", 414,
            "request.target-too-long", "24576"),
    ]

    @Test("expressions that nest up to the language's own bound are answered or refused, never 500")
    func expressionsThatNestDeeply() throws {
        let league = try ReadingTests.filled()
        for depth in [20, 50, 99] {
            func nested(_ open: String, _ inner: String, _ close: String) -> String {
                String(repeating: open, count: depth) + inner
                    + String(repeating: close, count: depth)
            }
            for condition in [
                nested("(", "goals == 1", ")"), nested("NOT ", "goals == 1", ""),
                nested("abs(", "goals", ")") + " == 1", nested("-", "goals", "") + " == 1",
                nested("TERNARY(1 == 1, 1, ", "goals", ")") + " == 1",
                nested("(", "goals == 1", " AND goals == 2 OR goals == 3)"),
                nested("goals + (", "1", ")") + " == 1",
                nested("randomn(", "goals", ")") + " >= 0",
                nested("length(CAST(", "goals", ", 'NSString'))") + " == 1",
            ] {
                let answer = league.get("/Player/count?where=\(encoded(condition))")
                #expect(
                    answer.status == 200 || answer.code == "predicate.limit",
                    "\(depth): \(condition.prefix(40)) \(answer.text.prefix(300))")
                #expect(
                    answer.status == 200
                        || answer.text.firstMatch(of: /"position":\s*[1-9]/) != nil,
                    "\(depth): \(condition.prefix(40)) \(answer.text.prefix(300))")
            }
        }
    }

    @Test("what was a failure of the store is an answer, or a refusal with its place")
    func listsAndPlaces() throws {
        let league = try ReadingTests.filled()
        func list(_ item: String, _ count: Int) -> String {
            "{\(Array(repeating: item, count: count).joined(separator: ","))}"
        }
        for (condition, expected) in [
            ("sum(\(list("goals", 201))) > 602", "4"), ("goals == {3,2,1}[0.5]", "2"),
            ("now() == now()", "5"), ("now() - now() == 0", "5"),
            ("SUBQUERY(team.players, $p, $p.goals > {1,20}[goals - 3]).@count > 0", "2"),
        ] {
            let answer = league.get("/Player/count?where=\(encoded(condition))")
            #expect(answer.status == 200 && answer.text.contains(expected), "\(answer.text)")
        }
        for condition in [
            "goals == 1 OR ANY \(list("1", 4_001)) == goals", "1 IN \(list("goals", 4_001))",
            "name == 'x' OR '\(String(repeating: "a", count: 20_000))' "
                + "LIKE '*\(String(repeating: "a", count: 9_000))?b'",
        ] {
            let answer = league.post("/Player/query", "{\"where\":\"\(condition)\"}")
            #expect(answer.code == "predicate.limit", "\(answer.text.prefix(300))")
            #expect(
                answer.text.firstMatch(of: /"position":\s*[1-9]/) != nil,
                "\(answer.text.prefix(300))")
        }
    }

    @Test(arguments: parameters) func parametersThatCannotBe(_ refused: Refused) throws {
        try Self.check(refused, ReadingTests.filled())
    }

    static let bodies: [Refused] = [
        Refused("POST", "/Player", "", 400, "json.empty", "body"),
        Refused("POST", "/Player", #"{"name":"#, 400, "json.syntax", "line 1"),
        Refused("POST", "/Player", #"{"name":"A",}"#, 400, "json.syntax", "line 1"),
        Refused("POST", "/Player", #"{"name":"A"} x"#, 400, "json.syntax", "line 1"),
        Refused("POST", "/Player", #"{"name":"A","name":"B"}"#, 400, "json.duplicate-key", "name"),
        Refused("POST", "/Player", #"{"name":"\u0000"}"#, 400, "json.nul", "U+0000"),
        Refused("POST", "/Player", #"{"goals":1e400}"#, 400, "json.number", "string"),
        Refused(
            "POST", "/Player", #"{"goals":99999999999999999999}"#, 422, "1610",
            "goals of Player must be at most 2147483647"),
        Refused("POST", "/Player", #"{"goals":"-99999999999999999999"}"#, 422, "1620", "goals"),
        Refused(
            "POST", "/Player", String(repeating: "[", count: 5000), 400, "json.too-deep", "128"),
        Refused("POST", "/Player", #""Ann""#, 400, "request.body", "object"),
        Refused("POST", "/Player", "[1]", 400, "request.body", "object"),
        Refused(
            "POST", "/Player", #"{"nme":"A"}"#, 400, "request.unknown-key", "did you mean name?"),
        Refused("POST", "/Player", #"{"name":5}"#, 422, "value.type", "Player must be text"),
        Refused("POST", "/Player", #"{"name":"A","goals":"x"}"#, 422, "value.type", "goals"),
        Refused("POST", "/Player", #"{"name":"A","goals":1.5}"#, 422, "value.type", "integer"),
        Refused("POST", "/Player", #"{"name":"A","goals":true}"#, 422, "value.type", "integer"),
        Refused("POST", "/Player", #"{"name":"A","number":40000}"#, 422, "1610", "number"),
        Refused(
            "POST", "/Player", #"{"name":"A","goals":"99999999999999999999"}"#, 422, "1610",
            "at most 2147483647"),
        Refused(
            "POST", "/Player", #"{"name":"A","joinedAt":"2023-02-30"}"#, 422, "value.type",
            "2023-02-30"),
        Refused(
            "POST", "/Player", #"{"name":"A","joinedAt":"2023-02-01T10:00:00"}"#, 422, "value.type",
            "joinedAt"),
        Refused("POST", "/Player", #"{"name":"A","joinedAt":5}"#, 422, "value.type", "ISO 8601"),
        Refused(
            "POST", "/Player", #"{"name":"A","salary":1234567890.1234567}"#, 422, "value.type",
            "send it as a string"),
        Refused("POST", "/Player", #"{"name":"A","salary":"1e"}"#, 422, "value.type", "Decimal"),
        Refused("POST", "/Player", #"{"name":"A","team":"x"}"#, 422, "value.type", "Team"),
        Refused("POST", "/Player", #"{"name":"A","team":0}"#, 422, "value.type", "id"),
        Refused("POST", "/Player", #"{"name":"A","team":[1]}"#, 422, "value.type", "team"),
        Refused("POST", "/Team", #"{"name":"A","players":5}"#, 400, "request.body", "players"),
        Refused("POST", "/Team", #"{"name":"A","players":[true]}"#, 422, "value.type", "players"),
        Refused(
            "POST", "/Team", #"{"name":"A","players":[99]}"#, 422, "object.missing-destination",
            "99"),
        Refused("PATCH", "/Player/1", "[]", 400, "request.body", "object"),
        Refused("PATCH", "/Player/99", "{}", 404, "object.unknown", "99"),
        Refused("PATCH", "/Player/1", #"{"_version":"x"}"#, 400, "request.body", "_version"),
        Refused(
            "POST", "/Player", "<player/>", 415, "request.media-type", "application/json",
            headers: [("Content-Type", "text/xml")]),
        Refused(
            "PATCH", "/Player/1", "{}", 400, "request.header", "If-Match",
            headers: [("If-Match", "5")]),
        Refused(
            "GET", "/Player", 406, "accept.none", "application/json",
            headers: [("Accept", "image/png")]),
    ]

    @Test(arguments: bodies) func bodiesThatCannotBe(_ refused: Refused) throws {
        try Self.check(refused, ReadingTests.filled())
    }

    @Test func everyTypeRefusesWhatItIsNot() throws {
        let zoo = try ServiceFixture.zoo()
        for (key, value) in [
            ("binary", #""a=b""#), ("binary", "5"), ("boolean", "1"), ("boolean", #""true""#),
            ("double", #""nan""#), ("double", #""0x10""#), ("double", #""1e999""#),
            ("float", "1e39"), ("uuid", #""6F9619FF""#), ("uuid", "7"), ("uri", "7"),
            ("decimal", "{}"), ("int64", #""""#), ("int64", #""-""#),
        ] {
            let answer = zoo.post("/Sample", "{\"\(key)\":\(value)}")
            #expect(answer.status == 422, "\(key) \(value) \(answer.text)")
            #expect(answer.code == "value.type")
            #expect(try answer.json["errors"] != nil)
        }
        #expect(zoo.post("/Page", #"{"drafts":[]}"#).code == "value.read-only")
        #expect(zoo.post("/Sample", #"{"int16":32768}"#).status == 422)
        #expect(zoo.coordinator.currentToken == 0)
    }

    @Test func aBodyOfTooManyOrTooDeepObjectsIsRefused() throws {
        let league = try ServiceFixture(TestModels.league()) { $0.limits.objectsPerBody = 3 }
        #expect(league.post("/Team", #"[{"name":"a"},{"name":"b"},{"name":"c"}]"#).status == 201)
        let many = league.post(
            "/Team", #"[{"name":"a","players":[{"name":"x"},{"name":"y"}]},{"name":"b"}]"#)
        #expect(many.status == 413)
        #expect(many.detail.contains("3 objects"))
    }

    /// Empty objects take eighty times their own bytes when they are parsed.
    @Test func aBodyOfTooManyValuesIsNotParsed() throws {
        let league = try ServiceFixture(TestModels.league()) { $0.limits.valuesPerBody = 1_000 }
        func body(_ element: String, _ count: Int) -> String {
            "[" + Array(repeating: element, count: count).joined(separator: ",") + "]"
        }
        for (element, count) in [("{}", 150), ("[]", 150), ("1", 1_000), ("\"{[,\"", 2_000)] {
            let many = league.post("/Team", body(element, count))
            #expect(many.status == 413 && many.detail.contains("1000 values"), "\(many.text)")
        }
        // Brackets and commas within texts are no values.
        let text = String(repeating: "{[,", count: 30)
        #expect(league.post("/Team", body("{\"name\":\"\(text)\"}", 50)).status == 201)
    }

    @Test func whatTheServerRefusesIsAProblemToo() throws {
        let league = try ServiceFixture.league()
        let request = Request(method: "POST", path: "/Player")
        let large = Answer(response: league.service.refuse(.bodyTooLarge(request, limit: 10)))
        #expect(large.status == 413)
        #expect(large.code == "request.too-large")
        let busy = Answer(response: league.service.refuse(.busy(request, retryAfter: 2)))
        #expect(busy.status == 503)
        #expect(busy["Retry-After"] == "2")
        let long = Answer(response: league.service.refuse(.targetTooLong(request, limit: 28_672)))
        #expect(long.status == 414 && long.code == "request.target-too-long")
        #expect(long.text.contains("28672") && long.text.contains("POST /{Entity}/query"))
        let head = Answer(response: league.service.refuse(.headTooLarge(request, limit: 28_672)))
        #expect(head.status == 431 && head.code == "request.head-too-large")
        // A write may be done, so it is not to be sent again as if it were not.
        let write = Answer(response: league.service.refuse(.unfinished(request)))
        #expect(write.status == 503 && write["Retry-After"] == nil)
        #expect(write.text.contains("may be done all the same"), "\(write.text)")
        let read = Request(method: "GET", path: "/Player")
        let unread = Answer(response: league.service.refuse(.unfinished(read)))
        #expect(unread.status == 503 && unread["Retry-After"] == "1")
    }

    @Test func anUnknownErrorTellsItsIdAndNothingElse() throws {
        struct Odd: Error { let secret = "secret" }
        let renderer = SnapshotRenderer(model: try TestModels.league())
        let answer = ErrorResponse(Odd(), renderer: renderer)
        #expect(answer.problem.status == 500)
        let text = Answer(response: answer.problem.response()).text
        #expect(!text.contains("secret") && !text.contains("Odd"))
        let secret = try #require(answer.secret)
        #expect(text.contains(secret.id))
        #expect(secret.text.contains("Odd"))
    }
}
