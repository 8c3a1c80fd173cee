// Inputs that nobody would write, on all that reads text from outside: nothing ends the process, and
// each outcome is one that may be.

import Foundation
import Testing

/// `make fuzz` goes on for longer, from a new seed each time. Here the seed is the same each time, so
/// that a change is judged by itself, unless STELE_SEED says another; STELE_FUZZ_SECONDS says for how
/// many seconds all targets together are tried.
@Suite struct FuzzTests {
    private static let path = URL(fileURLWithPath: Program.path).deletingLastPathComponent()
        .appendingPathComponent("Fuzz").path

    private func run(_ arguments: String...) throws -> (status: Int32, text: String) {
        // The backtrace of a trap is more than a pipe holds.
        let program = try Program(
            arguments, environment: ["SWIFT_BACKTRACE": "enable=no"], file: Self.path)
        let (status, errors) = program.end()
        return (status, program.text + errors)
    }

    @Test func noInputEndsTheProcessOrIsAnsweredWrongly() throws {
        let environment = ProcessInfo.processInfo.environment
        let seconds = environment["STELE_FUZZ_SECONDS"] ?? "60"
        let (status, text) = try run(seconds, environment["STELE_SEED"] ?? "20261124")
        #expect(status == 0, "\(text)")
        print(text)
    }

    /// The fuzzer's own test: a target that adds to an exponent without looking.
    @Test func anInputThatEndsTheProcessIsFoundAndTold() throws {
        let runs = [try run("30", "1", "planted"), try run("30", "1", "planted")]
        var counts: [Substring] = []
        for (status, text) in runs {
            #expect(status == 1)
            #expect(text.contains("it ended the process by signal"), "\(text)")
            counts.append(try #require(text.firstMatch(of: /planted, seed 1, input (\d+):/)?.1))
            let kept = try #require(text.firstMatch(of: /again: Fuzz --input (\S+) planted/)?.1)
            try FileManager.default.removeItem(atPath: String(kept))
        }
        #expect(counts[0] == counts[1], "a seed makes the same inputs")
    }
}
