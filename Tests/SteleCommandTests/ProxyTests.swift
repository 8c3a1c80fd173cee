// The configurations of Docs/Operations.md, each played by its proxy before a service.

import Foundation
import SteleSystem
import TestSupport
import Testing

@Suite(.serialized) struct ProxyTests {
    @Test(.enabled(if: ReverseProxy.nginx.isHere, "nginx is not installed"))
    func nginxPlaysItsConfiguration() throws { try play(.nginx) }

    @Test(.enabled(if: ReverseProxy.haproxy.isHere, "HAProxy is not installed"))
    func haproxyPlaysItsConfiguration() throws { try play(.haproxy) }

    @Test(.enabled(if: ReverseProxy.apache.isHere, "Apache is not installed"))
    func apachePlaysItsConfiguration() throws { try play(.apache) }

    @Test(.enabled(if: ReverseProxy.caddy.isHere, "Caddy is not installed"))
    func caddyPlaysItsConfiguration() throws { try play(.caddy) }

    private static let model = """
        {"name":"Shelf","entities":[{"name":"Item","attributes":[
          {"name":"name","type":"String"},{"name":"note","type":"String"}]}]}
        """

    private func play(_ proxy: ReverseProxy) throws {
        let folder = try TemporaryFolder()
        try withExtendedLifetime(folder) { try play(proxy, in: folder) }
    }

    private func play(_ proxy: ReverseProxy, in own: TemporaryFolder) throws {
        let folder = own.path
        let model = try own.write(Self.model, to: "shelf.json")
        let service = try Program(
            [
                "serve", model, "--store", ":memory:", "--port", "0", "--body-limit", "1",
                "--allow-host", "api.example.com",
            ], folder: folder)
        defer {
            service.signal(SIGKILL)
            _ = service.end()
        }
        let direct = try Caller(service.lines(3))
        let (front, caller) = try start(proxy, in: folder, before: direct)
        defer {
            front.signal(SIGKILL)
            _ = front.end()
        }
        try writesAndReads(caller)
        try passesTheHost(caller)
        try tagsStayStrong(caller)
        try refusesLargeBodies(caller)
        try eventsComeAtOnce(caller, direct)
        try aTornExportIsSeen(caller, direct, service, isHidden: try proxy.hidesTornResponses())
    }

    /// Starts the proxy, again at another port where somebody else has taken its port before it.
    private func start(
        _ proxy: ReverseProxy, in folder: String, before service: Caller
    ) throws -> (front: Program, caller: Caller) {
        var said: [String] = []
        for _ in 1...4 {
            let port = try #require(freePort())
            let front = try Program(
                try proxy.prepare(in: folder, port: port, servicePort: service.port),
                environment: ["HOME": folder], folder: folder, file: proxy.path)
            let caller = Caller(port: port)
            let end = MonotonicClock.deadline(in: 30)
            while MonotonicClock.now < end, !front.hasEnded {
                if leadsHere(caller) { return (front, caller) }
                usleep(20_000)
            }
            front.signal(SIGKILL)
            said.append(front.end().errors)
        }
        throw DoesNotListen(errors: said)
    }

    /// A proxy that did not start at any of several ports, with what it said.
    private struct DoesNotListen: Error { let errors: [String] }

