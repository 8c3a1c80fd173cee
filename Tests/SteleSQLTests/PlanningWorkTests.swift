// Weaving and translating take as much work, and make as much SQL, as a predicate is long.

import StelePersistence
import StelePredicates
import SteleModel
import Testing

@testable import SteleSQL

@Suite struct PlanningWorkTests {
    /// What can stand within itself, and what it is around.
    static let nested: [(open: String, core: String, close: String, end: String)] = [
        ("TERNARY(", "age == 1", ", 1, 2) == 1", ""),
        ("TERNARY(age == 1, 2, ", "age", ")", " == 1"),
        ("SUBQUERY(friends, $x, ", "age == 1", ").@count > 0", ""),
        ("SUBQUERY(friends, $x, ", "age == 1", ").@count > 3", ""),
        ("SUBQUERY(friends, $x, $x.age == ", "3", ").@sum.age", " == 1"),
        ("SUBQUERY(", "friends", ", $x, $x.age == 1)", ".@count > 1"),
        ("ANY SUBQUERY(friends, $x, ", "name MATCHES 'a'", ").friends.age == 1", ""),
        ("NOT (ALL friends.age > 3 AND ", "age == 2", ")", ""),
        ("salary + CAST(TERNARY(age == 1, 2, ", "age", "), 'NSDecimalNumber')", " == 1"),
        ("(CAST(TERNARY(age == 1, 2, ", "age", "), 'NSDecimalNumber') & 1)", " == 1"),
        ("abs(TERNARY(age == 1, 2, ", "age", "))", " == 1"),
        ("{1, 2}[TERNARY(age == 1, 0, ", "age", ")]", " == 1"),
        ("{TERNARY(age == 1, SELF, ", "boss", ").boss}[0]", ".name == 'b'"),
        ("{TERNARY(age == 1, SELF, ", "boss", ").boss}[1].boss", ".name == 'b'"),
        ("count({1} UNION {TERNARY(age == 1, 2, ", "age", ")})", " > 1"),
        ("sum({TERNARY(age == 1, 2, ", "salary", ")})", " > 1"),
        ("TERNARY(team.league.name == 'a', team, ", "team", ")", ".name == 'b'"),
        ("TERNARY(age IN {1, 2, ", "3", "}, 1, 2)", " == 1"),
    ]

    static func text(
        _ form: (open: String, core: String, close: String, end: String), _ count: Int
    ) -> String {
        String(repeating: form.open, count: count) + form.core
            + String(repeating: form.close, count: count) + form.end
    }

    /// What a translation costs.
    private struct Cost {
        var visits = 0
        var steps = 0
        var bytes = 0
    }

    private static func cost(
        _ request: FetchRequest, _ fetching: Fetching, _ sight: Sight? = nil
    ) throws -> Cost {
        let work = PlanningWork()
        let statement = try work.run {
            try fetching.translator.keys(sight.map { $0.woven(request) } ?? request)
        }
        return Cost(
            visits: work.visits, steps: work.steps, bytes: statement.sql.string.utf8.count)
    }

    private static func check(_ costs: [Cost], _ name: String) {
        for path in [\Cost.visits, \Cost.steps, \Cost.bytes] {
            let all = costs.map { $0[keyPath: path] }
            let (first, second) = (all[1] - all[0], all[2] - all[1])
            // Aliases and parameters have more digits.
            #expect(second <= first + first / 8 + 8, "\(name): \(path) \(all)")
        }
    }

    @Test("SQL grows as the predicate does, deep and wide, and each comparison is translated once")
    func translating() throws {
        let fetching = try Fetching()
        var translated = 0
        for form in Self.nested {
            for wide in [false, true] {
                var costs: [Cost] = []
                for count in [10, 20, 30] {
                    let text =
                        wide
                        ? Array(repeating: "(\(Self.text(form, 1)))", count: count)
                            .joined(separator: " OR ") : Self.text(form, count)
                    do {
                        costs.append(try Self.cost(fetching.request("Employee", text), fetching))
                    } catch StoreError.unsupported { break }
                }
                guard costs.count == 3 else { continue }
                Self.check(costs, form.open)
                translated += 1
            }
        }
        #expect(translated >= 2 * Self.nested.count - 4)
    }

    @Test("a rule is woven in once for each step, however deep the step is")
    func weaving() throws {
        let fetching = try Fetching()
        let rules = ["Person": "name MATCHES 'a' OR friends.@count > 1", "Team": "founded > 1"]
        let sight = Sight(
            name: "x", model: fetching.model,
            rules: try fetching.model.entities.map { entity in
                try rules[fetching.model.entities[entity.root].name].map {
                    try PredicateCheck(model: fetching.model, entity: entity)
                        .check(Predicate(format: $0))
                }
            })
        for form in Self.nested {
            var costs: [Cost] = []
            for count in [5, 10, 15] {
                do {
                    let request = try fetching.request("Employee", Self.text(form, count))
                    costs.append(try Self.cost(request, fetching, sight))
                } catch StoreError.unsupported { break }
            }
            if costs.count == 3 { Self.check(costs, form.open) }
        }
    }

    @Test("in a group each item of a list is translated once")
    func groups() throws {
        let fetching = try Fetching()
        var costs: [Cost] = []
        for count in [10, 20, 30] {
            let text =
                String(repeating: "{", count: count) + "max(age)"
                + String(repeating: ", 1}[0]", count: count)
            let request = try fetching.request("Person", select: [text], groupBy: ["team"])
            let work = PlanningWork()
            _ = try work.run { try fetching.translator.rows(request) }
            costs.append(Cost(steps: work.steps))
        }
        Self.check(costs, "{…}[0]")
    }

    @Test("what would be a statement beyond all bounds is refused as soon as that is known")
    func bounds() throws {
        let fetching = try Fetching()
        let list = "{\(Array(repeating: "1", count: 3_900).joined(separator: ","))}"
        let sum = Array(repeating: "age", count: 250).joined(separator: " + ")
        let request = try fetching.request("Person", "ANY \(list) == \(sum)")
        let work = PlanningWork()
        do {
            _ = try work.run { try fetching.translator.keys(request) }
            Issue.record("translated")
        } catch StoreError.predicate(let error) { #expect(error.code == "predicate.limit") }
        #expect(work.steps < 1_000_000)
    }
}
