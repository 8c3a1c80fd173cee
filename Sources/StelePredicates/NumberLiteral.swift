import SteleModel

/// A number literal in a text that its owner keeps alive.
struct NumberLiteral {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let place: Token
    private let isNegative: Bool
    /// Whether the text is the shortest representation of a Double.
    private let isShortest: Bool

    init(
        _ bytes: UnsafeBufferPointer<UInt8>, _ place: Token, _ isNegative: Bool,
        isShortest: Bool = false
    ) {
        self.bytes = bytes
        self.place = place
        self.isNegative = isNegative
        self.isShortest = isShortest
    }

    /// The number: an integer if it fits in 64 bits, otherwise a Decimal, exact to 38 digits. What
    /// a Decimal cannot hold is a Double; nil if a Double cannot hold it either.
    var value: Value? {
        switch place.kind {
        case .integer: whole.map { .int($0) } ?? fixedPoint
        case .radix: radix
        default: fixedPoint
        }
    }

    /// The value of an integer literal; nil if it does not fit in 64 bits.
    private var whole: Int64? {
        var value: Int64 = 0
        for index in place.start..<place.end {
            let digit = Int64(bytes[index] &- 0x30)
            let (tenfold, over) = value.multipliedReportingOverflow(by: 10)
            let (sum, carried) =
                isNegative
                ? tenfold.subtractingReportingOverflow(digit)
                : tenfold.addingReportingOverflow(digit)
            if over || carried { return nil }
            value = sum
        }
        return value
    }

    private var radix: Value? {
        let base: Int =
            switch bytes[place.start + 1] | 0x20 {
            case UInt8(ascii: "x"): 16
            case UInt8(ascii: "o"): 8
            default: 2
            }
        let digits = String(decoding: bytes[(place.start + 2)..<place.end], as: UTF8.self)
        let text = isNegative ? "-" + digits : digits
        if let value = Int64(text, radix: base) { return .int(value) }
        // A larger number is a Decimal if it has at most 38 digits.
        guard let value = UInt128(digits, radix: base),
            let decimal = DecimalText.parse("\(value)".utf8)
        else { return nil }
        return .decimal(isNegative ? -decimal : decimal)
    }

    /// Parses digits and an exponent, directly if there are at most 19 significant digits.
    private var fixedPoint: Value? {
        var mantissa: UInt64 = 0
        var digits = 0
        var zeros = 0
        var exponent = 0
        var index = place.start
        var afterPoint = false
        while index < place.end {
            let byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: ".") {
                afterPoint = true
                continue
            }
            guard Lexer.isDigit(byte) else { break }
            if afterPoint { exponent -= 1 }
            if byte == 0x30 {
                if digits > 0 { zeros += 1 }
                continue
            }
            // Zeros count only if another digit follows.
            digits += zeros + 1
            if digits <= 19 {
                for _ in 0..<zeros { mantissa &*= 10 }
                mantissa = mantissa &* 10 &+ UInt64(byte &- 0x30)
            }
            zeros = 0
        }
        exponent += zeros
        if index < place.end {
            exponent += writtenExponent(from: index)
        }
        if digits == 0 { return .decimal(0) }
        if digits <= 19, (-128...127).contains(exponent) {
            return .decimal(
                Decimal(
                    sign: isNegative ? .minus : .plus, exponent: exponent,
                    significand: Decimal(mantissa)))
        }
        return longNumber
    }

    /// Reads the exponent after `e`, clamped to a value that is out of range for any text length.
    private func writtenExponent(from start: Int) -> Int {
        let text = String(decoding: bytes[start..<place.end], as: UTF8.self)
        let most = 1 << 40
        let written = Int(text) ?? (text.utf8.first == UInt8(ascii: "-") ? -most : most)
        return min(max(written, -most), most)
    }

    /// A Decimal for the digits that a Decimal attribute takes, so that a stored number is found by
    /// the text that was stored.
    private var longNumber: Value? {
        let digitsAsWritten = String(decoding: bytes[place.start..<place.end], as: UTF8.self)
        let whole = bytes[place.start] == UInt8(ascii: ".") ? "0" : ""
        let written = (isNegative ? "-" : "") + whole + digitsAsWritten
        if let value = DecimalText.parse(written.utf8) { return .decimal(value) }
        guard let value = Double(written), value.isFinite else { return nil }
        if value == 0 { return .decimal(0) }
        if isShortest { return .double(value) }
        // The value is that of its shortest representation, which may be a Decimal, so that the
        // printed form reads back as the same value.
        var shortest = "\(value.magnitude)"
        return shortest.withUTF8 {
            let all = Token(kind: .fixedPoint, start: 0, end: $0.count, place: 0)
            return NumberLiteral($0, all, isNegative, isShortest: true).fixedPoint
        }
    }
}
