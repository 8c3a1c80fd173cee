// Each walk over a predicate goes into each comparison once, deep and wide.

import StelePredicates
import SteleModel
import Testing

/// What can stand within itself, with a comparison at each level: a walk that goes there again for
/// a level around it is seen in how often it goes into a comparison.
struct RepeatedForm: Sendable, CustomTestStringConvertible {
    let open: String
    let core: String
    let close: String
    /// What makes a condition of the whole.
    let end: String

    init(_ open: String, _ core: String, _ close: String, _ end: String = "") {
        (self.open, self.core, self.close, self.end) = (open, core, close, end)
    }

    var testDescription: String { open }

    func nested(_ count: Int) -> String {
        String(repeating: open, count: count) + core + String(repeating: close, count: count) + end
    }

    func wide(_ count: Int) -> String {
        Array(repeating: "(\(nested(1)))", count: count).joined(separator: " OR ")
    }

    static let all = [
        RepeatedForm("NOT (age == 1 AND ", "age == 2", ")"),
        RepeatedForm("TERNARY(", "age == 1", ", 1, 2) == 1"),
        RepeatedForm("TERNARY(name MATCHES 'a' AND ", "age == 1", ", 1, 2) == 1"),
        RepeatedForm("TERNARY(age == 1, 2, ", "age", ")", " == 1"),
        RepeatedForm("TERNARY(age == 1, ", "2", ", height)", " == price"),
        RepeatedForm("TERNARY(age == 1, height, TERNARY(age == 2, ", "2", ", big))", " == price"),
        RepeatedForm("SUBQUERY(friends, $x, ", "age == 1", ").@count > 0"),
        RepeatedForm(
            "NONE SUBQUERY(friends, $x, ANY $x.friends.age == 1 AND ", "age == 1", ") == 2"),
        RepeatedForm("SUBQUERY(", "friends", ", $x, $x.age == 1)", ".@count > 1"),
        RepeatedForm(
            "SUBQUERY(friends, $x, $x.age == ", "3", ").@sum.age", " == 1"),
        RepeatedForm("sum({TERNARY(age == 1, 2, ", "height", ")})", " > 1"),
        RepeatedForm("sum({TERNARY(age == 1, 2, ", "height * 2", ")}) + 1", " > 1"),
        RepeatedForm("abs(TERNARY(age == 1, 2, ", "age", "))", " == 1"),
        RepeatedForm("1 + TERNARY(age == 1, 2, ", "age", ")", " == 1"),
        RepeatedForm("{1, 2}[TERNARY(age == 1, 0, ", "age", ")]", " == 1"),
        RepeatedForm("count({1} UNION {TERNARY(age == 1, 2, ", "age", ")})", " > 1"),
        RepeatedForm("CAST(TERNARY(age == 1, 2, ", "age", "), 'NSDecimalNumber')", " > 1"),
        RepeatedForm("TERNARY(age IN {1, 2, ", "3", "}, 1, 2)", " == 1"),
        RepeatedForm("TERNARY(age BETWEEN {1, ", "3", "}, 1, 2)", " == 1"),
        RepeatedForm("TERNARY($V == 1, 2, ", "$V", ")", " == 1"),
        RepeatedForm("SUBQUERY(friends, $x, $V == $x.age AND ", "age == 1", ").@count > 0"),
    ]
}

@Suite struct PlanningVisitTests {
    /// The walks over a predicate, by name.
    static let walks: [(name: String, walk: @Sendable (Predicate) throws -> Void)] = [
        ("traits", { _ = ($0.hasPatterns, $0.freeVariables) }),
        ("visit", { $0.visit { _ in } }),
        ("contains", { _ = $0.contains { $0 == .variable("other") } }),
        ("print", { _ = $0.predicateFormat }),
        ("replace", { _ = $0.replacingVariables { _, _ in nil } }),
        ("check", { _ = try League.check("Person", variables).check($0) }),
        (
            "bind",
            { _ = try PredicateEvaluator<Thing>($0, entity: League.person_, model: League.model) }
        ),
    ]

    private static let variables: [String: VariableValue] = ["V": "1"]

    /// How often a walk goes into a side of a comparison.
    private static func visits(
        _ text: String, _ walk: (Predicate) throws -> Void, checked: Bool
    ) throws -> (visits: Int, steps: Int, comparisons: Int) {
        var predicate = try Predicate(format: text)
        if checked { predicate = try League.check("Person", Self.variables).check(predicate) }
        var comparisons = 0
        // Each comparison once has two sides.
        let counted = PlanningWork()
        counted.run { predicate.visit { _ in } }
        comparisons = counted.visits / 2
        let work = PlanningWork()
        try work.run { try walk(predicate) }
        return (work.visits, work.steps, comparisons)
    }

