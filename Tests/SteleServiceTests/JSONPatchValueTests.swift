// JSON Patch (RFC 6902) within the JSON of an attribute.

import SteleGraph
import SteleJSON
import TestSupport
import Testing

@testable import SteleRequests
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
            #"{"a":{"\u0301b":1},"a/\u0301b":2}"#, #"{"op":"remove","path":"/list/a~1\u0301b"}"#,
            "{\"a\":{\"\u{301}b\":1}}"
        ),
        (
            #"{"a":{"\u200Db":1},"a/\u200Db":2}"#, #"{"op":"remove","path":"/list/a/\u200Db"}"#,
            "{\"a\":{},\"a/\u{200D}b\":2}"
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

    // MARK: Costs

    /// The parts of a value that operations look at: those of all of it once, and then only those
    /// that lead to a place.
    @Test(arguments: [false, true])
    func aLargeValueIsReadAndWrittenOnce(_ inMemory: Bool) throws {
        let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory)
        let numbers = (0..<2_000).map(String.init).joined(separator: ",")
        let members = (0..<2_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        _ = zoo.post("/Sample", "{\"list\":{\"a\":[\(numbers)],\"o\":{\(members)}}}")
        func visited(_ count: Int) throws -> Int {
            let context = ManagedObjectContext(zoo.coordinator)
            defer { context.close() }
            let model = zoo.coordinator.model
            let writer = ObjectWriter(context, forms: BodyForms(model), limits: Limits())
            let sample = try #require(model.entity(named: "Sample"))
            let found = try writer.object(entity: sample, key: 1)
            let patch = ObjectPatch(writer, try #require(found))
            for number in 0..<count {
                let place = number % 2 == 0 ? "a/\(number)" : "o/k\(number)"
                let operation = try JSONDocument(
                    #"{"op":"replace","path":"/list/\#(place)","value":7}"#)
                try patch.apply(operation.root)
            }
            try patch.closeAll()
            return patch.effort.visited
        }
        let (few, many) = (try visited(10), try visited(410))
        #expect(few < 12_000)
        #expect(many - few == 400 * 2)
    }

    private static let doubling =
        "["
        + String(repeating: #"{"op":"copy","from":"/list","path":"/list/-"},"#, count: 60)
        + #"{"op":"remove","path":"/list"}]"#

    @Test(arguments: ["/Sample/1", "/Sample?where=TRUEPREDICATE", "/contexts/c/Sample/1"])
    func copiesThatMultiplyAValueAreRefused(_ path: String) throws {
        for inMemory in [false, true] {
            let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory) {
                $0.limits.valuesPerBody = 2_000
            }
            _ = zoo.post("/Sample", #"{"list":[0,1,2,3,4,5,6,7,8,9]}"#)
            let editor = try Editor(zoo)
            let target = path.replacing("/c/", with: "/\(editor.id)/")
            let answer = JSONPatchTests.patch(zoo, target, Self.doubling)
            #expect(answer.status == 413, "\(answer.text)")
            #expect(answer.detail.contains("2000 values"), "\(answer.text)")
            // 20 values, 40, and so on: those of seven copies are 2,540.
            #expect(try answer.json["operation"] == 6)
            #expect(value(zoo) == "[0,1,2,3,4,5,6,7,8,9]")
        }
    }

    /// Each element behind a place makes room for another.
    @Test(arguments: [#""op":"add","value":1"#, #""op":"remove""#])
    func elementsThatMoveCount(_ operation: String) throws {
        let zoo = try ServiceFixture(TestModels.zoo()) { $0.limits.valuesPerBody = 100_000 }
        let array = "[" + Array(repeating: "0", count: 50_000).joined(separator: ",") + "]"
        #expect(zoo.post("/Sample", "{\"list\":\(array)}").status == 201)
        func patch(_ place: String, _ count: Int) -> Answer {
            let all = Array(repeating: "{\(operation),\"path\":\"/list/\(place)\"}", count: count)
            return JSONPatchTests.patch(zoo, "/Sample/1", "[\(all.joined(separator: ","))]")
        }
        #expect(patch("0", 1_100).status == 413)
        #expect(patch("48000", 1_100).status == 200)
    }

    @Test func longTextsCountWhereTheyAreCopied() throws {
        let zoo = try ServiceFixture(TestModels.zoo()) { $0.limits.valuesPerBody = 1_000 }
        let text = String(repeating: "x", count: 40_000)
        _ = zoo.post("/Sample", #"{"string":"\#(text)","list":["\#(text)"]}"#)
        for (from, path) in [("/string", "/list/-"), ("/list/0", "/string")] {
            let copy = #"{"op":"copy","from":"\#(from)","path":"\#(path)"}"#
            let once = JSONPatchTests.patch(zoo, "/Sample/1", "[\(copy)]")
            #expect(once.status == 200, "\(once.status)")
            let twice = JSONPatchTests.patch(zoo, "/Sample/1", "[\(copy),\(copy)]")
            #expect(twice.status == 413 && twice.detail.contains("operation 1"), "\(twice.status)")
        }
    }

    /// A merge patch of a part reads and writes all of a value, as often as a body has one.
    @Test(arguments: [false, true])
    func partsOfAValueAreNotMergedWithoutALimit(_ inMemory: Bool) throws {
        let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory) {
            $0.limits.valuesPerBody = 1_000
        }
        let numbers = (0..<100).map(String.init).joined(separator: ",")
        _ = zoo.post("/Sample", "{\"list\":{\"a\":[\(numbers)]}}")
        func merge(_ count: Int) -> Answer {
            let one = #"{"op":"update","object":"Sample/1","values":{"list":{"b":1}}}"#
            return zoo.post(
                "/transactions",
                "[" + Array(repeating: one, count: count).joined(separator: ",") + "]")
        }
        #expect(merge(5).status == 200)
        let many = merge(20)
        #expect(many.status == 413 && many.detail.contains("1000 values"), "\(many.text)")
        #expect(try many.json["operation"] != nil)
    }

    @Test func aValueIsReadAgainAfterItWasComparedAsAWhole() throws {
        let people = try ServiceFixture.people()
        _ = people.post("/Person", #"{"archive":{"set":{"$set":[1,2]}}}"#)
        let steps = [
            #"{"op":"add","path":"/archive/set/$set/-","value":1}"#,
            #"{"op":"test","path":"/archive/set","value":{"$set":[2,1]}}"#,
            #"{"op":"test","path":"/archive","value":{"set":{"$set":[2,1]}}}"#,
            #"{"op":"add","path":"/archive/set/$set/2","value":3}"#,
            #"{"op":"copy","from":"/archive/set","path":"/archive/more"}"#,
            #"{"op":"test","path":"/archive/more","value":{"$set":[3,2,1]}}"#,
        ]
        let answer = JSONPatchTests.patch(
            people, "/Person/1", "[\(steps.joined(separator: ","))]")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(
            people.get("/Person/1?select=archive").text
                == #"{"archive":{"more":{"$set":[1,2,3]},"set":{"$set":[1,2,3]}}}"#)
    }
}
