/// A Decimal as a DECIMAL column holds it, exactly.

import SteleModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How a decimal is stored: up to 15 significant digits as Apple does, as an integer or a real,
/// of which the shortest digits are the decimal's own; more as a blob of ASCII digits, which the
/// column's NUMERIC affinity leaves alone.
enum DecimalColumn {
    case integer(Int64)
    case real(Double)
    case digits([UInt8])

    init(_ value: Decimal) {
        let text = value.description
        let significant = text.utf8.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") }
            .count { $0 != UInt8(ascii: ".") }
        if significant <= 15 {
            if let whole = Int64(text) {
                self = .integer(whole)
                return
            }
            if let real = Double(text) {
                self = .real(real)
                return
            }
        }
        self = .digits(Array(text.utf8))
    }

    /// The decimal whose digits are the shortest that read back as the number.
    static func decimal(_ real: Double) -> Decimal? { Decimal(string: real.description) }

    /// The decimal that a blob of digits holds; nil where it holds something else.
    static func decimal(digits: [UInt8]) -> Decimal? {
        Decimal(string: String(decoding: digits, as: UTF8.self))
    }
}
