// What the service answers is what its OpenAPI document says.

import SteleHTTP
import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct OpenAPIAnswerTests {
    /// Compares answers with the document.
    struct Conformance {
        let service: ServiceFixture
        let check: SchemaCheck

        init(_ service: ServiceFixture) throws {
            self.service = service
            check = SchemaCheck(document: try OpenAPITests.document(service))
        }

        /// The operation that an address belongs to: the one with the fewest names in braces.
        func operation(_ method: String, _ path: String) -> JSONValue? {
            guard case .object(let paths)? = check.document["paths"] else { return nil }
            let asked = path.split(separator: "/")
            let fitting = paths.filter { template, _ in
                let parts = template.split(separator: "/")
                return parts.count == asked.count
                    && zip(parts, asked).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
            }
            let best = fitting.min {
                $0.0.filter { $0 == "{" }.count < $1.0.filter { $0 == "{" }.count
            }
            return best?.1[method.lowercased()]
        }

        /// What is wrong with the answer to a request.
        func failures(
            _ method: String, _ target: String, _ body: String? = nil,
            _ headers: [(name: String, value: String)] = []
        ) throws -> [String] {
            let path = String(target.prefix { $0 != "?" })
            guard let operation = operation(method, path) else { return ["no operation"] }
            let answer = service.ask(method, target, body, headers)
            guard var response = operation["responses"]?[String(answer.status)] else {
                return ["\(answer.status) is not described: \(answer.text)"]
            }
            if case .string(let reference)? = response["$ref"] {
                response = check.resolve(reference) ?? .null
            }
            var failures: [String] = []
            for header in answer.response.headers.map(\.name)
            where OpenAPIHeader(rawValue: header) != nil && response["headers"]?[header] == nil {
                failures.append("the header \(header) is not described")
            }
            guard let content = response["content"] else {
                return failures + (answer.bytes.isEmpty ? [] : ["a body is not described"])
            }
            // A body that Prefer leaves out.
            if answer.bytes.isEmpty, answer["Preference-Applied"] != nil { return failures }
            let type = (answer["Content-Type"] ?? "").prefix { $0 != ";" }
            guard let schema = content[String(type)]?["schema"] else {
                return failures + ["\(type) is not described"]
            }
            guard type == "application/json" || type.hasSuffix("+json") else { return failures }
            return failures + check.failures(try answer.json, schema)
        }

        func expect(
            _ method: String, _ target: String, _ body: String? = nil,
            _ headers: [(name: String, value: String)] = [],
            _ location: SourceLocation = #_sourceLocation
        ) throws {
            let found = try failures(method, target, body, headers)
            #expect(found == [], "\(method) \(target)", sourceLocation: location)
        }
    }

    @Test func pagesAreAsDescribed() throws {
        let league = try Conformance(DocsTests.league())
        for path in [
            "/", "/healthz", "/readyz", "/model", "/metadata", "/changes", "/docs/errors", "/fetch",
            "/openapi.json", "/changes?values=true", "/changes?since=x", "/changes?entity=Nobody",
            "/healthz?x=1",
        ] {
            try league.expect("GET", path)
        }
        try league.expect("GET", "/model", nil, [("Accept", "application/xml")])
        try league.expect("GET", "/docs/errors", nil, [("Accept", "text/plain")])
        try league.expect("PATCH", "/metadata", #"{"a":1}"#)
        try league.expect("PATCH", "/metadata", #"{"NSStoreType":1}"#)
        try league.expect("DELETE", "/changes")
        try league.expect("DELETE", "/changes?before=0")
        try league.expect("GET", "/live")
    }

    @Test func readsAreAsDescribed() throws {
        let league = try Conformance(DocsTests.league())
        for target in [
            "/Player", "/Team", "/Player?limit=2", "/Player/1",
            "/Player?include=team", "/Team?include=players.team", "/Player/1?include=team",
            "/Player?count=true&limit=1", "/Player/999",
            "/Player?format=csv", "/Player?format=ndjson", "/Player?format=xml", "/Player/0",
            "/Player?where=", "/Player?wher=1", "/Player?where=nothing%20%3D%201",
            "/Player/count", "/Player/1/team",
            "/Player/22/team", "/Team/1/players", "/Team/1/players/count", "/Team/1/players/1",
            "/Team/1/players/20", "/Player?after=x",
        ] {
            try league.expect("GET", target)
        }
        let tag = try #require(league.service.get("/Player/1")["ETag"])
        try league.expect("GET", "/Player/1", nil, [("If-None-Match", tag)])
        try league.expect("GET", "/Player/1", nil, [("If-Match", "\"9-x\"")])
        try league.expect("GET", "/Player", nil, [("Accept", "image/png")])
        try league.expect("POST", "/Player/query", #"{"where":"goals > 3","limit":2}"#)
        try league.expect("POST", "/Player/query", #"{"wher":1}"#)
        for body in [
            #"{"select":"name,goals"}"#, #"{"select":"team,n:count()","groupBy":"team"}"#,
            #"{"numbers":"string"}"#, #"{"select":"salary","numbers":"string"}"#,
            #"{"where":"goals > $least","var":{"least":3}}"#,
        ] {
            try league.expect("POST", "/Player/query", body)
        }
    }

    /// What the document says in words: the answer to an array of new objects is theirs, and null in
    /// place of a destination gives null.
    @Test func otherFormsAreAsTheDescriptionSays() throws {
        let league = try Conformance(DocsTests.league())
        let words = league.check.document["info"]?["description"]?.compact ?? ""
        #expect(words.contains("also takes an array"))
        #expect(words.contains("POST /NAME/query describes these"))
        let schema = try #require(league.check.resolve("#/components/schemas/Team"))
        let made = try league.service.post("/Team", #"[{"name":"A"},{"name":"B"}]"#).json.elements
        #expect(made.count == 2)
        for team in made { #expect(league.check.failures(team, schema) == []) }
        #expect(league.service.post("/Team", "[]").text == "[]")
        #expect(try league.service.ask("PUT", "/Player/1/team", "null").json == .null)
        #expect(try league.service.get("/Player/1?select=name").json["_id"] == nil)
        #expect(league.service.post("/Player", #"{"name":"A","goals":"3"}"#).status == 201)
    }

    /// A whole object fits its own schema, not only that of rows, which is any object: a request
    /// names the columns, and gives each any type.
    @Test func wholeObjectsFitTheSchemaOfTheirEntity() throws {
        let league = try Conformance(DocsTests.league())
        let players = try league.service.get("/Player").json.elements
        let schema = try #require(league.check.resolve("#/components/schemas/Player"))
        #expect(players.count > 20)
        for player in players { #expect(league.check.failures(player, schema) == []) }
        func rows(_ body: String) throws -> [JSONValue] {
            try league.service.post("/Player/query", body).json.elements
        }
        let queried = try rows(#"{"limit":100}"#)
        #expect(queried.count == players.count)
        for player in queried { #expect(league.check.failures(player, schema) == []) }
        for row in try rows(#"{"select":"team,n:count()","groupBy":"team"}"#) {
            guard case .object(let members) = row else {
                Issue.record("\(row)")
                continue
            }
            #expect(members.map(\.0) == ["team", "n"])
        }
    }

    @Test func writesAreAsDescribed() throws {
        let league = try Conformance(DocsTests.league())
        for (method, target, body) in [
            ("POST", "/Team", #"{"name":"Crew","players":[{"name":"Ida"},21]}"#),
            ("POST", "/Team", "{}"),
            ("POST", "/Team", #"{"nam":1}"#), ("POST", "/Team", "{"),
            ("POST", "/Player", #"{"name":"","number":100,"goals":"x"}"#),
            ("PATCH", "/Player/1", #"{"goals":13,"team":5,"number":null}"#),
            ("PATCH", "/Player/1", #"{"_version":1,"goals":99}"#),
            ("PATCH", "/Player/999", #"{"goals":1}"#),
            ("PUT", "/Player/2", #"{"name":"New"}"#), ("PUT", "/Player/2", "{}"),
            ("PATCH", "/Player?where=goals%20%3E%2013", #"{"salary":70000}"#),
            ("PATCH", "/Player", "{}"), ("PUT", "/Team/5/players", "[1,21]"),
            ("POST", "/Team/5/players", #"{"name":"Kim"}"#), ("PUT", "/Player/21/team", "4"),
            ("PUT", "/Player/21/team", "999"),
            (
                "POST", "/transactions",
                #"[{"op":"insert","entity":"Team","values":{"name":"R"}},{"op":"delete","object":"Player/9"}]"#
            ), ("POST", "/transactions", #"[{"op":"nothing"}]"#),
        ] {
            try league.expect(method, target, body)
        }
        for target in [
            "/Team/5/players/21", "/Player/4/team", "/Player/8", "/Player/8",
            "/Player?where=goals%20%3D%3D%200", "/Player",
        ] {
            try league.expect("DELETE", target)
        }
        let minimal = [(name: "Prefer", value: "return=minimal")]
        try league.expect("PATCH", "/Player/1", #"{"goals":2}"#, minimal)
        try league.expect("POST", "/Player", #"{"name":"M"}"#, minimal)
        try league.expect("PUT", "/Player/1", "x", [("Content-Type", "text/plain")])
        try league.expect("PATCH", "/Player/1", #"{"goals":2}"#, [("If-Match", "\"9-x\"")])
        let key = [(name: "Idempotency-Key", value: "k")]
        try league.expect("POST", "/Player", #"{"name":"K"}"#, key)
        try league.expect("POST", "/Player", #"{"name":"K"}"#, key)
        try league.expect("POST", "/Player", #"{"name":"L"}"#, key)
        try league.expect(
            "PATCH", "/Player/1", #"[{"op":"replace","path":"/goals","value":3}]"#,
            [("Content-Type", "application/json-patch+json")])
    }

    @Test func everyKindOfAttributeIsAsDescribed() throws {
        let zoo = try Conformance(.zoo())
        try zoo.expect(
            "POST", "/Sample",
            #"""
            {"binary":"AAEC","boolean":true,"date":"2024-05-01","decimal":"12345678901234567890.5",
            "double":1e300,"float":0.1,"int16":-3,"int32":"7","int64":9223372036854775807,
            "list":[1,{"a":null}],"string":"é","uri":"https://example.com/?a=b",
            "uuid":"e621e1f8-c36c-495a-93fc-0c247a3e6e5f"}
            """#)
        try zoo.expect("GET", "/Sample")
        try zoo.expect("POST", "/Sample/query", #"{"numbers":"string"}"#)
        try zoo.expect("GET", "/Sample/1/binary")
        try zoo.expect("GET", "/Sample/1/binary", nil, [("Range", "bytes=0-0")])
        try zoo.expect("GET", "/Sample/1/binary", nil, [("Range", "bytes=9-")])
        try zoo.expect("PUT", "/Sample/1/binary", "xyz")
        try zoo.expect("DELETE", "/Sample/1/binary")
        try zoo.expect("GET", "/Sample/1/binary")
        try zoo.expect("POST", "/Shape", #"{"_entity":"Circle","radius":2}"#)
        try zoo.expect("POST", "/Shape", "{}")
        try zoo.expect("POST", "/Canvas", #"{"shapes":[1,{"_entity":"Square","side":1}]}"#)
        for target in [
            "/Shape", "/Shape/1", "/Circle", "/Canvas/1/shapes", "/Canvas?include=shapes",
            "/entities/lower", "/Canvas/1/shapes/1", "/Circle/1/canvas",
        ] {
            try zoo.expect("GET", target)
        }
        try zoo.expect("POST", "/Page", #"{"tags":[{"name":"a"}],"blocks":[{}]}"#)
        try zoo.expect("POST", "/Tag", #"{"name":"a"}"#)
        try zoo.expect("DELETE", "/Page/1")
        for target in ["/Page/1/drafts", "/Page?include=drafts", "/Page/1/tags"] {
            try zoo.expect("GET", target)
        }
        let people = try Conformance(.people())
        try people.expect(
            "POST", "/Person",
            #"{"name":"É","home":{"city":"Rome","place":{"longitude":1}},"archive":{"$set":[1]}}"#)
        try people.expect("POST", "/Person", #"{"home":null,"secret":{"a":1},"friends":[1]}"#)
        let photo = String(repeating: "x", count: 300_000)
        #expect(people.service.ask("PUT", "/Person/1/photo", photo).status == 204)
        for target in ["/Person", "/Person/1", "/Person?include=friends.fans", "/Person/1/photo"] {
            try people.expect("GET", target)
        }
        let one = people.service.get("/Person/1").text
        try people.expect("PUT", "/Person/1", one)
        try people.expect("PATCH", "/Person/1", #"{"plain":"other"}"#)
    }

    @Test func editingContextsAreAsDescribed() throws {
        let league = try Conformance(DocsTests.league())
        try league.expect("POST", "/contexts")
        let made = league.service.ask("POST", "/contexts", #"{"author":"me"}"#)
        let context = try #require(made["Location"])
        #expect(league.service.post("\(context)/Team", #"{"name":"K"}"#).status == 201)
        for (method, path, body) in [
            ("GET", "", nil), ("PATCH", "", #"{"undoLevels":5}"#), ("PATCH", "", #"{"x":5}"#),
            ("GET", "/changes", nil), ("POST", "/undo", nil), ("POST", "/redo", nil),
            ("POST", "/redo", nil), ("POST", "/undo-group", #"{"name":"Move"}"#),
            ("POST", "/undo-group/end", nil), ("POST", "/undo-group/end", nil),
            ("POST", "/contexts", nil), ("POST", "/refresh", #"{"merge":false}"#),
            ("POST", "/save", nil), ("POST", "/rollback", nil), ("POST", "/reset", nil),
            ("DELETE", "", nil), ("GET", "", nil),
        ] as [(String, String, String?)] {
            try league.expect(method, context + path, body)
        }
    }

    /// The checker finds what is wrong: an answer of another entity, a key too many, too few, and a
    /// value of another type.
    @Test func whatIsNotAsDescribedIsFound() throws {
        let league = try Conformance(DocsTests.league())
        let schema = try #require(league.check.resolve("#/components/schemas/Player"))
        #expect(league.check.failures(try league.service.get("/Team/1").json, schema) != [])
        let player = try league.service.get("/Player/1").json
        #expect(league.check.failures(player, schema) == [])
        guard case .object(let members) = player else { return }
        #expect(league.check.failures(.object(members.dropLast()), schema) != [])
        #expect(league.check.failures(.object(members + [("more", 1)]), schema) != [])
        for (index, member) in members.enumerated() {
            var changed = members
            changed[index] = (member.0, ["no": "value"])
            #expect(league.check.failures(.object(changed), schema) != [], "\(member.0)")
        }
    }

    /// Each example is valid by its schema, and the service takes it.
    @Test(arguments: OpenAPITests.Sample.allCases)
    func examplesAreValid(_ sample: OpenAPITests.Sample) throws {
        let model = try sample.model
        let service = try Conformance(ServiceFixture(model, inMemory: true))
        guard case .object(let schemas)? = service.check.document["components"]?["schemas"] else {
            Issue.record("no schemas")
            return
        }
        var count = 0
        for (name, schema) in schemas {
            guard case .array(let examples)? = schema["examples"] else { continue }
            for example in examples {
                count += 1
                #expect(service.check.failures(example, schema) == [], "\(name)")
            }
        }
        #expect(count > model.entities.count)
        for entity in model.entities where !entity.isAbstract {
            let schema = service.check.resolve("#/components/schemas/\(entity.name)Create")
            let example = try schema?["examples"]?.elements.first
            let body = try #require(example)
            let answer = service.service.post(
                Routes.path(ofEntity: entity.name, ""), body.compact)
            #expect(answer.status == 201, "\(entity.name): \(answer.text)")
        }
    }
}
