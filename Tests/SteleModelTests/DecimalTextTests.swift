// Decimals as text: exact both ways, and strict.

import Foundation
import SteleModel
import TestSupport
import Testing

@Suite("Decimal text")
struct DecimalTextTests {
    @Test(
        "A number is read to its very value",
        arguments: [
            ("0", 0, 0), ("-0", 0, 0), ("0.000", 0, 0), ("0e999999", 0, 0), ("7", 7, 0),
            ("-12.50", -125, -1), ("0.001", 1, -3), ("1e3", 1, 3), ("1E+3", 1, 3),
            ("25e-4", 25, -4), ("000123", 123, 0), ("100", 1, 2), ("1.0", 1, 0),
        ])
    func reads(_ text: String, _ significand: Int, _ exponent: Int) throws {
        let value = try #require(DecimalText.parse(text.utf8))
        let magnitude = Decimal(
            sign: .plus, exponent: exponent, significand: Decimal(significand.magnitude))
        #expect(value == (significand < 0 ? -magnitude : magnitude))
        #expect(value.isZero == (significand == 0))
    }

    @Test(
        "What is no number is refused",
        arguments: [
            "", "-", "+1", ".5", "5.", "1.2.3", "1e", "1e+", "0x10", "1 ", " 1", "1,5", "NaN",
            "Infinity", "--1", "1-", "1e5.0", "٣", "12abc",
        ])
    func refuses(_ text: String) {
        #expect(DecimalText.parse(text.utf8) == nil)
    }

    @Test("38 digits are the most, and zeros at either end do not count")
    func digits() throws {
        let most = String(repeating: "9", count: 38)
        #expect(DecimalText.text(try #require(DecimalText.parse(most.utf8))) == most)
        #expect(DecimalText.parse((most + "1").utf8) == nil)
        #expect(DecimalText.parse("1\(String(repeating: "0", count: 37))1".utf8) == nil)
        let padded = "000\(most)000.000"
        #expect(DecimalText.parse(padded.utf8) == DecimalText.parse("\(most)e3".utf8))
        #expect(DecimalText.parse("0.\(String(repeating: "0", count: 90))\(most)".utf8) != nil)
    }

    @Test("An exponent that a Decimal cannot hold is refused")
    func exponents() throws {
        #expect(DecimalText.parse("1e127".utf8) != nil)
        #expect(DecimalText.parse("1e164".utf8) != nil)
        #expect(DecimalText.parse("1e165".utf8) == nil)
        #expect(DecimalText.parse("1e-128".utf8) != nil)
        #expect(DecimalText.parse("1e-129".utf8) == nil)
        #expect(DecimalText.parse("1e99999999999999999999".utf8) == nil)
        #expect(DecimalText.text(try #require(DecimalText.parse("1.5e-60".utf8))) == "1.5e-60")
        #expect(DecimalText.text(try #require(DecimalText.parse("2e150".utf8))) == "2e150")
    }

    @Test(
        "A number whose integer part is beyond 64 bits has an exponent where readers need that",
        arguments: [
            ("9223372036854775807", nil), ("9223372036854775808", "9.223372036854775808e18"),
            ("-9223372036854775808", nil), ("-9223372036854775809", "-9.223372036854775809e18"),
            ("9223372036854775807.5", nil), ("9223372036854775808.5", "9.2233720368547758085e18"),
            ("9000000000000000000", nil), ("9300000000000000000", "9.3e18"),
            ("10000000000000000000", "1e19"), ("18446744073709551616", "1.8446744073709551616e19"),
            ("-12345678901234567890.5", "-1.23456789012345678905e19"), ("0.1", nil), ("0", nil),
            ("999999999999999999.99999999999", nil), ("1.5e-60", nil), ("2e150", nil),
        ])
    func boundsIntegers(_ text: String, _ written: String?) throws {
        let value = try #require(DecimalText.parse(text.utf8))
        var bytes: [UInt8] = []
        DecimalText.write(value, boundsIntegers: true, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == written ?? text)
        #expect(DecimalText.parse(bytes) == value)
    }

