// JSON Web Tokens: which are accepted, and with which rights. jwt-kit is the reference.

import Foundation
import JWTKit
import SteleHTTP
import SteleJSON
import SteleSystem
import TestSupport
import Testing

@testable import SteleRequests
@testable import SteleService

@Suite struct SignedTokenTests {
    private let keys = TokenKeys.shared

    /// The issuer of a declaration, beside two roles.
    private func issuer(_ declaration: String = "{\"keys\": \"k\"}") throws -> TokenIssuer {
        let text = "{\"roles\": {\"member\": {}, \"guest\": {}}, \"jwt\": \(declaration)}"
        let jwks = keys.jwks
        let file = try RightsFile(text) { _ throws(RightsError) in jwks }
        return try #require(file.issuer)
    }

    /// The identity, or why there is none.
    private func read(
        _ token: String, _ issuer: TokenIssuer, now: Double = 1000
    ) -> Result<TokenIssuer.Identity, TokenIssuer.Refusal> {
        Result { () throws(TokenIssuer.Refusal) in
            try issuer.identity(of: Array(token.utf8), now: now)
        }
    }

    @Test(arguments: TokenKeys.Kind.allCases)
    func tokensOfTheReferenceAreAccepted(_ kind: TokenKeys.Kind) async throws {
        let reference = try await keys.reference()
        let issuer = try issuer()
        for (user, end) in [("ann", 2000.0), ("Žofie 🦊", 1e10), ("a\"b\\c", 1000.5)] {
            let claims = Claims(sub: user, role: "member", exp: end, nbf: 999)
            let token = try await reference.sign(
                claims, kid: JWKIdentifier(string: kind.rawValue))
            let told = try read(token, issuer).get()
            #expect(told == TokenIssuer.Identity(role: "member", user: user, end: end))
        }
    }

    /// Thousands of tokens that were changed somewhere: the reference accepts each that is accepted
    /// here, with the same claims.
    @Test func nothingIsAcceptedThatTheReferenceRefuses() async throws {
        let seed =
            ProcessInfo.processInfo.environment["STELE_SEED"].flatMap(UInt64.init)
            ?? UInt64.random(in: 0...UInt64.max)
        var numbers = SeededNumbers(seed: seed)
        let reference = try await keys.reference()
        let issuer = try issuer()
        let originals = TokenKeys.Kind.allCases.flatMap { kind in
            ["ann", "bo"].map {
                keys.token("{\"sub\":\"\($0)\",\"role\":\"member\",\"exp\":2000}", by: kind)
            }
        }
        var accepted = 0
        for _ in 0..<3_000 {
            var token = Array(numbers.pick(originals, or: "").utf8)
            switch numbers.below(4) {
            case 0: break
            case 1: token[numbers.below(token.count)] = UInt8(numbers.below(128))
            case 2: token.removeLast(numbers.below(8))
            default:
                let parts = { (text: String) in text.split(separator: ".") }
                let (a, b) = (numbers.pick(originals, or: ""), numbers.pick(originals, or: ""))
                let mixed = [parts(a)[0], parts(numbers.pick(originals, or: ""))[1], parts(b)[2]]
                token = Array(mixed.joined(separator: ".").utf8)
            }
            let text = String(decoding: token, as: UTF8.self)
            guard case .success(let told) = read(text, issuer) else { continue }
            accepted += 1
            let claims = try? await reference.verify(text, as: Claims.self, iteratingKeys: true)
            #expect(claims?.sub == told.user, "seed \(seed): \(text)")
        }
        #expect(accepted > 500, "seed \(seed)")
    }

    private static let good = #"{"sub":"ann","role":"member","exp":2000}"#

