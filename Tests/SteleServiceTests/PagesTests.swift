// The service's own pages.

import SteleHTTP
import SteleJSON
import SteleModel
import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct PagesTests {
    /// Should a browser show one, it loads nothing and runs nothing.
    @Test(arguments: ["/", "/model", "/openapi.json", "/docs/errors", "/fetch"])
    func aPageHasTheFieldsOfSecurity(_ target: String) throws {
        let page = try ServiceFixture.zoo().get(target)
        #expect(page.status == 200)
        #expect(page["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
        #expect(page["X-Content-Type-Options"] == "nosniff")
        #expect(page["Referrer-Policy"] == "no-referrer")
    }

    @Test func theIndexNamesEntitiesAndRoutes() throws {
        let zoo = try ServiceFixture.zoo()
        let index = try zoo.get("/").json
        #expect(index["stele"] == .string(Service.version))
        #expect(index["build"] == .string(Service.build) && !Service.build.isEmpty)
        guard case .array(let entities)? = index["entities"] else {
            Issue.record("no entities")
            return
        }
        #expect(entities.contains { $0["href"] == "/entities/lower" })
        let page = try #require(entities.first { $0["name"] == "Page" })
        #expect(page["relationships"]?["tags"] == "/Page/{id}/tags")
        for entity in entities {
            guard case .string(let href)? = entity["href"] else { continue }
            #expect(zoo.get(href).status == 200, "\(href)")
        }
    }

    @Test func theModelIsGivenAsJSONAndAsXML() throws {
        let league = try ServiceFixture.league()
        let json = league.get("/model")
        #expect(json["Content-Type"] == "application/json")
        let read = try ManagedObjectModel(json: json.bytes, name: "League")
        #expect(read == league.coordinator.model.declaration)
        let xml = league.get("/model", [("Accept", "application/xml")])
        #expect(xml["Content-Type"] == "application/xml")
        #expect(xml.text.contains("<entity name=\"Player\""))
    }

    @Test func healthAndReadiness() throws {
        let league = try ServiceFixture.league()
        #expect(league.get("/healthz").text == #"{"status":"alive"}"#)
        #expect(league.get("/readyz").text == #"{"status":"ready"}"#)
        league.coordinator.store.close()
        #expect(league.get("/readyz").status == 503)
        #expect(league.get("/healthz").status == 200)
        #expect(league.post("/Team", #"{"name":"A"}"#).status == 503)
    }

    @Test func theErrorCodesAreServed() throws {
        let league = try ServiceFixture.league()
        guard case .array(let codes) = try league.get("/docs/errors").json else {
            Issue.record("no codes")
            return
        }
        #expect(codes.count == ErrorCode.all.count)
        let text = league.get("/docs/errors", [("Accept", "text/plain")])
        #expect(text["Content-Type"] == "text/plain; charset=utf-8")
        for code in ErrorCode.all { #expect(text.text.contains(code.text)) }
        #expect(Set(ErrorCode.all.map(\.text)).count == ErrorCode.all.count)
    }

    @Test func changesAreHandedToTheFeed() throws {
        let league = try ReadingTests.filled()
        let page = league.get("/changes?limit=1")
        #expect(page.status == 200, "\(page.text)")
        #expect(page.text.contains(#""context":"POST /Team""#))
        #expect(page["Link"]?.contains("rel=\"next\"") ?? false)
        let stream = league.get("/changes", [("Accept", "text/event-stream")])
        #expect(stream.status == 200)
        guard case .events = stream.response.body else {
            Issue.record("no stream")
            return
        }
        _ = league.patch("/Player/1", #"{"goals":1}"#)
        #expect(league.get("/changes").text.contains(#""context":"PATCH /Player/{id}""#))
    }
}
