// A service with its connections, for `stele serve` and for programs with classes of their own.

@_exported import Logging
@_exported import SteleHTTP
import SteleGraph
import SteleRequests
import SteleSystem

/// Serves the objects of a coordinator over HTTP, as `stele serve` does.
///
/// The coordinator's classes take part: `awakeFromInsert`, validation and `willSave` are called for
/// each write, and `awakeFromFetch` sets the transient values that are sent.
public final class Server: Sendable {
    /// The service that answers the requests.
    package let service: Service
    private let http: HTTPServer
    private let files: SecurityFiles
    private let logger: Logger
    private let isStopped = Mutex(false)

    /// Starts to listen on an address and a port.
    /// - Parameters:
    ///   - coordinator: the coordinator whose objects are served.
    ///   - host: the address or name to listen on.
    ///   - port: 0 for any free one.
    ///   - options: the settings of the service.
    ///   - files: the rights file, and the certificate for TLS.
    ///   - logger: nil for one that writes to standard error.
    /// - Throws: `HTTPServerError` for an address that cannot be listened on, or that other machines
    ///   reach while there is neither a token nor a rights file, and for a file that cannot be used
    ///   or whose rights do not fit the model.
    public convenience init(
        _ coordinator: PersistentStoreCoordinator, host: String = "127.0.0.1", port: Int = 8080,
        options: Service.Options = Service.Options(), files: SecurityFiles = SecurityFiles(),
        logger: Logger? = nil
    ) throws {
        var http = HTTPServer.Configuration()
        (http.host, http.port) = (host, port)
        try self.init(coordinator, options: options, http: http, files: files, logger: logger)
    }

    /// Starts to listen, with settings of the connections.
    /// - Parameters:
    ///   - coordinator: the coordinator whose objects are served.
    ///   - options: the settings of the service.
    ///   - http: the address, the port, and the settings of the connections.
    ///   - files: the rights file, and the certificate for TLS.
    ///   - logger: nil for one that writes to standard error.
    /// - Throws: as `init(_:host:port:options:files:logger:)`.
    public convenience init(
        _ coordinator: PersistentStoreCoordinator, options: Service.Options = Service.Options(),
        http: HTTPServer.Configuration, files: SecurityFiles = SecurityFiles(),
        logger: Logger? = nil
    ) throws {
        var (options, http) = (options, http)
        options.rights = try files.readRights()
        guard
            options.token != nil || options.rights != nil || options.isInsecure || http.isLoopback
        else {
            throw HTTPServerError.setting(
                name: "host",
                reason: "other machines can connect to \(http.host): set the token of the options, "
                    + "name a rights file, or set isInsecure")
        }
        let certificate = try files.readCertificate()
        http.isTLS = certificate != nil
        // Each connection uses a file.
        ProcessLimits.raiseOpenFiles()
        http.connectionLimit = min(http.connectionLimit, ProcessLimits.roomForConnections)
        try self.init(
            coordinator, options: options, http: http, files: files, certificate: certificate,
            at: try ReservedAddress(http),
            logger: logger
                ?? Logger(label: "stele") { StreamLogHandler.standardError(label: $0) })
    }

    /// - Parameters:
    ///   - files: the files that `run` reads again.
    ///   - certificate: the certificate of `files`, which is presented when all else is checked.
    ///   - address: the address, which is reserved.
    package init(
        _ coordinator: PersistentStoreCoordinator, options: Service.Options,
        http: HTTPServer.Configuration, files: SecurityFiles, certificate: ServerCertificate?,
        at address: ReservedAddress, logger: Logger
    ) throws {
        self.files = files
        self.logger = logger
        let service: Service
        do {
            service = try Service(coordinator: coordinator, options: options, logger: logger)
        } catch let error as RightsError {
            throw HTTPServerError.setting(name: files.rights ?? "rights", reason: "\(error)")
        }
        self.service = service
        var http = http
        // Readers of several nodes' store wait for its server, not for the cores.
        if coordinator.store.isOfSeveralNodes, http.readers == HTTPServer.Configuration().readers {
            http.readers = max(http.readers, Self.readersOfNodes)
        }
        if let certificate {
            files.warn(of: certificate, logger)
            certificate.present()
        }
        self.http = try HTTPServer(
            http, at: address,
            answer: { service.answer($0, at: .brief) },
            refuse: { service.refuse($0) }, sink: { service.sink(for: $0) })
        service.observe(self.http)
        service.changeFeed.start()
    }

    /// As many as a node has connections for reading.
    private static let readersOfNodes = 16

    /// The port that it listens on.
    public var port: Int { http.port }

    /// Serves until the process gets SIGTERM or SIGINT, and stops. SIGHUP reads the files again, and
    /// stops a server without files. Call it on the main thread, before the program creates threads
    /// of its own: the signals are blocked from here on.
    /// - Parameter seconds: how long running requests have to finish.
    public func run(drain seconds: Double = 10) {
        let signals = EndSignals()
        _ = signals.wait(
            files.areNone ? nil : { self.files.reload(into: self.service, self.logger) })
        stop(drain: seconds)
    }

    /// Stops: no more connections are accepted, idle ones are closed, event streams end, running
    /// requests have so many seconds to finish, and editing contexts are closed. The store stays open.
    /// Further calls return when the first is done. A server that is released stops at once.
    /// - Parameter seconds: how long running requests have to finish.
    public func stop(drain seconds: Double = 10) {
        isStopped.withLock { isStopped in
            if isStopped { return }
            isStopped = true
            // First: a stream that begins when the feed has stopped would be refused, and a browser
            // does not come back after that.
            http.stopAccepting()
            service.changeFeed.stop()
            service.liveQueries.stop()
            http.stop(drain: seconds)
            service.closeContexts()
        }
    }

    deinit { stop(drain: 0) }
}
