// How errors call objects that are not saved: by their temporary ids where these are addresses, and
// by nothing that nobody could look up.

import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct ErrorNamingTests {
    static func zoo(_ inMemory: Bool) throws -> ServiceFixture {
        try ServiceFixture(
            makeModel(
                name: "Zoo",
                [
                    EntityMaker("A").attribute("code", .string).unique("code")
                        .toOne("headOf", "C", inverse: "head", rule: .deny)
                        .toOne("dept", "D", inverse: "staff")
                        .toOne("owner", "C", inverse: "items"),
                    EntityMaker("A1", parent: "A").attribute("more", .string),
                    EntityMaker("C").toOne("head", "A", inverse: "headOf")
                        .toMany("items", "A", inverse: "owner"),
                    EntityMaker("D").toMany("staff", "A", inverse: "dept", rule: .cascade),
                    EntityMaker("E").toOne("place", "D").unique("place"),
                ]), inMemory: inMemory)
    }

    @Test(arguments: [false, true])
    func aDeniedDeletionNamesNoNewObjectByAKey(_ inMemory: Bool) throws {
        let zoo = try Self.zoo(inMemory)
        _ = zoo.post("/A", "{}")
        let detail = "headOf of A still leads to a new C, and its delete rule is Deny"
        let denied = zoo.post(
            "/transactions",
            """
            [{"op":"insert","entity":"C","values":{"head":1}},
             {"op":"delete","object":"A/1"}]
            """)
        #expect(denied.status == 409 && denied.code == "1600" && denied.detail == detail)
        #expect(
            denied.hint == "the request itself makes this link: leave out the link or the deletion")
        #expect(try entries(denied).first?["value"] == .null, "\(denied.text)")
        #expect(try entries(denied).first?["object"] == "/A/1")
        // In a context the new object has an address.
        let editor = try Editor(zoo)
        #expect(editor.post("/C", #"{"head":1}"#).status == 201)
        #expect(editor.ask("DELETE", "/A/1").status == 204)
        let refused = editor.post("/save")
        #expect(refused.detail == detail)
        #expect(try entries(refused).first?["value"] == "t1", "\(refused.text)")
    }

    @Test(arguments: [false, true])
    func aConflictTellsANewDestinationByItsTemporaryID(_ inMemory: Bool) throws {
        let zoo = try Self.zoo(inMemory)
        _ = zoo.post("/A", "[{},{}]")
        _ = zoo.post("/C", "{}")
        let editor = try Editor(zoo)
        #expect(editor.post("/A", "{}").status == 201)
        #expect(editor.patch("/C/1", #"{"head":"t1"}"#).status == 200)
        #expect(zoo.patch("/C/1", #"{"head":2}"#).status == 200)
        let refused = editor.post("/save")
        #expect(refused.code == "133020")
        guard case .array(let objects)? = try refused.json["objects"] else {
            Issue.record("no objects: \(refused.text)")
            return
        }
        #expect(
            objects.first?["conflicts"]
                == [.object([("key", "head"), ("yours", "t1"), ("stored", 2)])], "\(refused.text)")
    }

    @Test(arguments: [false, true])
    func twoNewObjectsOfOneValueAreBothNamed(_ inMemory: Bool) throws {
        let zoo = try Self.zoo(inMemory)
        let alike = zoo.post("/A", #"[{},{"code":"k"},{"code":"k"}]"#)
        #expect(alike.code == "133021" && alike.detail == "a new A has the same code")
        #expect(try alike.json["object"] == nil && alike.json["values"] == ["k"])
        #expect(try entries(alike).map { $0["at"] } == ["/2", "/1"], "\(alike.text)")
        let nested = zoo.post("/C", #"{"items":[{"code":"k"},{"code":"k"}]}"#)
        #expect(try entries(nested).map { $0["at"] } == ["/items/1", "/items/0"], "\(nested.text)")
        // Who is stored already is named by an address, and where the other stands.
        #expect(zoo.post("/A1", #"{"code":"k"}"#).status == 201)
        let stored = zoo.post("/A", #"[{},{"code":"k"}]"#)
        #expect(try stored.detail == "A1 1 has the same code" && stored.json["object"] == "/A1/1")
        #expect(try entries(stored).map { $0["at"] } == ["/1"], "\(stored.text)")
        let one = zoo.post("/A", #"{"code":"k"}"#)
        #expect(try one.json["entity"] == "A" && one.json["object"] == "/A1/1")
        #expect(try one.json["errors"] == nil, "the body is that object: \(one.text)")

        let editor = try Editor(zoo)
        _ = editor.post("/A", #"[{"code":"n"},{"code":"n"}]"#)
        let refused = editor.post("/save")
        let base = "/contexts/\(editor.id)/A"
        #expect(try refused.json["object"] == .string("\(base)/t1"))
        #expect(refused.detail == "A t1 has the same code")
        #expect(
            try entries(refused).map { $0["object"] }
                == [.string("\(base)/t2"), .string("\(base)/t1")], "\(refused.text)")
        // What must be unique may itself be new.
        let other = try Editor(zoo)
        _ = other.post("/D", "{}")
        _ = other.post("/E", #"[{"place":"t1"},{"place":"t1"}]"#)
        #expect(try other.post("/save").json["values"] == ["t1"])
    }

    @Test(arguments: [false, true])
    func anUpsertThatIsRefusedForItsEntityNamesWhoIsThere(_ inMemory: Bool) throws {
        let zoo = try Self.zoo(inMemory)
        _ = zoo.post("/A", #"{"code":"k"}"#)
        let refused = zoo.post("/A1?mergePolicy=objectTrump", #"{"code":"k"}"#)
        #expect(refused.status == 409 && refused.code == "133021")
        let json = try refused.json
        #expect(json["entity"] == "A1" && json["object"] == "/A/1" && json["values"] == ["k"])
        #expect(refused.detail == "A 1 has the same code")
        #expect(
            refused.hint
                == "an object keeps its entity: A 1 cannot become A1, whatever the merge policy")
        let second = zoo.post(
            "/transactions?mergePolicy=objectTrump",
            """
            [{"op":"insert","entity":"D","values":{}},
             {"op":"insert","entity":"A1","values":{"code":"k"}}]
            """)
        #expect(try second.json["operation"] == 1 && second.json["object"] == "/A/1")
        // One that this very body makes has no key that anybody could look up.
        let alike = zoo.post(
            "/A?mergePolicy=objectTrump", #"[{"code":"n"},{"_entity":"A1","code":"n"}]"#)
        #expect(alike.detail == "a new A has the same code", "\(alike.text)")
        #expect(try entries(alike).map { $0["at"] } == ["/1", "/0"], "\(alike.text)")
    }

    @Test(arguments: [false, true])
    func whatIsStaleNamesTheEntity(_ inMemory: Bool) throws {
        let zoo = try Self.zoo(inMemory)
        _ = zoo.post("/D", #"{"staff":[{}]}"#)
        let editor = try Editor(zoo)
        #expect(editor.ask("DELETE", "/D/1").status == 204)
        _ = zoo.post("/A", #"{"dept":1}"#)
        let stale = editor.post("/save")
        #expect(stale.code == "context.stale")
        #expect(
            stale.detail
                == "another save changed the data that these changes rely on: "
                + "staff of D 1 has changed")
    }

    @Test(arguments: [false, true])
    func whatIsNotSavedHasNoStoredVersion(_ inMemory: Bool) throws {
        let editor = try Editor(try Self.zoo(inMemory))
        _ = editor.post("/A", "{}")
        let refused = editor.patch("/A/t1", #"{"_version":3,"code":"k"}"#)
        #expect(refused.code == "conflict.version")
        #expect(try refused.json["yourVersion"] == 3 && refused.json["storedVersion"] == .null)
        #expect(refused.detail == "the body is of version 3, and A t1 is not saved yet")
        #expect(refused.hint == "leave _version out")
    }

    private func entries(_ answer: Answer) throws -> [JSONValue] {
        if case .array(let all)? = try answer.json["errors"] { all } else { [] }
    }
}
