/// Numeric conversions of values.

import SteleModel

extension Value {
    /// The number as the nearest Double; nil if the value is not a number.
    var asDouble: Double? {
        switch self {
        case .int(let it): Double(it)
        case .double(let it): it
        case .decimal(let it): it.nearestDouble
        case .bool(let it): it ? 1 : 0
        case .key(let it): Double(it)
        default: nil
        }
    }

    /// The number as an exact Decimal, a Double by its shortest digits; nil if a Decimal cannot
    /// hold it.
    var asDecimal: Decimal? {
        switch self {
        case .int(let it): Decimal(it)
        case .double(let it): DecimalText.parse(it.description.utf8)
        case .decimal(let it): it.isNaN ? nil : it
        case .bool(let it): it ? 1 : 0
        default: nil
        }
    }

    /// Whether the value is a number or a Boolean.
    var isNumber: Bool {
        switch self {
        case .int, .double, .decimal, .bool: true
        default: false
        }
    }
}

extension Decimal {
    /// The nearest Double.
    package var nearestDouble: Double {
        // Both operands are exact, so the division is the only rounding.
        if let (significand, exponent, isNegative) = DecimalText.parts(self),
            significand < 1 << 53, exponent <= 0, exponent >= -22
        {
            let value = Double(UInt64(significand)) / Self.powersOfTen[-exponent]
            return isNegative ? -value : value
        }
        // Parsing the text rounds once; arithmetic on significand and exponent would round twice.
        return Double(description) ?? .nan
    }

    /// The powers that a Double holds exactly.
    private static let powersOfTen: [Double] = [
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
        1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    ]

    /// The integer value; nil if it has a fraction or does not fit in 64 bits.
    var wholeNumber: Int64? {
        guard !isNaN else { return nil }
        if isZero { return 0 }
        guard exponent >= -38, exponent <= 18 else { return nil }
        let text = description
        guard !text.utf8.contains(UInt8(ascii: ".")) else { return nil }
        return Int64(text)
    }
}
