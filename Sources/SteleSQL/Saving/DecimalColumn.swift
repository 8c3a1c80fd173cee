/// A Decimal as a DECIMAL column holds it, exactly.

import SteleModel

/// How a decimal is stored: up to 15 significant digits as Apple does, as an integer or a real,
/// of which the shortest digits are the decimal's own; more as a blob of ASCII digits, which the
/// column's NUMERIC affinity leaves alone.
public enum DecimalColumn: Sendable {
    case integer(Int64)
    case real(Double)
    case digits([UInt8])

    /// The form that a column keeps the value in.
    public init(_ value: Decimal) {
        var text: [UInt8] = []
        DecimalText.write(value, to: &text)
        let significant = text.drop { $0 == Self.minus || $0 == Self.zero || $0 == Self.point }
            .count { $0 != Self.point }
        if significant <= 15 {
            let string = String(decoding: text, as: UTF8.self)
            if let whole = Int64(string) {
                self = .integer(whole)
                return
            }
            if let real = Double(string) {
                self = .real(real)
                return
            }
        }
        self = .digits(text)
    }

    private static let minus = UInt8(ascii: "-")
    private static let zero = UInt8(ascii: "0")
    private static let point = UInt8(ascii: ".")

    /// The decimal whose digits are the shortest that read back as the number.
    public static func decimal(_ real: Double) -> Decimal? {
        DecimalText.parse(real.description.utf8)
    }

    /// The decimal that a blob of digits holds; nil where it holds something else.
    public static func decimal(digits: [UInt8]) -> Decimal? {
        if let value = DecimalText.parse(digits) { return value }
        // What is computed may have a digit more than what can be stored.
        guard digits.count > 38, digits.allSatisfy(isOfNumber) else { return nil }
        return Decimal(string: String(decoding: digits, as: UTF8.self))
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        byte &- zero < 10 || byte == point || byte == minus || byte == UInt8(ascii: "e")
    }

    /// Whether plain SQL would compare it wrongly.
    public var isLong: Bool {
        if case .digits = self { return true }
        return false
    }
}
