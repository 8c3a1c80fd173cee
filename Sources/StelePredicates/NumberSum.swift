import SteleModel

/// Computes sums and means. Integers are summed exactly and rounded once at the end, so their order
/// does not matter; a sum that exceeds 64 bits, and a mean, is the nearest Double. The struct is
/// trivial and zero-initialized, so that SQLite can own its memory.
public struct NumberSum: Sendable {
    /// The sum of the integers, in 128 bits.
    private var low: UInt64 = 0
    private var high: Int64 = 0
    private var doubles = 0.0
    private var doubleCount: Int64 = 0
    private var integerCount: Int64 = 0

    /// The sum of no values.
    public init() {}

    /// Adds an integer.
    public mutating func add(_ number: Int64) {
        let (sum, carries) = low.addingReportingOverflow(UInt64(bitPattern: number))
        low = sum
        // It overflows only after 2^63 numbers.
        high &+= (number < 0 ? -1 : 0) &+ (carries ? 1 : 0)
        integerCount += 1
    }

    /// Adds a Double. The sum and the mean are Doubles from then on.
    public mutating func add(_ number: Double) {
        doubles += number
        doubleCount += 1
    }

    private var integers: Int128 { Int128(high) << 64 | Int128(low) }

    /// The sum: 0 if there are no values; an integer if all are integers and 64 bits hold it,
    /// otherwise a Double; null if it is not finite.
    public var sum: Value {
        if doubleCount > 0 { return Arithmetic.finite(Double(integers) + doubles) }
        return Int64(exactly: integers).map { .int($0) } ?? .double(Double(integers))
    }

    /// The arithmetic mean; null if there are no values.
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
        // The quotient has enough bits that the remainder only decides rounding ties.
        let shift = size.leadingZeroBitCount
        let (quotient, rest) = (size << shift).quotientAndRemainder(dividingBy: divisor)
        let rounded = Double(quotient | (rest == 0 ? 0 : 1))
        let result = Double(sign: .plus, exponent: -shift, significand: rounded)
        return dividend < 0 ? -result : result
    }
}
