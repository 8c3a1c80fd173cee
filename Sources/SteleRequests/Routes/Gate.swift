/// Admits requests: Host, Origin and the bearer token are checked before anything else.

import SteleHTTP

/// The checks that keep a web page from reaching the service through a user's browser.
package struct Gate: Sendable {
    private let allowedHosts: Set<String>
    private let token: [UInt8]?
    /// The path of the health check, which needs no token: it tells only that the service is alive.
    private let healthPath: String

    package init(allowedHosts: [String], token: String?, healthPath: String) {
        self.healthPath = healthPath
        self.allowedHosts = Set(allowedHosts.map { $0.lowercased() })
        self.token = token.map { Array($0.utf8) }
    }

    /// - Throws: `Problem`: 403 for a host or origin that is not allowed, 401 without the token.
    package func admit(_ request: Request) throws {
        if let host = request.headers["Host"], !isAllowed(host) { throw refused(host: host) }
        if let origin = request.headers["Origin"] { try check(origin, request.headers["Host"]) }
        if token != nil, request.path != healthPath { try checkToken(request.headers) }
    }

    /// Whether `admit` accepts the request. It is faster for requests without an Origin.
    package func admitsPlainly(_ request: Request) -> Bool {
        guard token == nil else { return (try? admit(request)) != nil }
        if let host = request.headers["Host"], !isAllowed(host) { return false }
        return !request.headers.contains("Origin") || (try? admit(request)) != nil
    }

    private func check(_ origin: String, _ host: String?) throws {
        if let start = origin.firstRange(of: "://")?.upperBound {
            let name = Self.name(of: origin[start...])
            if let host, name == Self.name(of: host[...]) { return }
            if allowedHosts.contains(name) { return }
        }
        throw Problem(
            .origin, "pages of \(origin.prefix(200)) may not call this service",
            hint: "open the page from this host, or allow its host by --allow-host")
    }

    private func refused(host: String) -> Problem {
        Problem(
            .host, "\(host.prefix(200)) is not a host of this service",
            hint: "use an IP address or localhost, or allow the name by --allow-host")
    }

    private func checkToken(_ headers: HTTPHeaders) throws {
        let given = headers["Authorization"] ?? ""
        let scheme = "bearer "
        let hasScheme = given.lowercased().hasPrefix(scheme)
        let presented = hasScheme ? Array(given.utf8.dropFirst(scheme.utf8.count)) : []
        guard let token, !Self.equal(token, presented) else { return }
        throw Problem(
            .token,
            given.isEmpty
                ? "the request has no Authorization header"
                : hasScheme
                    ? "the token is wrong"
                    : "the Authorization header does not begin with Bearer and a space",
            hint: "send Authorization: Bearer TOKEN",
            headers: [("WWW-Authenticate", "Bearer realm=\"stele\"")])
    }

    /// Compares in constant time, so that the time reveals nothing of the token.
    private static func equal(_ token: [UInt8], _ presented: [UInt8]) -> Bool {
        var difference = token.count ^ presented.count
        for index in token.indices {
            let other = index < presented.count ? presented[index] : 0
            difference |= Int(token[index] ^ other)
        }
        return difference == 0
    }

    private func isAllowed(_ host: String) -> Bool {
        let utf8 = host.utf8
        guard let first = utf8.first else { return false }
        if first == UInt8(ascii: "["), let end = utf8.firstIndex(of: UInt8(ascii: "]")) {
            return utf8[utf8.index(after: utf8.startIndex)..<end].allSatisfy(Self.isOfIPv6)
        }
        var dots = 0
        for byte in utf8 {
            if byte == UInt8(ascii: ":") { break }
            if byte == UInt8(ascii: ".") {
                dots += 1
            } else if !(0x30...0x39).contains(byte) {
                let name = Self.name(of: host[...])
                return name == "localhost" || allowedHosts.contains(name)
            }
        }
        return dots == 3
    }

    private static func isOfIPv6(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        case UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "%"): true
        default: false
        }
    }

    /// The host of an authority, in lower case and without its port.
    private static func name(of authority: Substring) -> String {
        if authority.first == "[", let end = authority.firstIndex(of: "]") {
            return authority[...end].lowercased()
        }
        return authority.prefix { $0 != ":" && $0 != "/" }.lowercased()
    }
}
