// The server: libmicrohttpd's daemons, the acceptor and the workers.

import CGnuTLS
import CMicroHTTPD
import Glibc
import SteleSystem

/// An HTTP/1.1 server on libmicrohttpd.
///
/// `answer` receives a complete request on the thread that carries its connection; workers take the
/// steps that it leaves for later.
public final class HTTPServer: Sendable {
    let core: ServerCore
    /// The port that it listens on; the system's choice where the configuration has 0.
    public let port: Int
    /// libmicrohttpd's daemons; nil once they are stopped.
    private let pools: Mutex<Acceptor.Pools?>
    private let isAccepting = Mutex(true)

    /// Starts the server. It accepts connections when this returns.
    /// - Parameters:
    ///   - configuration: the settings of the server.
    ///   - address: the address of the configuration, if it was reserved before.
    ///   - answer: takes a request's first step, on a thread that carries many connections and must
    ///     not wait.
    ///   - refuse: renders a refusal of the server itself.
    ///   - sink: returns the destination of a PUT's body, once its head has come, on a thread that
    ///     must not wait; nil for a body that is kept in memory and comes with the request.
    /// - Throws: `HTTPServerError`, which names the address or the setting.
    public init(
        _ configuration: Configuration, at address: ReservedAddress? = nil,
        answer: @escaping @Sendable (Request) -> Step,
        refuse: @escaping @Sendable (Refusal) -> Response,
        sink: @escaping @Sendable (Request) -> (any BodySink)? = { _ in nil }
    ) throws(HTTPServerError) {
        let reserved = if let address { address } else { try ReservedAddress(configuration) }
        let socket = try reserved.listen(backlog: configuration.backlog)
        port = Listener.port(of: socket)
        // Writing to a closed connection is an error of that write, and must not end the process.
        signal(SIGPIPE, SIG_IGN)
        core = ServerCore(
            configuration: configuration, listening: socket, answer: answer,
            refuse: refuse, sink: sink)
        // Released when the daemon has stopped.
        let context = Unmanaged.passRetained(core)
        func start(threads: Int) -> OpaquePointer? {
            var settings = stele_mhd_settings(
                threads: UInt32(clamping: threads),
                // The acceptor keeps the limit; a thread with more than its share must not refuse.
                connection_limit: UInt32(Int32.max),
                idle_timeout: UInt32(clamping: configuration.idleTimeout),
                connection_memory: configuration.connectionMemoryLimit,
                thread_stack: configuration.workerStackBytes,
                certificate: configuration.isTLS ? Self.certificate : nil)
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
        let accepting = SystemThread(
            name: "acceptor", stackBytes: configuration.workerStackBytes
        ) { acceptor.run(into: started) }
        guard accepting != nil else {
            started.stop()
            pools.withLock { $0 = nil }
            context.release()
            close(socket)
            throw .daemon(reason: String(cString: strerror(EAGAIN)))
        }
        let departures = core.departures
        // Without that thread a departure is noticed at the next heartbeat.
        _ = SystemThread(
            name: "departures", stackBytes: configuration.workerStackBytes
        ) { departures.run() }
    }

    deinit { stop(drain: 0) }

    /// `presentCertificate` as libmicrohttpd takes it.
    private static var certificate: UnsafeMutableRawPointer {
        let function:
            @convention(c) (
                gnutls_session_t?, UnsafePointer<gnutls_datum_t>?, Int32,
                UnsafePointer<gnutls_pk_algorithm_t>?, Int32,
                UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>?,
                UnsafeMutablePointer<UInt32>?, UnsafeMutablePointer<gnutls_privkey_t?>?
            ) -> Int32 = presentCertificate
        return unsafeBitCast(function, to: UnsafeMutableRawPointer.self)
    }

    /// What a server is doing at a moment.
    public struct Figures: Sendable, Hashable {
        /// Open connections, event streams among them.
        public var connections = 0
        /// The most connections at once.
        public var connectionLimit = 0
        /// As `requestsInProgress`.
        public var requestsInProgress = 0
        /// As `openEventStreams`.
        public var eventStreams = 0
        /// Requests that wait for or run on a thread for writes.
        public var waitingWork = 0
        /// Requests that wait for or run on a thread for reads.
        public var readingWork = 0
        /// Requests that wait for or run on a thread for long reads.
        public var slowWork = 0
        /// Responses that are streamed.
        public var streamedResponses = 0
    }

    /// What the server is doing.
    public var figures: Figures {
        Figures(
            connections: core.acceptor.connections,
            connectionLimit: core.configuration.connectionLimit,
            requestsInProgress: requestsInProgress, eventStreams: openEventStreams,
            waitingWork: core.workers.load, readingWork: core.readers.load,
            slowWork: core.slow.load,
            streamedResponses: core.streamers.load)
    }

    /// Event streams that are open.
    public var openEventStreams: Int { core.streams.count }

    /// Requests whose first line has come and whose response is not wholly sent, event streams
    /// among them.
    public var requestsInProgress: Int { core.exchanges.load(ordering: .relaxed) }

    /// Requests that wait for a worker or run on one.
    public var workerLoad: Int { core.workers.load + core.readers.load + core.slow.load }

    /// Begins to stop: no connection is accepted any more, the system refuses new ones, and those
    /// on which no request is answered are closed. Requests that have come are answered. A GET that
    /// comes later, on a connection that was not idle, is not answered, and another request is 503.
    /// Further calls, on any thread, return when the first is done.
    public func stopAccepting() {
        isAccepting.withLock { isAccepting in
            guard isAccepting else { return }
            isAccepting = false
            core.stopping.store(true, ordering: .sequentiallyConsistent)
            core.acceptor.stop()
            core.connections.endIdle()
        }
    }

    /// Stops the server: after `stopAccepting` it ends event streams, gives running requests so many
    /// seconds to finish, answers the others with 503, and closes all connections. It returns within
    /// two seconds more where a request never returns, and within seven where one never leaves a
    /// thread that carries connections, which then goes on. Further calls, on any thread, do nothing.
    public func stop(drain seconds: Double) {
        let taken = pools.withLock { pools in
            defer { pools = nil }
            return pools
        }
        guard let taken else { return }
        stopAccepting()
        for stream in core.streams.close() { stream.finish() }
        wait(until: MonotonicClock.deadline(in: seconds)) {
            core.unanswered.load(ordering: .relaxed) == 0
        }
        // Streams need a moment for their last chunk; a stream whose client reads nothing gets no
        // more than that.
        wait(until: MonotonicClock.deadline(in: 0.5)) { core.streams.count == 0 }
        core.workers.close()
        core.readers.close()
        core.slow.close()
        core.streamers.close()
        // libmicrohttpd cannot stop with suspended connections.
        for exchange in core.pending.close() { exchange.abandon() }
        wait(until: MonotonicClock.deadline(in: 0.5)) {
            core.unanswered.load(ordering: .relaxed) == 0
        }
        // Else a thread of libmicrohttpd goes on with a request, and uses the core.
        guard hasStopped(taken) else { return }
        core.departures.stop()
        Unmanaged.passUnretained(core).release()
    }

    /// Stops libmicrohttpd, which waits for all of its threads.
    /// - Returns: false where one of them has not ended in time.
    private func hasStopped(_ pools: Acceptor.Pools) -> Bool {
        let hasEnded = Alarm()
        let stopping = SystemThread(name: "stopping") {
            pools.stop()
            hasEnded.ring()
        }
        guard let stopping else {
            pools.stop()
            return true
        }
        guard hasEnded.sleep(until: MonotonicClock.deadline(in: Self.longestStop)) else {
            return false
        }
        stopping.join()
        return true
    }

    /// The most seconds for the threads that carry connections to end.
    private static let longestStop = 5.0

    private func wait(until deadline: UInt64, _ done: () -> Bool) {
        while !done(), MonotonicClock.now < deadline { usleep(2000) }
    }
}
