/// Where in a text a mistake stands that the check of the parsed predicate found.

extension PredicateError {
    /// The same with its position in the text it came from, in the comparison that it is in: where
    /// `near` stands there, token by token, so that spaces, quotes and synonyms do not matter.
    /// What is not found there leaves the comparison's own beginning, or the error as it is. What is
    /// nested too deeply is so where it is nested most.
    public func located(in text: String) -> PredicateError {
        var located = self
        located.comparison = nil
        guard position == 0, !near.isEmpty || isOfDepth,
            text.utf8.count <= PredicateLimits.textLength
        else { return located }
        let found = try? withBytes(of: text) { bytes throws(PredicateError) in
            isOfDepth
                ? Self.deepest(in: bytes, comparison) : Self.place(of: near, in: bytes, comparison)
        }
        guard let place = found ?? nil else { return located }
        located.position = place.position
        located.near = place.near ?? near
        return located
    }

    /// The position, and what stands there where that is not what was looked for.
    private static func place(
        of near: String, in bytes: UnsafeBufferPointer<UInt8>, _ comparison: Comparison?
    ) -> (position: Int, near: String?)? {
        let parser = PredicateParser(bytes, from: 0, to: bytes.count)
        let narrowed = Self.range(of: comparison, in: bytes)
        let range = narrowed ?? 0..<bytes.count
        if let byte = Self.search(near, in: bytes, range) { return (parser.position(of: byte), nil) }
        guard narrowed != nil else { return nil }
        var end = range.upperBound
        while end > range.lowerBound, bytes[end - 1] <= 0x20 { end -= 1 }
        let whole = Token(kind: .invalid, start: 0, end: end, place: range.lowerBound)
        return (parser.position(of: range.lowerBound), parser.near(whole))
    }

    /// The bytes that a comparison was read from.
    private static func range(
        of comparison: Comparison?, in bytes: UnsafeBufferPointer<UInt8>
    ) -> Range<Int>? {
        guard let comparison else { return nil }
        var parser = PredicateParser(bytes, from: 0, to: bytes.count)
        parser.places = []
        _ = try? parser.wholePredicate()
        return parser.places?.first { $0.comparison == comparison }?.range
    }

    /// The first token that the most brackets are open around, and the most signs stand before.
    private static func deepest(
        in bytes: UnsafeBufferPointer<UInt8>, _ comparison: Comparison?
    ) -> (position: Int, near: String?)? {
        let parser = PredicateParser(bytes, from: 0, to: bytes.count)
        var (depth, signs, most) = (0, 0, -1)
        var found: Token?
        for token in tokens(bytes, range(of: comparison, in: bytes) ?? 0..<bytes.count) {
            switch token.kind {
            case .leftParenthesis, .leftBrace, .leftBracket: depth += 1
            case .rightParenthesis, .rightBrace, .rightBracket: depth -= 1
            case .not, .bang, .dash, .tilde: signs += 1
            default:
                if depth + signs > most { (most, found) = (depth + signs, token) }
                signs = 0
            }
        }
        return found.map { (parser.position(of: $0.place), parser.near($0)) }
    }

    /// The first byte of the tokens that say that.
    private static func search(
        _ near: String, in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> Int? {
        var copy = near
        return copy.withUTF8 { wanted in
            let part = tokens(wanted, 0..<wanted.count)
            let all = tokens(bytes, range)
            guard !part.isEmpty, all.count >= part.count else { return nil }
            for start in 0...(all.count - part.count) {
                let same = part.indices.allSatisfy {
                    says(all[start + $0], bytes, part[$0], wanted)
                }
                if same { return all[start].place }
            }
            return nil
        }
    }

    private static func tokens(
        _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> [Token] {
        var lexer = Lexer(bytes, from: range.lowerBound, to: range.upperBound)
        var tokens: [Token] = []
        while true {
            let token = lexer.next()
            if token.kind == .end { return tokens }
            tokens.append(token)
        }
    }

    /// Whether two tokens of different texts mean the same.
    private static func says(
        _ a: Token, _ bytes: UnsafeBufferPointer<UInt8>, _ b: Token,
        _ others: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let isSpelt = bytes[a.start..<a.end].elementsEqual(others[b.start..<b.end])
        if a.kind == b.kind {
            switch a.kind {
            case .identifier, .variable, .atName, .text, .escapedText, .invalid: return isSpelt
            case .integer, .fixedPoint, .radix: return isSpelt || value(a, bytes) == value(b, others)
            default: return true
            }
        }
        // `#size` is the key that `size` names, YES is printed as 1, 0x10 as 16.
        if a.kind.isName, b.kind.isName, isSpelt { return true }
        guard let value = value(a, bytes) else { return false }
        return value == self.value(b, others)
    }

    /// What a number, or a word for one, stands for.
    private static func value(_ token: Token, _ bytes: UnsafeBufferPointer<UInt8>) -> Expression? {
        guard token.kind.isNumber || token.kind == .yes || token.kind == .no else { return nil }
        var parser = PredicateParser(bytes, from: token.place, to: token.end)
        return try? parser.wholeExpression()
    }
}

extension Token.Kind {
    fileprivate var isName: Bool { self == .identifier || isWord }
}
