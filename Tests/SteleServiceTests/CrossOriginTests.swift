// Pages of other origins: a list of origins, and browsers that are told so.

import SteleHTTP
import TestSupport
import Testing

@testable import SteleService

@Suite struct CrossOriginTests {
    private static let page = "https://app.example"

    private func fixture(_ origins: [String], token: String? = nil) throws -> ServiceFixture {
        try ServiceFixture(TestModels.league(), inMemory: true) {
            $0.origins = origins
            $0.token = token
        }
    }

    private func origin(_ text: String) -> [(name: String, value: String)] {
        [("Host", "localhost"), ("Origin", text)]
    }

    @Test func aListedOriginMayCall() throws {
        let service = try fixture([Self.page])
        let answer = service.get("/Team", origin(Self.page))
        #expect(answer.status == 200 && answer["Access-Control-Allow-Origin"] == Self.page)
        #expect(answer["Access-Control-Expose-Headers"]?.contains("ETag") == true)
        let varies = answer.response.headers.filter { $0.name == "Vary" }.map(\.value)
        #expect(varies.contains { $0.contains("Origin") })
        // An error is for the page, too.
        let missing = service.get("/Team/9", origin(Self.page))
        #expect(missing.status == 404 && missing["Access-Control-Allow-Origin"] == Self.page)
        // The plain get is the same.
        #expect(service.ask("POST", "/Team", #"{"name":"A"}"#).status == 201)
        let plain = service.get("/Team/1", origin(Self.page))
        #expect(plain.status == 200 && plain["Access-Control-Allow-Origin"] == Self.page)
    }

    @Test(arguments: ["https://other.example", "http://app.example", "null"])
    func anotherOriginIsRefused(_ name: String) throws {
        let answer = try fixture([Self.page]).get("/Team", origin(name))
        #expect(answer.status == 403 && answer.code == "access.origin")
        #expect(answer["Access-Control-Allow-Origin"] == nil)
        let none = try fixture([]).get("/Team", origin(name))
        #expect(none.status == 403 && none["Vary"]?.contains("Origin") != true)
    }

    @Test func aPreflightNeedsNoToken() throws {
        let service = try fixture([Self.page], token: "secret")
        let asked: [(name: String, value: String)] = [
            ("Access-Control-Request-Method", "PATCH"),
            ("Access-Control-Request-Headers", "authorization, content-type"),
        ]
        let answer = service.ask("OPTIONS", "/Team/1", nil, origin(Self.page) + asked)
        #expect(answer.status == 204 && answer["Access-Control-Allow-Origin"] == Self.page)
        #expect(answer["Access-Control-Allow-Methods"]?.contains("PATCH") == true)
        #expect(answer["Access-Control-Allow-Headers"] == "authorization, content-type")
        #expect(service.get("/Team", origin(Self.page)).status == 401)
        let other = service.ask("OPTIONS", "/Team/1", nil, origin("https://x.example") + asked)
        #expect(other.status == 403)
        let host = [(name: "Host", value: "evil.example"), (name: "Origin", value: Self.page)]
        #expect(service.ask("OPTIONS", "/Team/1", nil, host + asked).status == 403)
    }

    @Test func allOriginsMayBeAllowed() throws {
        let answer = try fixture(["*"]).get("/Team", origin("https://any.example"))
        #expect(answer.status == 200 && answer["Access-Control-Allow-Origin"] == "*")
    }
}
