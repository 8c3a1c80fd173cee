/// One connection to a server of this machine, asked a request at a time.

import Glibc

/// HTTP/1.1 as far as the benchmarks need it: a connection that is kept, answers with a length or in
/// chunks.
final class PlainConnection {
    private let socket: Int32
    private var received: [UInt8] = []

    struct Failure: Error { let text: String }

    init(port: Int) throws { socket = try Self.connected(to: port) }

    deinit { close(socket) }

    /// A blocking socket that sends at once.
    static func connected(to port: Int) throws -> Int32 {
        let socket = Glibc.socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard socket >= 0 else {
            throw Failure(text: "no socket: \(String(cString: strerror(errno)))")
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(UInt16(clamping: port)).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let reason = String(cString: strerror(errno))
            close(socket)
            throw Failure(text: "port \(port) takes no connection: \(reason)")
        }
        var yes: Int32 = 1
        setsockopt(
            socket, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
        return socket
    }

    static func send(_ text: String, on socket: Int32) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(text: "a request cannot be sent") }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends a request and waits for the whole answer. A body in chunks is given as it came.
    func ask(
        _ method: String, _ target: String, _ body: String = "", type: String = "application/json"
    ) throws -> (status: Int, body: [UInt8]) {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        if method != "GET" {
            text += "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n"
        }
        try Self.send(text + "\r\n" + body, on: socket)
        received.removeAll(keepingCapacity: true)
        while true {
            if let end = endOfHead() {
                let head = String(decoding: received[..<end], as: UTF8.self)
                let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) }
                guard let status else { throw Failure(text: "\(method) \(target): \(head)") }
                let length =
                    head.split(separator: "\r\n").first {
                        $0.lowercased().hasPrefix("content-length:")
                    }.flatMap { Int($0.dropFirst(15).drop { $0 == " " }) } ?? 0
                if head.lowercased().contains("transfer-encoding: chunked") {
                    while !received.ends(with: "\r\n0\r\n\r\n") { try receive() }
                }
                while received.count < end + length { try receive() }
                return (status, Array(received[end...]))
            }
            try receive()
        }
    }

    /// Sends a request that must succeed.
    func must(_ method: String, _ target: String, _ body: String = "") throws {
        let (status, text) = try ask(method, target, body)
        guard (200..<300).contains(status) else {
            throw Failure(
                text: "\(method) \(target): \(status) \(String(decoding: text, as: UTF8.self))")
        }
    }

    /// Opens an event stream, and gives the rest of its first line that begins so.
    func firstLine(of target: String, beginning start: String) throws -> String {
        try Self.send(
            "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n",
            on: socket)
        received.removeAll(keepingCapacity: true)
        while true {
            try receive()
            // What comes after the last LF may be half a line.
            let lines = received.split(separator: 10, omittingEmptySubsequences: false).dropLast()
            for line in lines where line.starts(with: start.utf8) {
                return String(decoding: line.dropFirst(start.utf8.count), as: UTF8.self)
            }
        }
    }

    private func endOfHead() -> Int? {
        guard received.count >= 4 else { return nil }
        for end in 4...received.count where received[end - 1] == 10 {
            if received[end - 2] == 13, received[end - 3] == 10, received[end - 4] == 13 {
                return end
            }
        }
        return nil
    }

    private func receive() throws {
        try withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { room in
            let count = recv(socket, room.baseAddress, room.count, 0)
            guard count > 0 else { throw Failure(text: "the connection was closed") }
            received += room[..<count]
        }
    }
}

extension [UInt8] {
    fileprivate func ends(with text: String) -> Bool {
        suffix(text.utf8.count).elementsEqual(text.utf8)
    }
}
