// The settings of a server, each with the reason for its default.

import Glibc

extension HTTPServer {
    /// The settings of a server. All are read once, when it starts.
    public struct Configuration: Sendable {
        /// The address or name to listen on.
        public var host = "127.0.0.1"
        /// The port, 0 to 65535; 0 takes any free one.
        public var port = 0
        /// Whether connections are TLS, with the certificate that `ServerCertificate.present` names.
        public var isTLS = false
        /// Threads that carry connections, except those that begin with an event stream. More than
        /// cores: a resume walks the suspended connections of its thread, so more threads keep that
        /// walk short. Not many more, because the cores switch between busy threads.
        public var threads = max(4, 2 * Configuration.cores)
        /// Threads that carry connections which begin with an event stream. As many as cores: more
        /// would compete with the program's other threads. An odd number: libmicrohttpd chooses a
        /// connection's thread by its descriptor, and where every second connection is a stream an
        /// even number would leave half of the threads without any.
        public var eventStreamThreads = Configuration.cores | 1
        /// Threads for later steps that may wait (`Later.Workers.waiting`), created when needed.
        /// Many, because they wait for the disk together.
        public var workers = 64
        /// Threads for later steps that read (`Later.Workers.reading`). As many as the cores can
        /// use and some more for slow reads: further threads would finish no sooner.
        public var readers = max(8, 4 * Configuration.cores)
        /// Threads for later steps that take long (`Later.Workers.slow`). Fewer than cores, so that
        /// they leave some to short requests.
        public var slowReaders = max(1, Configuration.cores / 2)
        /// How many long requests of one client may wait; further ones are answered with 503.
        public var slowQueueOfClient = 64
        /// How many requests may wait for a worker; further ones are answered with 503.
        public var workerQueue = 1024
        /// How many responses may be streamed at once; further ones are answered with 503. Each has
        /// a thread for its producer, created when needed, so that none waits for another's client.
        public var streamWorkers = 96
        /// Bytes that a streaming producer may be ahead of its client.
        public var streamBufferBytes = 256 << 10
        /// Seconds for which a client may acknowledge nothing of a streamed response.
        public var stallLimit = 30.0
        /// The longest that a streamed response may take, in seconds.
        public var longestStream = 3600.0
        /// The largest request body in bytes; a larger one is refused with 413.
        public var maximumBodyBytes = 32 << 20
        /// Bytes of buffer for each connection. The head of a request must fit beside
        /// `answerHeadBytes` (else 431 or 414), and chunks are sent in pieces of up to its size. A
        /// connection that waits for its next request keeps it; an idle event stream releases most
        /// of it.
        public var connectionMemoryLimit = 32 << 10
        /// The most connections at once, with event streams; further ones wait to be accepted.
        public var connectionLimit = 30_000
        /// The most connections of one address at once; 0 is without a limit, because behind a proxy
        /// all have its address.
        public var connectionsPerAddress = 0
        /// Seconds for which a client may take to send the head of a request, or a TLS handshake,
        /// and after which a body has to come at `bodyBytesPerSecond`; 0 is without a limit.
        public var headSeconds = 30.0
        /// Bytes a second that a body has to come at on average, or its connection is closed.
        public var bodyBytesPerSecond = 500
        /// Seconds without traffic after which a connection is closed; 0 for never.
        public var idleTimeout = 60
        /// How many connections may wait to be accepted.
        public var backlog = 1024
        /// Bytes of a worker's stack, of which only the used pages cost memory. Expressions and
        /// bodies that nest up to their bounds need more than 1 MiB in builds without optimisation
        /// or with a sanitizer.
        public var workerStackBytes = 8 << 20

        /// Bytes of a connection's buffer that a request's head must leave for the response's.
        static let answerHeadBytes = 4 << 10

        /// The most bytes of a connection's buffer for a request's head.
        var headLimit: Int { connectionMemoryLimit - Self.answerHeadBytes }

        /// The defaults.
        public init() {}

        /// Whether only this machine can connect to the host.
        public var isLoopback: Bool {
            host == "localhost" || host == "::1" || host == "[::1]"
                || (host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." })
        }

        static var cores: Int { max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1) }

        func check() throws(HTTPServerError) {
            let atLeast: [(String, Int, Int)] = [
                ("threads", threads, 1), ("eventStreamThreads", eventStreamThreads, 1),
                ("workers", workers, 1), ("readers", readers, 1),
                ("workerQueue", workerQueue, 1),
                ("streamWorkers", streamWorkers, 1),
                ("streamBufferBytes", streamBufferBytes, 1),
                ("maximumBodyBytes", maximumBodyBytes, 0),
                ("connectionMemoryLimit", connectionMemoryLimit, 2 * Self.answerHeadBytes),
                ("connectionLimit", connectionLimit, 1), ("idleTimeout", idleTimeout, 0),
                ("connectionsPerAddress", connectionsPerAddress, 0),
                ("bodyBytesPerSecond", bodyBytesPerSecond, 0),
                ("workerStackBytes", workerStackBytes, 64 << 10),
            ]
            for (name, value, least) in atLeast where value < least {
                throw .setting(name: name, reason: "\(value) is less than \(least)")
            }
        }
    }
}
