// What the store says of itself over HTTP.

import SteleHTTP
import SteleJSON
import SteleModel
import StelePersistence
import TestSupport
import Testing

@testable import SteleRequests
@testable import SteleService

@Suite struct MetadataRouteTests {
    private func users(_ answer: Answer) throws -> String {
        guard case .object(let members) = try answer.json else { return "" }
        return JSONValue.object(members.filter { !StoreMetadata.isReserved($0.0) }).compact
    }

    @Test(arguments: [false, true])
    func itIsReadAndMerged(_ inMemory: Bool) throws {
        let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory)
        let first = zoo.get("/metadata")
        #expect(first.status == 200 && first["Content-Type"] == "application/json")
        #expect(first["Cache-Control"] == "no-store")
        let store = zoo.coordinator.store
        #expect(try first.json["NSStoreUUID"] == .string(store.identifier))
        guard case .object? = try first.json["NSStoreModelVersionHashes"] else {
            Issue.record("no hashes")
            return
        }
        let all =
            #"{"b":3,"a":{"c":[1,2.5,"x",true],"d":"y"},"when":{"$date":"2026-05-01T09:00:00Z"},"#
            + #""bytes":{"$data":"AP8="}}"#
        let set = zoo.patch("/metadata", all)
        #expect(set.status == 200)
        #expect(
            try users(set) == #"{"a":{"c":[1,2.5,"x",true],"d":"y"},"b":3,"#
                + #""bytes":{"$data":"AP8="},"when":{"$date":"2026-05-01T09:00:00Z"}}"#)
        #expect(try store.metadata["bytes"] == .data([0, 255]))
        let merged = zoo.patch(
            "/metadata", #"{"a":{"d":null,"e":1.0},"b":null,"bytes":null,"when":null,"no":null}"#)
        #expect(try users(merged) == #"{"a":{"c":[1,2.5,"x",true],"e":1}}"#)
        #expect(zoo.get("/metadata").text == merged.text)
        // What is read is taken back as it is.
        #expect(zoo.patch("/metadata", merged.text).text == merged.text)
        let minimal = zoo.ask(
            "PATCH", "/metadata", #"{"a":null}"#, [("Prefer", "return=minimal")])
        #expect(minimal.status == 204 && minimal["Preference-Applied"] == "return=minimal")
        #expect(try users(zoo.get("/metadata")) == "{}")
        #expect(zoo.ask("HEAD", "/metadata").status == 200)
        #expect(zoo.ask("OPTIONS", "/metadata")["Allow"] == "GET, HEAD, PATCH, OPTIONS")
        #expect(zoo.get("/changes").text == "[]")
    }

    @Test func whatItCannotHaveIsRefused() throws {
        let zoo = try ServiceFixture.zoo()
        for (body, status, code, detail) in [
            (#"{"ok":1,"NSStoreUUID":"x"}"#, 422, "metadata.value", "is read-only"),
            (#"{"ok":1,"SteleGeneration":null}"#, 422, "metadata.value", "is read-only"),
            (#"{"ok":1,"a":[null]}"#, 422, "metadata.value", "a[0] is null"),
            (#"{"ok":1,"a":{"$date":"x"}}"#, 422, "metadata.value", "$date of a"),
            (#"{"ok":1,"":2}"#, 422, "metadata.value", "1 to 255 bytes"),
            ("[1]", 400, "request.body", "JSON merge patch"),
            ("", 400, "json.empty", "PATCH here needs a JSON body"),
            (#"{"a":1,"a":2}"#, 400, "json.duplicate-key", "a"),
        ] {
            let answer = zoo.patch("/metadata", body)
            #expect(answer.status == status && answer.code == code, "\(body) \(answer.text)")
            #expect(answer.detail.contains(detail), "\(answer.detail)")
        }
        #expect(try users(zoo.get("/metadata")) == "{}")
        #expect(zoo.ask("PUT", "/metadata", "{}").status == 405)
        #expect(zoo.get("/metadata?format=csv").code == "request.unknown-parameter")
        #expect(zoo.get("/metadata", [("Accept", "text/csv")]).status == 406)
        #expect(zoo.get("/metadata/a").status == 404)
        let big = "\"" + String(repeating: "x", count: 1 << 20) + "\""
        let tooLarge = zoo.patch("/metadata", "{\"a\":\(big)}")
        #expect(tooLarge.status == 422 && tooLarge.detail.contains("the limit is 1048576"))
    }

    @Test func aTokenIsNeededIfThereIsOne() throws {
        let zoo = try ServiceFixture(TestModels.zoo()) { $0.token = "secret" }
        #expect(zoo.get("/metadata").status == 401)
        #expect(zoo.patch("/metadata", #"{"a":1}"#).status == 401)
        let field = [(name: "Authorization", value: "Bearer secret")]
        #expect(zoo.ask("PATCH", "/metadata", #"{"a":1}"#, field).status == 200)
    }
}
