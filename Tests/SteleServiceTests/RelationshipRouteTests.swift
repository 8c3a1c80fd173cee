// A relationship's own routes.

import SteleJSON
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct RelationshipRouteTests {
    @Test func aToManyTakesEveryParameterOfAList() throws {
        let league = try ReadingTests.filled()
        #expect(try ReadingTests.names(league.get("/Team/1/players")) == ["Ann", "Bo"])
        #expect(
            try ReadingTests.names(league.get("/Team/1/players?where=goals%3C5&sort=-name")) == [
                "Bo"
            ])
        #expect(league.get("/Team/1/players/count").text == #"{"count":2}"#)
        #expect(league.get("/Team/3/players").text == "[]")
        #expect(league.get("/Team/9/players").status == 404)
        #expect(league.get("/Team/9/players/count").status == 404)
        #expect(try league.get("/Team/1/players/2").json["name"] == "Bo")
        let stranger = league.get("/Team/1/players/3")
        #expect(stranger.status == 404)
        #expect(stranger.code == "object.not-a-member")
        #expect(
            league.get("/Team/1/players?limit=1")["Link"]?.hasPrefix(
                "</Team/1/players?limit=1&after=") ?? false)
    }

    @Test func aToOneGivesTheObjectOrNull() throws {
        let league = try ReadingTests.filled()
        #expect(try league.get("/Player/1/team").json["name"] == "Rovers")
        #expect(league.get("/Player/4/team").text == "null")
        #expect(league.get("/Player/99/team").status == 404)
        #expect(league.ask("PUT", "/Player/4/team", "2").text == "2")
        #expect(try league.get("/Player/4").json["team"] == 2)
        #expect(league.ask("PUT", "/Player/4/team", #"{"name":"New"}"#).text == "4")
        #expect(league.ask("DELETE", "/Player/4/team").status == 204)
        #expect(league.get("/Player/4/team").text == "null")
        #expect(league.ask("PUT", "/Player/4/team", "null").text == "null")
        #expect(league.ask("PUT", "/Player/4/team", "77").status == 422)
        #expect(league.ask("PUT", "/Player/4/team", "[1]").status == 422)
    }

    @Test func aToManyIsReplacedAddedToAndTakenFrom() throws {
        let league = try ReadingTests.filled()
        let put = league.ask("PUT", "/Team/3/players", "[4, 5]")
        #expect(put.status == 200)
        #expect(put.text == "[4,5]")
        #expect(league.post("/Team/3/players", "[3]").text == "[3,4,5]")
        #expect(league.post("/Team/3/players", "2").text == "[2,3,4,5]")
        #expect(league.post("/Team/3/players", #"{"name":"Fay"}"#).text == "[2,3,4,5,6]")
        #expect(league.ask("DELETE", "/Team/3/players/3").status == 204)
        #expect(league.ask("DELETE", "/Team/3/players/3").status == 404)
        #expect(league.get("/Team/2/players").text == "[]")
        #expect(league.ask("PUT", "/Team/3/players", "[99]").status == 422)
        #expect(league.ask("PUT", "/Team/3/players", "[2,2]").status == 400)
        #expect(league.ask("PUT", "/Team/3/players", "4").status == 400)
        #expect(league.ask("DELETE", "/Team/3/players").status == 405)
        #expect(
            league.ask("POST", "/Player/1/team", "1")["Allow"] == "GET, HEAD, PUT, DELETE, OPTIONS")
    }

    @Test func anOrderedRelationshipKeepsItsOrder() throws {
        let zoo = try ServiceFixture.zoo()
        _ = zoo.post("/Canvas", #"{"name":"c"}"#)
        for color in ["red", "green", "blue"] {
            #expect(zoo.post("/Circle", "{\"color\":\"\(color)\"}").status == 201)
        }
        #expect(zoo.ask("PUT", "/Canvas/1/shapes", "[3,1,2]").text == "[3,1,2]")
        func colors(_ query: String = "") throws -> [JSONValue] {
            guard case .array(let rows) = try zoo.get("/Canvas/1/shapes\(query)").json else {
                return []
            }
            return rows.compactMap { $0["color"] }
        }
        #expect(try colors() == ["blue", "red", "green"])
        #expect(zoo.post("/Canvas/1/shapes?at=0", "2").text == "[2,3,1]")
        #expect(
            zoo.post("/Canvas/1/shapes?at=1", #"[{"_entity":"Square"},{"_entity":"Circle"}]"#).text
                == "[2,4,5,3,1]")
        #expect(try colors("?limit=2") == ["green", "black"])
        #expect(zoo.get("/Canvas/1/shapes?limit=2")["Link"]?.contains("offset=2") ?? false)
        #expect(try colors("?where=color!=%22black%22&offset=1") == ["blue", "red"])
        #expect(try colors("?sort=-color,_id") == ["red", "green", "blue", "black", "black"])
        func ids(_ query: String) -> String {
            zoo.get("/Canvas/1/shapes?\(query)select=_id").text.filter { $0.isNumber || $0 == "," }
        }
        #expect(ids("") == "2,4,5,3,1")
        #expect(ids("limit=2&offset=1&") == "4,5")
        #expect(ids("sort=-color&") == "1,2,3,4,5")
        _ = zoo.ask("PUT", "/Canvas/1/shapes", "[5,3,4,1,2]")
        #expect(ids("sort=color&") == "5,4,3,2,1", "ties in the relationship's order")
        #expect(ids("where=color==%22black%22&") == "5,4")
        #expect(zoo.get("/Canvas/1/shapes?select=_id&limit=2&count=true")["Total-Count"] == "5")
        _ = zoo.ask("PUT", "/Canvas/1/shapes", "[2,4,5,3,1]")
        #expect(zoo.get("/Canvas/1?select=shapes").text == #"{"shapes":[2,4,5,3,1]}"#)
        guard case .array(let embedded)? = try zoo.get("/Canvas/1?include=shapes").json["shapes"]
        else {
            Issue.record("not embedded")
            return
        }
        #expect(embedded.compactMap { $0["_id"] } == [2, 4, 5, 3, 1])
        #expect(zoo.post("/Page", "{}").status == 201)
        #expect(zoo.post("/Page/1/tags?at=0", "1").status == 400)
    }

    @Test func relationshipsWithoutInverseAndManyToManyWork() throws {
        let zoo = try ServiceFixture.zoo()
        #expect(
            zoo.post(
                "/Page", #"{"title":"p","notes":[{"text":"n"}],"tags":[{"name":"a"},{"name":"b"}]}"#
            ).status == 201)
        #expect(zoo.get("/Page/1/notes").text.contains(#""text":"n""#))
        #expect(zoo.get("/Page/1/notes/count").text == #"{"count":1}"#)
        #expect(
            zoo.get("/Page/1/tags?sort=-name&select=name").text == #"[{"name":"b"},{"name":"a"}]"#)
        #expect(zoo.get("/Tag/2/pages?select=title").text == #"[{"title":"p"}]"#)
        #expect(zoo.ask("PUT", "/Tag/2/pages", "[]").text == "[]")
        #expect(zoo.get("/Page/1/tags/count").text == #"{"count":1}"#)
        let twice = zoo.post("/Tag", #"{"name":"a"}"#)
        #expect(twice.status == 409)
        #expect(twice.code == "133021")
        #expect(try twice.json["constraint"] == ["name"])
    }
}
