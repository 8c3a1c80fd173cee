// Numbers with more digits than a Double keeps are marked, and only those.

import SteleJSON
import Testing

@Suite struct LongNumberTests {
    @Test(arguments: [
        "0.1234567890123456", "1234567890.123456", "1234567890123456", "-1234567890123456",
        "9223372036854775807", "1.234567890123456e10", "0.0001234567890123456",
        "100000000000000.01", "1e-400", "1.5e-310",
    ])
    func moreThanFifteenDigitsAreLong(_ number: String) throws {
        let root = try JSONDocument("[1, \(number), 2.5]").root
        #expect(root[1]?.isLongNumber == true)
        #expect(root[1]?.longNumberText == number)
        #expect(root[0]?.isLongNumber == false && root[2]?.isLongNumber == false)
    }

    @Test(arguments: [
        "0.123456789012345", "123456789012345", "0.000000000000000000001", "1e300", "0",
        "-0.0", "0e-999", "1.50000000000000000000", "1000000000000000000", "123456789012345e10",
        "0.00000000000000000000000000123456789012345", "1e-200", "\"1234567890123456789\"",
    ])
    func fifteenDigitsOrFewerAreNot(_ number: String) throws {
        let root = try JSONDocument("[\(number)]").root
        #expect(root[0]?.isLongNumber == false && root[0]?.longNumberText == nil)
    }

    @Test func aShortNumberOfTheSameValueIsNotMarked() throws {
        let root = try JSONDocument("[0.1, 0.1000000000000000055, 0.1]").root
        #expect(root[0]?.isLongNumber == false && root[2]?.isLongNumber == false)
        #expect(root[1]?.isLongNumber == true && root[1]?.real == 0.1)
    }

    @Test func theyAreFoundInNestedAndMixedPlaces() throws {
        let text = #"""
            {"0.1234567890123456789": "1234567890123456789 \" 5", "a": [1, {"b": 2, "c":
            [0.1234567890123456789, true]}, -3e5], "d": 1234567890123456, "e": 4, "f": null}
            """#
        let root = try JSONDocument(text).root
        #expect(root["a"]?[1]?["c"]?[0]?.isLongNumber == true)
        #expect(root["d"]?.isLongNumber == true && root["d"]?.integer == 1_234_567_890_123_456)
        for node in [root["a"]?[0], root["a"]?[1]?["b"], root["a"]?[2], root["e"], root["f"]] {
            #expect(node?.isLongNumber == false)
        }
    }
}
