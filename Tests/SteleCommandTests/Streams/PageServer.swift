/// What stands before a service in a browser's test: files, and a way through to the service.

import Foundation
import SteleSystem

/// A small reverse proxy: gives its pages, takes what they report, and passes what is below `/api`
/// on to the service, byte by byte. A connection that it passes on is the service's to the end, so
/// it is none that a browser would ask for a page, too.
final class PageServer: Sendable {
    let port: Int
    private let listener: Int32
    private let pages: [String: String]
    private let service = Mutex<Int?>(nil)
    private let said = Mutex("")

    /// Listens on a port of its own; nil where there is none to be had.
    /// - Parameter pages: HTML by path.
    init?(pages: [String: String]) {
        self.pages = pages
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, size) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, $0, &size) == 0
            }
        }
        port = Int(in_port_t(bigEndian: address.sin_port))
        guard isBound else {
            close(listener)
            return nil
        }
        Thread.detachNewThread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 {
                Thread.detachNewThread { [self] in answer(client) }
            }
        }
    }

    /// The port behind; nil while the service is away: who asks for it is hung up on.
    var servicePort: Int? {
        get { service.withLock { $0 } }
        set { service.withLock { $0 = newValue } }
    }

    /// What a page reported last.
    var report: String { said.withLock { $0 } }

    /// Takes no more connections.
    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    private func answer(_ client: Int32) {
        defer { close(client) }
        var bytes: [UInt8] = []
        var text = ""
        while !text.contains("\r\n\r\n") {
            guard let more = Caller.read(client) else { return }
            bytes += more
            text = String(decoding: bytes, as: UTF8.self)
        }
        let path = text.split(separator: " ").dropFirst().first.map(String.init) ?? ""
        if path == "/report" {
            while let more = Self.missing(text) > 0 ? Caller.read(client) : nil {
                text += String(decoding: more, as: UTF8.self)
            }
            said.withLock { $0 = text.components(separatedBy: "\r\n\r\n").last ?? "" }
            return say("204 No Content", "", to: client)
        }
        if let page = pages[path] { return say("200 OK", page, to: client) }
        guard path.hasPrefix("/api/") else { return say("404 Not Found", "", to: client) }
        guard let port = servicePort, let behind = Caller(port: port).connected() else { return }
        defer { close(behind) }
        guard Self.pass(bytes, to: behind) else { return }
        Thread.detachNewThread {
            // The other direction ends with the socket that this thread shuts down.
            while let more = Caller.read(client), Self.pass(more, to: behind) {}
            shutdown(behind, Int32(SHUT_RDWR))
        }
        while let more = Caller.read(behind), Self.pass(more, to: client) {}
        shutdown(client, Int32(SHUT_RDWR))
    }

    /// How many bytes of a body have not come yet.
    private static func missing(_ text: String) -> Int {
        let parts = text.components(separatedBy: "\r\n\r\n")
        let field = parts[0].lowercased().components(separatedBy: "content-length: ").last
        let length = field.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        return length - (parts.last?.utf8.count ?? 0)
    }

    private static func pass(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    private func say(_ status: String, _ page: String, to client: Int32) {
        let head =
            "HTTP/1.1 \(status)\r\nContent-Type: text/html\r\nContent-Length: \(page.utf8.count)\r\n"
        _ = Self.pass(Array((head + "Connection: close\r\n\r\n" + page).utf8), to: client)
    }
}
