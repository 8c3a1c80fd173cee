// How text compares, folds, sorts and matches.

import StelePredicates
import TestSupport
import Testing

struct TextComparisonTests {
    private static let c: ComparisonOptions = .caseInsensitive
    private static let d: ComparisonOptions = .diacriticInsensitive
    private static let l: ComparisonOptions = .localeSensitive

    @Test(
        "[c] is Unicode case folding",
        arguments: [
            ("Straße", "STRASSE"), ("ΟΔΟΣ", "οδος"), ("ος", "οσ"), ("K", "k"), ("Å", "å"),
            ("ﬁ", "FI"),
            ("Ж", "ж"), ("ǅ", "ǆ"), ("ẞ", "ss"), ("Ꭰ", "ꭰ"), ("İ", "i̇"), ("µ", "μ"), ("ſ", "S"),
            ("𐐀", "𐐨"),
        ])
    func caseFolding(_ a: String, _ b: String) {
        #expect(TextComparison(Self.c).equal(a, b))
        #expect(TextComparison(Self.c).order(a, b) == 0)
        #expect(!TextComparison().equal(a, b))
        #expect(
            TextComparison.fold(a, options: Self.c).unicodeScalars
                .elementsEqual(TextComparison.fold(b, options: Self.c).unicodeScalars))
    }

    @Test(
        "[c] keeps what differs by more than case apart",
        arguments: [
            ("é", "e"), ("é", "e\u{301}"), ("ı", "i"), ("a", "b"), ("a", "aa"), ("", "a"),
            ("[", "{"),
        ])
    func notTheSame(_ a: String, _ b: String) { #expect(!TextComparison(Self.c).equal(a, b)) }

    @Test(
        "[d] leaves marks out and keeps letters",
        arguments: [
            ("é", "e", true), ("e\u{301}", "é", true), ("ñ", "n", true), ("ø", "o", false),
            ("É", "e", false), ("Å", "A", true), ("ự", "u", true), ("가", "가", true),
            ("", "\u{301}", true),
            ("й", "и", true), ("ü", "ue", false),
        ])
    func marks(_ a: String, _ b: String, _ same: Bool) {
        #expect(TextComparison(Self.d).equal(a, b) == same)
        #expect(
            TextComparison([.diacriticInsensitive, .caseInsensitive])
                .equal(a.uppercased(), b) == (same || a == "É"))
    }

    @Test(
        "LIKE: * is any number, ? is one, \\ takes the next as it is, the whole text must match",
        arguments: [
            ("", "", true), ("", "*", true), ("", "*?", false), ("", "?", false), ("a", "", false),
            ("a", "?", true), ("a", "*", true), ("a", "*?", true), ("a", "?*", true),
            ("a", "??", false),
            ("abc", "a*c", true), ("abc", "a*b", false), ("abc", "*b*", true), ("abc", "abc", true),
            ("abc", "ab", false), ("abc", "bc", false), ("abc", "**c", true),
            ("abcabc", "*abc", true),
            ("aXbXc", "a*b*c", true), ("a*c", "a\\*c", true), ("abc", "a\\*c", false),
            ("a?c", "a\\?c", true), ("abc", "a\\?c", false), ("a\\c", "a\\\\c", true),
            ("a\\", "a\\", true),
            ("日本", "?本", true), ("日本", "??", true), ("日本", "?", false), ("😀", "?", true),
            ("aab", "*ab", true), ("ababab", "*ab", true), ("mississippi", "m*iss*ip*i", true),
        ])
    func like(_ text: String, _ pattern: String, _ expected: Bool) throws {
        #expect(try TextComparison().like(text, pattern) == expected)
        let folding = TextComparison([.caseInsensitive, .diacriticInsensitive])
        #expect(try folding.like(text, pattern) == expected)
    }

    @Test(
        "LIKE on long texts ends soon: with an answer, or at a limit",
        arguments: [[], .caseInsensitive, .diacriticInsensitive] as [ComparisonOptions])
    func longLike(_ options: ComparisonOptions) throws {
        let comparison = TextComparison(options)
        let letter = options == Self.d ? "á" : "a"
        let text = String(repeating: letter, count: 100_000)
        for pattern in [
            "*\(String(repeating: letter, count: 20_000))?b",
            "*\(String(repeating: "?", count: 20_000))b*c",
            "*\(String(repeating: "\\\(letter)", count: 20_000))b",
        ] {
            let error = #expect(throws: PredicateError.self) { try comparison.like(text, pattern) }
            #expect(error?.code == "predicate.limit" && error?.near == "LIKE")
        }
        #expect(try comparison.like(text + "b", "*?b") == true)
        #expect(try comparison.like(text, "*\(letter)?*\(letter)?*b") == false)
        #expect(try comparison.like(text, "?*\(letter)*?") == true)
    }

    @Test("LIKE with options folds text and pattern")
    func foldedLike() throws {
        #expect(try TextComparison(Self.c).like("Straße", "STRASSE"))
        #expect(try TextComparison(Self.c).like("Straße", "stra?e"))
        #expect(try TextComparison(Self.c).like("STRASSE", "straß?"))
        #expect(try TextComparison(Self.d).like("café", "caf?"))
        #expect(try TextComparison(Self.d).like("cafe\u{301}", "caf?"))
        #expect(try TextComparison(Self.d).like("cafés", "cafe\u{301}*"))
        #expect(try TextComparison(Self.c).like("café", "CAFE") == false)
    }

    @Test("parts are found at the beginning, at the end and within; nothing is part of anything")
    func parts() {
        for options in [[], Self.c, Self.d, [Self.c, Self.d]] as [ComparisonOptions] {
            let text = TextComparison(options)
            #expect(text.beginsWith("abc", "ab") && !text.beginsWith("abc", "bc"))
            #expect(text.endsWith("abc", "bc") && !text.endsWith("abc", "ab"))
            #expect(text.contains("abcd", "bc") && !text.contains("abcd", "bd"))
            #expect(text.beginsWith("abc", "abc") && text.endsWith("abc", "abc"))
            #expect(text.contains("abc", "abc"))
            #expect(!text.beginsWith("ab", "abc") && !text.endsWith("bc", "abc"))
            #expect(!text.contains("ab", "abc") && !text.contains("", "a"))
            for part in [
                text.beginsWith("abc", ""), text.endsWith("abc", ""), text.contains("a", ""),
            ] {
                #expect(!part)
            }
            let long = String(repeating: "ab", count: 40)
            #expect(text.contains(String(repeating: "ab", count: 100) + "c", long + "c"))
            #expect(!text.contains(String(repeating: "ab", count: 100), long + "c"))
            #expect(text.contains("日本語", "本") && text.endsWith("日本語", "語"))
        }
        #expect(TextComparison(Self.c).contains("xSTRASSEx", "straße"))
        #expect(TextComparison(Self.c).endsWith("GROSS", "oß"))
        #expect(TextComparison(Self.d).contains("xe\u{301}x", "é"))
    }

    @Test("[l] sorts as a person does")
    func human() {
        let sorted = [
            "", "a", "A", "a1", "a02", "a2", "a10", "a10b", "ab", "Ab", "äb", "Äb", "abc", "b",
            "B2",
            "b10", "z", "日本",
        ]
        let text = TextComparison(Self.l)
        for (i, a) in sorted.enumerated() {
            for (j, b) in sorted.enumerated() {
                let expected = i < j ? -1 : i > j ? 1 : 0
                #expect(text.order(a, b).signum() == expected, "\(a) and \(b)")
            }
        }
        #expect(TextComparison([.localeSensitive, .caseInsensitive]).order("A2", "a10") < 0)
        #expect(TextComparison([.localeSensitive, .caseInsensitive]).order("A", "a") == 0)
        #expect(TextComparison(Self.l).order("A", "a") > 0)
    }

    @Test(
        "order is total, agrees with equality and with the keys to sort by",
        arguments: [
            [], c, d, l, [c, d], [c, l], [d, l], [c, d, l], .normalized,
        ] as [ComparisonOptions])
    func keys(_ options: ComparisonOptions) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededNumbers(seed: seed)
        let parts = [
            "a", "A", "b", "é", "e", "e\u{301}", "É", "ß", "ss", "1", "2", "10", "02", " ", "_",
            "日", "Ж", "ж", "ø", "가", "😀", "K", "\u{301}", "0",
        ]
        func word() -> String {
            (0..<Int.random(in: 0...4, using: &random)).map { _ in
                parts[Int.random(in: 0..<parts.count, using: &random)]
            }.joined()
        }
        let text = TextComparison(options)
        func scalarOrder(_ a: String, _ b: String) -> Int {
            a.unicodeScalars.elementsEqual(b.unicodeScalars)
                ? 0 : a.unicodeScalars.lexicographicallyPrecedes(b.unicodeScalars) ? -1 : 1
        }
        for _ in 0..<2_000 {
            let (a, b) = (word(), word())
            let order = text.order(a, b).signum()
            #expect(order == -text.order(b, a).signum(), "seed \(seed): \(a), \(b)")
            #expect((order == 0) == text.equal(a, b), "seed \(seed): \(a), \(b)")
            let keys = (
                TextComparison.fold(a, options: options), TextComparison.fold(b, options: options)
            )
            #expect(scalarOrder(keys.0, keys.1) == order, "seed \(seed): \(a), \(b)")
            if text.beginsWith(a, b) { #expect(text.contains(a, b), "seed \(seed): \(a), \(b)") }
            if text.endsWith(a, b) { #expect(text.contains(a, b), "seed \(seed): \(a), \(b)") }
            #expect(try text.like(a, a), "seed \(seed): \(a)")
        }
    }

    @Test("bytes that are no UTF-8 compare without harm")
    func brokenBytes() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededNumbers(seed: seed)
        for _ in 0..<5_000 {
            let a = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let b = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            try a.withUnsafeBufferPointer { x in
                try b.withUnsafeBufferPointer { y in
                    let text = TextComparison([.caseInsensitive, .diacriticInsensitive])
                    #expect(text.order(x, y).signum() == -text.order(y, x).signum(), "seed \(seed)")
                    _ = text.contains(x, y)
                    _ = try text.like(x, y)
                    _ = text.endsWith(x, y)
                    _ = TextComparison(.localeSensitive).order(x, y)
                }
            }
        }
    }
}
