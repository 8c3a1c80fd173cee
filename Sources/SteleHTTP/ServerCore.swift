// The state that the callbacks, the workers and the server share.

import SteleSystem

final class ServerCore: Sendable {
    let configuration: HTTPServer.Configuration
    let answer: @Sendable (Request) -> Step
    let refuse: @Sendable (Refusal) -> Response
    let sink: @Sendable (Request) -> (any BodySink)?
    let workers: WorkerPool
    let readers: WorkerPool
    let slow: WorkerPool
    let streamers: WorkerPool
    let connections: ClientConnections
    let acceptor: Acceptor
    let departures = DepartureWatch()
    let stopping = Atomic<Bool>(false)
    /// Requests that libmicrohttpd has announced and not finished.
    let exchanges = Atomic<Int>(0)
    /// Complete requests whose responses are not wholly sent, without event streams.
    let unanswered = Atomic<Int>(0)
    /// Open event streams.
    let streams = Registry<EventStream>()
    /// Exchanges that are pending: they do not wait for a worker.
    let pending = Registry<Exchange>()

    init(
        configuration: HTTPServer.Configuration,
        listening: Int32,
        answer: @escaping @Sendable (Request) -> Step,
        refuse: @escaping @Sendable (Refusal) -> Response,
        sink: @escaping @Sendable (Request) -> (any BodySink)?
    ) {
        self.configuration = configuration
        connections = ClientConnections(configuration)
        acceptor = Acceptor(listening, configuration, connections)
        self.answer = answer
        self.refuse = refuse
        self.sink = sink
        let threadEnds: @Sendable () -> Void = { [departures] in departures.noteEndOfThread() }
        workers = WorkerPool(
            name: "workers", threads: configuration.workers, queue: configuration.workerQueue,
            stackBytes: configuration.workerStackBytes, threadEnds: threadEnds)
        readers = WorkerPool(
            name: "readers", threads: configuration.readers, queue: configuration.workerQueue,
            stackBytes: configuration.workerStackBytes, threadEnds: threadEnds)
        slow = WorkerPool(
            name: "slow", threads: configuration.slowReaders, queue: configuration.workerQueue,
            queueOfClient: configuration.slowQueueOfClient, isLowPriority: true,
            stackBytes: configuration.workerStackBytes, threadEnds: threadEnds)
        streamers = WorkerPool(
            name: "streamers", threads: configuration.streamWorkers, queue: 0,
            stackBytes: configuration.workerStackBytes, threadEnds: threadEnds)
    }

    var isStopping: Bool { stopping.load(ordering: .sequentiallyConsistent) }

    /// The service's response to a refusal, with `Retry-After` where the refusal has one.
    func rendered(_ refusal: Refusal) -> Response {
        var response = refuse(refusal)
        if case .busy(_, let seconds) = refusal,
            !response.headers.contains(where: {
                equalIgnoringCase($0.name.utf8, "Retry-After".utf8)
            })
        {
            response.headers.append(("Retry-After", String(seconds)))
        }
        return response
    }
}

/// The objects of one kind that a stopping server has to end.
final class Registry<Object: AnyObject & Sendable>: Sendable {
    private struct State {
        var objects: [ObjectIdentifier: Object] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.objects.count } }

    /// Adds an object until its `remove`.
    /// - Returns: false after `close`: the caller has to end the object, and to remove it.
    func add(_ object: Object) -> Bool {
        state.withLock { state in
            state.objects[ObjectIdentifier(object)] = object
            return !state.isClosed
        }
    }

    func remove(_ object: Object) {
        state.withLock { _ = $0.objects.removeValue(forKey: ObjectIdentifier(object)) }
    }

    /// The objects to end. The caller of a later `add` ends its object itself.
    func close() -> [Object] {
        state.withLock { state in
            state.isClosed = true
            return Array(state.objects.values)
        }
    }
}
