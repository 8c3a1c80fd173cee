/// Splits the text of a list at commas outside quotes, brackets, braces and parentheses.
struct ListItems {
    let bytes: UnsafeBufferPointer<UInt8>
    private(set) var ranges: [Range<Int>] = []

    /// - Throws: `PredicateError` if the list or an item is empty, or the list is too long.
    init(_ bytes: UnsafeBufferPointer<UInt8>, _ noun: String) throws(PredicateError) {
        self.bytes = bytes
        guard bytes.count <= PredicateLimits.textLength else {
            throw PredicateError(
                .limit, "\(noun) is longer than \(PredicateLimits.textLength) bytes")
        }
        var start = 0
        for end in Self.places(of: UInt8(ascii: ","), in: bytes, 0..<bytes.count) + [bytes.count] {
            let range = trimmed(start..<end)
            guard !range.isEmpty else {
                throw PredicateError(
                    .syntax, "\(noun) has an empty item", position: position(of: start),
                    expected: "a key path or an expression")
            }
            ranges.append(range)
            start = end + 1
        }
    }

    /// The places of a byte outside quotes and brackets.
    static func places(
        of wanted: UInt8, in bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>
    ) -> [Int] {
        var places: [Int] = []
        var depth = 0
        var quote: UInt8 = 0
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            if quote != 0 {
                if byte == UInt8(ascii: "\\") { index += 1 } else if byte == quote { quote = 0 }
            } else if byte == wanted, depth == 0 {
                places.append(index)
            } else {
                switch byte {
                case UInt8(ascii: "'"), UInt8(ascii: "\""): quote = byte
                case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
                case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                    depth = max(0, depth - 1)
                default: break
                }
            }
            index += 1
        }
        return places
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 0x09 && byte <= 0x0D) }

    func trimmed(_ range: Range<Int>) -> Range<Int> {
        var (low, high) = (range.lowerBound, range.upperBound)
        while low < high, Self.isSpace(bytes[low]) { low += 1 }
        while high > low, Self.isSpace(bytes[high - 1]) { high -= 1 }
        return low..<high
    }

    func position(of byte: Int) -> Int {
        bytes[..<byte].reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    func expression(_ range: Range<Int>) throws(PredicateError) -> Expression {
        var parser = PredicateParser(bytes, from: range.lowerBound, to: range.upperBound)
        return try parser.wholeExpression()
    }

    /// The text of an item without spaces beside punctuation.
    func name(_ range: Range<Int>) -> String {
        var result: [UInt8] = []
        var quote: UInt8 = 0
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = bytes[index]
            if quote != 0 {
                result.append(byte)
                if byte == UInt8(ascii: "\\"), index + 1 < range.upperBound {
                    index += 1
                    result.append(bytes[index])
                } else if byte == quote {
                    quote = 0
                }
            } else if Self.isSpace(byte) {
                let next = bytes[index..<range.upperBound].first { !Self.isSpace($0) } ?? 0
                if Self.isWord(result.last ?? 0), Self.isWord(next) { result.append(0x20) }
                while index + 1 < range.upperBound, Self.isSpace(bytes[index + 1]) { index += 1 }
            } else {
                if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") { quote = byte }
                result.append(byte)
            }
            index += 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    static func isWord(_ byte: UInt8) -> Bool { Lexer.isLetter(byte) || Lexer.isDigit(byte) }
}
