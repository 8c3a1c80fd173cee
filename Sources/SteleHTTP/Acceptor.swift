// Accepting connections.

import CMicroHTTPD
import Glibc
import SteleSystem

/// One thread that accepts connections and passes them to libmicrohttpd's threads, and each second
/// ends those whose clients are too slow or have finished. Connections that begin with an event
/// stream go to a pool of their own.
///
/// At each resume libmicrohttpd walks all suspended connections of the thread, and an event stream
/// is suspended nearly all of the time. In a pool of their own ten thousand streams cost other
/// requests nothing.
///
/// libmicrohttpd can listen itself, but its pool cannot stop listening before it stops:
/// `MHD_quiesce_daemon` of 0.9.75 removes the socket from the epoll set of each thread while that
/// thread may do the same, and the second removal ends the process.
final class Acceptor: Sendable {
    /// The pools that carry connections.
    // @unchecked: libmicrohttpd's functions on them may be called on any thread.
    struct Pools: @unchecked Sendable {
        let requests: OpaquePointer
        /// For connections that begin with an event stream.
        let streams: OpaquePointer

        /// Closes all connections and ends all threads.
        func stop() {
            MHD_stop_daemon(streams)
            MHD_stop_daemon(requests)
        }
    }

    /// Microseconds before it tries again where the limit is reached or the system lacks
    /// descriptors or memory.
    private static let pause: UInt32 = 10_000

    /// Nanoseconds between two sweeps of the connections.
    private static let sweepNanoseconds: UInt64 = 1_000_000_000

    /// The listening socket, which `run` closes at its end.
    private let listening: Int32
    private let configuration: HTTPServer.Configuration
    private let clients: ClientConnections
    private let open = Atomic<Int>(0)

    /// Open connections.
    var connections: Int { open.load(ordering: .relaxed) }

    private let isStopping = Atomic<Bool>(false)
    private let hasEnded = Alarm()

    init(
        _ listening: Int32, _ configuration: HTTPServer.Configuration, _ clients: ClientConnections
    ) {
        self.listening = listening
        self.configuration = configuration
        self.clients = clients
    }

    /// libmicrohttpd is done with a connection.
    func connectionClosed() { open.subtract(1, ordering: .relaxed) }

    /// Accepts until `stop`; on a thread of its own.
    func run(into pools: Pools) {
        // Connections that are still silent are closed before `hasEnded`.
        do {
            var silent = SilentConnections(
                beside: listening, seconds: configuration.idleTimeout)
            var sweepAt = MonotonicClock.now &+ Self.sweepNanoseconds
            while !isStopping.load(ordering: .acquiring) {
                let turn = silent.wait()
                if MonotonicClock.now >= sweepAt {
                    clients.sweep()
                    sweepAt = MonotonicClock.now &+ Self.sweepNanoseconds
                }
                for arrival in turn.arrivals {
                    _ = hand(arrival, to: Self.pool(for: arrival, of: pools) ?? pools.requests)
                }
                for arrival in turn.expired {
                    close(arrival.socket)
                    lose(arrival)
                }
                if turn.hasNew, !acceptAll(&silent, pools) { usleep(Self.pause) }
            }
        }
        close(listening)
        hasEnded.ring()
    }

    /// Accepts the connections that wait.
    /// - Returns: false where the limit is reached, or the system has no descriptor or memory for
    ///   another connection now.
    private func acceptAll(_ silent: inout SilentConnections, _ pools: Pools) -> Bool {
        while open.load(ordering: .relaxed) < configuration.connectionLimit {
            guard let arrival = accept() else {
                return ![EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno)
            }
            guard clients.admit(arrival.client) else {
                refuse(arrival)
                continue
            }
            open.add(1, ordering: .relaxed)
            let pool = Self.pool(for: arrival, of: pools)
            if pool == nil, silent.keep(arrival) { continue }
            if !hand(arrival, to: pool ?? pools.requests) { return false }
        }
        return false
    }

    private func accept() -> Arrival? {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let socket = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                accept4(listening, $0, &length, flags)
            }
        }
        return socket < 0 ? nil : Arrival(socket: socket, address: address, length: length)
    }

    /// Passes a connection to a pool, which closes it where it does not take it.
    private func hand(_ arrival: Arrival, to pool: OpaquePointer) -> Bool {
        let isTaken = withUnsafePointer(to: arrival.address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                MHD_add_connection(pool, arrival.socket, $0, arrival.length) == .YES
            }
        }
        if !isTaken { lose(arrival) }
        return isTaken
    }

    /// An admitted connection is closed, and libmicrohttpd does not know it.
    private func lose(_ arrival: Arrival) {
        clients.leave(arrival.client)
        connectionClosed()
    }

    /// Answers a connection of an address that has too many, and closes it.
    private func refuse(_ arrival: Arrival) {
        if !configuration.isTLS {
            let text = "This address has \(configuration.connectionsPerAddress) connections.\n"
            let answer =
                "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1\r\nConnection: close\r\n"
                + "Content-Type: text/plain\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)"
            var bytes = Array(answer.utf8)
            send(arrival.socket, &bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
        close(arrival.socket)
    }

    /// The pool for a connection: that of streams where its first request, as far as it has come,
    /// accepts one (WHATWG HTML, 9.2); nil where nothing has come. Either pool serves any request.
    private static func pool(for arrival: Arrival, of pools: Pools) -> OpaquePointer? {
        withUnsafeTemporaryAllocation(byteCount: 2048, alignment: 1) { head in
            let count = peek(
                arrival.socket, into: UnsafeMutableRawBufferPointer(rebasing: head.dropLast()))
            guard count > 0, let start = head.bindMemory(to: CChar.self).baseAddress else {
                return count < 0 ? nil : pools.requests
            }
            head[count] = 0
            return strstr(start, "text/event-stream") == nil ? pools.requests : pools.streams
        }
    }

    /// Refuses connections that wait to be accepted and all later ones, and waits until `run` has
    /// ended. To be called once, after `run` was started.
    func stop() {
        isStopping.store(true, ordering: .releasing)
        // On Linux this wakes a thread that polls the socket, and makes `accept4` fail.
        shutdown(listening, Int32(SHUT_RDWR))
        hasEnded.sleep()
    }
}
