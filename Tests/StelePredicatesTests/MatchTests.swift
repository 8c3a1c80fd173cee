// MATCHES: what matches, what is refused, and that it ends.

import SteleModel
import Testing

@testable import StelePredicates

/// One line of the table.
struct MatchCase: Sendable, CustomTestStringConvertible {
    let text: String
    let pattern: String
    let options: ComparisonOptions
    let holds: Bool

    init(_ text: String, _ pattern: String, _ holds: Bool, _ options: ComparisonOptions = []) {
        self.text = text
        self.pattern = pattern
        self.options = options
        self.holds = holds
    }

    var testDescription: String { "\(text.debugDescription) \(pattern.debugDescription)" }
}

@Suite struct MatchTests {
    private static let c: ComparisonOptions = .caseInsensitive
    private static let d: ComparisonOptions = .diacriticInsensitive
    private static let cd: ComparisonOptions = [.caseInsensitive, .diacriticInsensitive]

    private static func person(_ name: String) -> Thing {
        Thing("Person", 1, ["name": .string(name)])
    }

    static let table: [MatchCase] = [
        .init("", "", true), .init("a", "", false), .init("", "a*", true), .init("", ".+", false),
        .init("abc", "abc", true), .init("abc", "ab", false), .init("abc", "bc", false),
        .init("abc", "^abc$", true), .init("abc", "^ab", false), .init("abc", "\\Aabc\\z", true),
        .init("ab", "a|ab", true), .init("ab", "a|b", false), .init("b", "a|b", true),
        .init("foobar", "foo|foobar", true), .init("foobar", "(foo|foob)(ar|bar)", true),
        .init("a\nb", "a.b", false), .init("a\nb", "(?s)a.b", true), .init("a\nb", "a\\sb", true),
        .init("ab\n", "ab", false), .init("ab\n", "ab$", false), .init("a\r\nb", "a\\Rb", true),
        .init("a\nb", "(?m)^a$\\n^b$", true), .init("a\u{2028}b", "a.b", false),
        .init("😀", ".", true), .init("😀", "..", false), .init("😀", "[😀-🙏]", true),
        .init("👩‍👧", "\\X", true), .init("👩‍👧", ".{3}", true), .init("a😀b", "a\\x{1F600}b", true),
        .init("e\u{301}", ".", false), .init("e\u{301}", "..", true), .init("e\u{301}", "é", false),
        .init("é", "e\u{301}", false), .init("e\u{301}", "\\X", true),
        .init("日本", "\\p{Han}+", true),
        .init("2024-05-01", "\\d{4}-\\d{2}-\\d{2}", true), .init("x1", "\\w\\d", true),
        .init("٣", "\\d", true), .init("ann lee", "\\bann\\b.*", true),
        .init("abab", "(ab)\\1", true), .init("abba", "(ab)\\1", false),
        .init("aaa", "a{2,3}", true), .init("aaaa", "a{2,3}", false), .init("aaa", "a{2,}?", true),
        .init("a.b", "a\\.b", true), .init("axb", "\\Qa.b\\E", false), .init("a.b", "\\Qa.b", true),
        .init("a", "a # comment", false), .init("a", "(?x)a # comment", true),
        .init("A", "a", false), .init("A", "a", true, c), .init("A", "(?i)a", true),
        .init("STRASSE", "straße", true, c), .init("ΟΔΟΣ", "οδος", true, c),
        .init("\u{212A}", "k", true, c), .init("ſ", "[s]", true, c), .init("İ", "i̇", true, c),
        .init("AbC", "[a-c]+", true, c), .init("I", "ı", false, c),
        .init("é", "e", true, d), .init("e", "é", true, d), .init("é", "É", false, d),
        .init("É", "e", true, cd), .init("e\u{301}x", "[é]x", true, cd),
        .init("Ångström", "angstrom", true, cd), .init("ø", "o", false, cd),
        .init("Å", "å", true, [.caseInsensitive, .localeSensitive]),
        .init("A", "a", false, [.caseInsensitive, .normalized]), .init("\u{301}", "", true, d),
    ]

    @Test("the whole text must match", arguments: table)
    func matching(_ it: MatchCase) throws {
        #expect(try PatternMatcher().matches(it.text, it.pattern, it.options) == it.holds)
        let comparison = Comparison(
            .key("name"), .matches, .constant(.string(it.pattern)), options: it.options)
        let checked = try League.check().check(.comparison(comparison))
        let evaluator = try PredicateEvaluator<Thing>(
            checked, entity: League.entity("Person"), model: League.model)
        #expect(try evaluator.evaluate(Self.person(it.text)) == it.holds)
    }

    @Test("null matches nothing, and nothing matches null")
    func null() throws {
        let nobody = Thing("Person", 1)
        #expect(try !League.holds("name MATCHES '.*'", nobody))
        #expect(try League.holds("NOT name MATCHES '.*'", nobody))
        #expect(try !League.holds("'a' MATCHES name", nobody))
        #expect(try League.holds("'abc' MATCHES name", Self.person("a.*")))
    }

