/// Where in a text a mistake stands that the check of the parsed predicate found.

extension PredicateError {
    /// The same with its position in the text it came from, in the comparison that it is in: where
    /// `near` stands there, token by token, so that spaces, quotes and synonyms do not matter.
    /// What is not found there leaves the comparison's own beginning, or the error as it is.
    public func located(in text: String) -> PredicateError {
        var located = self
        located.comparison = nil
        guard position == 0, !near.isEmpty, text.utf8.count <= PredicateLimits.textLength else {
            return located
        }
        let found = try? withBytes(of: text) { bytes throws(PredicateError) in
            Self.place(of: near, in: bytes, comparison)
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
        var parser = PredicateParser(bytes, from: 0, to: bytes.count)
        var range = 0..<bytes.count
        var isNarrowed = false
        if let comparison {
            parser.places = []
            _ = try? parser.wholePredicate()
            if let place = parser.places?.first(where: { $0.comparison == comparison }) {
                range = place.range
                isNarrowed = true
            }
        }
        if let byte = Self.search(near, in: bytes, range) { return (parser.position(of: byte), nil) }
        guard isNarrowed else { return nil }
        var end = range.upperBound
        while end > range.lowerBound, bytes[end - 1] <= 0x20 { end -= 1 }
        let whole = Token(kind: .invalid, start: 0, end: end, place: range.lowerBound)
        return (parser.position(of: range.lowerBound), parser.near(whole))
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
