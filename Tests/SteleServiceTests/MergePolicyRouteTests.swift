// mergePolicy, preconditions and what conflicts say.

import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct MergePolicyRouteTests {
    /// A player at version 3: version 1 had "Ann", 5 goals and team 1; since, the goals became 6 and
    /// the team 2.
    static func league(_ inMemory: Bool) throws -> ServiceFixture {
        let league = try ServiceFixture(TestModels.league(), inMemory: inMemory)
        _ = league.post("/Team", #"[{"name":"A"},{"name":"B"},{"name":"C"}]"#)
        _ = league.post("/Player", #"{"name":"Ann","goals":5,"team":1,"country":"GB"}"#)
        _ = league.patch("/Player/1", #"{"goals":6}"#)
        _ = league.patch("/Player/1", #"{"team":2}"#)
        return league
    }

    @Test(
        arguments: [false, true],
        [
            ("objectTrump", "Bo", 9, 3, "GB", 4), ("storeTrump", "Bo", 6, 2, "GB", 4),
            ("overwrite", "Bo", 9, 3, "GB", 4), ("rollback", "Ann", 6, 2, "GB", 3),
        ] as [(String, String, Int, Int, String, Int)])
    func aBodyOfAnOlderVersionIsMerged(
        _ inMemory: Bool,
        _ expected: (String, name: String, goals: Int, team: Int, country: String, version: Int)
    ) throws {
        let league = try Self.league(inMemory)
        let answer = league.patch(
            "/Player/1?mergePolicy=\(expected.0)",
            #"{"name":"Bo","_version":1,"goals":9,"team":3}"#)
        #expect(answer.status == 200, "\(answer.text)")
        let json = try answer.json
        #expect(json["name"] == .string(expected.name))
        #expect(json["goals"] == .integer(Int64(expected.goals)))
        #expect(json["team"] == .integer(Int64(expected.team)))
        #expect(json["country"] == .string(expected.country))
        #expect(json["_version"] == .integer(Int64(expected.version)))
    }

    @Test(arguments: [false, true])
    func overwriteBringsBackWhatTheClientHad(_ inMemory: Bool) throws {
        let league = try Self.league(inMemory)
        let answer = league.patch(
            "/Player/1?mergePolicy=overwrite", #"{"name":"Bo","_version":1}"#)
        let json = try answer.json
        #expect(json["goals"] == 5 && json["team"] == 1 && json["name"] == "Bo", "\(answer.text)")
        let put = league.ask(
            "PUT", "/Player/1?mergePolicy=storeTrump", #"{"name":"Cy","_version":1}"#)
        #expect(try put.json["goals"] == 5 && put.json["country"] == .null, "\(put.text)")
        let none = league.patch("/Player/1?mergePolicy=objectTrump", #"{"_version":99}"#)
        #expect(none.status == 409)
        #expect(league.patch("/Player/1?mergePolicy=mine", "{}").status == 400)
        #expect(league.patch("/Player/1?mergePolicy=objectrump", "{}").hint.contains("objectTrump"))
        let error = league.patch("/Player/1?mergePolicy=error", #"{"_version":1,"name":"x"}"#)
        #expect(error.code == "conflict.version")
        let transaction = league.post(
            "/transactions?mergePolicy=storeTrump",
            #"[{"op":"delete","object":"Player/1","_version":1}]"#)
        #expect(transaction.status == 200)
        #expect(league.get("/Player/1").status == 200)
        #expect(
            league.post(
                "/transactions?mergePolicy=objectTrump",
                #"[{"op":"delete","object":"Player/1","_version":1}]"#
            ).text.contains("deleted"))
        #expect(league.get("/Player/1").status == 404)
    }

    static func shop(_ inMemory: Bool) throws -> ServiceFixture {
        try ServiceFixture(
            makeModel(
                name: "Shop",
                [
                    EntityMaker("Product").attribute("sku", .string)
                        .attribute("shop", .integer32).attribute("name", .string)
                        .attribute("stock", .integer32) { $0.defaultValue = .int(0) }
                        .toOne("kind", "Kind", inverse: "products")
                        .unique("sku", "shop"),
                    EntityMaker("Kind").attribute("name", .string).unique("name")
                        .toMany("products", "Product", inverse: "kind"),
                ]), inMemory: inMemory)
    }

    @Test(
        arguments: [false, true],
        [
            ("objectTrump", "new", 7, "GB"), ("overwrite", "new", 7, nil),
            ("storeTrump", "old", 3, "GB"), ("rollback", "old", 3, "GB"),
        ] as [(String, String, Int, String?)])
    func postIsAnUpsert(
        _ inMemory: Bool, _ expected: (policy: String, name: String, stock: Int, kind: String?)
    ) throws {
        let shop = try Self.shop(inMemory)
        _ = shop.post(
            "/Product", #"{"sku":"a","shop":1,"name":"old","stock":3,"kind":{"name":"GB"}}"#)
        let body = #"{"sku":"a","shop":1,"name":"new","stock":7}"#
        #expect(shop.post("/Product", body).code == "133021")
        let answer = shop.post("/Product?mergePolicy=\(expected.policy)", body)
        #expect(answer.status == 200, "\(answer.text)")
        let json = try answer.json
        #expect(json["_id"] == 1 && json["name"] == .string(expected.name))
        #expect(json["stock"] == .integer(Int64(expected.stock)))
        #expect(json["kind"] == (expected.kind == nil ? .null : 1))
        let other = shop.post(
            "/Product?mergePolicy=\(expected.policy)", #"{"sku":"a","shop":2,"name":"other"}"#)
        #expect(other.status == 201)
        let null = shop.post("/Product?mergePolicy=\(expected.policy)", #"{"sku":"a"}"#)
        #expect(null.status == 201, "null is like no other: \(null.text)")
        // In bulk, with two alike in the body.
        let many = shop.post(
            "/Product?mergePolicy=\(expected.policy)",
            #"[{"sku":"a","shop":1,"name":"bulk"},{"sku":"n","shop":1,"name":"one"},{"sku":"n","shop":1,"name":"two"}]"#
        )
        #expect(many.status == 201, "\(many.text)")
        let isStored = expected.policy == "storeTrump" || expected.policy == "rollback"
        let all = try many.json.elements
        #expect(
            all.map { $0["name"] } == (isStored ? ["old", "one", "one"] : ["bulk", "two", "two"]))
        #expect(all[1]["_id"] == all[2]["_id"])
        let again = shop.post(
            "/Product?mergePolicy=\(expected.policy)", #"[{"sku":"n","shop":1}]"#)
        #expect(again.status == 200)
        // Nested, and in a transaction.
        let nested = shop.post(
            "/Product?mergePolicy=\(expected.policy)",
            #"{"sku":"k","shop":1,"kind":{"name":"GB"}}"#)
        #expect(try nested.json["kind"] == 1, "\(nested.text)")
        let operations = shop.post(
            "/transactions?mergePolicy=\(expected.policy)",
            """
            [{"op":"insert","entity":"Kind","as":"k","values":{"name":"GB"}},
             {"op":"insert","entity":"Kind","values":{"name":"FR"}},
             {"op":"insert","entity":"Kind","values":{"name":"FR"}},
             {"op":"insert","entity":"Product","values":{"sku":"t","kind":{"_ref":"k"}}}]
            """)
        #expect(operations.status == 200, "\(operations.text)")
        let entries = try operations.json.elements
        #expect(entries[0]["_id"] == 1 && entries[1]["_id"] == entries[2]["_id"])
        #expect(entries[3]["kind"] == 1)
        #expect(shop.get("/Kind/count").text == #"{"count":2}"#)
        #expect(
            shop.post("/Product?mergePolicy=\(expected.policy)", #"{"_id":1,"sku":"a","shop":1}"#)
                .status == 400)
    }

    /// A context settles at its save what the plain route settles where it reads the body.
    @Test(arguments: [false, true], ["objectTrump", "overwrite", "storeTrump", "rollback"])
    func aContextMeetsSubentitiesAsThePlainRouteDoes(
        _ inMemory: Bool, _ policy: String
    ) throws {
        let zoo = try ErrorNamingTests.zoo(inMemory)
        _ = zoo.post("/A1", #"{"code":"plain","more":"m"}"#)
        _ = zoo.post("/A1", #"{"code":"edited","more":"m"}"#)
        _ = zoo.post("/A", #"{"code":"parent"}"#)
        _ = zoo.post("/D", "{}")
        let plain = zoo.post("/A?mergePolicy=\(policy)", #"{"code":"plain","dept":1}"#)
        #expect(try plain.status == 200 && plain.json["_id"] == 1, "\(plain.text)")
        let editor = try Editor(zoo, #"{"mergePolicy":"\#(policy)"}"#)
        #expect(editor.post("/A", #"{"code":"edited","dept":1}"#).status == 201)
        let saved = editor.post("/save")
        #expect(saved.status == 200, "\(saved.text)")
        #expect(try saved.json["ids"]?["t1"]?["_id"] == 2)
        #expect(try saved.json["ids"]?["t1"]?["_entity"] == "A1")
        let (one, two) = (try zoo.get("/A1/1").json, try zoo.get("/A1/2").json)
        for name in ["_version", "more", "dept", "owner"] {
            #expect(one[name] == two[name], "\(name)")
        }
        // And refuses what that refuses, in the same words.
        let refused = zoo.post("/A1?mergePolicy=\(policy)", #"{"code":"parent"}"#)
        let other = try Editor(zoo, #"{"mergePolicy":"\#(policy)"}"#)
        #expect(other.post("/A1", #"{"code":"parent"}"#).status == 201)
        let unsaved = other.post("/save")
        #expect(unsaved.status == 409 && unsaved.code == "133021", "\(unsaved.text)")
        #expect(unsaved.detail == refused.detail && unsaved.hint == refused.hint)
        #expect(unsaved.detail == "A 3 has the same code")
        #expect(try other.state("inserted") == 1)
    }

    @Test func upsertsOfOneValueNeverFail() async throws {
        let shop = try Self.shop(false)
        let statuses = await withTaskGroup(of: [Int].self) { group in
            for writer in 0..<16 {
                group.addTask {
                    (0..<8).map { turn in
                        shop.post(
                            "/Kind?mergePolicy=objectTrump", #"{"name":"k\#((writer + turn) % 8)"}"#
                        ).status
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(statuses.allSatisfy { $0 == 200 || $0 == 201 }, "\(statuses)")
        #expect(statuses.filter { $0 == 201 }.count == 8)
        #expect(shop.get("/Kind/count").text == #"{"count":8}"#)
    }

    @Test(arguments: [false, true])
    func aConflictNamesBothVersionsAndBothValues(_ inMemory: Bool) throws {
        let league = try Self.league(inMemory)
        let tag = try #require(league.get("/Player/1")["ETag"])
        _ = league.patch("/Player/1", #"{"goals":7}"#)
        let refused = league.ask(
            "PATCH", "/Player/1", #"{"goals":8,"name":"Ann"}"#, [("If-Match", tag)])
        #expect(refused.status == 412)
        let json = try refused.json
        #expect(json["yourVersion"] == 3 && json["storedVersion"] == 4)
        #expect(
            json["conflicts"] == [.object([("key", "goals"), ("yours", 8), ("stored", 7)])])
    }

    @Test(arguments: [false, true])
    func aToOnesTagIsThatOfWhereItLeads(_ inMemory: Bool) throws {
        let league = try Self.league(inMemory)
        let tag = try #require(league.get("/Player/1/team")["ETag"])
        #expect(league.ask("PUT", "/Player/1/team", "3", [("If-Match", tag)]).status == 200)
        // Team 3 has the same version, and is another.
        #expect(league.ask("PUT", "/Player/1/team", "1", [("If-Match", tag)]).status == 412)
        #expect(league.ask("DELETE", "/Player/1/team", nil, [("If-Match", tag)]).status == 412)
        let three = try #require(league.get("/Player/1/team")["ETag"])
        #expect(league.ask("DELETE", "/Player/1/team", nil, [("If-Match", three)]).status == 204)
        let none = try #require(league.get("/Player/1/team")["ETag"])
        #expect(league.get("/Player/1/team", [("If-None-Match", none)]).status == 304)
        #expect(league.ask("PUT", "/Player/1/team", "2", [("If-Match", none)]).status == 200)
        #expect(league.ask("PUT", "/Player/1/team", "2", [("If-Match", none)]).status == 412)
        let owner = try #require(league.get("/Player/1")["ETag"])
        #expect(league.ask("PUT", "/Player/1/team", "1", [("If-Match", owner)]).status == 412)
        #expect(league.ask("PUT", "/Player/1/team", "1", [("If-Match", "*")]).status == 200)
    }

    @Test(arguments: [false, true])
    func preconditionsHoldOnWrites(_ inMemory: Bool) throws {
        let league = try Self.league(inMemory)
        let any = [(name: "If-None-Match", value: "*")]
        #expect(league.ask("PUT", "/Player/1", #"{"name":"x"}"#, any).status == 412)
        #expect(league.ask("DELETE", "/Player/1", nil, any).status == 412)
        #expect(league.ask("PATCH", "/Player/9", "{}", any).status == 404)
        let tag = try #require(league.get("/Player/1")["ETag"])
        #expect(league.ask("PATCH", "/Player/1", "{}", [("If-None-Match", tag)]).status == 412)
        #expect(
            league.ask("PATCH", "/Player/1", "{}", [("If-None-Match", "\"1-x\"")]).status == 200)
        let list = try #require(league.get("/Team/2/players")["ETag"])
        #expect(league.ask("PUT", "/Team/2/players", "[]", [("If-Match", list)]).status == 200)
        #expect(league.ask("PUT", "/Team/2/players", "[1]", [("If-Match", list)]).status == 412)
        let all = try #require(league.get("/Team")["ETag"])
        #expect(league.ask("POST", "/Team", #"{"name":"D"}"#, [("If-Match", all)]).status == 201)
        #expect(league.ask("POST", "/Team", #"{"name":"E"}"#, [("If-Match", all)]).status == 412)
        #expect(
            league.ask("PATCH", "/Team?where=TRUEPREDICATE", "{}", [("If-Match", all)]).status
                == 412)
        #expect(league.ask("POST", "/transactions", "[]", [("If-Match", "*")]).status == 412)
        #expect(league.ask("POST", "/transactions", "[]", any).status == 200)
        _ = league.ask("PUT", "/Team/2/players", "[1]")
        let member = try #require(league.get("/Team/2/players/1")["ETag"])
        _ = league.patch("/Player/1", #"{"goals":70}"#)
        #expect(
            league.ask("DELETE", "/Team/2/players/1", nil, [("If-Match", member)]).status == 412)
    }
}
