// Encrypted attributes, of which only nil can be asked, and Transformable values that are one.

import SteleHTTP
import SteleModel
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct EncryptedTests {
    /// Teams and players with an encrypted attribute each, and values that are not.
    private func teams(_ inMemory: Bool) throws -> ServiceFixture {
        _ = AttributeModels.keys
        let fixture = try ServiceFixture(
            try makeModel(
                name: "Teams",
                [
                    EntityMaker("Team").attribute("name", .string)
                        .attribute("code", .transformable) { $0.valueTransformerName = "FirstKey" }
                        .attribute("badge", .transformable) {
                            $0.valueTransformerName = "NSSecureUnarchiveFromData"
                        }
                        .attribute("extras", .transformable)
                        .toMany("players", "Player", inverse: "team"),
                    EntityMaker("Player").attribute("name", .string)
                        .attribute("pin", .transformable) { $0.valueTransformerName = "FirstKey" }
                        .toOne("team", "Team", inverse: "players"),
                ]), inMemory: inMemory)
        let made = fixture.post(
            "/Team",
            """
            [{"name":"A","code":"x","players":[{"name":"a","pin":1},{"name":"b","pin":1}]},
             {"name":"B","code":"x","players":[{"name":"c"}]},{"name":"C"}]
            """)
        #expect(made.status == 201, "\(made.text)")
        return fixture
    }

    @Test(arguments: [false, true])
    func whatTellsEncryptedValuesApartIsRefused(_ inMemory: Bool) throws {
        let teams = try teams(inMemory)
        let conditions: [(entity: String, text: String)] = [
            ("Team", #"code == "x""#), ("Team", "code == code"), ("Team", "code != badge"),
            ("Team", #"code IN {"x"}"#), ("Team", "code IN players.pin"),
            ("Team", "{code} == {code}"), ("Team", "players.pin CONTAINS code"),
            ("Team", "players.@distinctUnionOfObjects.pin.@count == 1"),
            ("Team", "count(distinct players.pin) == 1"), ("Team", "players.pin.@max == nil"),
            ("Team", "(players.pin UNION players.pin).@count == 1"),
            ("Team", "mode(players.pin)[0] == nil"), ("Team", "code < code"),
            ("Player", "pin == team.code"),
            ("Player", "TERNARY(name == nil, pin, team.code) == nil"),
        ]
        for (entity, text) in conditions {
            let answer = teams.get("/\(entity)?where=\(encoded(text))")
            #expect(
                answer.status == 400 && answer.code == "predicate.type", "\(text): \(answer.text)")
            #expect(answer.detail.contains("encrypted"), "\(text): \(answer.detail)")
        }
        for target in [
            "Team?sort=code", "Team?sort=-name,-code", "Player?sort=team.code",
            "Team?select=code,n:count()&groupBy=code", "Team?select=code&distinct=true",
            "Player?select=c:team.code,n:count()&groupBy=team.code",
            "Player?select=name,team.code&distinct=true", "Team?select=count(distinct%20code)",
            "Team?select=min(code)", "Player?select=max(team.code)",
            "Team?select=name,n:count()&groupBy=name&having=min(code)%20==%20nil",
            "Team?select=c:noindex(code)", "Team?select=c:TERNARY(name%20==%20nil,code,nil)",
        ] {
            let answer = teams.get("/" + target)
            #expect(
                answer.status == 400 && answer.code == "predicate.type", "\(target): \(answer.text)"
            )
            #expect(answer.detail.contains("encrypted"), "\(target): \(answer.detail)")
        }
        for section in ["code", "team.code"] {
            let target = "/\(section == "code" ? "Team" : "Player")?sectionBy=\(section)"
            let answer = teams.ask("GET", target, nil, [("Accept", "text/event-stream")])
            #expect(answer.status == 400 && answer.detail.contains("encrypted"), "\(answer.text)")
        }
    }

    @Test(arguments: [false, true])
    func anEncryptedValueIsReadCountedAndComparedWithNil(_ inMemory: Bool) throws {
        let teams = try teams(inMemory)
        for (target, text) in [
            ("/Team?select=code", #"[{"code":"x"},{"code":"x"},{"code":null}]"#),
            ("/Player?select=team.code&limit=1&offset=2", #"[{"team.code":"x"}]"#),
            ("/Team?select=name&where=" + encoded("code == nil"), #"[{"name":"C"}]"#),
            ("/Team/count?where=" + encoded("code != nil"), #"{"count":2}"#),
            ("/Team?select=name&where=" + encoded("ANY players.pin == nil"), #"[{"name":"B"}]"#),
            ("/Team?select=n:count(code)", #"[{"n":2}]"#),
            (
                "/Player?select=team.name,n:count(pin)&groupBy=team.name&sort=team.name",
                #"[{"team.name":"A","n":2},{"team.name":"B","n":0}]"#
            ),
        ] { #expect(teams.get(target).text == text, "\(target)") }
    }

    /// However the members of an object were ordered, and a set's elements.
    @Test(arguments: [false, true])
    func equalValuesAreOneValue(_ inMemory: Bool) throws {
        let teams = try teams(inMemory)
        let pairs = [
            (
                "badge", #"{"b":[1,{"y":null,"x":"é"}],"a":2,"s":{"$set":[2,1]}}"#,
                #"{"s":{"$set":[1,2,2]},"a":2,"b":[1,{"x":"é","y":null}]}"#
            ),
            ("extras", #"{"z":1,"a":{"c":1,"b":0.5}}"#, #"{"a":{"b":5e-1,"c":1},"z":1}"#),
            ("code", #"{"z":1,"a":2}"#, #"{"a":2,"z":1}"#),
        ]
        for (key, one, two) in pairs {
            let first = teams.patch("/Team/1", #"{"\#(key)":\#(one)}"#)
            #expect(first.status == 200, "\(first.text)")
            let token = teams.get("/changes?limit=1000").text
            let again = teams.patch("/Team/1", #"{"\#(key)":\#(two)}"#)
            #expect(again.text == first.text, "\(key)")
            #expect(teams.get("/changes?limit=1000").text == token, "\(key)")
            #expect(teams.patch("/Team/2", #"{"\#(key)":\#(two)}"#).status == 200)
            if key == "code" { continue }
            let groups = teams.get(
                "/Team?select=\(key),n:count()&groupBy=\(key)&having=count()%20%3E%201")
            #expect(groups.text.hasSuffix(#","n":2}]"#), "\(groups.text)")
            let same = teams.get(
                "/Team/count?where=" + encoded("ANY players.team.\(key) == \(key)"))
            #expect(same.text == #"{"count":2}"#)
            let rows = teams.get("/Team?select=\(key)&distinct=true&sort=\(key)")
            guard case .array(let values) = try rows.json else {
                Issue.record("\(rows.text)")
                return
            }
            #expect(values.count == 2, "\(rows.text)")
        }
    }

    /// What an older version has stored is read, and given again it changes nothing.
    @Test func valuesInAnotherOrderStay() throws {
        let teams = try teams(false)
        let old = #"{"z":1,"a":2}"#
        try RawDatabase(teams.path).run("UPDATE ZTEAM SET ZEXTRAS = CAST('\(old)' AS BLOB)")
        #expect(teams.get("/Team/1?select=extras").text == #"{"extras":\#(old)}"#)
        let before = teams.get("/Team/1").text
        #expect(teams.patch("/Team/1", #"{"extras":{"a":2,"z":1}}"#).text == before)
        #expect(
            teams.patch("/Team/1", #"{"extras":{"a":2,"z":3}}"#).text.contains(#"{"a":2,"z":3}"#))
    }
}
