/// Sums and means, of integers exact whatever their sum.

import SteleModel

/// Numbers added up. Integers do not depend on their order, and are rounded at the end alone: a sum
/// that 64 bits do not hold, and a mean, is the nearest Double. An instance of zeros is empty, and
/// nothing needs to be released, so that it can lie in memory that a database keeps.
public struct NumberSum: Sendable {
    /// The sum of the integers, in 128 bits.
    private var low: UInt64 = 0
    private var high: Int64 = 0
    private var doubles = 0.0
    private var doubleCount: Int64 = 0
    private var integerCount: Int64 = 0

    /// The sum of none.
    public init() {}

    /// Adds an integer.
    public mutating func add(_ number: Int64) {
        let (sum, carries) = low.addingReportingOverflow(UInt64(bitPattern: number))
        low = sum
        // Beyond 2^63 numbers alone it could overflow.
        high &+= (number < 0 ? -1 : 0) &+ (carries ? 1 : 0)
        integerCount += 1
    }

    /// Adds a Double, which makes Doubles of the sum and the mean.
    public mutating func add(_ number: Double) {
        doubles += number
        doubleCount += 1
    }

    private var integers: Int128 { Int128(high) << 64 | Int128(low) }

    /// 0 of none; an integer of integers, or the nearest Double where 64 bits do not hold it; null
    /// for what is no finite number.
    public var sum: Value {
        if doubleCount > 0 { return Arithmetic.finite(Double(integers) + doubles) }
        return Int64(exactly: integers).map { .int($0) } ?? .double(Double(integers))
    }

    /// Null of none.
    public var mean: Value {
        let count = integerCount + doubleCount
        if count == 0 { return .null }
        if doubleCount > 0 {
            return Arithmetic.finite((Double(integers) + doubles) / Double(count))
        }
        return .double(Self.nearest(integers, over: UInt128(count)))
    }

    /// The Double nearest to a quotient.
    private static func nearest(_ dividend: Int128, over divisor: UInt128) -> Double {
        let size = dividend.magnitude
        if size == 0 { return 0 }
        // So many bits that what is left over only says on which side of a middle it lies.
        let shift = size.leadingZeroBitCount
        let (quotient, rest) = (size << shift).quotientAndRemainder(dividingBy: divisor)
        let rounded = Double(quotient | (rest == 0 ? 0 : 1))
        let result = Double(sign: .plus, exponent: -shift, significand: rounded)
        return dividend < 0 ? -result : result
    }
}
