// Quoted texts of every length, with every kind of character in every place.

import StelePredicates
import Testing

@Suite struct QuotedTextTests {
    /// The lexer reads the bytes of a text eight at a time, and the last ones one by one.
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
