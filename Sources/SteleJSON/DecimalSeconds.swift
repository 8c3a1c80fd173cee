// Seconds as whole seconds and decimal digits. A text counts its fraction upwards from the whole
// second before it, a Double counts from zero; both must name the same instant.

/// Converts between a Double and whole seconds with decimal digits.
enum DecimalSeconds {
    /// The fractions to try first: digits, power of ten, and the factor that fills the digits up to
    /// three, six or nine. Seven digits suffice for half of a clock's times near 2024.
    private static let trials: [(width: Int, scale: Int64, fill: Int64)] = [
        (3, 1_000, 1), (6, 1_000_000, 1), (9, 10_000_000, 100), (9, 1_000_000_000, 1),
    ]

    /// The Double nearest to `whole` + 0.`fraction`; the fraction does not end in a zero.
    static func double(whole: Int64, fraction: ArraySlice<UInt8>) -> Double {
        if fraction.isEmpty { return Double(whole) }
        if let exact = quotient(whole: whole, fraction: fraction) { return exact }
        // The standard library reads exactly, but takes -1 + 0.75 as -0.25.
        let isNegative = whole < 0
        let digits = isNegative ? complement(fraction) : Array(fraction)
        let magnitude = isNegative ? -(whole + 1) : whole
        let text = "\(isNegative ? "-" : "")\(magnitude).\(String(decoding: digits, as: UTF8.self))"
        return Double(text) ?? Double(whole)
    }

    /// The quotient of two exact Doubles, which is the nearest Double; nil if they are not exact.
    private static func quotient(whole: Int64, fraction: ArraySlice<UInt8>) -> Double? {
        guard fraction.count <= 15, whole.magnitude < 1 << 53 else { return nil }
        var scale: Int64 = 1
        var numerator: Int64 = 0
        for byte in fraction {
            scale *= 10
            numerator = numerator * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        let (scaled, overflow) = whole.multipliedReportingOverflow(by: scale)
        let total = scaled &+ numerator
        guard !overflow, total.magnitude < 1 << 53 else { return nil }
        return Double(total) / Double(scale)
    }

    /// The whole second at or before a Double and the digits after it: none, three, six, nine, or
    /// as many as read back the same. `seconds` is within `ISO8601.secondsLimit`.
    static func split(_ seconds: Double) -> (whole: Int64, fraction: Fraction) {
        // Uses integers: `rounded` would call into the C library.
        if Double(Int64(seconds)) == seconds { return (Int64(seconds), .none) }
        for trial in trials {
            let scaled = seconds * Double(trial.scale)
            guard abs(scaled) < 0x1p53 - 1 else { break }
            let toZero = Int64(scaled)
            let rest = scaled - Double(toZero)
            let total = toZero + (rest >= 0.5 ? 1 : rest <= -0.5 ? -1 : 0)
            if Double(total) / Double(trial.scale) == seconds {
                let whole = floorDivide(total, trial.scale)
                let fraction = (total - whole * trial.scale) * trial.fill
                return (whole, .number(fraction, width: trial.width))
            }
        }
        return shortest(seconds)
    }

    /// The digits after a whole second.
    enum Fraction {
        case none
        case number(Int64, width: Int)
        case digits([UInt8])
    }

    /// Splits the fewest digits that read back the same, as the standard library prints them.
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

    /// The digits of 1 - 0.`digits`. Neither argument nor result ends in a zero.
    private static func complement(_ digits: ArraySlice<UInt8>) -> [UInt8] {
        var result = digits.map { UInt8(ascii: "9") - ($0 - UInt8(ascii: "0")) }
        if let last = result.indices.last { result[last] += 1 }
        return result
    }
}
