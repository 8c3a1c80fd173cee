// How far a request has come when a thread is done with it.

/// What a thread makes of a complete request.
public enum Step: Sendable {
    /// The answer.
    case done(Response)
    /// The answer follows an event, such as a commit. The closure is called once the connection is
    /// suspended; it passes the reply to what waits for the event.
    case pending(@Sendable (Reply) -> Void)
    /// A worker takes the next step.
    case later(Later)

    /// The answer that the step leads to, for callers inside the process: later steps are taken, and
    /// a reply is waited for, on the caller's thread.
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

/// The next step of a request, which a worker takes.
public struct Later: Sendable {
    /// The workers of a server.
    public enum Workers: Sendable {
        /// Those that read: few, so that they never wait for another request.
        case reading
        /// Those that may wait for the disk or for another request.
        case waiting
    }

    /// Which workers take it.
    public let workers: Workers
    let step: @Sendable () -> Step

    /// - Parameters:
    ///   - workers: which workers take the step.
    ///   - step: takes it.
    public init(by workers: Workers, _ step: @escaping @Sendable () -> Step) {
        self.workers = workers
        self.step = step
    }

    /// Takes the step on the caller's thread.
    public func callAsFunction() -> Step { step() }
}

/// The way back to a pending request. It is used once, from any thread.
public struct Reply: Sendable {
    private let respond: @Sendable (@escaping @Sendable () -> Response) -> Void
    private let goOn: @Sendable (Later) -> Void

    /// - Parameters:
    ///   - respond: receives what makes the answer.
    ///   - goOn: receives the next step.
    public init(
        answer respond: @escaping @Sendable (@escaping @Sendable () -> Response) -> Void,
        later goOn: @escaping @Sendable (Later) -> Void
    ) {
        self.respond = respond
        self.goOn = goOn
    }

    /// Answers. The thread that carries the connection makes the response, so that the caller goes
    /// on at once; where the client has gone it is not made.
    public func answer(_ make: @escaping @Sendable () -> Response) { respond(make) }

    /// A worker takes the next step instead.
    public func later(_ next: Later) { goOn(next) }
}
