// A server with a few routes, each there to show one thing.

import Glibc
import SteleHTTP
import SteleSystem

/// What the routes leave behind for a test to look at.
final class Seen: Sendable {
    let requests = Mutex<[Request]>([])
    let streams = Mutex<[EventStream]>([])
    /// Those of `/pending…` requests.
    let replies = Mutex<[Reply]>([])
    let closed = Atomic<Int>(0)
    let errors = Mutex<[BodyWriterError]>([])
    let produced = Atomic<Int>(0)
    let gate = Atomic<Bool>(false)

    func waitAtGate() {
        while !gate.load(ordering: .acquiring) { usleep(1000) }
    }

    /// Waits up to some seconds for what another thread brings about.
    func eventually(_ condition: () -> Bool) -> Bool {
        for _ in 0..<5000 {
            if condition() { return true }
            usleep(2000)
        }
        return condition()
    }
}

func text(_ text: String, status: Int = 200) -> Response {
    Response(
        status: status, headers: [("Content-Type", "text/plain")], body: .bytes(Array(text.utf8)))
}

/// `/inline…` is answered on the pool thread, `/pending…` when the test says so, the rest by a
/// worker.
func startServer(
    seen: Seen = Seen(), _ configure: (inout HTTPServer.Configuration) -> Void = { _ in }
) throws -> HTTPServer {
    var configuration = HTTPServer.Configuration()
    configuration.threads = 4
    configure(&configuration)
    return try HTTPServer(
        configuration,
        answer: { request in
            seen.requests.withLock { $0.append(request) }
            if request.path == "/events" { return .done(events(seen, capacity: 1 << 20)) }
            if request.path == "/small-events" { return .done(events(seen, capacity: 4096)) }
            if request.path.hasPrefix("/pending") {
                return .pending { reply in seen.replies.withLock { $0.append(reply) } }
            }
            if request.path.hasPrefix("/inline") { return .done(echo(request)) }
            let waits = request.method != "GET" || request.path.hasPrefix("/turn")
            return later(by: waits ? .waiting : .reading) { respond(to: request, seen: seen) }
        },
        refuse: { refusal in
            text("refused: \(refusal.message)", status: refusal.status)
        })
}

/// A step that a worker takes to the answer.
func later(
    by workers: Later.Workers, _ respond: @escaping @Sendable () -> Response
) -> Step {
    .later(Later(by: workers) { .done(respond()) })
}

func echo(_ request: Request) -> Response {
    var response = text("\(request.method) \(request.path) \(request.query ?? "-") ")
    response.headers.append(("X-Body-Count", String(request.body.count)))
    if request.path == "/inline/link" {
        response.headers.append(("Link", "</\(request.query ?? "")>"))
    }
    if case .bytes(let bytes) = response.body { response.body = .bytes(bytes + request.body) }
    return response
}

private func respond(to request: Request, seen: Seen) -> Response {
    switch request.path {
    case "/gate", "/turn":
        seen.waitAtGate()
        return echo(request)
    case "/stream":
        let pieces = request.query.flatMap { Int($0) } ?? 10
        return Response(
            status: 200,
            body: .stream { writer in
                do {
                    for index in 0..<pieces {
                        try writer.write(pattern(index))
                        seen.produced.add(1, ordering: .relaxed)
                    }
                } catch let error as BodyWriterError {
                    seen.errors.withLock { $0.append(error) }
                    throw error
                }
            })
    case "/large":
        let pieces = request.query.flatMap { Int($0) } ?? 10
        return Response(status: 200, body: .bytes((0..<pieces).flatMap(pattern)))
    case "/broken":
        return Response(
            status: 200,
            body: .stream { writer in
                try writer.write(Array("half of it".utf8))
                while !seen.gate.load(ordering: .acquiring) { usleep(1000) }
                throw RawClientError.closed
            })
    default: return echo(request)
    }
}

/// A piece of 16 KiB that says which one it is.
func pattern(_ index: Int) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: index), count: 16 << 10)
}

private func events(_ seen: Seen, capacity: Int) -> Response {
    let stream = EventStream(capacity: capacity) { seen.closed.add(1, ordering: .relaxed) }
    seen.streams.withLock { $0.append(stream) }
    return Response(
        status: 200, headers: [("Content-Type", "text/event-stream")], body: .events(stream))
}

extension Refusal {
    /// The status that stands for it.
    var status: Int {
        switch self {
        case .bodyTooLarge: 413
        case .targetTooLong, .answerHeadTooLarge: 414
        case .headTooLarge: 431
        case .busy, .stopping, .unfinished: 503
        case .malformed: 400
        case .unknownTransferCoding: 501
        }
    }
}
