// The ways of writing a text without regard to case, against the folding itself.

import Testing

@testable import StelePredicates

@Suite struct CaseVariantTests {
    private static let c = TextComparison(.caseInsensitive)

    @Test func everyScalarThatFoldsToASCIIIsKnown() {
        var missing: [UInt32] = []
        for value in UInt32(0)..<0x110000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let folded = CaseVariants.unpacked(CaseFolding.caseOnly.expansion(of: value))
            guard let first = folded.first, first < 0x80 else { continue }
            let known = CaseVariants.sources[Int(first)].contains { $0.scalar == scalar }
            if !known { missing.append(value) }
        }
        #expect(missing.isEmpty)
    }

    @Test func noScalarThatFoldsToSomethingWithASCIIIsPassedOver() {
        var missing: [UInt32] = []
        for value in UInt32(0x80)..<0x110000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let folded = CaseVariants.unpacked(CaseFolding.caseOnly.expansion(of: value))
            guard folded.contains(where: { $0 < 0x80 }) else { continue }
            let isSeen = Array(String(scalar).utf8).withUnsafeBufferPointer {
                TextComparison.mayFoldToASCII($0)
            }
            if !isSeen { missing.append(value) }
        }
        #expect(missing.isEmpty)
    }

    @Test func theyAreWhatStandsInNoIndexTwice() {
        #expect(Set(CaseVariants.beginnings(of: "ab")) == ["AB", "Ab", "aB", "ab"])
        #expect(Set(CaseVariants.beginnings(of: "2024-05-01x")) == ["2024-05-01x", "2024-05-01X"])
        #expect(Set(CaseVariants.beginnings(of: "k")) == ["K", "k", "\u{212A}"])
        #expect(CaseVariants.beginnings(of: "é").isEmpty)
        #expect(CaseVariants.beginnings(of: "").isEmpty)
        #expect(Set(CaseVariants.beginnings(of: "aé")).isSuperset(of: ["A", "a"]))
        #expect(CaseVariants.beginnings(of: "annabel").count == 8)
    }

    /// Whatever begins with a text under [c] begins with one of the beginnings.
    @Test func noTextIsMissed() {
        let parts = [
            "k", "K", "\u{212A}", "s", "S", "ſ", "ß", "ẞ", "ss", "ﬁ", "fi", "ﬀ", "f", "i", "I",
            "İ", "ı", "ﬆ", "ﬅ", "t", "ẖ", "h", "\u{331}", "ǰ", "j", "a", "ẚ", "ʾ", "é", "1", "-",
        ]
        var checked = 0
        for a in parts {
            for b in parts {
                for wanted in parts.flatMap({ x in [x] + parts.prefix(16).map { x + $0 } }) {
                    let text = a + b
                    guard Self.c.beginsWith(text, wanted) else { continue }
                    let beginnings = CaseVariants.beginnings(of: wanted)
                    if beginnings.isEmpty { continue }
                    checked += 1
                    let isFound = beginnings.contains { TextComparison().beginsWith(text, $0) }
                    #expect(isFound, "\(text) begins with \(wanted) in none of \(beginnings)")
                }
            }
        }
        #expect(checked > 1_000)
    }

    /// ASCII's short ways and the long one by scalars: both say the same.
    @Test func theShortWaysAgreeWithTheLongOne() throws {
        var seed = UInt64.random(in: 1...999_999)
        print("theShortWaysAgreeWithTheLongOne: seed \(seed)")
        func next(_ bound: Int) -> Int {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(seed >> 33) % bound
        }
        let letters = ["a", "A", "b", "B", "k", "\u{212A}", "é", "\u{301}", "*", "?", "\\", "ß"]
        func word(_ most: Int, _ plain: Bool) -> String {
            (0..<next(most)).map { _ in letters[next(plain ? 4 : letters.count)] }.joined()
        }
        for round in 0..<12_000 {
            let options: ComparisonOptions =
                [
                    [], .caseInsensitive, .diacriticInsensitive,
                    [.caseInsensitive, .diacriticInsensitive],
                ][next(4)]
            let it = TextComparison(options)
            let (text, part) = (word(8, round % 2 == 0), word(5, round % 3 == 0))
            // A scalar before and behind that is not ASCII sends it the long way.
            let folded = { (text: String) in
                Array(TextComparison.fold(text, options: options).unicodeScalars)
            }
            let (a, b) = (folded(text), folded(part))
            let expected = !b.isEmpty && !part.isEmpty
            #expect(
                it.beginsWith(text, part) == (expected && a.starts(with: b)),
                "\(text) BEGINSWITH \(part) \(options)")
            #expect(
                it.endsWith(text, part) == (expected && a.reversed().starts(with: b.reversed())),
                "\(text) ENDSWITH \(part) \(options)")
            let places = a.count >= b.count ? Array(0...(a.count - b.count)) : []
            let isIn = places.contains { a[$0...].starts(with: b) }
            #expect(
                it.contains(text, part) == (expected && isIn),
                "\(text) CONTAINS \(part) \(options)")
            let isPlain = text.utf8.allSatisfy { $0 < 0x80 }
            let scalars = part.unicodeScalars
            if scalars.contains("\\") || scalars.contains("?") && !isPlain { continue }
            let around = "*\(part)*"
            let (plain, within) = (try it.like(text, part), try it.like(text, around))
            #expect(plain == Self.like(a[...], b[...]), "\(text) LIKE \(part) \(options)")
            #expect(
                within == Self.like(a[...], ["*"] + b + ["*"]),
                "\(text) LIKE \(around) \(options)")
        }
    }

    /// LIKE as it is said, without any haste.
    private static func like(
        _ text: ArraySlice<Unicode.Scalar>, _ pattern: ArraySlice<Unicode.Scalar>
    ) -> Bool {
        guard let wanted = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        if wanted == "*" {
            return like(text, rest) || !text.isEmpty && like(text.dropFirst(), pattern)
        }
        guard let first = text.first, wanted == "?" || wanted == first else { return false }
        return like(text.dropFirst(), rest)
    }
}
