// Integers in every form that JSON has for them, and those beyond 64 bits.

import SteleJSON
import TestSupport
import Testing

@Suite struct WholeNumberTests {
    @Test(
        arguments: [
            ("5", 5), ("5.0", 5), ("5e0", 5), ("50e-1", 5), ("0.5e1", 5), ("-0.0", 0), ("0e99", 0),
            ("-7.000", -7), ("1E3", 1000), ("9007199254740993.0", 9_007_199_254_740_993),
            ("123456789012345e3", 123_456_789_012_345_000), ("1e18", 1_000_000_000_000_000_000),
            ("9223372036854775807", .max), ("9223372036854775807.0", .max),
            ("9.223372036854775807e18", .max), ("-9223372036854775808.00", .min),
            ("-92233720368547758080e-1", .min),
        ] as [(String, Int64)])
    func aFractionOfZerosAndAnExponentAreTaken(_ text: String, _ number: Int64) throws {
        #expect(try JSONDocument("[\(text)]").root[0]?.wholeNumber == number)
    }

    @Test(arguments: [
        "5.5", "9223372036854775807.5", "9223372036854775808", "-9223372036854775809", "1e19",
        "1e300", "1e-400", "1e-1", "\"5\"", "true", "null", "[5]",
    ])
    func aFractionIsNoInteger(_ text: String) throws {
        #expect(try JSONDocument("[\(text)]").root[0]?.wholeNumber == nil)
    }

    @Test func anyIntegerIsReadInAnyForm() throws {
        var numbers = SeededNumbers(seed: drawSeed("integers in any form"))
        for _ in 0..<2_000 {
            let number = Int64.random(in: .min ... .max, using: &numbers) >> numbers.below(64)
            let digits = String(number)
            let zeros = number == 0 ? 0 : numbers.below(4)
            let more = String(repeating: "0", count: zeros)
            let texts = [
                digits, "\(digits).\(more)0", "\(digits)\(more)e-\(zeros)",
                "\(digits).0\(more)e0",
            ]
            for text in texts {
                let read = try JSONDocument(text).root.wholeNumber
                #expect(read == number, "\(text)")
            }
        }
    }

    @Test(arguments: [
        "10000000000000000000", "9223372036854775808", "-9223372036854775809",
        "18446744073709551616", "-18446744073709551615", "123456789012345678901234567890",
        "1" + String(repeating: "0", count: 308),
    ])
    func anIntegerBeyond64BitsIsTheNearestDouble(_ text: String) throws {
        let root = try JSONDocument(#"{"a":[1,"\#(text)",\#(text),2.5],"b":\#(text),"c":7}"#).root
        for node in [root["a"]?[2], root["b"]] {
            #expect(node?.kind == .real && node?.integer == nil && node?.wholeNumber == nil)
            #expect(node?.real == Double(text) && node?.wideIntegerText == text)
        }
        #expect(root["a"]?[0]?.integer == 1 && root["a"]?[3]?.real == 2.5)
        #expect(root["c"]?.integer == 7 && root["c"]?.wideIntegerText == nil)
        #expect(try JSONDocument(root.canonical).root["b"]?.real == Double(text))
        #expect(try JSONDocument(text).root.real == Double(text))
    }
}
