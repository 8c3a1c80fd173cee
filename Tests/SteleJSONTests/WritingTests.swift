// What the byte writer writes, and that it reads back the same.

import SteleJSON
import TestSupport
import Testing

func written(_ body: (inout ByteWriter) -> Void) -> String {
    var writer = ByteWriter()
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}

@Suite struct WritingTests {
    @Test func textIsQuotedAndEscaped() {
        #expect(written { $0.string("") } == "\"\"")
        #expect(
            written { $0.string("plain text, long enough for runs") }
                == "\"plain text, long enough for runs\"")
        #expect(
            written { $0.string("a\"b\\c\nd\re\tf\u{8}g\u{c}h\u{0}i\u{1f}j/\u{7f}") }
                == #""a\"b\\c\nd\re\tf\bg\fh\u0000i\u001Fj/"# + "\u{7f}\"")
        #expect(written { $0.string("äöü€😀") } == "\"äöü€😀\"")
    }

    @Test func jsonOnOneLineHasSpacesForLineEnds() {
        #expect(
            written { $0.json(onOneLine: Array("{\r\n\"a\":\n\"\\n\"\t}".utf8)) }
                == "{  \"a\": \"\\n\"\t}")
        #expect(written { $0.json(onOneLine: Array("[1, 2]".utf8)) } == "[1, 2]")
    }

    @Test func everyCharacterAtEveryPlaceReadsBack() throws {
        for value in 1..<0x300 {
            guard let scalar = UnicodeScalar(value) else { continue }
            for before in 0..<10 {
                let text = String(repeating: "x", count: before) + String(scalar) + "1234567890"
                let json = written { $0.string(text) }
                #expect(try JSONDocument(json).root.string == text, "U+\(value) after \(before)")
            }
        }
    }

    @Test func bytesThatAreNotUTF8AreReplaced() {
        let json = written { writer in
            ([0x61, 0xFF, 0x22] as [UInt8]).withUnsafeBufferPointer { writer.string(utf8: $0) }
        }
        #expect(json == "\"a\u{fffd}\\\"\"")
    }

    @Test(
        arguments: [
            (0, "0"), (7, "7"), (10, "10"), (-1, "-1"), (1_234_567_890, "1234567890"),
            (.max, "9223372036854775807"), (.min, "-9223372036854775808"),
        ] as [(Int64, String)])
    func integers(_ value: Int64, _ text: String) {
        #expect(written { $0.integer(value) } == text)
    }

    @Test(
        arguments: [
            (0.1, "0.1"), (3, "3"), (-3, "-3"), (51234.5, "51234.5"), (1e21, "1e+21"),
            (.leastNonzeroMagnitude, "5e-324"), (0.30000000000000004, "0.30000000000000004"),
            (0, "0"),
            (-0.0, "-0.0"), (9007199254740991, "9007199254740991"), (1e16, "1e+16"),
            (9007199254740992, "9007199254740992"), (1e-5, "1e-05"),
            (.greatestFiniteMagnitude, "1.7976931348623157e+308"), (.nan, "null"),
            (.infinity, "null"), (-.infinity, "null"),
        ] as [(Double, String)])
    func doublesHaveTheirShortestDigits(_ value: Double, _ text: String) throws {
        #expect(written { $0.double(value) } == text)
        if value.isFinite { #expect(try JSONDocument(text).root.real == value) }
    }

    @Test(
        arguments: [
            (0.1, "0.1"), (3, "3"), (16_777_216, "16777216"), (1.5e10, "1.5e+10"), (.nan, "null"),
            (-0.0, "-0.0"), (.greatestFiniteMagnitude, "3.4028235e+38"),
            (.leastNonzeroMagnitude, "1e-45"),
        ] as [(Float, String)])
    func floatsHaveTheirShortestDigits(_ value: Float, _ text: String) {
        #expect(written { $0.float(value) } == text)
    }

    @Test func randomDoublesReadBackToTheVeryBits() throws {
        let seed = drawSeed(#function)
        var generator = SeededNumbers(seed: seed)
        for _ in 0..<50_000 {
            let value = Double(bitPattern: generator.next())
            guard value.isFinite else { continue }
            let text = written { $0.double(value) }
            #expect(try JSONDocument(text).root.real?.bitPattern == value.bitPattern, "\(text)")
        }
    }

    @Test func base64MatchesItsStandard() {
        let vectors = [
            "": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==",
            "fooba": "Zm9vYmE=", "foobar": "Zm9vYmFy",
        ]
        for (plain, coded) in vectors {
            #expect(written { $0.base64(Array(plain.utf8)) } == "\"\(coded)\"")
            #expect(written { $0.base64(Array(plain.utf8), quoted: false) } == coded)
        }
        let every = written { $0.base64((0...255).map { UInt8($0) }, quoted: false) }
        #expect(every.hasPrefix("AAECAwQF"))
        #expect(every.hasSuffix("8/T19vf4+fr7/P3+/w==") && every.utf8.count == 344)
    }

    @Test(arguments: [767, 768, 769, 770, 1536, 10_000])
    func base64OfSeveralBlocksIsThatOfItsParts(_ size: Int) {
        let data = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 7) }
        let whole = written { $0.base64(data, quoted: false) }
        let parts = stride(from: 0, to: size, by: 3).map { start in
            written { $0.base64(Array(data[start..<min(start + 3, size)]), quoted: false) }
        }
        #expect(whole == parts.joined())
    }

    @Test func uuidsAreUpperCase() {
        let bytes: ByteWriter.UUIDBytes = (
            0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54,
            0x32, 0x10
        )
        #expect(written { $0.uuid(bytes) } == "\"01234567-89AB-CDEF-FEDC-BA9876543210\"")
        #expect(written { $0.uuid(bytes, quoted: false) }.utf8.count == 36)
    }

    @Test func preparedKeysAndTheRest() {
        let json = written { writer in
            writer.raw("{")
            writer.raw(ByteWriter.preparedKey("a"))
            writer.null()
            writer.raw(ByteWriter.preparedKey("b\"", comma: true))
            writer.bool(true)
            writer.byte(UInt8(ascii: ","))
            writer.key("c")
            writer.bool(false)
            writer.raw("}")
        }
        #expect(json == #"{"a":null,"b\"":true,"c":false}"#)
    }

    @Test func takingLeavesAnEmptyWriter() {
        var writer = ByteWriter(capacity: 10)
        writer.raw("abc")
        #expect(writer.count == 3)
        #expect(writer.take() == [0x61, 0x62, 0x63])
        #expect(writer.bytes.isEmpty)
        writer.raw("d")
        #expect(writer.bytes == [0x64])
    }
}
