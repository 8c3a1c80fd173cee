// The value tree for small documents.

import SteleJSON
import Testing

@Suite struct ValueTests {
    private let sample: JSONValue = [
        "title": "a \"b\"", "status": 422, "share": 0.5, "none": nil, "ok": true,
        "errors": [["key": "x"], [:], []], "raw": .raw(Array("12.345678901234567890".utf8)),
    ]

    @Test func compactKeepsTheOrder() {
        #expect(
            sample.compact == #"{"title":"a \"b\"","status":422,"share":0.5,"none":null,"ok":true,"#
                + #""errors":[{"key":"x"},{},[]],"raw":12.345678901234567890}"#)
    }

    @Test func prettyIndentsByTwoSpaces() {
        let value: JSONValue = ["a": [1, ["b": nil]], "e": [], "o": [:]]
        #expect(
            value.pretty == """
                {
                  "a": [
                    1,
                    {
                      "b": null
                    }
                  ],
                  "e": [],
                  "o": {}
                }
                """)
    }

    @Test func aDocumentReadBackIsTheSameValue() throws {
        #expect(try JSONValue(JSONDocument(sample.compact).root) == sample)
        #expect(try JSONValue(JSONDocument(sample.pretty).root) == sample)
    }

    @Test func differentValuesDiffer() {
        #expect(JSONValue.integer(1) != .real(1))
        #expect(["a": 1, "b": 2] as JSONValue != ["b": 2, "a": 1] as JSONValue)
        #expect(["a": 1] as JSONValue != ["a": 1, "b": 2] as JSONValue)
        #expect(sample["status"] == 422 && sample["nothing"] == nil && JSONValue.null["a"] == nil)
    }
}