    static let refused: [(payload: String, header: String?, reason: String)] = [
        (good, #"{"alg":"none"}"#, "has the algorithm none"),
        (good, #"{"alg":"HS512","kid":"HS256"}"#, "has the algorithm HS512"),
        (good, #"{"alg":"RS256","kid":"ES256"}"#, "needs a key for RS256 with the kid ES256"),
        (good, #"{"alg":"ES256","kid":"other"}"#, "with the kid other"),
        // Signed by ES256: a public key is never a secret.
        (good, #"{"alg":"HS256"}"#, "has a wrong signature"),
        (good, #"{"alg":"ES256","crit":["exp"]}"#, "has crit"),
        (good, #"["ES256"]"#, "has a header that is no JSON object"),
        (#"["ann"]"#, nil, "has a payload that is no JSON object"),
        (#"{"sub":"ann","sub":"bo","role":"member"}"#, nil, "has a payload"),
        (#"{"sub":"ann","role":"member","exp":1000}"#, nil, "has expired"),
        (#"{"sub":"ann","role":"member","exp":"2000"}"#, nil, "claim exp, which is no number"),
        (#"{"sub":"ann","role":"member","nbf":1011}"#, nil, "is not valid yet"),
        (#"{"sub":"ann","role":"member","aud":"shop"}"#, nil, "is for an audience"),
        (#"{"role":"member"}"#, nil, "has no user in the claim sub"),
        (#"{"sub":7,"role":"member"}"#, nil, "has no user"),
        (#"{"sub":"","role":"member"}"#, nil, "has no user"),
        (#"{"sub":"a\nb","role":"member"}"#, nil, "has no user"),
        (#"{"sub":"ann","role":"boss"}"#, nil, "has no role of the rights file"),
        (#"{"sub":"ann","role":"all"}"#, nil, "has no role of the rights file"),
        (#"{"sub":"ann"}"#, nil, "has no role of the rights file"),
    ]

    @Test(arguments: refused)
    func whatIsRefused(_ payload: String, _ header: String?, _ reason: String) throws {
        guard case .failure(let refusal) = read(keys.token(payload, header: header), try issuer())
        else {
            Issue.record("\(payload) is accepted")
            return
        }
        #expect(refusal.reason.contains(reason), "\(refusal.reason)")
    }

    /// A key without a kid may verify any token, so the kid alone refuses none.
    @Test func anUnknownKidIsNamedWhereAKeyHasNone() throws {
        let jwks = keys.jwks.replacing("\"kid\": \"ES256\", ", with: "")
        let file = try RightsFile(
            "{\"roles\": {\"member\": {}}, \"jwt\": {\"keys\": \"k\"}}"
        ) { _ throws(RightsError) in jwks }
        let issuer = try #require(file.issuer)
        func reason(_ header: String, by kind: TokenKeys.Kind) -> String? {
            switch read(keys.token(Self.good, header: header, by: kind), issuer) {
            case .success: nil
            case .failure(let refusal): refusal.reason
            }
        }
        let other = #"{"alg":"ES256","kid":"other"}"#
        #expect(reason(other, by: .ES256) == nil)
        let refused = try #require(reason(other, by: .HS256))
        #expect(refused.contains("has the kid other, which none of the keys for ES256 has"))
        #expect(!refused.contains("wrong signature"))
        #expect(reason(#"{"alg":"ES256"}"#, by: .HS256) == "has a wrong signature")
        #expect(
            reason(#"{"alg":"HS256","kid":"HS256"}"#, by: .ES256) == "has a wrong signature")
    }

    @Test func tokensThatAreNotInTheirFormAreRefused() throws {
        let issuer = try issuer()
        let token = keys.token(Self.good)
        let parts = token.split(separator: ".").map(String.init)
        for text in [
            "", ".", "..", "a.b", token + ".", "." + token, token + "=", token + "\n", " " + token,
            parts[0] + "." + parts[1] + ".", parts[0] + "." + parts[1], token + ".x.y",
            parts[0] + "=." + parts[1] + "." + parts[2], String(repeating: ".", count: 10_000),
        ] {
            #expect(throws: TokenIssuer.Refusal.self, "\(text)") { try read(text, issuer).get() }
        }
        #expect(throws: Never.self) { try read(token, issuer).get() }
    }

    @Test func theDeclarationSaysWhereRoleAndUserAre() throws {
        let issuer = try issuer(
            """
            {"keys": "k", "issuer": "https://id.example", "audience": "papers", "all": "root",
             "role": ["realm", "roles"], "user": "email", "defaultRole": "guest"}
            """)
        func told(_ claims: String) -> String {
            let token = keys.token(
                "{\"iss\":\"https://id.example\",\"aud\":[\"x\",\"papers\"],\(claims)}")
            switch read(token, issuer) {
            case .success(let identity): return "\(identity.role) \(identity.user)"
            case .failure(let refusal): return refusal.reason
            }
        }
        #expect(told(#""email":"a@b","realm":{"roles":["x","member"]}"#) == "member a@b")
        #expect(told(#""email":"a@b","realm":{"roles":"member"}"#) == "member a@b")
        #expect(told(#""email":"a@b","realm":{"roles":["member","root"]}"#) == "all a@b")
        #expect(told(#""email":"a@b","realm":["member"]"#) == "guest a@b")
        #expect(told(#""email":"a@b""#) == "guest a@b")
        let other = #"{"iss":"https://id.example","aud":"shop","email":"a@b"}"#
        #expect(throws: TokenIssuer.Refusal.self) { try read(keys.token(other), issuer).get() }
        let foreign = #"{"iss":"https://other","aud":"papers","email":"a@b"}"#
        #expect(throws: TokenIssuer.Refusal.self) { try read(keys.token(foreign), issuer).get() }
    }

    /// A name of other bytes is another name, also where Unicode holds them to be the same.
    @Test func namesAreComparedByTheirBytes() throws {
        let issuer = try issuer(#"{"keys": "k", "all": "Kadmin", "audience": "K"}"#)
        func accepts(_ claims: String, _ header: String? = nil) -> Bool {
            let token = keys.token("{\"sub\":\"ann\",\(claims)}", header: header)
            return (try? read(token, issuer).get()) != nil
        }
        #expect(accepts(#""role":"Kadmin","aud":"K""#))
        #expect(!accepts("\"role\":\"\u{212A}admin\",\"aud\":\"K\""))
        #expect(!accepts("\"role\":\"Kadmin\",\"aud\":\"\u{212A}\""))
    }

    static let badKeys: [(jwks: String, error: String)] = [
        ("", "it is not JSON from byte 0 on"), ("[]", "it has no list of keys"),
        (#"{"keys": []}"#, "it has no key for signatures by HS256, RS256, ES256"),
        (#"{"keys": [7]}"#, "keys[0] is no object"),
        (#"{"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}"#, "k has 6 bytes, and HS256 needs 32"),
        (#"{"keys": [{"kty": "oct"}]}"#, "k is no text in base64url"),
        (#"{"keys": [{"kty": "RSA", "n": "AQAB", "e": "AQAB"}]}"#, "no RSA key of 2048 bits"),
        (#"{"keys": [{"kty": "EC", "crv": "P-256", "x": "AQ", "y": "AQ"}]}"#, "no point of P-256"),
        (#"{"keys": [{"kty": "oct", "k": "c2VjcmV0", "alg": "HS512"}]}"#, "it has no key for"),
        (#"{"keys": [{"kty": "oct", "k": "c2VjcmV0", "use": 7}]}"#, "it has no key for"),
        (
            #"{"keys": [{"kty": "oct", "k": "c2VjcmV0", "key_ops": ["encrypt"]}]}"#,
            "it has no key for"
        ),
        (#"{"keys": [{"kty": "oct", "k": "c2VjcmV0c2Vj"#, "it is not JSON from byte"),
    ]

    @Test(arguments: badKeys) func keysThatCannotBeUsedAreNamed(_ jwks: String, _ error: String) {
        let thrown = #expect(throws: RightsError.self) {
            try RightsFile(#"{"jwt": {"keys": "keys.json"}}"#) { _ throws(RightsError) in jwks }
        }
        let text = thrown?.description ?? ""
        #expect(text.hasPrefix("jwt: keys: keys.json: ") && text.contains(error), "\(text)")
        #expect(!text.contains("c2Vj"), "\(text)")
    }

    @Test(arguments: [
        (#"{"jwt": []}"#, "jwt is no object"), (#"{"jwt": {}}"#, "jwt: keys is missing"),
        (#"{"jwt": {"key": "k"}}"#, "jwt: there is no key key"),
        (#"{"jwt": {"keys": "k", "defaultRole": "x"}}"#, "x is not among the roles"),
        (
            #"{"tokens": [{"name": "jwt:a", "sha256": "\#(hash)", "role": "all"}]}"#,
            "names that begin with jwt: are those of JSON Web Tokens"
        ),
    ])
    func aDeclarationThatIsWrongIsNamed(_ text: String, _ error: String) {
        let jwks = keys.jwks
        let thrown = #expect(throws: RightsError.self) {
            try RightsFile(text) { _ throws(RightsError) in jwks }
        }
        #expect(thrown?.description.contains(error) == true, "\(thrown?.description ?? "")")
    }

    private static let hash = String(repeating: "ab", count: 32)
}