    /// Whether what listens at the port, if anything, is before a service of this model.
    private func leadsHere(_ caller: Caller) -> Bool {
        guard let socket = caller.connected() else { return false }
        defer { close(socket) }
        guard caller.sends("GET", "/model", ["Connection: close"], to: socket) else { return false }
        var answer: [UInt8] = []
        while let more = Caller.read(socket) { answer += more }
        let text = String(decoding: answer, as: UTF8.self)
        return text.hasPrefix("HTTP/1.1 200") && text.contains(#""Item""#)
            && text.contains(#""note""#)
    }

    private func writesAndReads(_ caller: Caller) throws {
        let made = try caller.call("POST", "/Item", #"{"name":"a/b c"}"#)
        #expect(made.hasPrefix("HTTP/1.1 201"), "\(made)")
        let found = try caller.call("GET", "/Item?where=name%20==%20%22a%2Fb%20c%22")
        #expect(found.hasPrefix("HTTP/1.1 200") && found.contains(#""_id":1"#), "\(found)")
        let changed = try caller.call("PATCH", "/Item/1", #"{"name":"é"}"#)
        #expect(changed.hasPrefix("HTTP/1.1 200") && changed.contains(#""name":"é""#), "\(changed)")
        #expect(try caller.call("DELETE", "/Item/1").hasPrefix("HTTP/1.1 204"))
        #expect(try caller.call("GET", "/Item/1").hasPrefix("HTTP/1.1 404"))
    }

    private func passesTheHost(_ caller: Caller) throws {
        for (host, status) in [("api.example.com", 200), ("other.example.com", 403)] {
            let answer = try send(
                "GET / HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n", caller)
            #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(host): \(answer.prefix(300))")
        }
    }

    /// Of an answer that Stele compresses, and of a short one.
    private func tagsStayStrong(_ caller: Caller) throws {
        for note in [String(repeating: "long ", count: 4_000), "short"] {
            let made = try caller.call("POST", "/Item", #"{"note":"\#(note)"}"#)
            let place = try #require(field("Location", made))
            let read = try caller.call("GET", place, headers: ["Accept-Encoding: gzip"])
            let tag = try #require(field("ETag", read))
            let changed = try caller.call(
                "PATCH", place, #"{"name":"x"}"#, headers: ["If-Match: \(tag)"])
            #expect(changed.hasPrefix("HTTP/1.1 200"), "\(tag): \(changed.prefix(300))")
        }
    }

    /// By clients that send all before they read.
    private func refusesLargeBodies(_ caller: Caller) throws {
        let head = "POST /Item HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        let megabyte = String(repeating: " ", count: 1 << 20)
        for megabytes in [2, 12] {
            let body = String(repeating: megabyte, count: megabytes)
            let plain = try send(
                "\(head)Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)",
                caller)
            let chunks = String(repeating: "100000\r\n\(megabyte)\r\n", count: megabytes)
            let chunked = try send(
                head + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n\(chunks)0\r\n\r\n",
                caller)
            for answer in [plain, chunked] {
                #expect(answer.hasPrefix("HTTP/1.1 413"), "\(megabytes): \(answer.prefix(300))")
                #expect(answer.contains("larger than 1048576 bytes"), "\(answer.prefix(600))")
            }
        }
    }

    /// A proxy that waits for more to send with an event delays each one.
    private func eventsComeAtOnce(_ caller: Caller, _ direct: Caller) throws {
        let stream = try StreamCaller(caller, "/changes")
        var shortest = UInt64.max
        for index in 1...8 {
            let start = MonotonicClock.now
            #expect(try direct.call("POST", "/Item", "{}").hasPrefix("HTTP/1.1 201"))
            #expect(stream.wait { $0.components(separatedBy: "event: save").count > index })
            shortest = min(shortest, MonotonicClock.now - start)
        }
        #expect(shortest < 150_000_000, "\(shortest / 1_000_000) ms")
    }

    /// The service is killed while a client reads. The export has no last chunk then.
    private func aTornExportIsSeen(
        _ caller: Caller, _ direct: Caller, _ service: Program, isHidden: Bool
    ) throws {
        let note = String(repeating: "0123456789", count: 1_000)
        let objects =
            "[\(Array(repeating: #"{"note":"\#(note)"}"#, count: 100).joined(separator: ","))]"
        for _ in 0..<24 {
            #expect(try direct.call("POST", "/Item", objects).hasPrefix("HTTP/1.1 201"))
        }
        let socket = try #require(caller.connected(receiveBuffer: 64 << 10))
        defer { close(socket) }
        try caller.send("GET", "/Item?format=ndjson&count=true", ["Connection: close"], to: socket)
        var bytes: [UInt8] = []
        while bytes.count < 1_000_000, let more = Caller.read(socket) { bytes += more }
        service.signal(SIGKILL)
        while let more = Caller.read(socket) { bytes += more }
        #expect(bytes.starts(with: Array("HTTP/1.1 200".utf8)))
        let head = String(decoding: bytes.prefix(2_000), as: UTF8.self).lowercased()
        #expect(head.contains("transfer-encoding: chunked"), "\(head.prefix(400))")
        #expect(head.contains("total-count: 24"), "\(head.prefix(400))")
        let isWhole = bytes.suffix(5).elementsEqual("0\r\n\r\n".utf8)
        #expect(
            isWhole == isHidden && bytes.count >= 1_000_000 && bytes.count < 24_000_000,
            "\(bytes.count)")
    }

    // MARK: Plain requests

    /// Sends all that the other side takes, and reads to the end.
    private func send(_ text: String, _ caller: Caller) throws -> String {
        let socket = try caller.socket()
        defer { close(socket) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { break }
            rest = rest.dropFirst(count)
        }
        var answer: [UInt8] = []
        while let more = Caller.read(socket) { answer += more }
        return String(decoding: answer, as: UTF8.self)
    }

    private func field(_ name: String, _ answer: String) -> String? {
        let line = answer.components(separatedBy: "\r\n").prefix { !$0.isEmpty }
            .first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
        return line.map { String($0.dropFirst(name.count + 2)) }
    }

    /// A port that nobody listens at.
    private func freePort() -> Int? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        return isBound ? Int(in_port_t(bigEndian: address.sin_port)) : nil
    }
}
