// What a number becomes as another type, by the C library's texts of numbers: an oracle that shares
// no code with what it checks.

import Foundation
import SteleModel
import TestSupport

/// The numeric types, and values of them.
enum NumericOracle {
    static let types: [AttributeType] = [
        .boolean, .integer16, .integer32, .integer64, .float, .double, .decimal,
    ]

    /// All pairs of different types.
    static let pairs = types.flatMap { from in
        types.filter { $0 != from }.map { (from: from, to: $0) }
    }

    // MARK: Values

    private static let integers: [Int64] = [
        0, 1, 2, -1, 7, 255, 32_767, 32_768, -32_768, -32_769, 16_777_215, 16_777_216, 16_777_217,
        -16_777_217, 16_777_218, 33_554_434, 2_147_483_647, 2_147_483_648, -2_147_483_648,
        -2_147_483_649, 999_999_999_999_999, 1_000_000_000_000_000, 9_007_199_254_740_991,
        9_007_199_254_740_992, 9_007_199_254_740_993, -9_007_199_254_740_993,
        9_223_371_487_098_961_920, 9_223_371_487_098_961_921, 9_223_372_036_854_774_784,
        9_223_372_036_854_774_785, .max, .min, .min + 1,
    ]

    private static let doubles: [Double] = [
        0, -0.0, 1, -1, 0.5, 1.5, -2.5, 0.1, 1.0 / 3, 2, 32_767, 32_768, -32_768, -32_769,
        16_777_217,
        2_147_483_647, 2_147_483_648, -2_147_483_649, 0x1p53, 0x1p53 + 2, 0x1p62, 0x1p63, -0x1p63,
        -0x1.0000000000001p63, 0x1p63 - 1024, 1e15, 1e16, 123_456_789_012_345.6,
        12_345_678_901_234_567, 1e22, 1e23, 1e38, 3.4028234663852886e38, 0x1.ffffffp127,
        0x1.fffffefffffffp127, 1e39, 1e100, 1e127, 1e164, 9.999999999999999e164, 1e165, 1e300,
        .greatestFiniteMagnitude, 1e-45, 0x1p-149, 0x1p-150, 0x1.0000000000001p-150, 0x1p-126,
        1.0000000000000002, 1 + 0x1p-24, 1 + 0x1.8p-23, 1e-100, 1e-128, 1.5e-128, 1e-129, 5e-324,
    ]

    private static let floats: [Float] = [
        0, -0.0, 1, -1, 0.5, 1.5, 0.1, 1.0 / 3, 2, 32_767, 32_768, -32_769, 16_777_216, 33_554_434,
        2_147_483_520, 2_147_483_648, 0x1p62, 0x1p63, -0x1p63, .greatestFiniteMagnitude,
        .leastNonzeroMagnitude, .leastNormalMagnitude, 123_456.79, 1e10, 1e20,
    ]

    private static let decimals = [
        "0", "1", "-1", "2", "0.5", "1.5", "0.1", "10.11", "32767", "32768", "-32768", "-32769",
        "16777217", "2147483647", "2147483648", "9007199254740993", "999999999999999.5",
        "1234567890123456.7", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
        "-9223372036854775809", "9223372036854775807.5", "12345678901234567890.5",
        "0.12345678901234567890123456789012345678", "12345678901234567890123456789012345678",
        "1.0000000596046447753906250000000000001", "1.00000005960464477539062", "1e38", "3.4e38",
        "340282356779733661637539395458142568440", "3.5e38", "1e100", "1e-45", "1e-46", "1e-100",
        "0.3333333333333333", "0.33333333333333331",
    ]

    /// A value of a type: of the list or random.
    static func value(_ type: AttributeType, _ numbers: inout SeededNumbers) -> Value {
        let isListed = !numbers.one(in: 4)
        switch type {
        case .boolean: return .bool(numbers.one(in: 2))
        case .integer16, .integer32, .integer64:
            let width = type == .integer16 ? 16 : type == .integer32 ? 32 : 64
            let any = isListed ? numbers.pick(integers, or: 0) : Int64(bitPattern: numbers.next())
            let kept = (any << (64 - width)) >> (64 - width)
            return .int(isListed && kept != any ? Int64(numbers.below(4)) : kept)
        case .float:
            if isListed { return .double(Double(numbers.pick(floats, or: 0))) }
            let any = Float(bitPattern: UInt32(truncatingIfNeeded: numbers.next()))
            return .double(any.isFinite ? Double(any) : 3)
        case .double:
            if isListed { return .double(numbers.pick(doubles, or: 0)) }
            let any = Double(bitPattern: numbers.next())
            return .double(any.isFinite ? any : Double(numbers.below(1_000_000)) / 8)
        default:
            let sign = numbers.one(in: 4) ? "-" : ""
            let text =
                isListed
                ? numbers.pick(decimals, or: "0")
                : sign + String(numbers.next()) + "." + String(numbers.below(1_000_000))
            return .decimal(Decimal(string: text) ?? 0)
        }
    }

