// Signed tokens and rights files that change, as requests meet them.

import Foundation
import SteleHTTP
import SteleSystem
import TestSupport
import Testing

@testable import SteleRequests
@testable import SteleService

@Suite struct SignedTokenRouteTests {
    private let keys = TokenKeys.shared

    /// The rights of the model with an issuer.
    private func file(_ rights: String = RightsModel.rights) throws -> RightsFile {
        let text = String(rights.dropLast()) + ", \"jwt\": {\"keys\": \"k\"}}"
        let jwks = keys.jwks
        return try RightsFile(text) { _ throws(RightsError) in jwks }
    }

    private func service() throws -> ServiceFixture {
        let file = try file()
        let fixture = try ServiceFixture(RightsModel.model()) { $0.rights = file }
        let made = fixture.ask(
            "POST", "/transactions", RightsModel.data, [("Authorization", "Bearer token-root")])
        try #require(made.status == 200, "\(made.text)")
        return fixture
    }

    private func ask(_ fixture: ServiceFixture, _ target: String, _ token: String) -> Answer {
        fixture.ask("GET", target, nil, [("Authorization", "Bearer \(token)")])
    }

    private func token(_ user: String, role: String = "member", seconds: Double = 60) -> String {
        let end = Date().timeIntervalSince1970 + seconds
        return keys.token("{\"sub\":\"\(user)\",\"role\":\"\(role)\",\"exp\":\(end)}")
    }

    @Test func aSignedTokenSeesWhatItsUserSees() throws {
        let fixture = try service()
        for user in ["ann", "bob"] {
            let known = ask(fixture, "/Document?sort=_id", "token-\(user)")
            let signed = ask(fixture, "/Document?sort=_id", token(user))
            #expect(known.status == 200 && known.text == signed.text)
            // Another token of the same user has the same answers, and the same entity tag.
            let again = ask(fixture, "/Document?sort=_id", token(user, seconds: 90))
            #expect(again["ETag"] == signed["ETag"] && again["ETag"] != nil)
        }
        let ann = ask(fixture, "/Document", token("ann"))
        #expect(ann.text != ask(fixture, "/Document", token("bob")).text)
        #expect(ask(fixture, "/metadata", token("ann")).status == 403)
        #expect(ask(fixture, "/Document", token("ann", role: "all")).status == 401)
    }

    /// What a rule compares with the user's name is not told.
    @Test func aUserWhomARuleDoesNotFitIsRefused() throws {
        let file = try file(
            RightsModel.rights.replacing(
                "owner.login == $USER OR isPublic == YES", with: "title MATCHES $USER"))
        let fixture = try ServiceFixture(RightsModel.model()) { $0.rights = file }
        let answer = ask(fixture, "/Document", token("(("))
        #expect(answer.status == 401, "\(answer.text)")
        for secret in ["Document", "MATCHES", "(("] {
            #expect(!answer.text.contains(secret), "\(answer.text)")
        }
    }

    /// Swift's texts are equal where Unicode holds them to be the same; users are not.
    @Test func usersWhoseNamesOnlyLookTheSameAreTwo() throws {
        let fixture = try service()
        let names = ["Kim", "\u{212A}im"]
        #expect(names[0] == names[1])
        for (index, name) in names.enumerated() {
            let made = fixture.ask(
                "POST", "/Account",
                "{\"login\":\"\(name)\",\"documents\":[{\"title\":\"of \(index)\"}]}",
                [("Authorization", "Bearer token-root")])
            try #require(made.status == 201, "\(made.text)")
        }
        let own = "/Document?where=title BEGINSWITH 'of '&select=title"
            .replacingOccurrences(of: " ", with: "%20")
        for (index, name) in (names + names).enumerated() {
            let seen = ask(fixture, own, token(name))
            #expect(seen.text == "[{\"title\":\"of \(index % 2)\"}]", "\(name): \(seen.text)")
        }
    }

    @Test func aTokenThatHasExpiredIsRefusedAlsoWhereItWasAccepted() throws {
        let fixture = try service()
        let short = token("ann", seconds: 0.7)
        #expect(ask(fixture, "/Document/count", short).status == 200)
        #expect(ask(fixture, "/Document/count", short).status == 200)
        usleep(800_000)
        let late = ask(fixture, "/Document/count", short)
        #expect(late.status == 401 && late.detail == "the token has expired (exp)")
        #expect(
            late["WWW-Authenticate"] == "Bearer realm=\"stele\", error=\"invalid_token\"")
    }

    @Test func anotherRightsFileTakesThePlaceOfTheLast() throws {
        let fixture = try service()
        let first = ask(fixture, "/Document", token("ann"))
        #expect(first.status == 200)
        // The same file changes nothing.
        #expect(try fixture.service.replace(file()) == false)
        let narrow = """
            {"roles": {"member": {"Tag": {"read": true}}},
             "tokens": [{"name": "r", "role": "all", "sha256": "\(hash("token-root"))"}]}
            """
        #expect(try fixture.service.replace(file(narrow)))
        #expect(ask(fixture, "/Document", token("ann")).status == 403)
        #expect(ask(fixture, "/Document", "token-ann").status == 401)
        #expect(ask(fixture, "/Document", "token-root").status == 200)
        let wrong = try RightsFile(#"{"roles": {"member": {"Nothing": {"read": true}}}}"#)
        #expect(throws: RightsError.self) { try fixture.service.replace(wrong) }
        #expect(ask(fixture, "/Document", "token-root").status == 200)
        #expect(try fixture.service.replace(file()))
        let again = ask(fixture, "/Document", token("ann"))
        // The rules are those of the first file, and so is the entity tag.
        #expect(again.text == first.text && again["ETag"] == first["ETag"])
    }

    private func hash(_ token: String) -> String {
        Secret.hexadecimal(Secret.hash(token.utf8))
    }
}
