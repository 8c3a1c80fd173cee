/// The response of an event stream.

import SteleHTTP

extension Response {
    /// 200 with an event stream, which caches must not keep and proxies must not buffer.
    package static func events(_ stream: EventStream) -> Response {
        Response(
            status: 200,
            headers: [
                ("Content-Type", "text/event-stream"), ("Cache-Control", "no-store"),
                ("X-Accel-Buffering", "no"),
            ],
            body: .events(stream))
    }
}
