// A connection of libmicrohttpd, and the few things done to it outside its callbacks.

import CLinux
import CMicroHTTPD
import Glibc

/// A handle of libmicrohttpd. It lives until the request-completed callback of its request; who
/// keeps it longer than a callback holds a lock under which that callback lets go of it.
// @unchecked: libmicrohttpd takes its own lock in resume; suspend is called in its callbacks alone.
struct Connection: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// Only from the access handler or a content reader.
    func suspend() { MHD_suspend_connection(pointer) }

    /// Only when suspended.
    func resume() { MHD_resume_connection(pointer) }

    /// The descriptor; -1 when it is gone.
    var socket: Int32 { stele_mhd_socket(pointer) }

    /// How many bytes the head of its request has.
    var headBytes: Int { stele_mhd_head_size(pointer) }

    /// How many bytes the client's system has taken of all that was sent to it; 0 where that is not
    /// known.
    var taken: UInt64 { stele_acknowledged(socket) }

    /// About how many bytes the system takes of a long answer beyond what is on its way: what a
    /// client does not take shall be seen soon, and not after the megabytes that the system would
    /// take of its own accord; nor shall a slow client that takes some of them look as if it took
    /// nothing.
    static let unsentBytes: Int32 = 64 << 10

    /// Has the system take no more than `unsentBytes`.
    func keepShort() {
        var bytes = Self.unsentBytes
        // Where the system does not know the option, it is as without.
        setsockopt(
            socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes,
            socklen_t(MemoryLayout<Int32>.size))
    }

    /// Sends what the system takes at once; for an answer so short that it takes it whole, where
    /// libmicrohttpd has nothing more to send before the connection ends.
    func sendAtOnce(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Makes a connection that waits for a slow client end at once.
    func breakOff() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// As `breakOff`, but the client sees a reset, and loses what is still on its way to it. That
    /// is what Linux does when a connected socket is connected to nothing.
    func reset() {
        var nothing = sockaddr()
        nothing.sa_family = sa_family_t(AF_UNSPEC)
        connect(socket, &nothing, socklen_t(MemoryLayout<sockaddr>.size))
    }

    var clientAddress: RemoteAddress { RemoteAddress(stele_mhd_client(pointer)) }
}
