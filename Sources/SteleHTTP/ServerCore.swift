// What the callbacks, the workers and the server share while the server runs.

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
    /// Requests that libmicrohttpd has shown to us and not yet taken leave of.
    let exchanges = Atomic<Int>(0)
    /// Complete requests whose answers are not wholly sent, event streams aside.
    let unanswered = Atomic<Int>(0)
    private let streams = Mutex<[ObjectIdentifier: EventStream]>([:])
    /// Exchanges that wait for something else than a worker.
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

    /// The service's answer to a refusal, with `Retry-After` where it has a time.
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

    /// - Returns: false where the server has given up waiting for such: answer it at once.
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

    /// Answers those that are pending still: the server cannot stop with a suspended connection.
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

    /// Ends all event streams. With `stopping` set before, none can be parked after this returns:
    /// one that registers later sees `stopping` under the same lock.
    func finishStreams() {
        let all = streams.withLock { Array($0.values) }
        for stream in all { stream.finish() }
    }
}
