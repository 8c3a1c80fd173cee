// The state that the callbacks, the workers and the server share.

import SteleSystem

final class ServerCore: Sendable {
    let configuration: HTTPServer.Configuration
    let answer: @Sendable (Request) -> Step
    let refuse: @Sendable (Refusal) -> Response
    let sink: @Sendable (Request) -> (any BodySink)?
    let workers: WorkerPool
    let readers: WorkerPool
    let streamers: WorkerPool
    let acceptor: Acceptor
    let departures = DepartureWatch()
    let stopping = Atomic<Bool>(false)
    /// Requests that libmicrohttpd has announced and not finished.
    let exchanges = Atomic<Int>(0)
    /// Complete requests whose responses are not wholly sent, without event streams.
    let unanswered = Atomic<Int>(0)
    private let streams = Mutex<[ObjectIdentifier: EventStream]>([:])
    /// Exchanges that are pending: they do not wait for a worker.
    private struct Pending: Sendable {
        var exchanges: [ObjectIdentifier: Exchange] = [:]
        var isAbandoned = false
    }
    private let pending = Mutex(Pending())

    init(
        configuration: HTTPServer.Configuration,
        listening: Int32,
        answer: @escaping @Sendable (Request) -> Step,
        refuse: @escaping @Sendable (Refusal) -> Response,
        sink: @escaping @Sendable (Request) -> (any BodySink)?
    ) {
        self.configuration = configuration
        acceptor = Acceptor(
            listening, limit: configuration.connectionLimit,
            idleTimeout: configuration.idleTimeout)
        self.answer = answer
        self.refuse = refuse
        self.sink = sink
        workers = WorkerPool(
            name: "workers", threads: configuration.workers, queue: configuration.workerQueue,
            stackBytes: configuration.workerStackBytes)
        readers = WorkerPool(
            name: "readers", threads: configuration.readers, queue: configuration.workerQueue,
            stackBytes: configuration.workerStackBytes)
        streamers = WorkerPool(
            name: "streamers", threads: configuration.streamWorkers, queue: 0,
            stackBytes: configuration.workerStackBytes)
    }

    var isStopping: Bool { stopping.load(ordering: .acquiring) }
    var openStreams: Int { streams.withLock { $0.count } }

    /// The service's response to a refusal, with `Retry-After` where the refusal has one.
    func rendered(_ refusal: Refusal) -> Response {
        var response = refuse(refusal)
        let name = "retry-after".utf8
        if case .busy(_, let seconds) = refusal,
            !response.headers.contains(where: {
                $0.name.utf8.count == name.count && equalIgnoringCase($0.name.utf8, name)
            })
        {
            response.headers.append(("Retry-After", String(seconds)))
        }
        return response
    }

    /// - Returns: false where the server waits for pending exchanges no longer.
    func keepPending(_ exchange: Exchange) -> Bool {
        pending.withLock { pending in
            if pending.isAbandoned { return false }
            pending.exchanges[ObjectIdentifier(exchange)] = exchange
            return true
        }
    }

    func forgetPending(_ exchange: Exchange) {
        pending.withLock { _ = $0.exchanges.removeValue(forKey: ObjectIdentifier(exchange)) }
    }

    /// Answers the exchanges that are still pending: the server cannot stop with suspended
    /// connections.
    func abandonPending() {
        let all = pending.withLock { pending in
            pending.isAbandoned = true
            return Array(pending.exchanges.values)
        }
        for exchange in all { exchange.abandon() }
    }

    func register(_ stream: EventStream) {
        let late = streams.withLock { streams in
            streams[ObjectIdentifier(stream)] = stream
            return isStopping
        }
        if late { stream.finish() }
    }

    func forget(_ stream: EventStream) {
        streams.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(stream)) }
    }

    /// Ends all event streams. `stopping` is set before, so no stream is left open after this
    /// returns: one that registers later sees `stopping` under the same lock.
    func finishStreams() {
        let all = streams.withLock { Array($0.values) }
        for stream in all { stream.finish() }
    }
}
