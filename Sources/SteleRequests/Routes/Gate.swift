/// Admits requests: Host, Origin and the token are checked before anything else.

import SteleHTTP

/// The checks that keep a web page from reaching the service through a user's browser.
package struct Gate: Sendable {
    private let allowedHosts: Set<String>
    package let access: Access
    /// The pages of other origins that may call the service; nil for none.
    private let crossOrigin: CrossOrigin?
    /// The paths of the checks whether the service is alive and ready, which need no token.
    private let healthPath: String
    private let readinessPath: String
    private let basePath: String
    /// The beginning of the paths of the page's files; nil for no page.
    private let pagePath: String?

    /// - Parameter page: the first segment of the page's files; empty for no page.
    package init(
        allowedHosts: [String], access: Access, crossOrigin: CrossOrigin?, basePath: String,
        page: String = ""
    ) {
        self.basePath = basePath
        pagePath = page.isEmpty ? nil : "\(basePath)/\(page)/"
        healthPath = basePath + RoutePattern.health.rawValue
        readinessPath = basePath + RoutePattern.readiness.rawValue
        self.crossOrigin = crossOrigin
        self.allowedHosts = Set(allowedHosts.map { $0.lowercased() })
        self.access = access
    }

    /// - Returns: what the sender may do.
    /// - Throws: `Problem`: 403 for a host or origin that is not allowed, 401 without a token.
    package func admit(_ request: Request) throws -> Rights {
        if let host = request.headers["Host"], !isAllowed(host) { throw refused(host: host) }
        if let origin = request.headers["Origin"] { try check(origin, request.headers["Host"]) }
        guard isHealthCheck(request) || isForPage(request) else {
            return try access.rights(of: request)
        }
        return (try? access.rights(of: request)) ?? .withoutToken
    }

    /// The answer to a browser that asks whether a page of another origin may send a request; nil
    /// for other requests.
    /// - Throws: `Problem`, 403, for a host that is not allowed.
    package func preflight(_ request: Request) throws -> Response? {
        guard let answer = crossOrigin?.preflight(request) else { return nil }
        if let host = request.headers["Host"], !isAllowed(host) { throw refused(host: host) }
        return answer
    }

    /// Whether a request asks how the service is.
    func isHealthCheck(_ request: Request) -> Bool {
        request.path == healthPath || request.path == readinessPath
    }

    /// Whether a browser asks for the page or one of its files. They have no data, and the page has a
    /// login.
    private func isForPage(_ request: Request) -> Bool {
        guard let pagePath else { return false }
        // By bytes, as the routes are matched.
        if request.path.utf8.starts(with: pagePath.utf8) { return true }
        return (request.path == basePath + "/" || request.path == basePath)
            && Accept(request.headers.list("Accept")).prefersPage
    }

    /// Whether `admit` accepts the request, and all objects are visible to its token. It is faster for
    /// requests without an Origin.
    package func admitsPlainly(_ request: Request) -> Bool {
        if let host = request.headers["Host"], !isAllowed(host) { return false }
        if access.isOpen, !request.headers.contains("Origin") { return true }
        guard let rights = try? admit(request) else { return false }
        return rights.sight == nil
    }

    private func check(_ origin: String, _ host: String?) throws {
        if crossOrigin?.allows(origin) ?? false { return }
        if let start = origin.firstRange(of: "://")?.upperBound {
            let name = Self.name(of: origin[start...])
            if let host, name == Self.name(of: host[...]) { return }
            if allowedHosts.contains(name) { return }
        }
        throw Problem(
            .origin, "pages of \(origin.prefix(200)) may not call this service",
            hint: "open the page from this host, or allow its origin by --cors")
    }

    private func refused(host: String) -> Problem {
        Problem(
            .host, "\(host.prefix(200)) is not a host of this service",
            hint: "use an IP address or localhost, or allow the name by --allow-host")
    }

    private func isAllowed(_ host: String) -> Bool {
        let utf8 = host.utf8
        guard let first = utf8.first else { return false }
        if first == UInt8(ascii: "["), let end = utf8.firstIndex(of: UInt8(ascii: "]")) {
            let rest = utf8[utf8.index(after: end)...]
            return (rest.isEmpty || rest.first == UInt8(ascii: ":"))
                && utf8[utf8.index(after: utf8.startIndex)..<end].allSatisfy(Self.isOfIPv6)
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
