// The settings of a server, each with the reason for its default.

import Glibc

extension HTTPServer {
    /// The settings of a server. All are read once, when it starts.
    public struct Configuration: Sendable {
        /// The address or name to listen on.
        public var host = "127.0.0.1"
        /// The port, 0 to 65535; 0 takes any free one.
        public var port = 0
        /// Threads that carry connections, but those that begin with an event stream. More than
        /// cores: a resume walks the suspended connections of its thread, so many threads keep that
        /// walk short. Not many more: each has its part of the connections, and cores change between
        /// those that are busy.
        public var threads = max(4, 2 * Configuration.cores)
        /// Threads that carry connections which begin with an event stream. As many as cores: more
        /// would take them from all else that runs, the clients of these very streams among it. An
        /// odd number: a connection's thread goes by the number of its socket, and where every second
        /// connection is a stream these are spread over all of them as well.
        public var eventStreamThreads = Configuration.cores | 1
        /// Threads that carry writing requests which `begin` leaves; made as they are needed. Many,
        /// for they wait for the disk together.
        public var workers = 64
        /// Threads that carry GET and HEAD which `begin` leaves. As many as the cores can use, with
        /// some to spare for slow ones: more at once end no sooner.
        public var readers = max(8, 4 * Configuration.cores)
        /// Requests that may wait for a worker; beyond, the answer is 503.
        public var workerQueue = 1024
        /// Streaming answers at once, and threads that run their producers, made as they are needed;
        /// beyond, the answer is 503. A producer whose client is slow keeps its thread, so each has
        /// its own and none waits for another's client.
        public var streamWorkers = 96
        /// Bytes that a streaming producer may be ahead of its client.
        public var streamBufferBytes = 256 << 10
        /// Seconds that a client may take nothing of a streaming answer, as far as its system
        /// tells what it takes.
        public var stallLimit = 30.0
        /// Seconds that a streaming answer may take at most.
        public var longestStream = 3600.0
        /// The largest body taken, in bytes; beyond, the answer is 413.
        public var maximumBodyBytes = 32 << 20
        /// Bytes of buffer a connection: the head of a request must fit (else 431 or 414) beside
        /// `answerHeadBytes`, and chunks go out in pieces of up to all of it. A connection that waits
        /// for its next request keeps it; an idle event stream gives most of it back.
        public var connectionMemoryLimit = 32 << 10
        /// Connections at once, event streams among them.
        public var connectionLimit = 30_000
        /// Seconds after which a connection on which nothing moves is closed; 0 for never.
        public var idleTimeout = 60
        /// Connections that may wait to be accepted.
        public var backlog = 1024
        /// Bytes of stack of a worker: address space, of which only what is touched costs memory.
        /// Expressions and bodies that nest up to their bounds need more than 1 MiB in builds
        /// without optimisation or with a sanitizer.
        public var workerStackBytes = 8 << 20

        /// Bytes of a connection's buffer that the head of a request must leave for the answer's.
        static let answerHeadBytes = 4 << 10

        /// The most bytes of buffer that the head of a request may take.
        var headLimit: Int { connectionMemoryLimit - Self.answerHeadBytes }

        public init() {}

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
                ("workerStackBytes", workerStackBytes, 64 << 10),
            ]
            for (name, value, least) in atLeast where value < least {
                throw .setting(name: name, reason: "\(value) is less than \(least)")
            }
        }
    }
}