    @Test(
        "what is no regular expression is refused before anything runs, with the place",
        arguments: [
            ("(a", 2), ("a)", 2), ("[a", 2), ("a{2,1}", 6), ("+", 1), ("(?z)a", 3),
            ("(a)\\2", 5), ("\\p{Nonsense}", 12), ("(?<=a*)b", 7), ("[b-a]", 4), ("a\n\n(b", 5),
        ])
    func malformed(_ pattern: String, _ position: Int) throws {
        let error = try #require(throws: PredicateError.self) {
            try League.check().check(
                .comparison(Comparison(.key("name"), .matches, .constant(.string(pattern)))))
        }
        #expect(error.code == "predicate.pattern" && error.hint != nil)
        let place = ", after \(position) character\(position == 1 ? "" : "s")"
        #expect(error.message.hasSuffix(place), "\(error)")
    }

    @Test("a refused pattern is found in the text that it stands in")
    func located() throws {
        let text = "age > 3 AND name MATCHES 'x(y'"
        let error = try #require(throws: PredicateError.self) { try League.checked(text) }
        #expect(error.located(in: text).position == 25)
    }

    // MARK: Time and memory

    private static let catastrophes = [
        "(a+)+$", "(a|aa)+$", "(.*)*x", "(a*)*b", "([a-z]+)*\\d", "(x+x+)+y|(a?){40}a{40}b",
    ]

    @Test("a match without an end is stopped, and gives no answer", arguments: catastrophes)
    func catastrophe(_ pattern: String) throws {
        for length in [30, 100, 1_000, 10_000] {
            let text = String(repeating: "a", count: length) + "!"
            var limits = MatchLimits.standard
            limits.matchNanoseconds = 30_000_000
            let start = ContinuousClock.now
            let error = #expect(throws: PredicateError.self, "\(pattern) on \(length)") {
                try PatternMatcher(limits).matches(text, pattern)
            }
            #expect(error?.code == "predicate.limit")
            // A bound that even a machine under load keeps: unbounded they run for years.
            #expect(start.duration(to: .now) < .seconds(10))
        }
    }

    @Test("running out of stack is an error, and not \"no match\"")
    func overflow() throws {
        let text = String(repeating: "ab", count: 500_000)
        let error = #expect(throws: PredicateError.self) {
            try PatternMatcher().matches(text, "(a|b)*")
        }
        #expect(error?.code == "predicate.limit")
        #expect(error?.message.contains("1000000 characters") ?? false)
        #expect(try PatternMatcher().matches(text, "[ab]*"), "a set keeps nothing to go back to")
        #expect(try PatternMatcher().matches(String(text.prefix(10_000)), "(a|b)*"))
    }

    @Test("all texts of a statement have a bound together, and the next has its own")
    func statement() throws {
        var limits = MatchLimits.standard
        limits.statementNanoseconds = 20_000_000
        let matcher = PatternMatcher(limits)
        let error = #expect(throws: PredicateError.self) {
            for _ in 0..<1_000_000 { _ = try matcher.matches("annabel lee", "[a-z]+ [a-z]+") }
        }
        #expect(error?.message.contains("all texts together") ?? false)
        matcher.begin()
        #expect(try matcher.matches("ann", "a.*"))
    }

    @Test("lengths are bounded: texts, patterns, and all patterns of a predicate")
    func lengths() throws {
        let long = String(repeating: "a", count: 5_000)
        var limits = MatchLimits.standard
        limits.textLength = 4_999
        #expect(throws: PredicateError.self) { try PatternMatcher(limits).matches(long, "a*") }
        #expect(try PatternMatcher().matches(long, "a*"))
        let referring = #expect(throws: PredicateError.self) {
            try PatternMatcher().matches(long, "(a)\\1*")
        }
        #expect(referring?.code == "predicate.limit")
        let pattern = #expect(throws: PredicateError.self) {
            try League.checked("name MATCHES '\(String(repeating: "a", count: 1_001))'")
        }
        #expect(pattern?.code == "predicate.limit")
        let several = (0..<5).map { "name MATCHES '\(String(repeating: "\($0)", count: 900))'" }
        let together = #expect(throws: PredicateError.self) {
            try League.checked(several.joined(separator: " OR "))
        }
        #expect(together?.message.contains("together") ?? false)
    }

    @Test(
        "huge counts and deep nesting are compiled or refused, quickly",
        arguments: [
            "(a{1000}){1000}", "((a{100}){100}){100}", String(repeating: "(", count: 400),
            String(repeating: "[", count: 400), "(((a{2,99}){2,99}){2,99}){2,99}",
        ])
    func huge(_ pattern: String) {
        let start = ContinuousClock.now
        #expect((try? PatternMatcher().matches("a", pattern)) != true)
        #expect(start.duration(to: .now) < .seconds(5))
    }

    @Test("many threads use one pattern at a time each")
    func threads() async throws {
        let holds = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask {
                    (0..<2_000).allSatisfy { index in
                        let text = "\(number)-\(index)"
                        return (try? PatternMatcher().matches(text, "\(number)-\\d+")) == true
                    }
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(holds)
    }
}
