// A service with its connections, for `stele serve` and for programs with classes of their own.

@_exported import Logging
@_exported import SteleHTTP
import SteleGraph
import SteleSystem

/// Serves the objects of a coordinator over HTTP, as `stele serve` does.
///
/// The coordinator's classes take part: `awakeFromInsert`, validation and `willSave` are called for
/// each write, and `awakeFromFetch` sets the transient values that are sent.
public final class Server: Sendable {
    /// The service that answers the requests.
    package let service: Service
    private let http: HTTPServer
    private let isStopped = Mutex(false)

    /// Starts to listen on an address and a port.
    /// - Parameters:
    ///   - coordinator: the coordinator whose objects are served.
    ///   - host: the address or name to listen on.
    ///   - port: 0 for any free one.
    ///   - options: the settings of the service.
    ///   - logger: nil for one that writes to standard error.
    /// - Throws: `HTTPServerError` for an address that cannot be listened on, or that other machines
    ///   reach while there is no token.
    public convenience init(
        _ coordinator: PersistentStoreCoordinator, host: String = "127.0.0.1", port: Int = 8080,
        options: Service.Options = Service.Options(), logger: Logger? = nil
    ) throws {
        var http = HTTPServer.Configuration()
        (http.host, http.port) = (host, port)
        try self.init(coordinator, options: options, http: http, logger: logger)
    }

    /// Starts to listen, with settings of the connections.
    /// - Throws: `HTTPServerError` for an address that cannot be listened on, or that other machines
    ///   reach while there is no token.
    public convenience init(
        _ coordinator: PersistentStoreCoordinator, options: Service.Options = Service.Options(),
        http: HTTPServer.Configuration, logger: Logger? = nil
    ) throws {
        guard options.token != nil || options.isInsecure || http.isLoopback else {
            throw HTTPServerError.setting(
                name: "host",
                reason: "other machines can connect to \(http.host): set the token of the options, "
                    + "or isInsecure")
        }
        // Each connection uses a file.
        ProcessLimits.raiseOpenFiles()
        var http = http
        http.connectionLimit = min(http.connectionLimit, ProcessLimits.roomForConnections)
        try self.init(
            coordinator, options: options, http: http, at: try ReservedAddress(http),
            logger: logger
                ?? Logger(label: "stele") { StreamLogHandler.standardError(label: $0) })
    }

    /// - Parameter address: the address, which is reserved.
    package init(
        _ coordinator: PersistentStoreCoordinator, options: Service.Options,
        http: HTTPServer.Configuration, at address: ReservedAddress, logger: Logger
    ) throws {
        let service = try Service(coordinator: coordinator, options: options, logger: logger)
        self.service = service
        self.http = try HTTPServer(
            http, at: address,
            answer: { service.answer($0, at: .brief) },
            refuse: { service.refuse($0) }, sink: { service.sink(for: $0) })
        service.observe(self.http)
        service.changeFeed.start()
    }

    /// The port that it listens on.
    public var port: Int { http.port }

    /// Serves until the process gets SIGTERM, SIGINT or SIGHUP, and stops. Call it on the main
    /// thread, before the program creates threads of its own: the signals are blocked from here on.
    public func run(drain seconds: Double = 10) {
        let signals = EndSignals()
        _ = signals.wait(nil)
        stop(drain: seconds)
    }

    /// Stops: no more connections are accepted, event streams end, running requests have so many
    /// seconds to finish, and editing contexts are closed. The store stays open. Further calls return
    /// when the first is done. A server that is released stops at once.
    public func stop(drain seconds: Double = 10) {
        isStopped.withLock { isStopped in
            if isStopped { return }
            isStopped = true
            service.changeFeed.stop()
            service.liveQueries.stop()
            http.stop(drain: seconds)
            service.closeContexts()
        }
    }

    deinit { stop(drain: 0) }
}
