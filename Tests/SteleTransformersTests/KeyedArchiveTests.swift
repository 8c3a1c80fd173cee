// Keyed archives as Apple's framework writes them, read and written.

import FoundationEssentials
import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleTransformers

@Suite struct KeyedArchiveTests {
    let transformer = KeyedArchiveTransformer()

    private func roundTrip(_ json: String) throws -> String {
        let stored = try transformer.stored(Array(json.utf8))
        #expect(stored.starts(with: "bplist00".utf8))
        return String(decoding: try transformer.value(stored), as: UTF8.self)
    }

    @Test(arguments: [
        "null", "true", "false", "0", "-1", "255", "256", "65536", "4294967296",
        "-9223372036854775808", "9223372036854775807", "9223372036854775808",
        "18446744073709551615", "[{\"a\":10000000000000000000}]", "0.1", "-2.5e-300", "\"\"",
        "\"abc\"",
        "\"Zürich 😀\"", "[]", "{}", "[1,[2,[3]],\"x\",null]",
        "{\"a\":1,\"b\":{\"c\":[true,false]}}", "[\"same\",\"same\",7,7]",
        "{\"$data\":\"AAECAw==\"}", "{\"$date\":\"2024-05-01T09:00:00.250Z\"}",
        "{\"$url\":\"https://example.org/a?b=c\"}",
        "{\"$uuid\":\"9C5B94B1-35AD-49BB-B118-8E8FC24ABF80\"}", "{\"$set\":[1,2]}",
        "{\"$dictionary\":{\"$data\":\"text\"}}", "{\"$a\":1,\"$b\":2}",
    ])
    func whatGoesInComesOut(_ json: String) throws {
        #expect(try roundTrip(json) == json)
    }

    @Test(arguments: [
        ("0.1234567890123456789012", "0.12345678901234568"),
        ("18446744073709551616", "1.8446744073709552e+19"),
        ("-9223372036854775809", "-9.223372036854776e+18"),
    ])
    func aLongNumberIsTheNearestDouble(_ json: String, _ double: String) throws {
        #expect(try roundTrip(json) == double)
    }

    /// Texts and numbers that Swift takes for the same are written apart.
    @Test func whatIsEqualAndNotTheSameStaysApart() throws {
        let composed = "[\"\u{E9}\",\"e\u{301}\",{\"\u{E9}\":1,\"e\u{301}\":2}]"
        #expect(try Array(roundTrip(composed).utf8) == Array(composed.utf8))
        let zeros = try roundTrip("[0.0,-0.0,0.0]").split(separator: ",").map(String.init)
        #expect(zeros.map { $0.contains("-") } == [false, true, false], "\(zeros)")
    }

