// One request on its way through the server, from its first line to its response.

import CMicroHTTPD
import Glibc
import SteleSystem

// @unchecked: `answer` has its lock. The other properties are accessed on the pool thread that
// carries the connection, and while that is suspended on the worker that has the exchange.
/// A request. It is retained when libmicrohttpd announces the request line, released when
/// libmicrohttpd has finished the request, and nowhere else.
final class Exchange: Job, @unchecked Sendable {
    enum Phase: Equatable {
        case head, body, handedOver, answered
        /// The refusal of a body is sent, and what still comes of it is discarded until then.
        case lingering(until: UInt64)
    }

    /// The answer of a suspended connection. The thread that stores it resumes the connection,
    /// once.
    enum Answer {
        case none
        case awaited(Waiting)
        case given(Response)
        /// Given as a closure that the pool thread calls.
        case toBeMade(@Sendable () -> Response)
        case taken
    }

    /// How much of the response's body has been taken.
    enum Taken {
        case whole(Int)
        case stream(BodyWriter)
        case events(EventStream)

        var bytes: Int {
            switch self {
            case .whole(let count): count
            case .stream(let writer): writer.takenBytes
            case .events(let stream): stream.sentBytes
            }
        }
    }

    /// A request whose connection is suspended.
    struct Waiting {
        let request: Request
        let connection: Connection
        /// The step for a worker; nil while it is pending.
        var next: Later?
    }

    let core: ServerCore
    var phase = Phase.head
    let receivedAt: UInt64
    var head: RequestHead
    var body: [UInt8] = []
    /// The destination of a body that is not kept in memory, and how much of a body has come.
    private var sink: (any BodySink)?
    var received = 0
    /// Told when the response has ended, with the bytes of its body that were taken.
    var onEnd: (@Sendable (Response.Ending) -> Void)?
    var taken = Taken.whole(0)
    /// Whether it counts among the core's unanswered requests.
    var counted = false
    /// Whether it may be among the core's pending exchanges; under the lock of `answer`.
    private var isPending = false
    let answer = Mutex<Answer>(.none)
    /// The connection, whose client may be too slow.
    let sender: ClientConnection?

    init(core: ServerCore, target: UnsafePointer<CChar>, client: ClientConnection?) {
        self.core = core
        sender = client
        receivedAt = MonotonicClock.now
        head = RequestHead(target: target)
        client?.begin(.head, at: receivedAt)
    }

    // MARK: On the pool thread

    func receive(
        _ call: HandlerCall, on connection: Connection
    ) -> MHD_Result {
        switch phase {
        case .head:
            return begin(call, on: connection)
        case .body where call.size.pointee > 0:
            return append(call, on: connection)
        case .body:
            return complete(on: connection)
        case .lingering(let end):
            return discard(call, until: end)
        case .handedOver:
            return deliver(on: connection)
        case .answered:
            return .YES
        }
    }

    private func begin(_ call: HandlerCall, on connection: Connection) -> MHD_Result {
        head.read(call, on: connection)
        guard head.memory <= core.configuration.headLimit else { return refuseHead(on: connection) }
        if head.method == "PUT" { sink = core.sink(makeRequest()) }
        if let refusal = head.refusal(for: makeRequest(), limit: limit) {
            return refuse(refusal, on: connection)
        }
        // From here on the end of the service waits for it, as long as its body takes.
        counted = true
        core.unanswered.add(1, ordering: .relaxed)
        if core.isStopping { return refuseLate(on: connection) }
        if let length = head.contentLength, sink == nil {
            body.reserveCapacity(min(length, 1 << 20))
        }
        phase = .body
        sender?.begin(.body)
        return .YES
    }

    /// A request that came while the server stops, on a connection that was not idle by then. A
    /// client that repeats a GET by itself, such as a browser with an event stream, does so where
    /// the connection is closed, and not after a status. Other requests are answered that nothing was done.
    private func refuseLate(on connection: Connection) -> MHD_Result {
        let refusal = Refusal.stopping(makeRequest())
        guard head.method == "GET" || isHead else { return refuse(refusal, on: connection) }
        return breakOff(core.rendered(refusal))
    }

