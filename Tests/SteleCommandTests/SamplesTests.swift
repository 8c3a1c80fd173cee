/// What Docs/Samples.md prints is what its commands answer.

import Foundation
import TestSupport
import Testing

@Suite struct SamplesTests {
    /// A section of the page: how its sample is served, and its commands with their answers.
    struct Sample: CustomTestStringConvertible {
        let title: String
        /// The commands before it is served.
        var setUp = ""
        /// The words of `stele serve …`.
        var serve: [String] = []
        /// Commands, the answer of which is printed below them where there is one.
        var commands: [(text: String, answer: String?)] = []

        var testDescription: String { title }
    }

    static func samples() throws -> [Sample] {
        let path = packageRoot.appendingPathComponent("Docs/Samples.md").path
        return try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "\n## ")
            .dropFirst().map(sample)
    }

    private static func sample(_ section: String) -> Sample {
        var sample = Sample(title: section.components(separatedBy: "\n")[0])
        let parts = section.components(separatedBy: "```")
        for block in stride(from: 1, to: parts.count, by: 2).map({ parts[$0] }) {
            let lines = block.components(separatedBy: "\n").dropFirst().filter { !$0.isEmpty }
            guard block.hasPrefix("sh\n") else {
                let last = sample.commands.indices.last
                if let last { sample.commands[last].answer = lines.joined(separator: "\n") }
                continue
            }
            if let serve = lines.first(where: { $0.hasPrefix("stele serve") }) {
                sample.serve = serve.components(separatedBy: " ").dropFirst().map { $0 }
                sample.setUp = lines.filter { $0 != serve }.joined(separator: "\n")
            } else {
                sample.commands.append((lines.joined(separator: "\n"), nil))
            }
        }
        return sample
    }

    private static let isHere = ["curl", "openssl", "sqlite3"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/" + $0)
    }

    /// The text without what differs in each run: ids of contexts, times, durations, transactions.
    private static func settled(_ text: String) throws -> String {
        let pattern =
            #"("(?:context|expires|transaction|at)":)"[^"]*"|(/contexts/)c[0-9a-f]+|"#
            + #"(migrated in )[0-9.]+"#
        let expression = try NSRegularExpression(pattern: pattern)
        return expression.stringByReplacingMatches(
            in: text, range: NSRange(text.startIndex..., in: text), withTemplate: "$1$2$3_")
    }

    @Test(.enabled(if: isHere, "curl, openssl or sqlite3 is not here"), arguments: try samples())
    func itsCommandsAnswerAsPrinted(_ sample: Sample) throws {
        try #require(!sample.serve.isEmpty && sample.commands.count { $0.answer != nil } >= 3)
        let folder = String(try temporaryFile("").dropLast("/file".count))
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/Config",
            withDestinationPath: packageRoot.appendingPathComponent("Config").path)
        let stele = "stele() { '\(Program.path)' \"$@\"; }\n"
        _ = try Self.run(stele + sample.setUp, in: folder)
        let program = try Program(sample.serve + ["--port", "0"], folder: folder)
        defer {
            program.signal(SIGTERM)
            _ = program.end()
        }
        let port = try Caller(program.lines(3)).port
        // All in one shell, for it keeps the context's address.
        let mark = "@@@"
        let script = sample.commands.map { command in
            command.text.replacingOccurrences(of: "localhost:8080", with: "localhost:\(port)")
                .replacingOccurrences(of: "curl ", with: "curl -s ") + "\necho '\(mark)'\n"
        }
        let answers = try Self.run(stele + script.joined(), in: folder).components(
            separatedBy: mark)
        try #require(answers.count == sample.commands.count + 1)
        for (command, answer) in zip(sample.commands, answers) {
            guard let wanted = command.answer else { continue }
            let given = answer.trimmingCharacters(in: .newlines)
            #expect(try Self.settled(given) == Self.settled(wanted), "\(command.text)")
        }
    }

    /// Runs a script, and gives what it prints.
    private static func run(_ script: String, in folder: String) throws -> String {
        let shell = Process()
        let output = Pipe()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", script]
        shell.currentDirectoryURL = URL(fileURLWithPath: folder)
        shell.standardOutput = output
        shell.standardError = FileHandle.nullDevice
        try shell.run()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        shell.waitUntilExit()
        return String(decoding: printed, as: UTF8.self)
    }
}
