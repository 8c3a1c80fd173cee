// What has come on a socket, and stays there for who reads it.

// <sys/socket.h> belongs to whichever of the two modules the compiler reads first.
import CMicroHTTPD
import Glibc

/// Copies what has come on a socket and is not read yet; it does not wait.
/// - Returns: how many bytes; 0 where the other side has ended, -1 where nothing has come.
func peek(_ socket: Int32, into bytes: UnsafeMutableRawBufferPointer) -> Int {
    recv(socket, bytes.baseAddress, bytes.count, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
}
