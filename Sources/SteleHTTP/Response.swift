// An answer as the rest of Stele gives it.

import CMicroHTTPD
import Glibc

/// An HTTP answer. `Date`, `Content-Length`, `Transfer-Encoding` and `Connection` are set on the
/// way out; a field whose name or value would break the head (a line break in it) is left out.
public struct Response: Sendable {
    /// What follows the head.
    public enum Body: Sendable {
        /// Nothing.
        case none
        /// These bytes, with their `Content-Length`.
        case bytes([UInt8])
        /// What the producer writes, chunked; it runs on a thread of a bounded pool. When it
        /// throws, the connection is broken off without a last chunk. It does not run for `HEAD`.
        case stream(@Sendable (BodyWriter) throws -> Void)
        /// These bytes of a file, with their `Content-Length`.
        case file(FileBody, Range<Int>)
        /// What is sent to the stream, until it is finished or dropped.
        case events(EventStream)
    }

    /// The status, 200 to 599.
    public var status: Int
    /// The header fields, in the order they go out.
    public var headers: [(name: String, value: String)]
    /// The body.
    public var body: Body

    public init(
        status: Int, headers: [(name: String, value: String)] = [], body: Body = .none
    ) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension Response {
    /// Bytes of the head as it goes out, at most: with what libmicrohttpd adds to the fields.
    var headBytes: Int {
        headers.reduce(512) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    }

    /// The answer as bytes, the last of its connection; a body that is not bytes is left out.
    func closingMessage(withBody: Bool) -> [UInt8] {
        var body: [UInt8] = []
        if case .bytes(let bytes) = self.body { body = bytes }
        let reason = String(cString: MHD_get_reason_phrase_for(UInt32(status)))
        var message = Array("HTTP/1.1 \(status) \(reason)\r\n".utf8)
        let own = [
            ("Date", Self.date), ("Content-Length", String(body.count)), ("Connection", "close"),
        ]
        for (name, value) in own + headers.map({ ($0.name, $0.value) })
        where !(name + value).utf8.contains(where: { $0 == 13 || $0 == 10 }) {
            message += "\(name): \(value)\r\n".utf8
        }
        message += "\r\n".utf8
        return withBody ? message + body : message
    }

    /// The time now as the field `Date` has it (RFC 9110, 5.6.7).
    private static var date: String {
        var now = time(nil)
        var date = tm()
        gmtime_r(&now, &date)
        var text = [CChar](repeating: 0, count: 64)
        let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &date)
        return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
