// What cannot be read, where, and what is said of it.

import StelePredicates
import Testing

struct RefusalTests {
    struct Refused: Sendable, CustomTestStringConvertible {
        var text: String
        var position: Int
        var near: String
        var code = "predicate.syntax"
        /// A part of the hint.
        var hint = ""
        var testDescription: String { text }

        init(_ text: String, _ position: Int, _ near: String, _ hint: String = "") {
            (self.text, self.position, self.near, self.hint) = (text, position, near, hint)
        }

        func with(code: String) -> Refused {
            var it = self
            it.code = code
            return it
        }
    }

    @Test("a text that is no predicate is refused with its place", arguments: table)
    func refuses(_ refused: Refused) throws {
        let error = #expect(throws: PredicateError.self) { try Predicate(format: refused.text) }
        let found = try #require(error)
        #expect(found.position == refused.position)
        #expect(found.near == refused.near)
        #expect(found.code == refused.code)
        #expect(!found.message.isEmpty)
        if !refused.hint.isEmpty { #expect(found.hint?.contains(refused.hint) == true) }
        if found.near.isEmpty, !refused.text.isEmpty {
            #expect(found.expected != nil, "a text that is cut short says what should follow")
        }
    }

    static let table: [Refused] =
        [
            Refused("", 0, ""),
            Refused("   ", 3, ""),
            Refused("a", 1, "", "a == YES"),
            Refused("a ==", 4, ""),
            Refused("a == ", 5, ""),
            Refused("== 1", 0, "=="),
            Refused("a == 1 AND", 10, ""),
            Refused("a == 1 OR ", 10, ""),
            Refused("AND a == 1", 0, "AND"),
            Refused("NOT", 3, ""),
            Refused("a == 1 b == 2", 7, "b"),
            Refused("a == 1 == 2", 7, "==", "AND"),
            Refused("a < b < c", 6, "<", "AND"),
            Refused("name BEGNSWITH 'x'", 5, "BEGNSWITH", "did you mean BEGINSWITH?"),
            Refused("größe BEGNSWITH 'x'", 6, "BEGNSWITH", "did you mean BEGINSWITH?"),
            Refused("name CONTAIN 'x'", 5, "CONTAIN", "did you mean CONTAINS?"),
            Refused("name LKIE 'x'", 5, "LKIE", "did you mean LIKE?"),
            Refused("name ISNT 'x'", 5, "ISNT"),
            Refused("name IS NULL", 5, "IS", "== nil"),
            Refused("name startswith 'x'", 5, "startswith", "BEGINSWITH"),
            Refused("a NOT IN {1}", 2, "NOT", "NOT (a IN b)"),
            Refused("(a == 1", 7, ""),
            Refused("a == 1)", 6, ")"),
            Refused("((a == 1)", 9, ""),
            Refused("()", 1, ")"),
            Refused("(a)", 3, "", "a == YES"),
            Refused("a IN (1, 2)", 7, ",", "{1, 2}"),
            Refused("a IN [1, 2]", 6, "1", "{1, 2}"),
            Refused("a IN {1, 2", 10, ""),
            Refused("a IN {1 2}", 8, "2"),
            Refused("a IN {,}", 6, ","),
            Refused("a IN {1,}", 8, "}"),
            Refused("a BETWEEN 1 AND 2", 12, "AND", "BETWEEN {low, high}"),
            Refused("a == 'x", 5, "'x"),
            Refused("a == \"x'", 5, "\"x'"),
            Refused("a == 'x\\'", 5, "'x\\'"),
            Refused("a == '\\ud83d'", 5, "'\\ud83d'"),
            Refused("a == '\\x'", 5, "'\\x'"),
            Refused("a == '\\0'", 5, "'\\0'"),
            Refused("a == '\u{0}'", 5, "'\u{0}'"),
            Refused("a == “x”", 5, "“", "straight quotes"),
            Refused("a == 12ab", 5, "12ab"),
            Refused("a == 0x", 5, "0x"),
            Refused("a == 0xG", 5, "0xG"),
            Refused("a == 0b12", 5, "0b12"),
            Refused("a == 1e999", 5, "1e999"),
            Refused("a == 1.2.3", 8, ".3"),
            Refused("a == +1", 5, "+"),
            Refused("a ? 1", 2, "?"),
            Refused("a == $", 5, "$"),
            Refused("a == #", 5, "#"),
            Refused("a. == 1", 3, "=="),
            Refused("a..b == 1", 2, "."),
            Refused(".a == 1", 0, "."),
            Refused("a[ == 1", 3, "=="),
            Refused("a[0 == 1", 4, "=="),
            Refused("like == 1", 0, "like", "#like"),
            Refused("size == 1", 0, "size", "#size"),
            Refused("a ==[x] 1", 5, "x"),
            Refused("a ==[c 1", 7, "1"),
            Refused("ANY", 3, ""),
            Refused("ANY a", 5, ""),
            Refused("ANY (a == 1)", 4, "("),
            Refused("a == (b == 1)", 5, "("),
            Refused("1 + (a == 1) == 2", 2, "+"),
            Refused("a == %@", 5, "%@", "var.NAME"),
            Refused("%K == 1", 0, "%K", "var.NAME"),
            Refused("SUBQUERY(a, b, c == 1).@count > 1", 12, "b"),
            Refused("SUBQUERY(a, $b).@count > 1", 14, ")"),
            Refused("SUBQUERY(a, $b, c).@count > 1", 17, ")"),
            Refused("TERNARY(a, 1, 2) == 1", 9, ","),
            Refused("CAST(a) == 1", 6, ")"),
            Refused("CAST(a, b) == 1", 8, "b"),
            Refused("sum(a, b) > 1", 0, "sum", "sum({a, b})"),
            Refused("sum() > 1", 0, "sum"),
            Refused("now(1) > a", 0, "now"),
            Refused("multiply:by:(a) > 1", 0, "multiply"),
            Refused("a = 1 & & b", 8, "&"),
            Refused("a == 1 ;", 7, ";"),
            Refused("a := 1", 2, ":=", "=="),
        ] + unsupported

    static let unsupported: [Refused] = [
        Refused("CAST(a, 'NSDaet') == 1", 8, "'NSDaet'", "NSDate"),
        Refused("foo(a) > 1", 0, "foo"),
        Refused("sm(a) > 1", 0, "sm", "did you mean sum?"),
        Refused("mulitply:by:(a, b) > 1", 0, "mulitply"),
        Refused("distinct:(a) > 1", 0, "distinct"),
        Refused("FUNCTION(a, 'dealloc') == 1", 12, "'dealloc'"),
        Refused("FUNCTION(a, 'performSelector:', 'x') == 1", 12, "'performSelector:'"),
        Refused("FETCH(a, b, YES) == 1", 0, "FETCH"),
        Refused("a UTI-CONFORMS-TO 'public.text'", 2, "UTI-CONFORMS-TO"),
        Refused("a uti-equals 'public.text'", 2, "uti-equals"),
    ].map { $0.with(code: "predicate.unsupported") }

    @Test func theTableIsAsLongAsItShouldBe() { #expect(Self.table.count >= 60) }

    @Test("ten thousand parentheses, NOTs, minus signs or calls end at the limit of nesting")
    func nesting() throws {
        let opened = ["(", "NOT ", "!", "-", "~", "{", "sum(", "a[", "$x := ", "TERNARY("]
        for open in opened {
            let text = String(repeating: open, count: 10_000) + "a == 1"
            let error = try #require(
                throws: PredicateError.self
            ) { try Predicate(format: text) }
            #expect(error.code == "predicate.limit")
            #expect(error.message.contains("\(PredicateLimits.nesting)"), "\(open)")
        }
    }

    @Test("as many parentheses as the limit allows are read")
    func deepest() throws {
        let count = PredicateLimits.nesting
        let text = String(repeating: "(", count: count) + "a" + String(repeating: ")", count: count)
        #expect(try Predicate(format: text + " == 1").predicateFormat == "a == 1")
    }

    @Test("a chain of operators that would make too high a tree is refused, not overflown")
    func chains() throws {
        let sum = "a" + String(repeating: " + a", count: 100_000) + " == 1"
        let indexes = "a" + String(repeating: "[0]", count: 100_000) + " == 1"
        let keys = "a" + String(repeating: ".a", count: 100_000) + " == 1"
        for text in [sum, indexes, keys] {
            let error = try #require(throws: PredicateError.self) { try Predicate(format: text) }
            #expect(error.code == "predicate.limit")
        }
        let short = "a" + String(repeating: " + a", count: 200) + " == 1"
        #expect(try Predicate(format: short).predicateFormat == short)
    }

    @Test("a text over the limit of length is refused, one just below it is read")
    func length() throws {
        let error = try #require(throws: PredicateError.self) {
            try Predicate(format: String(repeating: " ", count: PredicateLimits.textLength + 1))
        }
        #expect(error.code == "predicate.limit")
        let term = "a == 1 OR "
        let terms = (PredicateLimits.textLength - 100) / term.utf8.count
        let predicate = try Predicate(format: String(repeating: term, count: terms) + "a == 1")
        guard case .or(let parts) = predicate else {
            Issue.record("not an OR")
            return
        }
        #expect(parts.count == terms + 1)
    }

