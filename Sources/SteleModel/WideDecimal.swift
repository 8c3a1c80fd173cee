/// Exact arithmetic, whose results are rounded once.

import FoundationEssentials

/// A number of up to 76 digits in the middle of arithmetic. Operands have up to 38.
struct WideDecimal {
    /// The upper half of the digits as an integer of 256 bits, which is below 10^76.
    var high: UInt128 = 0
    var low: UInt128
    /// The power of ten that the digits are multiplied by.
    var exponent: Int
    var isNegative: Bool

    static let powers: [UInt128] = {
        var powers: [UInt128] = [1]
        for _ in 0..<DecimalText.digitLimit { powers.append(powers[powers.count - 1] * 10) }
        return powers
    }()

    static func digitCount(_ number: UInt128) -> Int {
        if number == 0 { return 0 }
        // 1233 / 4096 is the logarithm of 2.
        let least = ((128 - number.leadingZeroBitCount) * 1233) >> 12
        return number < powers[least] ? least : least + 1
    }

    private var digits: Int {
        if high == 0 { return Self.digitCount(low) }
        let upper = DecimalText.limit.dividingFullWidth((high: high, low: low)).quotient
        return DecimalText.digitLimit + Self.digitCount(upper)
    }

    /// The nearest Decimal of 38 digits, and of two the one farther from 0; NaN if it is out of
    /// range, or too small for any digit.
    /// - Parameter roundsPlaces: whether it is also rounded to the 128th place. Else it is NaN if it
    ///   has digits behind that.
    func rounded(roundsPlaces: Bool = true) -> Decimal {
        let count = digits
        if count == 0 { return Decimal() }
        // All digits that do not fit are dropped at once, so that it is rounded once.
        let behind = roundsPlaces ? Int(Int8.min) - exponent : 0
        let excess = max(count - DecimalText.digitLimit, behind, 0)
        guard excess <= count else { return .nan }
        var (significand, power) = (low, exponent + excess)
        if excess > 0 {
            // Only the first digit that is dropped decides.
            let last = min(excess, DecimalText.digitLimit)
            let part = divided(by: Self.powers[excess - last]).quotient
            let divisor = Self.powers[last]
            let (quotient, remainder) = part.divided(by: divisor)
            significand = quotient.low + (remainder >= divisor - remainder ? 1 : 0)
            if significand == 0 { return .nan }
        }
        for zeros in [32, 16, 8, 4, 2, 1]
        where significand.trailingZeroBitCount >= zeros && power + zeros <= Int(Int8.max)
            && significand % Self.powers[zeros] == 0
        {
            significand /= Self.powers[zeros]
            power += zeros
        }
        guard significand < DecimalText.limit,
            let (fitted, place) = DecimalText.fit(significand, power)
        else { return .nan }
        return DecimalText.make(fitted, exponent: place, isNegative: isNegative)
    }

    private func divided(by divisor: UInt128) -> (quotient: WideDecimal, remainder: UInt128) {
        let (top, rest) = high.quotientAndRemainder(dividingBy: divisor)
        var made = self
        made.high = top
        if rest == 0 {
            let (quotient, remainder) = low.quotientAndRemainder(dividingBy: divisor)
            made.low = quotient
            return (made, remainder)
        }
        let (quotient, remainder) = divisor.dividingFullWidth((high: rest, low: low))
        made.low = quotient
        return (made, remainder)
    }

    /// Appends a digit, of up to 39.
    mutating func append(_ digit: UInt8) {
        (high, low) = low.multipliedFullWidth(by: 10)
        add(UInt128(digit))
    }

    /// Adds to the digits.
    mutating func add(_ number: UInt128) {
        let (sum, isOver) = low.addingReportingOverflow(number)
        low = sum
        if isOver { high += 1 }
    }

    /// Subtracts from the digits, which may change the sign if they are below 2^128.
    private mutating func subtract(_ number: UInt128) {
        let (difference, isBelow) = low.subtractingReportingOverflow(number)
        if isBelow, high == 0 {
            low = number - low
            isNegative.toggle()
        } else {
            low = difference
            if isBelow { high -= 1 }
        }
    }
}

