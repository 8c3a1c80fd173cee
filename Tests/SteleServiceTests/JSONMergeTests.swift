// A merge patch merges into the JSON of a Transformable attribute (RFC 7396).

import SteleJSON
import SteleModel
import StelePersistence
import SteleTransformers
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleRequests
@testable import SteleService

@Suite struct JSONMergeTests {
    private static func model() throws -> Model {
        _ = AttributeModels.keys
        let looks = CompositeDescription(
            "Looks",
            [.init(optional: "style", .transformable), .init(optional: "size", .integer32)])
        return try makeModel(
            name: "Users",
            [
                EntityMaker("User").attribute("name", .string)
                    .attribute("prefs", .transformable)
                    .attribute("archive", .transformable) {
                        $0.valueTransformerName = "NSSecureUnarchiveFromData"
                    }
                    .attribute("secret", .transformable) { $0.valueTransformerName = "FirstKey" }
                    .attribute("colors", .transformable) {
                        $0.valueTransformerName = "ColorsTransformer"
                    }
                    .attribute("looks", .composite) { $0.compositeName = "Looks" }
                    .toMany("friends", "User", inverse: "fans")
                    .toMany("fans", "User", inverse: "friends")
            ], composites: [looks])
    }

    private static func users(_ inMemory: Bool = true) throws -> ServiceFixture {
        try ServiceFixture(model(), inMemory: inMemory)
    }

