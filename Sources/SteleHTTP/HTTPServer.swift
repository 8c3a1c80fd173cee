// The server: libmicrohttpd's daemon, and what stands around it.

import CMicroHTTPD
import Glibc
import SteleSystem

/// An HTTP/1.1 server on libmicrohttpd.
///
/// A complete request goes to `answer` on the thread that carries its connection; the steps that
/// `answer` leaves for later are taken by workers.
public final class HTTPServer: Sendable {
    let core: ServerCore
    /// The port listened on, also where the configuration said 0.
    public let port: Int
    /// libmicrohttpd's daemons; nil when they are stopped.
    private let pools: Mutex<Acceptor.Pools?>

    /// Starts the server: when this returns, connections are taken.
    /// - Parameters:
    ///   - answer: takes a request's first step, on a thread that carries many connections and must
    ///     not wait.
    ///   - refuse: renders what the server itself must refuse.
    ///   - sink: where the body of a PUT goes, asked when its head has come, on a thread that must
    ///     not wait; nil for one that is held and comes with the request.
    /// - Throws: `HTTPServerError`, with a sentence that names the address.
    public init(
        _ configuration: Configuration,
        answer: @escaping @Sendable (Request) -> Step,
        refuse: @escaping @Sendable (Refusal) -> Response,
        sink: @escaping @Sendable (Request) -> (any BodySink)? = { _ in nil }
    ) throws(HTTPServerError) {
        try configuration.check()
        let socket = try Listener.open(
            host: configuration.host, port: configuration.port, backlog: configuration.backlog)
        port = Listener.port(of: socket)
        // A client that goes while it is written to is an error of that write, not our end.
        signal(SIGPIPE, SIG_IGN)
        core = ServerCore(
            configuration: configuration, listening: socket, answer: answer,
            refuse: refuse, sink: sink)
        // Released when the daemon has stopped.
        let context = Unmanaged.passRetained(core)
        func start(threads: Int) -> OpaquePointer? {
            var settings = stele_mhd_settings(
                threads: UInt32(clamping: threads),
                // The acceptor has the limit; a thread that has more than its part must not refuse.
                connection_limit: UInt32(Int32.max),
                idle_timeout: UInt32(clamping: configuration.idleTimeout),
                connection_memory: configuration.connectionMemoryLimit,
                thread_stack: configuration.workerStackBytes)
            return SystemThread.withSignalsBlocked {
                stele_mhd_start(
                    &settings, exchangeContinues, exchangeBegins, leaveEscaped, exchangeEnds,
                    connectionChanges, context.toOpaque())
            }
        }
        let requests = start(threads: configuration.threads)
        let streams = requests == nil ? nil : start(threads: configuration.eventStreamThreads)
        let failure = errno
        guard let requests, let streams else {
            if let requests { MHD_stop_daemon(requests) }
            pools = Mutex(nil)
            context.release()
            close(socket)
            throw .daemon(reason: String(cString: strerror(failure)))
        }
        let started = Acceptor.Pools(requests: requests, streams: streams)
        pools = Mutex(started)
        let acceptor = core.acceptor
        let accepts = SystemThread.start(
            name: "acceptor", stackBytes: configuration.workerStackBytes
        ) { acceptor.run(into: started) }
        guard accepts else {
            started.stop()
            pools.withLock { $0 = nil }
            context.release()
            close(socket)
            throw .daemon(reason: String(cString: strerror(EAGAIN)))
        }
        let departures = core.departures
        // Without that thread, who has gone is noticed with the next heartbeat.
        _ = SystemThread.start(
            name: "departures", stackBytes: configuration.workerStackBytes
        ) { departures.run() }
    }

    deinit { stop(drain: 0) }

    /// Event streams that are open.
    public var openEventStreams: Int { core.openStreams }

    /// Requests whose line has come and whose answer is not wholly sent, event streams among them.
    public var requestsInProgress: Int { core.exchanges.load(ordering: .relaxed) }

    /// Requests that wait for a worker or are with one.
    public var workerLoad: Int { core.workers.load + core.readers.load }

    /// Stops the server: takes no more connections, ends event streams, lets requests that run
    /// finish for so many seconds, answers 503 to those that have not, and closes everything. It
    /// returns within two seconds more, also when a request never returns. Calling it again, also
    /// from another thread, does nothing.
    public func stop(drain seconds: Double) {
        let taken = pools.withLock { pools in
            defer { pools = nil }
            return pools
        }
        guard let taken else { return }
        core.stopping.store(true, ordering: .sequentiallyConsistent)
        core.acceptor.stop()
        core.finishStreams()
        wait(until: monotonicDeadline(in: seconds)) {
            core.unanswered.load(ordering: .relaxed) == 0
        }
        // Streams need a moment for their last chunk; one whose client reads nothing does not get
        // more than that.
        wait(until: monotonicDeadline(in: 0.5)) { core.openStreams == 0 }
        core.workers.close()
        core.readers.close()
        core.streamers.close()
        core.abandonPending()
        wait(until: monotonicDeadline(in: 0.5)) {
            core.unanswered.load(ordering: .relaxed) == 0
        }
        taken.stop()
        core.departures.stop()
        Unmanaged.passUnretained(core).release()
    }

    private func wait(until deadline: UInt64, _ done: () -> Bool) {
        while !done(), monotonicNanoseconds() < deadline { usleep(2000) }
    }
}
