// A request as the rest of Stele sees it: complete, and a value.

import Glibc

/// A complete HTTP request. The target is as the client sent it: nothing is percent-decoded here.
public struct Request: Sendable {
    /// The method, as sent: `GET`.
    public let method: String
    /// The request target before `?`, still percent-encoded.
    public let path: String
    /// The request target after the first `?`, still percent-encoded; nil without a `?`.
    public let query: String?
    /// The header fields.
    public let headers: HTTPHeaders
    /// The body; empty when there was none.
    public internal(set) var body: [UInt8]
    /// Where the body went instead, for a request that was given a sink; all of it, when the
    /// request is complete.
    public let sink: (any BodySink)?
    /// When the request line had come, in nanoseconds of the monotonic clock.
    public let receivedAt: UInt64
    let address: RemoteAddress
    /// The connection's descriptor, open until the request is answered; -1 without one.
    var socket: Int32 = -1

    /// Whether the client has closed its side, asked of the system at each call. Only before the
    /// request is answered.
    public var clientHasGone: Bool {
        guard socket >= 0 else { return false }
        var byte: UInt8 = 0
        return withUnsafeMutableBytes(of: &byte) { peek(socket, into: $0) } == 0
    }

    /// The client's IP address as text, made at each call (it is for logs).
    public var remoteAddress: String? { address.text }

    /// A request that came over no socket, for tests and for callers inside the process.
    public init(
        method: String, path: String, query: String? = nil, headers: HTTPHeaders = HTTPHeaders(),
        body: [UInt8] = [], sink: (any BodySink)? = nil
    ) {
        self.init(
            method: method, path: path, query: query, headers: headers, body: body, sink: sink,
            receivedAt: monotonicNanoseconds(), address: RemoteAddress())
    }

    init(
        method: String, path: String, query: String?, headers: HTTPHeaders, body: [UInt8],
        sink: (any BodySink)? = nil, receivedAt: UInt64, address: RemoteAddress
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.sink = sink
        self.receivedAt = receivedAt
        self.address = address
    }
}
