/// The values that objects and predicates are made of: plain ones, and those that go wrong.

import SteleModel
import StelePredicates
import TestSupport

/// A pool of values for each kind of attribute.
///
/// Sums of Doubles depend on the order in which they are added, and neither store promises one:
/// attributes whose names begin with `wild` hold such values, and Decimals of many digits, and are
/// never added up; all others hold what adds up exactly. Those that begin with `vast` hold numbers of one
/// sign, of which two of the greatest are too much for a Double, in any order.
enum SampleValues {
    static let texts = [
        "", "a", "A", "ab", "aB", "Ab", "abc", "ABC", "é", "e\u{301}", "É", "b*", "a?c", "%", "_",
        "a%c", "a_c", "*", "?", "\\", "a\\b", "'", "\"", "it's", "say \"hi\"", "İ", "ı", "I", "i",
        "ß", "ss", "SS", "straße", "STRASSE", "ﬁ", "fi", "K", "\u{212A}", "k", "👩‍👩‍👧", "👍🏽", "👍",
        "\u{301}", "a\u{10FFFF}", "\u{10FFFF}", "item 2", "item 10", "Item 1", " a", "a ", "\n",
        "Ω", "ω", "ς", "σ", "Σ", "ẞ", "ǆ", "ǅ", "한", "\u{1112}\u{1161}\u{11AB}", "0", "-1",
    ]

    static let patterns = [
        "*", "?", "a*", "*b", "?b", "*b*", "a?c", "\\*", "b\\*", "*\\\\*", "é", "?\u{301}", "*i*",
        "", "**", "a*c", "??", "*\u{1F44D}*", "_", "%",
    ]

    static let expressions = [
        "a.*", "[ab]+", ".", "a|b", "\\\\w+", "(a)(b)?c?", "é", "", "a\\\\.c", "\\\\d+", ".*ss.*",
        "(?i)ab", "[^a]*", "i",
    ]

    private static let small: [Int64] = [0, 1, -1, 2, 3, 4, 5, -2, 7, 10]

    static func integers(_ type: AttributeType) -> [Int64] {
        switch type {
        case .integer16: small + [32_767, -32_768]
        case .integer32: small + [2_147_483_647, -2_147_483_648]
        default: small + [.max, .min, 9_007_199_254_740_993, .max - 1]
        }
    }

    static let doubles: [Double] = [0, 1, -1, 0.5, 2, 2.5, -1.5, 3, 0.125, 4, 7]
    static let vastDoubles: [Double] = [1e308, 0, 1, 2, 4]
    static let wildDoubles: [Double] = [
        -0.0, 0, 1e308, -1e308, .leastNonzeroMagnitude, 0.1, 0.2, 0.3, 1e16,
        9_007_199_254_740_992, 1e-7, 0x1p63, -0x1p63, 1, 2, 1e300, 123_456.789,
        1e24,
    ]
    static let decimals = [
        "0", "1", "-1", "0.1", "0.2", "0.3", "2", "2.50", "-1.25", "10", "99.99",
    ]
    static let wildDecimals = [
        "0", "1", "0.1", "12345678901234567890123456789012345678", "0.30000000000000001",
        "-99999999999999999999999999999999999999", "1.2345678901234567890123456789012345678",
        "0.00000000000000000000000000000000000001", "9007199254740993", "9223372036854775808", "-2",
        "1000000000000000000000000", "1e-100", "-3e-64", "1e120",
    ]
    /// Seconds since 2001.
    static let dates: [Double] = [
        0, 1.5, -1.5, -978_307_200, -978_307_200.25, -3_155_673_600, 700_000_000, 700_000_000.125,
        86_400, 3, -62_135_769_600, 1_000_000_000.5,
    ]
    static let isoDates = [
        "2001-01-01T00:00:00Z", "2001-01-01", "1970-01-01", "1969-12-31T23:59:59.75Z",
        "2001-01-01T00:00:01.5Z", "2001-01-02T02:00:00+02:00", "2023-03-08T20:26:40Z", "1901-01-01",
    ]
    /// The variables of predicates: texts, numbers and lists.
    static let variables: [String: VariableValue] = [
        "one": "1", "plus": "+1", "point": "2.", "tenth": ".1", "hexadecimal": "0x10",
        "half": .value(.decimal(0.5)), "vast": .value(.double(1e300)),
        "tiny": .value(.double(1e-200)), "pair": .list([.int(1), .int(2)]), "empty": .list([]),
    ]
    static let uuids = [
        "00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-0000000000FF",
        "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF", "8F14E45F-CEEA-467F-9575-0D3E1C2B4A59",
    ]

    /// A value for that attribute; null often enough where it may be.
    static func value(_ it: Attribute, _ numbers: inout SeededNumbers) -> Value {
        if it.isOptional, numbers.one(in: 4) { return .null }
        let isWild = it.name.hasPrefix("wild")
        switch it.type {
        case .boolean: return .bool(numbers.one(in: 2))
        case .integer16, .integer32, .integer64:
            let all = integers(it.type)
            // Seldom the greatest: most sums shall be of what can be added.
            return .int(numbers.one(in: 6) ? numbers.pick(all, or: 0) : numbers.pick(small, or: 0))
        case .double where it.name.hasPrefix("vast"):
            return .double(numbers.pick(vastDoubles, or: 0))
        case .double: return .double(numbers.pick(isWild ? wildDoubles : doubles, or: 0))
        case .float:
            return .double(
                Double(Float(numbers.pick(isWild ? [0.1, 1e-30, 3e38] : doubles, or: 0))))
        case .decimal:
            let text = numbers.pick(isWild ? wildDecimals : decimals, or: "0")
            return Decimal(string: text).map { .decimal($0) } ?? .null
        case .string: return .string(numbers.pick(texts, or: ""))
        case .uri: return .string(numbers.pick("x:a", "x:A", "https://example.org/%C3%A9"))
        case .date: return .date(numbers.pick(dates, or: 0))
        case .uuid: return UUID(uuidString: numbers.pick(uuids, or: "")).map { .uuid($0) } ?? .null
        case .binary: return .data(numbers.pick([[], [0], [1, 2, 255]], or: []))
        default: return .null
        }
    }
}
