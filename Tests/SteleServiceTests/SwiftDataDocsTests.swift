// The model that Docs/SwiftData.md has for two SwiftData classes, served.

import SteleModel
import SteleTransformers
import TestSupport
import Testing

@testable import SteleService

@Suite struct SwiftDataDocsTests {
    init() { ValueTransformers.registerStandard() }

    @Test func theModelOfThePageIsServed() throws {
        let page = try packageText("Docs/SwiftData.md")
        let block = try #require(page.split(separator: "```json\n").dropFirst().first)
        let text = block[..<(try #require(block.firstRange(of: "```")).lowerBound)]
        let model = try Model(ManagedObjectModel(json: Array(text.utf8), name: "Trips"))
        #expect(model.notes() == [])
        let service = try ServiceFixture(model)
        try DocsTests.requests(of: "Docs/SwiftData.md", atLeast: 2, service)
        let answer = service.post("/Trip", #"{"code":"R2","name":"Rome","status":"planned"}"#)
        #expect(answer.status == 422, "\(answer.text)")
        let taken = service.post(
            "/Trip", #"{"code":"R1","name":"Rome","days":1,"status":"planned"}"#)
        #expect(taken.status == 409, "\(taken.text)")
        let file = try RawDatabase(service.path)
        #expect(try file.bytes("SELECT ZTAGS FROM ZTRIP").starts(with: "bplist00".utf8))
        #expect(try file.texts("SELECT ZHOME_CITY FROM ZTRIP") == ["Oslo"])
    }
}
