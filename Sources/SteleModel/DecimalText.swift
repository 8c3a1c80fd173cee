import FoundationEssentials

/// Converts decimals from and to text exactly, up to 38 digits.
///
/// Foundation's own parser stops at the first unknown character and rounds silently; this one
/// fails. Both directions are a loop over a 128-bit integer.
public enum DecimalText {
    /// The number of significant digits that a Decimal holds in full.
    public static let digitLimit = 38

    /// Parses a decimal such as `-12.50`, `0.001` or `1e3`.
    /// - Returns: nil if the text is not a number, has more than 38 significant digits (leading and
    ///   trailing zeros do not count), or has an exponent that a Decimal cannot hold.
    public static func parse(_ utf8: some Collection<UInt8>) -> Decimal? {
        if let result = utf8.withContiguousStorageIfAvailable({ parse($0) }) { return result }
        return Array(utf8).withUnsafeBufferPointer { parse($0) }
    }

    /// Parses a decimal, as for any collection of bytes.
    public static func parse(_ text: UnsafeBufferPointer<UInt8>) -> Decimal? {
        var scan = DecimalScan(text)
        guard scan.number() else { return nil }
        guard scan.significand != 0 else { return Decimal() }
        guard let (significand, exponent) = fit(scan.significand, scan.exponent) else { return nil }
        return make(significand, exponent: exponent, isNegative: scan.isNegative)
    }

    /// Parses a decimal of a file. Foundation's arithmetic also makes 39 digits, as Core Data and
    /// Stele before November 2026 stored them: they are rounded to 38.
    /// - Returns: nil as `parse`, but for digits that are rounded.
    public static func parse(stored digits: [UInt8]) -> Decimal? {
        if let value = parse(digits) { return value }
        guard digits.count > digitLimit, NumberText.plain(digits) == digits else { return nil }
        let isNegative = digits.first == UInt8(ascii: "-")
        let end = digits.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? digits.count
        let written = String(decoding: digits[end...].dropFirst(), as: UTF8.self)
        guard let power = written.isEmpty ? 0 : Int(written), power.magnitude < 1_000_000 else {
            return nil
        }
        let number = digits[..<end].dropFirst(isNegative ? 1 : 0)
        let point = number.firstIndex(of: UInt8(ascii: ".")) ?? end - 1
        let significant = number.filter { $0 != UInt8(ascii: ".") }
            .drop { $0 == UInt8(ascii: "0") }
        // The digit behind the last one decides how that is rounded.
        let kept = significant.prefix(digitLimit + 1)
        var wide = WideDecimal(
            low: 0, exponent: power - (end - 1 - point) + significant.count - kept.count,
            isNegative: isNegative)
        for digit in kept { wide.append(digit - UInt8(ascii: "0")) }
        let value = wide.rounded()
        return value.isNaN ? nil : value
    }

    /// Brings the exponent into the range of a Decimal by appending zeros to the significand.
    static func fit(_ significand: UInt128, _ exponent: Int) -> (UInt128, Int8)? {
        var (significand, exponent) = (significand, exponent)
        guard exponent >= Int(Int8.min) else { return nil }
        while exponent > Int(Int8.max) {
            guard significand < Self.limit / 10 else { return nil }
            significand *= 10
            exponent -= 1
        }
        return (significand, Int8(truncatingIfNeeded: exponent))
    }

    /// The smallest significand with too many digits: 10 to the power of 38.
    static let limit: UInt128 = 10_000_000_000_000_000_000 * 10_000_000_000_000_000_000

    // A Decimal is 20 bytes: the exponent, a byte with the count of 16-bit words (upper half) and
    // the flags negative (8) and compact (4), two unused bytes, and eight words of significand,
    // lowest first. FoundationEssentials offers no access to them that is fast and exact. A test
    // compares this layout with Foundation's own arithmetic.
    static func make(_ significand: UInt128, exponent: Int8, isNegative: Bool) -> Decimal {
        var result = Decimal()
        let words = UInt8(truncatingIfNeeded: (143 - significand.leadingZeroBitCount) / 16)
        withUnsafeMutableBytes(of: &result) { bytes in
            bytes.storeBytes(of: exponent, toByteOffset: 0, as: Int8.self)
            bytes.storeBytes(
                of: words << 4 | (isNegative ? 8 : 0) | 4, toByteOffset: 1, as: UInt8.self)
            bytes.storeBytes(of: significand.littleEndian, toByteOffset: 4, as: UInt128.self)
        }
        return result
    }

    /// The parts of a decimal, whose value is significand × 10^exponent; nil for NaN.
    public static func parts(
        _ value: Decimal
    ) -> (significand: UInt128, exponent: Int, isNegative: Bool)? {
        withUnsafeBytes(of: value) { bytes in
            let flags = bytes.loadUnaligned(fromByteOffset: 1, as: UInt8.self)
            let isNegative = flags & 8 != 0
            let words = Int(flags >> 4)
            guard words > 0 else { return isNegative ? nil : (0, 0, false) }
            var significand = UInt128(
                littleEndian: bytes.loadUnaligned(fromByteOffset: 4, as: UInt128.self))
            if words < 8 { significand &= (1 << (16 * words)) - 1 }
            let exponent = Int(bytes.loadUnaligned(fromByteOffset: 0, as: Int8.self))
            return (significand, exponent, isNegative)
        }
    }
}
