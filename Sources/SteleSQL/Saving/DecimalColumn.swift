import SteleModel

/// A Decimal as a DECIMAL column stores it. A value of up to 15 significant digits is an integer,
/// or a real whose shortest digits are those of the value, as in Core Data. So is one of 16 or 17
/// digits that are the shortest of a real: Core Data's stores have them. Any other one is a blob of
/// ASCII digits, which the column's NUMERIC affinity does not convert.
public enum DecimalColumn: Sendable {
    /// A whole number.
    case integer(Int64)
    /// A number whose shortest digits are the value.
    case real(Double)
    /// The digits of a longer value.
    case digits([UInt8])

    /// The stored form of a value.
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
        } else if significant <= 17, text.contains(Self.point),
            let real = Double(String(decoding: text, as: UTF8.self)), Self.decimal(real) == value
        {
            self = .real(real)
            return
        }
        self = .digits(text)
    }

    private static let minus = UInt8(ascii: "-")
    private static let zero = UInt8(ascii: "0")
    private static let point = UInt8(ascii: ".")

    /// Returns the decimal with the shortest digits of a double; nil where it is out of the range
    /// of Decimal.
    public static func decimal(_ real: Double) -> Decimal? {
        DecimalText.parse(real.description.utf8)
    }

    /// Returns the decimal of a blob of digits; nil for any other blob.
    public static func decimal(digits: [UInt8]) -> Decimal? { DecimalText.parse(stored: digits) }

    /// The number that SQL compares with a column in which no value is long: those of Core Data have
    /// numbers of any digits. Nil for a value that no such column has.
    static func number(_ value: Decimal) -> Value? {
        let text = DecimalText.text(value)
        if let whole = Int64(text) { return .int(whole) }
        guard let real = Double(text), decimal(real) == value else { return nil }
        return .double(real)
    }

    /// Whether SQL's own comparison would be wrong for the value.
    public var isLong: Bool {
        if case .digits = self { return true }
        return false
    }
}
