// Creating, changing and deleting objects, alone and nested.

import SteleJSON
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct WritingTests {
    @Test func aCreatedObjectComesBackWholeWithItsAddress() throws {
        let league = try ServiceFixture.league()
        let made = league.post("/Team", #"{"name":"Rovers","city":"Leeds"}"#)
        #expect(made.status == 201)
        #expect(made["Location"] == "/Team/1")
        #expect(
            made.text
                == #"{"_id":1,"_entity":"Team","_version":1,"city":"Leeds","founded":null,"name":"Rovers"}"#
        )
        #expect(league.get("/Team/1").text == made.text)
        #expect(league.get("/Team/1")["ETag"] == made["ETag"])
    }

    @Test func anArrayIsOneSaveAndComesBackAsAnArray() throws {
        let league = try ServiceFixture.league()
        let made = league.post("/Team", #"[{"name":"A"},{"name":"B"}]"#)
        #expect(made.status == 201)
        guard case .array(let all) = try made.json else {
            Issue.record("no array")
            return
        }
        #expect(all.count == 2)
        #expect(all[1]["_id"] == 2)
        #expect(league.coordinator.currentToken == 1)
        let refused = league.post("/Team", #"[{"name":"C"},{"nam":"D"}]"#)
        #expect(refused.status == 400)
        #expect(league.get("/Team/3").status == 404)
    }

    @Test func aWholeNumberMayHaveAPoint() throws {
        let league = try ServiceFixture.league()
        _ = league.post("/Team", #"{"name":"Crew"}"#)
        for (number, goals, team) in [
            ("7.0", "\"7.0\"", "1.0"), ("7e0", "\"70e-1\"", "1e0"), ("7.0", "\"7.\"", "1"),
        ] {
            let body = "{\"name\":\"Ann\",\"number\":\(number),\"goals\":\(goals),\"team\":\(team)}"
            let made = league.post("/Player", body)
            #expect(made.status == 201, "\(made.text)")
            let json = try made.json
            #expect(json["number"] == 7 && json["goals"] == 7 && json["team"] == 1)
        }
        for (key, value) in [("goals", "\"7.5\""), ("goals", "\".5\""), ("team", "1.5")] {
            let refused = league.post("/Player", "{\"name\":\"Ann\",\"\(key)\":\(value)}")
            #expect(refused.status == 422, "\(key): \(refused.text)")
        }
    }

    @Test func aSpaceMayStandForTheTOfADate() throws {
        let league = try ServiceFixture.league()
        let body = #"{"name":"Ann","joinedAt":"2024-05-01 11:00:00+02:00"}"#
        #expect(try league.post("/Player", body).json["joinedAt"] == "2024-05-01T09:00:00Z")
        #expect(league.patch("/Player/1", #"{"joinedAt":"2024-05-01 09:00:00Z"}"#).status == 200)
        let text = encoded("joinedAt == '2024-05-01 09:00:00+00'")
        #expect(league.get("/Player?select=_id&where=\(text)").text == #"[{"_id":1}]"#)
        let query = #"{"select":"_id","where":"joinedAt == $t","var":{"t":"2024-05-01 09:00Z"}}"#
        #expect(league.post("/Player/query", query).text == #"[{"_id":1}]"#)
        let test = #"[{"op":"test","path":"/joinedAt","value":"2024-05-01 09:00:00Z"}]"#
        #expect(JSONPatchTests.patch(league, "/Player/1", test).status == 200)
    }

    @Test func aMergePatchChangesWhatItNamesAndNullClears() throws {
        let league = try ServiceFixture.league()
        _ = league.post("/Team", #"{"name":"Rovers","city":"Leeds","founded":1891}"#)
        let changed = league.patch("/Team/1", #"{"city":null,"name":"United"}"#)
        #expect(changed.status == 200)
        #expect(
            changed.text
                == #"{"_id":1,"_entity":"Team","_version":2,"city":null,"founded":1891,"name":"United"}"#
        )
        let same = league.patch("/Team/1", #"{"name":"United"}"#)
        #expect(try same.json["_version"] == 2)
        #expect(league.coordinator.currentToken == 2)
    }

    @Test func putSetsWhatItLeavesOutBackToItsDefault() throws {
        let league = try ServiceFixture.league()
        _ = league.post("/Team", #"{"name":"Rovers"}"#)
        _ = league.post("/Player", #"{"name":"Ann","goals":5,"country":"GB","team":1}"#)
        let put = league.ask("PUT", "/Player/1", #"{"name":"Bo"}"#)
        #expect(put.status == 200)
        let json = try put.json
        #expect(json["goals"] == 0)
        #expect(json["country"] == JSONValue.null)
        #expect(json["team"] == JSONValue.null)
        _ = league.ask("PUT", "/Team/1/players", "[1]")
        _ = league.ask("PUT", "/Team/1", #"{"name":"Rovers"}"#)
        #expect(league.get("/Team/1/players/1").status == 200)
        #expect(league.ask("PUT", "/Player/9", #"{"name":"Bo"}"#).status == 404)
    }

    @Test func aDeleteIsHeldToWhatItsBodyNames() throws {
        let league = try ServiceFixture.league()
        _ = league.post("/Team", #"{"name":"Rovers"}"#)
        _ = league.patch("/Team/1", #"{"city":"Leeds"}"#)
        let old = league.ask("DELETE", "/Team/1", #"{"_version":1}"#)
        #expect(old.status == 409 && old.code == "conflict.version")
        #expect(try old.json["yourVersion"] == 1)
        #expect(try old.json["storedVersion"] == 2)
        #expect(league.ask("DELETE", "/Team/1", #"{"_id":2}"#).status == 409)
        #expect(league.ask("DELETE", "/Team/1", #"{"_entity":"Player"}"#).status == 409)
        #expect(league.ask("DELETE", "/Team/1", #"{"_version":"x"}"#).status == 400)
        #expect(league.ask("DELETE", "/Team/1", "{").status == 400)
        let unknown = league.ask("DELETE", "/Team/1", #"{"version":2}"#)
        #expect(unknown.status == 400 && unknown.code == "request.unknown-key")
        #expect(unknown.detail.contains("version") && unknown.hint.contains("_version"))
        #expect(league.get("/Team/1").status == 200)
        let body = #"{"_id":1,"_entity":"Team","_version":2}"#
        #expect(league.ask("DELETE", "/Team/1", body).status == 204)
        #expect(league.get("/Team/1").status == 404)
        // In an editing context it is the version that the context has read.
        _ = league.post("/Team", #"{"name":"United"}"#)
        let context = try #require(league.post("/contexts", "")["Location"])
        #expect(league.ask("DELETE", "\(context)/Team/2", #"{"_version":9}"#).status == 409)
        #expect(league.ask("DELETE", "\(context)/Team/2", #"{"_version":1}"#).status == 204)
    }

    @Test func aBodyThatIsNotReadIsRefused() throws {
        let people = try ServiceFixture.people()
        _ = people.post("/Person", #"{"name":"Ann","icon":"AAEC","friends":[{"name":"Bo"}]}"#)
        let context = try #require(people.post("/contexts", "")["Location"])
        let token = ChangeToken(1, of: people.coordinator.store.historyLine).text
        for path in [
            "/Person/1/friends/2", "/Person/1/icon", "/Person?where=_id==1",
            "/changes?before=\(token)", "\(context)/Person/1/friends/2", context,
        ] {
            let refused = people.ask("DELETE", path, #"{"_version":1}"#)
            #expect(refused.status == 400, "\(path): \(refused.status)")
            #expect(refused.code == "request.unknown-key" && refused.detail.contains("_version"))
            #expect(people.ask("DELETE", path, "[1]").status == 400, "\(path)")
            #expect(people.ask("DELETE", path, "x").status == 400, "\(path)")
        }
        for step in ["undo", "redo", "save", "rollback", "reset", "undo-group/end"] {
            let refused = people.post("\(context)/\(step)", #"{"name":"x"}"#)
            #expect(refused.status == 400, "\(step): \(refused.status)")
        }
        let league = try ServiceFixture.league()
        _ = league.post("/Player", #"{"name":"Ann","team":{"name":"Rovers"}}"#)
        #expect(league.ask("DELETE", "/Player/1/team", #"{"_version":7}"#).status == 400)
        #expect(try league.get("/Player/1").json["team"] == 1)
        // An object without members says nothing.
        #expect(league.ask("DELETE", "/Player/1/team", "{}").status == 204)
        #expect(people.ask("DELETE", "/Person/1/friends/2").status == 204)
        #expect(people.ask("DELETE", context, "{}").status == 204)
    }

    @Test func deletingFollowsTheRules() throws {
        let league = try ServiceFixture.league()
        _ = league.post("/Team", #"{"name":"Rovers","players":[{"name":"Ann"},{"name":"Bo"}]}"#)
        #expect(league.get("/Player/2").status == 200)
        #expect(league.ask("DELETE", "/Team/1").status == 204)
        #expect(league.get("/Player/2").status == 404)
        #expect(league.ask("DELETE", "/Team/1").status == 404)
        let zoo = try ServiceFixture.zoo()
        _ = zoo.post("/Page", #"{"title":"x","blocks":[{}]}"#)
        let denied = zoo.ask("DELETE", "/Page/1")
        #expect(denied.status == 409)
        #expect(denied.code == "1600")
    }

    @Test func nestedObjectsAreMadeLinkedAndChanged() throws {
        let league = try ServiceFixture.league()
        _ = league.post("/Player", #"[{"name":"Seven"},{"name":"Eight"}]"#)
        let made = league.post(
            "/Team", #"{"name":"Crew","players":[{"name":"Ann"},1,{"_id":2,"name":"Bo"}]}"#)
        #expect(made.status == 201)
        #expect(try league.get("/Player/1").json["team"] == 1)
        #expect(try league.get("/Player/2").json["name"] == "Bo")
        #expect(try league.get("/Player/3").json["name"] == "Ann")
        let nested = league.patch("/Player/3", #"{"team":{"name":"New"}}"#)
        #expect(try nested.json["team"] == 2)
        let linked = league.patch("/Player/3", #"{"team":{"_id":1,"city":"York"}}"#)
        #expect(try linked.json["team"] == 1)
        #expect(try league.get("/Team/1").json["city"] == "York")
        let missing = league.patch("/Player/3", #"{"team":99}"#)
        #expect(missing.status == 422)
        #expect(missing.code == "object.missing-destination")
        #expect(missing.detail.contains("99"))
    }

    @Test func theHolderOfAUniqueValueIsNamedByAnAddressThatAnswers() throws {
        let shop = try ServiceFixture(
            makeModel(
                name: "Shop",
                [
                    EntityMaker("Product", isAbstract: true).attribute("sku", .string)
                        .unique("sku"),
                    EntityMaker("Hammer", parent: "Product"),
                    EntityMaker("Screw", parent: "Product"),
                ]))
        _ = shop.post("/Hammer", #"{"sku":"A-1"}"#)
        let refused = shop.post("/Screw", #"{"sku":"A-1"}"#)
        #expect(refused.code == "133021")
        guard case .string(let address)? = try refused.json["object"] else {
            Issue.record("no object: \(refused.text)")
            return
        }
        #expect(try shop.get(address).json["sku"] == "A-1", "\(address)")
    }

    @Test func anObjectThatIsThereMayBeNamedByTheEntityOfItsPlace() throws {
        let zoo = try ServiceFixture.zoo()
        _ = zoo.post("/Circle", #"{"radius":1}"#)
        for (path, name, status) in [
            ("/Shape/1", "Shape", 200), ("/Shape/1", "Circle", 200), ("/Circle/1", "Circle", 200),
            ("/Circle/1", "Shape", 409), ("/Shape/1", "Square", 409), ("/Shape/1", "Canvas", 409),
        ] {
            #expect(
                zoo.patch(path, #"{"_entity":"\#(name)","color":"red"}"#).status == status,
                "\(name) at \(path)")
        }
        _ = zoo.post("/Canvas", #"{"name":"c"}"#)
        let linked = zoo.post("/Canvas/1/shapes", #"{"_id":1,"_entity":"Shape","color":"blue"}"#)
        #expect(linked.text == "[1]")
    }

    @Test func identityInABodyMustAgree() throws {
        let league = try ServiceFixture.league()
        _ = league.post("/Team", #"{"name":"Rovers"}"#)
        #expect(league.post("/Team", #"{"_id":5,"name":"x"}"#).status == 400)
        #expect(league.patch("/Team/1", #"{"_id":2}"#).status == 409)
        #expect(league.patch("/Team/1", #"{"_id":1,"_entity":"Team","_version":1}"#).status == 200)
        #expect(league.patch("/Team/1", #"{"_entity":"Player"}"#).status == 409)
        let conflict = league.patch("/Team/1", #"{"_version":7,"name":"Mine"}"#)
        #expect(conflict.status == 409)
        #expect(try conflict.json["storedVersion"] == 1)
        #expect(try conflict.json["yourVersion"] == 7)
        #expect(
            try conflict.json["conflicts"]
                == [.object([("key", "name"), ("yours", "Mine"), ("stored", "Rovers")])])
        let zoo = try ServiceFixture.zoo()
        let abstract = zoo.post("/Shape", #"{"color":"red"}"#)
        #expect(abstract.status == 422)
        #expect(abstract.hint.contains("Circle"))
        #expect(zoo.post("/Shape", #"{"_entity":"Circle","radius":2}"#)["Location"] == "/Circle/1")
        #expect(zoo.post("/Circle", #"{"_entity":"Square"}"#).status == 422)
        #expect(zoo.post("/Circle", #"{"_entity":"Circel"}"#).hint == "did you mean Circle?")
    }

    @Test func ifMatchHoldsAClientToItsVersion() throws {
        let league = try ServiceFixture.league()
        let tag = try #require(league.post("/Team", #"{"name":"Rovers"}"#)["ETag"])
        let body = #"{"name":"United"}"#
        #expect(league.ask("PATCH", "/Team/1", body, [("If-Match", tag)]).status == 200)
        let late = league.ask("PATCH", "/Team/1", body, [("If-Match", tag)])
        #expect(late.status == 412)
        #expect(late.code == "precondition.failed")
        #expect(league.ask("DELETE", "/Team/1", nil, [("If-Match", tag)]).status == 412)
        #expect(league.ask("PATCH", "/Team/9", body, [("If-Match", "*")]).status == 412)
        #expect(league.ask("DELETE", "/Team/1", nil, [("If-Match", "*")]).status == 204)
    }

    @Test func preferMinimalSendsNoBody() throws {
        let league = try ServiceFixture.league()
        let prefer = [(name: "Prefer", value: "return=minimal")]
        let made = league.ask("POST", "/Team", #"{"name":"Rovers"}"#, prefer)
        #expect(made.status == 201)
        #expect(made["Location"] == "/Team/1")
        #expect(made["Preference-Applied"] == "return=minimal")
        #expect(made.bytes.isEmpty)
        let changed = league.ask("PATCH", "/Team/1", #"{"city":"Hull"}"#, prefer)
        #expect(changed.status == 204)
        #expect(changed["Preference-Applied"] == "return=minimal")
    }

    @Test func validationSaysWhatIsWrongWithCoreDatasCodes() throws {
        let league = try ServiceFixture.league()
        let missing = league.post("/Player", #"{"goals":1}"#)
        #expect(missing.status == 422)
        #expect(missing.code == "1570")
        let several = league.post("/Player", #"{"name":"","number":100}"#)
        #expect(several.status == 422)
        #expect(several.code == "1560")
        guard case .array(let entries)? = try several.json["errors"] else {
            Issue.record("no entries")
            return
        }
        #expect(entries.count == 2)
        #expect(entries.contains { $0["code"] == 1670 && $0["key"] == "name" })
        #expect(
            entries.contains {
                $0["code"] == 1610 && $0["name"] == "NSValidationNumberTooLargeError"
            })
    }

    @Test func oneValueThatBreaksTwoRulesIsTwoEntries() throws {
        let shop = try ServiceFixture(
            makeModel(
                name: "Shop",
                [
                    EntityMaker("Item").attribute("code", .string) {
                        $0.maximum = .int(3)
                        $0.regularExpression = "[a-z]+"
                    }
                ]))
        let answer = shop.post("/Item", #"{"code":"ABCD"}"#)
        #expect(answer.status == 422 && answer.code == "1560", "\(answer.text)")
        guard case .array(let entries)? = try answer.json["errors"] else {
            Issue.record("no entries")
            return
        }
        #expect(entries.map { $0["code"] } == [1660, 1680])
        #expect(entries.allSatisfy { $0["key"] == "code" && $0["value"] == "ABCD" })
    }

    @Test func sixtyFourWritersOnOneObjectNeverMeetAConflict() async throws {
        let league = try ServiceFixture.league()
        _ = league.post("/Player", #"{"name":"Ann","goals":0}"#)
        let statuses = await withTaskGroup(of: [Int].self) { group in
            for writer in 0..<64 {
                group.addTask {
                    (0..<4).map {
                        league.patch("/Player/1", "{\"goals\":\(writer * 4 + $0 + 1)}").status
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(statuses.count == 256)
        #expect(statuses.allSatisfy { $0 == 200 })
        #expect(try league.get("/Player/1").json["_version"] == 257)
    }
}
