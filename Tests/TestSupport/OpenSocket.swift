import Glibc

/// Connects to a port of this machine over TCP.
/// - Parameter receiveBuffer: bytes that the system takes for a client that does not read; its own
///   choice where nil.
/// - Returns: the descriptor; nil where the port is closed.
package func openSocket(port: Int, receiveBuffer: Int32? = nil) -> Int32? {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    if var size = receiveBuffer {
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port).bigEndian)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let connected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    if connected == 0 { return descriptor }
    close(descriptor)
    return nil
}