    /// Closes the connection in place of a response.
    private func breakOff(_ response: Response) -> MHD_Result {
        phase = .answered
        response.discard()
        return .NO
    }

    /// Sends the service's answer. A browser's EventSource comes back after a connection that was
    /// closed, and gives up for good after a status.
    private func sendAnswer(_ response: Response, on connection: Connection) -> MHD_Result {
        if response.status == 503, core.isStopping, wantsEvents { return breakOff(response) }
        return send(response, on: connection)
    }

    /// Whether the client takes an event stream.
    private var wantsEvents: Bool {
        head.headers["Accept"]?.contains("text/event-stream") ?? false
    }

    /// The most bytes that the body may have.
    var limit: Int { sink?.limit ?? core.configuration.maximumBodyBytes }

    /// Lets go of what has come of a body that is refused.
    func dropBody() {
        body = []
        sink?.close()
    }

    private func append(_ call: HandlerCall, on connection: Connection) -> MHD_Result {
        let count = call.size.pointee
        call.size.pointee = 0
        guard let data = call.data else { return .YES }
        guard count <= limit - received else {
            return refuse(.bodyTooLarge(makeRequest(), limit: limit), on: connection)
        }
        received += count
        sender?.receive(count)
        body.append(
            contentsOf: UnsafeRawBufferPointer(start: UnsafeRawPointer(data), count: count))
        if let sink, body.count >= Self.pieceBytes { passOn(to: sink, connection) }
        return .YES
    }

    /// Bytes of a body that a sink is given at a time.
    private static let pieceBytes = 256 << 10

    /// The connection waits until the piece is taken, so that one piece at most is in memory.
    private func passOn(to sink: any BodySink, _ connection: Connection) {
        let piece = BodyPiece(body, sink, connection)
        body = []
        connection.suspend()
        // Where no worker is free, the connection's thread does it.
        if !core.workers.submit(piece) { piece.run() }
    }

    /// The request with what has come of its body.
    func makeRequest() -> Request {
        var request = Request(
            method: head.method, path: head.path, query: head.query, headers: head.headers,
            body: body, sink: sink, receivedAt: receivedAt)
        request.socket = sender?.socket ?? -1
        return request
    }

    private func complete(on connection: Connection) -> MHD_Result {
        sender?.begin(.answer)
        var request = makeRequest()
        // A worker writes the last piece for a sink: the disk may be slow.
        let piece = request.body
        if sink != nil { request.body = [] }
        body = []
        switch core.answer(request) {
        case .done(let response): return sendAnswer(response, on: connection)
        case .pending(let start):
            suspend(request, connection)
            wait(start)
        case .later(let next):
            suspend(request, connection)
            handOver(pouring(piece, before: next))
        }
        return .YES
    }

    /// Starts the work that the request is pending on.
    private func wait(_ start: (Reply) -> Void) {
        let isAwaited = answer.withLock { answer in
            guard case .awaited = answer else { return false }
            isPending = true
            return true
        }
        guard isAwaited else { return }
        guard core.pending.add(self) else {
            core.pending.remove(self)
            return abandon()
        }
        start(Reply(answer: { self.give(.toBeMade($0)) }, later: { self.handOver($0) }))
    }

    /// The step, after the last piece of the body has gone to its sink.
    private func pouring(_ piece: [UInt8], before next: Later) -> Later {
        guard let sink, !piece.isEmpty else { return next }
        return Later(by: .waiting) {
            sink.take(piece)
            return next()
        }
    }

    /// Suspends the connection, before any thread can answer the request: else an answer is lost.
    private func suspend(_ request: Request, _ connection: Connection) {
        phase = .handedOver
        answer.withLock { $0 = .awaited(Waiting(request: request, connection: connection)) }
        connection.suspend()
    }

