// Random values of each type, often at the ends of what the type has.

import Foundation
import SteleModel
import TestSupport

/// Random values.
struct SeamValues {
    var numbers: SeededNumbers

    /// A finite number of any size, often one at which notations change.
    mutating func double() -> Double {
        let bits = Double(bitPattern: numbers.next())
        if numbers.one(in: 3), bits.isFinite { return bits }
        let edges: [Double] = [
            0, -0.0, 1, -1, 0.1, 0.3, 1.5, 1e15, 1e16, 1e17, 123_456_789_012_345_680, 1e19, 1e20,
            1e21, 1e22, 1.7e308, .greatestFiniteMagnitude, 1e-4, 1e-5, 1e-6, 1e-7, 5e-324,
            9_007_199_254_740_992, 9_007_199_254_740_994, 9.223372036854775807e18,
            1.8446744073709552e19,
        ]
        return numbers.pick(edges, or: 0) * (numbers.one(in: 3) ? -1 : 1)
    }

    mutating func float() -> Double {
        let bits = Float(bitPattern: UInt32(truncatingIfNeeded: numbers.next()))
        if numbers.one(in: 2), bits.isFinite { return Double(bits) }
        let edges: [Float] = [
            0, -0.0, 0.1, 16_777_216, 16_777_217, .greatestFiniteMagnitude, 1e-45, 3.4e38, 1e10,
        ]
        // The library also takes a Double that is no Float.
        if numbers.one(in: 4) { return numbers.pick([0.1, 1e-300, -2.7, 1 / 3], or: 0) }
        return Double(numbers.pick(edges, or: 0))
    }

    /// Up to 38 digits, with a point anywhere.
    mutating func decimal() -> Decimal {
        let count = numbers.pick([1, 5, 15, 16, 17, 19, 20, 37, 38], or: 1)
        var digits = (0..<count).map { _ in String(numbers.below(10)) }.joined()
        let point = numbers.below(count + 1)
        if numbers.one(in: 2) {
            digits = "\(digits.prefix(point)).\(digits.dropFirst(point))0"
        }
        let exponent = numbers.one(in: 4) ? "e\(numbers.below(60) - 30)" : ""
        let sign = numbers.one(in: 3) ? "-" : ""
        return Decimal(string: sign + "0" + digits + exponent) ?? 0
    }

    mutating func integer(_ largest: Int64) -> Int64 {
        let edges: [Int64] = [
            0, 1, -1, largest, -largest - 1, largest - 1, 1 << 31, 1 << 53, (1 << 53) + 1,
        ].filter { $0 <= largest }
        if numbers.one(in: 2) { return numbers.pick(edges, or: 0) }
        return Int64(truncatingIfNeeded: numbers.next()) % largest
    }

    /// Seconds since 2001 of a date from the year -1168 to 2.6 million.
    mutating func date() -> Double {
        let edges: [Double] = [
            0, -1e11, 8.2e13, -62_135_596_800 - 978_307_200, 252_455_615_999, 252_455_616_000, 0.1,
            -0.000001, 757_382_400.123456,
        ]
        if numbers.one(in: 3) { return numbers.pick(edges, or: 0) }
        let whole = Double(Int64(numbers.next() % 6_000_000_000) - 2_000_000_000)
        return numbers.one(in: 3) ? whole : whole + Double(numbers.below(1 << 30)) / 1e9
    }

    mutating func text() -> String {
        let pieces = [
            "", " ", "\t", "\n", "\r", "\r\n", ",", ";", "\"", "\"\"", "'", "\\", "\\N", "\u{1F}",
            "\u{7F}", "\u{85}", "\u{2028}", "\u{FEFF}", "é", "e\u{301}", "\u{1F468}\u{200D}",
            "\u{10FFFF}", "null", "NULL", "NA", "true", "-1", "1.0", "{", "[", "=1+1", "a", "%",
            "*",
        ]
        return (0..<numbers.below(6)).map { _ in numbers.pick(pieces, or: "") }.joined()
    }

    mutating func bytes() -> [UInt8] {
        let count = numbers.one(in: 8) ? 20_000 : numbers.below(40)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
    }

    /// JSON as an archive holds it.
    mutating func json() -> String {
        numbers.pick(
            "{}", "[]", "\"\"", "\"a,\\n\\\"\"", "[1,{\"a\":[true,false]}]", "{\"a\":{\"b\":1.5}}",
            "{\"a\":1e300,\"b\":-0.1}", "9007199254740993", "[\"x\",[\"y\",[]]]")
    }

    /// A value of an attribute; null now and then. Those of `json` are made of its text.
    mutating func value(_ name: String) -> Value {
        if numbers.one(in: 8) { return .null }
        switch name {
        case "small", "medium", "large": return .int(integer(SeamModel.integers[name] ?? 0))
        case "double": return .double(double())
        case "float": return .double(float())
        case "decimal": return .decimal(decimal())
        case "flag": return .bool(numbers.one(in: 2))
        case "date": return .date(date())
        case "text": return .string(text())
        case "link":
            return .string(
                numbers.pick("https://example.org/%C3%A4?q=1,2", "urn:x:y", "a%20b", "/x;y#z"))
        case "unique": return .uuid(UUID())
        // Large enough for a file of its own.
        case "file" where numbers.one(in: 10): return .data(Array(repeating: 7, count: 120_000))
        default: return .data(bytes())
        }
    }
}