extension WideDecimal {
    /// Creates an operand. 39 digits, which Foundation's arithmetic makes, are rounded to 38.
    /// - Returns: nil for NaN.
    init?(_ value: Decimal) {
        guard let it = DecimalText.parts(value) else { return nil }
        self.init(low: it.significand, exponent: it.exponent, isNegative: it.isNegative)
        if low >= DecimalText.limit {
            low = low / 10 + (low % 10 >= 5 ? 1 : 0)
            exponent += 1
        }
    }

    static prefix func - (a: WideDecimal) -> WideDecimal {
        var negated = a
        negated.isNegative.toggle()
        return negated
    }

    static func + (a: WideDecimal, b: WideDecimal) -> WideDecimal {
        if a.low == 0 { return b }
        if b.low == 0 { return a }
        let (upper, lower) = a.exponent < b.exponent ? (b, a) : (a, b)
        let distance = upper.exponent - lower.exponent
        let shift = min(distance, 2 * DecimalText.digitLimit - digitCount(upper.low))
        let begin = max(0, shift - DecimalText.digitLimit)
        let (high, low) = (upper.low * powers[begin]).multipliedFullWidth(
            by: powers[shift - begin])
        var made = WideDecimal(
            high: high, low: low, exponent: upper.exponent - shift, isNegative: upper.isNegative)
        // What does not fit is behind the digit that is rounded by.
        var (added, isCut) = (UInt128(0), true)
        if distance - shift < powers.count {
            let divisor = powers[distance - shift]
            let (quotient, remainder) = lower.low.quotientAndRemainder(dividingBy: divisor)
            (added, isCut) = (quotient, remainder != 0)
        }
        if upper.isNegative == lower.isNegative {
            made.add(added)
        } else {
            made.subtract(added + (isCut ? 1 : 0))
        }
        return made
    }

    static func * (a: WideDecimal, b: WideDecimal) -> WideDecimal {
        let (high, low) = a.low.multipliedFullWidth(by: b.low)
        return WideDecimal(
            high: high, low: low, exponent: a.exponent + b.exponent,
            isNegative: a.isNegative != b.isNegative)
    }

    /// The quotient with 39 digits, of which the last is 5 if the rest is a half or more, else 0;
    /// the divisor is not 0.
    static func / (a: WideDecimal, b: WideDecimal) -> WideDecimal {
        if a.low == 0 { return a }
        let (x, y) = (digitCount(a.low), digitCount(b.low))
        let dividend = a.low * powers[DecimalText.digitLimit - x]
        let divisor = b.low * powers[DecimalText.digitLimit - y]
        // The quotient of the digits has 38 digits.
        let shift = dividend < divisor ? DecimalText.digitLimit : DecimalText.digitLimit - 1
        let (upper, lower) = dividend.multipliedFullWidth(by: powers[shift])
        let (quotient, remainder) = divisor.dividingFullWidth((high: upper, low: lower))
        var made = WideDecimal(
            low: quotient, exponent: a.exponent - b.exponent + x - y - shift - 1,
            isNegative: a.isNegative != b.isNegative)
        made.append(remainder >= divisor - remainder ? 5 : 0)
        return made
    }

    /// The exact rest of a division, with the sign of `a`; the divisor is not 0.
    static func % (a: WideDecimal, b: WideDecimal) -> WideDecimal {
        if a.exponent < b.exponent {
            let distance = b.exponent - a.exponent
            guard distance < powers.count else { return a }
            let (high, low) = b.low.multipliedFullWidth(by: powers[distance])
            guard high == 0, low <= a.low else { return a }
            return WideDecimal(
                low: a.low % low, exponent: a.exponent, isNegative: a.isNegative)
        }
        var rest = a.low % b.low
        var distance = a.exponent - b.exponent
        while distance > 0, rest != 0 {
            let step = min(distance, DecimalText.digitLimit)
            let (high, low) = rest.multipliedFullWidth(by: powers[step])
            rest = b.low.dividingFullWidth((high: high, low: low)).remainder
            distance -= step
        }
        return WideDecimal(low: rest, exponent: b.exponent, isNegative: a.isNegative)
    }
}
