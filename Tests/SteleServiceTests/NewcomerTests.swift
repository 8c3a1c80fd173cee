// What newcomers from other languages write: each refusal names the way out.

import SteleModel
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct NewcomerTests {
    @Test(
        "What Apple's parser takes is taken",
        arguments: [
            "name = 'x'", "name == 'x'", "name <> 'x'", "name != 'x'", "!(name = 'x')",
            "not name contains 'x'", "name like '%x%'", "name contains 'x' and goals>1 or goals=2",
            "name beginswith[CD] 'x'", "goals >= 1 && goals =< 2 || goals => 3", "team = nil",
            "team == NULL", "joinedAt < now()", "length(name) > 3", "goals between {1,2}",
            "name in {'a','b'}", "'x' in name", "any team.players.goals > 1", "truepredicate",
        ])
    func taken(_ condition: String) throws {
        let answer = try ServiceFixture.league().get("/Player?where=\(encoded(condition))")
        #expect(answer.status == 200, "\(answer.text)")
    }

    @Test(
        "A condition as other languages have it is refused with the one here",
        arguments: [
            // SQL
            ("team IS NULL", "== nil"), ("team IS NOT NULL", "!= nil"), ("team NOT NULL", "!= nil"),
            ("goals IS 3", "did you mean ==?"), ("name ILIKE 'x%'", "LIKE[c]"),
            ("name NOT LIKE 'x'", "NOT (a LIKE b)"), ("goals NOT IN {1}", "NOT (a IN b)"),
            ("name IN ('a', 'b')", "{1, 2}"), ("name IN ['a', 'b']", "{1, 2}"),
            ("goals BETWEEN 1 AND 2", "{low, high}"), ("goals == 1 ORDER BY name", "sort"),
            ("goals == 1 LIMIT 5", "limit"), ("WHERE goals == 1", "after WHERE"),
            ("SELECT * FROM Player", "parameter select"), ("goals == 1;", "remove the ;"),
            ("goals % 2 == 0", "modulus(a, b)"), ("name == 'O'Brien'", "\\'"),
            ("name == ?", "$NAME"), ("name == :name", "$NAME"), ("name == @name", "$name"),
            ("goals > 1,000", "no separators"), ("goals > 1 XOR goals > 2", "OR y) AND NOT"),
            // PostgREST, PocketBase, Django, OData
            ("goals.gt.5", "write goals >"), ("goals gt 5", "did you mean >?"),
            ("name ~ 'x'", "CONTAINS[c]"), ("name !~ 'x'", "NOT (a CONTAINS[c] b)"),
            ("name ?= 'x'", "ANY"), ("name__icontains == 'x'", "name CONTAINS[c]"),
            ("team__name__startswith == 'x'", "team.name BEGINSWITH"),
            ("startswith(name, 'x')", "BEGINSWITH"), ("contains(name, 'x')", "CONTAINS"),
            // Programming
            ("goals === 1", "=="), ("name =~ 'x'", "MATCHES"), ("name.length > 3", "length(name)"),
            ("name.contains('x')", "name CONTAINS"),
            ("name.toLowerCase() == 'x'", "lowercase(name)"),
            ("team.players.size() > 3", "length(team.players)"), ("name == “x”", "straight quotes"),
            ("name == `x`", "straight quotes"), ("name == None", "nil"),
            ("team == undefined", "nil"),
            ("name[c] == 'x'", "==[cd]"), ("name startsWith 'x'", "BEGINSWITH"),
            ("TRUE", "TRUEPREDICATE"), ("name == Ann", "\"Ann\""),
            // Functions
            ("len(name) > 3", "length"), ("char_length(name) > 3", "length"),
            ("upper(name) == 'X'", "uppercase"), ("avg(team.players.goals) > 3", "average"),
            ("round(goals) > 3", "floor"), ("coalesce(goals, 0) > 3", "TERNARY"),
            ("date('2024-01-01') > joinedAt", "2026-01-31"), ("year(joinedAt) == 2024", ">="),
            ("joinedAt > today()", "now()?"), ("joinedAt > now", "now()?"),
            ("joinedAt > now() - 1 day", "86400"), ("EXISTS(team)", "count(x)"),
            ("name + 'x' == 'y'", "cannot be joined"), ("joinedAt BEGINSWITH '2024'", "2027-01-01"),
            // Objects and keys
            ("team == '/Player/3'", "/Team/3"), ("team == 'Crew'", "team.name"),
            ("team == 1.5", "/Team/42"), ("team == {1}", "IN"), ("team_id == 3", "mean team?"),
            ("teamId == 3", "mean team?"), ("team.id == 3", "_id"),
            ("team.players.count > 3", "team.players.@count"), ("ANY name == 'x'", "omit it"),
            ("ANY(team.players.goals > 3)", "ANY a.b"),
            ("shoe == 3", "its keys are country, goals"),
            ("team.shoe == 3", "its keys are city, founded"), ("joinedAt > 2024-01-01", "as text"),
        ])
    func refused(_ condition: String, _ hint: String) throws {
        let answer = try ServiceFixture.league().get("/Player?where=\(encoded(condition))")
        #expect(answer.status == 400, "\(condition): \(answer.text)")
        #expect(answer.hint.contains(hint), "\(condition): \(answer.text)")
    }

    @Test(
        "A parameter as other services have it is refused with the one here",
        arguments: [
            ("select=avg(goals)", "average"), ("select=name,count", "count()"),
            ("select=team.name,count(*)&groupBy=team.name", "count()"),
            ("select=*", "leave select out"),
            ("select=name as n", "n:name"), ("select=name,team(name)", "include=team"),
            ("sort=name[x]", "[cd]"), ("sort=name desc", "sort=-name"),
            ("sort=team.name:desc", "sort=-team.name"), ("sort=name.desc", "sort=-name"),
            ("sort=name,desc", "sort=-"), ("sort=team.players", "count(team.players)"),
            ("include=team(name)", "its relationships are team"), ("name=Ann", "where=name == "),
            ("goals=gt.5", "where=goals == "),
            // Aliases and aggregates
            ("select=team.name,n:count()&groupBy=team.name&having=m > 5", "n, team.name"),
            ("select=team.name,most:max(goals)&groupBy=team.name&having=mots > 5", "most"),
            ("select=team.name,n:count()&groupBy=team.name&having=goals > 5", "max(goals)"),
            ("select=team.name,n:count()&groupBy=team.name&having=goals > 5", "team.name, n"),
            ("select=team.name,g:goals&groupBy=team.name&having=g > 5", "max(goals)"),
            ("select=team.name,n:count()&groupBy=team.name&where=n > 5", "having"),
            ("select=name,g:goals&where=g > 5", "write goals"),
            ("select=name,g:goals&having=g > 5", "where"),
            ("select=name,g:goals&sort=-h", "g, name"),
        ])
    func parameters(_ query: String, _ hint: String) throws {
        let pairs = query.split(separator: "&").map { pair in
            let halves = pair.split(separator: "=", maxSplits: 1).map(String.init)
            return "\(halves[0])=\(encoded(halves[1]))"
        }
        let answer = try ServiceFixture.league().get("/Player?\(pairs.joined(separator: "&"))")
        #expect(answer.status == 400, "\(query): \(answer.text)")
        #expect(answer.hint.contains(hint), "\(query): \(answer.text)")
    }

    @Test("What is only cut short is not taken for another service's way of writing")
    func aMissingParenthesisIsNoEmbedding() throws {
        let answer = try ServiceFixture.league().get("/Player?select=name,sum(goals")
        #expect(answer.status == 400 && answer.hint.isEmpty, "\(answer.text)")
        #expect(answer.text.contains("the text ends where a comma or ) is expected"))
    }
}
