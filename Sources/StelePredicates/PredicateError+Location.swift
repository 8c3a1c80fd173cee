/// Finds the position of an error that the check of a parsed predicate reported.

import SteleModel

extension PredicateError {
    /// The error with its position in the text. It is searched in the comparison that the error
    /// belongs to, token by token, so that spaces, quotes and synonyms do not matter. If it is not
    /// found, the position is the comparison's beginning, or unchanged. The position of an error
    /// about nesting is the deepest token.
    public func located(in text: String) -> PredicateError {
        if let found = found(in: text) { return found }
        var bare = self
        bare.comparison = nil
        bare.keyPath = nil
        return bare
    }

    /// The error with its position in the text; nil if nothing in the text matches.
    package func found(in text: String) -> PredicateError? {
        guard position == 0, !near.isEmpty || isOfDepth,
            text.utf8.count <= PredicateLimits.textLength
        else { return nil }
        let found = try? withBytes(of: text) { bytes throws(PredicateError) in
            isOfDepth ? Self.deepest(in: bytes, comparison) : place(in: bytes)
        }
        guard let place = found ?? nil else { return nil }
        var located = self
        located.comparison = nil
        located.keyPath = nil
        (located.position, located.near) = place
        return located
    }

    /// The error with its key path prefixed by a base expression.
    func behind(_ base: Expression) -> PredicateError {
        guard let keyPath, base != .evaluatedObject else { return self }
        var error = self
        error.keyPath = "\(base.description).\(keyPath)"
        return error
    }

    /// The depth of nested brackets in a text.
    package static func nesting(in text: String) -> Int {
        let depth = try? withBytes(of: text) { bytes throws(PredicateError) in
            var (depth, most) = (0, 0)
            for token in tokens(bytes, 0..<bytes.count) {
                switch token.kind {
                case .leftParenthesis, .leftBrace, .leftBracket: depth += 1
                case .rightParenthesis, .rightBrace, .rightBracket: depth -= 1
                default: break
                }
                most = max(most, depth)
            }
            return most
        }
        return depth ?? 0
    }

    /// The position, and the text at it.
    private func place(in bytes: UnsafeBufferPointer<UInt8>) -> (position: Int, near: String)? {
        let parser = PredicateParser(bytes, from: 0, to: bytes.count)
        let narrowed = Self.range(of: comparison, in: bytes)
        let range = narrowed ?? 0..<bytes.count
        let found =
            Self.search(key: keyPath, in: bytes, range) ?? Self.search(near, in: bytes, range)
        if let found, let first = found.first, let last = found.last {
            let isText = last.kind == .text || last.kind == .escapedText
            let all = Token(
                kind: .invalid, start: 0, end: last.end + (isText ? 1 : 0), place: first.place)
            return (parser.position(of: first.place), parser.near(all))
        }
        guard narrowed != nil else { return nil }
        var end = range.upperBound
        while end > range.lowerBound, bytes[end - 1] <= 0x20 { end -= 1 }
        let whole = Token(kind: .invalid, start: 0, end: end, place: range.lowerBound)
        return (parser.position(of: range.lowerBound), parser.near(whole))
    }

    /// The last key of a key path. Only a whole path matches, and no call of that name.
    private static func search(
        key keyPath: String?, in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> ArraySlice<Token>? {
        guard let keyPath else { return nil }
        let found = search(keyPath, in: bytes, range) { before, after in
            before?.kind != .dot && after?.kind != .leftParenthesis
        }
        return found?.suffix(1)
    }

    /// The bytes of a comparison.
    private static func range(
        of comparison: Comparison?, in bytes: UnsafeBufferPointer<UInt8>
    ) -> Range<Int>? {
        guard let comparison else { return nil }
        var parser = PredicateParser(bytes, from: 0, to: bytes.count)
        parser.places = []
        _ = try? parser.wholePredicate()
        return parser.places?.first { $0.comparison == comparison }?.range
    }

    /// The first token with the most open brackets around it and signs before it.
    private static func deepest(
        in bytes: UnsafeBufferPointer<UInt8>, _ comparison: Comparison?
    ) -> (position: Int, near: String)? {
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

    /// The first tokens that match `near` and whose neighbours satisfy `fits`.
    private static func search(
        _ near: String, in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>,
        between fits: (Token?, Token?) -> Bool = { _, _ in true }
    ) -> ArraySlice<Token>? {
        var copy = near
        return copy.withUTF8 { wanted in
            let part = tokens(wanted, 0..<wanted.count)
            let all = tokens(bytes, range)
            guard !part.isEmpty, all.count >= part.count else { return nil }
            for start in 0...(all.count - part.count) {
                let end = start + part.count
                let same = part.indices.allSatisfy {
                    says(all[start + $0], in: bytes, sameAs: part[$0], in: wanted)
                }
                let before = start > 0 ? all[start - 1] : nil
                if same, fits(before, end < all.count ? all[end] : nil) { return all[start..<end] }
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

    /// Whether two tokens of different texts have the same meaning.
    private static func says(
        _ a: Token, in bytes: UnsafeBufferPointer<UInt8>, sameAs b: Token,
        in others: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let isSpelt = bytes[a.start..<a.end].elementsEqual(others[b.start..<b.end])
        if a.kind == b.kind {
            switch a.kind {
            case .identifier, .variable, .atName, .invalid: return isSpelt
            case .text, .escapedText, .integer, .fixedPoint, .radix:
                return isSpelt || value(a, bytes) == value(b, others)
            default: return true
            }
        }
        // `#size` and `size` are the same key; YES is printed as 1, 0x10 as 16, 1 as 1.0.
        if a.kind.isName, b.kind.isName, isSpelt { return true }
        guard let value = value(a, bytes), let other = self.value(b, others) else { return false }
        if let a = value.asDouble, let b = other.asDouble { return a == b }
        return value == other
    }

    /// The value of a literal or of YES and NO.
    private static func value(_ token: Token, _ bytes: UnsafeBufferPointer<UInt8>) -> Value? {
        let isText = token.kind == .text || token.kind == .escapedText
        guard token.kind.isNumber || isText || token.kind == .yes || token.kind == .no else {
            return nil
        }
        var parser = PredicateParser(bytes, from: token.place, to: token.end + (isText ? 1 : 0))
        guard case .constant(let value)? = try? parser.wholeExpression() else { return nil }
        return value
    }
}

extension Token.Kind {
    fileprivate var isName: Bool { self == .identifier || isWord }
}
