/// A connection to a service, for commands that send requests.

import Glibc

/// A socket that waits for a bounded time, and is closed when it is released.
final class ClientSocket {
    private let descriptor: Int32
    private var session: TLSSession?

    /// Connects to the first address of the host that accepts.
    /// - Parameters:
    ///   - trust: which certificates are trusted; nil for a connection without TLS.
    ///   - seconds: how long each step may wait.
    /// - Throws: `Failure` where none accepts, or it is not trusted.
    init(host: String, port: Int, trust: TLSSession.Trust?, seconds: Int) throws {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_family = AF_UNSPEC
        var found: UnsafeMutablePointer<addrinfo>?
        let name = host.filter { $0 != "[" && $0 != "]" }
        guard getaddrinfo(name, String(port), &hints, &found) == 0 else {
            throw Failure("there is no host \(host)")
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
                if connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 {
                    self.descriptor = descriptor
                    session = try trust.map { try TLSSession(on: descriptor, to: name, $0) }
                    return
                }
                close(descriptor)
            }
            next = address.ai_next
        }
        throw Failure("nothing listens on \(host) port \(port)")
    }

    deinit {
        session = nil
        close(descriptor)
    }

    /// Makes reading wait without end, as long as the other system responds: it is probed every 15
    /// s, and the connection ends after four probes without a response (RFC 9293, 3.8.4).
    func waitsWhileAnswered() {
        var none = timeval()
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &none, socklen_t(MemoryLayout<timeval>.size))
        let size = socklen_t(MemoryLayout<Int32>.size)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &yes, size)
        for (option, var number) in [
            (TCP_KEEPIDLE, Int32(15)), (TCP_KEEPINTVL, 15), (TCP_KEEPCNT, 4),
        ] {
            setsockopt(descriptor, Int32(IPPROTO_TCP), option, &number, size)
        }
    }

    /// Sends the whole text. An error shows when the response is read.
    func send(_ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { bytes in
                session?.send(bytes)
                    ?? Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// The next bytes; nil where the connection is closed, or none came in time.
    func receive() -> [UInt8]? {
        var room = [UInt8](repeating: 0, count: 16 << 10)
        let count =
            room.withUnsafeMutableBytes { session?.receive($0) }
            ?? recv(descriptor, &room, room.count, 0)
        return count > 0 ? Array(room.prefix(count)) : nil
    }
}
