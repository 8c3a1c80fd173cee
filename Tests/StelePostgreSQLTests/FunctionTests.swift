// The functions that Stele makes in the schema have the meaning of the predicate language's own.

import Foundation
import SteleModel
import StelePersistence
import StelePredicates
import SteleSQL
import TestSupport
import Testing

@testable import StelePostgreSQL

@Suite(.enabled(if: PostgreSQLServer.shared != nil)) struct FunctionTests {
    private func connection() throws -> (PostgreSQLStore, Connection) {
        let server = try #require(PostgreSQLServer.shared)
        let url = try server.url(path: UUID().uuidString)
        let store = try PostgreSQLStore.open(url: url, model: try sampleModel("League"))
        return (store, try Connection(url))
    }

    private static let foldings: [ComparisonOptions] = [
        .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
    ]

    @Test func textsAreFoldedAsByTheNode() throws {
        let (store, connection) = try connection()
        defer { store.close() }
        var random = SeededNumbers(seed: drawSeed("textsAreFoldedAsByTheNode"))
        var texts = ["", "Straße", "ÅNGSTRÖM", "İstanbul", "ﬁn", "한국어", "e\u{301}\u{323}"]
        for _ in 0..<400 {
            var text = ""
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                let bound: UInt32 = [0x80, 0x250, 0x3400, 0xE000, 0x11_0000].randomElement(
                    using: &random)!
                if let scalar = Unicode.Scalar(UInt32.random(in: 1..<bound, using: &random)) {
                    text.unicodeScalars.append(scalar)
                }
            }
            texts.append(text)
        }
        let ask = SQLText(
            "SELECT stele1_fold(?1, 1), stele1_fold(?1, 2), stele1_fold(?1, 3), "
                + "stele1_scalars(?1, 'u'), stele1_scalars(?1, 'l'), stele1_length(?1)")
        for text in texts {
            let found = try connection.rows(
                ask, [.string(text)], [.text, .text, .text, .text, .text, .integer])
            let wanted =
                Self.foldings.map { Value.string(TextComparison.fold(text, options: $0)) }
                + [PredicateFunction.uppercase, .lowercase, .length].map {
                    PredicateCalls.apply($0, .string(text), nil)
                }
            #expect(found.first == wanted, "\(text.unicodeScalars.map(\.value))")
        }
    }

    @Test func noOtherScalarChanges() {
        let known = ScalarForm.ranges + [0xAC00..<0xD7A4]
        for value in UInt32(1)..<0x11_0000 where !known.contains(where: { $0.contains(value) }) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(scalar)
            let all =
                Self.foldings.map { TextComparison.fold(text, options: $0) }
                + [text.uppercased(), text.lowercased()]
            #expect(
                all.allSatisfy { $0.unicodeScalars.elementsEqual(CollectionOfOne(scalar)) },
                "U+\(String(value, radix: 16))")
        }
    }

    @Test func aDateWithoutATextIsReadAsNull() throws {
        let (store, connection) = try connection()
        defer { store.close() }
        let found = try connection.rows(
            SQLText("SELECT 1e19::float8, '-Infinity'::float8, 4000000000000000000, 3::float8"), [],
            [.date, .date, .date, .date])
        #expect(found == [[.null, .null, .null, .date(3)]])
    }

    /// A mean is the nearest Double, a sum is exact, and what no type holds fails.
    @Test func numbersAreExactOrRefused() throws {
        let (store, connection) = try connection()
        defer { store.close() }
        var random = SeededNumbers(seed: drawSeed("numbersAreExactOrRefused"))
        for _ in 0..<200 {
            let numbers = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                Int64.random(in: .min ... .max, using: &random)
                    >> Int64.random(
                        in: 2...62, using: &random)
            }
            var sum = NumberSum()
            for number in numbers { sum.add(number) }
            let list = "{\(numbers.map(String.init).joined(separator: ","))}"
            let found = try connection.rows(
                SQLText(
                    "SELECT stele1_mean(SUM(x), COUNT(x)) FROM unnest(?1::text::bigint[]) x"),
                [.string(list)], [.double])
            #expect(found == [[sum.mean]], "\(list)")
        }
        for (text, isRefused) in [
            ("stele1_decimal(1e36 + 0.5)", false), ("stele1_decimal(1e37 + 0.5)", true),
            ("stele1_ratio(1, 4)", false), ("stele1_ratio(1, 3)", true),
            ("stele1_digits(0.1)", false), ("stele1_digits(1e300)", true),
        ] {
            let ask = SQLText("SELECT \(text)")
            if isRefused {
                #expect(throws: StoreError.self, "\(text)") {
                    try connection.rows(ask, [], [.decimal])
                }
                #expect(connection.lastState == "22003")
            } else {
                #expect(throws: Never.self, "\(text)") {
                    try connection.rows(ask, [], [.decimal])
                }
            }
        }
    }
}
