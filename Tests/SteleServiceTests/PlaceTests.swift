// Where in a parameter's value a mistake stands: `position` in problem details.

import SteleJSON
import SteleModel
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct PlaceTests {
    /// A mistake, between two `|` in the parameters as they are decoded.
    struct Mistake: CustomTestStringConvertible {
        let entity: String
        let query: [(name: String, value: String)]
        let position: Int
        let near: String

        var testDescription: String { query.map { "\($0.name)=\($0.value)" }.joined() }

        init(_ query: String, of entity: String = "Player") {
            self.entity = entity
            var (position, near) = (0, "")
            self.query = query.split(separator: "&&").map { part in
                let halves = part.split(separator: "=", maxSplits: 1)
                let pieces = halves[1].split(separator: "|", omittingEmptySubsequences: false)
                if pieces.count == 3 {
                    position = pieces[0].unicodeScalars.count
                    near = String(pieces[1])
                }
                return (String(halves[0]), pieces.joined())
            }
            (self.position, self.near) = (position, near)
        }
    }

    static let mistakes: [Mistake] = [
        // Literals, where they stand
        Mistake(#"where=goals > 1 AND joinedAt > |"2024-02-30"|"#),
        Mistake(#"where=joinedAt BETWEEN {"2024-01-01", |'soon'|}"#),
        Mistake(#"where=joinedAt == CAST(|"2024-13-01"|, "NSDate")"#),
        Mistake(#"where=name == 'a' OR team == |"/Player/3"|"#),
        Mistake(#"where=team IN {1, 2, |"Crew"|}"#),
        Mistake(#"where=team == |1.5|"#),
        Mistake(#"where=name == "é" AND name < |0x10|"#),
        Mistake(#"where=goals == |'it\'s'|"#),
        Mistake(#"where=goals > 3 AND joinedAt > |$X|&&var.X=2024-02-30"#),
        Mistake(#"where=joinedAt IN |$X|&&var.X=2024-01-01,2024-02-30"#),
        Mistake(#"where=team == |$X|&&var.X=Crew"#),
        Mistake(#"where=goals BETWEEN |$X|&&var.X=1,x"#),
        Mistake(#"where=name == 'a' AND joinedAt > |2024-01-01|"#),
        // Keys, and not what is called alike
        Mistake(#"where=name == "a" AND name.|name| == 1"#),
        Mistake(#"where=length(name) > 1 OR count(team.players) > |count|"#),
        Mistake(
            #"where=SUBQUERY(players, $p, $p.goals > 1 AND $p.|founded| > 1).@count > 0"#,
            of: "Team"),
        Mistake(#"where=ANY players.|gaols| > 3"#, of: "Team"),
        Mistake(#"where=players.|@sun|.goals > 3"#, of: "Team"),
        Mistake(#"where=name == 'x' AND goals > |=| 3"#),
        // Lists: from the start of the parameter's value
        Mistake(#"select=name, number , |gaols|"#),
        Mistake(#"select=name,pay:goals + |gaols|"#),
        Mistake(#"select=gaols2:goals,x: length(|goals|)"#),
        Mistake(#"select="é",name,a:goals +|)|"#),
        Mistake(#"select=name,|name|"#),
        Mistake(#"select=name,|_id|:goals"#),
        Mistake(#"select=name,late:TERNARY(joinedAt > |'2024-02-30'|, 1, 2)"#),
        Mistake(#"sort=-goals, -team.|nmae|"#),
        Mistake(#"sort=name[cd],- length(|goals|)"#),
        Mistake(#"sort=name,goals |desc|"#),
        Mistake(#"sort=name,|team.players|"#),
        Mistake(#"select=team.name,n:count()&&groupBy=team.name,|temq|"#),
        Mistake(#"select=team.name,n:count()&&groupBy=team.name , team.|city2|"#),
        Mistake(#"select=team.name,n:count()&&groupBy=team.name,|n2|"#),
        Mistake(#"select=team.name,|goals|&&groupBy=team.name&&having=count() > 3"#),
        Mistake(#"select=team.name,n:count()&&groupBy=team.name&&sort=-n,|goals|"#),
        Mistake(#"select=team.name,n:count()&&groupBy=team.name&&having=n > 3 AND |goals| > 3"#),
        Mistake(#"select=team.name,n:count()&&groupBy=team.name&&having=n > 3 AND n == |'x'|"#),
        Mistake(#"select=team.name,n:count()&&groupBy=team.name&&having=n > 3 AND |n| LIKE 'x'"#),
        Mistake(#"select=team.name,n:count()&&groupBy=team.name&&having=n > 3 AND |m| == 2"#),
        Mistake(#"select=name&&distinct=true&&sort=name,|goals|"#),
        Mistake(#"select=name&&sort=name,|| ,goals"#),
        Mistake(#"include=team,team.|palyers|"#),
        Mistake(#"include= team , |name|"#),
        Mistake(#"include=team.players.|nobody|,team"#),
    ]

    @Test(
        "The position is that of what is wrong, from the start of the parameter's value",
        arguments: mistakes)
    func places(_ mistake: Mistake) throws {
        let query = mistake.query.map { "\($0.name)=\(encoded($0.value))" }.joined(separator: "&")
        let answer = try ServiceFixture.league().get("/\(mistake.entity)?\(query)")
        #expect(answer.status == 400, "\(answer.text)")
        #expect(try answer.json["position"] == .integer(Int64(mistake.position)), "\(answer.text)")
        guard case .string(let near)? = try answer.json["near"] else {
            Issue.record("\(answer.text)")
            return
        }
        #expect(near.hasPrefix(mistake.near) || mistake.near.hasPrefix(near), "\(answer.text)")
    }

    @Test("A literal is placed where its shape has been asked with a right one before")
    func keptShapes() throws {
        let league = try ServiceFixture.league()
        func condition(_ day: String) -> String { "goals > 1 AND joinedAt > \"\(day)\"" }
        for day in ["2024-02-28", "2024-02-29"] {
            #expect(league.get("/Player?where=\(encoded(condition(day)))").status == 200)
        }
        let answer = league.get("/Player?where=\(encoded(condition("2024-02-30")))")
        #expect(try answer.json["position"] == .integer(25), "\(answer.text)")
    }

    @Test(
        "A date that does not exist is told so",
        arguments: [
            ("2024-02-30", "a day that does not exist", "29 days"),
            ("2023-13-01", "names month 13", "01 to 12"),
            ("2024-01-01T25:00:00Z", "names hour 25", "23"),
            ("2024-01-01T10:00:00", "no offset", "Z or +02:00"),
            ("2024-01-01T10:00:00 02:00", "offset", "%2B"),
            ("2024-1-1", "digits for the month", "2026-01-31"),
            ("yesterday", "is not one", "2026-01-31"),
            ("01/02/2024", "is not one", "2026-01-31"),
        ])
    func dates(_ date: String, _ words: String, _ hint: String) throws {
        let league = try ServiceFixture.league()
        for query in [
            "where=\(encoded("joinedAt > '\(date)'"))",
            "where=\(encoded("joinedAt > $D"))&var.D=\(encoded(date))",
            "where=\(encoded("joinedAt > CAST('\(date)', 'NSDate')"))",
        ] {
            let answer = league.get("/Player?\(query)")
            #expect(answer.status == 400 && answer.detail.contains(date), "\(answer.text)")
            #expect(answer.detail.contains(words), "\(answer.text)")
            #expect(answer.hint.contains(hint), "\(answer.text)")
        }
    }

    @Test("What is too deep for the store is said in our words, with the bound and the place")
    func tooDeep() throws {
        let league = try ServiceFixture.league()
        func nested(_ depth: Int) -> String {
            String(repeating: "abs(", count: depth) + "goals" + String(repeating: ")", count: depth)
        }
        for (parameter, text) in [
            ("where", nested(99) + " == 1"), ("select", "name,n:" + nested(99)),
            ("sort", "name," + nested(99)),
        ] {
            let answer = league.get(
                "/Player?where=\(encoded(parameter == "where" ? text : "goals == 1"))"
                    + (parameter == "where" ? "" : "&\(parameter)=\(encoded(text))"))
            #expect(answer.code == "predicate.limit", "\(answer.text)")
            #expect(answer.detail.hasPrefix("\(parameter): "), "\(answer.text)")
            #expect(!answer.detail.contains("overflow") && answer.detail.contains("up to 10"))
            let goals = try #require(text.firstRange(of: "goals")).lowerBound
            let position = text.unicodeScalars.distance(from: text.startIndex, to: goals)
            #expect(try answer.json["position"] == .integer(Int64(position)), "\(answer.text)")
        }
    }

    @Test(
        "What is 10 deep is answered, whatever it is made of",
        arguments: [
            ("abs(", ")", 15), ("randomn(", ")", 15), ("modulus(goals, ", ")", 15),
            ("raise:toPower:(1, ", ")", 15), ("TERNARY(1 == 1, 1, ", ")", 15),
            ("TERNARY(goals == ", ", 1, 2)", 15), ("goals + (", ")", 15), ("-(", ")", 15),
            ("abs(length(name) - ", ")", 10), ("abs(length(team.name) - ", ")", 10),
            ("length(CAST(", ", 'NSString'))", 7), ("CAST(CAST(", ", 'NSDate'), 'NSNumber')", 7),
        ])
    func deepEnough(_ open: String, _ close: String, _ depth: Int) throws {
        let text =
            String(repeating: open, count: depth) + "goals" + String(repeating: close, count: depth)
        let answer = try ServiceFixture.league().get("/Player?where=\(encoded(text + " == 1"))")
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test func subqueriesThatAre10DeepAreAnswered() throws {
        let text = (1...10).reversed().reduce("$v10.goals >= 0") { inner, level in
            let collection = level == 1 ? "team.players" : "$v\(level - 1).team.players"
            return "SUBQUERY(\(collection), $v\(level), \(inner)).@count > 0"
        }
        let answer = try ServiceFixture.league().get("/Player?where=\(encoded(text))")
        #expect(answer.status == 200, "\(answer.text)")
    }
}
