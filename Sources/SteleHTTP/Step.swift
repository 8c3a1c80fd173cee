// How far a request has come when a thread has finished its part.

import SteleSystem

/// The result of a thread's part of a complete request.
public enum Step: Sendable {
    /// The answer.
    case done(Response)
    /// The answer follows an event, such as a commit. The closure is called once the connection is
    /// suspended; it passes the reply to what waits for the event.
    case pending(@Sendable (Reply) -> Void)
    /// A worker takes the next step.
    case later(Later)

    /// The answer that the step leads to, for callers inside the process: the caller's thread takes
    /// later steps and waits for a reply.
    public func response() -> Response {
        var step = self
        while true {
            switch step {
            case .done(let response): return response
            case .later(let next): step = next()
            case .pending(let start):
                let told = Monitor<Step?>(nil)
                @Sendable func go(on next: Step) {
                    told.withLock { $0 = next }
                    told.signal()
                }
                start(Reply(answer: { go(on: .done($0())) }, later: { go(on: .later($0)) }))
                step = told.withLock(when: { $0 != nil }) { next, _ in next } ?? step
            }
        }
    }
}

/// The next step of a request, for a worker.
public struct Later: Sendable {
    /// The workers of a server.
    public enum Workers: Sendable, Hashable {
        /// Few threads, which only read and never wait for another request.
        case reading
        /// Many threads, which may wait for the disk or for another request.
        case waiting
        /// Very few threads of low priority, for what takes long. They serve clients in turn, so a
        /// client with many long requests keeps nobody else waiting for more than one of them.
        case slow(client: String)
    }

    /// Which workers take it.
    public let workers: Workers
    let step: @Sendable () -> Step

    /// A later step.
    /// - Parameters:
    ///   - workers: which workers take it.
    ///   - step: takes it.
    public init(by workers: Workers, _ step: @escaping @Sendable () -> Step) {
        self.workers = workers
        self.step = step
    }

    /// Takes the step on the caller's thread.
    public func callAsFunction() -> Step { step() }
}

/// Answers a pending request. It is used once, on any thread.
public struct Reply: Sendable {
    private let respond: @Sendable (@escaping @Sendable () -> Response) -> Void
    private let goOn: @Sendable (Later) -> Void

    /// A reply that calls one of two closures.
    /// - Parameters:
    ///   - respond: receives the closure that makes the response.
    ///   - goOn: receives the next step.
    public init(
        answer respond: @escaping @Sendable (@escaping @Sendable () -> Response) -> Void,
        later goOn: @escaping @Sendable (Later) -> Void
    ) {
        self.respond = respond
        self.goOn = goOn
    }

    /// Answers the request. The connection's thread calls `make`, so that the caller does not wait;
    /// it is not called where the connection is closed.
    public func answer(_ make: @escaping @Sendable () -> Response) { respond(make) }

    /// Continues the request on a worker instead.
    public func later(_ next: Later) { goOn(next) }
}
