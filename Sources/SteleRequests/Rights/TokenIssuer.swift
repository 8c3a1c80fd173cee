/// JSON Web Tokens (RFC 7519): whom an issuer's token names, and for how long.

import SteleJSON
import SteleModel
import SteleSystem

/// The key `jwt` of a rights file: which signed tokens are accepted, and where they have the role
/// and the user.
package struct TokenIssuer: Sendable {
    /// What an accepted token says.
    package struct Identity: Sendable, Equatable {
        package let role: String
        /// The value of `$USER`.
        package let user: String
        /// Seconds since 1970; infinite where the token has no end.
        package let end: Double
    }

    /// Why a token is not accepted, as a sentence without its subject.
    package struct Refusal: Error {
        package let reason: String
        init(_ reason: String) { self.reason = reason }
    }

    /// Seconds by which the issuer's clock may be ahead.
    private static let skew = 10.0
    /// The longest name of a user, in bytes: it is part of what is kept for each.
    private static let longestUser = 512

    private var keys: JSONWebKeys?
    private var issuer: String?
    private var audience: String?
    /// The path to the claim with the role.
    private var role = ["role"]
    /// The path to the claim with the user.
    private var user = ["sub"]
    /// The role of tokens whose claim names none of the file.
    package private(set) var defaultRole: String?
    /// The value of the claim that gives all rights; nil where no token gives them: a list of groups
    /// may have one of the name `all`.
    private var all: String?
    /// The roles that a token may name.
    var roles: Set<ExactText> = []

    /// Reads the declaration.
    /// - Parameter read: returns the text of the file with the keys.
    /// - Throws: `RightsError` with the place in the file.
    init(
        _ node: JSONNode, _ read: (String) throws(RightsError) -> String
    ) throws {
        guard node.kind == .object else {
            throw RightsError("jwt is no object, such as {\"keys\": \"jwks.json\"}")
        }
        try node.forEachMember { key, node in
            let place = "jwt: \(key)"
            switch key {
            case "keys":
                let path = try RightsFile.text(node, place)
                do throws(RightsError) { keys = try JSONWebKeys(try read(path)) } catch {
                    throw RightsError("\(place): \(path): \(error)")
                }
            case "issuer": issuer = try RightsFile.text(node, place)
            case "audience": audience = try RightsFile.text(node, place)
            case "role": role = try Self.path(node, place)
            case "user": user = try Self.path(node, place)
            case "all": all = try RightsFile.text(node, place)
            case "defaultRole": defaultRole = try RightsFile.text(node, place)
            default:
                throw RightsError(
                    "jwt: there is no key \(key) (it has keys, issuer, audience, role, user, "
                        + "all and defaultRole)")
            }
        }
        if keys == nil { throw RightsError("jwt: keys is missing: the file with the keys (JWKS)") }
    }

    /// A claim, or the path to one inside of others.
    private static func path(_ node: JSONNode, _ place: String) throws -> [String] {
        guard node.kind == .array, node.count > 0 else { return [try RightsFile.text(node, place)] }
        var path: [String] = []
        try node.forEachElement { path.append(try RightsFile.text($0, place)) }
        return path
    }

    /// Verifies a token in its compact form (RFC 7515, 7.1).
    /// - Parameter now: seconds since 1970.
    package func identity(
        of token: some Collection<UInt8>, now: Double
    ) throws(Refusal) -> Identity {
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw Refusal("is no signed JWT of three parts") }
        let header = try Self.json(parts[0], "header")
        let name = header.root["alg"]?.string ?? ""
        guard let algorithm = JSONWebKeys.Algorithm(rawValue: name) else {
            let names = JSONWebKeys.Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
            let start = String(decoding: name.utf8.prefix(20), as: UTF8.self)
            throw Refusal("has the algorithm \(start), which is none of \(names)")
        }
        // An extension that must be understood (RFC 7515, 4.1.11).
        if header.root["crit"] != nil { throw Refusal("has crit in its header") }
        let id = header.root["kid"]?.string
        guard let keys, keys.has(algorithm, id: id) else {
            let named = id.map { " with the kid \(Self.start(of: $0))" } ?? ""
            throw Refusal("needs a key for \(name)\(named), which is not among the keys")
        }
        let signed = token.prefix(parts[0].count + 1 + parts[1].count)
        guard
            let signature = Base64.decode(String(decoding: parts[2], as: UTF8.self), urlSafe: true),
            keys.verify(signature, of: signed, algorithm, id: id)
        else {
            guard let id, !keys.names(id, algorithm) else {
                throw Refusal("has a wrong signature")
            }
            throw Refusal(
                "has the kid \(Self.start(of: id)), which none of the keys for \(name) has, and "
                    + "its signature is of none of those without a kid")
        }
        return try identity(of: Self.json(parts[1], "payload").root, now)
    }

    /// The beginning of a kid, for messages.
    private static func start(of id: String) -> String {
        String(decoding: id.utf8.prefix(100), as: UTF8.self)
    }

    private static func json(
        _ part: some Collection<UInt8>, _ what: String
    ) throws(Refusal) -> JSONDocument {
        guard let bytes = Base64.decode(String(decoding: part, as: UTF8.self), urlSafe: true),
            let document = try? JSONDocument(bytes), document.root.kind == .object
        else { throw Refusal("has a \(what) that is no JSON object in base64url") }
        return document
    }

    /// The claims of a token whose signature is right.
    private func identity(of claims: JSONNode, _ now: Double) throws(Refusal) -> Identity {
        let end = try Self.time("exp", claims) ?? .infinity
        guard now < end else { throw Refusal("has expired (exp)") }
        if let start = try Self.time("nbf", claims), start > now + Self.skew {
            throw Refusal("is not valid yet (nbf)")
        }
        if let issuer, claims["iss"]?.string?.utf8.elementsEqual(issuer.utf8) != true {
            throw Refusal("is not of the issuer of the rights file (iss)")
        }
        try checkAudience(claims["aud"])
        guard let user = Self.claim(self.user, claims)?.string, !user.isEmpty,
            user.utf8.count <= Self.longestUser,
            user.unicodeScalars.allSatisfy({ $0.value >= 0x20 })
        else {
            throw Refusal(
                "has no user in the claim \(self.user.joined(separator: ".")), or one that is too "
                    + "long")
        }
        return Identity(role: try role(claims), user: user, end: end)
    }

    private static func time(_ name: String, _ claims: JSONNode) throws(Refusal) -> Double? {
        guard let node = claims[name] else { return nil }
        guard let seconds = node.real else {
            throw Refusal("has the claim \(name), which is no number of seconds")
        }
        return seconds
    }

    /// A token for others is refused, also where the file names no audience (RFC 7519, 4.1.3).
    private func checkAudience(_ node: JSONNode?) throws(Refusal) {
        guard let audience else {
            if node == nil { return }
            throw Refusal("is for an audience (aud), and the rights file names none")
        }
        let given = Self.texts(node)
        guard given.contains(where: { $0.utf8.elementsEqual(audience.utf8) }) else {
            throw Refusal("is not for the audience of the rights file (aud)")
        }
    }

    /// The role that the claim names; of several, the first that the file has.
    private func role(_ claims: JSONNode) throws(Refusal) -> String {
        let given = Self.texts(Self.claim(role, claims))
        // By their bytes: a name that only looks the same is another one.
        if let all, given.contains(where: { ExactText($0) == ExactText(all) }) {
            return RightsFile.all
        }
        if let known = given.first(where: { roles.contains(ExactText($0)) }) ?? defaultRole {
            return known
        }
        throw Refusal(
            "has no role of the rights file in the claim \(role.joined(separator: "."))")
    }

    /// A text, or those of a list.
    private static func texts(_ node: JSONNode?) -> [String] {
        if let one = node?.string { return [one] }
        guard let node, node.kind == .array else { return [] }
        var texts: [String] = []
        node.forEachElement { if let one = $0.string { texts.append(one) } }
        return texts
    }

    private static func claim(_ path: [String], _ claims: JSONNode) -> JSONNode? {
        path.reduce(claims) { node, name in
            guard let node, node.kind == .object else { return nil }
            return node[name]
        }
    }
}
