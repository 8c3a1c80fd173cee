/// The errors of the parser, and their hints.

import SteleModel

extension PredicateParser {
    /// An error at the current token, or at `place`.
    func error(
        _ code: PredicateError.Code, _ message: String, expected: String? = nil,
        hint: String? = nil, at place: Token? = nil
    ) -> PredicateError {
        let place = place ?? token
        return PredicateError(
            code, message, position: position(of: place.place), near: near(place),
            expected: expected, hint: hint)
    }

    /// The error of an unexpected token.
    func unexpected(_ expected: String, hint: String? = nil) -> PredicateError {
        let message: String
        var hint = hint
        switch token.kind {
        case .end: message = "the text ends where \(expected) is expected"
        case .unterminatedText:
            message = "the text that begins here has no closing quote"
        case .invalidNumber: message = "\(near(token)) is neither a number nor a key"
        default: message = "\(expected) is expected here, not \(near(token))"
        }
        if hint == nil,
            near(token).unicodeScalars.contains(where: { "“”‘’„«»`´".unicodeScalars.contains($0) })
        {
            hint = "text is written between straight quotes, ' or \""
        }
        return error(.syntax, message, expected: expected, hint: hint)
    }

    /// The error of an expression that no comparison operator follows.
    func missingOperator(after expression: Expression) -> PredicateError {
        guard token.kind == .utiConformsTo || token.kind == .utiEquals else {
            return unexpected("a comparison operator", hint: hint(after: expression))
        }
        return error(
            .unsupported,
            "\(near(token)) compares uniform type identifiers, which stores do not keep",
            hint: "compare the text with == or BEGINSWITH")
    }

    private func hint(after expression: Expression) -> String? {
        switch token.kind {
        case .not, .bang: return notHint()
        case .tilde: return "search text with CONTAINS[c], or by a pattern with MATCHES"
        case .invalid where near(token) == "?":
            return tokenAfter.kind == .equal && tokenAfter.place == token.end
                ? "use ANY to match one of many values" : "write TERNARY(condition, a, b)"
        case .identifier where isBehindQuote: return Self.quoteHint
        case .identifier: return operatorHint(near(token)) ?? Self.firstHint(expression)
        case .assign, .colon: return "equality is written =="
        case .comma: return "a list is written {1, 2}"
        case .percent: return "the remainder is written modulus(a, b)"
        default: break
        }
        if let hint = Self.tailHint(expression) ?? methodHint(expression) { return hint }
        let isTruth = expression == .constant(.int(1)) || expression == .constant(.int(0))
        if token.kind == .end, isTruth {
            return "a constant condition is TRUEPREDICATE or FALSEPREDICATE"
        }
        guard case .keyPath = expression else { return nil }
        return Self.wordHint(expression, Self.constants)
            ?? "to test a Boolean write \(expression.description) == YES"
    }

    /// Words that begin a comparison, and constants.
    private static let openings = ["NOT", "ANY", "SOME", "ALL", "NONE"]
    private static let constants = ["TRUEPREDICATE", "FALSEPREDICATE"]

    static let quoteHint =
        "a quote inside text is written \\' or \\\", or use the other kind of quotes"

    /// A hint for what was read as a key and may be a word.
    private static func firstHint(_ read: Expression) -> String? {
        var first = read
        if case .function(_, let arguments) = read, let left = arguments.first { first = left }
        if case .keyPath(.evaluatedObject, let path) = first, path.count == 1 {
            switch path[0].lowercased() {
            case "where": return "the predicate begins after WHERE"
            case "select":
                return "choose columns with the parameter select; a predicate is a condition"
            default: break
            }
        }
        return wordHint(read, openings)
    }

    /// A hint for a key that may be a misspelt word.
    private static func wordHint(_ read: Expression, _ words: [String]) -> String? {
        guard case .keyPath(.evaluatedObject, let path) = read, path.count == 1 else { return nil }
        return Nearest.hint(to: path[0], among: words)
    }