    /// Passes the request to a worker, and refuses it where their queue is full.
    private func handOver(_ next: Later) {
        let waiting = answer.withLock { answer -> Waiting? in
            guard case .awaited(var waiting) = answer else { return nil }
            waiting.next = next
            answer = .awaited(waiting)
            return waiting
        }
        guard let waiting else { return }
        let pool =
            switch next.workers {
            case .reading: core.readers
            case .waiting: core.workers
            case .slow: core.slow
            }
        if pool.submit(self) { return }
        let head = waiting.request.withoutBody
        let refusal: Refusal = core.isStopping ? .stopping(head) : .busy(head, retryAfter: 1)
        give(.given(core.rendered(refusal)))
    }

    /// Sends the answer; libmicrohttpd calls the handler again after the resume.
    private func deliver(on connection: Connection) -> MHD_Result {
        let given = answer.withLock { answer in
            defer { answer = .taken }
            return answer
        }
        let response: Response
        switch given {
        case .given(let it): response = it
        case .toBeMade(let make): response = make()
        case .none, .awaited, .taken: return .NO
        }
        return sendAnswer(response, on: connection)
    }

    func refuse(_ refusal: Refusal, on connection: Connection) -> MHD_Result {
        if phase == .body || phase == .head && head.isFollowedByBody {
            return refuseBody(refusal, on: connection)
        }
        return send(core.rendered(refusal), closing: refusal.closesConnection, on: connection)
    }

    /// libmicrohttpd has finished the request, sent or not.
    func finished(isWhole: Bool) {
        sink?.close()
        sender?.begin(.idle)
        uncount()
        core.exchanges.subtract(1, ordering: .relaxed)
        let (orphan, wasPending) = answer.withLock { answer -> (Answer, Bool) in
            defer { answer = .taken }
            return (answer, isPending)
        }
        if wasPending { core.pending.remove(self) }
        // The client has gone, or was too slow. The service counts and logs what has no answer too.
        switch phase {
        case .body:
            core.rendered(.malformed(makeRequest(), reason: "The body has not come whole."))
                .discard()
        case .head, .handedOver, .answered, .lingering: break
        }
        core.departures.note(received + taken.bytes)
        switch orphan {
        case .given(let response): response.discard()
        case .toBeMade(let make): make().discard()
        case .none, .awaited, .taken: break
        }
        onEnd?(Response.Ending(bodyBytes: taken.bytes, isWhole: isWhole))
        if core.isStopping { sender?.end() }
    }

    func uncount() {
        guard counted else { return }
        counted = false
        core.unanswered.subtract(1, ordering: .relaxed)
    }

    // MARK: On a worker

    var client: String {
        if case .slow(let client)? = waiting?.next?.workers { client } else { "" }
    }

    func run() {
        guard let waiting, let next = waiting.next else { return }
        // A client that has closed its connection during a long wait needs no answer.
        let waited = MonotonicClock.now &- receivedAt
        if waited > Self.longWait, head.method == "GET", waiting.request.clientHasGone {
            return give(.given(Response(status: 503, headers: [], body: .none)))
        }
        switch next() {
        case .done(let response): give(.given(response))
        case .pending(let start): wait(start)
        case .later(let next): handOver(next)
        }
    }

    /// Nanoseconds of waiting after which a GET is done only if its client is still connected.
    private static let longWait: UInt64 = 100_000_000

    func abandon() {
        guard let waiting else { return }
        give(.given(core.rendered(.unfinished(waiting.request.withoutBody))))
    }

    private var waiting: Waiting? {
        answer.withLock { answer in
            if case .awaited(let waiting) = answer { waiting } else { nil }
        }
    }

    /// Stores the first answer and resumes the connection; discards later ones. The resume is under
    /// the lock, so that after `abandon` the stopping server knows that nothing is suspended.
    private func give(_ given: Answer) {
        let stored = answer.withLock { answer in
            guard case .awaited(let waiting) = answer else { return false }
            answer = given
            waiting.connection.resume()
            return true
        }
        if !stored, case .given(let response) = given { response.discard() }
    }
}

extension Request {
    var withoutBody: Request {
        var head = self
        head.body = []
        return head
    }
}

extension Response {
    /// The response will not be sent: its stream must not wait for a connection.
    func discard() {
        if case .events(let stream) = body { stream.closed() }
        onEnd?(Response.Ending(bodyBytes: 0, isWhole: false))
    }
}
