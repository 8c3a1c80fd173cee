// Predicates nested very deeply or very long, sent to a program in every place that takes one: each
// is answered or refused, and the program goes on. `make planning` measures how long that takes.

import Foundation
import TestSupport
import Testing

@Suite struct PlanningServeTests {
    /// Conditions of so many parts.
    private static var conditions: [(Int) -> String] {
        [
            ("NOT ", "goals == 1", "", ""), ("!", "goals == 1", "", ""),
            ("(", "goals == 1", ")", ""), ("(", "", "", ""), ("(", "goals", ")", " == 1"),
            ("(", "goals == 1", " AND goals == 2)", ""),
            ("(goals == 1 OR ", "goals == 1", ")", ""),
            ("TERNARY(", "goals == 1", ", 1, 2) == 1", ""),
            ("TERNARY(goals == 1, ", "goals", ", 2)", " == 1"),
            ("TERNARY(goals == 1, 2, ", "goals", ")", " == 1"),
            ("SUBQUERY(team.players, $x, ", "goals == 1", ").@count > 0", ""),
            ("SUBQUERY(", "team.players", ", $x, $x.goals == 1)", ".@count > 0"),
            ("ANY SUBQUERY(team.players, $x, ", "goals == 1", ").goals == 1", ""),
            ("ALL {1, 2} == TERNARY(", "goals == 1", ", 1, 2)", ""),
            ("NONE ", "team.players.goals == 1", "", ""),
            ("abs(", "goals", ")", " == 1"), ("modulus(goals, ", "goals", ")", " == 1"),
            ("FUNCTION(", "goals", ", 'abs:')", " == 1"),
            ("CAST(", "goals", ", 'NSDecimalNumber')", " == 1"),
            ("(", "goals", " + 1)", " == 1"), ("1 - (", "goals", ")", " == 1"),
            ("goals + ", "goals", "", " == 1"), ("goals ** ", "goals", "", " == 1"),
            ("-", "goals", "", " == 1"), ("- ", "goals", "", " == 1"), ("~", "goals", "", " == 1"),
            ("{", "goals", "}", " == 1"), ("count({1} UNION ", "{2}", ")", " == 1"),
            ("{1, 2}[", "1", "]", " == 1"), ("", "{1}", "[0]", " == 1"),
            ("goals BETWEEN {1, TERNARY(", "goals == 1", ", 1, 2)}", ""),
            ("goals IN {1, TERNARY(", "goals == 1", ", 1, 2)}", ""),
            ("(", "goals == 1", ") == 1", ""), ("goals == ", "1", "", ""),
            ("$v := ", "goals", "", " == 1"), ("team.", "name", "", " == 1"),
            ("team.@count.", "name", "", " == 1"), ("#", "goals", "", " == 1"),
            ("#team.", "name", "", " == 1"), ("@", "goals", "", " == 1"),
            ("", "name ==", "[c]", " 'a'"), ("add:", "add", "", ":(1, 2) == 1"),
            ("", "name MATCHES '(", "(a*)*", "'"), ("name LIKE '", "*a", "*a", "'"),
            // Wide.
            ("goals == 1 AND ", "goals == 1", "", ""), ("goals == 1 OR ", "goals == 1", "", ""),
            ("", "goals IN {1", ", 1", "}"), ("", "name IN {'a'", ", 'a'", "}"),
            ("", "goals IN {1.5", ", 1.5", "}"), ("", "goals IN {goals", ", goals", "}"),
            ("", "goals IN {1", ", $v", "}"), ("", "{1, 2} == {1", ", 1", "}"),
            ("", "ANY {1", ", 1", "} == goals"), ("", "sum({1", ", 1", "}) > 1"),
            ("", "abs(1", ", 1", ") == 1"), ("", "goals IN {1", ", 1", ", gaols}"),
            ("a", "a", "", " == 1"), ("", "goals == 1", "1", ""), ("", "name == '", "a", "'"),
            (" ", "goals == 1", "", ""), ("?", "", "", ""), ("'", "", "", ""),
        ].map { form in
            { count in
                // As long as a predicate may be.
                let count = min(count, (1 << 20) / (form.0 + form.2).utf8.count - 100)
                return String(repeating: form.0, count: count) + form.1
                    + String(repeating: form.2, count: count) + form.3
            }
        } + [
            // Both at once.
            { count in
                let list = Array(repeating: "1", count: count / 90).joined(separator: ",")
                return String(repeating: "(goals IN {\(list)} AND ", count: 90) + "goals == 1"
                    + String(repeating: ")", count: 90)
            },
            { count in
                let deep =
                    String(repeating: "TERNARY(goals == 1, 2, ", count: 15) + "goals"
                    + String(repeating: ")", count: 15)
                return
                    "count({\(Array(repeating: deep, count: count / 90).joined(separator: ","))})"
                    + " > 1"
            },
        ]
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func serve(_ more: [String] = []) throws -> (Program, Caller) {
        let program = try Program(
            ["serve", samplePath("League"), "--store", "s.sqlite", "--port", "0"] + more,
            folder: folder.path)
        let caller = try Caller(program.lines(3))
        let made = try caller.call(
            "POST", "/Team", #"{"name":"Reds","players":[{"name":"Ann","goals":1}]}"#)
        try #require(made.contains(" 201 "), "\(made)")
        return (program, caller)
    }

    /// None of the texts has a character that JSON escapes.
    private static func body(_ parameters: [(String, String)]) -> String {
        "{" + parameters.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}"
    }

    @Test func badInputIsAnsweredOrRefusedInEveryPlace() throws {
        let (program, caller) = try serve()
        let made = try caller.call("POST", "/contexts", "{}")
        let location = made.components(separatedBy: "\r\n").first { $0.hasPrefix("Location: ") }
        let context = try #require(location).dropFirst("Location: ".count)
        func check(_ method: String, _ target: String, _ body: String? = nil) throws {
            let start = ContinuousClock.now
            let answer = try caller.call(method, target, body)
            let status = Int(answer.dropFirst(9).prefix(3)) ?? 0
            #expect(
                [200, 400, 414, 422].contains(status),
                "\(method) \(target.prefix(80)) \(body?.prefix(120) ?? ""): \(answer.prefix(400))")
            #expect(
                ContinuousClock.now - start < .seconds(10), "\(body?.prefix(120) ?? target[...])")
        }
        for condition in Self.conditions {
            let text = condition(4_000)
            let value = "TERNARY(\(text), 1, 2)"
            for parameters in [
                [("where", text)], [("select", "n:count()"), ("having", text)],
                [("select", "a:\(value)")], [("sort", value)],
                [("select", "n:count()"), ("groupBy", value)],
            ] {
                try check("POST", "/Player/query", Self.body(parameters))
            }
            try check("POST", "\(context)/Player/query", Self.body([("where", text)]))
            let short = encoded(condition(300)).prefix(15_000)
            try check("GET", "/changes?entity=Player&where=\(short)")
            try check("GET", "/Player/count?where=\(short)")
        }
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    private func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// What takes longest to plan, for its length.
    private static func long(_ uses: Int) -> String {
        let sum = Array(repeating: "max(goals)", count: 100).joined(separator: "+")
        return body([
            ("select", "big:\(sum)"),
            ("having", Array(repeating: "big > 1", count: uses).joined(separator: " OR ")),
        ])
    }

