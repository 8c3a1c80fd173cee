// How deep the JSON of an attribute may nest: the same on every road.

import SteleModel
import Testing

@testable import SteleService

@Suite struct ValueDepthTests {
    private func nested(_ levels: Int) -> String {
        String(repeating: "[", count: levels) + "1" + String(repeating: "]", count: levels)
    }

    private func answers(_ levels: Int, of zoo: ServiceFixture) throws -> [String: Answer] {
        let body = #"{"list":\#(nested(levels))}"#
        return [
            "POST": zoo.post("/Sample", body), "POST of an array": zoo.post("/Sample", "[\(body)]"),
            "PATCH": zoo.patch("/Sample/1", body), "PUT": zoo.ask("PUT", "/Sample/1", body),
            "JSON Patch": zoo.ask(
                "PATCH", "/Sample/1",
                #"[{"op":"add","path":"/list","value":\#(nested(levels))}]"#,
                [("Content-Type", "application/json-patch+json")]),
            "transaction": zoo.post(
                "/transactions", #"[{"op":"insert","entity":"Sample","values":\#(body)}]"#),
            "editing context": try Editor(zoo).post("/Sample", body),
        ]
    }

    @Test(arguments: [false, true])
    func everyRoadTakes64Levels(_ inMemory: Bool) throws {
        let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory)
        #expect(zoo.post("/Sample", "{}").status == 201)
        for (road, answer) in try answers(64, of: zoo) {
            #expect(answer.status < 300, "\(road): \(answer.text)")
        }
        let given = zoo.get("/Sample/1").text
        #expect(given.contains(nested(64)), "\(given)")
        #expect(zoo.ask("PUT", "/Sample/1", given).status == 200)
        for (road, answer) in try answers(65, of: zoo) {
            #expect(answer.status == 422, "\(road): \(answer.text)")
            #expect(
                answer.detail.contains("list of Sample nests arrays and objects deeper than 64"),
                "\(road): \(answer.text)")
        }
    }

    @Test(arguments: [false, true])
    func operationsInAValueTake64Levels(_ inMemory: Bool) throws {
        let zoo = try ServiceFixture(TestModels.zoo(), inMemory: inMemory)
        #expect(zoo.post("/Sample", #"{"list":[[]]}"#).status == 201)
        func patch(_ operation: String) -> Answer {
            JSONPatchTests.patch(
                zoo, "/Sample/1", #"[\#(operation),{"op":"remove","path":"/list/0"}]"#)
        }
        let answer = patch(#"{"op":"add","path":"/list/0/-","value":\#(nested(62))}"#)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(zoo.patch("/Sample/1", #"{"list":[\#(nested(62))]}"#).status == 200)
        for operation in [
            #"{"op":"add","path":"/list/-","value":\#(nested(64))}"#,
            #"{"op":"replace","path":"/list/0","value":\#(nested(64))}"#,
            #"{"op":"copy","from":"/list","path":"/list/0/0"}"#,
        ] {
            let answer = patch(operation)
            #expect(answer.status == 422, "\(operation): \(answer.text)")
            #expect(answer.detail.contains("deeper than 64"), "\(operation): \(answer.text)")
            #expect(answer.detail.hasPrefix("operation 0"), "\(operation): \(answer.text)")
        }
    }
}