    /// A hint for a token after a complete comparison.
    func joiningHint() -> String? {
        switch token.kind {
        case .identifier:
            if isBehindQuote { return Self.quoteHint }
            let word = near(token)
            return ForeignWords.clause(word) ?? Nearest.hint(to: word, among: ["AND", "OR"])
        case .fetch: return ForeignWords.clause("fetch")
        case .comma:
            return "join conditions with AND; a list is written {1, 2}, and a number has no "
                + "separators"
        case .invalid where near(token) == ";": return "remove the ;"
        case .text, .escapedText, .unterminatedText:
            return isBehindQuote ? Self.quoteHint : nil
        default: return nil
        }
    }

    /// A hint for a word in place of an operator.
    private func operatorHint(_ word: String) -> String? {
        if word.lowercased() == "is", ![.null, .not, .end].contains(tokenAfter.kind) {
            return "did you mean ==?"
        }
        if let hint = ForeignWords.wordForOperator(word) { return hint }
        let operators = [
            "BEGINSWITH", "ENDSWITH", "CONTAINS", "LIKE", "MATCHES", "BETWEEN", "IN", "AND", "OR",
            "UNION", "INTERSECT", "MINUS",
        ]
        return Nearest.hint(to: word, among: operators)
    }

    /// A hint for the key `age.gt`, as other services write `age >`.
    private static func tailHint(_ read: Expression) -> String? {
        guard case .keyPath(let operand, let path) = read, path.count > 1,
            let word = path.last, let sign = ForeignWords.sameOperator(as: word)
        else { return nil }
        return "write \(Expression.keyPath(operand, path.dropLast()).description) \(sign) …"
    }

    /// A hint for `cities.size()`, a call of a method.
    private func methodHint(_ read: Expression) -> String? {
        guard token.kind == .leftParenthesis, case .keyPath(let operand, let path) = read,
            let name = path.last
        else { return nil }
        let before = Expression.keyPath(operand, path.dropLast()).description
        return (path.count > 1 ? ForeignWords.key(name, of: before) : nil)
            ?? "write a function before its argument: length(name)"
    }

    /// Whether the current token directly follows a closing quote, so that the text contained one.
    private var isBehindQuote: Bool { follows("'") || follows("\"") }

    /// Whether the current token directly follows that character.
    func follows(_ sign: Unicode.Scalar) -> Bool {
        token.place > 0 && UInt32(lexer.bytes[token.place - 1]) == sign.value
    }

    /// The token after the current one.
    var tokenAfter: Token {
        var lexer = lexer
        return lexer.next()
    }

    /// A hint for `a NOT IN b`, `a NOT NULL` or `a !LIKE b`.
    private func notHint() -> String {
        let next = tokenAfter
        if next.kind == .null { return "write != nil" }
        if next.kind == .tilde { return "write NOT (a CONTAINS[c] b)" }
        guard next.kind.comparison != nil, token.kind != .bang else {
            return "write NOT (a IN b), not a NOT IN b"
        }
        let word = near(next).uppercased()
        return "write NOT (a \(word) b), not a NOT \(word) b"
    }

    func tooDeep(_ levels: Int) -> PredicateError {
        error(
            .limit,
            "the predicate is nested deeper than \(levels) levels",
            hint: "AND and OR need no parentheses")
    }

    /// - Parameter byte: the place of the operator or comparison that exceeds the limit.
    func tooMany(at byte: Int) -> PredicateError {
        let place = Token(kind: .invalid, start: byte, end: lexer.bytes.count, place: byte)
        return error(
            .limit, "the predicate has more than \(PredicateLimits.comparisons) comparisons",
            hint: "a list of values is one comparison: name IN {\"a\", \"b\"}; under ANY and ALL "
                + "each of its items counts", at: place)
    }

    /// The text of a token, truncated to 40 bytes.
    func near(_ token: Token) -> String {
        let isQuoted = token.kind == .text || token.kind == .escapedText
        var end = min(token.end + (isQuoted ? 1 : 0), token.place + 40)
        while end > token.place, end < lexer.bytes.count, lexer.bytes[end] & 0xC0 == 0x80 {
            end -= 1
        }
        return String(decoding: lexer.bytes[token.place..<max(end, token.place)], as: UTF8.self)
    }

    /// The number of Unicode scalars before a byte.
    func position(of byte: Int) -> Int {
        lexer.bytes[..<byte].reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
    }
}
