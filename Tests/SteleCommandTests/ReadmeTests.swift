/// What the README prints is what its commands answer.

import Foundation
import TestSupport
import Testing

@Suite struct ReadmeTests {
    /// A command of the README with the answer printed below it.
    struct Example {
        var command: String
        var answer: String
    }

    /// Every `sh` block that a `json` block follows.
    static func examples() throws -> [Example] {
        let path = packageRoot.appendingPathComponent("README.md").path
        let blocks = try String(contentsOfFile: path, encoding: .utf8)
            .components(separatedBy: "```")
        return zip(blocks.indices, blocks).compactMap { index, block in
            guard block.hasPrefix("sh\n"), index + 2 < blocks.count,
                blocks[index + 2].hasPrefix("json\n")
            else { return nil }
            return Example(
                command: String(block.dropFirst("sh\n".count)),
                answer: blocks[index + 2].dropFirst("json\n".count)
                    .trimmingCharacters(in: .newlines))
        }
    }

    private static let curl = "/usr/bin/curl"

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: curl), "curl is not here"))
    func itsCurlsAnswerAsPrinted() throws {
        let examples = try Self.examples()
        #expect(examples.count == 5)
        let program = try Program(["serve", "--port", "0"])
        defer {
            program.signal(SIGTERM)
            _ = program.end()
        }
        let port = try Caller(program.lines(3)).port
        for example in examples {
            let command = example.command
                .replacingOccurrences(of: "localhost:8080", with: "localhost:\(port)")
                .replacingOccurrences(of: "curl ", with: "curl -s ")
            let shell = Process()
            let output = Pipe()
            shell.executableURL = URL(fileURLWithPath: "/bin/sh")
            shell.arguments = ["-c", command]
            shell.standardOutput = output
            try shell.run()
            let answer = output.fileHandleForReading.readDataToEndOfFile()
            shell.waitUntilExit()
            #expect(String(decoding: answer, as: UTF8.self) == example.answer)
        }
    }
}
