// The listening socket. It is created here, for errors that name the address.

// <sys/socket.h> belongs to whichever of the two modules the compiler reads first.
import CMicroHTTPD
import Glibc
import SteleSystem

/// An address that is taken before the server on it starts, so that a program which cannot serve
/// ends before it has made anything. No client can connect until the server listens.
public final class ReservedAddress: Sendable {
    private let host: String
    private let port: Int
    /// Nil once a server has it.
    private let socket: Mutex<Int32?>

    /// Takes the address of a configuration.
    /// - Throws: `HTTPServerError`, which names the address or the setting.
    public init(_ configuration: HTTPServer.Configuration) throws(HTTPServerError) {
        try configuration.check()
        (host, port) = (configuration.host, configuration.port)
        socket = Mutex(try Listener.bind(host: host, port: port))
    }

    deinit { if let socket = socket.withLock({ $0 }) { close(socket) } }

    /// The socket, which listens and belongs to the caller.
    func listen(backlog: Int) throws(HTTPServerError) -> Int32 {
        let taken = socket.withLock { socket in
            defer { socket = nil }
            return socket
        }
        guard let taken else { throw .portInUse(host: host, port: port) }
        guard Glibc.listen(taken, Int32(clamping: max(backlog, 1))) == 0 else {
            let failure = errno
            close(taken)
            throw Listener.error(failure, host: host, port: port)
        }
        return taken
    }
}

enum Listener {
    /// A bound, non-blocking socket.
    static func bind(host: String, port: Int) throws(HTTPServerError) -> Int32 {
        guard (0...65535).contains(port) else {
            throw .setting(name: "port", reason: "\(port) is not between 0 and 65535")
        }
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host.isEmpty ? nil : host, String(port), &hints, &found)
        guard status == 0 else {
            let reason = String(cString: gai_strerror(status))
            throw .address(host: host, port: port, reason: reason)
        }
        defer { freeaddrinfo(found) }
        // IPv4 first: `localhost` has ::1 in the hosts file of many systems without IPv6.
        var failure = ENOENT
        for family in [AF_INET, AF_INET6] {
            var next = found
            while let candidate = next?.pointee {
                next = candidate.ai_next
                guard candidate.ai_family == family else { continue }
                let socket = bind(candidate)
                if socket >= 0 { return socket }
                failure = errno
            }
        }
        throw error(failure, host: host, port: port)
    }

    static func error(_ failure: Int32, host: String, port: Int) -> HTTPServerError {
        if failure == EADDRINUSE { return .portInUse(host: host, port: port) }
        return .address(host: host, port: port, reason: String(cString: strerror(failure)))
    }

    private static func bind(_ address: addrinfo) -> Int32 {
        let type = address.ai_socktype | Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = Glibc.socket(address.ai_family, type, address.ai_protocol)
        guard socket >= 0 else { return -1 }
        var yes: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, size)
        guard Glibc.bind(socket, address.ai_addr, address.ai_addrlen) == 0 else {
            let failure = errno
            close(socket)
            errno = failure
            return -1
        }
        return socket
    }

    /// The port of a listening socket.
    static func port(of socket: Int32) -> Int {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutableBytes(of: &storage) { bytes -> Int32 in
            guard let start = bytes.baseAddress else { return -1 }
            return getsockname(socket, start.assumingMemoryBound(to: sockaddr.self), &length)
        }
        guard status == 0 else { return 0 }
        // The port is at the same place in IPv4 and IPv6 addresses.
        return withUnsafeBytes(of: &storage) { bytes in
            Int(bytes[2]) << 8 | Int(bytes[3])
        }
    }
}
