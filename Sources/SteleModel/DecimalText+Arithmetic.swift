/// Arithmetic on decimals, whose exact results are rounded once, to 38 digits: half away from 0.

import FoundationEssentials

extension DecimalText {
    /// The value rounded to 38 digits; NaN if it is out of range then. Foundation's arithmetic makes
    /// 39 digits where its significand of 128 bits holds them, and `parse` refuses them.
    public static func rounded(_ value: Decimal) -> Decimal {
        guard let it = parts(value), it.significand >= limit else { return value }
        return WideDecimal(value)?.rounded() ?? .nan
    }

    /// The sum, rounded to 38 digits; NaN if it is out of range.
    public static func sum(_ a: Decimal, _ b: Decimal) -> Decimal {
        guard let x = WideDecimal(a), let y = WideDecimal(b) else { return .nan }
        return (x + y).rounded()
    }

    /// The difference, rounded to 38 digits; NaN if it is out of range.
    public static func difference(_ a: Decimal, _ b: Decimal) -> Decimal {
        guard let x = WideDecimal(a), let y = WideDecimal(b) else { return .nan }
        return (x + -y).rounded()
    }

    /// The product, rounded to 38 digits; NaN if it is out of range, or has digits behind the 128th
    /// place.
    public static func product(_ a: Decimal, _ b: Decimal) -> Decimal {
        guard let x = WideDecimal(a), let y = WideDecimal(b) else { return .nan }
        return (x * y).rounded(roundsPlaces: false)
    }

    /// The quotient, rounded to 38 digits and to the 128th place; NaN if it is out of range, and for
    /// a divisor of 0.
    public static func quotient(_ a: Decimal, _ b: Decimal) -> Decimal {
        guard let x = WideDecimal(a), let y = WideDecimal(b), y.low != 0 else { return .nan }
        return (x / y).rounded()
    }

    /// What a division to a whole number leaves, which is exact and has the sign of `a`; NaN for a
    /// divisor of 0.
    public static func remainder(_ a: Decimal, _ b: Decimal) -> Decimal {
        guard let x = WideDecimal(a), let y = WideDecimal(b), y.low != 0 else { return .nan }
        return (x % y).rounded()
    }
}
