// What the thread that carries a connection makes of a complete request.

/// What a request comes to on the thread that carries its connection, which must not wait.
public enum Beginning: Sendable {
    /// Answered already.
    case answered(Response)
    /// Answered when something has happened that takes a while, such as a commit. The closure is
    /// called once the connection is suspended; it hands the reply to whoever waits for that.
    case pending(@Sendable (Reply) -> Void)
    /// Left to a worker, which carries it from its first line to its last.
    case needsWorker
    /// Left to a worker that may have to wait for other requests: not to one of those that read,
    /// which are few.
    case mustWait
}

/// The way back to a request that is pending; used once, from any thread.
public struct Reply: Sendable {
    private let answer: @Sendable (@escaping @Sendable () -> Response) -> Void
    private let leave: @Sendable () -> Void

    /// A reply to a request, as its carrier or a test has it.
    public init(
        answer: @escaping @Sendable (@escaping @Sendable () -> Response) -> Void,
        leaveToWorker leave: @escaping @Sendable () -> Void
    ) {
        self.answer = answer
        self.leave = leave
    }

    /// Answers; the response is made on the thread that carries the connection, so that who calls
    /// this goes on at once. It is not made where the client has gone.
    public func answer(_ make: @escaping @Sendable () -> Response) { answer(make) }

    /// The request goes to a worker after all, which begins it anew.
    public func leaveToWorker() { leave() }
}
