// The literals that are found without reading the rest, against all tokens.

import TestSupport
import Testing

@testable import StelePredicates

@Suite struct LiteralScanTests {
    private static let pieces = [
        "age", "a1", "_9", "x2y", "é", "é5", "日本7", "5", "12.5", ".5", "1.5.5", "0x1F", "1e3",
        "'a'", "\"b 1\"", "'é\\'2'", "''", " ", "  ", "\t", ".", "..", ",", "(", ")", "{", "}",
        "#size", "#5", "$v1", "$", "@count", "&&", "==", ">", "-", "longwordwithoutanysign",
        "longwordwithadigit1234567",
    ]

    private struct Found: Equatable {
        let kind: Token.Kind
        let place: Int
        let end: Int
    }

    private static func literals(
        _ text: String, _ next: (inout Lexer) -> Token?
    ) -> [Found] {
        var text = text
        return text.withUTF8 { bytes in
            var lexer = Lexer(bytes, from: 0, to: bytes.count)
            var found: [Found] = []
            while let token = next(&lexer) {
                switch token.kind {
                case .integer, .fixedPoint, .radix, .invalidNumber, .text, .escapedText,
                    .unterminatedText:
                    found.append(Found(kind: token.kind, place: token.place, end: token.end))
                default: break
                }
            }
            return found
        }
    }

    @Test func theyAreThoseOfTheTokens() {
        let seed = UInt64.random(in: 0...(.max))
        var generator = SeededNumbers(seed: seed)
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...12, using: &generator)
            let text = (0..<count).map { _ in Self.pieces.randomElement(using: &generator) ?? "" }
                .joined()
            let all = Self.literals(text) { lexer in
                let token = lexer.next()
                return token.kind == .end ? nil : token
            }
            #expect(Self.literals(text) { $0.nextLiteral() } == all, "\(text), seed \(seed)")
        }
    }

    /// The bytes of a text are looked at eight at a time, and the last ones one by one.
    @Test(arguments: ["'", "\""])
    func aTextEndsAtItsQuoteHoweverLong(_ quote: String) throws {
        let other = quote == "'" ? "\"" : "'"
        for length in 0...40 {
            for place in 0...length {
                for (written, meant) in [
                    ("\\" + quote, quote), ("\\\\", "\\"), (other, other), ("\u{80}", "\u{80}"),
                ] {
                    let (before, behind) = (
                        String(repeating: "x", count: place),
                        String(repeating: "y", count: length - place)
                    )
                    let text = quote + before + written + behind + quote
                    #expect(
                        try Expression(format: text) == .constant(.string(before + meant + behind)))
                    #expect(throws: PredicateError.self) {
                        try Expression(format: String(text.dropLast()))
                    }
                }
            }
        }
    }
}
