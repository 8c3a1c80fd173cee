// Looking at received bytes without taking them from a socket.

// <sys/socket.h> belongs to whichever of the two modules the compiler reads first.
import CMicroHTTPD
import Glibc

/// Copies bytes that a socket has received and that are not read yet, without waiting.
/// - Returns: how many; 0 where the other side has closed the connection, -1 where none have come.
func peek(_ socket: Int32, into bytes: UnsafeMutableRawBufferPointer) -> Int {
    recv(socket, bytes.baseAddress, bytes.count, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
}