    @Test func anAliasThatIsUsedVeryOftenIsRefused() throws {
        let (program, caller) = try serve()
        #expect(try caller.call("POST", "/Player/query", Self.long(10)).contains(" 200 "))
        let refused = try caller.call("POST", "/Player/query", Self.long(3_000))
        #expect(refused.contains("variables and aliases"), "\(refused)")
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    @Test func planningEndsAtItsTime() throws {
        let (program, caller) = try serve(["--limit", "statement-seconds=0.001"])
        let answer = try caller.call("POST", "/Player/query", Self.long(300))
        #expect(answer.contains("planning the request took longer"), "\(answer)")
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    @Test func planningEndsWhenItsClientHasGone() throws {
        let (program, caller) = try serve(["--limit", "slow-readers=1"])
        let start = ContinuousClock.now
        #expect(try caller.call("POST", "/Player/query", Self.long(300)).contains(" 200 "))
        let whole = ContinuousClock.now - start
        for _ in 0..<20 {
            let gone = try caller.socket()
            try caller.send("POST", "/Player/query", [], Self.long(300), to: gone)
            Thread.sleep(forTimeInterval: 0.02)
            close(gone)
        }
        let again = ContinuousClock.now
        #expect(try caller.call("POST", "/Player/query", Self.long(300)).contains(" 200 "))
        #expect(ContinuousClock.now - again < whole * 10, "\(whole)")
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
    }

    @Test func aProgramThatPlansEndsInTime() throws {
        let (program, caller) = try serve(["--drain", "0.2"])
        let clients = try (0..<20).map { _ in try caller.socket() }
        defer { for it in clients { close(it) } }
        for it in clients { try caller.send("POST", "/Player/query", [], Self.long(300), to: it) }
        Thread.sleep(forTimeInterval: 0.05)
        let start = ContinuousClock.now
        program.signal(SIGTERM)
        #expect(program.end().status == 0)
        #expect(ContinuousClock.now - start < .seconds(8))
    }
}
