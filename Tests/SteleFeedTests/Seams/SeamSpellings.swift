// Values as JavaScript, Go, Python, pandas, DuckDB and others spell them.

import Foundation
import SteleModel

/// The text of a value in JSON, and what every road stores for it.
struct SeamSpelling: CustomStringConvertible {
    let name: String
    let token: String
    /// What requests store; nil where they refuse it.
    let value: Value?
    /// What imports store, which also read the files of programs that know no types; nil where they
    /// refuse it.
    let imported: Value?
    /// Whether CSV, which has text alone, tells it from other values.
    let isForCSV: Bool

    /// A spelling that is the same to imports as to requests.
    init(name: String, token: String, value: Value?, isForCSV: Bool = true) {
        (self.name, self.token, self.isForCSV) = (name, token, isForCSV)
        (self.value, imported) = (value, value)
    }

    /// A spelling that requests refuse.
    init(name: String, token: String, imported: Value, isForCSV: Bool = true) {
        (self.name, self.token, self.isForCSV) = (name, token, isForCSV)
        value = nil
        self.imported = imported
    }

    var description: String { "\(name) \(token)" }

    func wanted(by road: WritingRoad) -> Value? { road.isImport ? imported : value }

    static var all: [SeamSpelling] {
        doubles + floats + integers + decimals + dates + texts + others + untyped
    }

    private static func spelled(
        _ name: String, _ tokens: [String], _ value: (String) -> Value?
    ) -> [SeamSpelling] {
        tokens.map { SeamSpelling(name: name, token: $0, value: value($0)) }
    }

    private static let doubles: [SeamSpelling] = {
        let numbers = [
            "1e19", "1E+19", "1.0E19", "10000000000000000000", "1e-7", "1e-07", "1e+21", "0.1",
            "1000000000000000000000", "1.7976931348623157e308", "1.7976931348623157E+308",
            "5e-324", "0.30000000000000004", "123456789012345680000", "9007199254740993", "1.0",
            "-1", "100000.0", "1e5", "0.000001", "0e99", "2.2250738585072014e-308",
            "9223372036854775807", "18446744073709551616", "\"1e19\"",
        ]
        let none = ["1e400", "\"NaN\"", "\"Infinity\"", "true"]
        return spelled("double", numbers) { text in
            Double(text.filter { $0 != "\"" }).map { Value.double($0) }
        } + spelled("double", ["-0.0", "-0"]) { _ in .double(0) }
            + spelled("double", none) { _ in nil }
    }()

    private static let floats: [SeamSpelling] = {
        let numbers = [
            "0.1", "0.10000000149011612", "3.4028235e38", "3.4028234663852886e+38", "1e-45",
            "16777217", "16777216.0", "1e10",
        ]
        return spelled("float", numbers) { text in Float(text).map { Value.double(Double($0)) } }
            + spelled("float", ["1e39"]) { _ in nil }
    }()

    private static let integers: [SeamSpelling] = {
        let spellings: [(name: String, token: String, value: Int64?)] = [
            ("small", "1.0", 1), ("small", "32767.0", 32767), ("small", "3.2767e4", 32767),
            ("small", "-32768", -32768), ("small", "32768", nil), ("small", "1.5", nil),
            ("medium", "2147483647.0", 2_147_483_647), ("medium", "2147483648", nil),
            ("medium", "-2147483648", -2_147_483_648), ("large", "9223372036854775807", .max),
            ("large", "9223372036854775807.0", .max), ("large", "9.223372036854775807e18", .max),
            ("large", "-9223372036854775808", .min), ("large", "9223372036854775808", nil),
            ("large", "1e18", 1_000_000_000_000_000_000), ("large", "1e19", nil),
            ("large", "10000000000000000000", nil), ("large", "-0.0", 0), ("large", "0e5", 0),
            ("large", "\"9007199254740993\"", 9_007_199_254_740_993),
        ]
        return spellings.map { spelling in
            SeamSpelling(
                name: spelling.name, token: spelling.token,
                value: spelling.value.map { Value.int($0) })
        }
    }()

    private static let decimals: [SeamSpelling] = {
        let numbers = [
            "0.1", "1e19", "10000000000000000000", "1.50", "1E+2", "-0.0", "\"1e127\"",
            "\"99999999999999999999999999999999999999\"", "\"-12345678901234567890.123456789\"",
            "\"0.00000000000000000000000000000000000001\"",
        ]
        return spelled("decimal", numbers) { text in
            Decimal(string: text.filter { $0 != "\"" }).map { Value.decimal($0) }
        }
            + spelled(
                "decimal", ["\"1.23456789012345678901234567890123456789\"", "\"1e200\"", "\"x\""]
            ) { _ in nil }
    }()

