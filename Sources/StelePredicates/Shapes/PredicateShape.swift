import Glibc

/// The shape of a predicate's text. Texts that differ only in the values of their numbers and
/// quoted texts have the same shape. It is computed in one pass over the bytes.
public struct PredicateShape: Sendable {
    /// The text itself.
    public let text: String
    /// The numbers and quoted texts, in order.
    let literals: [Token]
    let key: Key

    /// The bytes of the context and of the text, with one byte for each literal.
    struct Key: RecentCacheKey {
        let bytes: [UInt8]
        let hash: Int

        init(_ bytes: [UInt8]) {
            self.bytes = bytes
            hash = bytes.withUnsafeBytes(\.quickHash)
        }

        static func == (a: Key, b: Key) -> Bool {
            guard a.hash == b.hash, a.bytes.count == b.bytes.count else { return false }
            // `==` of arrays compares byte by byte.
            return a.bytes.withUnsafeBytes { a in
                b.bytes.withUnsafeBytes { b in
                    guard let x = a.baseAddress, let y = b.baseAddress else { return true }
                    return memcmp(x, y, a.count) == 0
                }
            }
        }
    }

    /// The maximum length of a text, in UTF-8 bytes.
    public static let textLength = 8_192
    /// The maximum number of literals.
    public static let literals = 256

    /// Computes the shape of a text.
    /// - Parameters:
    ///   - text: a predicate; empty if there is none.
    ///   - context: what the shape depends on besides the text, such as an entity.
    /// - Returns: nil if the text exceeds a limit or cannot be a predicate.
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
        // Every literal has at least one byte, so there is room for its sign. A temporary buffer
        // avoids the checks of an array.
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
            // This initializer is faster than the one without initial values, which looks up the
            // element type.
            var key: [UInt8] = []
            key.reserveCapacity(count)
            key.append(contentsOf: UnsafeBufferPointer(rebasing: buffer[..<count]))
            return (literals, key)
        }
    }

    /// No predicate contains U+0000.
    private static func holdsNull(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let base = bytes.baseAddress else { return false }
        return memchr(base, 0, bytes.count) != nil
    }

    /// Copies a range of bytes with one call; a slice would be copied byte by byte.
    /// - Returns: the index after the copy.
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

    /// The byte that stands for a literal of that kind. UTF-8 does not contain it.
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
    /// What a shape depends on besides its text. The parts must always be added in the same order.
    public struct Context: Sendable {
        fileprivate var bytes: [UInt8] = []

        /// Creates an empty context.
        public init() { bytes.reserveCapacity(48) }

        /// Adds a text. Nil differs from an empty text.
        public mutating func add(_ text: String?) {
            if let text { bytes.append(contentsOf: text.utf8) } else { bytes.append(0xFE) }
            // UTF-8 does not contain this byte, so it separates texts.
            bytes.append(0xFF)
        }

        /// Adds a number, such as an entity's index.
        public mutating func add(_ number: Int) {
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
    }
}

/// A parsed predicate with the places of its literals.
package struct ParsedPredicate: Sendable {
    /// The predicate, not checked.
    package let predicate: Predicate
    let shape: PredicateShape
    /// See `PredicateParser.literalSides`.
    let literalSides: [Range<Int>?]

    /// Parses the text of a shape.
    /// - Throws: `PredicateError` as `Predicate(format:)`.
    package init(_ shape: PredicateShape) throws(PredicateError) {
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
