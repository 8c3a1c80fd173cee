/// One GET over a plain socket.

import Glibc

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
            let scheme = "http://"
            let hasScheme = url.lowercased().hasPrefix(scheme)
            guard hasScheme || url.firstRange(of: "://") == nil else {
                throw Failure(
                    "a URL here begins with http://, such as http://127.0.0.1:8080: \(url)")
            }
            let rest = hasScheme ? url.dropFirst(scheme.count) : url[...]
            let slash = rest.firstIndex(of: "/") ?? rest.endIndex
            var authority = rest[..<slash]
            var path = String(rest[slash...])
            while path.hasSuffix("/") { path.removeLast() }
            port = 80
            let colon = authority.lastIndex(of: ":")
            if let colon, !authority[colon...].contains("]") {
                guard let number = Int(authority[authority.index(after: colon)...]),
                    (1...65_535).contains(number)
                else { throw Failure("the URL's port is a number from 1 to 65535: \(url)") }
                port = number
                authority = authority[..<colon]
            }
            guard !authority.isEmpty else { throw Failure("the URL names no host: \(url)") }
            host = String(authority)
            self.path =
                path.hasSuffix("/readyz") || path.hasSuffix("/healthz")
                ? path : path + "/readyz"
        }
    }

    /// The status of a GET.
    /// - Throws: `Failure` where nothing answers in time, or not in HTTP.
    static func status(of place: Place, token: String?, seconds: Int) throws -> Int {
        let socket = try connect(place, seconds: seconds)
        defer { close(socket) }
        var head = "GET \(place.path) HTTP/1.1\r\nHost: \(place.host)\r\nConnection: close\r\n"
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        write(head + "\r\n", to: socket)
        return try answer(socket, of: place)
    }

    private static func answer(_ socket: Int32, of place: Place) throws -> Int {
        var head: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 64)
        while head.count < 12 {
            let count = recv(socket, &room, room.count, 0)
            guard count > 0 else { break }
            head += room.prefix(count)
        }
        let line = String(decoding: head.prefix(12), as: UTF8.self)
        guard line.hasPrefix("HTTP/1."), line.count == 12, let status = Int(line.suffix(3)) else {
            throw Failure(
                "\(place.host) port \(place.port) does not answer in time, or not in HTTP")
        }
        return status
    }

    private static func connect(_ place: Place, seconds: Int) throws -> Int32 {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_family = AF_UNSPEC
        var found: UnsafeMutablePointer<addrinfo>?
        let host = place.host.filter { $0 != "[" && $0 != "]" }
        guard getaddrinfo(host, String(place.port), &hints, &found) == 0 else {
            throw Failure("there is no host \(place.host)")
        }
        defer { freeaddrinfo(found) }
        var next = found
        while let address = next?.pointee {
            let descriptor = socket(address.ai_family, address.ai_socktype, address.ai_protocol)
            if descriptor >= 0 {
                var patience = timeval(tv_sec: seconds, tv_usec: 0)
                let size = socklen_t(MemoryLayout<timeval>.size)
                setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, size)
                setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, size)
                if Glibc.connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 {
                    return descriptor
                }
                close(descriptor)
            }
            next = address.ai_next
        }
        throw Failure("nothing listens on \(place.host) port \(place.port)")
    }
}