    /// The cases of RFC 7396, appendix A: value, patch, value after it. A value that is not an
    /// object is within one, because the whole patch is one.
    static let cases: [(String, String, String)] = [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
        (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
        (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
        (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#),
        (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"a":1,"e":null}"#),
        ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("null", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
        // Elements of arrays are values, in which null is null, and numbers keep their digits.
        (
            #"{"n":0.12345678901234567890,"x":1}"#, #"{"x":[null,{"y":null}]}"#,
            #"{"n":0.12345678901234567890,"x":[null,{"y":null}]}"#
        ),
    ]

    @Test(arguments: cases, [false, true])
    func theCasesOfTheStandardHold(_ one: (String, String, String), _ inMemory: Bool) throws {
        let users = try Self.users(inMemory)
        for name in ["prefs", "secret"] {
            let made = users.post("/User", "{\"\(name)\":\(one.0)}")
            let place = try #require(made["Location"])
            let patched = users.patch(place, "{\"\(name)\":\(one.1)}")
            #expect(patched.status == 200, "\(patched.text)")
            let read = users.get("\(place)?select=\(name)").text
            #expect(read == "{\"\(name)\":\(one.2)}", "\(name): \(one)")
        }
    }

    private static let before = #"{"theme":"dark","mail":{"on":true,"at":9}}"#
    private static let patch = #"{"mail":{"at":null,"to":"x"},"size":2}"#
    private static let after = #"{"mail":{"on":true,"to":"x"},"size":2,"theme":"dark"}"#

    @Test(arguments: [false, true])
    func allRoadsOfAMergePatchMerge(_ inMemory: Bool) throws {
        let users = try Self.users(inMemory)
        _ = users.post(
            "/User",
            "[" + (0..<6).map { _ in "{\"prefs\":\(Self.before)}" }.joined(separator: ",") + "]")
        let body = "{\"prefs\":\(Self.patch)}"
        #expect(users.patch("/User/1", body).status == 200)
        let operation = "[{\"op\":\"update\",\"object\":\"User/2\",\"values\":\(body)}]"
        #expect(users.post("/transactions", operation).status == 200)
        let all = users.patch("/User?where=\(encoded("_id == 3"))", body)
        #expect(all.text == #"{"updated":1}"#, "\(all.text)")
        let nested = #"{"name":"x","friends":[{"_id":4,"prefs":\#(Self.patch)}]}"#
        #expect(users.patch("/User/1", nested).status == 200)
        let editor = try Editor(users)
        #expect(editor.patch("/User/5", body).status == 200)
        #expect(editor.patch("/User?where=\(encoded("_id == 6"))", body).status == 200)
        #expect(editor.post("/save").status == 200)
        for id in 1...6 {
            let read = users.get("/User/\(id)?select=prefs").text
            #expect(read == "{\"prefs\":\(Self.after)}", "User \(id): \(read)")
        }
        // What changes nothing makes no version.
        let token = users.coordinator.currentToken
        #expect(users.patch("/User/1", #"{"prefs":{"size":2,"none":null}}"#).status == 200)
        #expect(users.coordinator.currentToken == token)
    }

    @Test func anUpdateOfANewObjectMerges() throws {
        let users = try Self.users()
        let operations = """
            [{"op":"insert","entity":"User","as":"u","values":{"prefs":{"a":1,"b":null}}},
             {"op":"update","object":{"_ref":"u"},"values":{"prefs":{"a":null,"c":2}}},
             {"op":"insert","entity":"User","values":{"prefs":{"n":null}}}]
            """
        let made = users.post("/transactions", operations)
        #expect(made.status == 200, "\(made.text)")
        #expect(
            users.get("/User?select=prefs").text
                == #"[{"prefs":{"b":null,"c":2}},{"prefs":{"n":null}}]"#)
        let editor = try Editor(users)
        _ = editor.post("/User", #"{"prefs":{"a":1}}"#)
        #expect(editor.patch("/User/t1", #"{"prefs":{"b":2}}"#).text.contains(#"{"a":1,"b":2}"#))
    }

    @Test func otherBodiesReplaceTheWholeValue() throws {
        let users = try Self.users()
        let value = #"{"prefs":{"a":null}}"#
        _ = users.post("/User", #"[{"prefs":{"z":1}},{"prefs":{"z":1}},{"prefs":{"z":1}}]"#)
        #expect(users.ask("PUT", "/User/1", value).status == 200)
        let operation = #"[{"op":"replace","path":"/prefs","value":{"a":null}}]"#
        #expect(JSONPatchTests.patch(users, "/User/2", operation).status == 200)
        // What a PUT nests is a value, too; and a new object in a merge patch.
        let nested = #"{"friends":[{"_id":3,"prefs":{"a":null}}]}"#
        #expect(users.ask("PUT", "/User/2", nested).status == 200)
        #expect(users.ask("PUT", "/User/2", #"{"prefs":{"a":null}}"#).status == 200)
        #expect(users.patch("/User/1", #"{"friends":[{"prefs":{"a":null}}]}"#).status == 200)
        #expect(
            users.get("/User?select=prefs").text
                == "[" + Array(repeating: value, count: 4).joined(separator: ",") + "]")
    }

    @Test func valuesThatAreNoObjectsInTheirArchiveAreReplaced() throws {
        let users = try Self.users()
        for (before, patch, after) in [
            (
                #"{"a":{"$date":"2024-05-01T00:00:00Z"},"b":1}"#, #"{"b":null}"#,
                #"{"a":{"$date":"2024-05-01T00:00:00Z"}}"#
            ),
            (#"{"a":{"$data":"AA=="}}"#, #"{"a":{"$set":[1]}}"#, #"{"a":{"$set":[1]}}"#),
            (#"{"$data":"AA=="}"#, #"{"a":1}"#, #"{"a":1}"#),
            (
                #"{"a":{"b":1}}"#, #"{"a":{"$uuid":"00000000-0000-0000-0000-000000000001"}}"#,
                #"{"a":{"$uuid":"00000000-0000-0000-0000-000000000001"}}"#
            ),
            (#"{"$dictionary":{"$x":1}}"#, #"{"b":2}"#, #"{"$x":1,"b":2}"#),
            (#"{"$x":1,"b":2}"#, #"{"b":null}"#, #"{"$dictionary":{"$x":1}}"#),
        ] {
            let place = try #require(users.post("/User", "{\"archive\":\(before)}")["Location"])
            let patched = users.patch(place, "{\"archive\":\(patch)}")
            #expect(patched.status == 200, "\(patched.text)")
            #expect(
                users.get("\(place)?select=archive").text == "{\"archive\":\(after)}", "\(patch)")
        }
        // Bytes of a transformer that is not known are one value.
        let bytes = #"{"colors":{"$transformer":"ColorsTransformer","$base64":"AAE="}}"#
        let place = try #require(users.post("/User", #"{"colors":null}"#)["Location"])
        #expect(users.patch(place, bytes).status == 200)
        #expect(users.patch(place, #"{"colors":{"a":1}}"#).status == 422)
        let other = bytes.replacing("AAE=", with: "AAI=")
        #expect(users.patch(place, other).status == 200)
        let back = users.get("\(place)?select=colors").text
        #expect(back.contains("AAI="), "\(back)")
    }

    @Test func membersOfAnArchiveWhoseNamesBeginWithADollarMerge() throws {
        let users = try Self.users()
        let before = #"{"$date":"x","$schema":"old","in":{"$schema":"old","n":1}}"#
        for (patch, after) in [
            (
                #"{"$schema":"new"}"#,
                #"{"$date":"x","$schema":"new","in":{"$schema":"old","n":1}}"#
            ),
            (#"{"$schema":null}"#, #"{"$date":"x","in":{"$schema":"old","n":1}}"#),
            (#"{"$date":null}"#, #"{"$schema":"old","in":{"$schema":"old","n":1}}"#),
            (
                #"{"in":{"$schema":"new"}}"#,
                #"{"$date":"x","$schema":"old","in":{"$schema":"new","n":1}}"#
            ),
            (
                #"{"in":{"n":null}}"#,
                #"{"$date":"x","$schema":"old","in":{"$dictionary":{"$schema":"old"}}}"#
            ),
            // An object that is spelled by $dictionary merges, too; any other spelling is a value.
            (
                #"{"$dictionary":{"$date":"y"}}"#,
                #"{"$date":"y","$schema":"old","in":{"$schema":"old","n":1}}"#
            ),
            (
                #"{"in":{"$dictionary":{"$schema":null}}}"#,
                #"{"$date":"x","$schema":"old","in":{"n":1}}"#
            ),
            (#"{"$set":[1]}"#, #"{"$set":[1]}"#),
        ] {
            let place = try #require(users.post("/User", "{\"archive\":\(before)}")["Location"])
            let patched = users.patch(place, "{\"archive\":\(patch)}")
            #expect(patched.status == 200, "\(patched.text)")
            #expect(
                users.get("\(place)?select=archive").text == "{\"archive\":\(after)}", "\(patch)")
        }
    }

    @Test func theJSONOfACompositeMerges() throws {
        let users = try Self.users()
        _ = users.post("/User", #"{"looks":{"style":{"a":1,"b":2},"size":3}}"#)
        let patched = users.patch(
            "/User/1", #"{"looks":{"style":{"a":null,"c":{"d":4,"e":null}}}}"#)
        #expect(patched.status == 200, "\(patched.text)")
        #expect(
            users.get("/User/1?select=looks").text
                == #"{"looks":{"style":{"b":2,"c":{"d":4}},"size":3}}"#)
        #expect(users.ask("PUT", "/User/1", #"{"looks":{"style":{"z":null}}}"#).status == 200)
        #expect(
            users.get("/User/1?select=looks").text == #"{"looks":{"style":{"z":null},"size":null}}"#
        )
    }

    // MARK: Random values

    /// A value of JSON, to compute what the standard says on its own.
    private indirect enum Tree: Equatable {
        case null, scalar(Int)
        case array([Tree])
        case object([String: Tree])

        init(_ numbers: inout SeededNumbers, depth: Int = 0) {
            switch numbers.below(depth > 3 ? 3 : 7) {
            case 0: self = .null
            case 1, 2: self = .scalar(numbers.below(3))
            case 3:
                self = .array((0..<numbers.below(3)).map { _ in Tree(&numbers, depth: depth + 1) })
            default:
                var members: [String: Tree] = [:]
                for _ in 0..<numbers.below(4) {
                    members[numbers.pick("a", "b", "$c", "é")] = Tree(&numbers, depth: depth + 1)
                }
                self = .object(members)
            }
        }

        var text: String {
            switch self {
            case .null: "null"
            case .scalar(let number): "\(number)"
            case .array(let all): "[\(all.map(\.text).joined(separator: ","))]"
            case .object(let all):
                "{"
                    + all.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                    .map { "\"\($0.key)\":\($0.value.text)" }.joined(separator: ",") + "}"
            }
        }

        /// The text that an archive gives.
        var archived: String {
            switch self {
            case .null, .scalar: text
            case .array(let all): "[\(all.map(\.archived).joined(separator: ","))]"
            case .object(let all):
                Tree.tagged(
                    all.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                        .map { "\"\($0)\":\((all[$0] ?? .null).archived)" },
                    isTag: all.count == 1 && all["$c"] != nil)
            }
        }

        private static func tagged(_ members: [String], isTag: Bool) -> String {
            let object = "{\(members.joined(separator: ","))}"
            return isTag ? "{\"$dictionary\":\(object)}" : object
        }

        /// MergePatch of RFC 7396, section 2.
        func patched(by patch: Tree) -> Tree {
            guard case .object(let changes) = patch else { return patch }
            var members: [String: Tree] = if case .object(let own) = self { own } else { [:] }
            for (name, change) in changes {
                members[name] =
                    change == .null ? nil : (members[name] ?? .null).patched(by: change)
            }
            return .object(members)
        }
    }

    @Test func randomPatchesAreThoseOfTheStandard() throws {
        let seed = drawSeed("randomPatchesAreThoseOfTheStandard")
        var numbers = SeededNumbers(seed: seed)
        let users = try Self.users()
        _ = users.post("/User", "{}")
        var value = Tree.null
        for round in 0..<400 {
            let patch = Tree(&numbers)
            let answer = users.patch(
                "/User/1",
                "{\"prefs\":\(patch.text),\"secret\":\(patch.text),\"archive\":\(patch.text)}")
            let next = value.patched(by: patch)
            let read = users.get("/User/1?select=prefs,secret").text
            let expected = "{\"prefs\":\(next.text),\"secret\":\(next.text)}"
            let archive = users.get("/User/1?select=archive").text
            let archived = "{\"archive\":\(next.archived)}"
            if answer.status != 200 || read != expected || archive != archived {
                Issue.record(
                    "seed \(seed), round \(round): \(value.text) and \(patch.text): \(read) \(archive)"
                )
                return
            }
            value = next
        }
    }
}
