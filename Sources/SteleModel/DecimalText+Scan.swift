/// A single pass over the text of a decimal number: `-`, digits, `.` digits, `e` exponent.
struct DecimalScan {
    private let text: UnsafeBufferPointer<UInt8>
    private var position = 0
    /// The first 19 digits fit a 64-bit word, whose arithmetic is much faster.
    private var short: UInt64 = 0
    private var long: UInt128 = 0
    private var digits = 0
    /// Zeros that count only if another digit follows.
    private var zeros = 0
    private(set) var isNegative = false
    /// The power of ten that the significand is multiplied by.
    private(set) var exponent = 0

    init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

    /// All digits as an integer, without trailing zeros.
    var significand: UInt128 { digits > 19 ? long : UInt128(short) }

    /// Reads the whole text.
    /// - Returns: false if the text is not a number or has too many digits.
    mutating func number() -> Bool {
        isNegative = skip(UInt8(ascii: "-"))
        guard let whole = run(), whole > 0 else { return false }
        var fraction = 0
        if skip(UInt8(ascii: ".")) {
            guard let count = run(), count > 0 else { return false }
            fraction = count
        }
        var power = 0
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            guard let written = writtenExponent() else { return false }
            power = written
        }
        exponent = zeros - fraction + power
        return position == text.count
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard position < text.count, text[position] == byte else { return false }
        position += 1
        return true
    }

    private mutating func digit() -> UInt8? {
        guard position < text.count else { return nil }
        let value = text[position] &- UInt8(ascii: "0")
        guard value < 10 else { return nil }
        position += 1
        return value
    }

    /// Reads a run of digits and returns their count; nil if there are too many.
    private mutating func run() -> Int? {
        let start = position
        while let digit = digit() {
            if digit != 0 {
                guard append(digit) else { return nil }
            } else if digits > 0 {
                zeros += 1
            }
        }
        return position - start
    }

    private mutating func append(_ digit: UInt8) -> Bool {
        let before = digits
        digits += zeros + 1
        guard digits <= DecimalText.digitLimit else { return false }
        if digits <= 19 {
            for _ in 0..<zeros { short *= 10 }
            short = short * 10 + UInt64(digit)
        } else {
            if before <= 19 { long = UInt128(short) }
            for _ in 0..<zeros { long *= 10 }
            long = long * 10 + UInt128(digit)
        }
        zeros = 0
        return true
    }

    /// Reads the exponent after `e`, clamped to a million: that is out of range in any case.
    private mutating func writtenExponent() -> Int? {
        let isNegative = skip(UInt8(ascii: "-"))
        if !isNegative { _ = skip(UInt8(ascii: "+")) }
        guard var value = digit().map({ Int($0) }) else { return nil }
        while let next = digit() { value = min(value * 10 + Int(next), 1_000_000) }
        return isNegative ? -value : value
    }
}