    @Test(
        "A product is rounded to 38 digits, and none where it is too small",
        arguments: [
            ("1e-64", "1e-64", "1e-128"), ("1e-64", "1e-65", nil), ("1e-128", "1e-128", nil),
            ("5e-128", "0.2", "1e-128"), ("-5e-127", "0.2", "-1e-127"), ("0", "1e-128", "0"),
            ("1e127", "1e127", nil), ("1e-128", "1e127", "0.1"),
            (
                "12345678901234567890123456789012345678e-100", "1e-28",
                "1.2345678901234567890123456789012345678e-91"
            ),
            ("12345678901234567890123456789012345678e-100", "1e-29", nil),
            (
                "99999999999999999999999999999999999999e-90",
                "99999999999999999999999999999999999999e-76",
                "9.9999999999999999999999999999999999998e-91"
            ),
            (
                "7.1001656442690109995816861220415634501e-13", "0.9",
                "6.3901490798421098996235175098374071051e-13"
            ),
        ])
    func multiplies(_ a: String, _ b: String, _ product: String?) throws {
        let (x, y) = (
            try #require(DecimalText.parse(a.utf8)), try #require(DecimalText.parse(b.utf8))
        )
        for (one, other) in [(x, y), (y, x)] {
            let made = DecimalText.product(one, other)
            #expect(made.isNaN == (product == nil))
            if let product { #expect(DecimalText.text(made) == product) }
        }
    }

    @Test(
        "A quotient is rounded to 38 digits and the 128th place, and none where it is out of range",
        arguments: [
            ("1e-128", "1", "1e-128"), ("2e-128", "2", "1e-128"), ("1e-127", "3", "3e-128"),
            ("1e-127", "-4", "-3e-128"), ("1e-128", "3", nil), ("1e127", "1e-30", "1e157"),
            ("1e127", "1e-127", nil), ("1", "0", nil), ("0", "7", "0"), ("6", "2", "3"),
            ("7", "3", "2.3333333333333333333333333333333333333"),
            ("2", "3", "0.66666666666666666666666666666666666667"),
        ])
    func divides(_ a: String, _ b: String, _ quotient: String?) throws {
        let made = DecimalText.quotient(
            try #require(DecimalText.parse(a.utf8)), try #require(DecimalText.parse(b.utf8)))
        #expect(made.isNaN == (quotient == nil))
        if let quotient { #expect(DecimalText.text(made) == quotient) }
    }

    @Test("39 digits, which Foundation's arithmetic makes, are rounded to 38, also in a file")
    func rounds() throws {
        let most = try #require(DecimalText.parse(String(repeating: "9", count: 38).utf8))
        let two = try #require(DecimalText.parse("2e38".utf8))
        #expect(DecimalText.rounded(most + most) == two)
        #expect(DecimalText.rounded(most) == most)
        var total = DecimalTotal()
        for number in [most, most, 0, 0] { total.add(number) }
        #expect(DecimalText.text(total.mean) == "5" + String(repeating: "0", count: 37))
        for text in [
            "1.99999999999999999999999999999999999998e38",
            "199999999999999999999999999999999999998.0",
        ] {
            #expect(DecimalText.parse(text.utf8) == nil)
            #expect(DecimalText.parse(stored: Array(text.utf8)) == two, "\(text)")
        }
        let greatest = try #require(
            DecimalText.parse((String(repeating: "9", count: 38) + "e127").utf8))
        #expect(DecimalText.rounded(greatest + greatest).isNaN)
    }

    @Test("A long number of a file is rounded to the nearest")
    func readsStored() throws {
        let sixes = String(repeating: "6", count: 60)
        for (text, value) in [
            ("-0.\(sixes)e2", "-66.\(String(repeating: "6", count: 35))7"),
            ("0.\(String(repeating: "0", count: 120))123456789", "1.2345679e-121"),
            (sixes, "6.\(String(repeating: "6", count: 36))7e59"), ("0.\(sixes)E-200", nil),
        ] as [(String, String?)] {
            let read = DecimalText.parse(stored: Array(text.utf8))
            #expect(read.map { DecimalText.text($0) } == value, "\(text)")
        }
    }

    @Test(
        "Text that only begins as a number is refused also if it is longer than 38 characters",
        arguments: ["1.1", "1-5", "1e5e", "1.5e5-", "1-", "--1", "1e5.5"])
    func refusesStored(_ piece: String) {
        let text = piece + String(piece.suffix(2)) + String(repeating: piece, count: 20)
        #expect(DecimalText.parse(stored: Array(text.utf8)) == nil, "\(text)")
    }

    @Test("A Decimal of Foundation's making is written with its digits")
    func writes() {
        #expect(DecimalText.text(Decimal(0)) == "0")
        #expect(DecimalText.text(Decimal(-1200)) == "-1200")
        #expect(DecimalText.text(Decimal(sign: .minus, exponent: -3, significand: 1500)) == "-1.5")
        #expect(DecimalText.text(Decimal(sign: .plus, exponent: -3, significand: 5)) == "0.005")
        #expect(DecimalText.text(Decimal(1) / 8 + Decimal(1) / 5) == "0.325")
        #expect(DecimalText.text(Decimal.nan) == "null")
        let largest = Decimal(
            sign: .plus, exponent: 0, significand: Decimal.greatestFiniteMagnitude.significand)
        #expect(DecimalText.text(largest) == "340282366920938463463374607431768211455")
    }

    @Test("Numbers of 1 to 38 digits come back with every digit, and count as Foundation counts")
    func random() throws {
        let seed = drawSeed(#function)
        var generator = SeededNumbers(seed: seed)
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...38, using: &generator)
            var digits = (0..<count).map { _ in Int.random(in: 0...9, using: &generator) }
            digits[0] = max(digits[0], 1)
            digits[count - 1] = max(digits[count - 1], 1)
            let exponent = Int.random(in: -60...60, using: &generator)
            let sign = Bool.random(using: &generator) ? "-" : ""
            let text = sign + digits.map(String.init).joined() + "e\(exponent)"
            let value = try #require(DecimalText.parse(text.utf8), "\(text)")
            // Foundation's arithmetic, digit by digit, is the independent witness.
            let built = digits.reduce(Decimal(0)) { $0 * 10 + Decimal($1) }
            let magnitude = Decimal(sign: .plus, exponent: exponent, significand: built)
            try #require(value == (sign.isEmpty ? magnitude : -magnitude), "\(text)")
            let written = DecimalText.text(value)
            try #require(DecimalText.parse(written.utf8) == value, "\(text): \(written)")
            let onlyDigits = written.prefix { $0 != "e" }.filter(\.isNumber)
            let trimmed = String(onlyDigits.drop { $0 == "0" }.reversed().drop { $0 == "0" })
            try #require(trimmed == String(digits.map(String.init).joined().reversed()))
        }
    }
}
