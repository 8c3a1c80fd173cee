// Keys of the three algorithms, and tokens that are signed with them.

import Crypto
import CryptoExtras
import Foundation
import JWTKit
import SteleJSON

/// Keys, made once: an RSA key takes a while.
struct TokenKeys: Sendable {
    enum Kind: String, CaseIterable, Sendable { case HS256, RS256, ES256 }

    static let shared = try! TokenKeys()

    let secret = SymmetricKey(size: .bits256)
    let rsa: _RSA.Signing.PrivateKey
    let curve = P256.Signing.PrivateKey()

    init() throws { rsa = try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    /// The keys as an issuer publishes them (RFC 7517), among others that are not for signatures.
    var jwks: String {
        let primitives = try! rsa.publicKey.getKeyPrimitives()
        let point = curve.publicKey.x963Representation.dropFirst()
        let k = secret.withUnsafeBytes { Base64.encodeURLSafe(Array($0)) }
        func text(_ bytes: some Sequence<UInt8>) -> String { Base64.encodeURLSafe(Array(bytes)) }
        return """
            {"keys": [
             {"kty": "oct", "kid": "HS256", "k": "\(k)", "alg": "HS256"},
             {"kty": "RSA", "kid": "enc", "use": "enc", "alg": "RSA-OAEP", "n": "AQ", "e": "AQAB"},
             {"kty": "OKP", "kid": "ed", "crv": "Ed25519", "x": "AQ"},
             {"kty": "RSA", "kid": "RS256", "use": "sig", "n": "\(text(primitives.modulus))",
              "e": "\(text(primitives.publicExponent))"},
             {"kty": "EC", "kid": "ES256", "crv": "P-256", "x": "\(text(point.prefix(32)))",
              "y": "\(text(point.dropFirst(32)))"}]}
            """
    }

    /// A token of any header and payload.
    func token(
        _ payload: String, header: String? = nil, by kind: Kind = .ES256
    ) -> String {
        let head = header ?? "{\"alg\":\"\(kind)\",\"kid\":\"\(kind)\"}"
        let signed =
            Base64.encodeURLSafe(Array(head.utf8)) + "."
            + Base64.encodeURLSafe(Array(payload.utf8))
        return signed + "." + Base64.encodeURLSafe(signature(of: signed, kind))
    }

    func signature(of text: String, _ kind: Kind) -> [UInt8] {
        let data = Data(text.utf8)
        return switch kind {
        case .HS256: Array(HMAC<SHA256>.authenticationCode(for: data, using: secret))
        case .RS256:
            Array(try! rsa.signature(for: data, padding: .insecurePKCS1v1_5).rawRepresentation)
        case .ES256: Array(try! curve.signature(for: data).rawRepresentation)
        }
    }

    /// The same keys in jwt-kit, the reference.
    func reference() async throws -> JWTKeyCollection {
        let keys = JWTKeyCollection()
        await keys.add(
            hmac: HMACKey(key: secret), digestAlgorithm: .sha256, kid: "HS256")
        await keys.add(
            rsa: try Insecure.RSA.PrivateKey(pem: rsa.pemRepresentation), digestAlgorithm: .sha256,
            kid: "RS256")
        await keys.add(
            ecdsa: try ES256PrivateKey(pem: curve.pemRepresentation), kid: "ES256")
        return keys
    }
}

/// The claims of the tests.
struct Claims: JWTPayload, Equatable {
    var sub: String
    var role: String?
    var exp: Double?
    var nbf: Double?

    func verify(using algorithm: some JWTAlgorithm) {}
}
