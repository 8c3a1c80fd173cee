/// A TCP connection to a service, for the commands that ask one.

import Glibc

/// A socket that waits for a bounded time, and is closed with its last reference.
final class PlainSocket {
    private let descriptor: Int32

    /// Connects to the first address of the host that answers.
    /// - Parameter seconds: how long each step may wait.
    /// - Throws: `Failure` where nothing listens there.
    init(host: String, port: Int, seconds: Int) throws {
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
                    return
                }
                close(descriptor)
            }
            next = address.ai_next
        }
        throw Failure("nothing listens on \(host) port \(port)")
    }

    deinit { close(descriptor) }

    /// From here on reading waits as long as the other side's system answers, asked every 15 s, and
    /// ends a minute after it does not (RFC 9293, 3.8.4).
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

    /// Sends a request whole; what cannot be sent is found out by reading.
    func send(_ text: String) {
        let bytes = Array(text.utf8)
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// What comes next; nil where the other side has ended, or nothing came in time.
    func receive() -> [UInt8]? {
        var room = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(descriptor, &room, room.count, 0)
        return count > 0 ? Array(room.prefix(count)) : nil
    }
}
