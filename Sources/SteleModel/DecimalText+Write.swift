/// Writes decimals as text.

import FoundationEssentials

extension DecimalText {
    /// The longest text that is written without an exponent, in characters.
    private static let plainLimit = 40

    /// Appends the digits of a decimal, without trailing zeros in the fraction. The text has an
    /// exponent only if it would be longer than about 40 characters (`1.5e-60`). `parse` reads the
    /// text back to the same value, unless the value has 39 digits, which `rounded` leaves none. NaN
    /// is written as `null`.
    /// - Parameter boundsIntegers: whether numbers whose integer part is beyond 64 bits have an
    ///   exponent too, as readers of JSON need that refuse such integers, with a fraction or without.
    public static func write(
        _ value: Decimal, boundsIntegers: Bool = false, to bytes: inout [UInt8]
    ) {
        guard let (significand, exponent, isNegative) = parts(value) else {
            bytes.append(contentsOf: "null".utf8)
            return
        }
        if significand == 0 { return bytes.append(UInt8(ascii: "0")) }
        if isNegative { bytes.append(UInt8(ascii: "-")) }
        withDigits(significand) { digits in
            var (digits, exponent) = (digits, exponent)
            while digits.last == UInt8(ascii: "0") {
                digits = UnsafeBufferPointer(rebasing: digits.dropLast())
                exponent += 1
            }
            let point = digits.count + exponent
            if boundsIntegers, isBeyond64Bits(digits, point: point, isNegative) {
                writeWithExponent(digits, point: point, to: &bytes)
            } else if exponent >= 0, point <= plainLimit {
                bytes.append(contentsOf: digits)
                bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: exponent))
            } else if exponent < 0, point > 0 {
                bytes.append(contentsOf: digits.prefix(point))
                bytes.append(UInt8(ascii: "."))
                bytes.append(contentsOf: digits.dropFirst(point))
            } else if exponent < 0, -exponent + 2 <= plainLimit {
                bytes.append(UInt8(ascii: "0"))
                bytes.append(UInt8(ascii: "."))
                bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: -point))
                bytes.append(contentsOf: digits)
            } else {
                writeWithExponent(digits, point: point, to: &bytes)
            }
        }
    }

    private static func writeWithExponent(
        _ digits: UnsafeBufferPointer<UInt8>, point: Int, to bytes: inout [UInt8]
    ) {
        bytes.append(contentsOf: digits.prefix(1))
        if digits.count > 1 { bytes.append(UInt8(ascii: ".")) }
        bytes.append(contentsOf: digits.dropFirst())
        bytes.append(contentsOf: "e\(point - 1)".utf8)
    }

    /// Whether the integer of the digits before the point, or with zeros up to it, is no Int64.
    private static func isBeyond64Bits(
        _ digits: UnsafeBufferPointer<UInt8>, point: Int, _ isNegative: Bool
    ) -> Bool {
        guard point >= 19 else { return false }
        guard point == 19 else { return true }
        // 19 digits fit a UInt64.
        let magnitude = (0..<19).reduce(UInt64(0)) {
            $0 * 10 + ($1 < digits.count ? UInt64(digits[$1] - UInt8(ascii: "0")) : 0)
        }
        return magnitude > (isNegative ? Int64.min : .max).magnitude
    }

    /// The decimal as text, as `write(_:to:)` writes it.
    public static func text(_ value: Decimal) -> String {
        var bytes: [UInt8] = []
        write(value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Calls `body` with the decimal digits of an integer, without leading zeros.
    private static func withDigits(
        _ value: UInt128, _ body: (UnsafeBufferPointer<UInt8>) -> Void
    ) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 40) { buffer in
            var start = 40
            // 19 digits fit a 64-bit word, and words divide much faster than 128-bit integers.
            let word: UInt128 = 10_000_000_000_000_000_000
            var rest = value
            repeat {
                let isLast = rest < word
                var low = UInt64(truncatingIfNeeded: isLast ? rest : rest % word)
                rest = isLast ? 0 : rest / word
                let stop = isLast ? 0 : start - 19
                while low != 0 || start > stop && !isLast {
                    start -= 1
                    buffer[start] = UInt8(ascii: "0") + UInt8(low % 10)
                    low /= 10
                }
            } while rest != 0
            body(UnsafeBufferPointer(rebasing: buffer[start...]))
        }
    }
}
