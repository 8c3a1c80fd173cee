/// The program as a user runs it.

import Foundation
import TestSupport
import Testing

/// A run of the command, from its start to its end.
final class Program {
    private let process = Process()
    private let output = Pipe()
    private let errors = Pipe()
    /// What has been read of standard output so far.
    private(set) var text = ""

    /// The program that was built with these tests.
    static var path: String {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        if let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
            let beside = URL(fileURLWithPath: own).deletingLastPathComponent()
            if FileManager.default.fileExists(atPath: beside.appendingPathComponent("stele").path) {
                folder = beside
            }
        }
        let built = folder.appendingPathComponent("stele").path
        if FileManager.default.fileExists(atPath: built) { return built }
        return packageRoot.appendingPathComponent(".build/debug/stele").path
    }

    /// Runs the program, or another file instead of it.
    init(
        _ arguments: [String], environment: [String: String] = [:], folder: String? = nil,
        file: String = Program.path
    ) throws {
        process.executableURL = URL(fileURLWithPath: file)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("STELE_") }
            .merging(environment) { _, given in given }
        process.currentDirectoryURL = folder.map { URL(fileURLWithPath: $0) } ?? packageRoot
        process.standardOutput = output
        process.standardError = errors
        try process.run()
    }

    /// Reads standard output until it has so many lines.
    func lines(_ count: Int) -> [String] {
        while text.filter({ $0 == "\n" }).count < count {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { break }
            text += String(decoding: data, as: UTF8.self)
        }
        return text.split(separator: "\n").map(String.init)
    }

    /// What the system says of it: a file of its folder in `/proc`.
    func told(_ file: String) throws -> String {
        try String(
            contentsOfFile: "/proc/\(process.processIdentifier)/\(file)", encoding: .utf8)
    }

    /// The paths of its open files.
    var files: [String] {
        let folder = "/proc/\(process.processIdentifier)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
        }
    }

    /// The most memory that it has had, in KiB.
    var peakMemory: Int {
        let lines = ((try? told("status")) ?? "").split(separator: "\n")
        let line = lines.first { $0.hasPrefix("VmHWM:") }
        return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
    }

    /// Whether it has come to its end by itself or by a signal.
    var hasEnded: Bool { !process.isRunning }

    /// Sends a signal.
    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for the end: status, and what stood on standard error.
    func end() -> (status: Int32, errors: String) {
        text += String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let said = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: said, as: UTF8.self))
    }

    /// Runs a command to its end.
    static func run(
        _ arguments: String..., environment: [String: String] = [:], folder: String? = nil
    ) throws -> (status: Int32, output: String, errors: String) {
        try run(arguments, environment: environment, folder: folder)
    }

    static func run(
        _ arguments: [String], environment: [String: String] = [:], folder: String? = nil
    ) throws -> (status: Int32, output: String, errors: String) {
        let program = try Program(arguments, environment: environment, folder: folder)
        let (status, errors) = program.end()
        return (status, program.text, errors)
    }
}

/// A GET, or another method with a JSON body, over a connection of its own.
struct Caller {
    let port: Int

    init(port: Int) { self.port = port }

    /// From the second line that `serve` prints.
    init(_ lines: [String]) throws {
        let second = try #require(lines.dropFirst().first)
        port = try #require(Int(second.split(separator: ":").last.map(String.init) ?? ""))
    }

    func socket() throws -> Int32 { try #require(connected()) }

    /// A connection; nil where nobody listens. Reading waits 20 seconds at most.
    /// - Parameter receiveBuffer: bytes that the system takes for a client that does not read.
    func connected(receiveBuffer: Int32? = nil) -> Int32? {
        guard let descriptor = openSocket(port: port, receiveBuffer: receiveBuffer) else {
            return nil
        }
        var patience = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        return descriptor
    }

    /// The whole answer, head and body.
    func call(
        _ method: String, _ path: String, _ body: String? = nil, headers: [String] = []
    ) throws -> String {
        let descriptor = try socket()
        defer { close(descriptor) }
        try send(method, path, headers + ["Connection: close"], body, to: descriptor)
        var answer: [UInt8] = []
        while let more = Self.read(descriptor) { answer += more }
        return String(decoding: answer, as: UTF8.self)
    }

    func send(
        _ method: String, _ path: String, _ headers: [String], _ body: String? = nil,
        to descriptor: Int32
    ) throws {
        try #require(sends(method, path, headers, body, to: descriptor))
    }

    /// False where the server has gone.
    func sends(
        _ method: String, _ path: String, _ headers: [String], _ body: String? = nil,
        to descriptor: Int32
    ) -> Bool {
        var text = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
        for header in headers { text += header + "\r\n" }
        if let body {
            text += "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n"
        }
        let bytes = Array((text + "\r\n" + (body ?? "")).utf8)
        return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    static func read(_ descriptor: Int32, atMost most: Int = 65_536) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: most) { room, count in
            count = max(0, recv(descriptor, room.baseAddress, most, 0))
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Closing it breaks the connection off, without a word to who is still sending.
    func resetsWhenClosed(_ descriptor: Int32) {
        var at = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &at, socklen_t(MemoryLayout<linger>.size))
    }
}

/// An event stream over a socket.
final class StreamCaller {
    private let descriptor: Int32
    private(set) var text = ""

    init(_ caller: Caller, _ path: String, lastEventID: String? = nil) throws {
        descriptor = try caller.socket()
        var headers = ["Accept: text/event-stream"]
        if let lastEventID { headers.append("Last-Event-ID: \(lastEventID)") }
        try caller.send("GET", path, headers, to: descriptor)
        try #require(wait { $0.contains("retry: ") })
    }

    deinit { close(descriptor) }

    /// Reads until that holds; false where the connection ends before, or two minutes of it did not
    /// bring that.
    func wait(_ holds: (String) -> Bool) -> Bool {
        let deadline = ContinuousClock.now + .seconds(120)
        while !holds(text) {
            guard ContinuousClock.now < deadline, let more = Caller.read(descriptor) else {
                return false
            }
            text += String(decoding: more, as: UTF8.self)
        }
        return true
    }

    /// The blocks that are events, without the frames of the chunks.
    var events: [String] {
        text.components(separatedBy: "\n\n").compactMap { block in
            let lines = block.components(separatedBy: "\n")
                .flatMap { $0.components(separatedBy: "\r\n") }
            let fields = lines.filter {
                $0.hasPrefix("id: ") || $0.hasPrefix("event: ") || $0.hasPrefix("data: ")
            }
            return fields.contains { $0.hasPrefix("data: ") } ? fields.joined(separator: "\n") : nil
        }
    }
}
