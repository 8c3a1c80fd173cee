/// A target's process, and what is known of it when it has ended.

import Foundation
import SteleFuzz

struct Child {
    let target: String
    let seed: UInt64
    let seconds: Double
    /// Seconds after which an input that is still being tried is one that hangs.
    private static let longest = 60.0

    static func temporaryFile() -> String {
        let name = "stele-fuzz-\(String(UInt64.random(in: 0...(.max)), radix: 36)).input"
        return FileManager.default.temporaryDirectory.appendingPathComponent(name).path
    }

    /// Runs the target to its end.
    /// - Returns: what went wrong with which input; nil where nothing did.
    func failure() throws -> String? {
        // With its stores, which a process that traps leaves behind.
        let folder = Self.temporaryFile()
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/input"
        let record = try InputRecord(path: path)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["--run", path, target, String(seed), String(seconds)]
        process.environment = ProcessInfo.processInfo.environment
            .merging(["TMPDIR": folder]) { $1 }
        try process.run()
        var (known, since) = (record.count, Date())
        while process.isRunning {
            Thread.sleep(forTimeInterval: 0.05)
            if record.count != known { (known, since) = (record.count, Date()) }
            if Date().timeIntervalSince(since) > Self.longest {
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                return try report("takes longer than \(Int(Self.longest)) s", record)
            }
        }
        process.waitUntilExit()
        guard process.terminationStatus != 0 || process.terminationReason != .exit else {
            return nil
        }
        let isSignal = process.terminationReason == .uncaughtSignal
        return try report(
            isSignal
                ? "ended the process by signal \(process.terminationStatus)"
                : "has a wrong outcome, which is said above", record)
    }

    /// Keeps the input in a file, and says how to come back to it.
    private func report(_ what: String, _ record: InputRecord) throws -> String {
        let input = record.input
        let file = Self.temporaryFile()
        try Data(input).write(to: URL(fileURLWithPath: file))
        let text = String(decoding: input.prefix(2_000), as: UTF8.self)
        return """
            FAILED \(target), seed \(seed), input \(record.count): it \(what)
            \(text.debugDescription)
              again: Fuzz --input \(file) \(target)
              for ever: move that file to Tests/Fuzz/Corpus/\(target)
            """
    }
}
