// A road to the server that loses a connection during a commit.

import Glibc
import SteleSystem
import TestSupport

/// Carries bytes between nodes and a server, by a socket of its own, and cuts the writer's
/// connection at its next COMMIT when it is asked to. It counts the nodes' messages.
final class CuttingProxy: Sendable {
    /// Where the writer's connection is cut.
    enum Cut {
        /// The server never gets the COMMIT.
        case before
        /// The server commits, and the node does not get the answer.
        case after
        /// As `after`, and no connection is made from then on.
        case afterForGood
    }

    let folder: TemporaryFolder
    private let server: String
    private let listening: Int32
    private let cut = Mutex<Cut?>(nil)
    private let isShut = Mutex(false)
    /// How many messages nodes have sent.
    let messages = Mutex(0)

    /// - Parameter server: the folder of the server's socket.
    init(to server: String) throws {
        self.server = server
        folder = try TemporaryFolder()
        listening = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let status = Self.withAddress(folder.path) { bind(listening, $0, $1) }
        guard status == 0, listen(listening, 64) == 0 else { throw Failure("no socket") }
        let thread = SystemThread(name: "proxy") { [self] in
            while true {
                let client = accept(listening, nil, nil)
                if client < 0 { return }
                begin(client)
            }
        }
        guard thread != nil else { throw Failure("no thread") }
    }

    /// The URL of a schema of the server, by this road.
    func url(schema: String) -> String {
        "postgresql://postgres@/postgres?host=\(folder.path)&options=-csearch_path%3D\(schema)"
    }

    /// Cuts the writer's connection at its next COMMIT.
    func cutNext(_ where: Cut) { cut.withLock { $0 = `where` } }

    func stop() {
        isShut.withLock { $0 = true }
        shutdown(listening, Int32(SHUT_RDWR))
        close(listening)
    }

    private func begin(_ client: Int32) {
        let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let isRefused = isShut.withLock { $0 }
        guard !isRefused, Self.withAddress(server, { connect(upstream, $0, $1) }) == 0 else {
            close(client)
            close(upstream)
            return
        }
        let cuts = Mutex(false)
        let ends = Mutex(2)
        // Both ends are closed when neither thread uses them.
        let end: @Sendable () -> Void = {
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(upstream, Int32(SHUT_RDWR))
            let isLast = ends.withLock { left in
                left -= 1
                return left == 0
            }
            if isLast {
                close(client)
                close(upstream)
            }
        }
        let forth: @Sendable () -> Void = { [self] in
            var isWriter = false
            var commit = ""
            Self.pump(client, upstream) { bytes in
                messages.withLock { $0 += 1 }
                let text = String(decoding: bytes, as: UTF8.self)
                if text.contains("session_timeout = 30000") { isWriter = true }
                // The first COMMIT is prepared under a name, by which it is run.
                let words = text.split(separator: "\0", omittingEmptySubsequences: false)
                if let place = words.firstIndex(of: "COMMIT"), place > 0 {
                    let name = words[place - 1]
                    commit = String(name[(name.lastIndex(of: "s") ?? name.endIndex)...])
                }
                guard isWriter, !commit.isEmpty, words.contains(Substring(commit)) else {
                    return true
                }
                guard
                    let now = cut.withLock({ it in
                        defer { it = nil }
                        return it
                    })
                else { return true }
                if now == .before { return false }
                if now == .afterForGood { isShut.withLock { $0 = true } }
                cuts.withLock { $0 = true }
                return true
            }
            end()
        }
        let back: @Sendable () -> Void = {
            // The answer to the COMMIT has arrived here, so the server has committed.
            Self.pump(upstream, client) { _ in !cuts.withLock { $0 } }
            end()
        }
        _ = SystemThread(name: "forth", forth)
        _ = SystemThread(name: "back", back)
    }

    /// Copies bytes until one end is closed, or `passes` says no.
    private static func pump(_ from: Int32, _ to: Int32, _ passes: ([UInt8]) -> Bool) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(from, &buffer, buffer.count)
            guard count > 0, passes(Array(buffer[..<count])) else { return }
            var sent = 0
            while sent < count {
                let written = buffer[sent..<count].withUnsafeBytes {
                    send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                if written <= 0 { return }
                sent += written
            }
        }
    }

    private static func withAddress<R>(
        _ folder: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array("\(folder)/.s.PGSQL.5432".utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private struct Failure: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }
}
