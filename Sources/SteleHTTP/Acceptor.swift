// Who takes new connections, and can be told to stop.

import CLinux
import CMicroHTTPD
import Glibc
import SteleMutex

/// One thread that accepts connections and hands them to the threads of libmicrohttpd.
///
/// libmicrohttpd can listen itself, but then its pool cannot stop listening before it stops:
/// `MHD_quiesce_daemon` of 0.9.75 takes the socket out of the epoll set of each thread of the pool
/// while that thread may do the same, and who comes second ends the process.
final class Acceptor: Sendable {
    /// Milliseconds until it looks again whether there is room, or whether the system has got
    /// what it lacked.
    private static let pause: Int32 = 10

    /// The socket that it accepts from, and closes when it ends.
    private let listening: Int32
    /// Readable from `stop` on.
    private let wakening: Int32
    /// Connections at once; those beyond wait to be accepted.
    private let limit: Int
    private let open = Atomic<Int>(0)
    private let hasEnded = Monitor(false)

    init(_ listening: Int32, limit: Int) {
        self.listening = listening
        self.limit = limit
        wakening = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    }

    deinit { close(wakening) }

    /// libmicrohttpd is done with a connection.
    func connectionClosed() { open.subtract(1, ordering: .relaxed) }

    /// Accepts until `stop`; on a thread of its own.
    func run(into daemon: OpaquePointer) {
        var watched = [
            pollfd(fd: wakening, events: Int16(POLLIN), revents: 0),
            pollfd(fd: listening, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let isFull = open.load(ordering: .relaxed) >= limit
            poll(&watched, isFull ? 1 : 2, isFull ? Self.pause : -1)
            if watched[0].revents != 0 { break }
            if !isFull, !acceptThoseThatWait(into: daemon) {
                poll(&watched, 1, Self.pause)
            }
        }
        close(listening)
        hasEnded.withLock { $0 = true }
        hasEnded.broadcast()
    }

    /// - Returns: false where the system has no descriptor or memory for another one now.
    private func acceptThoseThatWait(into daemon: OpaquePointer) -> Bool {
        while open.load(ordering: .relaxed) < limit {
            var address = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let flags = Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
            let added: Bool? = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    let socket = accept4(listening, address, &length, flags)
                    guard socket >= 0 else { return nil }
                    open.add(1, ordering: .relaxed)
                    // A socket that it does not take is closed by it.
                    return MHD_add_connection(daemon, socket, address, length) == .YES
                }
            }
            switch added {
            case true?: break
            case false?:
                connectionClosed()
                return false
            case nil: return ![EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno)
            }
        }
        return true
    }

    /// Takes no more connections: those that wait to be accepted are refused. When this returns,
    /// `run` has ended. To be called once, and not where `run` has not been started.
    func stop() {
        var one: UInt64 = 1
        write(wakening, &one, MemoryLayout<UInt64>.size)
        hasEnded.withLock(when: { $0 }) { _, _ in }
    }
}
