// A client that is nothing but a socket, so that a test can send and read any bytes.

import Glibc
import SteleSystem

/// What went wrong for the client.
enum RawClientError: Error { case connect, closed, reset, timeout, malformed(String) }

/// An answer as it came over the wire.
struct RawResponse {
    var status: Int
    var headers: [(name: String, value: String)]
    var body: [UInt8]
    /// Whether the body came to its proper end: all of its length, or the last chunk.
    var isWhole: Bool

    var text: String { String(decoding: body, as: UTF8.self) }

    subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// A blocking connection to a server of the test; it gives up after `timeout` seconds.
final class RawClient {
    private var socket: Int32
    private var pending: [UInt8] = []

    init(port: Int, timeout: Int = 30, receiveBuffer: Int32? = nil) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var limit = timeval(tv_sec: timeout, tv_usec: 0)
        let length = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, length)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, length)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else { throw RawClientError.connect }
    }

    deinit { close() }

    func close() {
        if socket >= 0 { _ = Glibc.close(socket) }
        socket = -1
    }

    /// Closes the client's side; answers can still be read.
    func finishSending() { shutdown(socket, Int32(SHUT_WR)) }

    /// Closes with a reset, as a crash of the client would.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                Glibc.send(
                    socket, bytes.baseAddress?.advanced(by: sent), bytes.count - sent,
                    Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Self.isLate ? RawClientError.timeout : .closed }
            sent += count
        }
    }

    /// Reads to the end of the connection; throws when that is a reset.
    func readToEnd() throws -> [UInt8] {
        var all: [UInt8] = []
        errno = 0
        while let more = try read() { all += more }
        if errno == ECONNRESET { throw RawClientError.reset }
        return all
    }

    /// The next bytes, or nil at the end of the connection.
    func read(_ maximum: Int = 65536) throws -> [UInt8]? {
        if !pending.isEmpty {
            defer { pending.removeFirst(min(maximum, pending.count)) }
            return Array(pending.prefix(maximum))
        }
        var buffer = [UInt8](repeating: 0, count: maximum)
        let count = recv(socket, &buffer, maximum, 0)
        if count > 0 { return Array(buffer[..<count]) }
        if count < 0, Self.isLate { throw RawClientError.timeout }
        return nil
    }

    /// Whether the call that has just failed has waited for as long as it may.
    private static var isLate: Bool { errno == EAGAIN || errno == EWOULDBLOCK }

    private func readByte() throws -> UInt8? {
        if pending.isEmpty {
            guard let more = try read() else { return nil }
            pending = more
        }
        return pending.removeFirst()
    }

    /// A line without its end, or nil at the end of the connection.
    func readLine() throws -> String? {
        var line: [UInt8] = []
        while let byte = try readByte() {
            if byte == 10 {
                if line.last == 13 { line.removeLast() }
                return String(decoding: line, as: UTF8.self)
            }
            line.append(byte)
        }
        return nil
    }

    func readExactly(_ count: Int) throws -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            guard let more = try read(count - bytes.count) else { return nil }
            bytes += more
        }
        return bytes
    }

    /// The head of an answer; the body stays unread.
    func readHead() throws -> RawResponse {
        guard let first = try readLine() else { throw RawClientError.closed }
        let parts = first.split(separator: " ")
        guard parts.count >= 2, let status = Int(parts[1]) else {
            throw RawClientError.malformed(first)
        }
        var response = RawResponse(status: status, headers: [], body: [], isWhole: false)
        while let line = try readLine(), !line.isEmpty {
            guard let colon = line.firstIndex(of: ":") else { throw RawClientError.malformed(line) }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            response.headers.append((String(line[..<colon]), String(value)))
        }
        return response
    }

    /// A chunk, empty for the last one, nil when the connection ends before it is whole.
    func readChunk() throws -> [UInt8]? {
        guard let line = try readLine(), let size = Int(line, radix: 16) else { return nil }
        guard let bytes = try readExactly(size), try readLine() != nil else { return nil }
        return bytes
    }

    /// A whole answer, or as much of it as comes.
    func readResponse(toHead: Bool = false) throws -> RawResponse {
        var response = try readHead()
        if toHead || response.status == 204 || response.status == 304 {
            response.isWhole = true
        } else if let length = response["Content-Length"].flatMap({ Int($0) }) {
            if let body = try readExactly(length) {
                response.body = body
                response.isWhole = true
            }
        } else {
            while let chunk = try readChunk() {
                if chunk.isEmpty {
                    response.isWhole = true
                    break
                }
                response.body += chunk
            }
        }
        return response
    }

    /// A request with nothing but a head, and its answer.
    func get(_ target: String, method: String = "GET") throws -> RawResponse {
        try send("\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n")
        return try readResponse(toHead: method == "HEAD")
    }
}
