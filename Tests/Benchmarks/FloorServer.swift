/// The server written by hand in C that costs are held against, where its source is at hand.

import Foundation

/// `bench/floor.c` in the folder that STELE_SHARED names, built and serving a store of people.
final class FloorServer {
    private let folder: String
    private let port = Int.random(in: 20_000..<30_000)
    private var process: Process?

    struct Failure: Error { let text: String }

    /// Whether there is one.
    var isThere: Bool { process != nil }

    init(_ folder: String) throws {
        self.folder = folder
        let shared = ProcessInfo.processInfo.environment["STELE_SHARED"] ?? "../shared"
        let source = shared + "/bench/floor.c"
        guard FileManager.default.fileExists(atPath: source) else { return }
        try PeopleModel.makeStore(folder + "/floor-people.sqlite")
        _ = try Self.output(
            "cc", "-O2", "-o", folder + "/floor", source, "-lmicrohttpd", "-lsqlite3", "-ljansson",
            "-lpthread")
        // As many threads as the comparison with the whole service gives it.
        let server = Self.process(
            [folder + "/floor", folder + "/floor-people.sqlite", String(port), "2"])
        try server.run()
        process = server
        try Data(
            """
            math.randomseed(os.time())
            request = function()
              return wrk.format("GET", "/person/" .. math.random(1, \(PeopleModel.people)))
            end
            """.utf8
        ).write(to: URL(fileURLWithPath: folder + "/get.lua"))
        for _ in 0..<100 where (try? microsecondsOfAGet(seconds: 1)) == nil {
            Thread.sleep(forTimeInterval: 0.05)
        }
    }

    /// Microseconds that the machine takes for one get of a person by its key: all requests of a
    /// second or so, over 32 connections.
    func microsecondsOfAGet(seconds: Int = 1) throws -> Double {
        guard isThere else { return .nan }
        let text = try Self.output(
            "wrk", "-t1", "-c32", "-d\(seconds)s", "-s", folder + "/get.lua",
            "http://127.0.0.1:\(port)")
        guard !text.contains("Non-2xx"),
            let line = text.split(separator: "\n").first(where: { $0.hasPrefix("Requests/sec:") }),
            let rate = line.split(separator: " ").last.flatMap({ Double($0) }), rate > 0
        else { throw Failure(text: text) }
        return 1e6 / rate
    }

    func stop() {
        process?.terminate()
        process?.waitUntilExit()
    }

    private static func process(_ words: [String]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.standardOutput = FileHandle.nullDevice
        return process
    }

    private static func output(_ words: String...) throws -> String {
        let process = process(words)
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(text: "\(words[0]) ended with \(process.terminationStatus): \(text)")
        }
        return text
    }
}
