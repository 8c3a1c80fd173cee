// `POST /{Entity}/query`: the parameters of a list in a body.

import SteleHTTP
import SteleJSON
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct QueryRouteTests {
    @Test(
        "A body answers as the address does, byte for byte",
        arguments: [
            (#"{"where":"goals > 2","sort":"-goals"}"#, "where=goals%20%3E%202&sort=-goals"),
            (#"{"sort":["-goals","name"],"limit":2}"#, "sort=-goals,name&limit=2"),
            (
                #"{"where":"goals IN $G","var":{"G":[3,7]},"select":["name","goals"]}"#,
                "where=goals%20IN%20%7B3,7%7D&select=name,goals"
            ),
            (
                #"{"where":"name IN $N","var.N":["Ann","a \"b\""]}"#,
                "where=name%20IN%20%7B%22Ann%22%7D"
            ),
            (#"{"where":"salary == $S","var.S":null}"#, "where=salary%20==%20nil"),
            (#"{"where":"name == $N","var":{"N":null}}"#, "where=name%20==%20nil"),
            (#"{"where":"name == $N","var":{"N":"nil"}}"#, "where=name%20==%20%22nil%22"),
            (#"{"where":"goals IN $G","var":{"G":["3",7]}}"#, "where=goals%20IN%20%7B3,7%7D"),
            (#"{"where":"goals > $G","var":{"G":2.5e0}}"#, "where=goals%20%3E%202.5"),
            (#"{"count":true,"offset":1,"include":"team"}"#, "count=true&offset=1&include=team"),
            (#"{"format":"csv","select":"name"}"#, "format=csv&select=name"),
            ("{}", ""),
        ])
    func same(_ body: String, _ query: String) throws {
        let league = try ReadingTests.filled()
        let posted = league.post("/Player/query", body)
        let got = league.get("/Player" + (query.isEmpty ? "" : "?" + query))
        #expect(got.status == 200 && posted.status == 200, "\(got.text) \(posted.text)")
        #expect(posted.bytes == got.bytes, "\(posted.text)")
        #expect(posted["ETag"] == nil && got["ETag"] != nil)
        #expect(posted["Total-Count"] == got["Total-Count"])
        #expect(posted["Content-Type"] == got["Content-Type"])
    }

    @Test func theNextPageTakesTheSameBody() throws {
        let league = try ReadingTests.filled()
        let body = #"{"where":"goals >= 0","sort":"-goals","limit":2,"select":"name"}"#
        var target = "/Player/query"
        var names: [String] = []
        for _ in 0..<4 {
            let page = league.post(target, body)
            names += try ReadingTests.names(page)
            guard let next = page.next else { break }
            target = next
            #expect(target.hasPrefix("/Player/query?after="))
        }
        #expect(names == ["Ann", "Ed", "Bo", "Cy", "di"])
    }

    @Test func aLongPredicateHasRoom() throws {
        let league = try ReadingTests.filled()
        let ids = (1...30_000).map(String.init).joined(separator: ",")
        let answer = league.post(
            "/Player/query", #"{"where":"_id IN {\#(ids)}","select":"_id"}"#)
        #expect(answer.text == #"[{"_id":1},{"_id":2},{"_id":3},{"_id":4},{"_id":5}]"#)
        #expect(league.get("/Player?where=_id%20IN%20%7B\(ids)%7D").status == 414)
    }

    @Test(arguments: [
        ("POST", "/Player/query", "[]", 400, "request.body", "object"),
        ("POST", "/Player/query", "", 400, "json.empty", "JSON body"),
        ("POST", "/Player/query", #"{"wher":"a"}"#, 400, "request.unknown-parameter", "where"),
        ("POST", "/Player/query", #"{"where":{"a":1}}"#, 400, "request.body", "where"),
        ("POST", "/Player/query", #"{"where":["a"]}"#, 400, "request.body", "where"),
        ("POST", "/Player/query", #"{"sort":[1]}"#, 400, "request.body", "sort"),
        ("POST", "/Player/query", #"{"limit":0}"#, 400, "request.parameter", "limit"),
        ("POST", "/Player/query", #"{"limit":1.5}"#, 400, "request.parameter", "limit"),
        ("POST", "/Player/query", #"{"var":{"A":{}}}"#, 400, "request.body", "var.A"),
        (
            "POST", "/Player/query?limit=1", #"{"limit":2}"#, 400, "request.duplicate-parameter",
            "limit"
        ),
        (
            "POST", "/Player/query", #"{"where":"name == $N","var":{"N":5}}"#, 400,
            "predicate.variable", "$N is a number, and name is text"
        ),
        ("POST", "/Player/query", #"{"where":"goals >"}"#, 400, "predicate.syntax", "where"),
        ("GET", "/Player/query", "", 405, "method.not-allowed", "body"),
    ])
    func refused(
        _ method: String, _ target: String, _ body: String, _ status: Int, _ code: String,
        _ names: String
    ) throws {
        let answer = try ReadingTests.filled().ask(method, target, body)
        #expect(answer.status == status && answer.code == code, "\(answer.text)")
        #expect(answer.detail.contains(names) || answer.hint.contains(names), "\(answer.text)")
    }

    @Test func variablesAreBounded() throws {
        let league = try ServiceFixture.league()
        let many = (0..<40_000).map { #""a\#($0)":1"# }.joined(separator: ",")
        let start = ContinuousClock.now
        let answer = league.post("/Player/query", #"{"var":{\#(many)}}"#)
        #expect(answer.status == 400 && answer.detail.contains("256 variables"), "\(answer.text)")
        #expect(ContinuousClock.now - start < .seconds(2))
        #expect(league.post("/Player/query", #"{"var":{"a":1,"a":2}}"#).status == 400)
        #expect(
            league.post("/Player/query", #"{"var":{"a":1},"var.a":2}"#).code
                == "request.duplicate-parameter")
    }
}
