// Integers in all the forms that JSON has for them.

internal import CJansson

extension JSONNode {
    /// The integer that a number is, however it is written: `5`, `5.0`, `5e0`, `50e-1`; nil for a
    /// number with a fraction or beyond 64 bits, and for other kinds.
    public var wholeNumber: Int64? {
        switch pointer.pointee.type {
        case JSON_INTEGER: return json_integer_value(pointer)
        case JSON_REAL:
            if let text = longNumberText { return Self.wholeNumber(text.utf8) }
            let real = json_real_value(pointer)
            if real.magnitude < 0x1p53 { return Int64(exactly: real) }
            // The number has up to 15 digits, and these are the shortest of its Double.
            var writer = ByteWriter(capacity: 32)
            writer.double(real)
            return Self.wholeNumber(writer.bytes)
        default: return nil
        }
    }

    /// The integer of a number's text, read from its digits, never through a Double.
    private static func wholeNumber(_ text: some Sequence<UInt8>) -> Int64? {
        var digits: [UInt8] = []
        var exponent: [UInt8] = []
        var (isNegative, isAfterPoint, isInExponent) = (false, false, false)
        var places = 0
        for byte in text {
            switch byte {
            case UInt8(ascii: "e"), UInt8(ascii: "E"): isInExponent = true
            case _ where isInExponent: exponent.append(byte)
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): isAfterPoint = true
            default:
                if isAfterPoint { places -= 1 }
                digits.append(byte)
            }
        }
        digits.removeSubrange(..<(digits.firstIndex { $0 != 0x30 } ?? digits.endIndex))
        if digits.isEmpty { return 0 }
        while digits.last == 0x30 {
            digits.removeLast()
            places += 1
        }
        if isInExponent {
            // One that is no Int is far beyond 64 bits, or a fraction.
            guard let more = Int(String(decoding: exponent, as: UTF8.self)) else { return nil }
            let (sum, overflows) = places.addingReportingOverflow(more)
            if overflows { return nil }
            places = sum
        }
        guard (0...18).contains(places), digits.count + places <= 19 else { return nil }
        let all = (isNegative ? [UInt8(ascii: "-")] : []) + digits
        return Int64(String(decoding: all + Array(repeating: 0x30, count: places), as: UTF8.self))
    }
}