    @Test("a walk goes into each comparison as often, however many are around it or beside it")
    func eachOnce() throws {
        for form in RepeatedForm.all {
            for (name, walk) in Self.walks {
                for text in [form.nested, form.wide] {
                    var found: [(visits: Int, steps: Int, comparisons: Int)] = []
                    for count in [10, 20, 30] {
                        found.append(
                            try Self.visits(text(count), walk, checked: name == "bind"))
                    }
                    let more = found[1].comparisons - found[0].comparisons
                    #expect(more >= 10, "\(form.open): \(name)")
                    let visits = found.map(\.visits)
                    #expect(
                        visits[2] - visits[1] == visits[1] - visits[0],
                        "\(form.open) \(text(1)): \(name) goes in \(visits) times")
                    #expect(
                        visits[1] - visits[0] <= 12 * more,
                        "\(form.open): \(name) goes in \(visits) times")
                    let steps = found.map(\.steps)
                    #expect(
                        steps[2] - steps[1] == steps[1] - steps[0],
                        "\(form.open): \(name) takes \(steps) steps")
                }
            }
        }
    }

    @Test("what is asked of a condition goes into no comparison")
    func traits() throws {
        for form in RepeatedForm.all {
            let found = try Self.visits(
                form.nested(20), { _ = ($0.hasPatterns, $0.freeVariables) }, checked: false)
            #expect(found.visits == 0, "\(form.open)")
        }
        let deep = RepeatedForm("TERNARY(", "name MATCHES 'a'", ", 1, 2) == 1")
        #expect(try Predicate(format: deep.nested(90)).hasPatterns)
        let free =
            "SUBQUERY(friends, $x, $x.age == $y AND SUBQUERY(friends, $y, $y == $x) == $z) == $u"
        #expect(try Predicate(format: free).freeVariables == ["y", "z", "u"])
    }

    @Test("comparisons beside a list are counted for each of its items")
    func besideLists() throws {
        let form = RepeatedForm(
            "ANY {1, 2, 3, TERNARY(age == 1, 1, 2)} == TERNARY(", "age == 1", ", 1, 2)")
        #expect(throws: Never.self) { try Predicate(format: form.nested(4)) }
        #expect(throws: PredicateError.self) { try Predicate(format: form.nested(10)) }
    }

    @Test("a list of many items is checked in as many steps, whatever it is compared with")
    func longLists() throws {
        let list = "{\(Array(repeating: "1", count: 200_000).joined(separator: ","))}"
        for text in ["TERNARY(age == 1, age, 2) IN \(list)", "count(\(list)) > 1", "$V IN \(list)"]
        {
            let predicate = try Predicate(format: text)
            let work = PlanningWork()
            try work.run { _ = try League.check("Person", Self.variables).check(predicate) }
            #expect(work.steps < 100, "\(text.prefix(20)): \(work.steps)")
        }
    }

    @Test("a predicate higher than the language allows is an error, however it was made")
    func height() throws {
        var condition = try Predicate(format: "age == 1")
        var value = Expression.key("age")
        for _ in 0..<PredicateLimits.height {
            condition = .not(condition)
            value = .function("abs:", [value])
        }
        for predicate in [condition, .comparison(Comparison(value, .equal, .constant(.int(1))))] {
            #expect {
                _ = try League.check().check(predicate)
            } throws: {
                ($0 as? PredicateError)?.code == "predicate.limit"
            }
        }
        for form in RepeatedForm.all {
            let deep = form.nested(20)
            _ = try League.check("Person", Self.variables).check(Predicate(format: deep))
        }
    }

    @Test("a variable and an alias are counted as often as they are used")
    func uses() throws {
        func used(_ name: String, _ operation: String, _ count: Int) throws -> Predicate {
            try Predicate(
                format: Array(repeating: "\(name) \(operation)", count: count)
                    .joined(separator: " OR "))
        }
        let list = Array(repeating: "1", count: 50_000).joined(separator: ",")
        let variables = League.check("Person", ["V": .written(list)])
        var aliases = League.check()
        aliases.aliases = [
            "total": try Expression(
                format: Array(repeating: "age", count: 200).joined(separator: "+"))
        ]
        let few = PlanningWork()
        try few.run {
            _ = try variables.check(used("age IN", "$V", 5))
            _ = try aliases.check(used("total", "> 1", 100))
        }
        #expect(!few.isOver)
        for (check, name, operation) in [(variables, "age IN", "$V"), (aliases, "total", "> 1")] {
            let many = try used(name, operation, 3_000)
            let work = PlanningWork()
            #expect {
                try work.run { _ = try check.check(many) }
            } throws: {
                ($0 as? PredicateError)?.code == "predicate.limit"
            }
            #expect(work.isOver && work.steps < 3_000)
        }
    }

    @Test("planning ends when its time or its steps are used up, or nobody waits for it")
    func ends() throws {
        let text = RepeatedForm.all[0].wide(1_000)
        let predicate = try Predicate(format: text)
        for work in [PlanningWork(steps: 100), PlanningWork(nanoseconds: 0)] {
            try work.run {
                for _ in 0..<2 {
                    #expect(throws: PredicateError.self) { try League.check().check(predicate) }
                }
            }
            #expect(work.isOver && work.steps < 3_000)
        }
        let left = PlanningWork(asking: 0) { false }
        #expect(throws: PredicateError.self) {
            try left.run { try League.check().check(predicate) }
        }
        #expect(left.isOver && left.steps < 3_000)
        let enough = PlanningWork(steps: 100_000)
        _ = try enough.run { try League.check().check(predicate) }
        #expect(!enough.isOver)
    }
}
