/// JSON Web Tokens and sets of keys. No key of the seeds signs anything here, so each token that is
/// accepted is a finding.

import SteleJSON
import SteleRequests

/// The parts of a token, decoded: header, payload and signature, a line each.
struct SignedTokenTarget: FuzzTarget {
    let seeds = FuzzText.bytes([
        "{\"alg\":\"HS256\",\"typ\":\"JWT\"}\n{\"sub\":\"ann\",\"role\":\"member\"}\nx",
        "{\"alg\":\"ES256\",\"kid\":\"e\"}\n{\"sub\":\"ann\",\"exp\":2000000000,\"aud\":[\"a\"]}\nxyz",
        "{\"alg\":\"RS256\",\"kid\":\"r\"}\n{\"sub\":\"ann\",\"nbf\":0.5,\"iss\":\"i\"}\n",
        "{\"alg\":\"none\"}\n{\"sub\":\"ann\",\"role\":\"member\"}\n",
        "{\"alg\":\"HS256\",\"crit\":[\"x\"]}\n{\"sub\":\"\\u0000\",\"exp\":1e400}\n",
        keySet,
    ])
    let words = [
        "\"alg\"", "\"none\"", "\"HS256\"", "\"RS256\"", "\"ES256\"", "\"kid\"", "\"crit\"",
        "\"exp\"", "\"nbf\"", "\"aud\"", "\"sub\"", "\"role\"", "\"kty\"", "\"oct\"", "\"RSA\"",
        "\"EC\"", "\"P-256\"", "\"n\"", "\"e\"", "\"k\"", "\"x\"", "\"y\"", "\"use\"", "AQAB",
    ]
    /// An RSA key and a point of P-256 (RFC 7515, A.2 and A.3), and a secret.
    private static let keySet = """
        {"keys":[{"kty":"oct","kid":"h","k":"AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA"},\
        {"kty":"EC","kid":"e","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",\
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"},{"kty":"RSA","kid":"r","e":"AQAB","n":"\
        ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0B\
        m4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5\
        z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7\
        aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"}]}
        """

    init() {}

    func attempt(_ input: [UInt8]) throws {
        let text = String(decoding: input, as: UTF8.self)
        // As a set of keys, which is read or refused with a sentence.
        do {
            _ = try Self.file(keys: text)
        } catch {
            try require(
                error.description.hasPrefix("jwt: keys: k: ") && error.description.count > 20,
                "a set of keys is refused by \(error)")
        }
        let lines = text.split(
            separator: "\n", maxSplits: 2, omittingEmptySubsequences: false)
        let encoded = lines.map { Base64.encodeURLSafe(Array($0.utf8)) }.joined(separator: ".")
        let issuer = try Self.file(keys: Self.keySet).issuer
        for token in [encoded, text] {
            let identity = try? issuer?.identity(of: Array(token.utf8), now: 1.8e9)
            try require(identity == nil, "the token \(token.prefix(300)) is accepted")
        }
    }

    private static func file(keys: String) throws(RightsError) -> RightsFile {
        try RightsFile(
            #"{"roles": {"member": {}}, "jwt": {"keys": "k", "defaultRole": "member"}}"#
        ) { _ throws(RightsError) in keys }
    }
}
