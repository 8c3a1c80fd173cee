// What the models of apps have, and Core Data takes as it is.

import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleService

@Suite struct AppModelTests {
    @Test(arguments: [false, true])
    func aRequiredToManyWithoutAMinimumMayBeEmpty(inMemory: Bool) throws {
        let service = try ServiceFixture(
            makeModel([
                EntityMaker("Status").attribute("name", .string)
                    .toMany("feeds", "Feed", inverse: "status", isOptional: false),
                EntityMaker("Feed").toOne("status", "Status", inverse: "feeds"),
            ]), inMemory: inMemory)
        #expect(service.post("/Status", "{}").status == 201)
        #expect(service.post("/Feed", #"{"status":1}"#).status == 201)
        #expect(service.ask("DELETE", "/Feed/1").status == 204)
        #expect(service.patch("/Status/1", #"{"feeds":[]}"#).status == 200)
        #expect(service.get("/Status/1/feeds").text == "[]")
        let schema = try service.get("/openapi.json").json["components"]?["schemas"]
        #expect(schema?["StatusCreate"] != nil && schema?["StatusCreate"]?["required"] == nil)
    }

    @Test(arguments: [false, true])
    func aMandatoryTransientAttributeHasItsDefault(inMemory: Bool) throws {
        let service = try ServiceFixture(
            makeModel([
                EntityMaker("Photo").attribute("name", .string)
                    .attribute("toggled", .boolean) {
                        $0.isOptional = false
                        $0.isTransient = true
                        $0.defaultValue = .bool(false)
                    }
            ]), inMemory: inMemory)
        #expect(service.post("/Photo", #"{"name":"a"}"#).status == 201)
        let changed = service.patch("/Photo/1", #"{"name":"b"}"#)
        #expect(changed.status == 200, "\(changed.text)")
        #expect(try changed.json["toggled"] == .bool(false))
        let put = service.ask("PUT", "/Photo/1", service.get("/Photo/1").text)
        #expect(put.status == 200, "\(put.text)")
        #expect(try service.get("/Photo/1").json["name"] == .string("b"))
    }
}
