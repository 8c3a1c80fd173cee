/// A predicate's text with its literals set aside: what all texts of one shape have in common.

import Glibc

/// The shape of a predicate's text, found in one pass over its bytes: two texts have the same one
/// where they differ in nothing but the values of their numbers and quoted texts.
public struct PredicateShape: Sendable {
    /// The text as it was given.
    public let text: String
    /// The numbers and quoted texts, in their order.
    let literals: [Token]
    let key: Key

    /// The text's bytes with one byte for each literal, after the bytes of a context.
    struct Key: RecentCacheKey {
        let bytes: [UInt8]
        let hash: Int

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            hash = bytes.withUnsafeBytes(\.quickHash)
        }

        static func == (a: Key, b: Key) -> Bool {
            guard a.hash == b.hash, a.bytes.count == b.bytes.count else { return false }
            // `==` of arrays goes byte by byte.
            return a.bytes.withUnsafeBytes { a in
                b.bytes.withUnsafeBytes { b in
                    guard let x = a.baseAddress, let y = b.baseAddress else { return true }
                    return memcmp(x, y, a.count) == 0
                }
            }
        }
    }

    /// The longest text that is looked at, in UTF-8 bytes.
    public static let textLength = 8_192
    /// The most literals in it.
    public static let literals = 256

    /// - Parameters:
    ///   - text: a predicate, or an empty text where there is none.
    ///   - context: what else a shape belongs to, such as an entity.
    /// - Returns: nil for a text that is too long, or no predicate for sure.
    public init?(_ text: String, in context: Context) {
        var read = text
        let found = read.withUTF8 { Self.scan($0, context.bytes) }
        guard let (literals, key) = found else { return nil }
        self.text = text
        self.literals = literals
        self.key = Key(key)
    }

    private static func scan(
        _ bytes: UnsafeBufferPointer<UInt8>, _ context: [UInt8]
    ) -> ([Token], [UInt8])? {
        guard bytes.count <= textLength, !holdsNull(bytes) else { return nil }
        var literals: [Token] = []
        literals.reserveCapacity(16)
        // A literal has a byte at least, so that there is room for its sign. An array would look
        // at each piece whether there is any.
        let room = context.count + bytes.count
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { buffer in
            var lexer = Lexer(bytes, from: 0, to: bytes.count)
            var plain = 0
            var count = context.withUnsafeBufferPointer {
                copy($0, 0..<$0.count, to: buffer, at: 0)
            }
            while let literal = lexer.nextLiteral() {
                guard let sign = sign(of: literal.kind), literals.count < Self.literals else {
                    return nil
                }
                count = copy(bytes, plain..<literal.place, to: buffer, at: count)
                buffer[count] = sign
                count += 1
                literals.append(literal)
                plain = lexer.index
            }
            count = copy(bytes, plain..<bytes.count, to: buffer, at: count)
            // The initialiser without initial values looks its type up, which takes longer.
            var key: [UInt8] = []
            key.reserveCapacity(count)
            key.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<count]))
            return (literals, key)
        }
    }

    /// U+0000 is in no predicate.
    private static func holdsNull(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = bytes.baseAddress else { return false }
        return memchr(base, 0, bytes.count) != nil
    }

    /// - Returns: where the next byte goes. A slice would be copied byte by byte.
    @inline(__always)
    private static func copy(
        _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>,
        to buffer: UnsafeMutableBufferPointer<UInt8>, at start: Int
    ) -> Int {
        guard let from = bytes.baseAddress, let to = buffer.baseAddress else { return start }
        precondition(start + range.count <= buffer.count, "a key has room for its text")
        (to + start).initialize(from: from + range.lowerBound, count: range.count)
        return start + range.count
    }

    /// What stands for a literal of that kind, in bytes that no UTF-8 has.
    private static func sign(of kind: Token.Kind) -> UInt8? {
        switch kind {
        case .integer: 0xF8
        case .fixedPoint: 0xF9
        case .radix: 0xFA
        case .text: 0xFB
        case .escapedText: 0xFC
        default: nil
        }
    }
}

extension PredicateShape {
    /// What a shape belongs to beside its text: parts in an order that is always the same.
    public struct Context: Sendable {
        fileprivate var bytes: [UInt8] = []

        /// Nothing yet.
        public init() { bytes.reserveCapacity(48) }

        /// A text; nil is another than an empty one.
        public mutating func add(_ text: String?) {
            if let text { bytes.append(contentsOf: text.utf8) } else { bytes.append(0xFE) }
            // No UTF-8 has it, so that no text can end in the next.
            bytes.append(0xFF)
        }

        /// A number, such as an entity's index.
        public mutating func add(_ number: Int) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
    }
}

/// A predicate read from text, with what is needed to know its literals again in the next text of
/// the same shape.
public struct ParsedPredicate: Sendable {
    /// The predicate, not checked yet.
    public let predicate: Predicate
    let shape: PredicateShape
    /// As `PredicateParser.literalSides`.
    let literalSides: [Range<Int>?]

    /// - Throws: `PredicateError` as `Predicate(format:)` does.
    public init(_ shape: PredicateShape) throws(PredicateError) {
        self.shape = shape
        var sides: [Range<Int>?] = []
        predicate = try PredicateParser.parse(shape.text, []) {
            (parser: inout PredicateParser) throws(PredicateError) in
            parser.literalSides = []
            let predicate = try parser.wholePredicate()
            sides = parser.literalSides ?? []
            return predicate
        }
        literalSides = sides
    }
}
