// Who may call: Host, Origin, token.

import Testing

@testable import SteleAnswers
@testable import SteleFeed
@testable import SteleRequests
@testable import SteleService

@Suite struct GateTests {
    @Test(arguments: [
        ("127.0.0.1:8080", 200), ("10.0.0.7", 200), ("[::1]:8080", 200), ("localhost", 200),
        ("LOCALHOST:1", 200), ("db.example.org:80", 200), ("evil.example.com", 403),
        ("127.0.0.1.evil.com", 403), ("", 403), ("1.2.3", 403), ("localhost.evil.com", 403),
        ("[evil.com]", 403), ("[::1].evil.com", 403), ("[::1]", 200),
    ])
    func hostsThatAreAllowed(_ host: String, _ status: Int) throws {
        let league = try ServiceFixture(TestModels.league()) {
            $0.allowedHosts = ["db.example.org"]
        }
        #expect(league.post("/Team", #"{"name":"A"}"#).status == 201)
        for target in ["/Team", "/Team/1", "/healthz"] {
            let answer = league.get(target, [("Host", host)])
            #expect(answer.status == status, "\(target)")
            if status == 403 { #expect(answer.code == "access.host") }
        }
    }

    @Test func aPageOfAnotherHostMayNotCall() throws {
        let league = try ServiceFixture(TestModels.league()) {
            $0.allowedHosts = ["app.example.org"]
        }
        _ = league.post("/Team", #"{"name":"A"}"#)
        for (origin, status) in [
            ("http://127.0.0.1:3000", 200), ("https://app.example.org", 200),
            ("https://evil.example.com", 403), ("null", 403),
        ] {
            let headers = [
                (name: "Host", value: "127.0.0.1:8080"), (name: "Origin", value: origin),
            ]
            #expect(league.get("/Team/1", headers).status == status, "\(origin)")
            #expect(
                league.ask("DELETE", "/Team/9", nil, headers).status == (status == 200 ? 404 : 403))
        }
    }

    @Test func aTokenIsAskedForWhereOneIsSet() throws {
        let league = try ServiceFixture(TestModels.league()) { $0.token = "s3cret" }
        let without = league.get("/Team")
        #expect(without.status == 401)
        #expect(without["WWW-Authenticate"]?.hasPrefix("Bearer") ?? false)
        for wrong in ["Bearer s3cre", "Bearer s3crets", "Bearer ", "Basic s3cret", "Bearer S3cret"]
        {
            #expect(league.get("/Team", [("Authorization", wrong)]).status == 401, "\(wrong)")
            #expect(league.get("/Team/1", [("Authorization", wrong)]).status == 401, "\(wrong)")
        }
        #expect(league.get("/Team", [("Authorization", "bearer s3cret")]).status == 200)
        #expect(league.get("/healthz").status == 200)
        #expect(league.get("/readyz").status == 200)
        #expect(league.get("/readyz", [("Authorization", "Bearer wrong")]).status == 200)
        #expect(league.get("/Team/1/healthz").status == 401)
    }
}