    @Test("arguments stand where the format names them, and their number is checked")
    func arguments() throws {
        let made = try Predicate(
            format: "%K == %@ AND age > %d AND x IN %@",
            arguments: [
                .keyPath("team.name"), .value(.string("A \"b\"")), .value(.int(3)),
                .values([.int(1), .int(2)]),
            ])
        #expect(
            made.predicateFormat
                == "team.name == \"A \\\"b\\\"\" AND age > 3 AND x IN {1, 2}")
        #expect(throws: PredicateError.self) {
            try Predicate(format: "a == %@", arguments: [.value(.int(1)), .value(.int(2))])
        }
        #expect(throws: PredicateError.self) {
            try Predicate(format: "%K == 1", arguments: [.keyPath("a..b")])
        }
        #expect(
            try Predicate(format: "%K == 1", arguments: [.keyPath("$x")]).predicateFormat
                == "$x == 1")
    }

    @Test("random bytes are read or refused, and never more")
    func noise() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed)
        let pieces = [
            "a", "b.c", " ", "AND", "OR", "NOT", "(", ")", "{", "}", "[", "]", "==", "<", "'x'",
            "\"",
            "'", "\\", "1", "0.5", "1e5", "$x", "#", "@count", ".", ",", "ANY", "SUBQUERY(",
            "CAST(",
            "sum(", "IN", "BETWEEN", ":", ":=", "-", "*", "**", "é", "%@", "FUNCTION(", "TERNARY(",
        ]
        for _ in 0..<10_000 {
            let count = Int.random(in: 1...14, using: &random)
            let text = (0..<count).map { _ in
                pieces[Int.random(in: 0..<pieces.count, using: &random)]
            }
            .joined(separator: Bool.random(using: &random) ? " " : "")
            if let predicate = try? Predicate(format: text) {
                let printed = predicate.predicateFormat
                let again = try? Predicate(format: printed)
                #expect(again == predicate, "seed \(seed): \(text) prints as \(printed)")
            }
        }
    }
}

/// A generator that gives the same numbers for the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