    // MARK: The oracle

    /// What a value of one type becomes as another; nil if it does not fit.
    static func converted(_ value: Value, _ from: AttributeType, _ to: AttributeType) -> Value? {
        if value.isNull { return .null }
        switch to {
        case .boolean:
            guard let whole = digitsOfWholeNumber(value) else { return nil }
            return whole == "0" ? .bool(false) : whole == "1" ? .bool(true) : nil
        case .integer16:
            return digitsOfWholeNumber(value).flatMap { Int16($0) }.map { .int(Int64($0)) }
        case .integer32:
            return digitsOfWholeNumber(value).flatMap { Int32($0) }.map { .int(Int64($0)) }
        case .integer64: return digitsOfWholeNumber(value).flatMap { Int64($0) }.map { .int($0) }
        case .double:
            guard from != .float else { return value }
            let text = digits(value, from)
            let nearest = strtod(text, nil)
            if case .decimal = value {
                return plain(shortest(nearest)) == plain(text) ? .double(nearest) : nil
            }
            return plain(String(format: "%.0f", nearest)) == plain(text) ? .double(nearest) : nil
        case .float:
            let text = digits(value, from)
            let nearest = strtof(text, nil)
            if from.isInteger || from == .boolean {
                let exact = String(format: "%.0f", Double(nearest))
                return plain(exact) == plain(text) ? .double(Double(nearest)) : nil
            }
            if nearest.isInfinite || (nearest == 0 && plain(text).digits != "") { return nil }
            return .double(Double(nearest))
        default:
            var text = digits(value, from)
            if case .double(let it) = value {
                text = from == .float ? shortest(Float(it)) : shortest(it)
            }
            let (digits, exponent, _) = plain(text)
            if exponent < -128 { return nil }
            // A Decimal has 38 digits before an exponent of 127.
            if digits != "", digits.count + exponent > 38 + 127 { return nil }
            return DecimalText.parse(text.utf8).map { .decimal($0) }
        }
    }

    /// The exact digits of a value.
    private static func digits(_ value: Value, _ type: AttributeType) -> String {
        switch value {
        case .bool(let it): it ? "1" : "0"
        case .int(let it): "\(it)"
        case .double(let it): String(format: "%.1100g", it)
        case .decimal(let it): "\(it)"
        default: ""
        }
    }

    /// The digits of a whole number; nil for one with a fraction.
    private static func digitsOfWholeNumber(_ value: Value) -> String? {
        if case .double(let it) = value {
            let text = String(format: "%.0f", it)
            return strtod(text, nil) == it ? (text == "-0" ? "0" : text) : nil
        }
        let text = digits(value, .decimal)
        return text.contains(".") || text.contains("e") ? nil : text
    }

    private static func shortest(_ number: Double) -> String {
        (1...17).lazy.map { String(format: "%.\($0)g", number) }
            .first { strtod($0, nil) == number } ?? ""
    }

    private static func shortest(_ number: Float) -> String {
        (1...9).lazy.map { String(format: "%.\($0)g", Double(number)) }
            .first { strtof($0, nil) == number } ?? ""
    }

    /// A number's significant digits, the power of ten that they are multiplied by, and its sign.
    private static func plain(
        _ text: String
    ) -> (digits: String, exponent: Int, isNegative: Bool) {
        let parts = text.split(separator: "e").map(String.init)
        var exponent = parts.count > 1 ? Int(parts[1]) ?? 0 : 0
        var digits = parts[0].filter { $0 != "-" }
        if let point = digits.firstIndex(of: ".") {
            exponent -= digits.distance(from: point, to: digits.endIndex) - 1
            digits.remove(at: point)
        }
        digits = String(digits.drop { $0 == "0" })
        while digits.last == "0" {
            digits.removeLast()
            exponent += 1
        }
        if digits.isEmpty { return ("", 0, false) }
        return (digits, exponent, text.hasPrefix("-"))
    }
}
