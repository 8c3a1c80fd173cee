// NDJSON and CSV: what a line is, and what stands in it.

import SteleHTTP
import SteleJSON
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct FormatTests {
    @Test func aLineOfJSONARow() throws {
        let league = try ReadingTests.filled()
        let answer = league.get("/Player?format=ndjson&select=name,team&include=team&limit=2")
        #expect(answer["Content-Type"] == "application/x-ndjson")
        let team =
            #"{"_id":1,"_entity":"Team","_version":1,"city":"Leeds","founded":null,"#
            + #""name":"Rovers"}"#
        #expect(
            answer.text == #"{"name":"Ann","team":\#(team)}"# + "\n"
                + #"{"name":"Bo","team":\#(team)}"# + "\n")
        #expect(answer["Link"]?.contains("after=") ?? false)
        let all = league.get("/Player", [("Accept", "application/x-ndjson")])
        #expect(all["Content-Type"] == "application/x-ndjson" && all["Link"] == nil)
        let lines = all.text.split(separator: "\n")
        #expect(lines.count == 5)
        #expect("[\(lines.joined(separator: ","))]" == league.get("/Player").text)
        #expect(all["ETag"] != league.get("/Player")["ETag"])
        let again = league.get(
            "/Player",
            [("Accept", "application/x-ndjson"), ("If-None-Match", all["ETag"] ?? "")])
        #expect(again.status == 304)
    }

    @Test func cellsAreNullEmptyAndQuoted() throws {
        let league = try ServiceFixture.league()
        let made = league.post(
            "/Team",
            #"""
            [{"name":"a,b","city":""},{"name":"say \"hi\""},{"name":"two\nlines","founded":1900},
             {"name":" é ","players":[{"name":"P","salary":"12345678901234567890.5"},
               {"name":"Q"}]}]
            """#)
        #expect(made.status == 201, "\(made.text)")
        let answer = league.get("/Team?format=csv")
        #expect(answer["Content-Type"] == "text/csv; charset=utf-8; header=present")
        #expect(
            answer.text
                == "_id,_entity,_version,city,founded,name\r\n"
                + "1,Team,1,\"\",,\"a,b\"\r\n" + "2,Team,1,,,\"say \"\"hi\"\"\"\r\n"
                + "3,Team,1,,1900,\"two\nlines\"\r\n" + "4,Team,1,,, é \r\n")
        let columns = league.get(
            "/Team?select=name,players,n:players.@count&where=_id%3E3",
            [("Accept", "text/csv")])
        #expect(columns.text == "name,players,n\r\n é ,\"[1,2]\",2\r\n")
        let players = league.get(
            "/Player?format=csv&numbers=string&select=" + encoded("name,salary,sum:salary + 1"))
        #expect(
            players.text == "name,salary,sum\r\nP,12345678901234567890.5,12345678901234567891.5\r\n"
                + "Q,,\r\n")
        let groups = league.get("/Player?format=csv&select=team.name,count()&groupBy=team.name")
        #expect(groups.text == "team.name,count()\r\n é ,2\r\n")
        let none = league.get("/Player?format=csv&where=_id%3E9")
        #expect(none.text.split(separator: "\r\n").count == 1)
    }

    @Test func everyTypeHasACell() throws {
        let zoo = try ServiceFixture.zoo()
        let made = zoo.post(
            "/Sample",
            #"""
            {"binary":"AQID","boolean":true,"date":"2026-01-02T03:04:05.5Z","decimal":"0.10",
             "double":1e300,"float":0.1,"int64":9007199254740993,"list":{"a":[1,2]},
             "uri":"http://a/b","uuid":"6BA7B810-9DAD-11D1-80B4-00C04FD430C8"}
            """#)
        #expect(made.status == 201, "\(made.text)")
        let answer = zoo.get(
            "/Sample?format=csv&select="
                + "binary,boolean,date,decimal,double,float,int64,list,uri,uuid")
        let line = answer.text.split(separator: "\r\n").last ?? ""
        #expect(
            line == "AQID,true,2026-01-02T03:04:05.500Z,0.1,1e+300,0.1,9007199254740993,"
                + "\"{\"\"a\"\":[1,2]}\",http://a/b,6BA7B810-9DAD-11D1-80B4-00C04FD430C8")
    }

    @Test func aFamilyHasTheColumnsOfAllItsEntities() throws {
        let zoo = try ServiceFixture.zoo()
        let made = zoo.post(
            "/Canvas",
            #"{"shapes":[{"_entity":"Square","side":2},{"_entity":"Circle","radius":1.5}]}"#)
        #expect(made.status == 201, "\(made.text)")
        #expect(
            zoo.get("/Shape?format=csv").text
                == "_id,_entity,_version,color,canvas,radius,side\r\n"
                + "1,Square,1,black,1,,2\r\n2,Circle,1,black,1,1.5,\r\n")
        #expect(
            zoo.get("/Canvas/1/shapes?format=csv&select=_id,_entity").text
                == "_id,_entity\r\n1,Square\r\n2,Circle\r\n")
    }

    @Test(arguments: [
        ("/Player?format=csv&include=team", 400, "format=ndjson"),
        ("/Player?format=xml", 400, "json, ndjson or csv"),
        ("/Player/1?format=csv", 400, "format must be json here"),
        ("/Player/count?format=ndjson", 400, "format must be json here"),
        ("/Player?limit=20000", 400, "10000"), ("/Player?format=csv&limit=0", 400, "limit"),
    ])
    func refused(_ target: String, _ status: Int, _ names: String) throws {
        let answer = try ReadingTests.filled().get(target)
        #expect(answer.status == status, "\(answer.text)")
        #expect(answer.detail.contains(names) || answer.hint.contains(names), "\(answer.text)")
    }

    @Test func aLongListSaysWhereTheNextBegins() throws {
        let league = try ServiceFixture(TestModels.league()) { $0.limits.maximumListLimit = 2 }
        let teams = (1...7).map { #"{"name":"T\#($0)"}"# }.joined(separator: ",")
        #expect(league.post("/Team", "[\(teams)]").status == 201)
        let first = league.get("/Team?format=csv&select=name&sort=-name&limit=4&count=true")
        #expect(first.text == "name\r\nT7\r\nT6\r\nT5\r\nT4\r\n")
        #expect(first["Total-Count"] == "7")
        let next = try #require(first.next)
        let second = league.get(next)
        #expect(second.text == "name\r\nT3\r\nT2\r\nT1\r\n", "\(next)")
        #expect(second["Link"] == nil)
    }
}
