/// The response of an event stream.

import SteleHTTP

extension Response {
    /// 200 with an event stream, which caches must not keep and proxies must not buffer.
    package static func events(_ stream: EventStream) -> Response {
        Response(
            status: 200,
            headers: [
                // Some clients take text without a charset for ISO 8859-1.
                ("Content-Type", "text/event-stream; charset=utf-8"),
                ("Cache-Control", "no-store"), ("X-Accel-Buffering", "no"),
            ],
            body: .events(stream))
    }
}
