// One pass over a JSON text before jansson parses it, for what jansson does not report: numbers
// with more digits than a Double keeps, integers beyond 64 bits, and nesting beyond the limit.

internal import CJansson

/// What a pass over the raw bytes finds. It is right only for texts that jansson then accepts.
struct TextScan {
    /// A number that a Double rounds, or an integer beyond 64 bits.
    struct LongNumber {
        /// How many numbers are before it in the text.
        var ordinal: Int
        /// The place of its digits.
        var range: Range<Int>
        /// Whether a Double does not keep all its digits.
        var isRounded: Bool
        /// The Double nearest to an integer beyond 64 bits; nil for other numbers.
        var nearest: Double?
    }

    private(set) var longNumbers: [LongNumber] = []

    /// The number of digits that a decimal keeps as a Double (DBL_DIG).
    static let exactDigits = 15
    /// The power of ten below which Doubles are subnormal and keep fewer digits.
    static let exactExponent = -290

    /// - Parameter most: the maximum nesting of arrays and objects.
    init(_ bytes: [UInt8], depth most: Int) throws(JSONError) {
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
                if depth > most {
                    throw JSONError(
                        .tooDeep, "arrays and objects nest deeper than \(most) levels", at: at,
                        of: bytes,
                        hint: "send inner objects in requests of their own; a value of JSON may "
                            + "have \(JSONDocument.valueDepthLimit) levels")
                }
                at += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                at += 1
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                var number = NumberToken()
                let start = at
                while at < end, number.take(span[at]) { at += 1 }
                let nearest =
                    number.isPerhapsWide ? try Self.nearest(start..<at, of: bytes) : nil
                if number.isLong || nearest != nil {
                    longNumbers.append(
                        LongNumber(
                            ordinal: numbers, range: start..<at, isRounded: number.isLong,
                            nearest: nearest))
                }
                numbers += 1
            default:
                at += 1
            }
        }
    }

    /// The Double nearest to an integer beyond 64 bits; nil for other numbers.
    private static func nearest(
        _ range: Range<Int>, of bytes: [UInt8]
    ) throws(JSONError) -> Double? {
        let number = bytes[range]
        let digits = number.first == UInt8(ascii: "-") ? number.dropFirst() : number
        guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let text = String(decoding: number, as: UTF8.self)
        guard Int64(text) == nil, let nearest = Double(text) else { return nil }
        if nearest.isFinite { return nearest }
        throw JSONError(
            .numberOutOfRange, "the number '\(text.prefix(40))…' goes beyond a Double",
            at: range.lowerBound, of: bytes, hint: "send it as a string")
    }

    /// The text as jansson reads it: integers beyond 64 bits, which it refuses, are reals of the
    /// same length, so that its errors keep their place. The tree gets their values afterwards.
    func readable(_ bytes: [UInt8]) -> [UInt8] {
        var readable = bytes
        for number in longNumbers where number.nearest != nil {
            readable[number.range.upperBound - 2] = UInt8(ascii: ".")
            readable[number.range.upperBound - 1] = UInt8(ascii: "0")
        }
        return readable
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

    /// Whether it is an integer of so many digits that 64 bits may not hold it.
    var isPerhapsWide: Bool { !afterPoint && !inExponent && digits + trailingZeros >= 19 }
}

/// Finds the nodes of long numbers, and sets the values of integers beyond 64 bits. The numbers of
/// the tree are in the order of the text.
struct LongNumberMarker {
    private var wanted: ArraySlice<TextScan.LongNumber>
    private var ordinal = 0
    private(set) var found: [UnsafeMutablePointer<json_t>: TextScan.LongNumber] = [:]

    init(_ numbers: [TextScan.LongNumber]) { wanted = numbers[...] }

    mutating func visit(_ node: UnsafeMutablePointer<json_t>) {
        switch node.pointee.type {
        case JSON_INTEGER, JSON_REAL:
            if let next = wanted.first, next.ordinal == ordinal {
                if let nearest = next.nearest { json_real_set(node, nearest) }
                found[node] = next
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
