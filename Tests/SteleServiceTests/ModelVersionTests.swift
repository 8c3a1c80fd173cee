// The versions of the model over HTTP, and what a sender may do.

import SteleJSON
import SteleModel
import TestSupport
import Testing

@testable import SteleRequests
@testable import SteleService

@Suite struct ModelVersionTests {
    private static let first = #"{"name": "A", "entities": [{"name": "Shape"}]}"#
    private static let second = """
        {"name": "A 2", "entities": [
          {"name": "Shape", "attributes": [{"name": "colour", "type": "String"}]},
          {"name": "Canvas"}]}
        """

    private func service() throws -> ServiceFixture {
        let versions = try [Self.first, Self.second].map { try RightsModel.model($0) }
        return try ServiceFixture(versions[1], inMemory: true) { $0.modelVersions = versions }
    }

    @Test func theListHasAllVersions() throws {
        let answer = try service().get("/model/versions")
        #expect(
            try answer.json.compact
                == #"[{"name":"A","current":false,"entities":1},"#
                + #"{"name":"A 2","current":true,"entities":2}]"#)
    }

    @Test func aVersionIsGivenInBothForms() throws {
        let service = try service()
        #expect(try service.get("/model/versions/A").json["name"] == "A")
        #expect(service.get("/model/versions/A%202").text == service.get("/model").text)
        let xml = service.get("/model/versions/A", [(name: "Accept", value: "application/xml")])
        #expect(
            xml["Content-Type"] == "application/xml" && xml.text.contains("<entity name=\"Shape\""))
        let none = service.get("/model/versions/A3")
        #expect(none.status == 404 && none.hint.contains("A"))
        let operations = OpenAPITests.operations(try OpenAPITests.document(service))
        #expect(operations["GET /model/versions/{version}"]?["responses"]?["404"] != nil)
    }

    @Test func theDifferenceIsThatOfDiff() throws {
        let service = try service()
        let difference = try service.get("/model/changes").json
        #expect(difference["from"] == "A" && difference["to"] == "A 2")
        let elements = try #require(difference["elements"]).elements
        let names = elements.map { "\($0["kind"]?.compact ?? "") \($0["after"]?.compact ?? "")" }
        #expect(names == [#""entity" "Canvas""#, #""entity" "Shape""#])
        #expect(elements[0]["before"] == .null)
        let inner = try #require(elements[1]["elements"]).elements
        #expect(inner.first?["after"] == "colour")
        #expect(try !#require(difference["migration"]).elements.isEmpty)
        // The other way round what was added is removed.
        let back = try service.get("/model/changes?from=A%202&to=A").json
        #expect(try #require(back["elements"]).elements.contains { $0["after"] == .null })
        #expect(try service.get("/model/changes?from=A&to=A").json["elements"] == .array([]))
    }

    @Test func aVersionThatIsNotThereIsNamed() throws {
        let service = try service()
        let answer = service.get("/model/changes?from=B")
        #expect(answer.status == 400 && answer.detail.contains("no version B"))
        #expect(service.get("/model/changes?since=1").status == 400)
    }

    @Test func aModelWithoutVersionsHasItself() throws {
        let league = try ServiceFixture.league()
        #expect(
            try league.get("/model/versions").json.compact
                == #"[{"name":"League","current":true,"entities":2}]"#)
        #expect(try league.get("/model/changes").json["elements"] == .array([]))
    }

    // MARK: Rights

    @Test func everySenderIsToldItsRights() throws {
        let fixture = try RightsFixture()
        let root = try fixture.ask("root", "GET", "/rights").json
        #expect(root["role"] == .null && root["entities"]?["Document"]?["delete"] == true)
        #expect(root["service"]?["/backup"] == true)
        let ann = try fixture.ask("ann", "GET", "/rights").json
        #expect(ann["role"] == "member" && ann["token"] != .null)
        #expect(ann["entities"]?["Document"]?["read"] == "some")
        #expect(ann["entities"]?["Tag"]?["create"] == false)
        #expect(ann["service"]?["/backup"] == false)
        // The rule itself is not told.
        #expect(!fixture.ask("ann", "GET", "/rights").text.contains("USER"))
    }

    @Test func withoutTokensEverythingMayBeDone() throws {
        let rights = try ServiceFixture.league().get("/rights").json
        #expect(rights["token"] == .null && rights["role"] == .null)
        #expect(rights["entities"]?["Team"]?["create"] == true)
    }
}