    private static let dates: [SeamSpelling] = {
        let spellings: [(text: String, value: Double?)] = [
            ("2024-05-01T09:00:00Z", 736_246_800), ("2024-05-01T11:00:00+02:00", 736_246_800),
            ("2024-05-01 11:00:00+02:00", 736_246_800), ("2024-05-01T09:00:00.000Z", 736_246_800),
            ("2024-05-01T09:00:00.5Z", 736_246_800.5), ("2024-05-01", 736_214_400),
            ("2024-05-01T09:00:00.123456+00:00", 736_246_800.123456),
            ("2024-05-01 09:00:00.25+00:00", 736_246_800.25),
            ("-001168-01-01T00:00:00Z", -100_004_025_600),
            ("-1168-01-01T00:00:00Z", nil), ("+010000-01-01T00:00:00Z", 252_423_993_600),
            ("0000-01-01T00:00:00Z", -63_145_526_400), ("2024-02-30T00:00:00Z", nil),
            ("2024-05-01T25:00:00Z", nil), ("2024-05-01T09:00:00", nil), ("1714554000", nil),
        ]
        return spellings.map { spelling in
            SeamSpelling(
                name: "date", token: "\"\(spelling.text)\"",
                value: spelling.value.map { Value.date($0) })
        }
    }()

    private static let texts: [SeamSpelling] = {
        let plain = [
            "", " ", "null", "NULL", "NA", "nil", "true", "1.0", "\t", " a ", "\u{FEFF}", "\u{85}",
            "=1+1", "\\N", "{1, 2}", "a,b", "\"", "'", "%", "*", "e\u{301}",
        ]
        let escaped: [SeamSpelling] = [
            .init(name: "text", token: #""a\nb""#, value: .string("a\nb")),
            .init(name: "text", token: #""a\r\nb\r""#, value: .string("a\r\nb\r")),
            .init(name: "text", token: #""\ud83d\ude00""#, value: .string("\u{1F600}")),
            .init(name: "text", token: #""\u0000""#, value: nil),
            .init(name: "text", token: "5", value: nil, isForCSV: false),
        ]
        let spelled = plain.map { SeamSpelling(name: "text", token: json($0), value: .string($0)) }
        return spelled + escaped
    }()

    private static let others: [SeamSpelling] = [
        .init(name: "flag", token: "true", value: .bool(true)),
        .init(name: "flag", token: "false", value: .bool(false)),
        .init(name: "unique", token: "\"6ba7b810-9dad-11d1-80b4-00c04fd430c8\"", value: uuid),
        .init(name: "unique", token: "\"6BA7B810-9DAD-11D1-80B4-00C04FD430C8\"", value: uuid),
        .init(name: "unique", token: "\"6ba7b810\"", value: nil),
        .init(name: "link", token: "\"urn:x:%C3%A4\"", value: .string("urn:x:%C3%A4")),
        .init(name: "link", token: "\"a b\"", value: nil),
        .init(name: "bytes", token: "\"AAEC/w==\"", value: .data([0, 1, 2, 255])),
        .init(name: "bytes", token: "\"\"", value: .data([]), isForCSV: false),
        .init(name: "bytes", token: "\"AAEC_w==\"", value: nil),
    ]

    /// What programs write that know no types: the empty text for null, and Booleans as texts or
    /// numbers. Requests refuse it.
    private static let untyped: [SeamSpelling] = {
        let empty = [
            "small", "medium", "large", "double", "float", "decimal", "flag", "date", "unique",
        ].map { SeamSpelling(name: $0, token: "\"\"", imported: .null) }
        let truths = ["\"true\"", "\"True\"", "\"t\"", "\"Y\"", "\"on\"", "1", "1.0"].map {
            SeamSpelling(name: "flag", token: $0, imported: .bool(true))
        }
        let untruths = ["\"false\"", "\"F\"", "\"no\"", "\"off\"", "\"0\"", "0", "0.0"].map {
            SeamSpelling(name: "flag", token: $0, imported: .bool(false))
        }
        let none = ["2", "0.5", "\"x\"", "\"null\"", "\" \""].map {
            SeamSpelling(name: "flag", token: $0, value: nil)
        }
        let nothing = SeamStage.part(title: .null, amount: .null)
        let parts: [SeamSpelling] = [
            .init(name: "part", token: #"{"amount":""}"#, imported: nothing, isForCSV: false),
            .init(name: "part", token: "null", value: nothing, isForCSV: false),
            .init(
                name: "part", token: #"{"title":"","amount":1.0}"#,
                value: SeamStage.part(title: .string(""), amount: .double(1)), isForCSV: false),
            .init(
                name: "part", token: #"{"amount":"1e2"}"#,
                value: SeamStage.part(title: .null, amount: .double(100)), isForCSV: false),
            .init(name: "part", token: #"{"title":5}"#, value: nil, isForCSV: false),
            .init(name: "part", token: "\"\"", value: nil, isForCSV: false),
        ]
        // A number is exact in a file, which no client has read.
        let digits = "0.12345678901234567890123456789"
        let exact: [SeamSpelling] =
            Decimal(string: digits).map {
                [SeamSpelling(name: "decimal", token: digits, imported: .decimal($0))]
            } ?? []
        let all: [[SeamSpelling]] = [empty, truths, untruths, none, parts, exact]
        return all.flatMap { $0 }
    }()

    private static let uuid: Value? = UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8")
        .map { .uuid($0) }

    private static func json(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return "\"\(escaped.replacing("\t", with: "\\t"))\""
    }
}
