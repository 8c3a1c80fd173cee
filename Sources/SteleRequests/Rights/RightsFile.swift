/// The file of the setting `rights`: roles, and the tokens that have them.

import SteleJSON
import SteleModel
import StelePredicates

/// Roles and tokens as a JSON file has them (Docs/Rights.md).
package struct RightsFile: Sendable {
    /// A token: its bytes are known by their hash alone.
    package struct Token: Sendable {
        /// Its name in logs and histories.
        package let name: String
        /// The SHA-256 of the token.
        package let hash: [UInt8]
        /// The name of the role; `all` for all rights.
        package let role: String
        /// The value of `$USER`.
        package let user: String
    }

    /// Names of senders that are in no file: that of the setting `token`, and that of requests
    /// without a token.
    private static let reserved: Set<String> = ["token", Rights.anonymous]
    /// How the names of senders with a JSON Web Token begin.
    static let ofIssuer = "jwt:"
    /// Why a token may not have a name; nil where it may.
    package static func refusal(ofName name: String) -> String? {
        if reserved.contains(name) {
            return "\(name) is the name of requests without a token of the file: choose another"
        }
        return name.hasPrefix(ofIssuer)
            ? "names that begin with \(ofIssuer) are those of JSON Web Tokens: choose another" : nil
    }
    /// The role with all rights.
    package static let all = "all"

    /// The texts of the file and of those that it names.
    private(set) var sources: [ExactText]
    package private(set) var roles: [String: RoleDeclaration] = [:]
    package private(set) var tokens: [Token] = []
    /// The role of requests without a token; nil where each needs one.
    package private(set) var anonymous: String?
    /// Which JSON Web Tokens are accepted; nil for none.
    package private(set) var issuer: TokenIssuer?

    /// Reads a file.
    /// - Parameter read: returns the text of another file that this one names.
    /// - Throws: `RightsError` with the place in the file.
    package init(
        _ text: String,
        read: (String) throws(RightsError) -> String = { path throws(RightsError) in
            throw RightsError("\(path) cannot be read")
        }
    ) throws(RightsError) {
        sources = [ExactText(text)]
        let document: JSONDocument
        do { document = try JSONDocument(text) } catch {
            throw RightsError("it is not JSON: \(error)")
        }
        guard document.root.kind == .object else { throw RightsError("it is no JSON object") }
        do {
            try document.root.forEachMember { name, node in
                switch name {
                case "roles": try readRoles(node)
                case "tokens": try readTokens(node)
                case "anonymous": anonymous = try Self.text(node, "anonymous")
                case "jwt":
                    issuer = try TokenIssuer(node) { path throws(RightsError) in
                        let text = try read(path)
                        sources.append(ExactText(text))
                        return text
                    }
                default:
                    throw RightsError(
                        "there is no key \(name) (it has roles, tokens, anonymous and jwt)")
                }
            }
        } catch let error as RightsError { throw error } catch {
            throw RightsError("\(error)")
        }
        for token in tokens { try checkRole(token.role, of: "the token \(token.name)") }
        if let anonymous { try checkRole(anonymous, of: "anonymous") }
        if let role = issuer?.defaultRole {
            guard roles[role] != nil else {
                throw RightsError(
                    "jwt: defaultRole: \(role) is not among the roles")
            }
        }
        issuer?.roles = Set(roles.keys.map(ExactText.init))
        if anonymous == Self.all {
            throw RightsError(
                "anonymous: requests without a token cannot have the role \(Self.all); start "
                    + "without rights, or name a role")
        }
    }

    private func checkRole(_ name: String, of what: String) throws(RightsError) {
        guard name == Self.all || roles[name] != nil else {
            throw RightsError("\(what) has the role \(name), which is not among the roles")
        }
    }

    private mutating func readRoles(_ node: JSONNode) throws {
        guard node.kind == .object else { throw RightsError("roles is no object") }
        try node.forEachMember { name, node in
            if name == Self.all {
                throw RightsError("the role \(Self.all) is there already, and gives all rights")
            }
            guard node.kind == .object else {
                throw RightsError("the role \(name) is no object with the rights by entity")
            }
            var rights: [String: [Rights.Verb: RoleDeclaration.Right]] = [:]
            var service: Set<Rights.ServiceRoute> = []
            try node.forEachMember { key, node in
                let place = "the role \(name): \(key)"
                guard key.hasPrefix("/") else {
                    rights[key] = try Self.verbs(node, place)
                    return
                }
                let route = try Self.serviceRoute(key, place)
                guard let isGiven = node.bool else {
                    throw RightsError("\(place) is neither true nor false")
                }
                if isGiven { service.insert(route) }
            }
            roles[name] = RoleDeclaration(name, rights, service: service)
        }
    }

    private static func serviceRoute(
        _ key: String, _ place: String
    ) throws(RightsError) -> Rights.ServiceRoute {
        if let route = Rights.ServiceRoute(rawValue: key) { return route }
        let all = Rights.ServiceRoute.allCases.map(\.rawValue).joined(separator: ", ")
        throw RightsError("\(place) is no route that a role can be given (there are \(all))")
    }

    private static func verbs(
        _ node: JSONNode, _ place: String
    ) throws -> [Rights.Verb: RoleDeclaration.Right] {
        var rights: [Rights.Verb: RoleDeclaration.Right] = [:]
        guard node.kind == .object else {
            throw RightsError(
                "\(place) is no object, such as {\"read\": true, \"update\": \"owner == $USER\"}")
        }
        try node.forEachMember { key, node in
            guard let verb = Rights.Verb(rawValue: key) else {
                let verbs = Rights.Verb.allCases.map(\.rawValue).joined(separator: ", ")
                throw RightsError("\(place): there is no right \(key) (there are \(verbs))")
            }
            rights[verb] = try right(node, "\(place): \(key)")
        }
        return rights
    }

    private static func right(
        _ node: JSONNode, _ place: String
    ) throws -> RoleDeclaration.Right {
        if let isGiven = node.bool { return isGiven ? .all : .none }
        guard let text = node.string else {
            throw RightsError("\(place) is neither true, false nor a predicate")
        }
        do {
            let predicate = try Predicate(format: text)
            let free = predicate.freeVariables.subtracting([RoleDeclaration.user])
            if let other = free.sorted().first {
                throw RightsError(
                    "\(place): the only variable of a rule is $\(RoleDeclaration.user), not "
                        + "$\(other)")
            }
            // Its answers would change without a save, and entity tags and streams follow saves.
            if predicate.isVolatile {
                throw RightsError("\(place): a rule cannot use now() or random()")
            }
            return .rows(predicate, text: text)
        } catch let error as PredicateError {
            throw RightsError("\(place): \(error)")
        }
    }

    private mutating func readTokens(_ node: JSONNode) throws {
        guard node.kind == .array else { throw RightsError("tokens is no list") }
        try node.forEachElement { node in
            let place = "tokens[\(tokens.count)]"
            guard node.kind == .object else { throw RightsError("\(place) is no object") }
            var texts: [String: String] = [:]
            try node.forEachMember { key, node in
                guard ["name", "sha256", "role", "user"].contains(key) else {
                    throw RightsError(
                        "\(place): there is no key \(key) (a token has name, sha256, role and "
                            + "user)")
                }
                texts[key] = try Self.text(node, "\(place): \(key)")
            }
            guard let name = texts["name"], let hash = texts["sha256"], let role = texts["role"]
            else {
                throw RightsError("\(place) lacks name, sha256 or role: stele token makes it")
            }
            guard let hash = Self.bytes(hash), hash.count == 32 else {
                throw RightsError("\(place): sha256 is not 64 hexadecimal digits")
            }
            if let reason = Self.refusal(ofName: name) { throw RightsError("\(place): \(reason)") }
            if tokens.contains(where: { $0.name == name }) {
                throw RightsError("\(place): there are two tokens with the name \(name)")
            }
            if tokens.contains(where: { $0.hash == hash }) {
                throw RightsError("\(place): another token has the same sha256")
            }
            tokens.append(
                Token(name: name, hash: hash, role: role, user: texts["user"] ?? name))
        }
    }

    static func text(_ node: JSONNode, _ place: String) throws -> String {
        guard let text = node.string, !text.isEmpty,
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 })
        else {
            throw RightsError("\(place) is no text, or has control characters")
        }
        return text
    }

    /// The bytes of hexadecimal digits; nil for other text.
    private static func bytes(_ text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        var bytes: [UInt8] = []
        for place in stride(from: 0, to: digits.count - 1, by: 2) {
            let pair = String(decoding: digits[place...place + 1], as: UTF8.self)
            guard let byte = UInt8(pair, radix: 16), pair.first != "+" else { return nil }
            bytes.append(byte)
        }
        return digits.count % 2 == 0 ? bytes : nil
    }
}
