// JSON Patch (RFC 6902) on objects.

import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct JSONPatchTests {
    static func patch(_ fixture: ServiceFixture, _ path: String, _ body: String) -> Answer {
        fixture.ask("PATCH", path, body, [("Content-Type", "application/json-patch+json")])
    }

    @Test(arguments: [false, true])
    func attributesAndToOnesAreWritten(_ inMemory: Bool) throws {
        let league = try ServiceFixture(TestModels.league(), inMemory: inMemory)
        _ = league.post("/Team", #"[{"name":"Crew"},{"name":"Rovers"}]"#)
        _ = league.post("/Player", #"{"name":"Ann","goals":5,"joinedAt":"2024-05-01","team":1}"#)
        let changed = Self.patch(
            league, "/Player/1",
            """
            [{"op":"test","path":"/joinedAt","value":"2024-05-01T02:00:00+02:00"},
             {"op":"test","path":"/team","value":1},
             {"op":"test","path":"/_version","value":1},
             {"op":"replace","path":"/goals","value":6},
             {"op":"add","path":"/country","value":"GB"},
             {"op":"copy","from":"/country","path":"/name"},
             {"op":"remove","path":"/joinedAt"},
             {"op":"move","from":"/goals","path":"/number"},
             {"op":"replace","path":"/team","value":2},
             {"op":"test","path":"/team","value":2}]
            """)
        #expect(changed.status == 200, "\(changed.text)")
        let json = try changed.json
        #expect(json["name"] == "GB" && json["number"] == 6 && json["goals"] == .null)
        #expect(json["joinedAt"] == .null && json["team"] == 2 && json["_version"] == 2)
        let nested = Self.patch(
            league, "/Player/1", #"[{"op":"add","path":"/team","value":{"name":"New"}}]"#)
        #expect(try nested.json["team"] == 3)
        #expect(
            try Self.patch(league, "/Player/1", #"[{"op":"remove","path":"/team"}]"#).json["team"]
                == .null)
    }

    @Test(arguments: [false, true])
    func nothingChangesWhereATestFailsOrAPointerLeadsNowhere(_ inMemory: Bool) throws {
        let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory)
        _ = zoo.post("/Canvas", #"{"name":"c","shapes":[{"_entity":"Circle"}]}"#)
        let before = zoo.coordinator.currentToken
        for (operation, status, code) in [
            (#"{"op":"test","path":"/name","value":"d"}"#, 409, "patch.test"),
            (#"{"op":"test","path":"/shapes","value":[2]}"#, 409, "patch.test"),
            (#"{"op":"replace","path":"/nam","value":"d"}"#, 400, "request.unknown-key"),
            (#"{"op":"replace","path":"name","value":"d"}"#, 422, "patch.path"),
            (#"{"op":"replace","path":"","value":{}}"#, 422, "patch.path"),
            (#"{"op":"replace","path":"/name/0","value":"d"}"#, 422, "patch.path"),
            (#"{"op":"remove","path":"/shapes/1"}"#, 422, "patch.path"),
            (#"{"op":"remove","path":"/shapes/01"}"#, 422, "patch.path"),
            (#"{"op":"add","path":"/shapes/3","value":{"_entity":"Circle"}}"#, 422, "patch.path"),
            (#"{"op":"add","path":"/shapes/-","value":1}"#, 400, "request.body"),
            (#"{"op":"add","path":"/shapes/-","value":9}"#, 422, "object.missing-destination"),
            (#"{"op":"replace","path":"/_id","value":9}"#, 422, "value.read-only"),
            (#"{"op":"replace","path":"/name","value":9}"#, 422, "value.type"),
            (#"{"op":"replace","path":"/name"}"#, 400, "request.body"),
            (#"{"op":"replce","path":"/name","value":"x"}"#, 400, "request.body"),
            (#"{"op":"move","from":"/shapes","path":"/shapes/0"}"#, 422, "patch.path"),
        ] {
            let answer = Self.patch(
                zoo, "/Canvas/1",
                #"[{"op":"replace","path":"/name","value":"c"},\#(operation)]"#)
            #expect(answer.status == status, "\(operation): \(answer.text)")
            #expect(answer.code == code, "\(operation): \(answer.text)")
            #expect(try answer.json["operation"] == 1)
        }
        #expect(Self.patch(zoo, "/Canvas/1", "{}").code == "request.body")
        #expect(zoo.coordinator.currentToken == before)
        let failed = Self.patch(zoo, "/Canvas/1", #"[{"op":"test","path":"/name","value":"d"}]"#)
        #expect(try failed.json["yours"] == "d" && failed.json["stored"] == "c")
    }

    @Test(arguments: [false, true])
    func moveReordersAndMembersComeAndGo(_ inMemory: Bool) throws {
        let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory)
        let circles = #"{"_entity":"Circle"},{"_entity":"Circle"},{"_entity":"Circle"}"#
        _ = zoo.post("/Canvas", #"[{"shapes":[\#(circles)]},{}]"#)
        func shapes(_ key: Int = 1) -> String { zoo.get("/Canvas/\(key)?select=shapes").text }
        #expect(shapes() == #"{"shapes":[1,2,3]}"#)
        for (operation, after) in [
            (#"{"op":"move","from":"/shapes/0","path":"/shapes/2"}"#, "[2,3,1]"),
            (#"{"op":"move","from":"/shapes/2","path":"/shapes/0"}"#, "[1,2,3]"),
            (#"{"op":"move","from":"/shapes/0","path":"/shapes/-"}"#, "[2,3,1]"),
            (#"{"op":"add","path":"/shapes/1","value":{"_entity":"Square"}}"#, "[2,4,3,1]"),
            (#"{"op":"remove","path":"/shapes/0"}"#, "[4,3,1]"),
            (#"{"op":"replace","path":"/shapes/1","value":2}"#, "[4,2,1]"),
            (#"{"op":"replace","path":"/shapes","value":[1,2]}"#, "[1,2]"),
            (#"{"op":"test","path":"/shapes/1","value":2}"#, "[1,2]"),
            (#"{"op":"remove","path":"/shapes"}"#, "[]"),
            (#"{"op":"add","path":"/shapes/-","value":3}"#, "[3]"),
        ] {
            let answer = Self.patch(zoo, "/Canvas/1", "[\(operation)]")
            #expect(answer.status == 200, "\(operation): \(answer.text)")
            #expect(shapes() == #"{"shapes":\#(after)}"#, "\(operation)")
        }
        // An unordered to-many is by id.
        _ = zoo.post("/Page", #"{"tags":[{"name":"a"},{"name":"b"}]}"#)
        let page = Self.patch(
            zoo, "/Page/1",
            """
            [{"op":"test","path":"/tags","value":[2,1]},{"op":"remove","path":"/tags/0"},
             {"op":"add","path":"/tags/-","value":{"name":"c"}},
             {"op":"test","path":"/tags/0","value":2}]
            """)
        #expect(page.status == 200, "\(page.text)")
        #expect(zoo.get("/Page/1?select=tags").text == #"{"tags":[2,3]}"#)
        _ = zoo.post("/Sample", #"{"list":{"a":[1,2.0],"b":null}}"#)
        #expect(
            Self.patch(
                zoo, "/Sample/1",
                #"[{"op":"test","path":"/list","value":{"b":null,"a":[1.0,2]}}]"#
            ).status == 200)
    }

    @Test(arguments: [false, true])
    func compositesAreWrittenWholeAndInParts(_ inMemory: Bool) throws {
        let people = try ServiceFixture.people(inMemory: inMemory)
        let home = #"{"city":"Rome","place":{"latitude":41.5,"longitude":12},"zip":7}"#
        _ = people.post("/Person", #"[{"name":"Ann","home":\#(home)},{"name":"Bo"}]"#)
        func stored(_ key: Int = 1) -> String {
            String(people.get("/Person/\(key)?select=home").text.dropFirst(8).dropLast())
        }
        for (operation, after) in [
            (#"{"op":"test","path":"/home","value":\#(home)}"#, home),
            (#"{"op":"test","path":"/home/city","value":"Rome"}"#, home),
            (
                #"{"op":"replace","path":"/home/city","value":"Oslo"}"#,
                #"{"city":"Oslo","place":{"latitude":41.5,"longitude":12},"zip":7}"#
            ),
            (
                #"{"op":"remove","path":"/home/place"}"#,
                #"{"city":"Oslo","place":null,"zip":7}"#
            ),
            (
                #"{"op":"add","path":"/home/place","value":{"longitude":9}}"#,
                #"{"city":"Oslo","place":{"latitude":null,"longitude":9},"zip":7}"#
            ),
            (
                #"{"op":"replace","path":"/home","value":{"city":"Bonn"}}"#,
                #"{"city":"Bonn","place":null,"zip":null}"#
            ),
            (
                #"{"op":"copy","from":"/home","path":"/home"}"#,
                #"{"city":"Bonn","place":null,"zip":null}"#
            ),
            (
                #"{"op":"copy","from":"/home/city","path":"/name"}"#,
                #"{"city":"Bonn","place":null,"zip":null}"#
            ),
            (#"{"op":"replace","path":"/home","value":null}"#, "null"),
            (
                #"{"op":"add","path":"/home","value":{"city":"Rome","zip":1}}"#,
                #"{"city":"Rome","place":null,"zip":1}"#
            ),
            (#"{"op":"remove","path":"/home"}"#, "null"),
            (#"{"op":"test","path":"/home","value":null}"#, "null"),
        ] {
            let answer = Self.patch(people, "/Person/1", "[\(operation)]")
            #expect(answer.status == 200, "\(operation): \(answer.text)")
            #expect(stored() == after, "\(operation)")
        }
        #expect(try people.get("/Person/1").json["name"] == "Bonn")
        let all = people.ask(
            "PATCH", "/Person?where=TRUEPREDICATE",
            #"[{"op":"add","path":"/home","value":{"city":"Ulm"}}]"#,
            [("Content-Type", "application/json-patch+json")])
        #expect(all.text == #"{"updated":2}"#, "\(all.text)")
        #expect(stored(2) == #"{"city":"Ulm","place":null,"zip":null}"#)
        for (operation, code) in [
            (#"{"op":"test","path":"/home","value":{"city":"Bonn"}}"#, "patch.test"),
            (#"{"op":"remove","path":"/home/town"}"#, "patch.path"),
            (#"{"op":"remove","path":"/home/city/x"}"#, "patch.path"),
            (#"{"op":"remove","path":"/name/x"}"#, "patch.path"),
            (#"{"op":"replace","path":"/home","value":7}"#, "value.type"),
            (#"{"op":"replace","path":"/home","value":{"town":7}}"#, "request.unknown-key"),
            (#"{"op":"replace","path":"/draft","value":"x"}"#, "value.read-only"),
        ] {
            let answer = Self.patch(people, "/Person/1", "[\(operation)]")
            #expect(answer.code == code, "\(operation): \(answer.text)")
        }
    }

    // MARK: Types

    private static func items(_ inMemory: Bool) throws -> ServiceFixture {
        _ = AttributeModels.keys
        let home = CompositeDescription(
            "Home", [.init(optional: "rent", .decimal), .init(optional: "since", .date)])
        let item = EntityMaker("Item")
            .attribute("archive", .transformable) {
                $0.valueTransformerName = "NSSecureUnarchiveFromData"
            }
            .attribute("cost", .decimal)
            .attribute("count", .integer64)
            .attribute("draft", .string) {
                $0.isTransient = true
                $0.defaultValue = .string("new")
            }
            .attribute("free", .transformable)
            .attribute("home", .composite) { $0.compositeName = "Home" }
            .attribute("low", .string) { $0.derivationExpression = "lowercase:(name)" }
            .attribute("name", .string)
            .attribute("price", .decimal)
        let items = try ServiceFixture(makeModel([item], composites: [home]), inMemory: inMemory)
        _ = items.post(
            "/Item",
            """
            {"archive":{"set":{"$set":[1,2]},"when":{"$date":"2024-05-01T00:00:00Z"}},
             "count":1234567890123456789,"free":{"n":0.12345678901234567891},
             "home":{"rent":"0.5","since":"2024-05-01"},"name":"Ab","price":"12345678901234567.5"}
            """)
        return items
    }

    @Test(arguments: [
        ("/price", "/cost", "cost", "12345678901234567.5"),
        ("/price", "/home/rent", "home.rent", "12345678901234567.5"),
        ("/price", "/free/n", "free", #"{"n":12345678901234567.5}"#),
        ("/count", "/cost", "cost", "1234567890123456789"),
        ("/free/n", "/cost", "cost", "0.12345678901234567891"),
    ])
    func copiesAndMovesKeepAllDigits(
        _ from: String, _ path: String, _ name: String, _ after: String
    ) throws {
        for (kind, inMemory) in [("copy", false), ("move", true)] {
            let items = try Self.items(inMemory)
            let answer = Self.patch(
                items, "/Item/1", #"[{"op":"\#(kind)","from":"\#(from)","path":"\#(path)"}]"#)
            #expect(answer.status == 200, "\(answer.text)")
            #expect(items.get("/Item/1?select=\(name)").text == "{\"\(name)\":\(after)}")
        }
        // A number of a request may have been rounded by its sender.
        let items = try Self.items(true)
        let sent = Self.patch(
            items, "/Item/1",
            #"[{"op":"replace","path":"/cost","value":12345678901234567.5}]"#)
        #expect(sent.code == "value.type" && sent.hint.contains("as a string"), "\(sent.text)")
    }

    @Test(arguments: [
        ("/price", "12345678901234567.5", true), ("/price", "12345678901234568", true),
        ("/price", "12345678901234560", false), ("/price", "1.2", false),
        ("/price", #""12345678901234567.50""#, true), ("/price", #""12345678901234567.4""#, false),
        ("/count", "1234567890123456789", true), ("/count", "1234567890123456788", false),
        ("/home", #"{"since":"2024-05-01T02:00:00+02:00","rent":"0.50"}"#, true),
        ("/home", #"{"since":"2024-05-01","rent":0.51}"#, false),
        ("/home", #"{"rent":0.5}"#, false),
        ("/home", #"{"since":"2024-05-01","rent":0.5,"city":null}"#, false),
        ("/home", "null", false), ("/home/since", #""2024-05-01""#, true),
        (
            "/archive",
            #"{"when":{"$date":"2024-05-01T02:00:00+02:00"},"set":{"$set":[2,1,1]}}"#, true
        ),
        ("/archive/set", #"{"$set":[2,1]}"#, true), ("/archive/set", #"{"$set":[2]}"#, false),
        ("/archive/set", #"{"$set":2}"#, false),
        ("/archive/when", #"{"$date":"2024-05-01T02:00:00+02:00"}"#, true),
        ("/free", #"{"n":0.12345678901234567891}"#, true), ("/free/n", "0.1234", false),
        ("/low", #""ab""#, true), ("/low", #""Ab""#, false), ("/low", "null", false),
        ("/draft", #""new""#, true), ("/draft", "null", false), ("/cost", "null", true),
    ])
    func testsCompareValuesAsTheirTypesReadThem(
        _ path: String, _ value: String, _ holds: Bool
    ) throws {
        for inMemory in [false, true] {
            let items = try Self.items(inMemory)
            let answer = Self.patch(
                items, "/Item/1", #"[{"op":"test","path":"\#(path)","value":\#(value)}]"#)
            #expect(answer.status == (holds ? 200 : 409), "\(answer.text)")
        }
    }

    @Test(arguments: [false, true])
    func derivedAndTransientAttributesAreCopiedAndNotWritten(_ inMemory: Bool) throws {
        let items = try Self.items(inMemory)
        let copied = Self.patch(
            items, "/Item/1",
            """
            [{"op":"copy","from":"/low","path":"/free/low"},
             {"op":"copy","from":"/draft","path":"/name"}]
            """)
        #expect(copied.status == 200, "\(copied.text)")
        #expect(
            items.get("/Item/1?select=free,low,name").text
                == #"{"free":{"low":"ab","n":0.12345678901234567891},"low":"new","name":"new"}"#)
        for operation in [
            #"{"op":"replace","path":"/low","value":"new"}"#, #"{"op":"remove","path":"/low"}"#,
            #"{"op":"move","from":"/low","path":"/name"}"#,
            #"{"op":"copy","from":"/name","path":"/draft"}"#,
        ] {
            let answer = Self.patch(items, "/Item/1", "[\(operation)]")
            #expect(answer.code == "value.read-only", "\(operation): \(answer.text)")
        }
    }

    @Test(arguments: [
        ("photo", #""AAEC""#), ("icon", #""AAEC""#), ("archive", #"["a",1]"#),
        ("secret", #"{"card":1}"#), ("name", #""Bo""#),
        ("home", #"{"city":"Rome","place":null,"zip":2}"#),
        ("friends", "[1]"),
    ])
    func everyOperationTakesEveryKindOfProperty(_ name: String, _ value: String) throws {
        let people = try ServiceFixture.people()
        _ = people.post("/Person", "{}")
        let path = #""path":"/\#(name)""#
        let none = name == "friends" ? "[]" : "null"
        let steps = [
            #"{"op":"add",\#(path),"value":\#(value)}"#,
            #"{"op":"test",\#(path),"value":\#(value)}"#,
            #"{"op":"copy","from":"/\#(name)",\#(path)}"#, #"{"op":"remove",\#(path)}"#,
            #"{"op":"test",\#(path),"value":\#(none)}"#,
            #"{"op":"replace",\#(path),"value":\#(value)}"#,
            #"{"op":"test",\#(path),"value":\#(value)}"#,
        ]
        let answer = Self.patch(people, "/Person/1", "[\(steps.joined(separator: ","))]")
        #expect(answer.status == 200, "\(answer.text)")
    }
}
