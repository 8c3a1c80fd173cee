/// One GET over a plain socket.

enum HealthCheck {
    /// Where to ask.
    struct Place: Equatable {
        var host: String
        var port: Int
        var path: String

        init(host: String, port: Int, path: String) {
            self.host = host
            self.port = port
            self.path = path
        }

        /// Reads `[http://]host[:port][/path]`; without a path it is `/readyz`.
        init(_ url: String) throws {
            let address = try ServiceAddress(url)
            host = address.host
            port = address.port
            var path = address.target
            while path.hasSuffix("/") { path.removeLast() }
            self.path =
                path.hasSuffix("/readyz") || path.hasSuffix("/healthz")
                ? path : path + "/readyz"
        }
    }

    /// The status of a GET.
    /// - Throws: `Failure` where nothing answers in time, or not in HTTP.
    static func status(of place: Place, token: String?, seconds: Int) throws -> Int {
        let socket = try PlainSocket(host: place.host, port: place.port, seconds: seconds)
        var request = "GET \(place.path) HTTP/1.1\r\nHost: \(place.host)\r\nConnection: close\r\n"
        if let token { request += "Authorization: Bearer \(token)\r\n" }
        socket.send(request + "\r\n")
        var head: [UInt8] = []
        while head.count < 12, let more = socket.receive() { head += more }
        let line = String(decoding: head.prefix(12), as: UTF8.self)
        guard line.hasPrefix("HTTP/1."), line.count == 12, let status = Int(line.suffix(3)) else {
            throw Failure(
                "\(place.host) port \(place.port) does not answer in time, or not in HTTP")
        }
        return status
    }
}