    /// 100,000 references to one text of a megabyte would be 100 GB.
    @Test func oneTextReferredToOftenIsRefused() throws {
        let list = PropertyList.dictionary([
            .init(key: "$archiver", value: .string("NSKeyedArchiver")),
            .init(
                key: "$objects",
                value: .array([
                    .string("$null"),
                    .dictionary([
                        .init(
                            key: "NS.objects",
                            value: .array(Array(repeating: .uid(2), count: 100_000))),
                        .init(key: "$class", value: .uid(3)),
                    ]),
                    .string(String(repeating: "x", count: 1 << 20)),
                    .dictionary([.init(key: "$classname", value: .string("NSArray"))]),
                ])),
            .init(key: "$top", value: .dictionary([.init(key: "root", value: .uid(1))])),
        ])
        let bytes = BinaryPropertyListWriter.bytes(list)
        #expect(throws: TransformationError.self) { try transformer.value(bytes) }
        let plain = BinaryPropertyListWriter.bytes(
            .array(Array(repeating: .data(Array(repeating: 7, count: 1 << 16)), count: 2_000)))
        #expect(throws: BinaryPropertyListReader.Malformed.self) {
            try BinaryPropertyListReader.read(plain)
        }
    }

    /// The inputs of the comparison with libplist in Docs/Dependencies.md.
    @Test(
        "Lists that double at each level or nest too deeply are refused",
        arguments: [
            (count: 2, depth: 20), (2, 24), (1, 129), (1, 40_000),
        ])
    func growingListsAreRefused(count: Int, depth: Int) {
        var bytes = Array("bplist00".utf8)
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
        }
        var offsets: [UInt8] = []
        for level in 1...depth {
            offsets += number(bytes.count, 4)
            bytes +=
                [0xA0 | UInt8(count)] + Array(repeating: number(level, 4), count: count).joined()
        }
        offsets += number(bytes.count, 4)
        bytes.append(0x09)
        let table = bytes.count
        bytes += offsets + [0, 0, 0, 0, 0, 0, 4, 4]
        bytes += number(depth + 1, 8) + number(0, 8) + number(table, 8)
        #expect(throws: BinaryPropertyListReader.Malformed.self) {
            try BinaryPropertyListReader.read(bytes)
        }
    }

    /// A megabyte of references from an array to itself: each level would read all of them.
    @Test("References count against the bound before they are read", arguments: [0xA0, 0xD0])
    func manyReferencesToOneContainerAreRefused(marker: UInt8) throws {
        let count = 1 << 20
        var bytes = Array("bplist00".utf8) + [marker | 0x0F, 0x12]
        bytes += (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
        // A dictionary's keys are texts, and its values the dictionary itself.
        if marker == 0xD0 { bytes += Array(repeating: 1, count: count) }
        bytes += Array(repeating: 0, count: count)
        let text = bytes.count
        bytes += [0x51, 0x61]
        let table = bytes.count
        func number(_ value: Int, _ size: Int) -> [UInt8] {
            (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
        }
        bytes += number(8, 4) + number(text, 4) + [0, 0, 0, 0, 0, 0, 4, 1]
        bytes += number(2, 8) + number(0, 8) + number(table, 8)
        let before = try peakMemory()
        #expect(throws: BinaryPropertyListReader.Malformed.self) {
            try BinaryPropertyListReader.read(bytes)
        }
        // Unbounded, the 128 levels of an array take a gigabyte.
        #expect(try peakMemory() - before < 400 << 10)
        #expect(throws: TransformationError.self) { try transformer.value(bytes) }
    }

    /// The most memory that the process has used, in KiB.
    private func peakMemory() throws -> Int {
        let status = try String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return try #require(line?.split(separator: " ").dropLast().last.flatMap { Int($0) })
    }

    @Test func manyAndLongOnesComeOut() throws {
        let long = String(repeating: "é", count: 70_000)
        let list = (0..<3_000).map { "\"text \($0)\"" }.joined(separator: ",")
        let json = "[\"\(long)\",\(list)]"
        #expect(try roundTrip(json) == json)
    }

    /// `NSKeyedArchiver.archivedData(withRootObject: ["name": "Ann", "ages": [1, 2]])`, put
    /// together by hand after the form of Apple's: shared strings, classes with their parents.
    @Test func anArchiveOfAnotherWriterIsRead() throws {
        let list = PropertyList.dictionary([
            .init(key: "$archiver", value: .string("NSKeyedArchiver")),
            .init(
                key: "$objects",
                value: .array([
                    .string("$null"),
                    .dictionary([
                        .init(key: "NS.keys", value: .array([.uid(2), .uid(3)])),
                        .init(key: "NS.objects", value: .array([.uid(4), .uid(5)])),
                        .init(key: "$class", value: .uid(8)),
                    ]),
                    .string("name"), .string("ages"), .string("Ann"),
                    .dictionary([
                        .init(key: "NS.objects", value: .array([.uid(6), .uid(7)])),
                        .init(key: "$class", value: .uid(9)),
                    ]),
                    .integer(1), .integer(2),
                    .dictionary([
                        .init(key: "$classname", value: .string("NSMutableDictionary")),
                        .init(
                            key: "$classes",
                            value: .array([
                                .string("NSMutableDictionary"), .string("NSDictionary"),
                                .string("NSObject"),
                            ])),
                    ]),
                    .dictionary([
                        .init(key: "$classname", value: .string("NSArray")),
                        .init(
                            key: "$classes",
                            value: .array([.string("NSArray"), .string("NSObject")])),
                    ]),
                ])),
            .init(key: "$top", value: .dictionary([.init(key: "root", value: .uid(1))])),
            .init(key: "$version", value: .integer(100_000)),
        ])
        let value = try transformer.value(BinaryPropertyListWriter.bytes(list))
        #expect(String(decoding: value, as: UTF8.self) == "{\"name\":\"Ann\",\"ages\":[1,2]}")
    }

    @Test func aClassWithoutJSONIsNamed() throws {
        let list = PropertyList.dictionary([
            .init(key: "$archiver", value: .string("NSKeyedArchiver")),
            .init(
                key: "$objects",
                value: .array([
                    .string("$null"), .dictionary([.init(key: "$class", value: .uid(2))]),
                    .dictionary([.init(key: "$classname", value: .string("UIColor"))]),
                ])),
            .init(key: "$top", value: .dictionary([.init(key: "root", value: .uid(1))])),
        ])
        let bytes = BinaryPropertyListWriter.bytes(list)
        let error = #expect(throws: TransformationError.self) { try transformer.value(bytes) }
        #expect(error?.reason.contains("UIColor") == true)
    }

    @Test func anArchiveThatHoldsItselfEnds() throws {
        let list = PropertyList.dictionary([
            .init(key: "$archiver", value: .string("NSKeyedArchiver")),
            .init(
                key: "$objects",
                value: .array([
                    .string("$null"),
                    .dictionary([
                        .init(key: "NS.objects", value: .array([.uid(1), .uid(1)])),
                        .init(key: "$class", value: .uid(2)),
                    ]),
                    .dictionary([.init(key: "$classname", value: .string("NSArray"))]),
                ])),
            .init(key: "$top", value: .dictionary([.init(key: "root", value: .uid(1))])),
        ])
        let bytes = BinaryPropertyListWriter.bytes(list)
        #expect(throws: TransformationError.self) { try transformer.value(bytes) }
    }

    @Test(arguments: [
        "{\"$date\":\"yesterday\"}", "{\"$data\":\"?\"}", "{\"$uuid\":\"x\"}", "{\"$set\":1}",
    ])
    func whatNoTypeHoldsIsRefused(_ json: String) {
        #expect(throws: TransformationError.self) { try transformer.stored(Array(json.utf8)) }
    }

    /// Bytes of anybody's: an error or a value, never a trap.
    @Test func brokenBytesAreAnError() throws {
        var numbers = SeededNumbers(seed: drawSeed("brokenBytesAreAnError"))
        let whole = try transformer.stored(
            Array("{\"a\":[1,2.5,\"té\",{\"$date\":\"2024-05-01T09:00:00Z\"}],\"b\":null}".utf8))
        for _ in 0..<20_000 {
            var broken = whole
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let place = Int.random(in: 8..<broken.count, using: &numbers)
                broken[place] = UInt8.random(in: .min ... .max, using: &numbers)
            }
            if Bool.random(using: &numbers) {
                broken.removeLast(Int.random(in: 1..<broken.count, using: &numbers))
            }
            _ = try? transformer.value(broken)
        }
        for length in 0..<whole.count {
            #expect(throws: TransformationError.self) {
                try transformer.value(Array(whole.prefix(length)))
            }
        }
    }

    /// FoundationEssentials reads what is written: a property list in the form that Apple's has.
    @Test func theBytesAreAPropertyListToOthers() throws {
        struct Whole: Decodable {
            var a: Int
            var b: [String]
            var c: Double
        }
        let bytes = BinaryPropertyListWriter.bytes(
            .dictionary([
                .init(key: "a", value: .integer(70_000)),
                .init(key: "b", value: .array([.string("x"), .string("Zürich")])),
                .init(key: "c", value: .real(2.5)),
            ]))
        let read = try PropertyListDecoder().decode(Whole.self, from: Data(bytes))
        #expect(read.a == 70_000 && read.b == ["x", "Zürich"] && read.c == 2.5)
    }
}
