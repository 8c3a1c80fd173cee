// What is refused, how it is named, and that no text whatever brings the reader down.

import SteleJSON
import TestSupport
import Testing

@Suite struct RefusalTests {
    private func refusal(_ bytes: [UInt8]) -> JSONError? {
        do throws(JSONError) {
            _ = try JSONDocument(bytes)
            return nil
        } catch {
            return error
        }
    }

    private func refusal(_ text: String) -> JSONError? {
        refusal(Array(text.utf8))
    }

    @Test(arguments: [
        ("{\"name\":1,\"name\":2}", "\"name\"", 10),
        ("[{\"a\":{\"b\":1,\n \"c\":2, \"b\":3}}]", "\"b\"", 22),
        ("{\"\u{e4}\":1, \"\\u00e4\":2}", "\"\\u00e4\"", 9),
    ])
    func aDuplicateKeyIsNamedWithItsPlace(_ text: String, _ key: String, _ position: Int) {
        let error = refusal(text)
        #expect(error?.kind == .duplicateKey)
        #expect(error?.message.contains("the key \(key) stands twice") == true)
        #expect(error?.position == position)
    }

    @Test func lineAndColumnCountCharacters() {
        let error = refusal("{\"ä\": 1,\n  \"ö😀\": x}")
        #expect(error?.line == 2 && error?.column == 9 && error?.position == 22)
        #expect(error?.message.hasSuffix("at line 2, column 9") == true)
    }

    @Test(
        arguments: [
            [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22],
            [0x22, 0xED, 0xA0, 0x80, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
        ] as [[UInt8]])
    func bytesThatAreNotUTF8AreRefused(_ bytes: [UInt8]) {
        let error = refusal(bytes)
        #expect(error?.kind == .invalidUTF8)
        #expect(error?.position == 1)
        #expect(
            refusal([0x5B, 0x22] + bytes.dropFirst().dropLast() + [0x22, 0x5D])?.position == 2)
    }

    @Test func invalidUTF8OutsideTextIsRefused() {
        #expect(refusal([0x5B, 0xFF, 0x5D])?.kind == .invalidUTF8)
    }

    @Test(arguments: ["\"a\\u0000\"", "{\"a\\u0000\":1}", "\"a\u{0}\"", "[1,\u{0}2]", "{}\u{0}"])
    func theNulCharacterIsRefused(_ text: String) {
        #expect(refusal(text)?.kind == .nulCharacter)
    }

    @Test(arguments: ["1e400", "-1e999"])
    func numbersOutOfRangeAreRefused(_ number: String) {
        let error = refusal("{\"n\": \(number)}")
        #expect(error?.kind == .numberOutOfRange)
        #expect(error?.message.contains(number) == true)
        #expect(error?.hint == "send it as a string" && error?.position == 6)
    }

    @Test func anIntegerBeyondADoubleIsRefused() {
        let error = refusal("[1, -\(String(repeating: "9", count: 400))]")
        #expect(error?.kind == .numberOutOfRange && error?.position == 4)
        #expect(error?.message.contains("beyond a Double") == true)
        #expect(error?.hint == "send it as a string")
    }

    /// They are read in a way of their own, which takes no text that is not JSON.
    @Test(arguments: [
        ("[10000000000000000000, x]", 23), ("[12345678901234567890-5]", nil),
        ("[012345678901234567890]", nil), ("[--12345678901234567890]", nil),
        ("[12345678901234567890.]", nil), ("[12345678901234567890e]", nil),
        ("12345678901234567890 5", 21), ("{12345678901234567890:1}", nil),
    ])
    func malformedJSONWithLongIntegersIsRefused(_ text: String, _ position: Int?) {
        let error = refusal(text)
        #expect(error?.kind == .syntax, "\(text): \(String(describing: error))")
        if let position { #expect(error?.position == position, "\(text)") }
    }

    @Test(arguments: ["NaN", "Infinity", "-Infinity", "nan"])
    func whatIsNotFiniteIsRefused(_ number: String) {
        let error = refusal("[\(number)]")
        #expect(error?.kind == .numberOutOfRange)
        #expect(error?.message.contains(number) == true && error?.position == 1)
    }

    @Test(arguments: ["", " ", "\n\t "])
    func nothingIsRefusedAsEmpty(_ text: String) {
        #expect(refusal(text)?.kind == .empty)
    }

    @Test(
        arguments: [
            ("{} x", 3, nil), ("1 2", 2, nil), ("[1,]", 3, "comma"), ("{\"a\":1,}", 7, "comma"),
            ("{'a':1}", 1, "double quotes"), ("[01]", 1, "begins with"), ("[.5]", 1, "begins with"),
            ("[+1]", 1, "begins with"), ("[True]", 1, "lower case"), ("[None]", 1, "null"),
            ("[1] // x", 4, "comments"), ("\u{feff}{}", 0, "byte order mark"),
            ("[\"a\nb\"]", 3, nil),
            ("[\"\\x\"]", 2, nil), ("[\"\\ud800\"]", nil, nil), ("{1:2}", 1, nil), ("]", 0, nil),
        ] as [(String, Int?, String?)])
    func slipsAreFoundInTheirPlace(_ text: String, _ position: Int?, _ hint: String?) {
        let error = refusal(text)
        #expect(error?.kind == .syntax, "\(text): \(String(describing: error))")
        if let position { #expect(error?.position == position, "\(text)") }
        if let hint { #expect(error?.hint?.contains(hint) == true, "\(text)") }
    }

    @Test func nestingHasALimitWithAClearError() {
        let limit = JSONDocument.depthLimit
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(refusal(nested(limit)) == nil)
        let error = refusal(nested(limit + 1))
        #expect(error?.kind == .tooDeep && error?.position == limit)
        #expect(error?.message.contains("\(limit) levels") == true)
        #expect(refusal(String(repeating: "{\"a\":", count: 1_000_000))?.kind == .tooDeep)
        #expect(refusal("\"" + String(repeating: "[", count: 1000) + "\"") == nil)
    }

    @Test func aTextCutShortAnywhereIsRefusedAndNothingElse() {
        let whole = Array(
            #"{"a":[1,-2.5e3,"x\"\u00e4\ud83d\ude00 é😀",{"b":null,"c":[true,false]}],"d":{}}"#
                .utf8)
        #expect(refusal(whole) == nil)
        for end in 0..<whole.count {
            let error = refusal(Array(whole[..<end]))
            #expect(error != nil, "cut after \(end) bytes")
            #expect((error?.position ?? 0) <= end)
        }
    }

    @Test func noChangedByteBringsTheReaderDown() {
        let whole = Array(#"{"a":[1,-2.5e3,"x\"\u00e4é"],"k":{"b":null,"c":[true]}}"#.utf8)
        let seed = drawSeed(#function)
        var generator = SeededNumbers(seed: seed)
        for _ in 0..<20_000 {
            var text = whole
            for _ in 0...Int.random(in: 0...3, using: &generator) {
                let at = Int.random(in: 0..<text.count, using: &generator)
                text[at] = UInt8.random(in: 0...255, using: &generator)
            }
            if let error = refusal(text) {
                #expect(error.position >= 0 && error.position <= text.count)
                #expect(error.line > 0 && error.column > 0 && !error.message.isEmpty)
            }
        }
    }
}
