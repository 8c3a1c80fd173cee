import FoundationEssentials

/// The exact sum of any decimals, in whatever order they come, which is rounded once, at the end.
public struct DecimalTotal: Sendable {
    /// Parts of the sum, each a number of units of 10^18 times the unit before it. They are carried
    /// at the end only: a value adds less than 2^60 to each. The first is behind the 128th place,
    /// for the mean.
    private var limbs = [Int128](repeating: 0, count: Self.size)
    /// How many numbers were added.
    public private(set) var count = 0

    /// Places of 39 digits from 10^127 up, and the carry of as many values as there can be.
    private static let size = 20
    private static let width = 18
    private static let least = Int(Int8.min) - width

    /// The total of no numbers.
    public init() {}

    /// Adds a number; NaN is none.
    public mutating func add(_ value: Decimal) {
        guard let it = DecimalText.parts(value) else { return }
        count += 1
        let position = it.exponent - Self.least
        var place = position / Self.width
        let shift = position % Self.width
        var factor = WideDecimal.powers[shift]
        var room = WideDecimal.powers[Self.width - shift]
        var rest = it.significand
        while rest != 0 {
            let (upper, lower) = rest.quotientAndRemainder(dividingBy: room)
            let part = Int128(lower * factor)
            limbs[place] += it.isNegative ? -part : part
            rest = upper
            factor = 1
            room = WideDecimal.powers[Self.width]
            place += 1
        }
    }

    /// Adds the numbers of another total.
    public mutating func add(_ other: DecimalTotal) {
        count += other.count
        for place in limbs.indices { limbs[place] += other.limbs[place] }
    }

    /// The sum, rounded to 38 digits; NaN if it is out of range.
    public var sum: Decimal { rounded(dividedBy: 1) }

    /// The sum by the count, rounded to 38 digits and to the 128th place; NaN for no numbers, and
    /// where the sum is out of range.
    public var mean: Decimal {
        count == 0 || sum.isNaN ? .nan : rounded(dividedBy: UInt128(count))
    }

    private func rounded(dividedBy divisor: UInt128) -> Decimal {
        var carried = Self.carried(limbs)
        let isNegative = carried[Self.size - 1] < 0
        if isNegative { carried = Self.carried(limbs.map { -$0 }) }
        let unit = WideDecimal.powers[Self.width]
        var digits = carried.map(\.magnitude)
        if divisor > 1 {
            var remainder: UInt128 = 0
            for place in digits.indices.reversed() {
                (digits[place], remainder) = (remainder * unit + digits[place])
                    .quotientAndRemainder(dividingBy: divisor)
            }
        }
        guard let top = digits.lastIndex(where: { $0 != 0 }) else { return Decimal() }
        // Four limbs have 55 digits or more: what is below is behind the digit that is rounded by.
        func limb(_ place: Int) -> UInt128 { place < 0 ? 0 : digits[place] }
        let (high, low) = (limb(top) * unit + limb(top - 1)).multipliedFullWidth(by: unit * unit)
        var wide = WideDecimal(
            high: high, low: low, exponent: Self.least + (top - 3) * Self.width,
            isNegative: isNegative)
        wide.add(limb(top - 2) * unit + limb(top - 3))
        return wide.rounded()
    }

    /// The limbs from 0 to below 10^18, but for the last, which has the sign.
    private static func carried(_ limbs: [Int128]) -> [Int128] {
        let unit = Int128(WideDecimal.powers[width])
        var limbs = limbs
        for place in 0..<size - 1 where limbs[place] < 0 || limbs[place] >= unit {
            let limb = limbs[place]
            let carry = limb < 0 ? -((unit - 1 - limb) / unit) : limb / unit
            limbs[place] -= carry * unit
            limbs[place + 1] += carry
        }
        return limbs
    }
}

extension DecimalTotal {
    /// The total as bytes of this machine, which `init(bytes:)` reads.
    public var bytes: [UInt8] {
        limbs.withUnsafeBytes { Array($0) } + withUnsafeBytes(of: count) { Array($0) }
    }

    /// Reads a total.
    /// - Returns: nil unless there are as many bytes as `bytes` has.
    public init?(bytes: UnsafeRawBufferPointer) {
        let stride = MemoryLayout<Int128>.stride
        let end = Self.size * stride
        guard bytes.count == end + MemoryLayout<Int>.size else { return nil }
        self.init()
        for place in 0..<Self.size {
            limbs[place] = bytes.loadUnaligned(fromByteOffset: place * stride, as: Int128.self)
        }
        count = bytes.loadUnaligned(fromByteOffset: end, as: Int.self)
    }
}
