// A client that openapi-python-client generates from /openapi.json works.

import Foundation
import TestSupport
import Testing

/// `pip install openapi-python-client` brings it.
private let generator = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/openapi-python-client" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

@Suite struct GeneratedClientTests {
    @Test(.enabled(if: generator != nil, "no openapi-python-client is here"))
    func aGeneratedClientMakesReadsChangesAndDeletes() throws {
        let generator = try #require(generator)
        let folder = String(try temporaryFile("").dropLast("/file".count))
        let server = try Program(
            ["serve", samplePath("League"), "--store", ":memory:", "--port", "0"], folder: folder)
        defer {
            server.signal(SIGKILL)
            _ = server.end()
        }
        let address = "http://127.0.0.1:\(try Caller(server.lines(3)).port)"
        try run([
            generator, "generate", "--url", "\(address)/openapi.json", "--meta", "none",
            "--output-path", "\(folder)/client",
        ])
        // The generator's Python has what the client imports.
        let script = try String(contentsOfFile: generator, encoding: .utf8)
        let python = script.prefix { $0 != "\n" }.dropFirst(2)
        let client = packageRoot.appendingPathComponent("Tests/OpenAPI/client.py").path
        try run([String(python), client, folder, address])
    }

    /// Runs a command, which must succeed.
    private func run(_ command: [String]) throws {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: command[0])
        process.arguments = Array(command.dropFirst())
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
    }
}
