/// What the parser says when a text cannot be read.

import SteleModel

extension PredicateParser {
    /// A mistake at the token that stands next.
    func error(
        _ code: PredicateError.Code, _ message: String, expected: String? = nil,
        hint: String? = nil, at place: Token? = nil
    ) -> PredicateError {
        let place = place ?? token
        return PredicateError(
            code, message, position: position(of: place.place), near: near(place),
            expected: expected, hint: hint)
    }

    /// Something else should stand here.
    func unexpected(_ expected: String, hint: String? = nil) -> PredicateError {
        let message: String
        var hint = hint
        switch token.kind {
        case .end: message = "the text ends where \(expected) should follow"
        case .unterminatedText:
            message = "the text that begins here has no closing quote"
        case .invalidNumber: message = "\(near(token)) is neither a number nor a key"
        default: message = "\(expected) should stand here, not \(near(token))"
        }
        if hint == nil,
            near(token).unicodeScalars.contains(where: { "“”‘’„".unicodeScalars.contains($0) })
        {
            hint = "text stands between straight quotes, ' or \""
        }
        return error(.syntax, message, expected: expected, hint: hint)
    }

    /// An expression stands alone where a comparison should.
    func missingOperator(after expression: Expression) -> PredicateError {
        let expected = "a comparison operator"
        switch token.kind {
        case .utiConformsTo, .utiEquals:
            return error(
                .unsupported,
                "\(near(token)) compares uniform type identifiers, which no store keeps",
                hint: "compare the text with == or BEGINSWITH")
        case .not:
            return unexpected(expected, hint: "write NOT (a IN b), not a NOT IN b")
        case .identifier:
            return unexpected(
                expected,
                hint: Self.operatorHint(near(token)) ?? Self.wordHint(expression, Self.openings))
        case .assign, .colon:
            return unexpected(expected, hint: "equality is written ==")
        case .comma:
            return unexpected(expected, hint: "a list is written {1, 2}")
        case .percent:
            return unexpected(expected, hint: "the remainder is written modulus(a, b)")
        default:
            guard case .keyPath = expression else { return unexpected(expected) }
            if let hint = Self.wordHint(expression, Self.constants) {
                return unexpected(expected, hint: hint)
            }
            return unexpected(
                expected, hint: "for what is true or false write \(expression.description) == YES")
        }
    }

    /// Words that stand before a comparison, and those that stand alone.
    private static let openings = ["NOT", "ANY", "SOME", "ALL", "NONE"]
    private static let constants = ["TRUEPREDICATE", "FALSEPREDICATE"]

    /// Where what was read as a key may be a word misspelt.
    private static func wordHint(_ read: Expression, _ words: [String]) -> String? {
        guard case .keyPath(.evaluatedObject, let path) = read, path.count == 1 else { return nil }
        return Nearest.hint(to: path[0], among: words)
    }

    /// What goes on after a whole comparison.
    static func joiningHint(_ word: String) -> String? {
        Nearest.hint(to: word, among: ["AND", "OR"])
    }

    private static func operatorHint(_ word: String) -> String? {
        switch word.lowercased() {
        case "is": return "write == nil or != nil"
        case "eq", "equals": return "equality is written =="
        case "startswith", "hasprefix": return "did you mean BEGINSWITH?"
        case "hassuffix": return "did you mean ENDSWITH?"
        case "ilike": return "did you mean LIKE[c]?"
        case "regexp", "rlike": return "did you mean MATCHES?"
        default:
            let operators = [
                "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "MATCHES", "BETWEEN", "IN", "AND",
                "OR",
                "UNION", "INTERSECT", "MINUS",
            ]
            return Nearest.hint(to: word, among: operators)
        }
    }

    func tooDeep(_ levels: Int) -> PredicateError {
        error(
            .limit,
            "the predicate is nested deeper than \(levels) levels",
            hint: "AND and OR take many conditions without parentheses")
    }

    /// - Parameter byte: where the operator stands that is one too many, or its comparison.
    func tooMany(at byte: Int) -> PredicateError {
        let place = Token(kind: .invalid, start: byte, end: lexer.bytes.count, place: byte)
        return error(
            .limit, "the predicate has more than \(PredicateLimits.comparisons) comparisons",
            hint: "a list of values is one comparison: name IN {\"a\", \"b\"}; under ANY and ALL "
                + "each of its items is one", at: place)
    }

    /// The text of a token, cut where it is long.
    func near(_ token: Token) -> String {
        let isQuoted = token.kind == .text || token.kind == .escapedText
        var end = min(token.end + (isQuoted ? 1 : 0), token.place + 40)
        while end > token.place, end < lexer.bytes.count, lexer.bytes[end] & 0xC0 == 0x80 {
            end -= 1
        }
        return String(decoding: lexer.bytes[token.place..<max(end, token.place)], as: UTF8.self)
    }

    /// From bytes to Unicode scalars.
    func position(of byte: Int) -> Int {
        lexer.bytes[..<byte].reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
    }
}
