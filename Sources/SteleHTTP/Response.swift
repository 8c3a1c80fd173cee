// A response, as a value.

import CMicroHTTPD
import Glibc

/// An HTTP response. Sending it adds `Date`, `Content-Length`, `Transfer-Encoding` and
/// `Connection`, and omits a field with a line break in its name or value.
public struct Response: Sendable {
    /// The body of a response.
    public enum Body: Sendable {
        /// No body.
        case none
        /// These bytes, with a `Content-Length`.
        case bytes([UInt8])
        /// The bytes that the producer writes, chunked. It runs on a thread of a bounded pool.
        /// Where it throws, the connection ends without a last chunk. It does not run for `HEAD`.
        case stream(@Sendable (BodyWriter) throws -> Void)
        /// These bytes of a file, with a `Content-Length`.
        case file(FileBody, Range<Int>)
        /// The buffers that are sent to the stream, until it is finished or dropped.
        case events(EventStream)
    }

    /// The status, 200 to 599.
    public var status: Int
    /// The header fields, in the order in which they are sent.
    public var headers: [(name: String, value: String)]
    /// The body.
    public var body: Body
    /// Called once when the response has ended, on any thread, which must not wait; nil where nobody
    /// asks. It is also called for a response that is discarded because its client has gone.
    public var onEnd: (@Sendable (Ending) -> Void)?

    /// How a response ended.
    public struct Ending: Sendable, Hashable {
        /// Bytes of the body, without chunk headers: those that were taken of a stream, and the
        /// whole length of a body that has one.
        public var bodyBytes: Int
        /// Whether all of it was.
        public var isWhole: Bool

        /// An ending.
        public init(bodyBytes: Int, isWhole: Bool) {
            self.bodyBytes = bodyBytes
            self.isWhole = isWhole
        }
    }

    /// A response.
    public init(
        status: Int, headers: [(name: String, value: String)] = [], body: Body = .none
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension Response {
    /// The most bytes of the head as it is sent, with the fields that libmicrohttpd adds.
    var headBytes: Int {
        headers.reduce(512) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    }

    /// The body; empty where it is not bytes.
    var wholeBody: [UInt8] { if case .bytes(let bytes) = body { bytes } else { [] } }

    /// The head as bytes, of the last response of its connection.
    var closingHead: [UInt8] {
        let reason = String(cString: MHD_get_reason_phrase_for(UInt32(status)))
        var message = Array("HTTP/1.1 \(status) \(reason)\r\n".utf8)
        let own = [
            ("Date", Self.date), ("Content-Length", String(wholeBody.count)),
            ("Connection", "close"),
        ]
        for (name, value) in own + headers.map({ ($0.name, $0.value) })
        where !(name + value).utf8.contains(where: { $0 == 13 || $0 == 10 }) {
            message += "\(name): \(value)\r\n".utf8
        }
        message += "\r\n".utf8
        return message
    }

    /// The time now, in the form of the field `Date` (RFC 9110, 5.6.7).
    private static var date: String {
        var now = time(nil)
        var date = tm()
        gmtime_r(&now, &date)
        var text = [CChar](repeating: 0, count: 64)
        let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &date)
        return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
