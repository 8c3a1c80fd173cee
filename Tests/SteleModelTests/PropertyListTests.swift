// Property lists as bytes, as XML and as JSON.

import FoundationEssentials
import SteleJSON
import SteleModel
import Testing

@Suite struct PropertyListTests {
    private static let values: [PropertyList] = [
        "ü", true, false, 1, .integer(.min), .integer(.max), .unsigned(.max), 0.5, .real(-0.0),
        .real(.greatestFiniteMagnitude), .date(1), .date(0.1), .data([0, 255]), .data([]),
        [1, "2", []], ["a": ["b": 1], "é": ""],
    ]

    @Test(arguments: values)
    func bytesReadBackAsTheSame(_ value: PropertyList) throws {
        #expect(try BinaryPropertyListReader.read(BinaryPropertyListWriter.bytes(value)) == value)
    }

    @Test func foundationReadsIntegersOf128BitsAsTheyAreWritten() throws {
        let bytes = BinaryPropertyListWriter.bytes(["large": .unsigned(.max)])
        let read = try PropertyListDecoder().decode([String: UInt64].self, from: Data(bytes))
        #expect(read == ["large": .max])
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let written = try encoder.encode(["large": UInt64.max])
        #expect(
            try BinaryPropertyListReader.read([UInt8](written)) == ["large": .unsigned(.max)])
    }

    /// An integer of 16 bytes has its high half at 13 in a list of one value.
    @Test(arguments: [[UInt8](repeating: 0xFF, count: 8), [0, 0, 0, 0, 0, 0, 0, 1]])
    func integersBeyond64BitsAreRefused(_ high: [UInt8]) {
        var bytes = BinaryPropertyListWriter.bytes(.unsigned(1 << 63 | 1))
        bytes.replaceSubrange(9..<17, with: high)
        if high[0] == 0xFF { bytes[17] = 0x00 }
        #expect(throws: BinaryPropertyListReader.Malformed.self) {
            try BinaryPropertyListReader.read(bytes)
        }
    }

    /// A list cannot have more objects than bytes for them.
    @Test func anOffsetTableWithMoreObjectsThanBytesIsRefused() {
        func list(_ objects: Int) -> [UInt8] {
            let trailer =
                [UInt8](repeating: 0, count: 6) + [1, 1]
                + [UInt64(objects), 0, 9].flatMap { number in
                    stride(from: 56, through: 0, by: -8).map { UInt8(number >> $0 & 0xFF) }
                }
            return Array("bplist00".utf8) + [0x09] + [UInt8](repeating: 8, count: objects)
                + trailer
        }
        #expect(throws: Never.self) { try BinaryPropertyListReader.read(list(1)) }
        #expect(throws: BinaryPropertyListReader.Malformed.self) {
            try BinaryPropertyListReader.read(list(2))
        }
    }

    @Test(arguments: values + [["$date": 1], ["$x": ["$data": "a"]]])
    func jsonReadsBackAsTheSame(_ value: PropertyList) throws {
        let text = PropertyList.array([value]).json.compact
        // JSON has no integers beyond Int64.max.
        if case .unsigned = value { return #expect(text == "[18446744073709551615]") }
        #expect(try PropertyList(JSONDocument(text).root, at: "it") == [value], "\(text)")
    }

    @Test func whatJSONCannotSayIsRefusedWithItsPlace() throws {
        for (text, message) in [
            ("[1,null]", "it[1] is null, which a property list does not have"),
            (#"{"a":{"$date":"soon"}}"#, "$date of it.a is not a date"),
            (#"{"a":{"$data":"?"}}"#, "$data of it.a is not base64"),
            (#"{"$data":3}"#, "$data of it is not base64"),
        ] {
            let error = try #require(throws: PropertyList.JSONFailure.self) {
                try PropertyList(JSONDocument(text).root, at: "it")
            }
            #expect(error.description.hasPrefix(message))
        }
    }

    @Test func aMergePatchMergesDictionariesAndReplacesTheRest() throws {
        let old: PropertyList = ["a": ["b": 1, "c": 2], "d": [1, 2], "e": .date(0)]
        let patch = #"{"a":{"b":null,"f":{"g":null,"h":3}},"d":[3],"e":{"$date":1},"i":null}"#
        let merged = try PropertyList.merge(JSONDocument(patch).root, into: old, at: "it")
        #expect(merged == ["a": ["c": 2, "f": ["h": 3]], "d": [3], "e": .date(1)])
        #expect(try PropertyList.merge(JSONDocument("null").root, into: old, at: "it") == nil)
        let named: PropertyList = ["$date": 1, "b": 2]
        for (patch, after) in [
            (#"{"$date":null}"#, ["b": 2]),
            (#"{"$schema":3}"#, ["$date": 1, "b": 2, "$schema": 3]),
            (#"{"$dictionary":{"$date":4}}"#, ["$date": 4, "b": 2]),
            (#"{"$dictionary":{"$date":null}}"#, ["b": 2]),
        ] as [(String, PropertyList)] {
            let merged = try PropertyList.merge(JSONDocument(patch).root, into: named, at: "it")
            #expect(merged == after, "\(patch)")
        }
    }
}
