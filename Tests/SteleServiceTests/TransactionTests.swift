// `POST /transactions`: operations that name each other, in one save.

import SteleJSON
import SteleSystem
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct TransactionTests {
    @Test(arguments: [false, true])
    func operationsAreOneSaveAndAnswerInTheirOrder(_ inMemory: Bool) throws {
        let league = try ServiceFixture(TestModels.league(), inMemory: inMemory)
        _ = league.post("/Player", #"[{"name":"Ann"},{"name":"Bo"},{"name":"Cy"}]"#)
        let before = league.coordinator.currentToken
        let answer = league.post(
            "/transactions",
            """
            [{"op":"update","object":"Player/1","values":{"team":{"_ref":"t"},"goals":2}},
             {"op":"insert","entity":"Team","as":"t","values":{"name":"Crew","players":[2,{"_ref":"d"}]}},
             {"op":"insert","entity":"Player","as":"d","values":{"name":"Di"}},
             {"op":"delete","object":"/Player/3"}]
            """)
        #expect(answer.status == 200, "\(answer.text)")
        guard case .array(let entries) = try answer.json else {
            Issue.record("no array: \(answer.text)")
            return
        }
        #expect(entries.count == 4)
        #expect(entries[0]["_id"] == 1 && entries[0]["team"] == 1 && entries[0]["goals"] == 2)
        #expect(entries[0]["_version"] == 2)
        #expect(entries[1]["_entity"] == "Team" && entries[1]["_id"] == 1)
        #expect(entries[2]["name"] == "Di" && entries[2]["team"] == 1)
        #expect(
            entries[3] == .object([("_entity", "Player"), ("_id", 3), ("deleted", .bool(true))]))
        #expect(league.coordinator.currentToken == before + 1)
        #expect(
            league.get("/Team/1/players?select=_id").text == #"[{"_id":1},{"_id":2},{"_id":4}]"#)
        #expect(league.get("/Player/3").status == 404)
    }

    @Test(arguments: [false, true])
    func allIsRefusedWhereOneOperationIs(_ inMemory: Bool) throws {
        let league = try ServiceFixture(TestModels.league(), inMemory: inMemory)
        _ = league.post("/Team", #"{"name":"Crew"}"#)
        let before = league.coordinator.currentToken
        for (operation, status, code) in [
            (#"{"op":"update","object":"Team/9","values":{}}"#, 404, "object.unknown"),
            (
                #"{"op":"insert","entity":"Player","values":{"name":"x","team":{"_ref":"u"}}}"#,
                422,
                "reference.unknown"
            ),
            (
                #"{"op":"insert","entity":"Player","values":{"name":"x","team":77}}"#, 422,
                "object.missing-destination"
            ),
            (
                #"{"op":"insert","entity":"Player","values":{"nam":"x"}}"#, 400,
                "request.unknown-key"
            ),
            (#"{"op":"insert","entity":"Plaier"}"#, 422, "entity.mismatch"),
            (#"{"op":"remove","object":"Team/1"}"#, 400, "request.body"),
            (#"{"op":"delete","object":"Team/1","values":{}}"#, 400, "request.unknown-key"),
            (
                #"{"op":"insert","entity":"Player","as":"t","values":{"name":"x"}}"#, 400,
                "request.body"
            ),
            (#"{"op":"delete","object":"Team/1","_version":7}"#, 409, "conflict.version"),
            (
                #"{"op":"update","object":"Team/1","values":{"_version":7,"name":"x"}}"#, 409,
                "conflict.version"
            ),
            (#"{"op":"update","object":"1","values":{}}"#, 400, "request.body"),
            (#"{"op":"update","object":{"_ref":"none"},"values":{}}"#, 422, "reference.unknown"),
            ("7", 400, "request.body"),
        ] {
            let answer = league.post(
                "/transactions",
                #"[{"op":"insert","entity":"Team","as":"t","values":{"name":"New"}},\#(operation)]"#
            )
            #expect(answer.status == status, "\(operation): \(answer.text)")
            #expect(answer.code == code, "\(operation): \(answer.text)")
            #expect(try answer.json["operation"] == 1, "\(operation): \(answer.text)")
            #expect(answer.detail.hasPrefix("operation 1: "), "\(answer.detail)")
        }
        let invalid = league.post(
            "/transactions",
            #"[{"op":"insert","entity":"Team","values":{"name":"A"}},{"op":"insert","entity":"Player"}]"#
        )
        #expect(invalid.code == "1570")
        #expect(league.post("/transactions", "{}").code == "request.body")
        #expect(league.get("/transactions").status == 405)
        #expect(league.coordinator.currentToken == before)
        #expect(league.get("/Team/count").text == #"{"count":1}"#)
    }

    @Test(arguments: [false, true])
    func anOperationMayUndoAnother(_ inMemory: Bool) throws {
        let league = try ServiceFixture(TestModels.league(), inMemory: inMemory)
        _ = league.post("/Team", #"{"name":"Crew","players":[{"name":"Ann"}]}"#)
        // A new object that is deleted again leaves nothing but its entry.
        let gone = league.post(
            "/transactions",
            """
            [{"op":"insert","entity":"Team","as":"t","values":{"name":"New"}},
             {"op":"update","object":"Player/1","values":{"team":{"_ref":"t"}}},
             {"op":"update","object":{"_ref":"t"},"values":{"city":"York"}},
             {"op":"delete","object":"Team/1"}]
            """)
        #expect(gone.status == 200, "\(gone.text)")
        #expect(try league.get("/Player/1").json["team"] == 2)
        #expect(try league.get("/Team/2").json["city"] == "York")
        // A cascade tells of what it takes with it.
        let cascade = league.post(
            "/transactions",
            """
            [{"op":"update","object":"Player/1","values":{"goals":3}},
             {"op":"delete","object":"Team/2"},
             {"op":"insert","entity":"Team","as":"x","values":{"name":"X"}},
             {"op":"delete","object":{"_ref":"x"}}]
            """)
        #expect(
            cascade.text
                == #"[{"_entity":"Player","_id":1,"deleted":true},{"_entity":"Team","_id":2,"deleted":true},"#
                + #"{"_entity":"Team","_id":null,"deleted":true},{"_entity":"Team","_id":null,"deleted":true}]"#
        )
        #expect(league.get("/Player/count").text == #"{"count":0}"#)
        let late = league.post(
            "/transactions",
            """
            [{"op":"insert","entity":"Team","as":"x","values":{"name":"X"}},
             {"op":"delete","object":{"_ref":"x"}},
             {"op":"insert","entity":"Player","values":{"name":"Bo","team":{"_ref":"x"}}}]
            """)
        #expect(late.status == 404)
        #expect(try late.json["operation"] == 2)
    }

    @Test func aReferenceOutsideATransactionSaysWhereItBelongs() throws {
        let league = try ServiceFixture.league()
        let answer = league.post("/Player", #"{"name":"Ann","team":{"_ref":"t"}}"#)
        #expect(answer.status == 400)
        #expect(answer.hint.contains("/transactions"))
    }

    /// Twice as many take twice as long, not four times.
    @Test func manyOperationsTakeTimeInProportion() throws {
        let league = try ServiceFixture(TestModels.league())
        func seconds(_ count: Int) -> Double {
            let operation = #"{"op":"insert","entity":"Team","values":{"name":"a"}}"#
            let body = Array(repeating: operation, count: count).joined(separator: ",")
            let start = ThreadClock.now
            #expect(league.post("/transactions", "[\(body)]").status == 200)
            return Double(ThreadClock.now - start) / 1e9
        }
        _ = seconds(100)
        let (few, many) = (seconds(1_500), seconds(12_000))
        #expect(many < 20 * few, "\(few) s and \(many) s")
    }

    @Test func subentitiesAddressesAndLimitsHold() throws {
        let zoo = try ServiceFixture(TestModels.zoo()) {
            $0.limits.objectsPerBody = 3
            $0.basePath = "/api"
        }
        let made = zoo.post(
            "/api/transactions",
            """
            [{"op":"insert","entity":"Canvas","as":"c","values":{"name":"c"}},
             {"op":"insert","entity":"lower","as":"l","values":{"name":"l"}}]
            """)
        #expect(made.status == 413, "an operation and its values each count: \(made.text)")
        let one = zoo.post(
            "/api/transactions",
            #"[{"op":"insert","entity":"lower","values":{"name":"l"}}]"#)
        #expect(one.status == 200)
        let changed = zoo.post(
            "/api/transactions",
            #"[{"op":"update","object":"/api/entities/lower/1","values":{"name":"m"}}]"#)
        #expect(changed.text.contains(#""name":"m""#), "\(changed.text)")
        let abstract = zoo.post("/api/transactions", #"[{"op":"insert","entity":"Shape"}]"#)
        #expect(abstract.code == "entity.abstract")
        let circle = zoo.post(
            "/api/transactions",
            #"[{"op":"insert","entity":"Shape","values":{"_entity":"Circle","radius":2}}]"#)
        #expect(circle.text.contains(#""_entity":"Circle""#))
    }
}
