// A connection of libmicrohttpd.

import CGnuTLS
import CLinux
import CMicroHTTPD
import Glibc

/// A handle of libmicrohttpd, valid until the request-completed callback of its request. Code that
/// keeps it longer than a callback uses it under a lock that the completed callback takes.
// @unchecked: libmicrohttpd takes its own lock in resume; suspend is called in its callbacks alone.
struct Connection: @unchecked Sendable {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    /// Suspends it; only in the access handler or a content reader.
    func suspend() { MHD_suspend_connection(pointer) }

    /// Resumes it; only when suspended.
    func resume() { MHD_resume_connection(pointer) }

    /// The descriptor; -1 when it is closed.
    var socket: Int32 { stele_mhd_socket(pointer) }

    /// How many bytes the head of its request has.
    var headBytes: Int { stele_mhd_head_size(pointer) }

    /// How many bytes the client's system has acknowledged; 0 where that is not known.
    var taken: UInt64 { stele_acknowledged(socket) }

    /// About how many bytes of a long response the system buffers beyond those on their way. By
    /// default it buffers megabytes: a client that takes nothing would be noticed late, and a slow
    /// one would look as if it took nothing.
    static let unsentBytes: Int32 = 64 << 10

    /// Bounds the system's buffer to `unsentBytes`.
    func keepShort() {
        var bytes = Self.unsentBytes
        // A system without the option buffers as it does by default.
        setsockopt(
            socket, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &bytes,
            socklen_t(MemoryLayout<Int32>.size))
    }

    /// Sends what the system takes at once: for a short response where libmicrohttpd sends nothing
    /// more before the connection ends.
    /// - Returns: whether that is all.
    func sendAtOnce(_ bytes: [UInt8]) -> Bool {
        let count = bytes.withUnsafeBytes { bytes in
            if let session = stele_mhd_tls_session(pointer) {
                return gnutls_record_send(OpaquePointer(session), bytes.baseAddress, bytes.count)
            }
            return send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        }
        return count == bytes.count
    }

    /// Says to the client that nothing more is sent. What it sends can still be read.
    func finishSending() {
        if let session = stele_mhd_tls_session(pointer) {
            gnutls_bye(OpaquePointer(session), GNUTLS_SHUT_WR)
        }
        shutdown(socket, Int32(SHUT_WR))
    }

    /// Ends a connection at once, also one that waits for a slow client.
    func breakOff() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// As `breakOff`, but the client sees a reset and loses the bytes on their way. Linux does that
    /// when a connected socket is connected to no address.
    func reset() {
        var nothing = sockaddr()
        nothing.sa_family = sa_family_t(AF_UNSPEC)
        connect(socket, &nothing, socklen_t(MemoryLayout<sockaddr>.size))
    }
}
