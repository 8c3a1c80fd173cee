/// Splits the text of a list at commas outside quotes, brackets, braces and parentheses.
struct ListItems {
    let bytes: UnsafeBufferPointer<UInt8>
    private(set) var ranges: [Range<Int>] = []

    /// - Throws: `PredicateError` if the list or an item is empty, or the list is too long.
    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(PredicateError) {
        self.bytes = bytes
        guard bytes.count <= PredicateLimits.textLength else {
            throw PredicateError(.limit, "sort is longer than \(PredicateLimits.textLength) bytes")
        }
        var start = 0
        for end in commas + [bytes.count] {
            let range = trimmed(start..<end)
            guard !range.isEmpty else {
                throw PredicateError(
                    .syntax, "sort has an empty item",
                    position: bytes[..<start].reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 },
                    expected: "a key path or an expression")
            }
            ranges.append(range)
            start = end + 1
        }
    }

    private var commas: [Int] {
        var places: [Int] = []
        var depth = 0
        var quote: UInt8 = 0
        var index = 0
        while index < bytes.count {
            let byte = bytes[index]
            if quote != 0 {
                if byte == UInt8(ascii: "\\") { index += 1 } else if byte == quote { quote = 0 }
            } else {
                switch byte {
                case UInt8(ascii: ",") where depth == 0: places.append(index)
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
}
