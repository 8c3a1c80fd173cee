// A complete request, as a value.

import CLinux
import Glibc
import SteleSystem

/// A complete HTTP request. The target is not percent-decoded.
public struct Request: Sendable {
    /// The method, as sent: `GET`.
    public let method: String
    /// The request target before `?`, still percent-encoded. Scheme and host of an absolute target
    /// are not in it: `headers` has the host as `Host`.
    public let path: String
    /// The request target after the first `?`, still percent-encoded; nil without a `?`.
    public let query: String?
    /// The header fields.
    public let headers: HTTPHeaders
    /// The body; empty where there is none.
    public internal(set) var body: [UInt8]
    /// The sink that receives the body instead; nil if `body` has it. A request that is refused
    /// before its end has given it a part of the body, or nothing.
    public let sink: (any BodySink)?
    /// When the request line had come, in nanoseconds of `MonotonicClock`.
    public let receivedAt: UInt64
    /// The connection's descriptor, open until the request is answered; -1 without one.
    var socket: Int32 = -1

    /// Whether the client has closed the connection; a system call. Valid until the request is
    /// answered.
    public var clientHasGone: Bool {
        guard socket >= 0 else { return false }
        var look = pollfd(fd: socket, events: stele_departure, revents: 0)
        return poll(&look, 1, 0) > 0
    }

    /// What tells clients without a token apart: as `clientAddress`, but of an IPv6 address only the
    /// first 64 bits, which one client has to itself (RFC 6177).
    public var clientNetwork: String {
        let address = clientAddress
        var bytes = in6_addr()
        guard inet_pton(AF_INET6, String(address.prefix { $0 != "%" }), &bytes) == 1 else {
            return address
        }
        return withUnsafeBytes(of: &bytes) { bytes in
            // An IPv4 address in the form of IPv6 (RFC 4291, 2.5.5.2).
            if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10] == 0xFF { return address }
            return "\(bytes[..<8].map { String($0, radix: 16) }.joined(separator: ".")) /64"
        }
    }

    /// The address of the client, without its port; empty without a socket. A system call. Valid
    /// until the request is answered.
    public var clientAddress: String {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getpeername(socket, $0, &length)
            }
        }
        guard socket >= 0, status == 0 else { return "" }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let named = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                getnameinfo(
                    $0, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
            }
        }
        guard named == 0 else { return "" }
        return String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A request without a socket, as tests and callers inside the process make it.
    public init(
        method: String, path: String, query: String? = nil, headers: HTTPHeaders = HTTPHeaders(),
        body: [UInt8] = [], sink: (any BodySink)? = nil, receivedAt: UInt64 = MonotonicClock.now
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.sink = sink
        self.receivedAt = receivedAt
    }
}
