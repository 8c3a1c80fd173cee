// An answer as the rest of Stele gives it.

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
