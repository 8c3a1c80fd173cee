/// Where in a text a mistake stands that the check of the parsed predicate found.

import SteleModel

extension PredicateError {
    /// The same with its position in the text it came from, in the comparison that it is in: where
    /// `near` stands there, token by token, so that spaces, quotes and synonyms do not matter.
    /// What is not found there leaves the comparison's own beginning, or the error as it is. What is
    /// nested too deeply is so where it is nested most.
    public func located(in text: String) -> PredicateError {
        if let found = found(in: text) { return found }
        var bare = self
        bare.comparison = nil
        bare.keyPath = nil
        return bare
    }

    /// The same, or nil where nothing in the text is what it is about.
    public func found(in text: String) -> PredicateError? {
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

    /// The same with what its key path begins at.
    func behind(_ base: Expression) -> PredicateError {
        guard let keyPath, base != .evaluatedObject else { return self }
        var error = self
        error.keyPath = "\(base.description).\(keyPath)"
        return error
    }

    /// How many brackets stand within one another in a text at most.
    public static func nesting(in text: String) -> Int {
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

    /// The position, and what stands there as it is written.
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

    /// The last key of a key path: of the path as a whole, and of no call of such a name.
    private static func search(
        key keyPath: String?, in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> ArraySlice<Token>? {
        guard let keyPath else { return nil }
        let found = search(keyPath, in: bytes, range) { before, after in
            before?.kind != .dot && after?.kind != .leftParenthesis
        }
        return found?.suffix(1)
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

    /// The first tokens that say that, beside neighbours that fit.
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
                    says(all[start + $0], bytes, part[$0], wanted)
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

    /// Whether two tokens of different texts mean the same.
    private static func says(
        _ a: Token, _ bytes: UnsafeBufferPointer<UInt8>, _ b: Token,
        _ others: UnsafeBufferPointer<UInt8>
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
        // `#size` is the key that `size` names, YES is printed as 1, 0x10 as 16, 1 as 1.0.
        if a.kind.isName, b.kind.isName, isSpelt { return true }
        guard let value = value(a, bytes), let other = self.value(b, others) else { return false }
        if let a = value.asDouble, let b = other.asDouble { return a == b }
        return value == other
    }

    /// What a literal, or a word for one, stands for.
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
