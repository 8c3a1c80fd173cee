// One pass over a JSON text before jansson parses it, for what jansson does not report: numbers
// with more digits than a Double keeps, and nesting beyond the limit.

internal import CJansson

/// What a pass over the raw bytes finds. It is right only for texts that jansson then accepts.
struct TextScan {
    /// A number that a Double rounds: its ordinal in the text, and the range of its digits.
    struct LongNumber {
        var ordinal: Int
        var range: Range<Int>
    }

    private(set) var longNumbers: [LongNumber] = []

    /// The number of digits that a decimal keeps as a Double (DBL_DIG).
    static let exactDigits = 15
    /// The power of ten below which Doubles are subnormal and keep fewer digits.
    static let exactExponent = -290

    init(_ bytes: [UInt8]) throws(JSONError) {
        let span = bytes.span
        let end = span.count
        var at = 0
        var depth = 0
        var numbers = 0
        while at < end {
            switch span[at] {
            case UInt8(ascii: "\""):
                at = Self.endOfString(span, from: at)
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                if depth > JSONDocument.depthLimit {
                    throw JSONError(
                        .tooDeep,
                        "arrays and objects nest deeper than \(JSONDocument.depthLimit) levels",
                        at: at, of: bytes, hint: "send the inner objects in requests of their own")
                }
                at += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                at += 1
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                var number = NumberToken()
                let start = at
                while at < end, number.take(span[at]) { at += 1 }
                if number.isLong {
                    longNumbers.append(LongNumber(ordinal: numbers, range: start..<at))
                }
                numbers += 1
            default:
                at += 1
            }
        }
    }

    /// The index after the closing quote of the string that opens at `start`, or the end.
    static func endOfString(_ span: Span<UInt8>, from start: Int) -> Int {
        var at = start + 1
        while at < span.count {
            let byte = span[at]
            if byte == UInt8(ascii: "\"") { return at + 1 }
            at += byte == UInt8(ascii: "\\") ? 2 : 1
        }
        return span.count
    }
}

/// Counts the digits of one number, byte by byte.
private struct NumberToken {
    /// Digits from the first that is not zero.
    private var digits = 0
    /// Zeros at the end so far, which count only if another digit follows.
    private var trailingZeros = 0
    /// Zeros between the point and the first digit that counts.
    private var leadingFractionZeros = 0
    private var afterPoint = false
    private var inExponent = false
    private var exponentIsNegative = false
    private var exponent = 0

    /// Takes one byte; false if it is not part of a number.
    mutating func take(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            let digit = Int(byte &- UInt8(ascii: "0"))
            if inExponent {
                exponent = min(exponent * 10 + digit, 100_000)
            } else if digit != 0 {
                digits += trailingZeros + 1
                trailingZeros = 0
            } else if digits > 0 {
                trailingZeros += 1
            } else if afterPoint {
                leadingFractionZeros += 1
            }
        case UInt8(ascii: "."):
            afterPoint = true
        case UInt8(ascii: "e"), UInt8(ascii: "E"):
            inExponent = true
        case UInt8(ascii: "-"):
            exponentIsNegative = inExponent
        case UInt8(ascii: "+"):
            break
        default:
            return false
        }
        return true
    }

    /// Whether a Double does not keep all the digits.
    var isLong: Bool {
        guard digits > 0 else { return false }
        let power = (exponentIsNegative ? -exponent : exponent) - leadingFractionZeros
        return digits > TextScan.exactDigits || power < TextScan.exactExponent
    }
}

/// Finds the nodes of long numbers; the numbers of the tree are in the order of the text.
struct LongNumberMarker {
    private var wanted: ArraySlice<TextScan.LongNumber>
    private var ordinal = 0
    private(set) var found: [UnsafeMutablePointer<json_t>: Range<Int>] = [:]

    init(_ numbers: [TextScan.LongNumber]) { wanted = numbers[...] }

    mutating func visit(_ node: UnsafeMutablePointer<json_t>) {
        switch node.pointee.type {
        case JSON_INTEGER, JSON_REAL:
            if let next = wanted.first, next.ordinal == ordinal {
                found[node] = next.range
                wanted.removeFirst()
            }
            ordinal += 1
        case JSON_ARRAY:
            for index in 0..<json_array_size(node) where !wanted.isEmpty {
                if let element = json_array_get(node, index) { visit(element) }
            }
        case JSON_OBJECT:
            var member = json_object_iter(node)
            while let current = member, !wanted.isEmpty {
                if let value = json_object_iter_value(current) { visit(value) }
                member = json_object_iter_next(node, current)
            }
        default:
            break
        }
    }
}
