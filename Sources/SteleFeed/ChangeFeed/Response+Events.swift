/// The head of an event stream's answer.

import SteleHTTP

extension Response {
    /// 200 with a stream of events, which no cache may keep and no proxy hold back.
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
