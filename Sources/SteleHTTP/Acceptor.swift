// Who takes new connections, and can be told to stop.

import CMicroHTTPD
import Glibc
import SteleSystem

/// One thread that accepts connections and hands them to the threads of libmicrohttpd: those that
/// begin with an event stream to a pool of its own.
///
/// Each time that a suspended connection goes on, its thread walks all that it has suspended, and an
/// event stream is suspended nearly all of its life. Apart from the others, ten thousand streams
/// cost a request nothing.
///
/// libmicrohttpd can listen itself, but then its pool cannot stop listening before it stops:
/// `MHD_quiesce_daemon` of 0.9.75 takes the socket out of the epoll set of each thread of the pool
/// while that thread may do the same, and who comes second ends the process.
final class Acceptor: Sendable {
    /// The pools that carry connections; libmicrohttpd sees to it that threads may share them.
    struct Pools: @unchecked Sendable {
        let requests: OpaquePointer
        /// For those that begin with an event stream.
        let streams: OpaquePointer

        /// Closes all connections and ends all threads.
        func stop() {
            MHD_stop_daemon(streams)
            MHD_stop_daemon(requests)
        }
    }

    /// Microseconds until it looks again whether there is room, or whether the system has got
    /// what it lacked.
    private static let pause: UInt32 = 10_000

    /// The socket that it accepts from, and closes when it ends.
    private let listening: Int32
    /// Connections at once; those beyond wait to be accepted.
    private let limit: Int
    /// Seconds for which a connection may say nothing; 0 for ever.
    private let idleTimeout: Int
    private let open = Atomic<Int>(0)
    private let isStopping = Atomic<Bool>(false)
    private let hasEnded = Monitor(false)

    init(_ listening: Int32, limit: Int, idleTimeout: Int) {
        self.listening = listening
        self.limit = limit
        self.idleTimeout = idleTimeout
    }

    /// libmicrohttpd is done with a connection.
    func connectionClosed() { open.subtract(1, ordering: .relaxed) }

    /// Accepts until `stop`; on a thread of its own.
    func run(into pools: Pools) {
        // Who is silent still is closed before this has ended.
        do {
            var silent = SilentConnections(beside: listening, seconds: idleTimeout)
            while !isStopping.load(ordering: .acquiring) {
                let turn = silent.wait()
                for arrival in turn.arrivals {
                    _ = hand(arrival, to: Self.pool(for: arrival, of: pools) ?? pools.requests)
                }
                for arrival in turn.expired {
                    close(arrival.socket)
                    connectionClosed()
                }
                if turn.isAsked, !acceptThoseThatWait(&silent, pools) { usleep(Self.pause) }
            }
        }
        close(listening)
        hasEnded.withLock { $0 = true }
        hasEnded.broadcast()
    }

    /// - Returns: false where there are as many as may be, or the system has no descriptor or
    ///   memory for another one now.
    private func acceptThoseThatWait(_ silent: inout SilentConnections, _ pools: Pools) -> Bool {
        while open.load(ordering: .relaxed) < limit {
            guard let arrival = accept() else {
                return ![EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno)
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

    /// Hands a connection to a pool; one that it does not take is closed by it.
    private func hand(_ arrival: Arrival, to pool: OpaquePointer) -> Bool {
        let isTaken = withUnsafePointer(to: arrival.address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                MHD_add_connection(pool, arrival.socket, $0, arrival.length) == .YES
            }
        }
        if !isTaken { connectionClosed() }
        return isTaken
    }

    /// The pool for a connection: that of streams where the request that it begins with accepts one
    /// (WHATWG HTML, 9.2), as far as it has come; nil where nothing has. Who is taken for the other
    /// is served as well, and no more.
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

    /// Takes no more connections: those that wait to be accepted are refused. When this returns,
    /// `run` has ended. To be called once, and not where `run` has not been started.
    func stop() {
        isStopping.store(true, ordering: .releasing)
        // Who polls a listening socket is woken by that on Linux, and `accept4` fails.
        shutdown(listening, Int32(SHUT_RDWR))
        hasEnded.withLock(when: { $0 }) { _, _ in }
    }
}
