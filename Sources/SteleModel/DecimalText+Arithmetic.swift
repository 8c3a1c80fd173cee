/// Arithmetic on decimals, whose results have at most 38 digits as values that are set.

import FoundationEssentials

extension DecimalText {
    /// The value rounded to 38 digits; NaN if it is out of range then. Foundation's arithmetic makes
    /// 39 digits where its significand of 128 bits holds them, and `parse` refuses them.
    public static func rounded(_ value: Decimal) -> Decimal {
        guard let it = parts(value), it.significand >= limit else { return value }
        return nearest(it.significand, it.exponent, isNegative: it.isNegative)
    }

    /// The product, rounded to 38 digits; NaN if it is out of range, or has digits behind the 128th
    /// place. Foundation's `*` ends the process if the product is too small.
    public static func product(_ a: Decimal, _ b: Decimal) -> Decimal {
        guard let x = parts(a), let y = parts(b) else { return .nan }
        let power = x.exponent + y.exponent
        if Int8(exactly: power) != nil { return rounded(a * b) }
        // The product of two whole numbers is never too small.
        let whole =
            make(x.significand, exponent: 0, isNegative: x.isNegative)
            * make(y.significand, exponent: 0, isNegative: y.isNegative)
        guard let z = parts(whole), z.exponent + power >= Int(Int8.min) else { return .nan }
        return nearest(z.significand, z.exponent + power, isNegative: z.isNegative)
    }

    /// The quotient, rounded to 38 digits and to the 128th place; NaN if it is out of range, and for
    /// a divisor of 0. Foundation's `/` has none whose exponent is 38 above the least one.
    public static func quotient(_ a: Decimal, _ b: Decimal) -> Decimal {
        guard let x = parts(a), let y = parts(b), y.significand != 0 else { return .nan }
        let whole =
            make(x.significand, exponent: 0, isNegative: x.isNegative)
            / make(y.significand, exponent: 0, isNegative: y.isNegative)
        guard let z = parts(whole) else { return .nan }
        return nearest(
            z.significand, z.exponent + x.exponent - y.exponent, isNegative: z.isNegative)
    }

    /// The mean of some numbers: their sum, rounded to 38 digits, by their count, as where both are
    /// computed from parts. NaN where the sum is out of range.
    public static func mean(_ sum: Decimal, of count: Int) -> Decimal {
        quotient(rounded(sum), Decimal(count))
    }

    /// The decimal nearest to significand × 10^exponent, without trailing zeros where its exponent
    /// allows that; NaN if it is out of range, or too small for any digit.
    private static func nearest(
        _ significand: UInt128, _ exponent: Int, isNegative: Bool
    ) -> Decimal {
        if significand == 0 { return Decimal() }
        var (significand, exponent) = (significand, exponent)
        // All digits that do not fit are dropped at once, so that it is rounded once.
        let excess = max(significand >= limit ? 1 : 0, Int(Int8.min) - exponent)
        if excess > 0 {
            guard excess <= digitLimit else { return .nan }
            let divisor = (0..<excess).reduce(UInt128(1)) { power, _ in power * 10 }
            let (quotient, remainder) = significand.quotientAndRemainder(dividingBy: divisor)
            significand = quotient + (remainder >= divisor - remainder ? 1 : 0)
            exponent += excess
            if significand == 0 { return .nan }
        }
        while significand % 10 == 0, exponent < Int(Int8.max) {
            significand /= 10
            exponent += 1
        }
        guard let (digits, power) = fit(significand, exponent) else { return .nan }
        return make(digits, exponent: power, isNegative: isNegative)
    }
}
