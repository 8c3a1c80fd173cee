// JSON Patch (RFC 6902) within the JSON of an attribute.

import SteleJSON
import Testing

@testable import SteleService

@Suite struct JSONPatchValueTests {
    private func value(_ zoo: ServiceFixture, _ key: Int = 1) -> String {
        String(zoo.get("/Sample/\(key)?select=list").text.dropFirst(8).dropLast())
    }

    /// Mostly the examples of RFC 6902, appendix A: the value before, the operation, and the value
    /// after it.
    private static let examples: [(String, String, String)] = [
        (
            #"{"foo":"bar"}"#, #"{"op":"add","path":"/list/baz","value":1}"#,
            #"{"baz":1,"foo":"bar"}"#
        ),
        (
            #"{"a":[1,2]}"#, #"{"op":"add","path":"/list/a/1","value":9}"#,
            #"{"a":[1,9,2]}"#
        ),
        (
            #"{"a":[1,2]}"#, #"{"op":"add","path":"/list/a/2","value":9}"#,
            #"{"a":[1,2,9]}"#
        ),
        (
            #"{"a":[1,2]}"#, #"{"op":"add","path":"/list/a/-","value":[3]}"#,
            #"{"a":[1,2,[3]]}"#
        ),
        (
            #"{"a":{"b":1}}"#, #"{"op":"add","path":"/list/a/b","value":null}"#,
            #"{"a":{"b":null}}"#
        ),
        (
            "[1,2,3]", #"{"op":"remove","path":"/list/1"}"#,
            "[1,3]"
        ),
        (
            #"{"a":1,"b":2}"#, #"{"op":"remove","path":"/list/a"}"#,
            #"{"b":2}"#
        ),
        (
            "[[1],2]", #"{"op":"replace","path":"/list/0/0","value":{"x":1}}"#,
            #"[[{"x":1}],2]"#
        ),
        (
            #"{"a":{"x":1},"b":{}}"#, #"{"op":"move","from":"/list/a/x","path":"/list/b/y"}"#,
            #"{"a":{},"b":{"y":1}}"#
        ),
        (
            "[1,2,3,4]", #"{"op":"move","from":"/list/1","path":"/list/3"}"#,
            "[1,3,4,2]"
        ),
        (
            #"{"a":{"b":1}}"#, #"{"op":"move","from":"/list/a/b","path":"/list/a"}"#,
            #"{"a":1}"#
        ),
        (
            #"{"a":[1]}"#, #"{"op":"copy","from":"/list/a","path":"/list/c"}"#,
            #"{"a":[1],"c":[1]}"#
        ),
        (
            #"{"a":[1]}"#, #"{"op":"copy","from":"/list/a","path":"/list"}"#,
            "[1]"
        ),
        (
            #"{"a":[1]}"#, #"{"op":"test","path":"/list/a/0","value":1.0}"#,
            #"{"a":[1]}"#
        ),
        (
            #"{"a/b":{"m~n":1}}"#, #"{"op":"replace","path":"/list/a~1b/m~0n","value":2}"#,
            #"{"a/b":{"m~n":2}}"#
        ),
        (
            #"{"":1}"#, #"{"op":"replace","path":"/list/","value":2}"#,
            #"{"":2}"#
        ),
        (
            #"{"n":18446744073709551616}"#, #"{"op":"add","path":"/list/m","value":1}"#,
            #"{"m":1,"n":18446744073709551616}"#
        ),
    ]

