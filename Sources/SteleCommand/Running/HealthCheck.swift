/// A health check: one GET over a socket.

enum HealthCheck {
    /// The address of a health check.
    struct Place: Equatable {
        var host: String
        var port: Int
        var path: String
        /// Which certificates are trusted; nil for a service without TLS.
        var trust: TLSSession.Trust?
    }

    /// The status of a GET.
    /// - Throws: `Failure` where there is no response in time, or it is not HTTP.
    static func status(of place: Place, token: String?, seconds: Int) throws -> Int {
        let socket = try ClientSocket(
            host: place.host, port: place.port, trust: place.trust, seconds: seconds)
        var request = "GET \(place.path) HTTP/1.1\r\nHost: \(place.host)\r\nConnection: close\r\n"
        if let token { request += "Authorization: Bearer \(token)\r\n" }
        socket.send(request + "\r\n")
        var head: [UInt8] = []
        while head.count < 12, let more = socket.receive() { head += more }
        let line = String(decoding: head.prefix(12), as: UTF8.self)
        guard line.hasPrefix("HTTP/1."), line.count == 12, let status = Int(line.suffix(3)) else {
            throw Failure(
                "\(place.host) port \(place.port) does not respond in time, or not in HTTP")
        }
        return status
    }
}

extension HealthCheck.Place {
    /// Parses `[http[s]://]host[:port][/path]`; the default path is `/readyz`.
    /// - Parameter certificate: a file with certificates that are trusted besides the system's.
    init(_ url: String, trusting certificate: String? = nil) throws {
        let address = try ServiceAddress(url)
        var path = address.target
        while path.hasSuffix("/") { path.removeLast() }
        let isWhole = path.hasSuffix("/readyz") || path.hasSuffix("/healthz")
        self.init(
            host: address.host, port: address.port, path: isWhole ? path : path + "/readyz",
            trust: address.isTLS ? .system(and: certificate) : nil)
    }
}
