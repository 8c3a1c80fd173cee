/// The keys that verify JSON Web Tokens (RFC 7517).

import SteleCrypto
import SteleJSON
import SteleModel

/// A set of keys that is read from a file, each for one algorithm of RFC 7518.
///
/// The algorithm is the key's, not the token's: a token cannot have a public key taken as a secret.
struct JSONWebKeys: Sendable {
    /// A signature's algorithm, by its name in a token's header.
    enum Algorithm: String, CaseIterable {
        case hs256 = "HS256"
        case rs256 = "RS256"
        case es256 = "ES256"
    }

    private struct Key: Sendable {
        /// The name that tokens call it by (`kid`); nil for one that may verify any token.
        let id: ExactText?
        let algorithm: Algorithm
        let key: SignatureKey
    }

    /// The most keys of a set: a token without a name may have to be tried with each.
    private static let most = 100

    private let keys: [Key]

    /// Reads a set of keys. Keys for other purposes and algorithms are left out, because issuers
    /// publish them in the same set.
    /// - Throws: `RightsError` for a key that is damaged or too short, and for a set without a key
    ///   that can be used.
    init(_ text: String) throws(RightsError) {
        let document: JSONDocument
        // An error of JSON shows a part of the text, which may be a secret.
        do { document = try JSONDocument(text) } catch {
            throw RightsError("it is not JSON from byte \(error.position) on")
        }
        guard document.root.kind == .object, let list = document.root["keys"], list.kind == .array
        else { throw RightsError("it has no list of keys (RFC 7517, 5)") }
        guard list.count <= Self.most else {
            throw RightsError("it has \(list.count) keys, more than \(Self.most)")
        }
        var keys: [Key] = []
        for index in 0..<list.count {
            guard let node = list[index], node.kind == .object else {
                throw RightsError("keys[\(index)] is no object")
            }
            do throws(RightsError) {
                if let key = try Self.key(node) { keys.append(key) }
            } catch { throw RightsError("keys[\(index)]: \(error)") }
        }
        guard !keys.isEmpty else {
            let names = Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw RightsError("it has no key for signatures by \(names)")
        }
        self.keys = keys
    }

    /// Reads a key; nil for one that is not for signatures by a known algorithm.
    private static func key(_ node: JSONNode) throws(RightsError) -> Key? {
        if let use = node["use"], use.string != "sig" { return nil }
        if let uses = node["key_ops"], !has("verify", uses) { return nil }
        if let given = node["alg"], given.string == nil { return nil }
        let given = node["alg"]?.string
        func isFor(_ algorithm: Algorithm) -> Bool { given == nil || given == algorithm.rawValue }
        let id = node["kid"]?.string.map(ExactText.init)
        switch node["kty"]?.string {
        case "oct" where isFor(.hs256):
            let secret = try bytes("k", of: node)
            guard secret.count >= 32 else {
                throw RightsError(
                    "k has \(secret.count) bytes, and HS256 needs 32 or more (RFC 7518, 3.2)")
            }
            return Key(id: id, algorithm: .hs256, key: SignatureKey(secret: secret))
        case "RSA" where isFor(.rs256):
            let (modulus, exponent) = (try bytes("n", of: node), try bytes("e", of: node))
            guard let key = SignatureKey(rsaModulus: modulus, exponent: exponent) else {
                throw RightsError("n and e are no RSA key of 2048 bits or more")
            }
            return Key(id: id, algorithm: .rs256, key: key)
        case "EC" where isFor(.es256) && node["crv"]?.string == "P-256":
            let (x, y) = (try bytes("x", of: node), try bytes("y", of: node))
            guard let key = SignatureKey(p256X: x, y: y) else {
                throw RightsError("x and y are no point of P-256")
            }
            return Key(id: id, algorithm: .es256, key: key)
        default: return nil
        }
    }

    private static func has(_ text: String, _ list: JSONNode) -> Bool {
        var hasIt = false
        list.forEachElement { if $0.string == text { hasIt = true } }
        return hasIt
    }

    private static func bytes(_ name: String, of node: JSONNode) throws(RightsError) -> [UInt8] {
        guard let text = node[name]?.string, let bytes = Base64.decode(text, urlSafe: true),
            !bytes.isEmpty
        else { throw RightsError("\(name) is no text in base64url (RFC 7515, 2)") }
        return bytes
    }

    /// Whether there is a key for the algorithm that a token of that `kid` may be signed with.
    func has(_ algorithm: Algorithm, id: String?) -> Bool {
        keys.contains { Self.fits($0, algorithm, id) }
    }

    /// Whether a key for the algorithm has that `kid`.
    func names(_ id: String, _ algorithm: Algorithm) -> Bool {
        keys.contains { $0.algorithm == algorithm && $0.id == ExactText(id) }
    }

    /// Whether a key for the algorithm verifies a signature.
    /// - Parameter id: the token's `kid`; nil to try all keys.
    func verify(
        _ signature: [UInt8], of signed: some Sequence<UInt8>, _ algorithm: Algorithm, id: String?
    ) -> Bool {
        let signed = Array(signed)
        return keys.contains { key in
            Self.fits(key, algorithm, id) && key.key.verifies(signature, of: signed)
        }
    }

    private static func fits(_ key: Key, _ algorithm: Algorithm, _ id: String?) -> Bool {
        key.algorithm == algorithm
            && (id == nil || key.id == nil || key.id == id.map(ExactText.init))
    }
}