    @Test(arguments: [false, true])
    func operationsReachIntoTheValue(_ inMemory: Bool) throws {
        let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory)
        for (index, (before, operation, after)) in Self.examples.enumerated() {
            #expect(zoo.post("/Sample", #"{"list":\#(before)}"#).status == 201)
            let answer = JSONPatchTests.patch(zoo, "/Sample/\(index + 1)", "[\(operation)]")
            #expect(answer.status == 200, "\(operation): \(answer.text)")
            #expect(value(zoo, index + 1) == after, "\(operation)")
        }
    }

    @Test(arguments: [
        (#"{"op":"test","path":"/list/a/0","value":2}"#, "patch.test", ""),
        (#"{"op":"test","path":"/list/b","value":null}"#, "patch.path", "nothing at /b"),
        (#"{"op":"add","path":"/list/b/c","value":1}"#, "patch.path", "around it first"),
        (#"{"op":"add","path":"/list/a/3","value":1}"#, "patch.path", "2 elements"),
        (#"{"op":"add","path":"/list/a/01","value":1}"#, "patch.path", "whole numbers"),
        (#"{"op":"add","path":"/list/a/x","value":1}"#, "patch.path", "whole numbers"),
        (#"{"op":"add","path":"/list/a/0/x","value":1}"#, "patch.path", "nothing at /a/0/x"),
        (#"{"op":"replace","path":"/list/a/-","value":1}"#, "patch.path", "nothing at /a/-"),
        (#"{"op":"replace","path":"/list/b","value":1}"#, "patch.path", "nothing at /b"),
        (#"{"op":"remove","path":"/list/a/2"}"#, "patch.path", "nothing at /a/2"),
        (#"{"op":"move","from":"/list/a","path":"/list/a/0"}"#, "patch.path", "part of what"),
        (#"{"op":"move","from":"/list","path":"/list/a"}"#, "patch.path", "part of what"),
        (#"{"op":"copy","from":"/list/é","path":"/list/b"}"#, "patch.path", "nothing at /é"),
        (#"{"op":"add","path":"/list/b"}"#, "request.body", "value"),
    ])
    func aMissingPlaceIsNamed(_ operation: String, _ code: String, _ words: String) throws {
        let zoo = try ServiceFixture.zoo()
        _ = zoo.post("/Sample", "{\"list\":{\"a\":[1,2],\"e\u{301}\":1}}")
        let answer = JSONPatchTests.patch(
            zoo, "/Sample/1", #"[{"op":"add","path":"/list/z","value":1},\#(operation)]"#)
        #expect(answer.code == code, "\(operation): \(answer.text)")
        #expect(
            words.isEmpty || answer.detail.contains(words) || answer.hint.contains(words),
            "\(operation): \(answer.text)")
        #expect(value(zoo) == "{\"a\":[1,2],\"e\u{301}\":1}")
    }

    @Test func aValueThatIsNullHasNoPlaces() throws {
        let zoo = try ServiceFixture.zoo()
        _ = zoo.post("/Sample", "{}")
        let none = JSONPatchTests.patch(
            zoo, "/Sample/1", #"[{"op":"add","path":"/list/a","value":1}]"#)
        #expect(none.code == "patch.path", "\(none.text)")
        let made = JSONPatchTests.patch(
            zoo, "/Sample/1",
            #"[{"op":"add","path":"/list","value":{}},{"op":"add","path":"/list/a","value":1}]"#)
        #expect(made.status == 200 && value(zoo) == #"{"a":1}"#, "\(made.text)")
    }

    @Test func allObjectsAndEditingContextsTakeIt() throws {
        let zoo = try ServiceFixture.zoo()
        _ = zoo.post("/Sample", #"[{"list":{"a":[]}},{"list":{"a":[1]}}]"#)
        let patch = #"[{"op":"add","path":"/list/a/-","value":7}]"#
        let all = JSONPatchTests.patch(zoo, "/Sample?where=TRUEPREDICATE", patch)
        #expect(all.text == #"{"updated":2}"#, "\(all.text)")
        #expect(value(zoo) == #"{"a":[7]}"# && value(zoo, 2) == #"{"a":[1,7]}"#)
        let editor = try Editor(zoo)
        let changed = JSONPatchTests.patch(zoo, "/contexts/\(editor.id)/Sample/1", patch)
        #expect(changed.status == 200, "\(changed.text)")
        #expect(editor.post("/save").status < 300)
        #expect(value(zoo) == #"{"a":[7,7]}"#)
        // A value that an archive keeps has places too.
        let people = try ServiceFixture.people()
        _ = people.post("/Person", #"{"archive":{"a":[1]},"secret":{"card":1}}"#)
        let kept = JSONPatchTests.patch(
            people, "/Person/1",
            #"[{"op":"add","path":"/archive/a/0","value":"x"},{"op":"remove","path":"/secret/card"}]"#
        )
        #expect(kept.status == 200, "\(kept.text)")
        #expect(
            people.get("/Person/1?select=archive,secret").text
                == #"{"archive":{"a":["x",1]},"secret":{}}"#)
    }
}
