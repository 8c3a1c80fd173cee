// Seconds as whole seconds and decimal digits: a text counts its fraction upwards from the whole
// second before, a Double counts from zero, and both must name the very same instant.

/// Conversions between a Double and a whole second with the digits that follow it.
enum DecimalSeconds {
    /// Powers of ten that are exact as Doubles.
    private static let powers: [(digits: Int, scale: Int64)] = [
        (3, 1_000), (6, 1_000_000), (9, 1_000_000_000),
    ]

    /// The Double nearest to `whole` + 0.`fraction`; the fraction does not end in a zero.
    static func double(whole: Int64, fraction: ArraySlice<UInt8>) -> Double {
        if fraction.isEmpty { return Double(whole) }
        if fraction.count <= 9, abs(whole) < 9_007_199 {
            // Both sides of the division are exact, so its result is the nearest Double.
            if let exact = quotient(whole: whole, fraction: fraction) { return exact }
        }
        if fraction.count <= 6, abs(whole) < 9_007_199_253 {
            if let exact = quotient(whole: whole, fraction: fraction) { return exact }
        }
        // -1 + 0.75 is written as -0.25 to the standard library's exact reader.
        let isNegative = whole < 0
        let digits = isNegative ? complement(fraction) : Array(fraction)
        let magnitude = isNegative ? -(whole + 1) : whole
        let text = "\(isNegative ? "-" : "")\(magnitude).\(String(decoding: digits, as: UTF8.self))"
        return Double(text) ?? Double(whole)
    }

    private static func quotient(whole: Int64, fraction: ArraySlice<UInt8>) -> Double? {
        guard let power = powers.first(where: { $0.digits >= fraction.count }) else { return nil }
        var numerator: Int64 = 0
        for byte in fraction { numerator = numerator * 10 + Int64(byte - UInt8(ascii: "0")) }
        for _ in fraction.count..<power.digits { numerator *= 10 }
        return Double(whole * power.scale + numerator) / Double(power.scale)
    }

    /// The whole second at or before a Double and the digits after it: none, three, six, nine, or
    /// as many as it takes to read back the same. `seconds` is within `ISO8601.secondsLimit`.
    static func split(_ seconds: Double) -> (whole: Int64, fraction: Fraction) {
        if seconds == seconds.rounded(.down) { return (Int64(seconds), .none) }
        for power in powers {
            let scaled = (seconds * Double(power.scale)).rounded()
            guard abs(scaled) < 0x1p53 else { break }
            if scaled / Double(power.scale) == seconds {
                let total = Int64(scaled)
                let whole = floorDivide(total, power.scale)
                return (whole, .number(total - whole * power.scale, width: power.digits))
            }
        }
        return shortest(seconds)
    }

    /// What follows the whole second.
    enum Fraction {
        case none
        case number(Int64, width: Int)
        case digits([UInt8])
    }

    /// From the fewest digits that read back the same, as the standard library finds them.
    private static func shortest(_ seconds: Double) -> (whole: Int64, fraction: Fraction) {
        var printed = ByteWriter(capacity: 32)
        printed.write(seconds.magnitude.description)
        var digits: [UInt8] = []
        var pointAt: Int?
        var exponent = 0
        for (index, byte) in printed.bytes.enumerated() {
            if byte == UInt8(ascii: ".") {
                pointAt = digits.count
            } else if byte == UInt8(ascii: "e") {
                let text = String(decoding: printed.bytes[(index + 1)...], as: UTF8.self)
                exponent = Int(text) ?? 0
                break
            } else {
                digits.append(byte)
            }
        }
        let integerDigits = (pointAt ?? digits.count) + exponent
        var whole: Int64 = 0
        for digit in digits.prefix(max(integerDigits, 0)) {
            whole = whole * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        var fraction = [UInt8](repeating: UInt8(ascii: "0"), count: max(-integerDigits, 0))
        fraction.append(contentsOf: digits.dropFirst(max(integerDigits, 0)))
        if seconds < 0 {
            whole = -whole - 1
            fraction = complement(fraction[...])
        }
        while fraction.count < 9 { fraction.append(UInt8(ascii: "0")) }
        return (whole, .digits(fraction))
    }

    /// The digits of 1 - 0.`digits`; they do not end in a zero, neither before nor after.
    private static func complement(_ digits: ArraySlice<UInt8>) -> [UInt8] {
        var result = digits.map { UInt8(ascii: "9") - ($0 - UInt8(ascii: "0")) }
        if let last = result.indices.last { result[last] += 1 }
        return result
    }
}
