// What is read of a JSON text, and that it comes out as it went in.

import SteleJSON
import Testing

@Suite struct ReadingTests {
    @Test func everyKindIsToldApart() throws {
        let document = try JSONDocument(
            #"{"n":null,"t":true,"f":false,"i":-5,"r":5.0,"s":"a","a":[1,2],"o":{"x":1}}"#)
        let root = document.root
        #expect(root.kind == .object && root.count == 8)
        #expect(root["n"]?.isNull == true && root["n"]?.kind == .null)
        #expect(root["t"]?.bool == true && root["f"]?.bool == false)
        #expect(root["i"]?.integer == -5 && root["i"]?.real == -5 && root["i"]?.kind == .integer)
        #expect(root["r"]?.real == 5 && root["r"]?.integer == nil && root["r"]?.kind == .real)
        #expect(root["s"]?.string == "a" && root["s"]?.kindName == "a text")
        #expect(root["a"]?[1]?.integer == 2 && root["a"]?.count == 2)
        #expect(root["o"]?["x"]?.integer == 1)
    }

    @Test func whatIsNotThereIsNil() throws {
        let root = try JSONDocument(#"[{"a":1}]"#).root
        #expect(root[1] == nil && root[-1] == nil && root["a"] == nil)
        #expect(root[0]?["b"] == nil && root[0]?[0] == nil)
        #expect(root[0]?["a"]?.string == nil && root[0]?["a"]?.bool == nil)
        #expect(root[0]?["a"]?.count == 0 && root.real == nil)
        root.forEachMember { _, _ in Issue.record("an array has no members") }
        root[0]?.forEachElement { _ in Issue.record("an object has no elements") }
    }

    private static let scalars: [String: JSONValue] = [
        "5": .integer(5), "\"x\"": .string("x"), "null": .null, " true ": .bool(true),
        "-1.5e3": .real(-1500), "[]": .array([]), "{}": .object([]),
    ]

    @Test(arguments: scalars.keys.sorted())
    func aScalarAloneIsAText(_ text: String) throws {
        let value = JSONValue(try JSONDocument(text).root)
        #expect(value == Self.scalars[text])
    }

    @Test func theEmptyNameAndLongNamesAreFound() throws {
        let long = String(repeating: "näme", count: 100)
        let root = try JSONDocument("{\"\":1,\"\(long)\":2}").root
        #expect(root[""]?.integer == 1 && root[long]?.integer == 2)
        #expect(root["\u{0}"] == nil && root[String(long.dropLast())] == nil)
    }

    @Test func membersComeInTheOrderWritten() throws {
        let names = (0..<200).map { "key\(($0 * 7919) % 1000)" }
        let text = "{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        var seen: [String] = []
        try JSONDocument(text).root.forEachMember { name, _ in seen.append(name) }
        #expect(seen == names)
    }

    @Test func nodesKeepTheirDocumentAlive() throws {
        func inner() throws -> JSONNode? { try JSONDocument(#"{"a":["deep"]}"#).root["a"]?[0] }
        #expect(try inner()?.string == "deep")
    }

    @Test func anErrorOfTheCallerEndsTheWalk() throws {
        struct Stop: Error {}
        let root = try JSONDocument("[1,2,3]").root
        var seen = 0
        #expect(throws: Stop.self) {
            try root.forEachElement { _ in
                seen += 1
                if seen == 2 { throw Stop() }
            }
        }
        #expect(seen == 2)
    }

    @Test func escapesAndSurrogatePairsAreResolved() throws {
        let text = #""\"\\\/\b\f\n\r\t\u00e4\u20AC\ud83d\ude00 é😀""#
        let expected = "\"\\/\u{8}\u{c}\n\r\tä€😀 é😀"
        #expect(try JSONDocument(text).root.string == expected)
        let member = try JSONDocument(#"{"\u00e4\n":1}"#).root["ä\n"]
        #expect(member?.integer == 1)
    }

    @Test func theEndsOfInt64AreRead() throws {
        let root = try JSONDocument("[9223372036854775807,-9223372036854775808]").root
        #expect(root[0]?.integer == .max && root[1]?.integer == .min)
    }

    @Test func aNodeIsWrittenBackAsItWas() throws {
        let text = #"""
            {"z":[1,-2,0.1,1e+21,null,true,false],"a":{},"e":[],"t":"q\"\\\n\u0001ü😀",
            "long":0.12345678901234567890,"big":12345678901234567,"ä":""}
            """#.filter { $0 != "\n" }
        var writer = ByteWriter()
        try JSONDocument(text).root.write(to: &writer)
        #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
    }

    @Test func zeroIsWrittenWithoutASign() throws {
        let zeros = try JSONDocument("[-0,-0.0,-0e5,-0.00000000000000000000]").root
        #expect(String(decoding: zeros.canonical, as: UTF8.self) == "[0,0,0,0]")
    }
}
